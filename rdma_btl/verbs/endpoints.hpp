// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The peers of a verbs device, by number, by name and by queue pair.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "rdma_btl/common/endpoint_table.hpp"
#include "rdma_btl/verbs/endpoint.hpp"

namespace remit::verbs {

/// One thread.
class Endpoints : public EndpointTable<Endpoint> {
 public:
  /// Whose queue pair this is; null: nobody's any more.
  [[nodiscard]] Endpoint* of_queue_pair(std::uint32_t qp_num) {
    const auto found = by_qp_num_.find(qp_num);
    return found == by_qp_num_.end() ? nullptr : &(*this)[found->second];
  }
  void bind(std::uint32_t qp_num, const Endpoint& endpoint) { by_qp_num_[qp_num] = endpoint.id; }
  void unbind(std::uint32_t qp_num) { by_qp_num_.erase(qp_num); }

 private:
  std::unordered_map<std::uint32_t, EndpointId> by_qp_num_;
};

}  // namespace remit::verbs
