// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/sim/fault_plan.hpp"

#include <algorithm>

namespace remit::sim {

namespace {

std::uint64_t link_key(std::uint32_t a, std::uint32_t b) {
  return (std::uint64_t{std::min(a, b)} << 32) | std::max(a, b);
}

}  // namespace

bool FaultPlan::dooms(std::uint32_t from, std::uint32_t to) {
  const auto found = std::find(injected_.begin(), injected_.end(), std::pair(from, to));
  if (found == injected_.end()) return random_.chance(error_rate_);
  injected_.erase(found);
  return true;
}

FaultPlan::DownLink* FaultPlan::find(std::uint32_t a, std::uint32_t b) const {
  if (down_.empty()) return nullptr;
  const auto found = down_.find(link_key(a, b));
  return found == down_.end() ? nullptr : found->second.get();
}

bool FaultPlan::is_down(std::uint32_t a, std::uint32_t b) const {
  return find(a, b) != nullptr;
}

void FaultPlan::take_down(std::uint32_t a, std::uint32_t b, std::uint64_t now_ns) {
  auto link = std::make_unique<DownLink>();
  link->since_ns = now_ns;
  down_.emplace(link_key(a, b), std::move(link));
}

std::vector<FaultPlan::Parked> FaultPlan::bring_up(std::uint32_t a, std::uint32_t b) {
  std::vector<Parked> parked = std::move(find(a, b)->parked);
  down_.erase(link_key(a, b));
  return parked;
}

/// The timeout of an earlier interruption finds none, or a younger one.
std::vector<FaultPlan::Parked> FaultPlan::expire(std::uint32_t a, std::uint32_t b,
                                                 std::uint64_t since_ns) {
  DownLink* const link = find(a, b);
  if (link == nullptr || link->since_ns > since_ns) return {};
  link->expired = true;
  return std::exchange(link->parked, {});
}

FaultPlan::Passage FaultPlan::pass(std::uint32_t a, std::uint32_t b, const Parked& event) {
  DownLink* const link = find(a, b);
  if (link == nullptr) return Passage::open;
  if (link->expired) return Passage::failed;
  link->parked.push_back(event);
  return Passage::parked;
}

}  // namespace remit::sim
