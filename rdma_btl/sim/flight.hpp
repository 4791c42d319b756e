// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the simulated network keeps of an operation or a completion under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "rdma_btl/common/confirm_queue.hpp"
#include "rdma_btl/device.hpp"

namespace remit::sim {

/// First an operation under way, then (the same record, or one made for it) a completion that
/// waits in a device's list for poll().
struct Flight {
  OpKind kind = OpKind::send;
  AtomicKind atomic = AtomicKind::fetch_add;
  CompletionKind completion = CompletionKind::local;
  bool notify = false;
  bool admitted = false;  ///< has paid for its time at the receiving adapter
  bool doomed = false;    ///< will fail when its last part arrives
  bool breaks = false;    ///< the error fails the endpoint too
  bool counted = false;   ///< a put or atomic that confirms behind it wait for
  bool arrived = false;   ///< a confirm that is at its target
  bool due = false;       ///< a confirm before which nothing is under way any more
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  EndpointId endpoint = 0;  ///< of the process which posted, or (completion) which polls
  std::uint32_t notification = 0;
  std::uint32_t next = 0;  ///< in the list of completions
  std::uint32_t chunks = 1;
  ConfirmQueue::Group group = 0;  ///< of its endpoint's
  std::uint32_t chunks_left = 1;
  int status = 0;
  const char* error = nullptr;  ///< why it fails, once it does
  std::size_t bytes = 0;
  RemoteAddress remote;
  std::uint64_t operand = 0;  ///< of an atomic: after its arrival the old value
  std::uint64_t compare = 0;
  std::uint64_t cookie = kNoCompletion;
  std::vector<Piece> pieces;             ///< put, get, atomic: used in place, at delivery
  std::unique_ptr<std::byte[]> payload;  ///< send: copied by post()
};

/// The number of a flight; kNoFlight: none.
using FlightId = std::uint32_t;
inline constexpr FlightId kNoFlight = ~FlightId{0};

/// All flights of a network. References stay valid until the flight is freed.
class FlightPool {
 public:
  [[nodiscard]] FlightId make() {
    if (free_.empty()) {
      const std::size_t most = flights_.size() + 1;
      if (free_.capacity() < most) free_.reserve(2 * most);  // free() takes no memory
      flights_.emplace_back();
      return static_cast<FlightId>(flights_.size() - 1);
    }
    const FlightId id = free_.back();
    free_.pop_back();
    return id;
  }
  void free(FlightId id) {
    flights_[id] = Flight{};
    free_.push_back(id);
  }
  [[nodiscard]] Flight& operator[](FlightId id) { return flights_[id]; }
  [[nodiscard]] std::size_t memory_in_use() const {
    return flights_.size() * sizeof(Flight) + free_.capacity() * sizeof(FlightId);
  }

 private:
  std::deque<Flight> flights_;  ///< stays put when it grows
  std::vector<FlightId> free_;
};

/// The completions of a process that wait for poll(): a list through their flights.
class Inbox {
 public:
  explicit Inbox(FlightPool& flights) : flights_(flights) {}
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::uint32_t size() const { return count_; }
  void push(FlightId id) {
    flights_[id].next = kNoFlight;
    (count_ == 0 ? head_ : flights_[tail_].next) = id;
    tail_ = id;
    ++count_;
  }
  /// The oldest; there is one.
  [[nodiscard]] FlightId pop() {
    const FlightId id = head_;
    head_ = flights_[id].next;
    --count_;
    return id;
  }

 private:
  FlightPool& flights_;
  FlightId head_ = kNoFlight;
  FlightId tail_ = kNoFlight;
  std::uint32_t count_ = 0;
};

}  // namespace remit::sim
