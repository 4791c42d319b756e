// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Where the elements of a target lie, as runs of its memory: layouts are not sent.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "datatype/datatype.hpp"
#include "datatype/layout.hpp"
#include "onesided/remote/wire.hpp"

namespace remit {

/// Cuts a view into parts that fit messages, in packed order. The view outlives it. Pure.
class RunCutter {
 public:
  /// Of bytes; null: not of elements.
  explicit RunCutter(const View& target, const Datatype* element = nullptr)
      : target_(target), total_(target.size()), element_(element) {}

  /// A part of the target: `bytes` packed ones from `offset` on.
  struct Part {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    std::span<const MemoryRun> runs;  ///< valid until the next part is cut
  };
  [[nodiscard]] bool done() const { return offset_ == total_; }
  /// The next part, of as many runs and packed bytes as `room` bytes have place for, and no more
  /// than `most` packed bytes; `carries`: whether the bytes take place as well. Never empty, if
  /// there is place for a run and an element.
  [[nodiscard]] Part next(std::size_t room, std::size_t most, bool carries);

 private:
  /// Adds bytes, or elements, and says how many of these bytes have place.
  struct Budget;
  void take_pieces(Budget& budget);
  void take_elements(Budget& budget);

  const View& target_;
  std::size_t total_;
  const Datatype* element_;
  std::size_t offset_ = 0;
  std::size_t count_ = 0;
  std::array<MemoryRun, kMostMemoryRuns> runs_;
};

}  // namespace remit
