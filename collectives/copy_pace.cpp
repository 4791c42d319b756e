// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the times of copies by the kernel say.
#include "collectives/copy_pace.hpp"

#include <algorithm>
#include <bit>

namespace remit {

CopyPace::Words CopyPace::begin(std::size_t bytes, bool is_hub) {
  const auto log = static_cast<std::size_t>(std::bit_width(bytes / kShortest));
  row_ = &rows_[std::clamp<std::size_t>(log, 1, kClasses) - 1];
  ++row_->begun;
  spent_ns_ = fair_ns_ = 0;
  const bool slow = row_->slow >= kSure;
  return {slow, (slow || (is_hub && row_->others_slow)) && !is_trial(*row_)};
}

/// A call takes as long as some 20 KB, whatever it copies.
void CopyPace::copied(std::size_t bytes, std::uint64_t ns) {
  constexpr double kSlow = 1.35;
  constexpr double kCall = 0.3;
  constexpr double kBytes = 0.85;
  constexpr double k64KB = 65536;
  spent_ns_ += static_cast<double>(ns);
  fair_ns_ += kSlow * (kCall + kBytes * static_cast<double>(bytes) / k64KB) * ns_of_64k_;
}

/// At the beginning of a trial the data are still where the board has left them.
void CopyPace::end() {
  const unsigned at = (row_->begun - 1) % kRound;
  if (fair_ns_ == 0 || at < kTrial - kSure) return;
  row_->slow = spent_ns_ > fair_ns_ ? std::min(row_->slow + 1, kSure) : 0;
}

}  // namespace remit
