// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Prefix reductions, inclusive and exclusive (MPI-5.0, section 6.11).
#include <algorithm>

#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"

namespace remit {

namespace {

/// A copy of the contribution to reduce into, for the user's own must stay as it is.
void* copy_of_contribution(CollCtx& c, const CollectiveArgs& a) {
  void* copy = c.scratch(a.recv_count, *a.recv_type);
  copy_local(view_of(contribution(a), a.recv_count, *a.recv_type),
             view_of(copy, a.recv_count, *a.recv_type));
  return copy;
}

}  // namespace

/// Recursive doubling (Hillis and Steele): in the round of distance d a member passes what it knows
/// of the d members up to itself on to the one d ahead. ceil(log2 p) messages of the whole vector;
/// operands stay in rank order. Exclusive: what arrives is reduced without one's own, too; the
/// first arrival is the first result.
Task<int> scan_recursive_doubling(CollCtx& c, const CollectiveArgs& a) {
  const bool exclusive = a.kind == CollectiveKind::exscan;
  const int me = c.rank();
  const int size = c.size();
  const Datatype& type = *a.recv_type;
  const MPI_Count count = a.recv_count;
  void* partial = a.recv;  // of the members (me - distance, me]
  if (!exclusive) {
    start_in_recv(a);
  } else if (me + 1 < size) {
    partial = copy_of_contribution(c, a);
  }
  void* spare = me >= (exclusive ? 2 : 1) ? c.scratch(count, type) : nullptr;
  for (int distance = 1; distance < size; distance *= 2) {
    const bool gives = me + distance < size;
    const bool takes = me >= distance;
    const bool first_result = exclusive && distance == 1;
    void* arrived = first_result ? a.recv : spare;
    const View out = view_of(partial, count, type);
    const View in = view_of(arrived, count, type);
    auto pass =
        c.exchange(gives ? &out : nullptr, me + distance, takes ? &in : nullptr, me - distance);
    co_await pass;
    if (!takes) continue;
    if (exclusive && !first_result) combine(c, a, arrived, a.recv, count);
    if (!exclusive || me + 2 * distance < size) combine(c, a, arrived, partial, count);
  }
  co_return c.error();
}

MPI_Count scan_segment(MPI_Count type_size) {
  constexpr MPI_Count kBytes = 32768;
  return std::max<MPI_Count>(1, kBytes / std::max<MPI_Count>(1, type_size));
}

/// Chain: each member reduces what its left neighbour passes on with its own, segment by segment,
/// so that all work at once. Every byte passes each process once whatever p: for long vectors.
Task<int> scan_chain(CollCtx& c, const CollectiveArgs& a) {
  const bool exclusive = a.kind == CollectiveKind::exscan;
  const Datatype& type = *a.recv_type;
  const bool takes = c.rank() > 0;
  const bool gives = c.rank() + 1 < c.size();
  const MPI_Count segment = std::min(scan_segment(type.size()), a.recv_count);
  const MPI_Count segments = (a.recv_count + segment - 1) / segment;
  if (!exclusive) start_in_recv(a);
  void* arrived = takes ? c.scratch(segment, type) : nullptr;
  void* passed = exclusive && takes && gives ? c.scratch(segment, type) : nullptr;
  const void* source = exclusive ? contribution(a) : a.recv;
  for (MPI_Count i = 0; i <= segments; ++i) {
    const MPI_Count at = i * segment;
    const MPI_Count now = std::min(segment, a.recv_count - at);
    // The segment before this one leaves while this one arrives.
    const MPI_Count before = std::min(segment, a.recv_count - at + segment);
    const void* leaving = passed != nullptr ? passed : element(source, at - segment, type);
    const View out = view_of(leaving, before, type);
    const View in = view_of(arrived, now, type);
    const bool sends = gives && i > 0;
    const bool receives = takes && i < segments;
    auto pass =
        c.exchange(sends ? &out : nullptr, c.rank() + 1, receives ? &in : nullptr, c.rank() - 1);
    co_await pass;
    if (!receives) continue;
    void* result = element(a.recv, at, type);
    if (!exclusive) {
      combine(c, a, arrived, result, now);
      continue;
    }
    if (gives) {
      copy_local(slice(source, at, now, type), view_of(passed, now, type));
      combine(c, a, arrived, passed, now);
    }
    copy_local(in, view_of(result, now, type));
  }
  co_return c.error();
}

}  // namespace remit
