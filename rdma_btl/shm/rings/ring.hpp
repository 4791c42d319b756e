// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The sending end of a ring: one producer, one consumer, no lock, no allocation.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "rdma_btl/shm/rings/layout.hpp"
#include "runtime/copy_small.hpp"
#include "runtime/prefetch.hpp"

namespace remit::shm {

/// Bytes of a ring's shared memory.
constexpr std::size_t ring_bytes(std::size_t cells, std::size_t area_bytes) {
  return area_at(cells) + area_bytes;
}

/// Orders our stores before our loads. The thread sanitizer does not model fences, and GCC says so.
inline void full_fence() {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
#endif
  std::atomic_thread_fence(std::memory_order_seq_cst);
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
}

/// The producer's view of its ring. Reads the consumer's line only when it seems to be full.
class TxRing {
 public:
  TxRing() = default;
  /// `memory`: ring_bytes(cells, area_bytes) zeros.
  TxRing(std::byte* memory, std::size_t cells, std::size_t area_bytes)
      : cells_(reinterpret_cast<Cell*>(memory + kControlBytes)),
        mask_(cells - 1),
        limit_(cells),
        control_(reinterpret_cast<RingControl*>(memory)),
        area_(memory + area_at(cells)),
        area_size_(area_bytes),
        area_limit_(area_bytes) {
    control_->cells = static_cast<std::uint32_t>(cells);
    control_->area_bytes = static_cast<std::uint32_t>(area_bytes);
    control_->magic = kRingMagic;
  }

  /// True if the next cell may be written.
  [[nodiscard]] bool has_room() {
    if (tail_ != limit_) [[likely]]
      return true;
    refresh();
    if (tail_ == limit_) return block();
    unblock();
    return true;
  }

  /// Cells given to the consumer so far.
  [[nodiscard]] std::uint64_t published() const { return tail_; }

  /// The next cell; has_room() was true.
  [[nodiscard]] Cell& next() { return cells_[tail_ & mask_]; }

  /// Gives the next cell, whose payload has been written, to the consumer.
  void publish(CellKind kind, std::size_t length) { publish_in(next(), kind, length, 0); }

  /// As publish, in the mailbox; `writer` is kLowerWrote or 0.
  void publish_in(Cell& cell, CellKind kind, std::size_t length, std::uint64_t writer) {
    ++tail_;
    cell.header.store(cell_header(tail_, kind, length) | writer, std::memory_order_release);
  }

  /// A whole cell from a trivially copyable payload; false: no room.
  template <class Payload>
  [[nodiscard]] bool push(CellKind kind, const Payload& payload) {
    static_assert(sizeof(Payload) <= kInline);
    if (!has_room()) return false;
    std::memcpy(next().payload, &payload, sizeof payload);
    publish(kind, sizeof payload);
    return true;
  }

  /// Contiguous room for `length` <= area / 4 bytes, or null. Taken back by nothing: fill it and
  /// publish a cell with `ref`. Call after has_room().
  [[nodiscard]] std::byte* reserve(std::size_t length, AreaRef& ref) {
    const std::size_t need = (length + kLine - 1) & ~(kLine - 1);
    std::uint64_t start = area_tail_;
    const std::size_t at = start & (area_size_ - 1);
    if (at + need > area_size_) start += area_size_ - at;
    if (start + need > area_limit_) [[unlikely]] {
      refresh();
      if (start + need > area_limit_) return block(), nullptr;
      unblock();
    }
    if (blocked_) [[unlikely]]
      unblock();
    area_tail_ = start + need;
    ref.end = area_tail_;
    ref.offset = static_cast<std::uint32_t>(start & (area_size_ - 1));
    ref.length = static_cast<std::uint32_t>(length);
    return area_ + ref.offset;
  }

  /// Stream position behind what has been reserved.
  [[nodiscard]] std::uint64_t area_end() const { return area_tail_; }

  /// Whether a cell and this much contiguous room are free.
  [[nodiscard]] bool has_room(std::size_t length) {
    const std::size_t need = (length + kLine - 1) & ~(kLine - 1);
    const std::size_t at = area_tail_ & (area_size_ - 1);
    const std::uint64_t end = area_tail_ + need + (at + need > area_size_ ? area_size_ - at : 0);
    if (tail_ == limit_ || end > area_limit_) refresh();
    return tail_ != limit_ && end <= area_limit_;
  }

  /// Fetches the memory of the next `length` bytes behind a gap for writing, while the consumer
  /// reads others; not what it may not have read yet.
  void prepare(std::size_t gap, std::size_t length) const {
    if (area_tail_ + gap + length > area_limit_) return;
    const std::size_t at = std::min((area_tail_ & (area_size_ - 1)) + gap, area_size_);
    const std::size_t bytes = std::min(length, area_size_ - at);
    for (std::size_t i = 0; i < bytes; i += kLine) prefetch_for_write(area_ + at + i);
  }

  /// True after a refusal until there was room again.
  [[nodiscard]] bool blocked() const { return blocked_; }

  /// Whether what was refused would surely be accepted now.
  [[nodiscard]] bool unblocked() {
    refresh();
    if (tail_ == limit_ || area_tail_ + area_size_ / 2 > area_limit_) return false;
    unblock();
    return true;
  }

  [[nodiscard]] RingControl& control() const { return *control_; }

 private:
  void refresh() {
    limit_ = control_->consumer.cells.load(std::memory_order_acquire) + mask_ + 1;
    area_limit_ = control_->consumer.area.load(std::memory_order_acquire) + area_size_;
  }
  void unblock() {
    if (!blocked_) return;
    blocked_ = false;
    control_->producer.blocked.store(0, std::memory_order_relaxed);
  }
  bool block() {
    blocked_ = true;
    control_->producer.blocked.store(1, std::memory_order_relaxed);
    return false;
  }

  Cell* cells_ = nullptr;
  std::uint64_t mask_ = 0;
  std::uint64_t tail_ = 0;   ///< cells published
  std::uint64_t limit_ = 0;  ///< tail_ must stay below; the consumer only moves it up
  RingControl* control_ = nullptr;
  std::byte* area_ = nullptr;
  std::size_t area_size_ = 0;
  std::uint64_t area_tail_ = 0;
  std::uint64_t area_limit_ = 0;
  bool blocked_ = false;
};

}  // namespace remit::shm
