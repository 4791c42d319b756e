// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Barrier (MPI-5.0, section 6.3).
#include "collectives/algorithms.hpp"
#include "collectives/buffers.hpp"

namespace remit {

/// Dissemination: in round k everybody signals the one 2^k ahead. ceil(log2 p) rounds, any p
/// (Hensgen, Finkel, Manber 1988).
Task<int> barrier_dissemination(CollCtx& c, const CollectiveArgs& /*a*/) {
  const int size = c.size();
  const View nothing = bytes_view(nullptr, 0);
  for (int distance = 1; distance < size; distance *= 2) {
    const int to = (c.rank() + distance) % size;
    const int from = (c.rank() - distance + size) % size;
    auto signal = c.sendrecv(nothing, to, nothing, from);
    co_await signal;
  }
  co_return c.error();
}

}  // namespace remit
