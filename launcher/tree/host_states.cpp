// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// States of nodes.
#include "launcher/tree/host_states.hpp"

#include <cstddef>

namespace remit::launcher {

void HostStates::lose(int node) {
  for (int each = 1; each < tree_.nodes(); ++each) {
    if (tree_.is_within(each, node)) lost_.insert(each);
  }
}

std::set<int> HostStates::present() const {
  std::set<int> nodes;
  for (int node = 1; node < tree_.nodes(); ++node) {
    if (!lost_.contains(node)) nodes.insert(node);
  }
  return nodes;
}

std::vector<int> HostStates::take_gone(int node, const std::vector<int>& nodes) {
  std::vector<int> processes;
  std::set<int> fresh;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const int place = nodes[i];
    if (place == 0 || !tree_.is_within(place, node)) continue;
    busy_.erase(place);
    if (gone_.contains(place)) continue;
    processes.push_back(static_cast<int>(i));
    fresh.insert(place);
  }
  gone_.merge(fresh);
  return processes;
}

void HostStates::set_folders(int node, std::vector<std::string> folders) {
  folders_[node] = std::move(folders);
}

HostStates::Remains HostStates::remains() const {
  Remains all;
  for (const int node : lost_) {
    const auto found = folders_.find(node);
    if (found == folders_.end()) continue;
    all.nodes.push_back(node);
    all.folders.insert(all.folders.end(), found->second.begin(), found->second.end());
  }
  return all;
}

}  // namespace remit::launcher
