// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives (MPI-5.0, section 8.6).
#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "collectives/algorithms/request_array.hpp"

namespace remit {

namespace {

/// What leaves towards neighbour i. Allgathers send everybody the same.
View block_to(const CollectiveArgs& a, int i) {
  using enum CollectiveKind;
  const bool same = a.kind == neighbor_allgather || a.kind == neighbor_allgatherv;
  return same ? view_of(a.send, a.send_count, *a.send_type) : send_slot(a, i);
}

}  // namespace

/// Direct: every message at once. Two members with several edges between them tell the messages
/// apart by their order: both go through these edges in the order of the sender's blocks. Empty
/// blocks travel, too, for a member does not know that its neighbours' counts agree with its own.
Task<int> neighbor_direct(CollCtx& c, const CollectiveArgs& a) {
  const Neighborhood& neighbors = *a.neighbors;
  const auto sources = static_cast<int>(neighbors.sources.size());
  const auto destinations = static_cast<int>(neighbors.destinations.size());
  RequestArray messages(c, RequestKind::receive, sources + destinations);
  for (int i = 0; i < sources; ++i) {
    const int block = neighbors.opposite ? i ^ 1 : i;
    const int source = neighbors.sources[static_cast<std::size_t>(block)];
    if (source != MPI_PROC_NULL) c.start_receive(messages.next(), receive_slot(a, block), source);
  }
  for (int i = 0; i < destinations; ++i) {
    const int destination = neighbors.destinations[static_cast<std::size_t>(i)];
    if (destination == MPI_PROC_NULL) continue;
    c.start_send(messages.next(RequestKind::send), block_to(a, i), destination);
  }
  auto everything = c.all(messages.started());
  co_await everything;
  co_return c.error();
}

}  // namespace remit
