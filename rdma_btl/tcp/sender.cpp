// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/tcp/sender.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "runtime/copy.hpp"

namespace remit::tcp {

namespace {

/// Connections that are tried at every poll, of those whose socket was full.
constexpr std::size_t kTried = 8;

/// A put that is to leave. Null: there is no memory for it now.
Transfer* add_put(Outgoing& outgoing, std::span<const Piece> pieces) {
  try {
    std::vector<Piece> list(pieces.begin(), pieces.end());
    Transfer& put = outgoing.add(FrameKind::put);
    put.pieces = std::move(list);
    return &put;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

template <class Head>
Piece piece_of(const Head& head) {
  return {const_cast<Head*>(&head), sizeof head, 0};
}

}  // namespace

// --- operations --------------------------------------------------------------------------------

bool Sender::post(Endpoint& endpoint, const Operation& operation) {
  make_room_to_watch();
  switch (operation.kind) {
    case OpKind::send:
      if (!send_frame(endpoint, FrameKind::message, operation.local)) return false;
      ++counters_.sends;
      counters_.sent_bytes += total_length(operation.local);
      return true;
    case OpKind::put:
      return post_put(endpoint, operation);
    case OpKind::get:
      return post_get(endpoint, operation);
    case OpKind::atomic:
      own_.complete(endpoint.id, operation.cookie, MPI_ERR_UNSUPPORTED_OPERATION);
      return true;
    case OpKind::confirm:
      return post_confirm(endpoint, operation);
  }
  return true;
}

void Sender::send_short(Endpoint& endpoint, SendHead head, const void* data, std::size_t length) {
  make_room_to_watch();
  std::array<std::byte, sizeof(Frame) + sizeof head + kCopied + kAlignment> bytes;
  Frame frame;
  frame.length = static_cast<std::uint32_t>(sizeof head + length);
  std::memcpy(bytes.data(), &frame, sizeof frame);
  std::memcpy(bytes.data() + sizeof frame, &head, sizeof head);
  std::byte* const out = bytes.data() + sizeof frame + sizeof head;
  if (length != 0) copy_bytes(out, data, length);
  const std::size_t filled = length + filling(length);
  std::memset(out + length, 0, filled - length);
  ++counters_.sends;
  counters_.sent_bytes += sizeof head + length;
  const std::size_t all = sizeof frame + sizeof head + filled;
  note(endpoint, endpoint.outgoing.send(endpoint.out(), std::span(bytes).first(all)));
}

bool Sender::post_put(Endpoint& endpoint, const Operation& operation) {
  const std::size_t bytes = total_length(operation.local);
  if (bytes == 0) {
    const NotificationHead head = {operation.notification, 0};
    const Piece piece = piece_of(head);
    if (operation.notify && !send_frame(endpoint, FrameKind::notification, {&piece, 1})) {
      return false;
    }
    own_.complete(endpoint.id, operation.cookie, MPI_SUCCESS);
  } else {
    if (endpoint.outgoing.requests() >= local_.config.most_transfers) return false;
    Transfer* const put = add_put(endpoint.outgoing, operation.local);
    if (put == nullptr) return false;
    put->notify = operation.notify;
    put->notification = operation.notification;
    put->remote = operation.remote;
    put->bytes = bytes;
    put->cookie = operation.cookie;
    endpoint.requests.note_put();
    ++counters_.puts;
    counters_.put_bytes += bytes;
    write(endpoint);
  }
  if (operation.notify) ++counters_.notified;
  return true;
}

bool Sender::post_get(Endpoint& endpoint, const Operation& operation) {
  const std::size_t bytes = total_length(operation.local);
  if (bytes == 0) {
    own_.complete(endpoint.id, operation.cookie, MPI_SUCCESS);
    return true;
  }
  if (endpoint.requests.gets() >= local_.config.most_transfers) return false;
  const GetHead head = {operation.remote.address, operation.remote.key, bytes};
  const Piece piece = piece_of(head);
  endpoint.requests.add_get(operation.local, bytes, operation.cookie);
  if (!send_frame(endpoint, FrameKind::get, {&piece, 1})) {
    endpoint.requests.drop_get();
    return false;
  }
  ++counters_.gets;
  counters_.got_bytes += bytes;
  return true;
}

/// It leaves behind the puts before it, so whoever reads it has all of these.
bool Sender::post_confirm(Endpoint& endpoint, const Operation& operation) {
  assert(operation.cookie != kNoCompletion);
  if (!endpoint.requests.must_ask()) {
    own_.complete(endpoint.id, operation.cookie, MPI_SUCCESS);
    return true;
  }
  if (endpoint.requests.confirms() >= local_.config.most_transfers) return false;
  endpoint.requests.add_confirm(operation.cookie);
  (void)endpoint.outgoing.add(FrameKind::confirm);
  ++counters_.confirms;
  write(endpoint);
  return true;
}

void Sender::say_goodbye(Endpoint& endpoint) {
  (void)send_frame(endpoint, FrameKind::goodbye, {});
}

// --- answers -----------------------------------------------------------------------------------

void Sender::answer_get(Endpoint& endpoint, const GetHead& get) {
  const bool allowed = get.key == local_.key;
  std::vector<Piece> pieces;
  if (allowed) pieces.push_back({reinterpret_cast<void*>(get.address), get.bytes, 0});
  Transfer& answer = endpoint.outgoing.add(allowed ? FrameKind::answer : FrameKind::refusal);
  answer.pieces = std::move(pieces);
  if (allowed) answer.bytes = get.bytes;
  write(endpoint);
}

void Sender::answer_confirm(Endpoint& endpoint) {
  (void)endpoint.outgoing.add(FrameKind::confirmed);
  write(endpoint);
}

// --- what waits --------------------------------------------------------------------------------

bool Sender::send_frame(Endpoint& endpoint, FrameKind kind, std::span<const Piece> pieces) {
  const Outgoing::Sent sent = endpoint.outgoing.send_frame(endpoint.out(), kind, pieces);
  if (sent == Outgoing::Sent::refused) return false;
  note(endpoint, sent == Outgoing::Sent::all);
  return true;
}

/// Unless it is known that its socket takes nothing. What there is no memory for is done as if the
/// socket were full.
void Sender::write(Endpoint& endpoint) {
  if (endpoint.blocked()) return;
  bool all = false;
  try {
    all = endpoint.outgoing.write(endpoint.out());
  } catch (const std::bad_alloc&) {
  }
  note(endpoint, all);
}

/// Something was given to the kernel, which has taken all or not.
void Sender::note(Endpoint& endpoint, bool all) {
  scheduler_.sent();
  if (endpoint.outgoing.has_moved()) scheduler_.warm(endpoint);
  if (all) return;
  ++counters_.blocked;
  if (endpoint.blocked()) return;
  blocked_.push_back(endpoint);
  if (armed_) watch_room(endpoint, true);
}

void Sender::write_blocked() {
  // Those that block again are behind the last one.
  const Endpoint* const last = blocked_.empty() ? nullptr : &blocked_.back();
  for (std::size_t i = 0; i != kTried; ++i) {
    Endpoint* const endpoint = blocked_.pop_front();
    if (endpoint == nullptr) return;
    if (endpoint->state == State::open) write(*endpoint);
    if (endpoint == last) return;
  }
}

void Sender::arm() {
  armed_ = true;
  for (Endpoint& endpoint : blocked_) watch_room(endpoint, true);
}

void Sender::disarm() {
  armed_ = false;
  for (Endpoint* endpoint : watched_) watch_room(*endpoint, false);
  watched_.clear();
}

/// What has been given to the kernel is sent: from then on nothing may fail for want of memory.
void Sender::make_room_to_watch() {
  constexpr std::size_t kFirst = 8;
  if (!armed_ || watched_.size() < watched_.capacity()) return;
  watched_.reserve(std::max(kFirst, 2 * watched_.size()));
}

/// What a process says to itself is read from the other end.
void Sender::watch_room(Endpoint& endpoint, bool wanted) {
  if (endpoint.state != State::open) return;
  if (wanted) watched_.push_back(&endpoint);
  const int fd = endpoint.out();
  if (fd == endpoint.socket.get()) {
    set_.watch(fd, endpoint.id, wanted);
  } else if (wanted) {
    set_.watch_room(fd);
  } else {
    set_.unwatch(fd);
  }
}

}  // namespace remit::tcp
