// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/synchronization/end_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace remit {

int EndWatch::look_at_one(std::span<const int> ranks) {
  const std::uint32_t turn = looks_ / kLooks;
  const int rank = ranks[turn % ranks.size()];
  if (members_.has_ended(rank)) return rank;
  if (turn >= kPatience && !members_.sees_end_of(rank)) {
    Links& links = manager_.links();
    links.connect(links.get(members_.proc(rank)));
  }
  return kNobody;
}

std::uint64_t EndWatch::ended_of(std::span<const int> ranks) const {
  return static_cast<std::uint64_t>(std::count_if(
      ranks.begin(), ranks.end(), [this](int rank) { return members_.has_ended(rank); }));
}

Error with_ended_members(const WindowMembers& members, Error error) {
  constexpr int kMostNamed = 8;
  int named = 0;
  for (int rank = 0; rank < members.size() && named < kMostNamed; ++rank) {
    if (!members.has_ended(rank)) continue;
    error.message += fmt::format("{}rank {} has ended", named == 0 ? ": " : ", ", rank);
    ++named;
  }
  return error;
}

}  // namespace remit
