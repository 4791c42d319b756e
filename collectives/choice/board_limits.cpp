// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which operations take place on a board.
#include "collectives/choice/board_limits.hpp"

#include <algorithm>

#include "collectives/algorithms.hpp"
#include "collectives/choice/tuning.hpp"

namespace remit {

namespace {

/// The longest bytes for which the table of algorithms chooses the board, or -1.
std::int64_t find_limit(CollectiveKind kind, CollectiveShape shape, const Params& params) {
  const auto chosen = [&] { return choose_algorithm(kind, shape, params).name == "board"; };
  if (kind == CollectiveKind::barrier) return chosen() ? 0 : -1;
  std::int64_t limit = -1;
  for (shape.bytes = 1; shape.bytes <= BoardLimits::kLongest; shape.bytes *= 2) {
    shape.elements = static_cast<MPI_Count>(shape.bytes);
    if (!has_algorithm(kind, false) || !chosen()) break;
    limit = static_cast<std::int64_t>(shape.bytes);
  }
  return limit;
}

/// Bytes of each block that fit a line, which has a block for each other member.
std::int64_t longest_short(CollectiveKind kind, int members) {
  const bool blocks = kind == CollectiveKind::scatter || kind == CollectiveKind::alltoall;
  return static_cast<std::int64_t>(BoardSegment::kInline) / (blocks ? members - 1 : 1);
}

}  // namespace

BoardLimits::BoardLimits(const CollectiveShape& shape, const Params& params) {
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    const auto kind = static_cast<CollectiveKind>(i);
    limits_[i] = find_limit(kind, shape, params);
    short_below_[i] =
        static_cast<std::size_t>(std::min(limits_[i], longest_short(kind, shape.size)) + 1);
  }
}

}  // namespace remit
