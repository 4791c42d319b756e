// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which rank runs on which host. Pure: hosts are described by their processors.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "launcher/plan/hosts.hpp"
#include "launcher/plan/mapping.hpp"

namespace remit::launcher {

/// One host that ranks may run on.
struct HostRoom {
  HostSpec spec;
  const Processors* processors = nullptr;  ///< null: not known
  int node = 0;                            ///< of the tree of daemons; 0: mpirun's own host

  /// Without the user that ssh may have been told.
  [[nodiscard]] std::string name() const { return spec.name.substr(spec.name.find('@') + 1); }
  /// How many ranks it is meant to have.
  [[nodiscard]] int slots() const;
};

/// The ranks of one program, and which hosts they may run on (indices, in this order).
struct AppRoom {
  int ranks = 0;
  std::vector<int> hosts;
};

/// The host of each rank, programs one after the other.
///
/// A host gets as many ranks as it has slots, or `per_host` (0: not said), or what ppr makes of its
/// objects, before the next one; with --map-by node the hosts take turns, and with the modifier
/// span the objects of all hosts together. When all are full they start again, each with as many as
/// before. The ranks of one host are neighbours then, unless the numbering (--rank-by) takes turns.
/// `taken`: how many processes each host has already; none where it is empty. Fails (status 2)
/// where max_slots leaves no room.
[[nodiscard]] tl::expected<std::vector<int>, LaunchError> deal_to_hosts(
    std::span<const HostRoom> hosts, std::span<const AppRoom> apps, const Placement& placement,
    int per_host, std::span<const int> taken = {});

/// How many ranks a program has for which no number was given.
[[nodiscard]] int implied_ranks(std::span<const HostRoom> hosts, const Placement& placement,
                                int per_host);

}  // namespace remit::launcher
