// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/sim/virtual_process.hpp"

#include <utility>

namespace remit::sim {

VirtualProcess::Rare& VirtualProcess::rare() {
  if (!rare_) rare_ = std::make_unique<Rare>();
  return *rare_;
}

EndpointId VirtualProcess::find_endpoint(std::uint32_t peer) const {
  if (endpoints.size() > kLinearSearch) {
    const auto found = rare_->endpoint_of.find(peer);
    return found == rare_->endpoint_of.end() ? kNoEndpoint : found->second;
  }
  for (EndpointId id = 0; id < endpoints.size(); ++id) {
    if (endpoints[id].peer == peer) return id;
  }
  return kNoEndpoint;
}

EndpointId VirtualProcess::add_endpoint(std::uint32_t peer) {
  const auto id = static_cast<EndpointId>(endpoints.size());
  endpoints.emplace_back().peer = peer;
  if (endpoints.size() <= kLinearSearch) return id;
  auto& index_of = rare().endpoint_of;
  if (!index_of.empty()) {
    index_of.emplace(peer, id);
    return id;
  }
  for (EndpointId i = 0; i <= id; ++i) index_of.emplace(endpoints[i].peer, i);
  return id;
}

std::string VirtualProcess::failure(EndpointId endpoint) const {
  if (!rare_) return {};
  const auto found = rare_->failures.find(endpoint);
  return found == rare_->failures.end() ? std::string() : found->second;
}

void VirtualProcess::set_failure(EndpointId endpoint, std::string words) {
  rare().failures[endpoint] = std::move(words);
}

bool VirtualProcess::allows_access(std::uint64_t key, std::uint64_t address, std::size_t length,
                                   Access access) const {
  return rare_ && rare_->registrations.allows_access(key, address, length, access);
}

std::size_t VirtualProcess::memory_in_use() const {
  std::size_t total = endpoints.capacity() * sizeof(Endpoint);
  if (rare_) {
    constexpr std::size_t kNode = 4 * sizeof(void*);  // what a hash table adds to an entry
    total +=
        sizeof(Rare) + rare_->endpoint_of.size() * kNode + rare_->registrations.keys() * 2 * kNode;
  }
  return total;
}

}  // namespace remit::sim
