// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Chooses how a rank waits, from the cores that it really has and the ranks that want them.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/params.hpp"
#include "runtime/waiting/adaptive_wait.hpp"

namespace remit {

inline const ParamDecl wait_param{"wait",
                                  std::string("auto"),
                                  "",
                                  "how a rank waits: spin and yield never sleep; auto spins only "
                                  "while a core is free for it",
                                  {"auto", "spin", "yield", "sleep"}};
inline const ParamDecl spin_polls_param{"spin_polls", std::int64_t{20000}, "",
                                        "empty polls before a waiting rank first yields its core",
                                        ParamRange{0, std::numeric_limits<std::uint32_t>::max()}};
inline const ParamDecl yields_param{"yields", std::int64_t{WaitPolicy{}.yields}, "",
                                    "times a waiting rank yields its core before it sleeps",
                                    ParamRange{0, std::numeric_limits<std::uint32_t>::max()}};
inline const ParamDecl core_sharers_param{
    "core_sharers", std::int64_t{0}, "ranks",
    "ranks, of all jobs together, that share the cores of each rank; 0: those of its own job, as "
    "the launcher has bound them",
    ParamRange{0, std::int64_t{1} << 20}};

/// The cores of this host, and how many of them processes may use.
struct HostCores {
  int all = 1;      ///< that there are
  int allowed = 1;  ///< to this process, by its affinity mask (sched_getaffinity)
  int quota = std::numeric_limits<int>::max();  ///< whole ones, by the CPU quota of control groups
};

/// As this process finds them.
[[nodiscard]] HostCores host_cores();

/// How many ranks want how many cores.
struct CoreShare {
  int cores = 1;             ///< that this process may run on
  int ranks = 1;             ///< whose sets of cores overlap with this one's, this one included
  bool quota_short = false;  ///< the CPU quota has not a core for each of them

  /// Each rank has a core, so that one may spin without taking another's.
  [[nodiscard]] bool suffices() const { return ranks <= cores && !quota_short; }
};

/// The affinity mask of this process and the CPU quota of its control group, against the ranks that
/// run on those cores: those of this job, or as many as core_sharers says, for nobody else knows of
/// other jobs. Unless the launcher tells the bindings, every rank of the host counts: a rank that
/// yields too early loses little, one that spins on another's core a lot. Pure.
[[nodiscard]] CoreShare core_share(const Params& params, const Identity& identity,
                                   const HostCores& cores);

/// The same with this host's cores.
[[nodiscard]] CoreShare core_share(const Params& params, const Identity& identity);

/// The policy for that share. Pure.
[[nodiscard]] WaitPolicy make_wait_policy(const Params& params, const CoreShare& share);

/// Both together: what MPI_Init uses.
[[nodiscard]] WaitPolicy make_wait_policy(const Params& params, const Identity& identity);

/// What a waiting rank does, for a person: "yields its core up to 300 times, then sleeps".
[[nodiscard]] std::string describe(const WaitPolicy& policy);

}  // namespace remit
