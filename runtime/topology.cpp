// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Cores, caches and memory of this host.
#include "runtime/topology.hpp"

#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <functional>

namespace remit {

struct HostTopology::Impl {
  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (topology != nullptr) hwloc_topology_destroy(topology);
  }
  hwloc_topology_t topology = nullptr;
};

namespace {

struct FreeBitmap {
  void operator()(hwloc_bitmap_s* bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

Bitmap bitmap_of(const std::vector<int>& cpus) {
  Bitmap bitmap(hwloc_bitmap_alloc());
  if (cpus.empty()) hwloc_bitmap_fill(bitmap.get());
  for (const int cpu : cpus) hwloc_bitmap_set(bitmap.get(), static_cast<unsigned>(cpu));
  return bitmap;
}

int count(hwloc_topology_t topology, hwloc_obj_type_t type) {
  return std::max(0, hwloc_get_nbobjs_by_type(topology, type));
}

Locality locality_of(hwloc_obj_t object) {
  for (; object != nullptr; object = object->parent) {
    if (object->type == HWLOC_OBJ_PU || object->type == HWLOC_OBJ_CORE) return Locality::same_core;
    if (hwloc_obj_type_is_cache(object->type)) return Locality::same_cache;
    if (object->memory_arity == 1) return Locality::same_numa;
    if (object->type == HWLOC_OBJ_PACKAGE) return Locality::same_package;
  }
  return Locality::same_host;
}

}  // namespace

Expected<HostTopology> HostTopology::load(const std::function<int(hwloc_topology*)>& choose,
                                          const char* source) {
  auto impl = std::make_shared<Impl>();
  if (hwloc_topology_init(&impl->topology) != 0) {
    return fail_errno(MPI_ERR_NO_MEM, errno, "hwloc_topology_init");
  }
  hwloc_topology_set_io_types_filter(impl->topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  if (choose(impl->topology) != 0 || hwloc_topology_load(impl->topology) != 0) {
    return fail_errno(MPI_ERR_OTHER, errno, fmt::format("topology of this host from {}", source));
  }
  return HostTopology(std::move(impl));
}

Expected<HostTopology> HostTopology::open(Bootstrap& bootstrap) {
  if (const auto xml = bootstrap.host_topology()) {
    auto given = from_xml(*xml);
    if (given) return given;
  }
  return discover();
}

Expected<HostTopology> HostTopology::from_xml(const std::string& xml) {
  return load(
      [&](hwloc_topology_t topology) {
        return hwloc_topology_set_xmlbuffer(topology, xml.c_str(),
                                            static_cast<int>(xml.size()) + 1);
      },
      "the launcher's XML");
}

Expected<HostTopology> HostTopology::discover() {
  return load([](hwloc_topology_t) { return 0; }, "discovery");
}

Expected<HostTopology> HostTopology::synthetic(const std::string& description) {
  return load(
      [&](hwloc_topology_t topology) {
        return hwloc_topology_set_synthetic(topology, description.c_str());
      },
      "a description");
}

std::string HostTopology::to_xml() const {
  char* text = nullptr;
  int length = 0;
  if (hwloc_topology_export_xmlbuffer(impl_->topology, &text, &length, 0) != 0) return {};
  std::string xml(text);
  hwloc_free_xmlbuffer(impl_->topology, text);
  return xml;
}

int HostTopology::cores() const {
  return count(impl_->topology, HWLOC_OBJ_CORE);
}
int HostTopology::processors() const {
  return count(impl_->topology, HWLOC_OBJ_PU);
}
int HostTopology::packages() const {
  return count(impl_->topology, HWLOC_OBJ_PACKAGE);
}
int HostTopology::numa_nodes() const {
  return count(impl_->topology, HWLOC_OBJ_NUMANODE);
}

std::vector<int> HostTopology::numa_nodes_of(const std::vector<int>& cpus) const {
  const Bitmap wanted = bitmap_of(cpus);
  std::vector<int> nodes;
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(impl_->topology, HWLOC_OBJ_NUMANODE, node)) !=
         nullptr) {
    if (hwloc_bitmap_intersects(node->cpuset, wanted.get())) {
      nodes.push_back(static_cast<int>(node->logical_index));
    }
  }
  return nodes;
}

int HostTopology::count_of(const std::string& kind) const {
  hwloc_obj_type_t type{};
  if (hwloc_type_sscanf(kind.c_str(), &type, nullptr, 0) != 0) return 0;
  return count(impl_->topology, type);
}

int HostTopology::object_of(const std::string& kind, const std::vector<int>& cpus) const {
  hwloc_obj_type_t type{};
  if (hwloc_type_sscanf(kind.c_str(), &type, nullptr, 0) != 0) return -1;
  const Bitmap wanted = bitmap_of(cpus);
  hwloc_bitmap_and(wanted.get(), wanted.get(), hwloc_topology_get_topology_cpuset(impl_->topology));
  if (hwloc_bitmap_iszero(wanted.get())) return -1;
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(impl_->topology, type, object)) != nullptr) {
    const bool holds =
        object->cpuset != nullptr && hwloc_bitmap_isincluded(wanted.get(), object->cpuset) != 0;
    if (holds) return static_cast<int>(object->logical_index);
  }
  return -1;
}

Locality HostTopology::locality(const std::vector<int>& a, const std::vector<int>& b) const {
  const Bitmap both = bitmap_of(a);
  const Bitmap other = bitmap_of(b);
  hwloc_bitmap_or(both.get(), both.get(), other.get());
  hwloc_bitmap_and(both.get(), both.get(), hwloc_topology_get_topology_cpuset(impl_->topology));
  return locality_of(hwloc_get_obj_covering_cpuset(impl_->topology, both.get()));
}

std::vector<int> allowed_processors() {
  std::vector<int> cpus;
  for (std::size_t size = CPU_SETSIZE; size <= (std::size_t{1} << 20); size *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(size),
                                                               [](cpu_set_t* s) { CPU_FREE(s); });
    const std::size_t bytes = CPU_ALLOC_SIZE(size);
    if (set == nullptr || ::sched_getaffinity(0, bytes, set.get()) != 0) continue;
    for (std::size_t cpu = 0; cpu < size; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set.get())) cpus.push_back(static_cast<int>(cpu));
    }
    break;
  }
  return cpus;
}

}  // namespace remit
