// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// watermark.hpp: the highest value that something has had.
#pragma once

#include <algorithm>
#include <cstddef>

namespace remit {

/// The most that there ever was, and since somebody began to look.
class Watermark {
 public:
  void reach(std::size_t value) { recent_ = std::max(recent_, value); }
  [[nodiscard]] std::size_t most() const { return std::max(before_, recent_); }
  /// Since the last restart().
  [[nodiscard]] std::size_t recent() const { return recent_; }
  /// `now` is what there is.
  void restart(std::size_t now) {
    before_ = most();
    recent_ = now;
  }

 private:
  std::size_t recent_ = 0;
  std::size_t before_ = 0;
};

}  // namespace remit
