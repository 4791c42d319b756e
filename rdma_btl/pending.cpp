// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The slow path of sending: operations that wait for their device.
#include "rdma_btl/pending.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/copy.hpp"

namespace remit {

void PendingQueue::post(Device& device, EndpointId endpoint,
                        std::span<const Operation> operations) {
  std::size_t accepted = 0;
  if (empty(endpoint)) accepted = device.post(endpoint, operations);
  for (const Operation& operation : operations.subspan(accepted)) push(endpoint, operation);
}

PendingQueue::Entry PendingQueue::copy(const Operation& operation) {
  Entry entry;
  entry.operation = operation;
  std::size_t count = operation.local.size();
  if (operation.kind == OpKind::send) {
    for (const Piece& piece : operation.local) entry.payload_bytes += piece.length;
    count = entry.payload_bytes == 0 ? 0 : 1;
  }
  if (count != 0) entry.pieces = std::make_unique<Piece[]>(count);
  entry.operation.local = {entry.pieces.get(), count};
  if (operation.kind != OpKind::send) {
    std::copy(operation.local.begin(), operation.local.end(), entry.pieces.get());
    return entry;
  }
  if (count == 0) return entry;
  entry.payload = std::make_unique_for_overwrite<std::byte[]>(entry.payload_bytes);
  entry.pieces[0] = Piece{entry.payload.get(), entry.payload_bytes, 0};
  std::byte* out = entry.payload.get();
  for (const Piece& piece : operation.local) {
    if (piece.length == 0) continue;
    copy_bytes(out, piece.address, piece.length);
    out += piece.length;
  }
  return entry;
}

std::list<PendingQueue::Entry>& PendingQueue::entries_of(EndpointId endpoint) {
  if (endpoint >= slot_.size()) slot_.resize(endpoint + 1, kNoSlot);
  if (slot_[endpoint] == kNoSlot) {
    waiting_.push_back(Waiting{endpoint, {}});
    slot_[endpoint] = static_cast<std::uint32_t>(waiting_.size() - 1);
  }
  return waiting_[slot_[endpoint]].entries;
}

void PendingQueue::move_all(PendingQueue& to, EndpointId endpoint) {
  if (size_ == 0) return;
  std::list<Entry>& entries = to.entries_of(endpoint);
  for (Waiting& waiting : waiting_) entries.splice(entries.end(), waiting.entries);
  to.size_ += size_;
  to.bytes_ += bytes_;
  *this = PendingQueue();
}

void PendingQueue::push(EndpointId endpoint, const Operation& operation) {
  std::list<Entry> kept;
  kept.push_back(copy(operation));
  std::list<Entry>& entries = entries_of(endpoint);
  bytes_ += kept.back().payload_bytes;
  ++size_;
  entries.splice(entries.end(), kept);
}

std::size_t PendingQueue::flush_one(Device& device, Waiting& waiting) {
  std::size_t total = 0;
  while (!waiting.entries.empty()) {
    std::array<Operation, kBatch> batch;
    std::size_t offered = 0;
    for (const Entry& entry : waiting.entries) {
      batch[offered++] = entry.operation;
      if (offered == kBatch) break;
    }
    const std::size_t accepted = device.post(waiting.endpoint, std::span(batch).first(offered));
    for (std::size_t i = 0; i < accepted; ++i) {
      bytes_ -= waiting.entries.front().payload_bytes;
      waiting.entries.pop_front();
      --size_;  // at once: the next post() may throw
    }
    total += accepted;
    if (accepted < offered) break;
  }
  return total;
}

std::size_t PendingQueue::flush(Device& device) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < waiting_.size();) {
    total += flush_one(device, waiting_[i]);
    if (!waiting_[i].entries.empty()) {
      ++i;
      continue;
    }
    slot_[waiting_[i].endpoint] = kNoSlot;
    if (i + 1 != waiting_.size()) {
      waiting_[i] = std::move(waiting_.back());
      slot_[waiting_[i].endpoint] = static_cast<std::uint32_t>(i);
    }
    waiting_.pop_back();
  }
  return total;
}

}  // namespace remit
