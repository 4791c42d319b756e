// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which notices of this process are in use (HostMemory::take_notices()).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace remit::shm {

/// Numbers from 0 on. One that was given back is handed out again when its last user has gone;
/// before that, new ones are, while there are some. One thread.
class NoticePool {
 public:
  explicit NoticePool(std::uint32_t count) : count_(count) {}

  /// None: all of them are in use.
  [[nodiscard]] std::optional<std::uint32_t> take() {
    const auto over = [](const Returned& returned) { return !returned.in_use(); };
    const auto found = std::find_if(returned_.begin(), returned_.end(), over);
    if (found != returned_.end()) {
      const std::uint32_t index = found->index;
      returned_.erase(found);
      return index;
    }
    if (used_ == count_) return std::nullopt;
    return used_++;
  }
  /// Callable until it has said false.
  void give_back(std::uint32_t index, std::function<bool()> in_use) {
    returned_.push_back({index, std::move(in_use)});
  }

 private:
  struct Returned {
    std::uint32_t index;
    std::function<bool()> in_use;
  };
  std::uint32_t count_;
  std::uint32_t used_ = 0;  ///< those of higher numbers were never handed out
  std::vector<Returned> returned_;
};

}  // namespace remit::shm
