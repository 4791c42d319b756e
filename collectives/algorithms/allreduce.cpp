// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Reduction to all processes (MPI-5.0, section 6.9.6).
#include <utility>

#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "collectives/algorithms/peers.hpp"

namespace remit {

namespace {

/// Where the result is and a buffer of the same size; an ordered step swaps them.
struct Accumulator {
  void* value;
  void* spare;

  /// value = value op theirs, or theirs op value if `theirs_first`, with theirs in `spare`.
  void take_in(const CollCtx& c, const CollectiveArgs& a, bool theirs_first) {
    if (theirs_first) {
      combine(c, a, spare, value, a.recv_count);
    } else {
      combine(c, a, value, spare, a.recv_count);
      std::swap(value, spare);
    }
  }
};

/// Before a power-of-two algorithm: even ranks of the first pairs hand their vector to the odd one.
Task<int> fold_pairs(CollCtx& c, const CollectiveArgs& a, Accumulator& acc) {
  const PowerOfTwoFold fold{c.size()};
  if (c.rank() >= 2 * fold.extra()) co_return c.error();
  if (c.rank() % 2 == 0) {
    auto departure = c.send(view_of(acc.value, a.recv_count, *a.recv_type), c.rank() + 1);
    co_await departure;
  } else {
    auto arrival = c.receive(view_of(acc.spare, a.recv_count, *a.recv_type), c.rank() - 1);
    co_await arrival;
    acc.take_in(c, a, true);
  }
  co_return c.error();
}

/// After it: the odd ones hand the result back.
Task<int> unfold_pairs(CollCtx& c, const CollectiveArgs& a, Accumulator& acc) {
  const PowerOfTwoFold fold{c.size()};
  if (c.rank() >= 2 * fold.extra()) co_return c.error();
  const View result = view_of(acc.value, a.recv_count, *a.recv_type);
  if (c.rank() % 2 == 1) {
    auto departure = c.send(result, c.rank() - 1);
    co_await departure;
  } else {
    auto arrival = c.receive(result, c.rank() + 1);
    co_await arrival;
  }
  co_return c.error();
}

}  // namespace

/// Recursive doubling: ceil(log2 p) exchanges of the whole vector, two more where p is no power of
/// two. Operands stay in rank order, so it serves every operation. Best while latency dominates.
Task<int> allreduce_recursive_doubling(CollCtx& c, const CollectiveArgs& a) {
  start_in_recv(a);
  const PowerOfTwoFold fold{c.size()};
  Accumulator acc{a.recv, c.scratch(a.recv_count, *a.recv_type)};
  Task<int> before = fold_pairs(c, a, acc);
  co_await before;
  const int me = fold.to_cube(c.rank());
  if (me >= 0) {
    for (int bit = 1; bit < fold.cube(); bit *= 2) {
      const int peer = fold.from_cube(me ^ bit);
      const View out = view_of(acc.value, a.recv_count, *a.recv_type);
      const View in = view_of(acc.spare, a.recv_count, *a.recv_type);
      auto swap = c.sendrecv(out, peer, in, peer);
      co_await swap;
      acc.take_in(c, a, peer < c.rank());
    }
  }
  Task<int> after = unfold_pairs(c, a, acc);
  co_await after;
  copy_local(view_of(acc.value, a.recv_count, *a.recv_type),
             view_of(a.recv, a.recv_count, *a.recv_type));
  co_return c.error();
}

namespace {

/// Recursive halving among the cube: afterwards cube rank i has the full result of block i. Keeps
/// [first, last) as the range of blocks still worked on.
Task<int> scatter_halving(CollCtx& c, const CollectiveArgs& a, int me, void* spare) {
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
    co_await swap;
    combine(c, a, element(spare, blocks.begin(keep_first), type),
            element(a.recv, blocks.begin(keep_first), type), blocks.count(keep_first, keep_last));
    first = keep_first;
    last = keep_last;
  }
  co_return c.error();
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
    co_await swap;
  }
  co_return c.error();
}

}  // namespace

/// Reduce-scatter by recursive halving, then allgather by recursive doubling (Rabenseifner):
/// 2 log2 p messages, 2n(p-1)/p bytes. For commutative operations and long vectors.
Task<int> allreduce_rabenseifner(CollCtx& c, const CollectiveArgs& a) {
  start_in_recv(a);
  const PowerOfTwoFold fold{c.size()};
  Accumulator acc{a.recv, c.scratch(a.recv_count, *a.recv_type)};
  Task<int> before = fold_pairs(c, a, acc);
  co_await before;
  const int me = fold.to_cube(c.rank());
  if (me >= 0) {
    Task<int> down = scatter_halving(c, a, me, acc.spare);
    co_await down;
    Task<int> up = allgather_doubling(c, a, me);
    co_await up;
  }
  Task<int> after = unfold_pairs(c, a, acc);
  co_await after;
  co_return c.error();
}

/// Ring reduce-scatter, then ring allgather: 2(p-1) messages of n/p bytes, neighbours only. For
/// commutative operations and very long vectors.
Task<int> allreduce_ring(CollCtx& c, const CollectiveArgs& a) {
  start_in_recv(a);
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
    co_await pass;
    combine(c, a, spare, element(a.recv, blocks.begin(incoming), type), blocks.count(incoming));
  }
  for (int step = 0; step < size - 1; ++step) {
    const int outgoing = (c.rank() + size + 1 - step) % size;
    const int incoming = (c.rank() + size - step) % size;
    const View out = slice(a.recv, blocks.begin(outgoing), blocks.count(outgoing), type);
    const View in = slice(a.recv, blocks.begin(incoming), blocks.count(incoming), type);
    auto pass = c.sendrecv(out, right, in, left);
    co_await pass;
  }
  co_return c.error();
}

}  // namespace remit
