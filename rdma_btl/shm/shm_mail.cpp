// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared-memory device's messages that are too long for a cell: where their bytes are, in parts
// or as a whole, and for how long the caller may read them there.
#include <algorithm>
#include <cstring>

#include "rdma_btl/shm/endpoint.hpp"
#include "rdma_btl/shm/shm_device.hpp"
#include "runtime/copy.hpp"
#include "runtime/copy_small.hpp"
#include "runtime/prefetch.hpp"
#include "runtime/progress.hpp"
#include "runtime/take_lines.hpp"

namespace remit {

/// Where the bytes of the next message go: with the mailbox if it goes there, else in the data
/// area.
std::byte* ShmDevice::reserve(Endpoint& endpoint, std::size_t bytes, shm::AreaRef& ref) {
  if (!endpoint.mail || bytes > shm::kMailBytes) return endpoint.tx.reserve(bytes, ref);
  ref.end = endpoint.tx.area_end();
  ref.offset = shm::kInMail;
  return endpoint.mail_bytes;
}

/// A message of a dialogue, its head in the cell and the data in one piece: the receiver reads a
/// part while the next one is written. The cell says that the first one is there.
void ShmDevice::push_in_parts(Endpoint& endpoint, const Operation& operation, shm::AreaRef ref,
                              std::byte* to) {
  const Piece& head = operation.local[0];
  const Piece& data = operation.local[1];
  const auto* from = static_cast<const std::byte*>(data.address);
  const std::size_t part = shm::mail_part(data.length);
  const std::uint64_t mark = shm::filled_mark(endpoint.tx.published() + 1, endpoint.writer);
  prefetch_for_write(endpoint.mail_filled);
  ref.offset |= shm::kInParts;
  copy_bytes(to, from, part);
  publish_reference(endpoint, ref, head.address, head.length);
  for (std::size_t done = part; done < data.length;) {
    const std::size_t next = std::min(data.length - done, part);
    copy_bytes(to + done, from + done, next);
    done += next;
    endpoint.mail_filled->store(mark | done, std::memory_order_release);
  }
}

/// The cell of a message whose bytes are elsewhere: where, and the message's head.
void ShmDevice::publish_reference(Endpoint& endpoint, const shm::AreaRef& ref, const void* head,
                                  std::size_t bytes) {
  shm::Cell& cell = endpoint.mail ? *endpoint.mailbox : endpoint.tx.next();
  std::memcpy(cell.payload, &ref, sizeof ref);
  copy_small(cell.payload + sizeof ref, head, bytes);
  endpoint.tx.publish_in(cell, shm::CellKind::send_area, sizeof ref + bytes, endpoint.writer);
  endpoint.mail = false;
}

/// Bytes of data of the peer's message `number`, in parts, that are there behind the first one; 0:
/// none.
std::size_t ShmDevice::filled(const Endpoint& endpoint, std::uint64_t number) {
  constexpr std::uint64_t kBytes = (std::uint64_t{1} << shm::kFilledShift) - 1;
  const std::uint64_t value = endpoint.mail_filled->load(std::memory_order_acquire);
  const std::uint64_t mark = shm::filled_mark(number, endpoint.writer ^ shm::kLowerWrote);
  return (value & ~kBytes) == mark ? static_cast<std::size_t>(value & kBytes) : 0;
}

/// The message in the mailbox, or all of it but what its sender has not written yet. A sender that
/// is interrupted there, or dies, is not waited for.
bool ShmDevice::mail_is_whole(const Endpoint& endpoint, const Scan& scan) {
  const std::uint64_t header = scan.mailbox->header.load(std::memory_order_acquire);
  shm::AreaRef ref;
  if (shm::cell_kind(header) != shm::CellKind::send_area || shm::cell_length(header) < sizeof ref) {
    return true;
  }
  std::memcpy(&ref, scan.mailbox->payload, sizeof ref);
  const std::size_t head = shm::cell_length(header) - sizeof ref;
  return (ref.offset & shm::kInParts) == 0 || filled(endpoint, scan.expected) + head >= ref.length;
}

/// The data of a message in parts, as they come. False: they have not come for long; what was
/// copied will be again.
bool ShmDevice::copy_parts(const Endpoint& endpoint, std::uint64_t number, void* to,
                           const std::byte* data, std::size_t bytes) {
  constexpr int kLooks = 10000;
  __builtin_prefetch(endpoint.mail_filled);
  std::size_t done = std::min(shm::mail_part(bytes), bytes);
  copy_bytes(to, data, done);
  for (int looks = 0; done < bytes; ++looks) {
    const std::size_t there = std::min(filled(endpoint, number), bytes);
    if (there > done) {
      copy_bytes(static_cast<std::byte*>(to) + done, data + done, there - done);
      done = there;
      looks = 0;
    } else if (looks == kLooks) {
      return false;
    } else {
      cpu_relax();
    }
  }
  return true;
}

void ShmDevice::lend(Endpoint& endpoint, std::span<std::byte> bytes, bool mail) {
  if (mail) endpoint.mail = false;  // nor is the mailbox: the peer's answer may come there
  lent_.push_back({bytes, mail ? &endpoint : nullptr});
}

/// Before the producer hears that it may write there.
void ShmDevice::end_lending() {
  for (const Lent& lent : lent_) {
    if (lent.mail != nullptr) {
      lent.mail->mail = true;
    } else {
      take_lines(lent.bytes.data(), lent.bytes.size());
    }
  }
  lent_.clear();
}

void ShmDevice::have_read() {
  if (!lent_.empty()) end_lending();
}

}  // namespace remit
