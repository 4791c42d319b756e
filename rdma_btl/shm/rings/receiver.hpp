// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The receiving end: messages out of the rings of peers, and what is lent of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "rdma_btl/device.hpp"
#include "rdma_btl/eager_path.hpp"
#include "rdma_btl/shm/agenda.hpp"
#include "rdma_btl/shm/peers/endpoint.hpp"
#include "rdma_btl/shm/rings/lending.hpp"
#include "rdma_btl/shm/rings/mail_parts.hpp"
#include "rdma_btl/shm/rings/ring_scans.hpp"
#include "runtime/claim_lines.hpp"
#include "runtime/copy.hpp"
#include "runtime/copy_small.hpp"

namespace remit::shm {

class Dispatcher;
class PeerHealth;
class Sender;

/// Reads the rings of peers in the order of each. Messages are lent to the caller where they lie;
/// their producer hears of what was consumed at the next poll, when nothing points there any more.
/// Cells that are no messages go to the dispatcher. What peers write is checked before it is used.
/// One thread.
class Receiver {
 public:
  Receiver(Sender& sender, PeerHealth& health, Dispatcher& dispatcher, std::size_t claim_lines_to)
      : claim_lines_to_(claim_lines_to),
        sender_(sender),
        health_(health),
        dispatcher_(dispatcher) {}

  /// From now on the peer's ring of so many cells is read.
  void open(Endpoint& endpoint, Cell* cells, std::uint32_t count);
  void close(const Endpoint& endpoint) { scans_.close(endpoint.scan); }
  /// Whether something of the peer has not been taken yet.
  [[nodiscard]] bool has_unread(const Endpoint& endpoint) const;
  [[nodiscard]] std::size_t open_rings() const { return scans_.in_use(); }

  /// EagerPath::receive().
  [[nodiscard, gnu::always_inline]] std::ptrdiff_t receive(Endpoint& endpoint, SendHead head,
                                                           SendHead mask, void* to,
                                                           std::size_t room, bool awaits,
                                                           SendHead& found);
  /// The rings that were active lately, and a part of the others. Fills `out` and returns how
  /// many events it holds.
  [[nodiscard, gnu::always_inline]] std::size_t visit_active(std::span<Completion> out);
  /// Every ring once, beginning behind the one where the last such round ended. Fills `out` from
  /// `n` on.
  [[nodiscard]] std::size_t visit_all(std::span<Completion> out, std::size_t n);

  /// The caller has read what was lent to it.
  void have_read() {
    if (!lending_.empty()) [[unlikely]]
      lending_.end();
  }
  /// Tells producers what was consumed. What was lent is not valid any more.
  void publish_consumed();
  /// As publish_consumed(), when nothing was lent to the caller: no need to wait for the next poll.
  /// Before a sleep nothing may stay unread or unpublished.
  [[nodiscard]] std::size_t publish_early(std::span<Completion> out);

  /// The bytes that a cell names, and takes note that they are consumed. Null: they are nowhere,
  /// and the endpoint has failed.
  [[nodiscard]] std::byte* area_bytes(Endpoint& endpoint, const AreaRef& ref);
  /// Copies out of a data area. Nobody reads the bytes there again.
  void copy_out(void* to, std::byte* from, std::size_t bytes) const;

  [[nodiscard]] Agenda& agenda() { return agenda_; }
  /// HostMemory::claim_lines_to().
  [[nodiscard]] std::size_t claim_lines_to() const { return claim_lines_to_; }
  void claim_lines_to(std::size_t bytes) { claim_lines_to_ = bytes; }

 private:
  /// A cell of the ring whose header has been read: its number never comes again, and 0 is none.
  void take_cell(Cell& cell) const {
    if (claim_lines_to_ != 0) cell.header.store(0, std::memory_order_relaxed);
  }
  /// The next message has been taken.
  void step_over(Scan& scan) {
    const std::uint64_t number = scan.expected++;
    scan.next = scan.cells + (number & scan.mask);
    if ((number & scan.publish_mask) == 0) [[unlikely]]
      note_consumed(scan);
  }
  [[nodiscard, gnu::always_inline]] std::size_t drain(Scan& scan, std::span<Completion> out,
                                                      std::size_t n);
  [[nodiscard]] std::size_t visit(std::uint32_t index, std::span<Completion> out, std::size_t n);
  [[nodiscard]] std::size_t visit_silent(std::span<Completion> out, std::size_t n);
  [[nodiscard]] bool take_mail(Scan& scan, std::uint64_t header, Completion& out);
  [[nodiscard]] bool handle(Scan& scan, const Cell& cell, std::uint64_t header, Completion& out);
  [[nodiscard]] std::span<const std::byte> area_message(Endpoint& endpoint,
                                                        std::span<const std::byte> cell);
  void note_consumed(const Scan& scan);

  // Hot members first.
  Agenda agenda_;
  RingScans scans_;
  std::size_t claim_lines_to_;
  Lending lending_;
  std::vector<std::uint32_t> publish_;  ///< scans whose producer should hear of what was consumed
  Sender& sender_;
  PeerHealth& health_;
  Dispatcher& dispatcher_;
};

/// Whether a message begins with `head`, but for bits that are not in `mask`.
inline bool begins_with(const std::byte* message, SendHead head, SendHead mask, SendHead& found) {
  std::memcpy(&found, message, sizeof found);
  return (((found.first ^ head.first) & mask.first) |
          ((found.second ^ head.second) & mask.second)) == 0;
}

inline std::ptrdiff_t Receiver::receive(Endpoint& endpoint, SendHead head, SendHead mask, void* to,
                                        std::size_t room, bool awaits, SendHead& found) {
  if (!agenda_.empty() || !endpoint.attached || endpoint.shut) [[unlikely]]
    return EagerPath::kSomethingElse;
  Scan& scan = scans_[endpoint.scan];
  const Cell* cell = scan.mailbox;
  std::uint64_t header = cell->header.load(std::memory_order_acquire);
  const bool mail = is_mail(header, scan.expected, scan.writer);
  if (!mail) {
    cell = scan.next;
    header = cell->header.load(std::memory_order_acquire);
    if (cell_number(header) != scan.expected) return EagerPath::kNothing;
  }
  std::size_t bytes = cell_length(header) - sizeof found;
  if (cell_kind(header) == CellKind::send_inline) [[likely]] {
    if (bytes > kInline - sizeof found || bytes > room ||
        !begins_with(cell->payload, head, mask, found)) [[unlikely]]
      return EagerPath::kSomethingElse;
    copy_small(static_cast<std::byte*>(to), cell->payload + sizeof found, bytes);
  } else {
    AreaRef ref;
    std::memcpy(&ref, cell->payload, sizeof ref);
    bytes = ref.length - sizeof found;
    if (cell_kind(header) != CellKind::send_area ||
        cell_length(header) != sizeof ref + sizeof found || ref.length < sizeof found ||
        bytes > room || !begins_with(cell->payload + sizeof ref, head, mask, found)) {
      return EagerPath::kSomethingElse;
    }
    std::byte* data = area_bytes(endpoint, ref);
    if (data == nullptr) return EagerPath::kSomethingElse;
    if ((ref.offset & kInMail) == 0) {
      copy_out(to, data + sizeof found, bytes);
    } else if ((ref.offset & kInParts) == 0) {
      copy_bytes(to, data + sizeof found, bytes);
    } else if (!awaits && !mail_is_whole(endpoint, scan)) {
      return EagerPath::kNothing;
    } else if (!copy_parts(endpoint, scan.expected, to, data + sizeof found, bytes)) {
      return EagerPath::kSomethingElse;
    }
  }
  if (mail) {
    endpoint.mail = true;
  } else {
    take_cell(*scan.next);
  }
  step_over(scan);
  if (!agenda_.empty()) [[unlikely]]
    publish_consumed();  // what poll() has lent is not valid any more
  return static_cast<std::ptrdiff_t>(bytes);
}

inline std::size_t Receiver::drain(Scan& scan, std::span<Completion> out, std::size_t n) {
  while (n < out.size()) {
    Cell& cell = *scan.next;
    const std::uint64_t header = cell.header.load(std::memory_order_acquire);
    const std::uint64_t number = scan.expected;
    if (cell_number(header) != number) {
      const std::uint64_t mail = scan.mailbox->header.load(std::memory_order_acquire);
      if (!is_mail(mail, number, scan.writer) || !mail_is_whole(*scan.peer, scan)) break;
      if (take_mail(scan, mail, out[n])) ++n;
      continue;
    }
    take_cell(cell);
    step_over(scan);
    const std::size_t length = cell_length(header);
    if (cell_kind(header) == CellKind::send_inline && length <= kInline) [[likely]] {
      Completion& completion = out[n++];
      completion.kind = CompletionKind::receive;
      completion.status = MPI_SUCCESS;
      completion.endpoint = scan.endpoint;
      completion.data = {cell.payload, length};
    } else if (handle(scan, cell, header, out[n])) {
      ++n;
    } else if (agenda_.has(Agenda::kPublish)) {
      break;  // let the producer of a long transfer go on first
    }
  }
  return n;
}

inline std::size_t Receiver::visit_active(std::span<Completion> out) {
  std::size_t n = 0;
  for (std::uint32_t i = 0; i != scans_.hot_count(); ++i) n = drain(scans_.hot(i), out, n);
  if (!scans_.all_hot()) [[unlikely]]
    n = visit_silent(out, n);
  return n;
}

}  // namespace remit::shm
