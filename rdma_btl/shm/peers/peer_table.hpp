// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The peers of a shared-memory device, by endpoint and by name.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rdma_btl/shm/peers/endpoint.hpp"

namespace remit::shm {

/// Endpoints are numbered as they come and stay where they are until the device is closed. One
/// thread.
class PeerTable {
 public:
  [[nodiscard]] Endpoint& operator[](EndpointId id) const { return *endpoints_[id]; }
  /// Null: nobody of that name is known.
  [[nodiscard]] Endpoint* find(PeerName name) const {
    const auto known = by_name_.find(name);
    return known != by_name_.end() ? endpoints_[known->second].get() : nullptr;
  }
  /// Gives it its number. Endpoint::peer is a new name.
  Endpoint& add(std::unique_ptr<Endpoint> endpoint) {
    endpoint->id = static_cast<EndpointId>(endpoints_.size());
    by_name_.emplace(endpoint->peer, endpoint->id);
    return *endpoints_.emplace_back(std::move(endpoint));
  }

  [[nodiscard]] std::size_t size() const { return endpoints_.size(); }
  [[nodiscard]] bool empty() const { return endpoints_.empty(); }
  /// In the order of their numbers. Not while endpoints may be added.
  [[nodiscard]] auto begin() const { return endpoints_.begin(); }
  [[nodiscard]] auto end() const { return endpoints_.end(); }

 private:
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::unordered_map<PeerName, EndpointId> by_name_;
};

}  // namespace remit::shm
