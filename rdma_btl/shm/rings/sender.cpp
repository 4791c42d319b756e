// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/rings/sender.hpp"

#include <unistd.h>

#include <algorithm>

#include "rdma_btl/shm/peers/contact_socket.hpp"
#include "rdma_btl/shm/peers/peer_health.hpp"
#include "runtime/copy.hpp"
#include "runtime/prefetch.hpp"

namespace remit::shm {

namespace {

/// Bytes of a message that travel in its cell: its first piece, the header, so that what follows
/// begins with a line of the data area, as the user's buffers most often do. With the gap that it
/// leaves the message must not be longer than `most`.
std::size_t head_in_cell(const Operation& message, std::size_t total, std::size_t most) {
  const std::size_t head = message.local[0].length;
  const bool fits = head != 0 && head <= kInline - sizeof(AreaRef) && head % kAlignment == 0 &&
                    total + kLine - head <= most;
  return fits ? head : 0;
}

/// Where the bytes of the next message go: with the mailbox if it goes there, else in the data
/// area.
std::byte* reserve(Endpoint& endpoint, std::size_t bytes, AreaRef& ref) {
  if (!endpoint.mail || bytes > kMailBytes) return endpoint.tx.reserve(bytes, ref);
  ref.end = endpoint.tx.area_end();
  ref.offset = kInMail;
  return endpoint.mail_bytes;
}

/// The cell of a message whose bytes are elsewhere: where, and the message's head.
void publish_reference(Endpoint& endpoint, const AreaRef& ref, const void* head,
                       std::size_t bytes) {
  Cell& cell = endpoint.mail ? *endpoint.mailbox : endpoint.tx.next();
  std::memcpy(cell.payload, &ref, sizeof ref);
  copy_small(cell.payload + sizeof ref, head, bytes);
  endpoint.tx.publish_in(cell, CellKind::send_area, sizeof ref + bytes, endpoint.writer);
  endpoint.mail = false;
}

/// A message of a dialogue, its head in the cell and the data in one piece: the receiver reads a
/// part while the next one is written. The cell says that the first one is there.
void push_in_parts(Endpoint& endpoint, const Operation& operation, AreaRef ref, std::byte* to) {
  const Piece& head = operation.local[0];
  const Piece& data = operation.local[1];
  const auto* from = static_cast<const std::byte*>(data.address);
  const std::size_t part = mail_part(data.length);
  const std::uint64_t mark = filled_mark(endpoint.tx.published() + 1, endpoint.writer);
  prefetch_for_write(endpoint.mail_filled);
  ref.offset |= kInParts;
  copy_bytes(to, from, part);
  publish_reference(endpoint, ref, head.address, head.length);
  for (std::size_t done = part; done < data.length;) {
    const std::size_t next = std::min(data.length - done, part);
    copy_bytes(to + done, from + done, next);
    done += next;
    endpoint.mail_filled->store(mark | done, std::memory_order_release);
  }
}

}  // namespace

bool Sender::push_large(Endpoint& endpoint, const Operation& operation, std::size_t total) {
  if (total > max_send_) [[unlikely]] {
    health_.fail(endpoint, MPI_ERR_INTERN,
                 fmt::format("a send of {} bytes is longer than {}", total, max_send_));
    return true;
  }
  if (!endpoint.tx.has_room()) return false;
  AreaRef ref;
  const std::size_t head = head_in_cell(operation, total, max_send_);
  const std::size_t gap = head != 0 ? kLine - head : 0;
  std::byte* to = reserve(endpoint, gap + total, ref);
  if (to == nullptr) return false;
  ref.offset += static_cast<std::uint32_t>(gap);
  ref.length = static_cast<std::uint32_t>(total);
  to += gap + head;
  if ((ref.offset & kInMail) != 0 && head != 0 && operation.local.size() == 2 &&
      operation.local[1].length > kMailWhole) {
    push_in_parts(endpoint, operation, ref, to);
    return true;
  }
  for (const Piece& piece : operation.local.subspan(head != 0 ? 1 : 0)) {
    if (piece.length != 0) copy_bytes(to, piece.address, piece.length);
    to += piece.length;
  }
  publish_reference(endpoint, ref, operation.local[0].address, head);
  constexpr std::size_t kAhead = 8192;  // of the next message, which is likely to be as long
  if ((ref.offset & kInMail) == 0) endpoint.tx.prepare(gap + head, std::min(total, kAhead));
  return true;
}

bool Sender::takes_now(Endpoint& endpoint, std::size_t bytes) {
  const std::size_t most = bytes + kLine;
  if (endpoint.shut) return true;
  const bool by_mail = endpoint.mail && most <= kMailBytes;
  return by_mail ? endpoint.tx.has_room() : endpoint.tx.has_room(most);
}

void Sender::end_sleep(Endpoint& endpoint) {
  std::uint32_t asleep = kAsleep;
  if (!endpoint.sleep_word->compare_exchange_strong(asleep, kWoken)) return;
  ++counters_.wakes;
  if (endpoint.event) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(endpoint.event.get(), &one, sizeof one);
    return;
  }
  // No room there means that the peer has datagrams to read, which wake it as well.
  const std::uint64_t wake = kWakeMagic;
  socket_.send(endpoint.socket, std::as_bytes(std::span(&wake, 1)));
}

/// A control cell to a peer, now or when its ring has room.
void Sender::send_cell(Endpoint& endpoint, CellKind kind, const void* payload, std::size_t length) {
  if (endpoint.shut) return;
  if (endpoint.tx.has_room()) {
    if (length != 0) std::memcpy(endpoint.tx.next().payload, payload, length);
    endpoint.tx.publish(kind, length);
    wake(endpoint);
    return;
  }
  Waiting cell{endpoint.id, kind, static_cast<std::uint8_t>(length), {}};
  if (length != 0) std::memcpy(cell.payload.data(), payload, length);
  waiting_.push_back(cell);
  agenda_.add(Agenda::kWork);
}

void Sender::retry_cells() {
  for (std::size_t left = waiting_.size(); left != 0; --left) {
    const Waiting cell = waiting_.front();
    waiting_.pop_front();
    send_cell(peers_[cell.endpoint], cell.kind, cell.payload.data(), cell.length);
  }
}

void Sender::forget(const Endpoint& endpoint) {
  std::erase_if(waiting_, [&](const Waiting& cell) { return cell.endpoint == endpoint.id; });
}

}  // namespace remit::shm
