// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Dealing ranks to hosts, and numbering them across hosts.
#include "launcher/plan/host_map.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace remit::launcher {
namespace {

// Deals the ranks of one program after the other; hosts stay as full as earlier programs left them.
class Dealer {
 public:
  Dealer(std::span<const HostRoom> hosts, const Placement& placement, int per_host,
         std::span<const int> taken)
      : hosts_(hosts), placement_(placement), taken_(taken.begin(), taken.end()) {
    taken_.resize(hosts.size(), 0);
    counts_ = taken_;
    for (const HostRoom& host : hosts) {
      objects_.push_back(host.processors->count(placement.map_by.value_or(Level::host)));
      int share = host.slots();
      if (placement.per_object > 0) share = placement.per_object * objects_.back();
      if (per_host > 0) share = per_host;
      shares_.push_back(share);
    }
  }

  tl::expected<std::vector<int>, LaunchError> deal(const AppRoom& app) {
    std::vector<int> dealt;
    while (static_cast<int>(dealt.size()) < app.ranks) {
      const std::size_t before = dealt.size();
      deal_round(app, &dealt);
      if (dealt.size() > before) continue;
      if (!has_room(app)) return tl::unexpected(no_room(app));
      ++round_;  // all have their share: once more
    }
    if (!takes_turns())
      std::ranges::stable_sort(dealt, {}, [&](int host) { return place_of(app, host); });
    number(app, &dealt);
    return dealt;
  }

 private:
  [[nodiscard]] bool takes_turns() const {
    return placement_.per_object == 0 && (placement_.span || placement_.map_by == Level::host);
  }

  // One pass over the program's hosts, each with what its share leaves.
  void deal_round(const AppRoom& app, std::vector<int>* dealt) {
    for (const int host : app.hosts) {
      const auto index = static_cast<std::size_t>(host);
      const int at_once = takes_turns() ? (placement_.span ? objects_[index] : 1) : shares_[index];
      for (int i = 0; i < at_once && static_cast<int>(dealt->size()) < app.ranks; ++i) {
        if (counts_[index] >= shares_[index] * round_ || is_full(index)) break;
        ++counts_[index];
        dealt->push_back(host);
      }
    }
  }

  [[nodiscard]] bool is_full(std::size_t host) const {
    const int most = hosts_[host].spec.max_slots;
    return most > 0 && counts_[host] >= most;
  }

  [[nodiscard]] bool has_room(const AppRoom& app) const {
    return std::ranges::any_of(app.hosts,
                               [&](int host) { return !is_full(static_cast<std::size_t>(host)); });
  }

  [[nodiscard]] LaunchError no_room(const AppRoom& app) const {
    int room = 0;
    for (const int host : app.hosts) {
      const auto index = static_cast<std::size_t>(host);
      room += std::max(0, hosts_[index].spec.max_slots - taken_[index]);
    }
    return {2, fmt::format("max_slots of the hostfile leaves room for {} ranks, and more are to be "
                           "started: start fewer, or change max_slots",
                           room)};
  }

  static std::ptrdiff_t place_of(const AppRoom& app, int host) {
    return std::ranges::find(app.hosts, host) - app.hosts.begin();
  }

  // Numbering over the hosts, or over the objects of all of them, in turn; or host by host.
  void number(const AppRoom& app, std::vector<int>* dealt) const {
    const bool over_hosts = placement_.rank_by == Level::host;
    if (!over_hosts && !placement_.rank_span) {
      if (placement_.rank_fill || placement_.rank_by) {
        std::ranges::stable_sort(*dealt, {}, [&](int host) { return place_of(app, host); });
      }
      return;
    }
    std::vector<int> left(hosts_.size(), 0);
    for (const int host : *dealt) ++left[static_cast<std::size_t>(host)];
    const std::size_t count = dealt->size();
    dealt->clear();
    while (dealt->size() < count) {
      for (const int host : app.hosts) {
        const auto index = static_cast<std::size_t>(host);
        const int take = std::min(left[index], over_hosts ? 1 : objects_[index]);
        dealt->insert(dealt->end(), static_cast<std::size_t>(take), host);
        left[index] -= take;
      }
    }
  }

  std::span<const HostRoom> hosts_;
  const Placement& placement_;
  std::vector<int> objects_;  // of the mapping, on each host
  std::vector<int> shares_;
  std::vector<int> taken_;   // before any rank is dealt
  std::vector<int> counts_;  // with what was dealt
  int round_ = 1;
};

}  // namespace

int HostRoom::slots() const {
  if (spec.slots != HostSpec::kAllCores) return spec.slots;
  return std::max(1, processors->count(Level::core));
}

tl::expected<std::vector<int>, LaunchError> deal_to_hosts(std::span<const HostRoom> hosts,
                                                          std::span<const AppRoom> apps,
                                                          const Placement& placement, int per_host,
                                                          std::span<const int> taken) {
  Dealer dealer(hosts, placement, per_host, taken);
  std::vector<int> all;
  for (const AppRoom& app : apps) {
    auto dealt = dealer.deal(app);
    if (!dealt) return dealt;
    all.insert(all.end(), dealt->begin(), dealt->end());
  }
  return all;
}

int implied_ranks(std::span<const HostRoom> hosts, const Placement& placement, int per_host) {
  return std::accumulate(hosts.begin(), hosts.end(), 0, [&](int sum, const HostRoom& host) {
    if (per_host > 0) return sum + per_host;
    if (placement.per_object == 0) return sum + host.slots();
    return sum +
           placement.per_object * host.processors->count(placement.map_by.value_or(Level::host));
  });
}

}  // namespace remit::launcher
