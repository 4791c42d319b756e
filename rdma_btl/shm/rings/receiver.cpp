// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/rings/receiver.hpp"

#include "rdma_btl/shm/dispatcher.hpp"
#include "rdma_btl/shm/peers/peer_health.hpp"
#include "rdma_btl/shm/rings/sender.hpp"

namespace remit::shm {

void Receiver::open(Endpoint& endpoint, Cell* cells, std::uint32_t count) {
  Scan scan = {};
  scan.next = scan.cells = cells;
  scan.mailbox = endpoint.mailbox;
  scan.writer = endpoint.writer ^ kLowerWrote;
  scan.expected = 1;
  scan.mask = count - 1;
  scan.publish_mask = count / 8 - 1;
  scan.peer = &endpoint;
  scan.endpoint = endpoint.id;
  endpoint.scan = scans_.open(scan);
  agenda_.add(Agenda::kScanAll);
}

bool Receiver::has_unread(const Endpoint& endpoint) const {
  const Scan& scan = scans_[endpoint.scan];
  const std::uint64_t cell = scan.next->header.load(std::memory_order_acquire);
  const std::uint64_t mail = scan.mailbox->header.load(std::memory_order_acquire);
  return cell_number(cell) == scan.expected ||
         (is_mail(mail, scan.expected, scan.writer) && mail_is_whole(endpoint, scan));
}

std::size_t Receiver::visit(std::uint32_t index, std::span<Completion> out, std::size_t n) {
  const std::size_t before = n;
  n = drain(scans_[index], out, n);
  if (n != before) scans_.make_hot(index);
  return n;
}

/// A part of the rings that have been silent.
std::size_t Receiver::visit_silent(std::span<Completion> out, std::size_t n) {
  for (std::uint32_t i = 0; i != RingScans::kColdPerPoll; ++i) {
    n = visit(scans_.next_in_turn(), out, n);
  }
  return n;
}

std::size_t Receiver::visit_all(std::span<Completion> out, std::size_t n) {
  const std::size_t count = scans_.size();
  for (std::size_t i = 0; i != count && n < out.size(); ++i) {
    n = visit(scans_.next_in_turn(), out, n);
  }
  if (!agenda_.has(Agenda::kArmed)) agenda_.remove(Agenda::kScanAll);
  return n;
}

/// Takes the next message out of the mailbox. Its bytes are copied: the mailbox is ours from now
/// on, and an answer may be written there before the next poll. False: it made no sense.
bool Receiver::take_mail(Scan& scan, std::uint64_t header, Completion& out) {
  const std::size_t length = std::min(cell_length(header), kInline);
  Endpoint& endpoint = *scan.peer;
  copy_small(endpoint.letter.data(), scan.mailbox->payload, length);
  endpoint.mail = true;
  step_over(scan);
  out.kind = CompletionKind::receive;
  out.status = MPI_SUCCESS;
  out.endpoint = scan.endpoint;
  out.data = {endpoint.letter.data(), length};
  if (cell_kind(header) == CellKind::send_inline) return true;
  out.data = area_message(endpoint, out.data);
  return out.data.data() != nullptr;
}

/// Every kind of cell but the short send. True if `out` was filled.
bool Receiver::handle(Scan& scan, const Cell& cell, std::uint64_t header, Completion& out) {
  Endpoint& endpoint = *scan.peer;
  if (cell_kind(header) != CellKind::send_area) {
    return dispatcher_.handle(endpoint, cell, cell_kind(header), out);
  }
  const std::span payload(cell.payload, std::min(cell_length(header), kInline));
  const std::span<const std::byte> data = area_message(endpoint, payload);
  if (data.data() == nullptr) return false;
  out = event_of(CompletionKind::receive, endpoint.id, MPI_SUCCESS);
  out.data = data;
  return true;
}

std::byte* Receiver::area_bytes(Endpoint& endpoint, const AreaRef& ref) {
  const bool mail = (ref.offset & kInMail) != 0;
  const std::uint32_t offset = ref.offset & ~(kInMail | kInParts);
  const std::size_t size = mail ? kMailBytes : endpoint.rx.area_size;
  if (offset > size || ref.length > size - offset || offset % kAlignment != 0) {
    health_.violated(endpoint, "bytes outside its data area");
    return nullptr;
  }
  endpoint.rx.area_end = ref.end;
  if (ref.end - endpoint.rx.published >= endpoint.rx.area_size / 8) {
    note_consumed(scans_[endpoint.scan]);
  }
  return (mail ? endpoint.mail_bytes : endpoint.rx.area) + offset;
}

/// The message of a cell with these contents. Its header comes in the cell and is put in front of
/// the rest, into a line of the area that the producer leaves to us: so it needs not be fetched.
std::span<const std::byte> Receiver::area_message(Endpoint& endpoint,
                                                  std::span<const std::byte> cell) {
  AreaRef ref;
  if (cell.size() < sizeof ref) {
    health_.violated(endpoint, "half a reference");
    return {};
  }
  std::memcpy(&ref, cell.data(), sizeof ref);
  const std::span<const std::byte> head = cell.subspan(sizeof ref);
  std::byte* const data = area_bytes(endpoint, ref);
  if (data == nullptr) return {};
  constexpr std::size_t kAhead = 576;  // what the copy would wait for first; the rest it fetches
  const std::size_t ahead = std::min<std::size_t>(ref.length, kAhead);
  for (std::size_t i = head.size(); i < ahead; i += kLine) __builtin_prefetch(data + i);
  copy_small(data, head.data(), std::min<std::size_t>(head.size(), ref.length));
  const bool mail = (ref.offset & kInMail) != 0;
  if (mail) {
    lending_.lend({data, ref.length}, endpoint);
  } else if (ref.length <= claim_lines_to_) {
    lending_.lend({data, ref.length});
  }
  return {data, ref.length};
}

/// Out of a data area. Nobody reads the bytes there again.
void Receiver::copy_out(void* to, std::byte* from, std::size_t bytes) const {
  remit::copy_out(to, from, bytes, claim_lines_to_);
}

/// The producer will hear at the next poll, when nothing points into the ring any more.
void Receiver::note_consumed(const Scan& scan) {
  const std::uint32_t index = scans_.index_of(scan);
  agenda_.add(Agenda::kPublish);
  if (std::find(publish_.begin(), publish_.end(), index) == publish_.end()) {
    publish_.push_back(index);
  }
}

void Receiver::publish_consumed() {
  lending_.end();
  for (const std::uint32_t index : publish_) {
    Scan& scan = scans_[index];
    Endpoint& endpoint = *scan.peer;
    if (endpoint.shut) continue;
    endpoint.rx.published = endpoint.rx.area_end;
    RingControl& control = *endpoint.rx.control;
    control.consumer.area.store(endpoint.rx.published, std::memory_order_release);
    control.consumer.cells.store(scan.expected - 1, std::memory_order_release);
    if (endpoint.fence) full_fence();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (control.producer.blocked.load(std::memory_order_relaxed) != 0) sender_.wake(endpoint);
  }
  publish_.clear();
  agenda_.remove(Agenda::kPublish);
}

/// Nothing was lent to the caller: no need to wait for the next poll. Before a sleep nothing may
/// stay unread or unpublished.
std::size_t Receiver::publish_early(std::span<Completion> out) {
  std::size_t n = 0;
  do {
    publish_consumed();
    if (agenda_.has(Agenda::kArmed)) n = visit_all(out, n);
  } while (agenda_.has(Agenda::kArmed) && n == 0 && agenda_.has(Agenda::kPublish));
  return n;
}

}  // namespace remit::shm
