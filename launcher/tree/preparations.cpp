// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Counting the answers of daemons.
#include "launcher/tree/preparations.hpp"

#include <utility>

namespace remit::launcher {

void Preparations::begin(int job, std::set<int> nodes, Done done) {
  waiting_[job] = {std::move(nodes), "", std::move(done)};
}

void Preparations::answered(int job, int node, const std::string& refusal) {
  const auto found = waiting_.find(job);
  if (found == waiting_.end() || found->second.missing.erase(node) == 0) return;
  Preparation& preparation = found->second;
  if (preparation.error.empty()) preparation.error = refusal;
  if (!preparation.missing.empty()) return;
  const Preparation over = std::move(preparation);
  waiting_.erase(found);
  if (over.error.empty()) return over.done({});
  over.done(tl::unexpected(LaunchError{1, over.error}));
}

}  // namespace remit::launcher
