// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Confirms of the ofi device: libfabric says of each write when it is visible at its target.
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

/// A request is over. If it is a put, it is visible at its target now, or has failed.
inline void end_put(Endpoint& endpoint, const Request& request, OwnCompletions& own) {
  if (request.kind != Request::Kind::put) return;
  endpoint.confirms.end(request.group);
  settle_confirms(endpoint, own);
}

}  // namespace remit::ofi
