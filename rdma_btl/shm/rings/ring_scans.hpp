// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The receiving ends of rings, and which of them are read often.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rdma_btl/shm/peers/endpoint.hpp"

namespace remit::shm {

/// The receiving end of one ring: what poll() reads. As long as a cache line.
struct Scan {
  Cell* next;  ///< the cell that is filled next
  Cell* cells;
  const Cell* mailbox;
  std::uint64_t writer;    ///< what marks the peer's messages there
  std::uint64_t expected;  ///< number of the next message
  std::uint32_t mask;
  std::uint32_t publish_mask;  ///< the producer hears of every so many cells
  Endpoint* peer;
  EndpointId endpoint;  ///< of the peer
};

/// Scans have numbers, which are used again. Those that were not silent lately, the hot ones, are
/// read by every poll, a part of the others by each in turn: so a poll costs the same with a
/// thousand peers. One thread.
class RingScans {
 public:
  static constexpr std::uint32_t kHot = 8;
  static constexpr std::uint32_t kColdPerPoll = 16;

  [[nodiscard]] Scan& operator[](std::uint32_t index) { return scans_[index]; }
  [[nodiscard]] const Scan& operator[](std::uint32_t index) const { return scans_[index]; }
  [[nodiscard]] std::size_t size() const { return scans_.size(); }
  [[nodiscard]] std::uint32_t index_of(const Scan& scan) const {
    return static_cast<std::uint32_t>(&scan - scans_.data());
  }
  /// Those that have a peer.
  [[nodiscard]] std::size_t in_use() const { return scans_.size() - free_.size(); }

  /// The place of a peer that has left, or a new one, which is hot while few are.
  std::uint32_t open(const Scan& scan);
  /// No cell of the ring is read any more.
  void close(std::uint32_t index);

  [[nodiscard]] std::uint32_t hot_count() const { return hot_count_; }
  [[nodiscard]] Scan& hot(std::uint32_t i) { return scans_[hot_[i]]; }
  /// All of them are hot.
  [[nodiscard]] bool all_hot() const { return scans_.size() <= kHot; }
  /// Something came: it takes the place of the one that has been hot for the longest time.
  void make_hot(std::uint32_t index);
  /// Each in turn; there is at least one.
  [[nodiscard]] std::uint32_t next_in_turn() {
    if (++cursor_ >= scans_.size()) cursor_ = 0;
    return cursor_;
  }

 private:
  std::vector<Scan> scans_;
  std::array<std::uint32_t, kHot> hot_ = {};  ///< indices into scans_
  std::uint32_t hot_count_ = 0;
  std::uint32_t hot_clock_ = 0;
  std::uint32_t cursor_ = 0;
  std::vector<std::uint32_t> free_;  ///< indices that no endpoint has
};

inline std::uint32_t RingScans::open(const Scan& scan) {
  auto index = static_cast<std::uint32_t>(scans_.size());
  if (!free_.empty()) {
    index = free_.back();
    free_.pop_back();
    scans_[index] = scan;
    return index;
  }
  scans_.push_back(scan);
  if (hot_count_ < kHot) hot_[hot_count_++] = index;
  return index;
}

inline void RingScans::close(std::uint32_t index) {
  // Never matches: a number of 0 is expected, and no message has it.
  static Cell dead_cell = {.header = ~std::uint64_t{0}, .payload = {}};
  Scan& scan = scans_[index];
  scan.next = &dead_cell;
  scan.mailbox = &dead_cell;
  scan.expected = 0;
  free_.push_back(index);
}

inline void RingScans::make_hot(std::uint32_t index) {
  const auto end = hot_.begin() + hot_count_;
  if (std::find(hot_.begin(), end, index) != end) return;
  hot_[hot_clock_++ % kHot] = index;
}

}  // namespace remit::shm
