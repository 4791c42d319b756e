// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Whether connected peers are still there.
#pragma once

#include <cstdint>

#include "rdma_btl/verbs/adapter/opened_adapter.hpp"
#include "rdma_btl/verbs/endpoints.hpp"

namespace remit::verbs {

class Notes;
class Teardown;
class WorkQueue;

/// Who dies silently is noticed by who writes to it; where nobody writes, this does, now and then:
/// an empty write, which the adapter of the peer acknowledges whatever its process does, or with
/// iWARP a read, which it answers. One thread.
class Keepalive {
 public:
  Keepalive(const OpenedAdapter& adapter, const VerbsConfig& config, VerbsCounters& counters,
            Endpoints& endpoints, WorkQueue& work, Notes& notes, Teardown& teardown)
      : adapter_(adapter),
        config_(config),
        counters_(counters),
        endpoints_(endpoints),
        work_(work),
        notes_(notes),
        teardown_(teardown) {}

  /// When run() has something to do.
  [[nodiscard]] std::uint64_t due_ns() const { return due_ns_; }
  /// Asks those that are due, and fails those that have not answered.
  void run(std::uint64_t now);

 private:
  [[nodiscard]] bool waits(Endpoint& endpoint, std::uint64_t now);

  const OpenedAdapter& adapter_;
  const VerbsConfig& config_;
  VerbsCounters& counters_;
  Endpoints& endpoints_;
  WorkQueue& work_;
  Notes& notes_;
  Teardown& teardown_;
  std::uint64_t due_ns_ = 0;
  EndpointId next_ = 0;  ///< whom to ask, where a round was too long for one call
};

}  // namespace remit::verbs
