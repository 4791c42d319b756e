// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// hwloc discovery and the binding rules.
#include "launcher/mapping.hpp"

#include <hwloc/export.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace remit::launcher {
namespace {

struct FreeBitmap {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

struct Kind {
  hwloc_obj_type_t type;
  const char* word;
};

Kind kind_of(BindTo bind_to) {
  switch (bind_to) {
    case BindTo::hwthread:
      return {HWLOC_OBJ_PU, "hwthread"};
    case BindTo::l3:
      return {HWLOC_OBJ_L3CACHE, "l3cache"};
    case BindTo::numa:
      return {HWLOC_OBJ_NUMANODE, "numa"};
    case BindTo::socket:
      return {HWLOC_OBJ_PACKAGE, "socket"};
    default:
      return {HWLOC_OBJ_CORE, "core"};
  }
}

// The objects to deal out, in the order ranks get them. Hardware threads: first one of each core.
std::vector<hwloc_obj_t> objects_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> objects;
  if (type == HWLOC_OBJ_PU) {
    const int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    for (unsigned sibling = 0; cores > 0; ++sibling) {
      const std::size_t before = objects.size();
      for (int i = 0; i < cores; ++i) {
        hwloc_obj_t core =
            hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, static_cast<unsigned>(i));
        hwloc_obj_t pu =
            hwloc_get_obj_inside_cpuset_by_type(topology, core->cpuset, HWLOC_OBJ_PU, sibling);
        if (pu != nullptr) objects.push_back(pu);
      }
      if (objects.size() == before) break;
    }
  }
  for (hwloc_obj_t object = nullptr; objects.empty() || type != HWLOC_OBJ_PU;) {
    object = hwloc_get_next_obj_by_type(topology, type, object);
    if (object == nullptr) break;
    // A NUMA node of memory alone has no processor to bind to.
    if (!hwloc_bitmap_iszero(object->cpuset)) objects.push_back(object);
  }
  // Some virtual machines report no cores or caches: fall back to single processors, or all.
  if (objects.empty() && type == HWLOC_OBJ_CORE) return objects_of(topology, HWLOC_OBJ_PU);
  if (objects.empty()) objects.push_back(hwloc_get_root_obj(topology));
  return objects;
}

std::string ranges(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text +=
        last == i ? fmt::format("{}", numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[last]);
    i = last + 1;
  }
  return text;
}

Binding make_binding(const std::vector<hwloc_obj_t>& objects, std::size_t first, std::size_t end,
                     const char* word) {
  Bitmap set(hwloc_bitmap_alloc());
  std::vector<int> indices;
  for (std::size_t i = first; i < end; ++i) {
    hwloc_bitmap_or(set.get(), set.get(), objects[i]->cpuset);
    indices.push_back(static_cast<int>(objects[i]->logical_index));
  }
  std::ranges::sort(indices);
  Binding binding;
  for (int cpu = hwloc_bitmap_first(set.get()); cpu >= 0; cpu = hwloc_bitmap_next(set.get(), cpu)) {
    binding.cpus.push_back(cpu);
  }
  binding.description = fmt::format("{} {} of {} (processors {})", word, ranges(indices),
                                    objects.size(), ranges(binding.cpus));
  return binding;
}

}  // namespace

Expected<Topology> Topology::load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0)
    return fail_errno(MPI_ERR_OTHER, errno, "hwloc_topology_init");
  Topology topology;
  topology.topology_.reset(raw);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  // Processors outside this process's own mask (taskset, a batch system) are not ours to give.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING);
  if (hwloc_topology_load(raw) != 0) return fail_errno(MPI_ERR_OTHER, errno, "hwloc_topology_load");
  return topology;
}

Expected<Topology> Topology::synthetic(const std::string& description) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0)
    return fail_errno(MPI_ERR_OTHER, errno, "hwloc_topology_init");
  Topology topology;
  topology.topology_.reset(raw);
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

std::string Binding::list() const {
  return ranges(cpus);
}

std::vector<Binding> bind_ranks(const Topology& topology, int ranks, BindTo bind_to) {
  std::vector<Binding> bindings(static_cast<std::size_t>(ranks));
  if (bind_to == BindTo::none) return bindings;
  const Kind kind = kind_of(bind_to);
  const std::vector<hwloc_obj_t> objects = objects_of(topology.get(), kind.type);
  const std::size_t count = bindings.size();
  if (bind_to == BindTo::share) {
    // One rank may use everything anyway; more ranks than cores are the scheduler's to place.
    if (count < 2 || count > objects.size()) return bindings;
    for (std::size_t i = 0; i < count; ++i) {
      bindings[i] = make_binding(objects, i * objects.size() / count,
                                 (i + 1) * objects.size() / count, kind.word);
    }
    return bindings;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = i % objects.size();
    bindings[i] = make_binding(objects, index, index + 1, kind.word);
  }
  return bindings;
}

}  // namespace remit::launcher
