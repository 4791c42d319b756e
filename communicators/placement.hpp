// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Where the members of a communicator run, and which of them takes which place of a virtual
// topology (MPI-5.0, section 8.5).
#pragma once

#include <vector>

#include "communicators/reorder.hpp"
#include "pt2pt/communicator.hpp"
#include "runtime/process.hpp"

namespace remit {

/// Where the first `count` members of a group run. Empty if they all run at the same place for all
/// that this process knows by itself: MPI_Cart_map and MPI_Graph_map ask nobody.
[[nodiscard]] std::vector<ProcessPlace> places_of(Process& process, const Group& group, int count);

/// The ranks 0, 1, ..., count - 1.
[[nodiscard]] std::vector<int> first_ranks(int count);

/// The old ranks of the members of a new communicator, the first `count` ones of `group`: in their
/// order, or with `reorder` in the one that suits the topology.
template <class Kind>
std::vector<int> ordered_members(Process& process, const Group& group, const Kind& topology,
                                 int count, bool reorder) {
  if (reorder) {
    const std::vector<ProcessPlace> places = places_of(process, group, count);
    if (!places.empty()) return order_for(topology, places);
  }
  return first_ranks(count);
}

/// The new rank of the process with an old one: its index in `members`, or MPI_UNDEFINED.
[[nodiscard]] int new_rank_of(int old_rank, const std::vector<int>& members);

}  // namespace remit
