// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "programs/profile/wait_chains.hpp"

#include <algorithm>
#include <utility>

namespace remit::profiles {
namespace {

constexpr std::int64_t kMostSteps = 20'000'000;  // of all chains together: a second or so
constexpr std::size_t kLongestPath = 256;

}  // namespace

WaitChains::WaitChains(std::vector<std::vector<WaitSpan>> waits)
    : waits_(std::move(waits)), steps_left_(kMostSteps) {
  for (std::vector<WaitSpan>& each : waits_) {
    std::ranges::sort(each, {}, &WaitSpan::begin_ns);
    // A thread waits for one thing at a time: what clocks make overlap is cut, so that ends ascend.
    std::int64_t end = 0;
    for (WaitSpan& wait : each) {
      wait.begin_ns = std::max(wait.begin_ns, end);
      wait.end_ns = std::max(wait.end_ns, wait.begin_ns);
      end = wait.end_ns;
    }
  }
}

void WaitChains::follow(int waiter, const WaitSpan& wait, std::map<int, double>& seconds) {
  path_.assign(1, waiter);
  follow(wait.peer, wait.begin_ns, wait.end_ns, seconds);
}

void WaitChains::follow(int rank, std::int64_t begin_ns, std::int64_t end_ns,
                        std::map<int, double>& seconds) {
  const std::vector<WaitSpan>& own = waits_[static_cast<std::size_t>(rank)];
  path_.push_back(rank);
  std::int64_t passed_on = 0;
  auto at = std::ranges::upper_bound(own, begin_ns, {}, &WaitSpan::end_ns);
  for (; at != own.end() && at->begin_ns < end_ns && steps_left_ > 0; ++at) {
    --steps_left_;
    // Two that wait for each other are both the last.
    if (path_.size() >= kLongestPath || std::ranges::find(path_, at->peer) != path_.end()) continue;
    const std::int64_t from = std::max(begin_ns, at->begin_ns);
    const std::int64_t to = std::min(end_ns, at->end_ns);
    if (from >= to) continue;
    follow(at->peer, from, to, seconds);
    passed_on += to - from;
  }
  path_.pop_back();
  seconds[rank] += static_cast<double>(end_ns - begin_ns - passed_on) * 1e-9;
}

}  // namespace remit::profiles
