// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared-memory device's hot path: sending, polling, sleeping.
#include "rdma_btl/shm/shm_device.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "rdma_btl/shm/endpoint.hpp"
#include "runtime/copy.hpp"
#include "runtime/take_lines.hpp"

namespace remit {

namespace {

constexpr std::uint32_t kIdleTick = 16;
constexpr std::uint32_t kTicks = 1024;      ///< the clock is read every 64th empty poll
constexpr std::uint64_t kSocketNs = 20000;  ///< and after that time the socket
constexpr std::uint64_t kConnectingNs = 2000;

}  // namespace

// --- sending -----------------------------------------------------------------------------------

std::size_t ShmDevice::post(EndpointId id, std::span<const Operation> operations) {
  Endpoint& endpoint = *endpoints_[id];
  if (endpoint.shut) [[unlikely]]
    return post_to_failed(endpoint, operations);
  std::size_t accepted = 0;
  for (const Operation& operation : operations) {
    const bool done = operation.kind == OpKind::send ? push_send(endpoint, operation)
                                                     : start(endpoint, operation);
    if (!done) [[unlikely]] {
      ++counters_.refused;
      if ((attention_ & kArmed) != 0) settle_blocked();
      break;
    }
    ++accepted;
  }
  wake(endpoint);
  return accepted;
}

void ShmDevice::send(EndpointId id, SendHead head, const void* data, std::size_t length,
                     PendingQueue& refused) {
  Endpoint& endpoint = *endpoints_[id];
  if (length > shm::kInline - sizeof head || endpoint.shut || !endpoint.tx.has_room()) [[unlikely]]
    return post_send(*this, endpoint.id, head, data, length, refused);
  shm::Cell& cell = endpoint.mail ? *endpoint.mailbox : endpoint.tx.next();
  std::memcpy(cell.payload, &head, sizeof head);
  copy_small(cell.payload + sizeof head, data, length);
  endpoint.tx.publish_in(cell, shm::CellKind::send_inline, sizeof head + length, endpoint.writer);
  endpoint.mail = false;
  wake(endpoint);
}

bool ShmDevice::takes_now(EndpointId id, std::size_t bytes) {
  Endpoint& endpoint = *endpoints_[id];
  const std::size_t most = bytes + shm::kLine;
  if (endpoint.shut) return true;
  const bool by_mail = endpoint.mail && most <= shm::kMailBytes;
  return by_mail ? endpoint.tx.has_room() : endpoint.tx.has_room(most);
}

inline bool ShmDevice::push_send(Endpoint& endpoint, const Operation& operation) {
  const Piece* piece = operation.local.data();
  const Piece* const end = piece + operation.local.size();
  std::size_t total = 0;
  for (; piece != end; ++piece) total += piece->length;
  if (total > shm::kInline) [[unlikely]]
    return push_large(endpoint, operation, total);
  if (!endpoint.tx.has_room()) [[unlikely]]
    return false;
  shm::Cell& cell = endpoint.mail ? *endpoint.mailbox : endpoint.tx.next();
  std::byte* to = cell.payload;
  for (piece = operation.local.data(); piece != end; ++piece) {
    copy_small(to, piece->address, piece->length);
    to += piece->length;
  }
  endpoint.tx.publish_in(cell, shm::CellKind::send_inline, total, endpoint.writer);
  endpoint.mail = false;
  return true;
}

/// Bytes of a message that travel in its cell: its first piece, the header, so that what follows
/// begins with a line of the data area, as the user's buffers most often do. With the gap that it
/// leaves the message must not be longer than `most`.
static std::size_t head_in_cell(const Operation& message, std::size_t total, std::size_t most) {
  const std::size_t head = message.local[0].length;
  const bool fits = head != 0 && head <= shm::kInline - sizeof(shm::AreaRef) &&
                    head % shm::kAlignment == 0 && total + shm::kLine - head <= most;
  return fits ? head : 0;
}

bool ShmDevice::push_large(Endpoint& endpoint, const Operation& operation, std::size_t total) {
  if (total > caps_.max_send) [[unlikely]] {
    fail_endpoint(endpoint, MPI_ERR_INTERN,
                  fmt::format("a send of {} bytes is longer than {}", total, caps_.max_send));
    return true;
  }
  if (!endpoint.tx.has_room()) return false;
  shm::AreaRef ref;
  const std::size_t head = head_in_cell(operation, total, caps_.max_send);
  const std::size_t gap = head != 0 ? shm::kLine - head : 0;
  std::byte* to = reserve(endpoint, gap + total, ref);
  if (to == nullptr) return false;
  ref.offset += static_cast<std::uint32_t>(gap);
  ref.length = static_cast<std::uint32_t>(total);
  to += gap + head;
  if ((ref.offset & shm::kInMail) != 0 && head != 0 && operation.local.size() == 2 &&
      operation.local[1].length > shm::kMailWhole) {
    push_in_parts(endpoint, operation, ref, to);
    return true;
  }
  for (const Piece& piece : operation.local.subspan(head != 0 ? 1 : 0)) {
    if (piece.length != 0) copy_bytes(to, piece.address, piece.length);
    to += piece.length;
  }
  publish_reference(endpoint, ref, operation.local[0].address, head);
  constexpr std::size_t kAhead = 8192;  // of the next message, which is likely to be as long
  if ((ref.offset & shm::kInMail) == 0) endpoint.tx.prepare(gap + head, std::min(total, kAhead));
  return true;
}

std::size_t ShmDevice::post_to_failed(Endpoint& endpoint, std::span<const Operation> operations) {
  if (!endpoint.failed) {
    fail_endpoint(
        endpoint, MPI_ERR_PROC_ABORTED,
        fmt::format("process {:#x} of this host has finished", rank_of_name(endpoint.peer)));
  }
  for (const Operation& operation : operations) {
    if (operation.kind == OpKind::send || operation.cookie == kNoCompletion) continue;
    ready_.push_back(
        event_of(CompletionKind::local, endpoint.id, MPI_ERR_PROC_ABORTED, operation.cookie));
    attention_ |= kWork;
  }
  return operations.size();
}

void ShmDevice::ring_bell(Endpoint& endpoint) {
  std::uint32_t asleep = shm::kAsleep;
  if (!endpoint.sleep_word->compare_exchange_strong(asleep, shm::kWoken)) return;
  ++counters_.wakes;
  if (endpoint.event) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(endpoint.event.get(), &one, sizeof one);
    return;
  }
  // No room there means that the peer has datagrams to read, which wake it as well.
  const std::uint64_t wake = shm::kWakeMagic;
  ::sendto(socket_.get(), &wake, sizeof wake, MSG_DONTWAIT | MSG_NOSIGNAL, endpoint.socket.get(),
           endpoint.socket.length);
}

// --- receiving ---------------------------------------------------------------------------------

/// A cell of the ring whose header has been read: its number never comes again, and 0 is none.
inline void ShmDevice::take_cell(shm::Cell& cell) const {
  if (take_lines_to_ != 0) cell.header.store(0, std::memory_order_relaxed);
}

/// The next message has been taken.
inline void ShmDevice::step_over(Scan& scan) {
  const std::uint64_t number = scan.expected++;
  scan.next = scan.cells + (number & scan.mask);
  if ((number & scan.publish_mask) == 0) [[unlikely]]
    note_consumed(scan);
}

namespace {

/// Whether a message begins with `head`, but for bits that are not in `mask`.
bool begins_with(const std::byte* message, SendHead head, SendHead mask, SendHead& found) {
  std::memcpy(&found, message, sizeof found);
  return (((found.first ^ head.first) & mask.first) |
          ((found.second ^ head.second) & mask.second)) == 0;
}

}  // namespace

std::ptrdiff_t ShmDevice::receive(EndpointId id, SendHead head, SendHead mask, void* to,
                                  std::size_t room, bool awaits, SendHead& found) {
  Endpoint& endpoint = *endpoints_[id];
  if (attention_ != 0 || !endpoint.attached || endpoint.shut) [[unlikely]]
    return kSomethingElse;
  Scan& scan = scans_[endpoint.scan];
  const shm::Cell* cell = scan.mailbox;
  std::uint64_t header = cell->header.load(std::memory_order_acquire);
  const bool mail = shm::is_mail(header, scan.expected, scan.writer);
  if (!mail) {
    cell = scan.next;
    header = cell->header.load(std::memory_order_acquire);
    if (shm::cell_number(header) != scan.expected) return kNothing;
  }
  std::size_t bytes = shm::cell_length(header) - sizeof found;
  if (shm::cell_kind(header) == shm::CellKind::send_inline) [[likely]] {
    if (bytes > shm::kInline - sizeof found || bytes > room ||
        !begins_with(cell->payload, head, mask, found)) [[unlikely]]
      return kSomethingElse;
    copy_small(static_cast<std::byte*>(to), cell->payload + sizeof found, bytes);
  } else {
    shm::AreaRef ref;
    std::memcpy(&ref, cell->payload, sizeof ref);
    bytes = ref.length - sizeof found;
    if (shm::cell_kind(header) != shm::CellKind::send_area ||
        shm::cell_length(header) != sizeof ref + sizeof found || ref.length < sizeof found ||
        bytes > room || !begins_with(cell->payload + sizeof ref, head, mask, found)) {
      return kSomethingElse;
    }
    std::byte* data = area_bytes(endpoint, ref);
    if (data == nullptr) return kSomethingElse;
    if ((ref.offset & shm::kInMail) == 0) {
      copy_out(to, data + sizeof found, bytes);
    } else if ((ref.offset & shm::kInParts) == 0) {
      copy_bytes(to, data + sizeof found, bytes);
    } else if (!awaits && !mail_is_whole(endpoint, scan)) {
      return kNothing;
    } else if (!copy_parts(endpoint, scan.expected, to, data + sizeof found, bytes)) {
      return kSomethingElse;
    }
  }
  if (mail) {
    endpoint.mail = true;
  } else {
    take_cell(*scan.next);
  }
  step_over(scan);
  if (attention_ != 0) [[unlikely]]
    publish_consumed();  // what poll() has lent is not valid any more
  return static_cast<std::ptrdiff_t>(bytes);
}

/// Takes the next message out of the mailbox. Its bytes are copied: the mailbox is ours from now
/// on, and an answer may be written there before the next poll. False: it made no sense.
bool ShmDevice::take_mail(Scan& scan, std::uint64_t header, Completion& out) {
  const std::size_t length = std::min(shm::cell_length(header), shm::kInline);
  Endpoint& endpoint = *endpoints_[scan.endpoint];
  copy_small(endpoint.letter.data(), scan.mailbox->payload, length);
  endpoint.mail = true;
  step_over(scan);
  out.kind = CompletionKind::receive;
  out.status = MPI_SUCCESS;
  out.endpoint = scan.endpoint;
  out.data = {endpoint.letter.data(), length};
  if (shm::cell_kind(header) == shm::CellKind::send_inline) return true;
  out.data = area_message(endpoint, out.data);
  return out.data.data() != nullptr;
}

[[gnu::always_inline]] inline std::size_t ShmDevice::drain_inline(Scan& scan,
                                                                  std::span<Completion> out,
                                                                  std::size_t n) {
  while (n < out.size()) {
    shm::Cell& cell = *scan.next;
    const std::uint64_t header = cell.header.load(std::memory_order_acquire);
    const std::uint64_t number = scan.expected;
    if (shm::cell_number(header) != number) {
      const std::uint64_t mail = scan.mailbox->header.load(std::memory_order_acquire);
      if (!shm::is_mail(mail, number, scan.writer) ||
          !mail_is_whole(*endpoints_[scan.endpoint], scan))
        break;
      if (take_mail(scan, mail, out[n])) ++n;
      continue;
    }
    take_cell(cell);
    step_over(scan);
    const std::size_t length = shm::cell_length(header);
    if (shm::cell_kind(header) == shm::CellKind::send_inline && length <= shm::kInline) [[likely]] {
      Completion& completion = out[n++];
      completion.kind = CompletionKind::receive;
      completion.status = MPI_SUCCESS;
      completion.endpoint = scan.endpoint;
      completion.data = {cell.payload, length};
    } else if (handle(scan, cell, header, out[n])) {
      ++n;
    } else if ((attention_ & kPublish) != 0) {
      break;  // let the producer of a long transfer go on first
    }
  }
  return n;
}

std::size_t ShmDevice::drain(Scan& scan, std::span<Completion> out, std::size_t n) {
  return drain_inline(scan, out, n);
}

std::size_t ShmDevice::poll(std::span<Completion> out) {
  std::size_t n = 0;
  if (!lent_.empty()) [[unlikely]]
    end_lending();
  if (attention_ != 0) [[unlikely]] {
    n = poll_with_attention(out, 0);
  } else {
    for (std::uint32_t i = 0; i != hot_count_; ++i) n = drain_inline(scans_[hot_[i]], out, n);
    if (scans_.size() > kHot) [[unlikely]]
      n = scan_cold(out, n);
  }
  if (attention_ != 0 || n == out.size()) [[unlikely]]
    n = attend(out, n);
  ticks_ += n == 0 ? kIdleTick : 1;
  if (ticks_ >= kTicks) [[unlikely]]
    idle(n == 0);
  return n;
}

/// Before the rings are visited: what must not wait, or all rings instead of the active ones.
std::size_t ShmDevice::poll_with_attention(std::span<Completion> out, std::size_t n) {
  if ((attention_ & kPublish) != 0) publish_consumed();
  if ((attention_ & kWork) != 0) n = do_work(out);
  return scan_fairly(out, n);
}

/// After the rings were visited: nothing may be left that the caller could sleep on.
std::size_t ShmDevice::attend(std::span<Completion> out, std::size_t n) {
  if (n == 0 && (attention_ & kPublish) != 0) n = publish_early(out);
  n = take_ready(out, n);
  if ((attention_ & kArmed) != 0) settle_blocked();
  attention_ = n == out.size() ? attention_ | kFair : attention_ & ~kFair;
  return n;
}

/// A part of the rings that have been silent.
std::size_t ShmDevice::scan_cold(std::span<Completion> out, std::size_t n) {
  const std::size_t count = scans_.size();
  for (std::uint32_t i = 0; i != kColdPerPoll; ++i) {
    if (++cold_cursor_ >= count) cold_cursor_ = 0;
    const std::size_t before = n;
    const std::uint32_t index = cold_cursor_;
    n = drain(scans_[index], out, n);
    if (n != before) make_hot(index);
  }
  return n;
}

/// Every ring once, beginning behind the one where the last such round ended.
std::size_t ShmDevice::scan_fairly(std::span<Completion> out, std::size_t n) {
  const std::size_t count = scans_.size();
  for (std::size_t i = 0; i != count && n < out.size(); ++i) {
    if (++cold_cursor_ >= count) cold_cursor_ = 0;
    const std::size_t before = n;
    const std::uint32_t index = cold_cursor_;
    n = drain(scans_[index], out, n);
    if (n != before) make_hot(index);
  }
  if ((attention_ & kArmed) == 0) attention_ &= ~kScanAll;
  return n;
}

void ShmDevice::make_hot(std::uint32_t index) {
  const auto end = hot_.begin() + hot_count_;
  if (std::find(hot_.begin(), end, index) != end) return;
  hot_[hot_clock_++ % kHot] = index;
}

/// Every kind of cell but the short send. True if `out` was filled.
bool ShmDevice::handle(Scan& scan, const shm::Cell& cell, std::uint64_t header, Completion& out) {
  Endpoint& endpoint = *endpoints_[scan.endpoint];
  switch (shm::cell_kind(header)) {
    case shm::CellKind::send_area: {
      const std::span payload(cell.payload, std::min(shm::cell_length(header), shm::kInline));
      const std::span<const std::byte> data = area_message(endpoint, payload);
      if (data.data() == nullptr) return false;
      out = event_of(CompletionKind::receive, endpoint.id, MPI_SUCCESS);
      out.data = data;
      return true;
    }
    case shm::CellKind::notification:
      out = event_of(CompletionKind::notification, endpoint.id, MPI_SUCCESS);
      std::memcpy(&out.notification, cell.payload, sizeof out.notification);
      return true;
    case shm::CellKind::put_data:
      return on_put_data(endpoint, cell, out);
    case shm::CellKind::put_done:
      on_put_done(endpoint, cell);
      return false;
    case shm::CellKind::get_request:
      on_get_request(endpoint, cell);
      return false;
    case shm::CellKind::get_data:
      on_get_data(endpoint, cell);
      return false;
    case shm::CellKind::atomic_request:
      return on_atomic_request(endpoint, cell, out);
    case shm::CellKind::atomic_reply:
      on_atomic_reply(endpoint, cell);
      return false;
    case shm::CellKind::assist:
      on_assist(endpoint, cell);
      return false;
    case shm::CellKind::arena_wanted:
      on_arena_wanted(endpoint);
      return false;
    case shm::CellKind::send_inline:
      break;
  }
  bad_cell(endpoint, "a cell that makes no sense");
  return false;
}

std::byte* ShmDevice::area_bytes(Endpoint& endpoint, const shm::AreaRef& ref) {
  const bool mail = (ref.offset & shm::kInMail) != 0;
  const std::uint32_t offset = ref.offset & ~(shm::kInMail | shm::kInParts);
  const std::size_t size = mail ? shm::kMailBytes : endpoint.rx_area_size;
  if (offset > size || ref.length > size - offset || offset % shm::kAlignment != 0) {
    bad_cell(endpoint, "bytes outside its data area");
    return nullptr;
  }
  endpoint.rx_area_end = ref.end;
  if (ref.end - endpoint.rx_area_published >= endpoint.rx_area_size / 8) {
    note_consumed(scans_[endpoint.scan]);
  }
  return (mail ? endpoint.mail_bytes : endpoint.rx_area) + offset;
}

/// The message of a cell with these contents. Its header comes in the cell and is put in front of
/// the rest, into a line of the area that the producer leaves to us: so it needs not be fetched.
std::span<const std::byte> ShmDevice::area_message(Endpoint& endpoint,
                                                   std::span<const std::byte> cell) {
  shm::AreaRef ref;
  if (cell.size() < sizeof ref)
    return bad_cell(endpoint, "half a reference"), std::span<std::byte>();
  std::memcpy(&ref, cell.data(), sizeof ref);
  const std::span<const std::byte> head = cell.subspan(sizeof ref);
  std::byte* const data = area_bytes(endpoint, ref);
  if (data == nullptr) return {};
  constexpr std::size_t kAhead = 576;  // what the copy would wait for first; the rest it fetches
  const std::size_t ahead = std::min<std::size_t>(ref.length, kAhead);
  for (std::size_t i = head.size(); i < ahead; i += shm::kLine) __builtin_prefetch(data + i);
  copy_small(data, head.data(), std::min<std::size_t>(head.size(), ref.length));
  const bool mail = (ref.offset & shm::kInMail) != 0;
  if (mail || ref.length <= take_lines_to_) lend(endpoint, {data, ref.length}, mail);
  return {data, ref.length};
}

void ShmDevice::bad_cell(Endpoint& endpoint, const char* what) {
  ++counters_.violations;
  fail_endpoint(endpoint, MPI_ERR_INTERN,
                fmt::format("process {:#x} (pid {}) wrote {} into shared memory",
                            rank_of_name(endpoint.peer), endpoint.pid, what));
}

/// Out of a data area. Nobody reads the bytes there again.
void ShmDevice::copy_out(void* to, std::byte* from, std::size_t bytes) const {
  if (bytes <= take_lines_to_) {
    copy_and_take(to, from, bytes);
  } else {
    copy_bytes(to, from, bytes);
  }
}

/// The producer will hear at the next poll, when nothing points into the ring any more.
void ShmDevice::note_consumed(Scan& scan) {
  const auto index = static_cast<std::uint32_t>(&scan - scans_.data());
  attention_ |= kPublish;
  if (std::find(publish_.begin(), publish_.end(), index) == publish_.end()) {
    publish_.push_back(index);
  }
}

void ShmDevice::publish_consumed() {
  end_lending();
  for (const std::uint32_t index : publish_) {
    Scan& scan = scans_[index];
    Endpoint& endpoint = *endpoints_[scan.endpoint];
    if (endpoint.shut) continue;
    endpoint.rx_area_published = endpoint.rx_area_end;
    shm::RingControl& control = *endpoint.rx;
    control.consumer.area.store(endpoint.rx_area_published, std::memory_order_release);
    control.consumer.cells.store(scan.expected - 1, std::memory_order_release);
    if (endpoint.fence) shm::full_fence();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (control.producer.blocked.load(std::memory_order_relaxed) != 0) wake(endpoint);
  }
  publish_.clear();
  attention_ &= ~kPublish;
}

/// Nothing was lent to the caller: no need to wait for the next poll. Before a sleep nothing may
/// stay unread or unpublished.
std::size_t ShmDevice::publish_early(std::span<Completion> out) {
  std::size_t n = 0;
  do {
    publish_consumed();
    if ((attention_ & kArmed) != 0) n = scan_fairly(out, n);
  } while ((attention_ & kArmed) != 0 && n == 0 && (attention_ & kPublish) != 0);
  return n;
}

std::size_t ShmDevice::take_ready(std::span<Completion> out, std::size_t n) {
  while (n != out.size() && !ready_.empty()) {
    out[n++] = ready_.front();
    ready_.pop_front();
  }
  return n;
}

std::size_t ShmDevice::do_work(std::span<Completion> out) {
  if (!unmap_due_.empty()) unmap_shut();
  if (!hellos_due_.empty()) retry_hellos();
  if (!arenas_due_.empty()) retry_arenas();
  if (!outgoing_.empty() || !replies_.empty()) progress_replies();
  if (!active_.empty()) progress_transfers();
  if (!helping_.empty()) progress_helping();
  if ((attention_ & kArmed) != 0) idle(true);
  const std::size_t n = take_ready(out, 0);
  const bool more = (attention_ & kArmed) != 0 || !hellos_due_.empty() || !arenas_due_.empty() ||
                    !outgoing_.empty() || !replies_.empty() || !active_.empty() ||
                    !helping_.empty() || !ready_.empty() || !unmap_due_.empty();
  attention_ = more ? attention_ | kWork : attention_ & ~kWork;
  return n;
}

void ShmDevice::idle(bool nothing_arrived) {
  ticks_ = 0;
  const std::uint64_t now = shm::now_ns();
  if ((attention_ & kArmed) == 0 &&
      now - socket_read_ns_ < (unattached_ + arenas_awaited_ != 0 ? kConnectingNs : kSocketNs))
    return;
  socket_read_ns_ = now;
  service_socket();
  if (!registered_ && registering_.load(std::memory_order_acquire) == 1) {
    registered_ = true;
    for (const auto& endpoint : endpoints_) update_fence(*endpoint);
  }
  if (!nothing_arrived) return;
  if (now - looked_after_ns_ >= config_.liveness_ms * std::uint64_t{1000000} || !gone_.empty()) {
    looked_after_ns_ = now;
    look_after_peers();
  }
}

// --- sleeping ----------------------------------------------------------------------------------

void ShmDevice::arm() {
  home_->sleep.word.store(shm::kAsleep, std::memory_order_seq_cst);
  for (const auto& endpoint : endpoints_) {
    if (endpoint->attached && !endpoint->shut && endpoint->rx->producer.knows_home.load() == 0) {
      endpoint->rx->consumer.wake_request.store(shm::kAsleep, std::memory_order_seq_cst);
    }
  }
  shm::full_fence();
  if (config_.membarrier) (void)shm::barrier_everywhere();
  attention_ |= kArmed | kWork | kScanAll;
  settle_blocked();
}

/// Something was refused while we are about to sleep. The consumer looks whether a producer is
/// blocked after it has made room; room that it made before it could see that ends the sleep here.
void ShmDevice::settle_blocked() {
  const auto blocked = [](const auto& endpoint) {
    return !endpoint->shut && endpoint->tx.blocked();
  };
  if (std::none_of(endpoints_.begin(), endpoints_.end(), blocked)) return;
  shm::full_fence();
  if (config_.membarrier) (void)shm::barrier_everywhere();
  for (const auto& endpoint : endpoints_) {
    if (!blocked(endpoint) || !endpoint->tx.unblocked()) continue;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(event_.get(), &one, sizeof one);
    return;
  }
}

void ShmDevice::disarm() {
  home_->sleep.word.store(shm::kAwake, std::memory_order_relaxed);
  for (const auto& endpoint : endpoints_) {
    if (endpoint->attached && !endpoint->shut)
      endpoint->rx->consumer.wake_request.store(shm::kAwake);
  }
  // Always: a waker may have written after an earlier disarm, and would keep the epoll readable.
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(event_.get(), &count, sizeof count);
  attention_ = (attention_ & ~kArmed) | kScanAll;
}

int ShmDevice::max_sleep_ms() const {
  if (!ready_.empty() || !helping_.empty() || (attention_ & (kPublish | kFair)) != 0) {
    return 0;
  }
  for (const std::uint32_t index : active_) {
    const Phase phase = jobs_[index]->phase;
    if (phase == Phase::queued || phase == Phase::copying || phase == Phase::sharing) return 0;
  }
  if (!hellos_due_.empty() || !arenas_due_.empty() || !gone_.empty()) return 1;
  return endpoints_.empty() ? -1 : static_cast<int>(config_.liveness_ms);
}

bool ShmDevice::flushed() const {
  return hellos_due_.empty() && outgoing_.empty() && replies_.empty() && helping_.empty() &&
         pending_puts_ == 0;
}

// --- registration ------------------------------------------------------------------------------

Expected<Region> ShmDevice::register_memory(void* address, std::size_t length, Access access) {
  std::uint32_t index = 0;
  if (!free_regions_.empty()) {
    index = free_regions_.back();
    free_regions_.pop_back();
  } else {
    index = static_cast<std::uint32_t>(regions_.size());
    regions_.emplace_back();
  }
  RegionSlot& slot = regions_[index];
  if (++slot.generation == 0) ++slot.generation;
  slot.access = access;
  slot.live = true;
  slot.address = reinterpret_cast<std::uint64_t>(address);
  slot.length = length;
  if (index < shm::kSharedRegions) {
    shm::RegionEntry& entry = home_->regions[index];
    entry.address.store(slot.address, std::memory_order_relaxed);
    entry.length.store(length, std::memory_order_relaxed);
    entry.stamp.store(std::uint64_t{slot.generation} << 8 | static_cast<std::uint8_t>(access),
                      std::memory_order_release);
  }
  const std::uint64_t key = std::uint64_t{slot.generation} << 32 | index;
  return Region{address, length, key, key, key};
}

void ShmDevice::deregister(const Region& region) {
  const auto index = static_cast<std::uint32_t>(region.handle);
  if (index >= regions_.size() || !regions_[index].live ||
      regions_[index].generation != region.handle >> 32) {
    return;
  }
  regions_[index].live = false;
  if (index < shm::kSharedRegions) {
    home_->regions[index].stamp.store(0, std::memory_order_release);
  }
  free_regions_.push_back(index);
}

// --- questions ---------------------------------------------------------------------------------

PeerName ShmDevice::peer(EndpointId endpoint) const {
  return endpoints_[endpoint]->peer;
}

std::string ShmDevice::explain(EndpointId endpoint) const {
  return endpoints_[endpoint]->words;
}

bool ShmDevice::copies_directly(EndpointId endpoint) const {
  return endpoints_[endpoint]->cma;
}

bool ShmDevice::connected(EndpointId endpoint) const {
  return endpoints_[endpoint]->attached;
}

}  // namespace remit
