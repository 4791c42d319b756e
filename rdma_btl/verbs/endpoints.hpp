// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The peers of a verbs device, by number, by name and by queue pair.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "rdma_btl/verbs/endpoint.hpp"

namespace remit::verbs {

/// Owns the endpoints. None is ever taken away, so references stay good. One thread.
class Endpoints {
 public:
  [[nodiscard]] Endpoint& operator[](EndpointId id) const { return *all_[id]; }
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] auto begin() const { return all_.begin(); }
  [[nodiscard]] auto end() const { return all_.end(); }

  /// Null: this peer is not known.
  [[nodiscard]] Endpoint* find(PeerName peer) const {
    const auto found = by_name_.find(peer);
    return found == by_name_.end() ? nullptr : all_[found->second].get();
  }
  /// The endpoint of this peer, which is made if it is not known.
  [[nodiscard]] Endpoint& find_or_make(PeerName peer) {
    if (Endpoint* const known = find(peer); known != nullptr) return *known;
    auto endpoint = std::make_unique<Endpoint>();
    endpoint->peer = peer;
    endpoint->id = static_cast<EndpointId>(all_.size());
    by_name_.emplace(peer, endpoint->id);
    return *all_.emplace_back(std::move(endpoint));
  }

  /// Whose queue pair this is; null: nobody's any more.
  [[nodiscard]] Endpoint* of_queue_pair(std::uint32_t qp_num) const {
    const auto found = by_qp_num_.find(qp_num);
    return found == by_qp_num_.end() ? nullptr : all_[found->second].get();
  }
  void bind(std::uint32_t qp_num, const Endpoint& endpoint) { by_qp_num_[qp_num] = endpoint.id; }
  void unbind(std::uint32_t qp_num) { by_qp_num_.erase(qp_num); }

 private:
  std::vector<std::unique_ptr<Endpoint>> all_;
  std::unordered_map<std::uint32_t, EndpointId> by_qp_num_;
  std::unordered_map<PeerName, EndpointId> by_name_;
};

}  // namespace remit::verbs
