// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// hwloc discovery and the binding rules.
#include "launcher/mapping.hpp"

#include <hwloc/export.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

namespace remit::launcher {
namespace {

struct FreeBitmap {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

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

Level level_of(BindTo bind_to) {
  switch (bind_to) {
    case BindTo::hwthread:
      return Level::hwthread;
    case BindTo::l2:
      return Level::l2;
    case BindTo::l3:
      return Level::l3;
    case BindTo::numa:
      return Level::numa;
    case BindTo::socket:
      return Level::socket;
    default:
      return Level::core;
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

Binding make_binding(std::span<const hwloc_obj_t> objects, std::size_t total,
                     std::string_view word) {
  Bitmap set(hwloc_bitmap_alloc());
  std::vector<int> indices;
  for (hwloc_obj_t object : objects) {
    hwloc_bitmap_or(set.get(), set.get(), object->cpuset);
    indices.push_back(static_cast<int>(object->logical_index));
  }
  std::ranges::sort(indices);
  Binding binding;
  for (int cpu = hwloc_bitmap_first(set.get()); cpu >= 0; cpu = hwloc_bitmap_next(set.get(), cpu)) {
    binding.cpus.push_back(cpu);
  }
  binding.description = fmt::format("{} {} of {} (processors {})", word, ranges(indices), total,
                                    ranges(binding.cpus));
  return binding;
}

bool is_inside(hwloc_obj_t inner, hwloc_obj_t outer) {
  return hwloc_bitmap_isincluded(inner->cpuset, outer->cpuset) != 0;
}

using Objects = std::vector<hwloc_obj_t>;

Objects inside(const Objects& objects, hwloc_obj_t outer) {
  Objects found;
  std::ranges::copy_if(objects, std::back_inserter(found),
                       [&](hwloc_obj_t object) { return is_inside(object, outer); });
  return found;
}

// The index of the one that holds, or is held by, another object; 0 if there is none.
std::size_t index_around(const Objects& objects, hwloc_obj_t other) {
  const auto found = std::ranges::find_if(objects, [&](hwloc_obj_t object) {
    return is_inside(other, object) || is_inside(object, other);
  });
  return found == objects.end() ? 0 : static_cast<std::size_t>(found - objects.begin());
}

// One rank before it has its number.
struct Place {
  hwloc_obj_t object = nullptr;  // that it was dealt to
  std::size_t index = 0;         // of the object
  std::size_t turn = 0;          // how many ranks the object had before
};

// Deals ranks out, and numbers and binds them; see place_ranks().
class Placer {
 public:
  Placer(const Topology& topology, int ranks, const Placement& placement)
      : topology_(topology.get()),
        placement_(placement),
        cores_(objects_of(topology_, HWLOC_OBJ_CORE)),
        places_(static_cast<std::size_t>(ranks)) {}

  tl::expected<std::vector<Binding>, LaunchError> run() {
    if (auto dealt = deal(); !dealt) return tl::unexpected(dealt.error());
    number();
    std::vector<Binding> bindings;
    for (const Place& place : places_) {
      auto binding = bind(place);
      if (!binding) return tl::unexpected(binding.error());
      bindings.push_back(std::move(*binding));
    }
    return bindings;
  }

 private:
  tl::expected<void, LaunchError> deal();
  void number();
  tl::expected<Binding, LaunchError> bind(const Place& place) const;
  tl::expected<Binding, LaunchError> bind_own_cores(const Place& place) const;
  [[nodiscard]] Binding bind_share(const Place& place) const;

  hwloc_topology_t topology_;
  const Placement& placement_;
  Objects cores_;
  std::vector<Place> places_;
  std::vector<std::size_t> on_object_;  // how many ranks each object of the mapping has
};

tl::expected<void, LaunchError> Placer::deal() {
  Level level = placement_.map_by.value_or(Level::host);
  // Each rank has several cores: they are taken in order, wherever they are.
  const bool by_core = level == Level::core || level == Level::hwthread;
  if (placement_.cores_per_rank > 0 && by_core) level = Level::host;
  const Objects objects = objects_of(topology_, type_of(level));
  const auto per_object = static_cast<std::size_t>(placement_.per_object);
  if (per_object > 0 && places_.size() > per_object * objects.size()) {
    return tl::unexpected(LaunchError{
        2, fmt::format("--map-by ppr:{}:{}: has room for {} ranks ({} x {}), and {} are "
                       "to be started: change -n or the number behind ppr",
                       per_object, level_name(level), per_object * objects.size(), objects.size(),
                       level_name(level), places_.size())});
  }
  on_object_.assign(objects.size(), 0);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::size_t index = per_object > 0 ? i / per_object : i % objects.size();
    places_[i] = {objects[index], index, on_object_[index]++};
  }
  return {};
}

void Placer::number() {
  if (placement_.rank_fill) {
    std::ranges::stable_sort(places_, {}, &Place::index);
    return;
  }
  if (!placement_.rank_by) return;
  // Where each rank would sit if every one had a core: what it is numbered by.
  const Objects groups = objects_of(topology_, type_of(*placement_.rank_by));
  struct Key {
    std::size_t round;
    std::size_t group;
    Place place;
  };
  std::vector<std::size_t> rounds(groups.size(), 0);
  std::vector<Key> keys;
  for (const Place& place : places_) {
    const Objects own = inside(cores_, place.object);
    hwloc_obj_t seat = own.empty() ? place.object : own[place.turn % own.size()];
    const std::size_t group = index_around(groups, seat);
    keys.push_back({rounds[group]++, group, place});
  }
  std::ranges::stable_sort(keys, {},
                           [](const Key& key) { return std::pair(key.round, key.group); });
  std::ranges::transform(keys, places_.begin(), &Key::place);
}

tl::expected<Binding, LaunchError> Placer::bind(const Place& place) const {
  const BindTo bind_to = placement_.binding();
  if (bind_to == BindTo::none) return Binding{};
  if (placement_.cores_per_rank > 0) return bind_own_cores(place);
  if (bind_to == BindTo::share) return bind_share(place);
  const Level level = level_of(bind_to);
  const Objects all = objects_of(topology_, type_of(level));
  const Objects own = inside(all, place.object);
  hwloc_obj_t chosen =
      own.empty() ? all[index_around(all, place.object)] : own[place.turn % own.size()];
  return make_binding(std::array{chosen}, all.size(), level_name(level));
}

tl::expected<Binding, LaunchError> Placer::bind_own_cores(const Place& place) const {
  const Level level = placement_.binding() == BindTo::hwthread ? Level::hwthread : Level::core;
  // Neighbours belong together: in the order of the host, not thread by thread.
  Objects all = objects_of(topology_, type_of(level));
  std::ranges::sort(all, {}, [](hwloc_obj_t object) { return object->logical_index; });
  const Objects own = inside(all, place.object);
  const auto each = static_cast<std::size_t>(placement_.cores_per_rank);
  if ((place.turn + 1) * each > own.size()) {
    return tl::unexpected(LaunchError{
        2, fmt::format("{} {} for each of {} ranks are {}, and mpirun may use {}{}: start fewer "
                       "ranks, or give each less (PE=N of --map-by, N of --bind-to core:N)",
                       each, level_name(level), on_object_[place.index],
                       each * on_object_[place.index], own.size(),
                       on_object_.size() > 1 ? " on each object of the mapping" : "")});
  }
  return make_binding(std::span(own).subspan(place.turn * each, each), all.size(),
                      level_name(level));
}

Binding Placer::bind_share(const Place& place) const {
  // One rank may use everything anyway; more ranks than cores are the scheduler's to place.
  const std::size_t count = places_.size();
  if ((count < 2 && !placement_.map_by) || count > cores_.size()) return {};
  Objects own = inside(cores_, place.object);
  std::size_t sharers = on_object_[place.index];
  std::size_t turn = place.turn;
  if (own.empty()) own = {place.object};  // a hardware thread
  if (sharers > own.size()) {             // more than its cores, though the host has enough
    sharers = 1;
    turn = 0;
  }
  const std::size_t first = turn * own.size() / sharers;
  const std::size_t end = (turn + 1) * own.size() / sharers;
  return make_binding(std::span(own).subspan(first, end - first), cores_.size(),
                      own[0]->type == HWLOC_OBJ_PU ? "hwthread" : "core");
}

}  // namespace

Expected<Topology> Topology::load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0)
    return fail_errno(MPI_ERR_OTHER, errno, "hwloc_topology_init");
  Topology topology;
  topology.topology_.reset(raw);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  if (hwloc_topology_load(raw) != 0) return fail_errno(MPI_ERR_OTHER, errno, "hwloc_topology_load");
  // Processors outside this thread's own mask (taskset, a batch system) are not ours to give.
  // hwloc's flag for that asks for the mask of the process, and goes without where threads differ.
  const Bitmap own(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(raw, own.get(), HWLOC_CPUBIND_THREAD) == 0) {
    hwloc_topology_restrict(raw, own.get(), 0);
  }
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

Expected<Topology> Topology::from_xml(const std::string& text) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0)
    return fail_errno(MPI_ERR_OTHER, errno, "hwloc_topology_init");
  Topology topology;
  topology.topology_.reset(raw);
  if (hwloc_topology_set_xmlbuffer(raw, text.c_str(), static_cast<int>(text.size() + 1)) != 0 ||
      hwloc_topology_load(raw) != 0) {
    return fail_errno(MPI_ERR_OTHER, errno, "the topology of another host");
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

tl::expected<std::vector<Binding>, LaunchError> place_ranks(const Topology& topology, int ranks,
                                                            const Placement& placement) {
  return Placer(topology, ranks, placement).run();
}

Expected<Binding> bind_cores(const Topology& topology, std::optional<int> socket,
                             const std::optional<std::vector<int>>& cores) {
  const Objects all = objects_of(topology.get(), HWLOC_OBJ_CORE);
  Objects own = all;
  if (socket) {
    const Objects sockets = objects_of(topology.get(), HWLOC_OBJ_PACKAGE);
    if (static_cast<std::size_t>(*socket) >= sockets.size()) {
      return fail(MPI_ERR_ARG, "its host has {} sockets, counted from 0", sockets.size());
    }
    own = inside(all, sockets[static_cast<std::size_t>(*socket)]);
  }
  if (!cores) return make_binding(own, all.size(), "core");
  Objects chosen;
  for (const int core : *cores) {
    if (static_cast<std::size_t>(core) >= own.size()) {
      return fail(MPI_ERR_ARG, "{} has {} cores, counted from 0",
                  socket ? "the socket" : "its host", own.size());
    }
    chosen.push_back(own[static_cast<std::size_t>(core)]);
  }
  return make_binding(chosen, all.size(), "core");
}

int count_objects(const Topology& topology, Level level) {
  return static_cast<int>(objects_of(topology.get(), type_of(level)).size());
}

}  // namespace remit::launcher
