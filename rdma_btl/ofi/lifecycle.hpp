// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How endpoints of the ofi device begin and end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rdma_btl/common/own_completions.hpp"
#include "rdma_btl/ofi/endpoint.hpp"
#include "rdma_btl/ofi/lender.hpp"
#include "rdma_btl/ofi/ofi_config.hpp"
#include "rdma_btl/ofi/request_pool.hpp"

namespace remit::ofi {

/// The states that an endpoint ends in, and the deadlines that lead there: the one place where an
/// endpoint fails or is closed, and where that is told to the layer above. Operations that
/// libfabric still has come back with errors when it notices, or are given up soon without that.
/// One thread.
class Lifecycle {
 public:
  Lifecycle(const OfiConfig& config, const Fabric& fabric, Endpoints& endpoints,
            RequestPool& requests, Lender& lender, OwnCompletions& own)
      : config_(config),
        fabric_(fabric),
        endpoints_(endpoints),
        requests_(requests),
        lender_(lender),
        own_(own) {}

  /// The first step to an open endpoint is made.
  void begin(Endpoint& endpoint);
  /// It is open, or has ended.
  void settle(Endpoint& endpoint);
  /// Whether any endpoint is between the two.
  [[nodiscard]] bool any_settling() const { return settling_ != 0; }

  /// The peer's host has to answer within connect_timeout_ms.
  void await_host(Endpoint& endpoint) { set_deadline(endpoint, config_.connect_timeout_ms); }
  static void cancel_deadline(Endpoint& endpoint) { endpoint.deadline_ns = 0; }
  [[nodiscard]] bool any_deadline() const { return !timed_.empty(); }
  /// Ends what is too late.
  void check_deadlines();

  /// The peer says that it leaves, having sent so many messages.
  void on_goodbye(Endpoint& endpoint, std::uint64_t messages);
  /// The peer has left when all that it sent is here: to be called for each message while it
  /// leaves.
  void see_goodbye(Endpoint& endpoint);
  /// The line has ended: an errno or Line::kEnded.
  void on_line_end(Endpoint& endpoint, int error);
  /// Everything that is posted from now on fails; `words` say why, behind Device::explain().
  void fail(Endpoint& endpoint, std::string words);
  /// Something is posted to an endpoint that is not open. Returns how many of the operations were
  /// accepted: on one that has failed all, on one that is not connected yet none.
  [[nodiscard]] std::size_t post_closed(Endpoint& endpoint, std::span<const Operation> operations);

  /// "process 3 on host n7 at 10.0.0.2:4711 over libfabric ...".
  [[nodiscard]] std::string way_to(const Endpoint& endpoint) const;

 private:
  void set_deadline(Endpoint& endpoint, std::uint64_t ms);
  void on_deadline(Endpoint& endpoint);
  void end(Endpoint& endpoint, State state, std::string words);

  const OfiConfig& config_;
  const Fabric& fabric_;
  Endpoints& endpoints_;
  RequestPool& requests_;
  Lender& lender_;
  OwnCompletions& own_;
  std::vector<EndpointId> timed_;  ///< may have a deadline
  std::size_t settling_ = 0;
};

}  // namespace remit::ofi
