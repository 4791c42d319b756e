// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The endpoints of a device: by number for what is posted and completes, by name for who asks.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rdma_btl/device.hpp"

namespace remit {

/// Owns a device's endpoints. They are numbered from 0 without a gap, are never removed, and their
/// addresses do not change. `Endpoint` has the members `EndpointId id` and `PeerName peer`, which
/// this table sets.
template <class Endpoint>
class EndpointTable {
 public:
  [[nodiscard]] Endpoint& operator[](EndpointId id) { return *endpoints_[id]; }
  [[nodiscard]] const Endpoint& operator[](EndpointId id) const { return *endpoints_[id]; }
  [[nodiscard]] std::size_t size() const { return endpoints_.size(); }
  /// Whether there is an endpoint of this number, which a message of a stranger may carry.
  [[nodiscard]] bool has(std::uint64_t id) const { return id < endpoints_.size(); }

  /// The endpoint to a peer; null: there is none.
  [[nodiscard]] Endpoint* find(PeerName peer) {
    const auto found = by_name_.find(peer);
    return found == by_name_.end() ? nullptr : endpoints_[found->second].get();
  }

  /// The endpoint to a peer, and whether it is new: only then the arguments are used to make it.
  template <class... Args>
  std::pair<Endpoint&, bool> find_or_add(PeerName peer, Args&&... args) {
    if (Endpoint* const known = find(peer)) return {*known, false};
    auto endpoint = std::make_unique<Endpoint>(std::forward<Args>(args)...);
    endpoint->id = static_cast<EndpointId>(endpoints_.size());
    endpoint->peer = peer;
    by_name_.emplace(peer, endpoint->id);
    return {*endpoints_.emplace_back(std::move(endpoint)), true};
  }

  /// For loops over all of them, in the order of their numbers.
  class Iterator {
   public:
    explicit Iterator(const std::unique_ptr<Endpoint>* at) : at_(at) {}
    [[nodiscard]] Endpoint& operator*() const { return **at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    [[nodiscard]] bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const std::unique_ptr<Endpoint>* at_;
  };
  [[nodiscard]] Iterator begin() const { return Iterator(endpoints_.data()); }
  [[nodiscard]] Iterator end() const { return Iterator(endpoints_.data() + endpoints_.size()); }

 private:
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::unordered_map<PeerName, EndpointId> by_name_;
};

}  // namespace remit
