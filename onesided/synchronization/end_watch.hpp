// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Whether members of a window that are waited for have ended.
#pragma once

#include <cstdint>
#include <span>

#include "onesided/memory/members.hpp"
#include "onesided/one_sided.hpp"

namespace remit {

/// Looks at one of the members that a wait needs in one of very many looks, for that takes a call
/// of the system. Of a member whose end nobody sees from here this process hears by a link, which
/// is made when the wait has lasted. The thread that holds the process.
class EndWatch {
 public:
  /// Both must outlive it.
  EndWatch(OneSided& manager, const WindowMembers& members)
      : manager_(manager), members_(members) {}

  /// To be called with each look in vain. One of `ranks` that has ended; kNobody: none of which
  /// that is known.
  [[nodiscard]] int look(std::span<const int> ranks) {
    if (++looks_ % kLooks != 0 || ranks.empty()) [[likely]]
      return kNobody;
    return look_at_one(ranks);
  }
  /// How many of `ranks` have ended, as far as that is known.
  [[nodiscard]] std::uint64_t ended_of(std::span<const int> ranks) const;

  static constexpr int kNobody = -1;

 private:
  static constexpr std::uint32_t kLooks = 256;
  /// So many looks at members before links are made.
  static constexpr std::uint32_t kPatience = 8;

  [[nodiscard]] int look_at_one(std::span<const int> ranks);

  OneSided& manager_;
  const WindowMembers& members_;
  std::uint32_t looks_ = 0;
};

/// Adds to what is said of an error among all members which of them have ended, as far as that is
/// known.
[[nodiscard]] Error with_ended_members(const WindowMembers& members, Error error);

}  // namespace remit
