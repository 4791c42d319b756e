/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* The data of collective calls, what must come of them, and the loop that times them. */
#include "calls.h"

/* --- what is sent -------------------------------------------------------------------------- */

/* Seed of the block that `source` sends to `target` (0 if it sends the same to all). */
static unsigned seed_of(const struct call_data* d, int source, int target) {
  return (unsigned)d->round * 131u + (unsigned)(source * 977 + target * 61) + (unsigned)d->size;
}

static void fill_own(const struct call_data* d) {
  bench_fill(d->send, d->size, seed_of(d, d->rank, 0));
}

static void fill_blocks(const struct call_data* d) {
  for (int i = 0; i < d->ranks; ++i) {
    bench_fill(d->send + (size_t)i * d->size, d->size, seed_of(d, d->rank, i));
  }
}

static void fill_own_at_root(const struct call_data* d) {
  if (d->rank == CALL_ROOT) fill_own(d);
}

static void fill_blocks_at_root(const struct call_data* d) {
  if (d->rank == CALL_ROOT) fill_blocks(d);
}

static void fill_floats(const struct call_data* d) {
  bench_fill_floats(d->send, d->size / sizeof(float), d->rank, d->round);
}

int call_equal_share(const struct call_data* d) {
  const size_t share = d->size / sizeof(float) / (size_t)d->ranks;
  return share > 0 ? (int)share : 1;
}

int call_share(const struct call_data* d, int rank) {
  const int floats = (int)(d->size / sizeof(float));
  return floats / d->ranks + (rank < floats % d->ranks);
}

static void fill_equal_shares(const struct call_data* d) {
  bench_fill_floats(d->send, (size_t)call_equal_share(d) * (size_t)d->ranks, d->rank, d->round);
}

/* --- what must have come ------------------------------------------------------------------- */

static long wrong_from_root(const struct call_data* d) {
  return d->rank == CALL_ROOT ? 0 : bench_wrong(d->receive, d->size, seed_of(d, CALL_ROOT, 0));
}

static long wrong_own_from_root(const struct call_data* d) {
  return bench_wrong(d->receive, d->size, seed_of(d, CALL_ROOT, d->rank));
}

/* Blocks of all ranks, which sent the one with the number `target`. */
static long wrong_blocks(const struct call_data* d, int target) {
  long bad = 0;
  for (int i = 0; i < d->ranks; ++i) {
    bad += bench_wrong(d->receive + (size_t)i * d->size, d->size, seed_of(d, i, target));
  }
  return bad;
}

static long wrong_all(const struct call_data* d) {
  return wrong_blocks(d, 0);
}

static long wrong_all_at_root(const struct call_data* d) {
  return d->rank == CALL_ROOT ? wrong_blocks(d, 0) : 0;
}

static long wrong_exchanged(const struct call_data* d) {
  return wrong_blocks(d, d->rank);
}

static long wrong_sums(const struct call_data* d) {
  return bench_wrong_sums(d->receive, d->size / sizeof(float), 0, d->ranks, d->round);
}

static long wrong_sums_at_root(const struct call_data* d) {
  return d->rank == CALL_ROOT ? wrong_sums(d) : 0;
}

static long wrong_share(const struct call_data* d) {
  size_t first = 0;
  for (int i = 0; i < d->rank; ++i) first += (size_t)call_share(d, i);
  return bench_wrong_sums(d->receive, (size_t)call_share(d, d->rank), first, d->ranks, d->round);
}

static long wrong_equal_share(const struct call_data* d) {
  const size_t share = (size_t)call_equal_share(d);
  return bench_wrong_sums(d->receive, share, share * (size_t)d->rank, d->ranks, d->round);
}

/* The sums over ranks before `ranks`. */
static long wrong_prefix_of(const struct call_data* d, int ranks) {
  return bench_wrong_sums(d->receive, d->size / sizeof(float), 0, ranks, d->round);
}

static long wrong_prefix(const struct call_data* d) {
  return wrong_prefix_of(d, d->rank + 1);
}

static long wrong_prefix_before(const struct call_data* d) {
  return d->rank == 0 ? 0 : wrong_prefix_of(d, d->rank);
}

/* --- operations ---------------------------------------------------------------------------- */

enum { kBytes = 1, kFloats = sizeof(float) };
const struct call_kind kFromRoot = {kBytes, false, false, fill_own_at_root, wrong_from_root};
const struct call_kind kGathered = {kBytes, false, true, fill_own, wrong_all_at_root};
const struct call_kind kScattered = {kBytes, true, false, fill_blocks_at_root, wrong_own_from_root};
const struct call_kind kAllGathered = {kBytes, false, true, fill_own, wrong_all};
const struct call_kind kExchanged = {kBytes, true, true, fill_blocks, wrong_exchanged};
const struct call_kind kSumAtRoot = {kFloats, false, false, fill_floats, wrong_sums_at_root};
const struct call_kind kSum = {kFloats, false, false, fill_floats, wrong_sums};
const struct call_kind kShares = {kFloats, false, false, fill_floats, wrong_share};
const struct call_kind kEqualShares = {kFloats, false, false, fill_equal_shares, wrong_equal_share};
const struct call_kind kPrefix = {kFloats, false, false, fill_floats, wrong_prefix};
const struct call_kind kPrefixBefore = {kFloats, false, false, fill_floats, wrong_prefix_before};

size_t call_bytes(const struct call_kind* kind, enum bench_side side, size_t largest, int ranks) {
  const bool blocks = side == BENCH_SOURCE ? kind->send_blocks : kind->receive_blocks;
  if (blocks) return largest * (size_t)ranks;
  /* An equal share of a vector is one float at least. */
  const size_t least = kind->unit == kFloats ? (size_t)ranks * sizeof(float) : 0;
  return largest > least ? largest : least;
}

/* --- the loop ------------------------------------------------------------------------------ */

static void call_once(struct call_loop* loop, bool touch, long* wrong) {
  const struct call_kind* kind = loop->kind;
  ++loop->data.round;
  if (kind != NULL) {
    loop->data.send = bench_next(&loop->send);
    loop->data.receive = bench_next(&loop->receive);
  }
  if (touch && kind != NULL) kind->fill(&loop->data);
  loop->call(loop->context);
  if (touch && kind != NULL) *wrong += kind->wrong(&loop->data);
}

/* Seconds of `rounds` calls, each timed. */
static double time_each(struct call_loop* loop, int rounds, long* wrong) {
  const struct bench* b = loop->bench;
  const bool with_barrier = b->mode == BENCH_WITH_BARRIER;
  double elapsed = 0;
  for (int i = 0; i < rounds; ++i) {
    const double start = bench_now();
    call_once(loop, b->touch, wrong);
    if (with_barrier) loop->barrier(loop->context);
    elapsed += bench_now() - start;
    if (!with_barrier) loop->barrier(loop->context);
  }
  return elapsed;
}

/* Seconds of a loop of `rounds` calls. */
static double time_all(struct call_loop* loop, int rounds, long* wrong) {
  const double start = bench_now();
  for (int i = 0; i < rounds; ++i) call_once(loop, loop->bench->touch, wrong);
  return bench_now() - start;
}

double call_time(struct call_loop* loop, long* wrong) {
  const struct bench* b = loop->bench;
  const int rounds = bench_iterations(b, loop->data.size);
  double (*const time)(struct call_loop*, int, long*) =
      b->mode == BENCH_BACK_TO_BACK ? time_all : time_each;
  loop->barrier(loop->context);
  time(loop, bench_warmup(b, loop->data.size), wrong);
  return time(loop, rounds, wrong) * 1e6 / rounds;
}

long call_check(struct call_loop* loop, int rounds) {
  long wrong = 0;
  for (int i = 0; i < rounds; ++i) call_once(loop, true, &wrong);
  return wrong;
}
