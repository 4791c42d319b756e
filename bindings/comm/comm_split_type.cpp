// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Communicators of processes that share hardware (MPI-5.0, sections 7.4.2 and 9.1.3), whose kinds
// are named as hwloc names them: "hwloc://NUMANode".
#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "bindings/comm/new_comm.hpp"
#include "bindings/env/info_objects.hpp"
#include "bindings/weak.hpp"
#include "communicators/process_sets.hpp"
#include "runtime/topology.hpp"

namespace remit {

namespace {

constexpr std::string_view kResourcePrefix = "hwloc://";
constexpr std::string_view kSharedMemory = "mpi_shared_memory";
constexpr const char* kResourceType = "mpi_hw_resource_type";
constexpr const char* kSetName = "mpi_pset_name";

/// All ranks of a host have the same lowest rank; but for ranks of several jobs, in either group,
/// it is the name of the host that they have in common.
std::int64_t host_color(const Instance& instance, const CommObject& comm) {
  const Identity& me = instance.process->identity();
  const CommCore& core = comm.core;
  const bool several =
      spans_jobs(*core.local, me.size) || (core.is_inter() && spans_jobs(*core.remote, me.size));
  return several ? job_key_of(me.host) >> 1 : me.local_peers.front();
}

/// The color of an object of a host with that color; none for a negative index.
std::int64_t object_color(std::int64_t host, int index) {
  if (index < 0) return MPI_UNDEFINED;
  return (host << 32) + index;
}

/// The value of a key; empty without one.
std::string info_text(const InfoObject* info, std::string_view key) {
  const std::string* value = info == nullptr ? nullptr : value_of(*info, key);
  return value == nullptr ? std::string() : *value;
}

/// The instance of a kind of hardware that this process is restricted to, as a color.
/// MPI_UNDEFINED: it is not restricted to one, or the kind is unknown here.
std::int64_t resource_color(Instance& instance, const CommObject& comm,
                            const std::string& resource) {
  const std::int64_t host = host_color(instance, comm);
  if (resource == kSharedMemory) return host;
  if (!resource.starts_with(kResourcePrefix)) return MPI_UNDEFINED;
  const auto topology = HostTopology::open(instance.process->bootstrap());
  if (!topology) return MPI_UNDEFINED;
  const std::string kind = resource.substr(kResourcePrefix.size());
  return object_color(host, topology->object_of(kind, allowed_processors()));
}

/// The members of a process set have its first one in common, by its name among those of all jobs.
std::int64_t set_color(Instance& instance, std::string_view name) {
  const auto set = find_process_set(*instance.process, name);
  if (set == nullptr || my_rank_in(instance, *set) == MPI_UNDEFINED) return MPI_UNDEFINED;
  return static_cast<std::int64_t>(instance.engine->name_of(set->proc(0)) & ~(1ULL << 63));
}

/// The outermost kind of hardware that divides the members who take part, the same at all of them.
/// `name` is empty if there is none.
struct Division {
  std::string name;
  std::int64_t color = MPI_UNDEFINED;
};

/// Indices of a process at each level: the host, then the kinds of hardware.
constexpr std::size_t kLevels = 1 + HostTopology::kKinds.size();
using Levels = std::array<std::int64_t, kLevels>;
/// Each level's lowest and, negated, highest index.
using Extremes = std::array<std::int64_t, 2 * kLevels>;

Levels levels_of(Instance& instance, std::int64_t host) {
  Levels levels{};
  levels[0] = host;
  const auto topology = HostTopology::open(instance.process->bootstrap());
  const std::vector<int> cpus = allowed_processors();
  for (std::size_t i = 1; i < kLevels && topology; ++i) {
    levels[i] = topology->object_of(HostTopology::kKinds[i - 1], cpus);
  }
  return levels;
}

/// The lowest of what all members of a communicator, both groups of an inter-communicator, have.
int lowest_of_all(Entry& entry, CommObject& comm, const Extremes& mine, Extremes& lowest) {
  CollectiveArgs args = plain_args(CollectiveKind::allreduce, mine.data(), lowest.data(),
                                   static_cast<MPI_Count>(mine.size()), MPI_INT64_T);
  args.op = predefined_op(reinterpret_cast<std::uintptr_t>(MPI_MIN));
  if (!comm.core.is_inter()) return run_inner(entry, comm, args);
  Extremes theirs{};
  if (int err = run_within(entry, comm, args)) return err;
  args.recv = theirs.data();
  if (int err = run_inner(entry, comm, args)) return err;
  for (std::size_t i = 0; i < lowest.size(); ++i) lowest[i] = std::min(lowest[i], theirs[i]);
  return MPI_SUCCESS;
}

/// Collective; who does not take part has no part in the result.
int find_division(Entry& entry, CommObject& comm, bool takes_part, Division& out) {
  const std::int64_t host = host_color(entry.instance(), comm);
  Levels mine{};
  Extremes extremes;
  extremes.fill(std::numeric_limits<std::int64_t>::max());
  if (takes_part) {
    mine = levels_of(entry.instance(), host);
    std::copy(mine.begin(), mine.end(), extremes.begin());
    std::transform(mine.begin(), mine.end(), extremes.begin() + kLevels, std::negate<>());
  }
  Extremes lowest{};
  if (int err = lowest_of_all(entry, comm, extremes, lowest)) return err;
  for (std::size_t i = 0; i < kLevels && takes_part; ++i) {
    if (lowest[i] == -lowest[kLevels + i]) continue;
    out.name = i == 0 ? kSharedMemory : kResourcePrefix;
    if (i > 0) out.name += HostTopology::kKinds[i - 1];
    out.color = i == 0 ? host : object_color(host, static_cast<int>(mine[i]));
    return MPI_SUCCESS;
  }
  return MPI_SUCCESS;
}

/// Says in the program's info object which kind it was.
void report_division(InfoObject* info, const std::string& name) {
  if (info == nullptr || name.empty()) return;
  auto& entries = info->entries;
  std::erase_if(entries, [](const auto& pair) { return pair.first == kResourceType; });
  entries.emplace_back(kResourceType, name);
}

int find_color(Entry& entry, CommObject& comm, int split_type, InfoObject* info,
               std::int64_t& color) {
  Instance& instance = entry.instance();
  color = MPI_UNDEFINED;
  switch (split_type) {
    case MPI_UNDEFINED:
      return MPI_SUCCESS;
    case MPI_COMM_TYPE_SHARED:
      color = host_color(instance, comm);
      return MPI_SUCCESS;
    case MPI_COMM_TYPE_HW_GUIDED:
      color = resource_color(instance, comm, info_text(info, kResourceType));
      return MPI_SUCCESS;
    case MPI_COMM_TYPE_RESOURCE_GUIDED: {
      const std::string name = info_text(info, kSetName);
      color = name.empty() ? resource_color(instance, comm, info_text(info, kResourceType))
                           : set_color(instance, name);
      return MPI_SUCCESS;
    }
    case MPI_COMM_TYPE_HW_UNGUIDED:
      color = kColorLater;
      return MPI_SUCCESS;
    default:
      return entry.fail(MPI_ERR_ARG,
                        "split_type is {}, which is none of MPI_COMM_TYPE_SHARED, "
                        "_HW_GUIDED, _HW_UNGUIDED and _RESOURCE_GUIDED",
                        split_type);
  }
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info,
                         MPI_Comm* newcomm) try {
  Entry entry("MPI_Comm_split_type");
  CommObject* c = nullptr;
  InfoObject* object = nullptr;
  CommHints hints;
  std::int64_t color = 0;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.not_null(newcomm, "newcomm")) return err;
  if (int err = read_hints(entry, info, hints)) return err;
  if (info != MPI_INFO_NULL) {
    if (int err = entry.info(info, object)) return err;
  }
  if (int err = find_color(entry, *c, split_type, object, color)) return err;
  // Those with MPI_UNDEFINED, who do not know what the others asked for, are in it as well.
  const Recolor divide = [&](std::int64_t& mine) -> int {
    Division division;
    const bool takes_part = mine == kColorLater;
    if (int err = find_division(entry, *c, takes_part, division)) return err;
    if (takes_part) report_division(object, division.name);
    mine = division.color;
    return MPI_SUCCESS;
  };
  if (int err = split(entry, *c, color, key, newcomm, divide)) return err;
  if (CommObject* made = entry.instance().comm(*newcomm); made != nullptr) made->hints = hints;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Comm_split_type", comm);
}
REMIT_WEAK(Comm_split_type);

int PMPI_Get_hw_resource_info(MPI_Info* hw_info) try {
  Entry entry("MPI_Get_hw_resource_info");
  if (int err = entry.not_null(hw_info, "hw_info")) return err;
  auto* made = new InfoObject;
  made->entries.emplace_back(kSharedMemory, "true");
  const auto topology = HostTopology::open(entry.instance().process->bootstrap());
  const std::vector<int> cpus = allowed_processors();
  for (const char* kind : HostTopology::kKinds) {
    if (!topology || topology->count_of(kind) == 0) continue;
    const bool restricted = topology->object_of(kind, cpus) >= 0;
    made->entries.emplace_back(std::string(kResourcePrefix) + kind, restricted ? "true" : "false");
  }
  *hw_info = reinterpret_cast<MPI_Info>(made);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Get_hw_resource_info");
}
REMIT_WEAK(Get_hw_resource_info);
