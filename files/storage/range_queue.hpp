// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Locks of ranges between the threads of one process, which the kernel takes for one owner.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace remit {

/// Ranges [from, to) of one file that threads of this process have, no two of which overlap. Any
/// thread.
class RangeQueue {
 public:
  /// Waits until nobody has a byte of it.
  void take(std::int64_t from, std::int64_t to) {
    std::unique_lock guard(mutex_);
    given_up_.wait(guard, [&] {
      return std::none_of(taken_.begin(), taken_.end(),
                          [&](const Range& range) { return range.from < to && from < range.to; });
    });
    taken_.push_back({from, to});
  }

  void give_up(std::int64_t from, std::int64_t to) {
    {
      const std::lock_guard guard(mutex_);
      const auto found = std::find_if(taken_.begin(), taken_.end(), [&](const Range& range) {
        return range.from == from && range.to == to;
      });
      if (found != taken_.end()) taken_.erase(found);
    }
    given_up_.notify_all();
  }

 private:
  struct Range {
    std::int64_t from;
    std::int64_t to;
  };

  std::mutex mutex_;
  std::condition_variable given_up_;
  std::vector<Range> taken_;
};

}  // namespace remit
