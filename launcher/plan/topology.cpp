// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// hwloc discovery.
#include "launcher/plan/topology.hpp"

#include <hwloc/export.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

namespace remit::launcher {

namespace {

std::string boot_id() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id;
}

}  // namespace

Expected<Topology> Topology::load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0)
    return fail_errno(MPI_ERR_OTHER, errno, "hwloc_topology_init");
  Topology topology;
  topology.topology_.reset(raw);
  topology.machine_ = boot_id();
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  if (hwloc_topology_load(raw) != 0) return fail_errno(MPI_ERR_OTHER, errno, "hwloc_topology_load");
  // Processors outside this thread's own mask (taskset, a batch system) are not ours to give.
  // hwloc's flag for that asks for the mask of the process, and goes without where threads differ.
  const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> own(hwloc_bitmap_alloc(),
                                                                          &hwloc_bitmap_free);
  if (hwloc_get_cpubind(raw, own.get(), HWLOC_CPUBIND_THREAD) == 0) {
    hwloc_topology_restrict(raw, own.get(), 0);
  }
  return topology;
}

Expected<Topology> Topology::synthetic(const std::string& description, std::string machine) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0)
    return fail_errno(MPI_ERR_OTHER, errno, "hwloc_topology_init");
  Topology topology;
  topology.topology_.reset(raw);
  topology.machine_ = std::move(machine);
  if (hwloc_topology_set_synthetic(raw, description.c_str()) != 0 ||
      hwloc_topology_load(raw) != 0) {
    return fail_errno(MPI_ERR_ARG, errno, "synthetic topology '" + description + "'");
  }
  return topology;
}

Expected<std::string> Topology::xml() const {
  char* buffer = nullptr;
  int length = 0;
  if (hwloc_topology_export_xmlbuffer(topology_.get(), &buffer, &length, 0) != 0) {
    return fail_errno(MPI_ERR_OTHER, errno, "hwloc XML export");
  }
  std::string text(buffer);
  hwloc_free_xmlbuffer(topology_.get(), buffer);
  return text;
}

int Topology::count(hwloc_obj_type_t type) const {
  return std::max(0, hwloc_get_nbobjs_by_type(topology_.get(), type));
}

}  // namespace remit::launcher
