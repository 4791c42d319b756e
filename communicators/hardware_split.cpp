// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Colors of processes by the hardware that they share.
#include "communicators/hardware_split.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include "communicators/inner_collectives.hpp"
#include "communicators/process_sets.hpp"
#include "runtime/topology.hpp"

namespace remit {

namespace {

constexpr std::string_view kHwlocPrefix = "hwloc://";
constexpr std::string_view kSharedMemoryKind = "mpi_shared_memory";

/// The color of an object of a host with that color; none for a negative index.
std::int64_t object_color(std::int64_t host, int index) {
  if (index < 0) return MPI_UNDEFINED;
  return (host << 32) + index;
}

}  // namespace

/// All ranks of a host have the same lowest rank; but for ranks of several jobs, in either group,
/// it is the name of the host that they have in common.
std::int64_t host_color(Process& process, const CommCore& comm) {
  const Identity& me = process.identity();
  const bool several =
      spans_jobs(*comm.local, me.size) || (comm.is_inter() && spans_jobs(*comm.remote, me.size));
  return several ? job_key_of(me.host) >> 1 : me.local_peers.front();
}

std::int64_t hardware_color(Process& process, const CommCore& comm, const std::string& kind) {
  const std::int64_t host = host_color(process, comm);
  if (kind == kSharedMemoryKind) return host;
  if (!kind.starts_with(kHwlocPrefix)) return MPI_UNDEFINED;
  const auto topology = HostTopology::open(process.bootstrap());
  if (!topology) return MPI_UNDEFINED;
  const std::string name = kind.substr(kHwlocPrefix.size());
  return object_color(host, topology->object_of(name, allowed_processors()));
}

/// The members have the set's first process in common, by its name among those of all jobs.
std::int64_t process_set_color(Engine& engine, std::string_view name) {
  const GroupPtr set = find_process_set(engine.process(), name);
  if (set == nullptr || own_rank_in(engine.process(), *set) == MPI_UNDEFINED) return MPI_UNDEFINED;
  return static_cast<std::int64_t>(engine.links().directory().name_of(set->proc(0)) &
                                   ~(1ULL << 63));
}

// --- unguided ------------------------------------------------------------------------------------

namespace {

/// Indices of a process at each level: the host, then the kinds of hardware.
constexpr std::size_t kDivisionLevels = 1 + HostTopology::kKinds.size();
using LevelIndices = std::array<std::int64_t, kDivisionLevels>;
/// Each level's lowest and, negated, highest index.
using LevelExtremes = std::array<std::int64_t, 2 * kDivisionLevels>;

LevelIndices level_indices(Process& process, std::int64_t host) {
  LevelIndices indices{};
  indices[0] = host;
  const auto topology = HostTopology::open(process.bootstrap());
  const std::vector<int> cpus = allowed_processors();
  for (std::size_t i = 1; i < kDivisionLevels && topology; ++i) {
    indices[i] = topology->object_of(HostTopology::kKinds[i - 1], cpus);
  }
  return indices;
}

/// The lowest of what all members of a communicator, both groups of an inter-communicator, have.
Expected<LevelExtremes> lowest_of_all(const CommCall& call, const ParentComm& comm,
                                      const LevelExtremes& mine) {
  LevelExtremes lowest{};
  CollectiveArgs args = plain_args(CollectiveKind::allreduce, mine.data(), lowest.data(),
                                   static_cast<MPI_Count>(mine.size()), MPI_INT64_T);
  args.op = predefined_op(reinterpret_cast<std::uintptr_t>(MPI_MIN));
  const bool is_inter = comm.core.is_inter();
  auto done =
      is_inter ? run_within_local_group(call, comm, args) : run_among_members(call, comm, args);
  if (!done) return tl::unexpected(done.error());
  if (!is_inter) return lowest;
  LevelExtremes theirs{};
  args.recv = theirs.data();
  if (done = run_among_members(call, comm, args); !done) return tl::unexpected(done.error());
  for (std::size_t i = 0; i < lowest.size(); ++i) lowest[i] = std::min(lowest[i], theirs[i]);
  return lowest;
}

}  // namespace

Expected<HardwareDivision> find_division(const CommCall& call, const ParentComm& comm,
                                         bool takes_part) {
  const std::int64_t host = host_color(call.process(), comm.core);
  LevelIndices mine{};
  LevelExtremes extremes;
  extremes.fill(std::numeric_limits<std::int64_t>::max());
  if (takes_part) {
    mine = level_indices(call.process(), host);
    std::copy(mine.begin(), mine.end(), extremes.begin());
    std::transform(mine.begin(), mine.end(), extremes.begin() + kDivisionLevels, std::negate<>());
  }
  const auto lowest = lowest_of_all(call, comm, extremes);
  if (!lowest) return tl::unexpected(lowest.error());
  for (std::size_t i = 0; i < kDivisionLevels && takes_part; ++i) {
    if ((*lowest)[i] == -(*lowest)[kDivisionLevels + i]) continue;
    HardwareDivision division;
    division.kind = i == 0 ? kSharedMemoryKind : kHwlocPrefix;
    if (i > 0) division.kind += HostTopology::kKinds[i - 1];
    division.color = i == 0 ? host : object_color(host, static_cast<int>(mine[i]));
    return division;
  }
  return HardwareDivision();
}

std::vector<HardwareKind> hardware_kinds(Process& process) {
  std::vector<HardwareKind> kinds{{std::string(kSharedMemoryKind), true}};
  const auto topology = HostTopology::open(process.bootstrap());
  const std::vector<int> cpus = allowed_processors();
  for (const char* kind : HostTopology::kKinds) {
    if (!topology || topology->count_of(kind) == 0) continue;
    kinds.push_back({std::string(kHwlocPrefix) + kind, topology->object_of(kind, cpus) >= 0});
  }
  return kinds;
}

}  // namespace remit
