// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Process sets by name.
#include "communicators/process_sets.hpp"

#include <algorithm>
#include <cctype>

namespace remit {

namespace {

/// Scheme and authority of a set's name do not depend on case (RFC 3986).
bool is_named(std::string_view name, std::string_view standard) {
  return name.size() == standard.size() &&
         std::equal(name.begin(), name.end(), standard.begin(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) ==
                  std::tolower(static_cast<unsigned char>(b));
         });
}

}  // namespace

std::vector<ProcessSet> process_sets(Process& process) {
  std::vector<ProcessSet> sets{{"mpi://WORLD", {}}, {"mpi://SELF", {}}};
  for (ProcessSet& set : process.bootstrap().process_sets()) {
    // Names that begin with mpi:// are the standard's own.
    if (set.name.starts_with("mpi://") || set.name.size() >= MPI_MAX_PSET_NAME_LEN) continue;
    sets.push_back(std::move(set));
  }
  return sets;
}

std::shared_ptr<const Group> find_process_set(Process& process, std::string_view name) {
  if (is_named(name, "mpi://WORLD")) return Group::regular(ProcId{0}, 1, process.size());
  if (is_named(name, "mpi://SELF")) {
    return Group::regular(static_cast<ProcId>(process.rank()), 1, 1);
  }
  for (const ProcessSet& set : process_sets(process)) {
    if (set.name != name || set.ranks.empty()) continue;
    std::vector<ProcId> members;
    members.reserve(set.ranks.size());
    for (const int rank : set.ranks) members.push_back(proc_of_world_rank(rank));
    return Group::of(std::move(members));
  }
  return nullptr;
}

}  // namespace remit
