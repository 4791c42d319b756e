// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "launcher/plan/processors.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "launcher/tree/wire.hpp"

namespace remit::launcher {
namespace {

// More than any system can number (Linux: 8,192).
constexpr int kMostCpus = 1 << 16;

hwloc_obj_type_t type_of(Level level) {
  switch (level) {
    case Level::host:
      return HWLOC_OBJ_MACHINE;
    case Level::socket:
      return HWLOC_OBJ_PACKAGE;
    case Level::numa:
      return HWLOC_OBJ_NUMANODE;
    case Level::l3:
      return HWLOC_OBJ_L3CACHE;
    case Level::l2:
      return HWLOC_OBJ_L2CACHE;
    case Level::core:
      return HWLOC_OBJ_CORE;
    case Level::hwthread:
      return HWLOC_OBJ_PU;
  }
  return HWLOC_OBJ_CORE;
}

// The hardware threads, first one of each core; none if there are no cores.
std::vector<hwloc_obj_t> threads_by_turn(hwloc_topology_t topology) {
  std::vector<hwloc_obj_t> threads;
  const int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
  for (unsigned sibling = 0;; ++sibling) {
    const std::size_t before = threads.size();
    for (int i = 0; i < cores; ++i) {
      hwloc_obj_t core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, static_cast<unsigned>(i));
      hwloc_obj_t thread =
          hwloc_get_obj_inside_cpuset_by_type(topology, core->cpuset, HWLOC_OBJ_PU, sibling);
      if (thread != nullptr) threads.push_back(thread);
    }
    if (threads.size() == before) return threads;
  }
}

std::vector<HostPart> parts_of(hwloc_topology_t topology, Level level) {
  const hwloc_obj_type_t type = type_of(level);
  std::vector<hwloc_obj_t> objects;
  if (level == Level::hwthread) objects = threads_by_turn(topology);
  for (hwloc_obj_t object = nullptr; objects.empty() || level != Level::hwthread;) {
    object = hwloc_get_next_obj_by_type(topology, type, object);
    if (object == nullptr) break;
    // A NUMA node of memory alone has no processor to bind to.
    if (!hwloc_bitmap_iszero(object->cpuset)) objects.push_back(object);
  }
  if (objects.empty() && level == Level::core) return parts_of(topology, Level::hwthread);
  if (objects.empty()) objects.push_back(hwloc_get_root_obj(topology));
  std::vector<HostPart> parts;
  for (hwloc_obj_t object : objects) {
    CpuSet cpus;
    cpus.add(object->cpuset);
    parts.push_back({level, static_cast<int>(object->logical_index), std::move(cpus)});
  }
  return parts;
}

void write_host_part(const HostPart& part, WireWriter* writer) {
  std::vector<int> ends;  // the first and the last of each range
  for (const int cpu : part.cpus.list()) {
    if (!ends.empty() && ends.back() + 1 == cpu) {
      ends.back() = cpu;
    } else {
      ends.insert(ends.end(), {cpu, cpu});
    }
  }
  writer->number(static_cast<int>(part.level));
  writer->number(part.number);
  writer->numbers(ends);
}

std::optional<HostPart> read_host_part(WireReader* reader) {
  const std::int64_t level = reader->number();
  const int number = reader->integer();
  const std::vector<int> ends = reader->numbers();
  if (level < 0 || level >= static_cast<int>(kLevels) || number < 0 || ends.size() % 2 != 0) {
    return std::nullopt;
  }
  CpuSet cpus;
  for (std::size_t i = 0; i < ends.size(); i += 2) {
    const int first = ends[i];
    const int last = ends[i + 1];
    if (first < 0 || last < first || last >= kMostCpus) return std::nullopt;
    cpus.add_range(static_cast<unsigned>(first), last);
  }
  if (cpus.empty()) return std::nullopt;
  return HostPart{static_cast<Level>(level), number, std::move(cpus)};
}

}  // namespace

std::vector<int> CpuSet::list() const {
  std::vector<int> cpus;
  for (int cpu = hwloc_bitmap_first(bits_.get()); cpu >= 0;
       cpu = hwloc_bitmap_next(bits_.get(), cpu)) {
    cpus.push_back(cpu);
  }
  return cpus;
}

Processors::Processors(const Topology& topology) : machine_(topology.machine()) {
  for (std::size_t level = 0; level < kLevels; ++level) {
    parts_[level] = parts_of(topology.get(), static_cast<Level>(level));
  }
}

bool Processors::shared_with(const Processors& other) const {
  const auto meet = [](const HostPart& a, const HostPart& b) { return a.cpus.meets(b.cpus); };
  return !machine_.empty() && machine_ == other.machine_ &&
         std::ranges::any_of(parts(Level::host), [&](const HostPart& mine) {
           return std::ranges::any_of(other.parts(Level::host),
                                      [&](const HostPart& part) { return meet(mine, part); });
         });
}

std::string Processors::bytes() const {
  WireWriter writer;
  writer.text(machine_);
  for (const std::vector<HostPart>& parts : parts_) {
    writer.number(static_cast<std::int64_t>(parts.size()));
    for (const HostPart& part : parts) write_host_part(part, &writer);
  }
  return writer.bytes();
}

Expected<Processors> Processors::read(std::string_view bytes) {
  WireReader reader(bytes);
  Processors processors;
  processors.machine_ = reader.text();
  for (std::vector<HostPart>& parts : processors.parts_) {
    const std::int64_t count = reader.number();
    for (std::int64_t i = 0; i < count && reader.good(); ++i) {
      std::optional<HostPart> part = read_host_part(&reader);
      if (!part) return fail(MPI_ERR_OTHER, "a part of the host cannot be");
      parts.push_back(std::move(*part));
    }
    if (parts.empty()) return fail(MPI_ERR_OTHER, "parts of the host are missing");
  }
  if (!reader.complete()) return fail(MPI_ERR_OTHER, "the list of its parts is torn");
  return processors;
}

}  // namespace remit::launcher
