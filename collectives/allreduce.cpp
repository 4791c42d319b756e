// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Reduction to all processes (MPI-5.0, section 6.9.6).
#include <utility>

#include "collectives/algorithms.hpp"
#include "collectives/buffers.hpp"
#include "collectives/peers.hpp"

namespace remit {

namespace {

/// Puts this process's contribution into recv, where the result grows.
void start_in_recv(CollCtx& c, const CollectiveArgs& a) {
  if (a.send == MPI_IN_PLACE) return;
  copy_local(c, view_of(a.send, a.recv_count, *a.recv_type),
             view_of(a.recv, a.recv_count, *a.recv_type));
}

/// Where the result is and a buffer of the same size; an ordered step swaps them.
struct Accumulator {
  void* value;
  void* spare;

  /// value = value op theirs, or theirs op value if `theirs_first`, with theirs in `spare`.
  void combine(const CollectiveArgs& a, bool theirs_first) {
    if (theirs_first) {
      reduce_local(*a.op, spare, value, a.recv_count, *a.recv_type);
    } else {
      reduce_local(*a.op, value, spare, a.recv_count, *a.recv_type);
      std::swap(value, spare);
    }
  }
};

/// Before a power-of-two algorithm: even ranks of the first pairs hand their vector to the odd one.
Task<int> fold_pairs(CollCtx& c, const CollectiveArgs& a, Accumulator& acc) {
  const PowerOfTwoFold fold{c.size()};
  if (c.rank() >= 2 * fold.extra()) co_return MPI_SUCCESS;
  if (c.rank() % 2 == 0) {
    auto departure = c.send(view_of(acc.value, a.recv_count, *a.recv_type), c.rank() + 1);
    if (int err = co_await departure) co_return err;
  } else {
    auto arrival = c.receive(view_of(acc.spare, a.recv_count, *a.recv_type), c.rank() - 1);
    if (int err = co_await arrival) co_return err;
    acc.combine(a, true);
  }
  co_return MPI_SUCCESS;
}

/// After it: the odd ones hand the result back.
Task<int> unfold_pairs(CollCtx& c, const CollectiveArgs& a, Accumulator& acc) {
  const PowerOfTwoFold fold{c.size()};
  if (c.rank() >= 2 * fold.extra()) co_return MPI_SUCCESS;
  const View result = view_of(acc.value, a.recv_count, *a.recv_type);
  if (c.rank() % 2 == 1) {
    auto departure = c.send(result, c.rank() - 1);
    if (int err = co_await departure) co_return err;
  } else {
    auto arrival = c.receive(result, c.rank() + 1);
    if (int err = co_await arrival) co_return err;
  }
  co_return MPI_SUCCESS;
}

}  // namespace

/// Recursive doubling: ceil(log2 p) exchanges of the whole vector, two more where p is no power of
/// two. Operands stay in rank order, so it serves every operation. Best while latency dominates.
Task<int> allreduce_recursive_doubling(CollCtx& c, const CollectiveArgs& a) {
  start_in_recv(c, a);
  const PowerOfTwoFold fold{c.size()};
  Accumulator acc{a.recv, c.scratch(a.recv_count, *a.recv_type)};
  Task<int> before = fold_pairs(c, a, acc);
  if (int err = co_await before) co_return err;
  const int me = fold.to_cube(c.rank());
  if (me >= 0) {
    for (int bit = 1; bit < fold.cube(); bit *= 2) {
      const int peer = fold.from_cube(me ^ bit);
      const View out = view_of(acc.value, a.recv_count, *a.recv_type);
      const View in = view_of(acc.spare, a.recv_count, *a.recv_type);
      auto swap = c.sendrecv(out, peer, in, peer);
      if (int err = co_await swap) co_return err;
      acc.combine(a, peer < c.rank());
    }
  }
  Task<int> after = unfold_pairs(c, a, acc);
  if (int err = co_await after) co_return err;
  copy_local(c, view_of(acc.value, a.recv_count, *a.recv_type),
             view_of(a.recv, a.recv_count, *a.recv_type));
  co_return MPI_SUCCESS;
}

namespace {

/// Recursive halving among the cube: afterwards cube rank i has the full result of block i. Keeps
/// [first, last) as the range of blocks still worked on.
Task<int> reduce_scatter_halving(CollCtx& c, const CollectiveArgs& a, int me, void* spare) {
  const PowerOfTwoFold fold{c.size()};
  const Blocks blocks{a.recv_count, fold.cube()};
  const Datatype& type = *a.recv_type;
  int first = 0;
  int last = fold.cube();
  for (int half = fold.cube() / 2; half > 0; half /= 2) {
    const int peer = fold.from_cube(me ^ half);
    const int middle = first + half;
    const bool low = (me & half) == 0;
    const int keep_first = low ? first : middle;
    const int keep_last = low ? middle : last;
    const int give_first = low ? middle : first;
    const int give_last = low ? last : middle;
    const View out =
        slice(a.recv, blocks.begin(give_first), blocks.count(give_first, give_last), type);
    const View in =
        slice(spare, blocks.begin(keep_first), blocks.count(keep_first, keep_last), type);
    auto swap = c.sendrecv(out, peer, in, peer);
    if (int err = co_await swap) co_return err;
    reduce_local(*a.op, element(spare, blocks.begin(keep_first), type),
                 element(a.recv, blocks.begin(keep_first), type),
                 blocks.count(keep_first, keep_last), type);
    first = keep_first;
    last = keep_last;
  }
  co_return MPI_SUCCESS;
}

/// Recursive doubling of the blocks among the cube: the inverse way.
Task<int> allgather_doubling(CollCtx& c, const CollectiveArgs& a, int me) {
  const PowerOfTwoFold fold{c.size()};
  const Blocks blocks{a.recv_count, fold.cube()};
  for (int half = 1; half < fold.cube(); half *= 2) {
    const int peer = fold.from_cube(me ^ half);
    const int mine = me & ~(half - 1);
    const int theirs = mine ^ half;
    const View out =
        slice(a.recv, blocks.begin(mine), blocks.count(mine, mine + half), *a.recv_type);
    const View in =
        slice(a.recv, blocks.begin(theirs), blocks.count(theirs, theirs + half), *a.recv_type);
    auto swap = c.sendrecv(out, peer, in, peer);
    if (int err = co_await swap) co_return err;
  }
  co_return MPI_SUCCESS;
}

}  // namespace

/// Reduce-scatter by recursive halving, then allgather by recursive doubling (Rabenseifner):
/// 2 log2 p messages, 2n(p-1)/p bytes. For commutative operations and long vectors.
Task<int> allreduce_rabenseifner(CollCtx& c, const CollectiveArgs& a) {
  start_in_recv(c, a);
  const PowerOfTwoFold fold{c.size()};
  Accumulator acc{a.recv, c.scratch(a.recv_count, *a.recv_type)};
  Task<int> before = fold_pairs(c, a, acc);
  if (int err = co_await before) co_return err;
  const int me = fold.to_cube(c.rank());
  if (me >= 0) {
    Task<int> down = reduce_scatter_halving(c, a, me, acc.spare);
    if (int err = co_await down) co_return err;
    Task<int> up = allgather_doubling(c, a, me);
    if (int err = co_await up) co_return err;
  }
  Task<int> after = unfold_pairs(c, a, acc);
  const int err = co_await after;
  co_return err;
}

/// Ring reduce-scatter, then ring allgather: 2(p-1) messages of n/p bytes, neighbours only. For
/// commutative operations and very long vectors.
Task<int> allreduce_ring(CollCtx& c, const CollectiveArgs& a) {
  start_in_recv(c, a);
  const int size = c.size();
  const Datatype& type = *a.recv_type;
  const Blocks blocks{a.recv_count, size};
  void* spare = c.scratch(blocks.count(0), type);
  const int right = (c.rank() + 1) % size;
  const int left = (c.rank() + size - 1) % size;
  for (int step = 0; step < size - 1; ++step) {
    const int outgoing = (c.rank() + size - step) % size;
    const int incoming = (c.rank() + 2 * size - step - 1) % size;
    const View out = slice(a.recv, blocks.begin(outgoing), blocks.count(outgoing), type);
    const View in = view_of(spare, blocks.count(incoming), type);
    auto pass = c.sendrecv(out, right, in, left);
    if (int err = co_await pass) co_return err;
    reduce_local(*a.op, spare, element(a.recv, blocks.begin(incoming), type),
                 blocks.count(incoming), type);
  }
  for (int step = 0; step < size - 1; ++step) {
    const int outgoing = (c.rank() + size + 1 - step) % size;
    const int incoming = (c.rank() + size - step) % size;
    const View out = slice(a.recv, blocks.begin(outgoing), blocks.count(outgoing), type);
    const View in = slice(a.recv, blocks.begin(incoming), blocks.count(incoming), type);
    auto pass = c.sendrecv(out, right, in, left);
    if (int err = co_await pass) co_return err;
  }
  co_return MPI_SUCCESS;
}

}  // namespace remit
