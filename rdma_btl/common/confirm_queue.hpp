// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Confirms (OpKind::confirm) of devices that know of each put and atomic when it is visible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace remit {

/// Which confirms of one endpoint are due: those before which nothing is under way any more.
/// Operations may end in any order; confirms come out in the order in which they were posted. Who
/// owns it calls next_due() after each end() and confirm(). Its memory is that of the confirms
/// under way.
class ConfirmQueue {
 public:
  /// Names the operations between two confirms; it wraps.
  using Group = std::uint32_t;

  /// A put or an atomic begins. end() is called with the result once.
  [[nodiscard]] Group begin() {
    ++open_;
    return first_ + static_cast<Group>(closed_.size());
  }
  /// It is visible at its target, or has failed.
  void end(Group group) {
    const std::size_t index = group - first_;
    --(index < closed_.size() ? closed_[index].under_way : open_);
  }
  /// A confirm of all that has begun so far; `cookie` is what next_due() gives.
  void confirm(std::uint64_t cookie) {
    closed_.push_back({cookie, open_});
    open_ = 0;
  }
  /// The oldest confirm, if nothing before it is under way; it leaves the queue.
  [[nodiscard]] std::optional<std::uint64_t> next_due() {
    if (closed_.empty() || closed_.front().under_way != 0) return std::nullopt;
    const std::uint64_t cookie = closed_.front().cookie;
    closed_.erase(closed_.begin());
    ++first_;
    return cookie;
  }

 private:
  struct Closed {
    std::uint64_t cookie = 0;
    std::uint32_t under_way = 0;
  };

  std::vector<Closed> closed_;  ///< a confirm each, with what was posted since the one before it
  std::uint32_t open_ = 0;      ///< under way behind the last confirm
  Group first_ = 0;             ///< of closed_[0]
};

}  // namespace remit
