// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The counters of notifications that a member of a window has: an agreement between processes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "onesided/memory/control.hpp"

namespace remit {

/// One member's counters, in memory that the members of its host share: a head of 8 bytes, then 8
/// bytes each. Zeros are a member without counters. Others only add to them; the member itself
/// reads and sets them. A view, which owns nothing; any process that has the memory.
class NotifyCounters {
 public:
  explicit NotifyCounters(std::byte* begin) : head_(reinterpret_cast<Head*>(begin)) {}

  /// Bytes of a member that has `count` counters: whole lines, so that members share none.
  [[nodiscard]] static constexpr std::size_t bytes(std::uint32_t count) {
    const std::size_t plain = sizeof(Head) + count * sizeof(Counter);
    return (plain + kControlLine - 1) / kControlLine * kControlLine;
  }

  /// The owner's, before others know of it.
  void set_count(std::uint32_t count) { head_->count = count; }
  [[nodiscard]] std::uint32_t count() const { return head_->count; }

  /// What was done before has happened for whoever has seen the new value.
  void add(std::uint32_t index) { counter(index).fetch_add(1, std::memory_order_seq_cst); }
  [[nodiscard]] std::uint64_t value(std::uint32_t index) const {
    return counter(index).load(std::memory_order_acquire);
  }
  void set(std::uint32_t index, std::uint64_t value) {
    counter(index).store(value, std::memory_order_seq_cst);
  }

  /// The member may sleep until a counter changes. It looks at them once more after it has said so,
  /// and whoever adds looks here afterwards: one of them sees the other.
  [[nodiscard]] std::atomic<std::uint32_t>& sleeps() { return head_->sleeps; }

 private:
  struct Head {
    std::atomic<std::uint32_t> sleeps;
    std::uint32_t count;
  };
  using Counter = std::atomic<std::uint64_t>;
  static_assert(sizeof(Head) == sizeof(Counter));

  [[nodiscard]] Counter& counter(std::uint32_t index) const {
    return reinterpret_cast<Counter*>(head_ + 1)[index];
  }

  Head* head_;
};

}  // namespace remit
