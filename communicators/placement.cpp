// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Where the members of a communicator run.
#include "communicators/placement.hpp"

#include <algorithm>
#include <numeric>

namespace remit {

std::vector<ProcessPlace> places_of(Process& process, const Group& group, int count) {
  Bootstrap& bootstrap = process.bootstrap();
  const std::vector<int>& here = bootstrap.identity().local_peers;
  std::vector<std::vector<int>> cpus;
  for (int rank = 0; rank < count; ++rank) {
    const auto world_rank = static_cast<int>(group.proc(rank));
    if (!std::binary_search(here.begin(), here.end(), world_rank)) return {};
    cpus.push_back(bootstrap.binding(world_rank));
  }
  // Not worth reading the host's topology.
  if (std::equal(cpus.begin() + (cpus.empty() ? 0 : 1), cpus.end(), cpus.begin())) return {};
  const auto topology = HostTopology::open(bootstrap);
  if (!topology) return {};
  std::vector<ProcessPlace> places;
  places.reserve(cpus.size());
  for (const std::vector<int>& of_one : cpus) places.push_back(place_of(*topology, of_one));
  return places;
}

std::vector<int> first_ranks(int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

int new_rank_of(int old_rank, const std::vector<int>& members) {
  const auto found = std::find(members.begin(), members.end(), old_rank);
  return found == members.end() ? MPI_UNDEFINED : static_cast<int>(found - members.begin());
}

}  // namespace remit
