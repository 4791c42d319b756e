// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What happens to operations when a peer or the way to it dies.
#include <vector>

#include "pt2pt/engine.hpp"

namespace remit {

void Engine::fail(Request& request, int error) {
  request.place = RequestPlace::nowhere;
  request.status.error = error;
  complete(request);
}

/// Every operation with the peer completes with MPI_ERR_PROC_ABORTED; so do receives from any
/// source, for they might wait for it for ever, unless it left in order. Eager messages that are
/// here can still be received.
void Engine::lost(Link& link, bool left_in_order) {
  auto& peer = static_cast<Peer&>(link);
  peer.fast_below = 0;
  while (Request* request = peer.waiting.pop_front()) {
    --waiting_;
    fail(*request, MPI_ERR_PROC_ABORTED);
  }
  transfers_.for_each([&](Transfer& transfer) {
    if (transfer.peer != &peer) return;
    const bool busy = transfer.outstanding != 0 && transfer.kind != TransferKind::put_target;
    if (!busy) return finish(transfer, MPI_ERR_PROC_ABORTED);
    // The device still uses the memory: completed() ends it.
    transfer.failed = true;
    transfer.error = MPI_ERR_PROC_ABORTED;
  });
  std::vector<Request*> hit;
  matcher_.for_each_posted([&](PostedLink& posted) {
    auto& request = static_cast<Request&>(posted);
    const bool from_any = request.proc == kAnyProc && !left_in_order;
    if (request.proc == peer.id || from_any) hit.push_back(&request);
  });
  for (Request* request : hit) {
    matcher_.remove_posted(*request);
    fail(*request, MPI_ERR_PROC_ABORTED);
  }
}

}  // namespace remit
