// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the tcp device will tell at its next poll().
#pragma once

#include <deque>
#include <span>

#include "rdma_btl/device.hpp"

namespace remit::tcp {

/// Completions that nobody has taken yet, in their order.
class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return events_.empty(); }
  void tell(CompletionKind kind, EndpointId endpoint, int status, std::uint64_t cookie = 0) {
    events_.push_back({kind, status, endpoint, 0, cookie, {}});
  }
  /// An operation is complete. It may be called by post().
  void complete(EndpointId endpoint, std::uint64_t cookie, int status) {
    if (cookie != kNoCompletion) tell(CompletionKind::local, endpoint, status, cookie);
  }
  /// Moves as many as there is room for; returns how many.
  [[nodiscard]] std::size_t take(std::span<Completion> out) {
    std::size_t count = 0;
    while (count < out.size() && !events_.empty()) {
      out[count++] = events_.front();
      events_.pop_front();
    }
    return count;
  }

 private:
  std::deque<Completion> events_;
};

}  // namespace remit::tcp
