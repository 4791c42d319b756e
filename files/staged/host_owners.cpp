// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/staged/host_owners.hpp"

#include <algorithm>
#include <map>

namespace remit {

HostOwners::HostOwners(std::span<const std::int64_t> colors, int wished) {
  std::map<std::int64_t, int> hosts;
  for (const std::int64_t color : colors) {
    const int next = static_cast<int>(hosts.size());
    const auto [found, is_new] = hosts.try_emplace(color, next);
    if (is_new) members_.emplace_back();
    const int host = found->second;
    members_[static_cast<std::size_t>(host)].push_back(static_cast<int>(host_of_.size()));
    host_of_.push_back(host);
  }
  std::size_t most = 0;
  for (const std::vector<int>& members : members_) {
    const std::size_t count = std::min(static_cast<std::size_t>(wished), members.size());
    std::vector<int> owners;
    for (std::size_t i = 0; i < count; ++i) owners.push_back(members[i * members.size() / count]);
    most = std::max(most, count);
    owners_.push_back(std::move(owners));
  }
  for (std::size_t turn = 0; turn < most; ++turn) {
    for (std::size_t host = 0; host < owners_.size(); ++host) {
      if (turn >= owners_[host].size()) continue;
      in_turn_.push_back({owners_[host][turn], static_cast<int>(host)});
    }
  }
}

int HostOwners::fewest() const {
  const auto fewest =
      std::min_element(owners_.begin(), owners_.end(),
                       [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return fewest == owners_.end() ? 0 : static_cast<int>(fewest->size());
}

}  // namespace remit
