// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Virtual time: what happens next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/clock.hpp"

namespace remit::sim {

enum class What : std::uint8_t {
  arrive,        ///< subject: flight, detail: chunk
  notify,        ///< subject: flight
  finish,        ///< subject: flight; its acknowledgement arrives
  wake,          ///< subject: process
  fail,          ///< subject: process, detail: endpoint
  link_timeout,  ///< subject, detail: the processes
};

struct Event {
  std::uint64_t time_ns = 0;
  std::uint64_t sequence = 0;
  std::uint32_t subject = 0;
  std::uint32_t detail = 0;
  What what = What::arrive;

  /// Whether the subject is a flight.
  [[nodiscard]] bool is_about_flight() const {
    return what == What::arrive || what == What::notify || what == What::finish;
  }
  /// Later events sink in the heap; equal times keep the order of scheduling.
  friend bool operator<(const Event& a, const Event& b) {
    return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.sequence > b.sequence;
  }
};

/// The clock of a network and the events to come. Time moves from one to the next, and stands
/// still in between.
class EventQueue {
 public:
  [[nodiscard]] const VirtualClock& clock() const { return clock_; }
  [[nodiscard]] std::uint64_t now_ns() const { return clock_.now_ns(); }
  /// So many are scheduled without taking memory. Throws std::bad_alloc.
  void make_room(std::size_t events) {
    const std::size_t wanted = heap_.size() + events;
    if (wanted > heap_.capacity()) heap_.reserve(std::max(wanted, 2 * heap_.capacity()));
  }
  void schedule(std::uint64_t time_ns, What what, std::uint32_t subject, std::uint32_t detail = 0) {
    heap_.push_back({time_ns, sequence_++, subject, detail, what});
    std::push_heap(heap_.begin(), heap_.end());
  }
  /// Moves the clock to the next event; none: nothing is under way.
  [[nodiscard]] std::optional<Event> next() {
    if (heap_.empty()) return std::nullopt;
    std::pop_heap(heap_.begin(), heap_.end());
    const Event event = heap_.back();
    heap_.pop_back();
    clock_.advance_to(event.time_ns);
    ++happened_;
    return event;
  }
  /// Events so far.
  [[nodiscard]] std::uint64_t happened() const { return happened_; }
  [[nodiscard]] std::size_t memory_in_use() const { return heap_.capacity() * sizeof(Event); }

 private:
  VirtualClock clock_;
  std::vector<Event> heap_;
  std::uint64_t sequence_ = 0;
  std::uint64_t happened_ = 0;
};

}  // namespace remit::sim
