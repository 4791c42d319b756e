// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which members of a file move data for the others of their hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace remit {

/// The hosts of a file's members, in the order of their lowest ranks, and the owners of each: those
/// who move data for all. Immutable.
class HostOwners {
 public:
  /// `colors`: of each rank, the same number on one host and another one on each other. `wished`:
  /// how many owners a host is to have, at least 1.
  HostOwners(std::span<const std::int64_t> colors, int wished);

  [[nodiscard]] int hosts() const { return static_cast<int>(members_.size()); }
  [[nodiscard]] int host_of(int rank) const { return host_of_[static_cast<std::size_t>(rank)]; }
  /// Ranks, ascending.
  [[nodiscard]] const std::vector<int>& members(int host) const {
    return members_[static_cast<std::size_t>(host)];
  }
  /// Spread over the members, for neighbours may share caches and memory.
  [[nodiscard]] const std::vector<int>& owners(int host) const {
    return owners_[static_cast<std::size_t>(host)];
  }
  /// The smallest number of owners that a host has.
  [[nodiscard]] int fewest() const;

  // Where hosts move data for each other slices go to owners of all of them: to the first one of
  // each host, then to the second ones.

  struct Owner {
    int rank = 0;
    int host = 0;
  };
  [[nodiscard]] int in_turn() const { return static_cast<int>(in_turn_.size()); }
  [[nodiscard]] const Owner& in_turn(int slice) const {
    return in_turn_[static_cast<std::size_t>(slice)];
  }
  /// The member of a host that sends the owner of a slice what the host has of it.
  [[nodiscard]] int sender(int host, int slice) const {
    const std::vector<int>& owners = this->owners(host);
    return owners[static_cast<std::size_t>(slice) % owners.size()];
  }

 private:
  std::vector<int> host_of_;
  std::vector<std::vector<int>> members_;
  std::vector<std::vector<int>> owners_;
  std::vector<Owner> in_turn_;
};

}  // namespace remit
