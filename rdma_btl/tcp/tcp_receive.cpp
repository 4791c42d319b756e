// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The tcp device: what arrives, and waiting for it.
//
// A look at one connection costs a system call, and so does a look at all of them, which takes
// longer. So the few over which something came lately, or to which something was sent, are *hot*
// and read at every poll; all are looked at now and then.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "rdma_btl/tcp/endpoint.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

/// Three of the longest messages: so two of them are moved at most to make room for a third.
constexpr std::size_t kBufferBytes = 196608 + 1024;
/// Where long data are likely to come: enough for what precedes them, so that they themselves are
/// not copied.
constexpr std::size_t kPeekBytes = 512;
constexpr std::size_t kLongBytes = 16384;
constexpr unsigned kLongMemory = 16;  ///< messages
/// More hot connections than this are not read one by one.
constexpr std::size_t kMostHot = 8;
constexpr unsigned kHotMisses = 256;
constexpr unsigned kReadsAPoll = 8;
/// A socket that is read cannot receive: the core that brings something waits for its lock. So
/// after a read in vain it is left alone for this long; for longer if so much has come since
/// anything was sent that nobody can be waiting for an answer.
constexpr std::uint64_t kRestNs = 600;
constexpr std::uint64_t kRestInStreamNs = 12000;
constexpr std::size_t kStream = 16;  ///< messages
/// Polls between two looks at all connections: more and more when they are in vain.
constexpr unsigned kShortestPause = 4;
constexpr unsigned kLongestPause = 64;
constexpr std::size_t kMostPlaces = 24;

template <class Head>
Head head_in(std::span<const std::byte> bytes) {
  Head head;
  std::memcpy(&head, bytes.data(), sizeof head);
  return head;
}

}  // namespace

// --- whom to read ------------------------------------------------------------------------------

std::size_t TcpDevice::poll(std::span<Completion> out) {
  if (!lent_.empty()) take_back();
  std::size_t count = take_events(out);
  if (!unfinished_.empty()) count += read_unfinished(out.subspan(count));
  if (rests(count == 0)) return 0;
  if (hot_.size() <= kMostHot) count += read_hot(out.subspan(count));
  if (look_due(count == 0)) count += look_around(out.subspan(count));
  if (!blocked_.empty()) write_blocked();
  if (count == 0) count = take_events(out);
  taken_ += count;
  if (count == 0) {
    rest_until_ns_ = shm::now_ns() + (taken_ < kStream ? kRestNs : kRestInStreamNs);
  }
  return count;
}

/// Nothing came a moment ago, and nothing but something that comes is waited for.
bool TcpDevice::rests(bool idle) const {
  return idle && !armed_ && settling_ == 0 && guests_.empty() && blocked_.empty() &&
         shm::now_ns() < rest_until_ns_;
}

std::size_t TcpDevice::take_events(std::span<Completion> out) {
  std::size_t count = 0;
  while (count < out.size() && !ready_.empty()) {
    out[count++] = ready_.front();
    ready_.pop_front();
  }
  return count;
}

void TcpDevice::warm(Endpoint& endpoint) {
  endpoint.misses = 0;
  if (endpoint.hot) return;
  endpoint.hot = true;
  hot_.push_back(endpoint.id);
}

/// What has left its socket already: no look at all connections would show it.
std::size_t TcpDevice::read_unfinished(std::span<Completion> out) {
  std::vector<EndpointId> unfinished;
  unfinished.swap(unfinished_);
  std::size_t count = 0;
  for (const EndpointId id : unfinished) {
    endpoints_[id]->unfinished = false;
    count += read(*endpoints_[id], out.subspan(count));
  }
  return count;
}

/// Each has its turn to be the first.
std::size_t TcpDevice::read_hot(std::span<Completion> out) {
  std::size_t count = 0;
  if (hot_.size() > 1) std::ranges::rotate(hot_, hot_.begin() + 1);
  for (std::size_t i = 0; i < hot_.size() && count < out.size();) {
    Endpoint& endpoint = *endpoints_[hot_[i]];
    if (endpoint.state == State::open) count += read(endpoint, out.subspan(count));
    if (endpoint.state == State::open && endpoint.misses < kHotMisses) {
      ++i;
      continue;
    }
    endpoint.hot = false;
    hot_.erase(hot_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return count;
}

bool TcpDevice::look_due(bool idle) {
  const bool expected = settling_ != 0 || armed_ || !guests_.empty() || hot_.size() > kMostHot;
  if (until_look_ == 0 || (idle && expected)) return true;
  --until_look_;
  return false;
}

std::size_t TcpDevice::look_around(std::span<Completion> out) {
  std::array<epoll_event, 32> events;
  const int found = ::epoll_wait(events_.get(), events.data(), static_cast<int>(events.size()), 0);
  pause_ = found > 0 ? kShortestPause : std::min(2 * pause_, kLongestPause);
  until_look_ = pause_;
  std::size_t count = 0;
  for (int i = 0; i < found; ++i) {
    const std::uint64_t token = events[static_cast<std::size_t>(i)].data.u64;
    if (token >= endpoints_.size()) {
      on_event(token);
      continue;
    }
    Endpoint& endpoint = *endpoints_[token];
    if (endpoint.state == State::connecting) on_connecting(endpoint);
    if (endpoint.state != State::open) continue;
    warm(endpoint);
    if (count < out.size()) count += read(endpoint, out.subspan(count));
  }
  if (hot_.size() > kMostHot) std::erase_if(hot_, [&](EndpointId id) { return has_cooled(id); });
  if (!timed_.empty()) check_timers();
  return count;
}

/// Of many hot ones; those that have something are warmed again.
bool TcpDevice::has_cooled(EndpointId id) {
  Endpoint& endpoint = *endpoints_[id];
  endpoint.hot = endpoint.state == State::open && ++endpoint.misses < kHotMisses;
  return !endpoint.hot;
}

// --- reading -----------------------------------------------------------------------------------

/// What has arrived from one peer.
std::size_t TcpDevice::read(Endpoint& endpoint, std::span<Completion> out) {
  std::size_t count = 0;
  parse(endpoint, out, count);  // what was there already, and found no room in `out`
  for (unsigned i = 0; i < kReadsAPoll && count < out.size(); ++i) {
    if (endpoint.state != State::open || !read_socket(endpoint)) break;
    parse(endpoint, out, count);
    if (endpoint.drained) break;
  }
  if (count == out.size() && endpoint.first != endpoint.last && !endpoint.unfinished) {
    endpoint.unfinished = true;
    unfinished_.push_back(endpoint.id);
  }
  if (!endpoint.is_lent) settle_buffer(endpoint);
  return count;
}

/// Takes bytes out of the socket: first those of a frame whose place is known, then others into the
/// buffer. False: there are none, or the buffer has no room before the next poll.
bool TcpDevice::read_socket(Endpoint& endpoint) {
  if (!endpoint.buffer) take_buffer(endpoint);
  if (endpoint.first == endpoint.last) {
    // Behind what a place takes the next frame begins: it shall be aligned.
    const std::size_t begin = endpoint.is_lent ? endpoint.last + tcp::filling(endpoint.last) : 0;
    endpoint.first = endpoint.last = begin;
  }
  std::size_t room = kBufferBytes - endpoint.last;
  const bool peek = endpoint.placing != 0 || endpoint.long_lately != 0 || !endpoint.fetches.empty();
  if (peek) room = std::min(room, std::max(kPeekBytes, endpoint.wanted));
  std::array<iovec, kMostPlaces> places;
  std::size_t count = 0;
  if (endpoint.placing != 0) {
    for (std::size_t i = endpoint.place; i < endpoint.places.size(); ++i) {
      places[count++] = endpoint.places[i];
    }
  }
  if (room != 0) places[count++] = {endpoint.buffer.get() + endpoint.last, room};
  if (count == 0) return false;
  msghdr message = {};
  message.msg_iov = places.data();
  message.msg_iovlen = count;
  const ssize_t got = count == 1
                          ? ::recv(endpoint.socket.get(), places[0].iov_base, places[0].iov_len, 0)
                          : ::recvmsg(endpoint.socket.get(), &message, 0);
  if (got > 0) {
    endpoint.misses = 0;
    const auto bytes = static_cast<std::size_t>(got);
    endpoint.drained = bytes < endpoint.placing + room;
    const std::size_t placed = std::min(bytes, endpoint.placing);
    move_on(endpoint, placed);
    endpoint.last += bytes - placed;
    return true;
  }
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    ++endpoint.misses;
    return false;
  }
  on_end(endpoint, got == 0 ? tcp::kEnded : errno);
  return false;
}

/// So many bytes are where they belong.
void TcpDevice::move_on(Endpoint& endpoint, std::size_t bytes) {
  endpoint.placing -= bytes;
  while (bytes != 0) {
    iovec& place = endpoint.places[endpoint.place];
    const std::size_t in_place = std::min(bytes, place.iov_len);
    place.iov_base = static_cast<std::byte*>(place.iov_base) + in_place;
    place.iov_len -= in_place;
    bytes -= in_place;
    if (place.iov_len == 0) ++endpoint.place;
  }
}

/// Looks at the frames in the buffer.
void TcpDevice::parse(Endpoint& endpoint, std::span<Completion> out, std::size_t& count) {
  while (endpoint.state == State::open && count < out.size()) {
    if (endpoint.is_placing) {
      place_buffered(endpoint);
      endpoint.wanted = 0;
      if (endpoint.placing != 0) return;
      if (end_placing(endpoint, out[count])) ++count;
      continue;
    }
    const std::span<const std::byte> bytes(endpoint.buffer.get() + endpoint.first,
                                           endpoint.last - endpoint.first);
    endpoint.wanted = 0;
    if (bytes.size() < sizeof(tcp::Frame)) return;
    const auto frame = head_in<tcp::Frame>(bytes);
    const bool is_message = frame.kind == tcp::FrameKind::message;
    if (frame.magic != tcp::Frame().magic || (is_message && frame.length > config_.message_bytes)) {
      return fail_nonsense(endpoint);
    }
    const std::size_t body = is_message ? frame.length + tcp::filling(frame.length) : 0;
    const std::size_t whole = sizeof frame + tcp::head_bytes(frame.kind) + body;
    if (bytes.size() < whole) {
      endpoint.wanted = whole - bytes.size();
      return;
    }
    endpoint.first += whole;
    if (on_frame(endpoint, frame, bytes.subspan(sizeof frame), out[count])) ++count;
  }
}

/// A frame with its head, and a message with its bytes. True: `out` tells of it.
bool TcpDevice::on_frame(Endpoint& endpoint, const tcp::Frame& frame,
                         std::span<const std::byte> rest, Completion& out) {
  switch (frame.kind) {
    case tcp::FrameKind::message:
      ++counters_.receives;
      if (endpoint.long_lately != 0) --endpoint.long_lately;
      if (!endpoint.is_lent) lent_.push_back(endpoint.id);
      endpoint.is_lent = true;
      out = {CompletionKind::receive, MPI_SUCCESS, endpoint.id, 0, 0, rest.first(frame.length)};
      return true;
    case tcp::FrameKind::notification:
      ++counters_.notifications;
      out = {CompletionKind::notification,
             MPI_SUCCESS,
             endpoint.id,
             head_in<tcp::NotificationHead>(rest).value,
             0,
             {}};
      return true;
    case tcp::FrameKind::put:
      on_put(endpoint, head_in<tcp::PutHead>(rest), frame.length);
      return false;
    case tcp::FrameKind::get:
      on_get(endpoint, head_in<tcp::GetHead>(rest));
      return false;
    case tcp::FrameKind::answer:
      on_answer_frame(endpoint, frame.length);
      return false;
    case tcp::FrameKind::refusal:
      return on_refusal(endpoint, out);
    case tcp::FrameKind::goodbye:
      see_goodbye(endpoint);
      return false;
    case tcp::FrameKind::confirm:
      on_confirm(endpoint);
      return false;
    case tcp::FrameKind::confirmed:
      return on_confirmed(endpoint, out);
  }
  fail_nonsense(endpoint);
  return false;
}

// --- puts and gets -----------------------------------------------------------------------------

void TcpDevice::on_put(Endpoint& endpoint, const tcp::PutHead& head, std::size_t bytes) {
  if (head.key != key_) return fail_nonsense(endpoint);
  endpoint.places.clear();
  endpoint.places.push_back({reinterpret_cast<void*>(head.address), bytes});
  endpoint.notify = head.notify != 0;
  endpoint.notification = head.notification;
  taken_ = 0;  // the sender waits for room in the socket
  begin_placing(endpoint, bytes, false);
}

void TcpDevice::on_get(Endpoint& endpoint, const tcp::GetHead& head) {
  if (endpoint.answers >= most_answers()) return fail_nonsense(endpoint);
  Transfer& answer = endpoint.transfers.emplace_back();
  answer.kind = head.key == key_ ? tcp::FrameKind::answer : tcp::FrameKind::refusal;
  if (answer.kind == tcp::FrameKind::answer) {
    answer.bytes = head.bytes;
    answer.pieces.push_back({reinterpret_cast<void*>(head.address), head.bytes, 0});
  }
  ++endpoint.answers;
  if (!endpoint.blocked) write(endpoint);
}

/// Bytes of the oldest get, behind those that are here.
void TcpDevice::on_answer_frame(Endpoint& endpoint, std::size_t bytes) {
  if (endpoint.fetches.empty()) return fail_nonsense(endpoint);
  Fetch& fetch = endpoint.fetches.front();
  if (bytes == 0 || bytes > fetch.bytes - fetch.arrived) return fail_nonsense(endpoint);
  endpoint.places.clear();
  std::size_t skipped = fetch.arrived;
  std::size_t left = bytes;
  for (const Piece& piece : fetch.pieces) {
    const std::size_t before = std::min(skipped, piece.length);
    const std::size_t here = std::min(left, piece.length - before);
    skipped -= before;
    left -= here;
    if (here != 0)
      endpoint.places.push_back({static_cast<std::byte*>(piece.address) + before, here});
  }
  fetch.arrived += bytes;
  endpoint.notify = false;
  begin_placing(endpoint, bytes, true);
}

bool TcpDevice::on_refusal(Endpoint& endpoint, Completion& out) {
  if (endpoint.fetches.empty()) {
    fail_nonsense(endpoint);
    return false;
  }
  const std::uint64_t cookie = endpoint.fetches.front().cookie;
  endpoint.fetches.pop_front();
  out = {CompletionKind::local, MPI_ERR_RMA_RANGE, endpoint.id, 0, cookie, {}};
  return cookie != kNoCompletion;
}

/// What was put before it is where it belongs.
void TcpDevice::on_confirm(Endpoint& endpoint) {
  if (endpoint.answers >= most_answers()) return fail_nonsense(endpoint);
  endpoint.transfers.emplace_back().kind = tcp::FrameKind::confirmed;
  ++endpoint.answers;
  if (!endpoint.blocked) write(endpoint);
}

bool TcpDevice::on_confirmed(Endpoint& endpoint, Completion& out) {
  if (endpoint.confirms.empty()) {
    fail_nonsense(endpoint);
    return false;
  }
  out = {CompletionKind::local, MPI_SUCCESS, endpoint.id, 0, endpoint.confirms.front(), {}};
  endpoint.confirms.pop_front();
  return true;
}

/// The next bytes go to endpoint.places, and the filling behind them nowhere.
void TcpDevice::begin_placing(Endpoint& endpoint, std::size_t bytes, bool fetching) {
  const std::size_t filling = tcp::filling(bytes);
  if (filling != 0) endpoint.places.push_back({endpoint.scrap.data(), filling});
  endpoint.place = 0;
  endpoint.placing = bytes + filling;
  endpoint.is_placing = true;
  endpoint.fetching = fetching;
  if (bytes >= kLongBytes) endpoint.long_lately = kLongMemory;
}

/// What of them is in the buffer.
void TcpDevice::place_buffered(Endpoint& endpoint) {
  while (endpoint.placing != 0 && endpoint.first != endpoint.last) {
    const iovec place = endpoint.places[endpoint.place];
    const std::size_t bytes = std::min(place.iov_len, endpoint.last - endpoint.first);
    copy_bytes(place.iov_base, endpoint.buffer.get() + endpoint.first, bytes);
    endpoint.first += bytes;
    move_on(endpoint, bytes);
  }
}

/// All are there. True: `out` tells of it.
bool TcpDevice::end_placing(Endpoint& endpoint, Completion& out) {
  endpoint.is_placing = false;
  out = {CompletionKind::notification, MPI_SUCCESS, endpoint.id, endpoint.notification, 0, {}};
  if (endpoint.notify) {
    ++counters_.notifications;
    return true;
  }
  if (!endpoint.fetching) return false;
  const Fetch& fetch = endpoint.fetches.front();
  if (fetch.arrived < fetch.bytes) return false;
  out = {CompletionKind::local, MPI_SUCCESS, endpoint.id, 0, fetch.cookie, {}};
  const bool told = fetch.cookie != kNoCompletion;
  endpoint.fetches.pop_front();
  return told;
}

void TcpDevice::fail_nonsense(Endpoint& endpoint) {
  ++counters_.rejected;
  fail_endpoint(endpoint, fmt::format("{}: what came from there makes no sense", way_to(endpoint)));
}

// --- buffers -----------------------------------------------------------------------------------

void TcpDevice::take_buffer(Endpoint& endpoint) {
  if (free_buffers_.empty()) {
    endpoint.buffer = std::make_unique_for_overwrite<std::byte[]>(kBufferBytes);
  } else {
    endpoint.buffer = std::move(free_buffers_.back());
    free_buffers_.pop_back();
  }
  endpoint.first = endpoint.last = 0;
}

/// The layer above has read what the last poll gave it.
void TcpDevice::take_back() {
  for (const EndpointId id : lent_) {
    endpoints_[id]->is_lent = false;
    settle_buffer(*endpoints_[id]);
  }
  lent_.clear();
}

/// Gives the buffer to others, or sees that the message whose beginning it holds has room.
void TcpDevice::settle_buffer(Endpoint& endpoint) {
  if (!endpoint.buffer) return;
  if (endpoint.first == endpoint.last) {
    free_buffers_.push_back(std::move(endpoint.buffer));
    endpoint.first = endpoint.last = 0;
    return;
  }
  const std::size_t longest = sizeof(tcp::Frame) + config_.message_bytes + tcp::kAlignment;
  if (kBufferBytes - endpoint.first >= longest) return;
  const std::size_t bytes = endpoint.last - endpoint.first;
  move_bytes(endpoint.buffer.get(), endpoint.buffer.get() + endpoint.first, bytes);
  endpoint.first = 0;
  endpoint.last = bytes;
}

// --- waiting -----------------------------------------------------------------------------------

/// The connections make wait_fd() readable by themselves; what is there already does it through
/// kick_.
void TcpDevice::arm() {
  armed_ = true;
  for (const EndpointId id : blocked_) watch_writable(*endpoints_[id], true);
  if (!ready_.empty() || !unfinished_.empty()) (void)::eventfd_write(kick_.get(), 1);
}

void TcpDevice::disarm() {
  armed_ = false;
  for (const EndpointId id : watched_) watch_writable(*endpoints_[id], false);
  watched_.clear();
  until_look_ = 0;
  eventfd_t value = 0;
  (void)::eventfd_read(kick_.get(), &value);
}

void TcpDevice::watch_writable(Endpoint& endpoint, bool writable) {
  if (endpoint.state != State::open) return;
  if (writable) watched_.push_back(endpoint.id);
  const int fd = endpoint.out();
  if (fd == endpoint.socket.get()) return watch(fd, endpoint.id, writable);
  if (writable) {  // what a process says to itself is read from the other end
    epoll_event wanted = {};
    wanted.events = EPOLLOUT;
    wanted.data.u64 = tcp::kNoToken;
    (void)::epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd, &wanted);
  } else {
    (void)::epoll_ctl(events_.get(), EPOLL_CTL_DEL, fd, nullptr);
  }
}

/// While connecting there is a time after which it has failed.
int TcpDevice::max_sleep_ms() const {
  constexpr int kTimedMs = 50;
  return timed_.empty() ? -1 : kTimedMs;
}

/// The kernel sends what it has, also when the process is gone.
bool TcpDevice::flushed() const {
  return std::ranges::all_of(endpoints_, [](const auto& e) { return e->written() || e->cut; });
}

}  // namespace remit
