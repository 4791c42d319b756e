// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/tcp/reader.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace remit::tcp {

namespace {

constexpr unsigned kReadsAPoll = 8;

/// One more endpoint takes no memory.
void make_room(std::vector<Endpoint*>& list) {
  constexpr std::size_t kFirst = 8;
  if (list.size() == list.capacity()) list.reserve(std::max(kFirst, 2 * list.size()));
}

template <class Head>
Head head_in(std::span<const std::byte> bytes) {
  Head head;
  std::memcpy(&head, bytes.data(), sizeof head);
  return head;
}

}  // namespace

// --- whom to read ------------------------------------------------------------------------------

void Reader::take_back() {
  for (Endpoint* endpoint : lent_) {
    endpoint->incoming.give_back();
    endpoint->incoming.settle(local_.config.message_bytes);
  }
  lent_.clear();
}

std::size_t Reader::read_unfinished(std::span<Completion> out) {
  std::size_t count = 0;
  for (std::size_t left = unfinished_.size(); left != 0; --left) {
    Endpoint& endpoint = *unfinished_.front();
    unfinished_.erase(unfinished_.begin());
    endpoint.unfinished = false;
    count += read(endpoint, out.subspan(count));
  }
  return count;
}

std::size_t Reader::read_hot(std::span<Completion> out) {
  std::size_t count = 0;
  std::vector<Endpoint*>& hot = scheduler_.take_turns();
  for (std::size_t i = 0; i < hot.size() && count < out.size();) {
    Endpoint& endpoint = *hot[i];
    if (endpoint.state == State::open) count += read(endpoint, out.subspan(count));
    if (ReadScheduler::stays_hot(endpoint)) {
      ++i;
      continue;
    }
    endpoint.hot = false;
    hot.erase(hot.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return count;
}

// --- reading -----------------------------------------------------------------------------------

/// What was found before memory ran out is told, and the rest is read at the next poll.
std::size_t Reader::read(Endpoint& endpoint, std::span<Completion> out) {
  std::size_t count = 0;
  bool is_cut_short = false;
  try {
    make_room(lent_);
    make_room(unfinished_);
    parse(endpoint, out, count);  // what was there already, and found no room in `out`
    for (unsigned i = 0; i < kReadsAPoll && count < out.size(); ++i) {
      if (endpoint.state != State::open || !read_socket(endpoint)) break;
      parse(endpoint, out, count);
      if (endpoint.incoming.drained()) break;
    }
  } catch (const std::bad_alloc&) {
    lacks_memory_ = is_cut_short = true;
  }
  const bool is_full = count == out.size() || is_cut_short;
  const bool has_room = unfinished_.size() < unfinished_.capacity();
  if (is_full && endpoint.incoming.has_bytes() && !endpoint.unfinished && has_room) {
    endpoint.unfinished = true;
    unfinished_.push_back(&endpoint);
  }
  endpoint.incoming.settle(local_.config.message_bytes);
  return count;
}

bool Reader::read_socket(Endpoint& endpoint) {
  const Incoming::Read got = endpoint.incoming.read(endpoint.socket.get(), endpoint.placement,
                                                    endpoint.requests.gets() != 0);
  if (got.error != 0) {
    connections_.on_end(endpoint, got.error);
  } else {
    endpoint.misses = got.some ? 0 : endpoint.misses + 1;
  }
  return got.some;
}

/// Looks at the frames in the buffer.
void Reader::parse(Endpoint& endpoint, std::span<Completion> out, std::size_t& count) {
  while (endpoint.state == State::open && count < out.size()) {
    if (endpoint.placement.active()) {
      endpoint.incoming.fill(endpoint.placement);
      if (endpoint.placement.left() != 0) return;
      if (end_placing(endpoint, out[count])) ++count;
      continue;
    }
    const std::optional<Frame> frame = endpoint.incoming.next_frame();
    if (!frame) return;
    const bool too_long =
        frame->kind == FrameKind::message && frame->length > local_.config.message_bytes;
    if (frame->magic != Frame().magic || too_long) return connections_.fail_nonsense(endpoint);
    const auto rest = endpoint.incoming.take_frame(*frame);
    if (!rest) return;
    try {
      if (on_frame(endpoint, *frame, *rest, out[count])) ++count;
    } catch (const std::bad_alloc&) {  // it has done nothing, and is looked at again
      endpoint.incoming.put_back(*frame);
      throw;
    }
  }
}

/// A frame with its head, and a message with its bytes. True: `out` tells of it.
bool Reader::on_frame(Endpoint& endpoint, const Frame& frame, std::span<const std::byte> rest,
                      Completion& out) {
  switch (frame.kind) {
    case FrameKind::message:
      return on_message(endpoint, rest.first(frame.length), out);
    case FrameKind::notification:
      return notified(endpoint, head_in<NotificationHead>(rest).value, out);
    case FrameKind::put:
      on_put(endpoint, head_in<PutHead>(rest), frame.length);
      return false;
    case FrameKind::get:
      on_get(endpoint, head_in<GetHead>(rest));
      return false;
    case FrameKind::answer:
      on_answer(endpoint, frame.length);
      return false;
    case FrameKind::refusal:
      return on_answered(endpoint, endpoint.requests.refuse(), MPI_ERR_RMA_RANGE, out);
    case FrameKind::goodbye:
      connections_.on_goodbye(endpoint);
      return false;
    case FrameKind::confirm:
      on_confirm(endpoint);
      return false;
    case FrameKind::confirmed:
      return on_answered(endpoint, endpoint.requests.confirmed(), MPI_SUCCESS, out);
  }
  connections_.fail_nonsense(endpoint);
  return false;
}

bool Reader::on_message(Endpoint& endpoint, std::span<const std::byte> message, Completion& out) {
  ++counters_.receives;
  if (endpoint.incoming.lend()) lent_.push_back(&endpoint);
  out = {CompletionKind::receive, MPI_SUCCESS, endpoint.id, 0, 0, message};
  return true;
}

bool Reader::notified(const Endpoint& endpoint, std::uint32_t value, Completion& out) {
  ++counters_.notifications;
  out = {CompletionKind::notification, MPI_SUCCESS, endpoint.id, value, 0, {}};
  return true;
}

// --- puts, gets and confirms -------------------------------------------------------------------

void Reader::on_put(Endpoint& endpoint, const PutHead& head, std::size_t bytes) {
  if (head.key != local_.key) return connections_.fail_nonsense(endpoint);
  endpoint.placement.clear();
  endpoint.placement.add(reinterpret_cast<void*>(head.address), bytes);
  endpoint.placement.begin();
  endpoint.tells = head.notify != 0;
  endpoint.notification = head.notification;
  endpoint.fetching = false;
  if (bytes >= Incoming::kLongBytes) endpoint.incoming.expect_long();
  scheduler_.sent();  // its sender waits for room in the socket
}

void Reader::on_get(Endpoint& endpoint, const GetHead& head) {
  if (sender_.too_many_answers(endpoint)) return connections_.fail_nonsense(endpoint);
  sender_.answer_get(endpoint, head);
}

/// What was put before it is where it belongs.
void Reader::on_confirm(Endpoint& endpoint) {
  if (sender_.too_many_answers(endpoint)) return connections_.fail_nonsense(endpoint);
  sender_.answer_confirm(endpoint);
}

/// Bytes of the oldest get, behind those that are here.
void Reader::on_answer(Endpoint& endpoint, std::size_t bytes) {
  if (!endpoint.requests.begin_answer(bytes, endpoint.placement)) {
    return connections_.fail_nonsense(endpoint);
  }
  endpoint.tells = false;
  endpoint.fetching = true;
  if (bytes >= Incoming::kLongBytes) endpoint.incoming.expect_long();
}

/// The oldest get or confirm is over; none: nobody has asked.
bool Reader::on_answered(Endpoint& endpoint, std::optional<std::uint64_t> cookie, int status,
                         Completion& out) {
  if (!cookie) {
    connections_.fail_nonsense(endpoint);
    return false;
  }
  out = {CompletionKind::local, status, endpoint.id, 0, *cookie, {}};
  return *cookie != kNoCompletion;
}

/// All bytes are where they belong. True: `out` tells of it.
bool Reader::end_placing(Endpoint& endpoint, Completion& out) {
  endpoint.placement.end();
  if (endpoint.tells) return notified(endpoint, endpoint.notification, out);
  if (!endpoint.fetching) return false;
  const std::optional<std::uint64_t> cookie = endpoint.requests.end_answer();
  return cookie && on_answered(endpoint, cookie, MPI_SUCCESS, out);
}

}  // namespace remit::tcp
