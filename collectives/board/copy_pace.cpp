// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the times of copies by the kernel say.
#include "collectives/board/copy_pace.hpp"

#include <algorithm>
#include <bit>

namespace remit {

unsigned CopyPace::turn(const Row& row) {
  unsigned at = row.begun - 1;
  for (unsigned round = kFirstRound; round < kRound; round *= 2) {
    if (at < round) return at;
    at -= round;
  }
  return at % kRound;
}

CopyPace::Words CopyPace::begin(std::size_t bytes, Role role) {
  const auto log = static_cast<std::size_t>(std::bit_width(bytes / kShortest));
  current_ = std::clamp<std::size_t>(log, 1, kClasses) - 1 + (role == Role::equal ? 0 : kClasses);
  ++row().begun;
  spent_ns_ = fair_ns_ = 0;
  const bool slow = row().slow >= kSure;
  const bool board = slow || (role == Role::hub && row().others_slow);
  return {slow, board && turn(row()) >= kTrial};
}

/// Within a cache a call takes as long as some 20 KB, whatever it copies. What is quicker than the
/// board is not slow.
void CopyPace::copied(std::size_t bytes, std::uint64_t ns) {
  constexpr double kSlow = 1.35;
  constexpr double kCall = 0.3;
  constexpr double kBytes = 0.85;
  const double part = static_cast<double>(bytes) / 65536;
  spent_ns_ += static_cast<double>(ns);
  fair_ns_ += std::max(kSlow * (kCall + kBytes * part) * ns_.kernel, part * ns_.board);
}

/// At the beginning of a trial the data are still where the board has left them. A member that has
/// nothing to copy any more says nothing any more.
void CopyPace::end() {
  const unsigned at = turn(row());
  if (fair_ns_ == 0 && at < kTrial) row().slow = 0;
  if (fair_ns_ == 0 || at < kTrial - kSure) return;
  row().slow = spent_ns_ > fair_ns_ ? std::min(row().slow + 1, kSure) : 0;
}

}  // namespace remit
