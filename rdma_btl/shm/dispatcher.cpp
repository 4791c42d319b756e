// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/dispatcher.hpp"

#include <cstring>

#include "rdma_btl/shm/copies/target.hpp"
#include "rdma_btl/shm/copies/transfers.hpp"
#include "rdma_btl/shm/peers/peer_health.hpp"
#include "rdma_btl/shm/peers/peer_heaps.hpp"

namespace remit::shm {

namespace {

/// A copy, for the peer could change it between a check and its use.
template <class Payload>
Payload payload_of(const Cell& cell) {
  static_assert(sizeof(Payload) <= kInline);
  Payload payload;
  std::memcpy(&payload, cell.payload, sizeof payload);
  return payload;
}

}  // namespace

bool Dispatcher::handle(Endpoint& endpoint, const Cell& cell, CellKind kind, Completion& out) {
  switch (kind) {
    case CellKind::notification:
      out = event_of(CompletionKind::notification, endpoint.id, MPI_SUCCESS, 0,
                     payload_of<std::uint32_t>(cell));
      return true;
    case CellKind::put_data:
      return target_.on_put_data(endpoint, payload_of<PutData>(cell), out);
    case CellKind::put_done:
      transfers_.on_put_done(endpoint, payload_of<PutDone>(cell));
      return false;
    case CellKind::get_request:
      target_.on_get_request(endpoint, payload_of<GetRequest>(cell));
      return false;
    case CellKind::get_data:
      transfers_.on_get_data(endpoint, payload_of<GetData>(cell));
      return false;
    case CellKind::atomic_request:
      return target_.on_atomic_request(endpoint, payload_of<AtomicRequest>(cell), out);
    case CellKind::atomic_reply:
      transfers_.on_atomic_reply(endpoint, payload_of<AtomicReply>(cell));
      return false;
    case CellKind::assist:
      target_.on_assist(endpoint, payload_of<AssistRequest>(cell));
      return false;
    case CellKind::heap_wanted:
      heaps_.answer(endpoint);
      return false;
    case CellKind::send_inline:
    case CellKind::send_area:
      break;
  }
  health_.violated(endpoint, "a cell that makes no sense");
  return false;
}

}  // namespace remit::shm
