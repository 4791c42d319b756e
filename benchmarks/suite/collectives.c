/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* All benchmarks of collectives. Each program is this file; which one it is says the name under
 * which it was started. The variants with counts for each rank (v, w) have blocks of one size, so
 * that they can be set beside those without. */
#include <stdio.h>
#include <string.h>

#include "collective.h"

/* What follows all other arguments. */
#define WORLD MPI_COMM_WORLD
/* The two forms of an operation with the same arguments. */
#define FORMS(name, Function, Nonblocking, ...)                                     \
  static void call_##name(const struct collective_args* a) {                        \
    Function(__VA_ARGS__);                                                          \
  }                                                                                 \
  static void start_##name(const struct collective_args* a, MPI_Request* request) { \
    Nonblocking(__VA_ARGS__, request);                                              \
  }
/* Pieces of arguments: a block of one size; blocks for each rank; a vector of floats. */
#define BLOCK(buffer) a->buffer, (int)a->size, MPI_CHAR
#define BLOCKS_V(buffer) a->buffer, a->counts, a->displs, MPI_CHAR
#define BLOCKS_W(buffer) a->buffer, a->counts, a->displs, a->types
#define FLOATS (int)(a->size / sizeof(float)), MPI_FLOAT, MPI_SUM

static void call_barrier(const struct collective_args* a) {
  (void)a;
  MPI_Barrier(WORLD);
}
static void start_barrier(const struct collective_args* a, MPI_Request* request) {
  (void)a;
  MPI_Ibarrier(WORLD, request);
}
FORMS(bcast, MPI_Bcast, MPI_Ibcast, BLOCK(receive), COLLECTIVE_ROOT, WORLD)
FORMS(gather, MPI_Gather, MPI_Igather, BLOCK(send), BLOCK(receive), COLLECTIVE_ROOT, WORLD)
FORMS(gatherv, MPI_Gatherv, MPI_Igatherv, BLOCK(send), BLOCKS_V(receive), COLLECTIVE_ROOT, WORLD)
FORMS(scatter, MPI_Scatter, MPI_Iscatter, BLOCK(send), BLOCK(receive), COLLECTIVE_ROOT, WORLD)
FORMS(scatterv, MPI_Scatterv, MPI_Iscatterv, BLOCKS_V(send), BLOCK(receive), COLLECTIVE_ROOT, WORLD)
FORMS(allgather, MPI_Allgather, MPI_Iallgather, BLOCK(send), BLOCK(receive), WORLD)
FORMS(allgatherv, MPI_Allgatherv, MPI_Iallgatherv, BLOCK(send), BLOCKS_V(receive), WORLD)
FORMS(alltoall, MPI_Alltoall, MPI_Ialltoall, BLOCK(send), BLOCK(receive), WORLD)
FORMS(alltoallv, MPI_Alltoallv, MPI_Ialltoallv, BLOCKS_V(send), BLOCKS_V(receive), WORLD)
FORMS(alltoallw, MPI_Alltoallw, MPI_Ialltoallw, BLOCKS_W(send), BLOCKS_W(receive), WORLD)
FORMS(reduce, MPI_Reduce, MPI_Ireduce, a->send, a->receive, FLOATS, COLLECTIVE_ROOT, WORLD)
FORMS(allreduce, MPI_Allreduce, MPI_Iallreduce, a->send, a->receive, FLOATS, WORLD)
FORMS(reduce_scatter, MPI_Reduce_scatter, MPI_Ireduce_scatter, a->send, a->receive, a->shares,
      MPI_FLOAT, MPI_SUM, WORLD)
FORMS(reduce_scatter_block, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, a->send,
      a->receive, collective_share(a), MPI_FLOAT, MPI_SUM, WORLD)
FORMS(scan, MPI_Scan, MPI_Iscan, a->send, a->receive, FLOATS, WORLD)
FORMS(exscan, MPI_Exscan, MPI_Iexscan, a->send, a->receive, FLOATS, WORLD)

/* --- what is sent -------------------------------------------------------------------------- */

static void fill_own(const struct collective_args* a) {
  bench_fill(a->send, a->size, collective_seed(a, a->rank, 0));
}

static void fill_blocks(const struct collective_args* a) {
  for (int i = 0; i < a->ranks; ++i) {
    bench_fill(a->send + (size_t)i * a->size, a->size, collective_seed(a, a->rank, i));
  }
}

static void fill_root(const struct collective_args* a) {
  if (a->rank == COLLECTIVE_ROOT) bench_fill(a->receive, a->size, collective_seed(a, a->rank, 0));
}

static void fill_floats(const struct collective_args* a) {
  collective_fill_floats(a, a->size / sizeof(float));
}

static void fill_equal_shares(const struct collective_args* a) {
  collective_fill_floats(a, (size_t)collective_share(a) * (size_t)a->ranks);
}

/* --- what must have come ------------------------------------------------------------------- */

static long wrong_from_root(const struct collective_args* a) {
  return bench_wrong(a->receive, a->size, collective_seed(a, COLLECTIVE_ROOT, 0));
}

static long wrong_own_from_root(const struct collective_args* a) {
  return bench_wrong(a->receive, a->size, collective_seed(a, COLLECTIVE_ROOT, a->rank));
}

/* Blocks of all ranks, which sent the one with the number `target`. */
static long wrong_blocks(const struct collective_args* a, int target) {
  long bad = 0;
  for (int i = 0; i < a->ranks; ++i) {
    bad += bench_wrong(a->receive + (size_t)i * a->size, a->size, collective_seed(a, i, target));
  }
  return bad;
}

static long wrong_all(const struct collective_args* a) {
  return wrong_blocks(a, 0);
}

static long wrong_all_at_root(const struct collective_args* a) {
  return a->rank == COLLECTIVE_ROOT ? wrong_blocks(a, 0) : 0;
}

static long wrong_exchanged(const struct collective_args* a) {
  return wrong_blocks(a, a->rank);
}

static long wrong_sums(const struct collective_args* a) {
  return collective_wrong_sums(a, a->ranks, 0, a->size / sizeof(float));
}

static long wrong_sums_at_root(const struct collective_args* a) {
  return a->rank == COLLECTIVE_ROOT ? wrong_sums(a) : 0;
}

static long wrong_shares(const struct collective_args* a) {
  size_t first = 0;
  for (int i = 0; i < a->rank; ++i) first += (size_t)a->shares[i];
  return collective_wrong_sums(a, a->ranks, first, (size_t)a->shares[a->rank]);
}

static long wrong_equal_share(const struct collective_args* a) {
  const size_t share = (size_t)collective_share(a);
  return collective_wrong_sums(a, a->ranks, share * (size_t)a->rank, share);
}

static long wrong_prefix(const struct collective_args* a) {
  return collective_wrong_sums(a, a->rank + 1, 0, a->size / sizeof(float));
}

static long wrong_prefix_before(const struct collective_args* a) {
  return a->rank == 0 ? 0 : collective_wrong_sums(a, a->rank, 0, a->size / sizeof(float));
}

/* --- the programs -------------------------------------------------------------------------- */

enum { kBytes = 1, kFloats = 4 };
#define CALLS(name) .call = call_##name, .start = start_##name
#define MOVES(operation, text, filler, checker)                                    \
  .name = operation, .purpose = "time of " text, .unit = kBytes, .fill = (filler), \
  .wrong = (checker)
#define SUMS(operation, text, filler, checker)                                      \
  .name = operation, .purpose = "time of " text ", sum of floats", .unit = kFloats, \
  .fill = (filler), .wrong = (checker)

static const struct collective kCollectives[] = {
    {.name = "barrier", .purpose = "time of MPI_Barrier", .unit = kBytes, CALLS(barrier)},
    {MOVES("bcast", "MPI_Bcast", fill_root, wrong_from_root), CALLS(bcast)},
    {MOVES("gather", "MPI_Gather", fill_own, wrong_all_at_root), CALLS(gather),
     .receive_blocks = true},
    {MOVES("gatherv", "MPI_Gatherv", fill_own, wrong_all_at_root), CALLS(gatherv),
     .receive_blocks = true},
    {MOVES("scatter", "MPI_Scatter", fill_blocks, wrong_own_from_root), CALLS(scatter),
     .send_blocks = true},
    {MOVES("scatterv", "MPI_Scatterv", fill_blocks, wrong_own_from_root), CALLS(scatterv),
     .send_blocks = true},
    {MOVES("allgather", "MPI_Allgather", fill_own, wrong_all), CALLS(allgather),
     .receive_blocks = true},
    {MOVES("allgatherv", "MPI_Allgatherv", fill_own, wrong_all), CALLS(allgatherv),
     .receive_blocks = true},
    {MOVES("alltoall", "MPI_Alltoall", fill_blocks, wrong_exchanged), CALLS(alltoall),
     .send_blocks = true, .receive_blocks = true},
    {MOVES("alltoallv", "MPI_Alltoallv", fill_blocks, wrong_exchanged), CALLS(alltoallv),
     .send_blocks = true, .receive_blocks = true},
    {MOVES("alltoallw", "MPI_Alltoallw", fill_blocks, wrong_exchanged), CALLS(alltoallw),
     .send_blocks = true, .receive_blocks = true},
    {SUMS("reduce", "MPI_Reduce", fill_floats, wrong_sums_at_root), CALLS(reduce)},
    {SUMS("allreduce", "MPI_Allreduce", fill_floats, wrong_sums), CALLS(allreduce)},
    {SUMS("reduce_scatter", "MPI_Reduce_scatter of so many bytes", fill_floats, wrong_shares),
     CALLS(reduce_scatter)},
    {SUMS("reduce_scatter_block", "MPI_Reduce_scatter_block of so many bytes (rounded)",
          fill_equal_shares, wrong_equal_share),
     CALLS(reduce_scatter_block)},
    {SUMS("scan", "MPI_Scan", fill_floats, wrong_prefix), CALLS(scan)},
    {SUMS("exscan", "MPI_Exscan", fill_floats, wrong_prefix_before), CALLS(exscan)},
};

int main(int argc, char** argv) {
  const char* slash = strrchr(argv[0], '/');
  const char* name = slash == NULL ? argv[0] : slash + 1;
  if (strncmp(name, "lt-", 3) == 0) name += 3; /* how libtool may name what was not installed */
  const size_t count = sizeof kCollectives / sizeof kCollectives[0];
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(kCollectives[i].name, name) == 0)
      return collective_main(&kCollectives[i], argc, argv);
  }
  fprintf(stderr, "%s: this program must have the name of what it measures:", name);
  for (size_t i = 0; i < count; ++i) fprintf(stderr, " %s", kCollectives[i].name);
  fprintf(stderr, "\n");
  return 2;
}
