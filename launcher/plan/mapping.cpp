// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The binding rules.
#include "launcher/plan/mapping.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

namespace remit::launcher {
namespace {

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

using Parts = std::vector<const HostPart*>;

Parts all_of(const Processors& processors, Level level) {
  Parts parts;
  for (const HostPart& part : processors.parts(level)) parts.push_back(&part);
  return parts;
}

Binding make_binding(std::span<const HostPart* const> parts, std::size_t total,
                     std::string_view word) {
  CpuSet set;
  std::vector<int> indices;
  for (const HostPart* part : parts) {
    set.add(part->cpus);
    indices.push_back(part->number);
  }
  std::ranges::sort(indices);
  Binding binding;
  binding.cpus = set.list();
  binding.description = fmt::format("{} {} of {} (processors {})", word, ranges(indices), total,
                                    ranges(binding.cpus));
  return binding;
}

Parts inside(const Parts& parts, const HostPart& outer) {
  Parts found;
  std::ranges::copy_if(parts, std::back_inserter(found),
                       [&](const HostPart* part) { return outer.cpus.includes(part->cpus); });
  return found;
}

// The index of the one that holds, or is held by, another part; 0 if there is none.
std::size_t index_around(const Parts& parts, const HostPart& other) {
  const auto found = std::ranges::find_if(parts, [&](const HostPart* part) {
    return part->cpus.includes(other.cpus) || other.cpus.includes(part->cpus);
  });
  return found == parts.end() ? 0 : static_cast<std::size_t>(found - parts.begin());
}

// One rank before it has its number.
struct Place {
  const HostPart* part = nullptr;  // that it was dealt to
  std::size_t index = 0;           // of the part
  std::size_t turn = 0;            // how many ranks the part had before
};

// Deals ranks out, and numbers and binds them; see place_ranks().
class Placer {
 public:
  Placer(const Processors& processors, int ranks, const Placement& placement)
      : processors_(processors),
        placement_(placement),
        cores_(all_of(processors, Level::core)),
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

  const Processors& processors_;
  const Placement& placement_;
  Parts cores_;
  std::vector<Place> places_;
  std::vector<std::size_t> on_part_;  // how many ranks each part of the mapping has
};

tl::expected<void, LaunchError> Placer::deal() {
  Level level = placement_.map_by.value_or(Level::host);
  // Each rank has several cores: they are taken in order, wherever they are.
  const bool by_core = level == Level::core || level == Level::hwthread;
  if (placement_.cores_per_rank > 0 && by_core) level = Level::host;
  const Parts parts = all_of(processors_, level);
  const auto per_object = static_cast<std::size_t>(placement_.per_object);
  if (per_object > 0 && places_.size() > per_object * parts.size()) {
    return tl::unexpected(LaunchError{
        2, fmt::format("--map-by ppr:{}:{}: has room for {} ranks ({} x {}), and {} are "
                       "to be started: change -n or the number behind ppr",
                       per_object, level_name(level), per_object * parts.size(), parts.size(),
                       level_name(level), places_.size())});
  }
  on_part_.assign(parts.size(), 0);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::size_t index = per_object > 0 ? i / per_object : i % parts.size();
    places_[i] = {parts[index], index, on_part_[index]++};
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
  const Parts groups = all_of(processors_, *placement_.rank_by);
  struct Key {
    std::size_t round;
    std::size_t group;
    Place place;
  };
  std::vector<std::size_t> rounds(groups.size(), 0);
  std::vector<Key> keys;
  for (const Place& place : places_) {
    const Parts own = inside(cores_, *place.part);
    const HostPart* seat = own.empty() ? place.part : own[place.turn % own.size()];
    const std::size_t group = index_around(groups, *seat);
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
  const Parts all = all_of(processors_, level);
  const Parts own = inside(all, *place.part);
  const HostPart* chosen =
      own.empty() ? all[index_around(all, *place.part)] : own[place.turn % own.size()];
  return make_binding(std::array{chosen}, all.size(), level_name(level));
}

tl::expected<Binding, LaunchError> Placer::bind_own_cores(const Place& place) const {
  const Level level = placement_.binding() == BindTo::hwthread ? Level::hwthread : Level::core;
  // Neighbours belong together: in the order of the host, not thread by thread.
  Parts all = all_of(processors_, level);
  std::ranges::sort(all, {}, [](const HostPart* part) { return part->number; });
  const Parts own = inside(all, *place.part);
  const auto each = static_cast<std::size_t>(placement_.cores_per_rank);
  if ((place.turn + 1) * each > own.size()) {
    return tl::unexpected(LaunchError{
        2, fmt::format("{} {} for each of {} ranks are {}, and mpirun may use {}{}: start fewer "
                       "ranks, or give each less (PE=N of --map-by, N of --bind-to core:N)",
                       each, level_name(level), on_part_[place.index], each * on_part_[place.index],
                       own.size(), on_part_.size() > 1 ? " on each object of the mapping" : "")});
  }
  return make_binding(std::span(own).subspan(place.turn * each, each), all.size(),
                      level_name(level));
}

Binding Placer::bind_share(const Place& place) const {
  // One rank may use everything anyway; more ranks than cores are the scheduler's to place.
  const std::size_t count = places_.size();
  if ((count < 2 && !placement_.map_by) || count > cores_.size()) return {};
  Parts own = inside(cores_, *place.part);
  std::size_t sharers = on_part_[place.index];
  std::size_t turn = place.turn;
  if (own.empty()) own = {place.part};  // a hardware thread
  if (sharers > own.size()) {           // more than its cores, though the host has enough
    sharers = 1;
    turn = 0;
  }
  const std::size_t first = turn * own.size() / sharers;
  const std::size_t end = (turn + 1) * own.size() / sharers;
  return make_binding(std::span(own).subspan(first, end - first), cores_.size(),
                      level_name(own[0]->level));
}

}  // namespace

std::string Binding::list() const {
  return ranges(cpus);
}

tl::expected<std::vector<Binding>, LaunchError> place_ranks(const Processors& processors, int ranks,
                                                            const Placement& placement) {
  return Placer(processors, ranks, placement).run();
}

Expected<Binding> bind_cores(const Processors& processors, std::optional<int> socket,
                             const std::optional<std::vector<int>>& cores) {
  const Parts all = all_of(processors, Level::core);
  Parts own = all;
  if (socket) {
    const Parts sockets = all_of(processors, Level::socket);
    if (static_cast<std::size_t>(*socket) >= sockets.size()) {
      return fail(MPI_ERR_ARG, "its host has {} sockets, counted from 0", sockets.size());
    }
    own = inside(all, *sockets[static_cast<std::size_t>(*socket)]);
  }
  if (!cores) return make_binding(own, all.size(), "core");
  Parts chosen;
  for (const int core : *cores) {
    if (static_cast<std::size_t>(core) >= own.size()) {
      return fail(MPI_ERR_ARG, "{} has {} cores, counted from 0",
                  socket ? "the socket" : "its host", own.size());
    }
    chosen.push_back(own[static_cast<std::size_t>(core)]);
  }
  return make_binding(chosen, all.size(), "core");
}

}  // namespace remit::launcher
