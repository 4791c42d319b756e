// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Confirms of the ofi device. In one stream a read behind the writes proves that they are visible;
// elsewhere libfabric says of each write when it is, which costs an answer each.
#pragma once

#include <cstdint>
#include <optional>

#include "rdma_btl/common/own_completions.hpp"
#include "rdma_btl/ofi/endpoint.hpp"
#include "rdma_btl/ofi/request_pool.hpp"

namespace remit::ofi {

/// Completes the confirms behind which nothing is under way any more. To be called after each
/// change of Endpoint::confirms.
inline void settle_confirms(Endpoint& endpoint, OwnCompletions& own) {
  const bool lost = endpoint.state == State::failed || endpoint.state == State::gone;
  while (const std::optional<std::uint64_t> cookie = endpoint.confirms.next_due()) {
    own.complete(endpoint.id, *cookie, lost ? MPI_ERR_PROC_ABORTED : MPI_SUCCESS);
  }
}

/// A confirm waits for this request, which libfabric has taken.
inline void count_for_confirms(Endpoint& endpoint, Request& request) {
  request.counted = true;
  request.group = endpoint.confirms.begin();
}

/// A request is over: what a confirm waited for is visible at its target, or has failed.
inline void end_counted(Endpoint& endpoint, Request& request, OwnCompletions& own) {
  if (!request.counted) return;
  request.counted = false;
  endpoint.confirms.end(request.group);
  settle_confirms(endpoint, own);
}

}  // namespace remit::ofi
