// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Checks that functions of all topologies share.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "bindings/entry.hpp"
#include "communicators/reorder.hpp"

namespace remit {

/// The communicator and its topology, which must be of this kind. `name` is for people.
template <class Kind>
int topology_of(Entry& entry, MPI_Comm comm, const char* name, CommObject*& c, const Kind*& out) {
  if (int err = entry.comm(comm, c)) return err;
  out = c->topology == nullptr ? nullptr : std::get_if<Kind>(c->topology.get());
  if (out != nullptr) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_TOPOLOGY, "comm {} has no {} topology", c->name, name);
}

/// The length of an array of the program's.
inline int check_length(Entry& entry, int length, const char* name) {
  if (length >= 0) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_ARG, "{} is {}; it must not be negative", name, length);
}

/// Copies as much to an array of the program's as there is room for.
inline int report(Entry& entry, std::span<const int> from, int length, int* to, const char* name) {
  const std::size_t count = std::min(from.size(), static_cast<std::size_t>(length));
  if (count == 0) return MPI_SUCCESS;
  if (int err = entry.not_null(to, name)) return err;
  std::copy_n(from.begin(), count, to);
  return MPI_SUCCESS;
}

/// Where the first `count` members run. Empty if they all run at the same place for all that this
/// process knows by itself: MPI_Cart_map and MPI_Graph_map ask nobody.
[[nodiscard]] std::vector<ProcessPlace> places_of(Instance& instance, const CommObject& comm,
                                                  int count);

/// The old ranks of the members of a new communicator, the first `count` ones of the old: in their
/// order, or with `reorder` in the one that suits the topology.
template <class Kind>
std::vector<int> ordered_members(Instance& instance, const CommObject& comm, const Kind& topology,
                                 int count, bool reorder) {
  if (reorder) {
    const std::vector<ProcessPlace> places = places_of(instance, comm, count);
    if (!places.empty()) return order_for(topology, places);
  }
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

/// The rank that this process would have among them, or MPI_UNDEFINED.
inline int new_rank(const CommObject& comm, const std::vector<int>& members) {
  const auto found = std::find(members.begin(), members.end(), comm.core.rank);
  return found == members.end() ? MPI_UNDEFINED : static_cast<int>(found - members.begin());
}

}  // namespace remit
