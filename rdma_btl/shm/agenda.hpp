// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a poll of the shared-memory device has to do beside reading the rings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "rdma_btl/device.hpp"

namespace remit::shm {

/// Empty most of the time: then poll() and receive() go their fast path. Whoever leaves work for
/// the next poll() puts it here. One thread.
class Agenda {
 public:
  enum Item : std::uint32_t {
    kWork = 1,     ///< Upkeep::work() has something to do
    kPublish = 2,  ///< a producer should hear of what was consumed
    kScanAll = 4,  ///< visit every ring
    kFair = 8,     ///< the last poll had no room: visit the rings in turn
    kArmed = 16,   ///< the caller is about to sleep
  };

  [[nodiscard]] bool empty() const { return items_ == 0; }
  [[nodiscard]] bool has(Item item) const { return (items_ & item) != 0; }
  void add(Item item) { items_ |= item; }
  void remove(Item item) { items_ &= ~std::uint32_t{item}; }
  void set(Item item, bool wanted) { wanted ? add(item) : remove(item); }

  /// An event made by software, for the next poll().
  void post(const Completion& event) {
    events_.push_back(event);
    add(kWork);
  }
  [[nodiscard]] bool has_events() const { return !events_.empty(); }
  /// Fills `out` from `n` on, the oldest first; returns how many it holds then.
  [[nodiscard]] std::size_t take_events(std::span<Completion> out, std::size_t n) {
    while (n != out.size() && !events_.empty()) {
      out[n++] = events_.front();
      events_.pop_front();
    }
    return n;
  }

 private:
  std::uint32_t items_ = 0;
  std::deque<Completion> events_;
};

}  // namespace remit::shm
