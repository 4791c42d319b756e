/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* All benchmarks of collectives. Each program is this file; which one it is says the name under
 * which it was started. The variants with counts for each rank (v, w) have blocks of one size, so
 * that they can be set beside those without. */
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
#define BLOCK(buffer) a->data->buffer, (int)a->data->size, MPI_CHAR
#define BLOCKS_V(buffer) a->data->buffer, a->counts, a->displs, MPI_CHAR
#define BLOCKS_W(buffer) a->data->buffer, a->counts, a->displs, a->types
#define VECTORS a->data->send, a->data->receive
#define FLOATS (int)(a->data->size / sizeof(float)), MPI_FLOAT, MPI_SUM

static void call_barrier(const struct collective_args* a) {
  (void)a;
  MPI_Barrier(WORLD);
}
static void start_barrier(const struct collective_args* a, MPI_Request* request) {
  (void)a;
  MPI_Ibarrier(WORLD, request);
}
static void* broadcast(const struct collective_args* a) {
  return a->data->rank == CALL_ROOT ? a->data->send : a->data->receive;
}
FORMS(bcast, MPI_Bcast, MPI_Ibcast, broadcast(a), (int)a->data->size, MPI_CHAR, CALL_ROOT, WORLD)
FORMS(gather, MPI_Gather, MPI_Igather, BLOCK(send), BLOCK(receive), CALL_ROOT, WORLD)
FORMS(gatherv, MPI_Gatherv, MPI_Igatherv, BLOCK(send), BLOCKS_V(receive), CALL_ROOT, WORLD)
FORMS(scatter, MPI_Scatter, MPI_Iscatter, BLOCK(send), BLOCK(receive), CALL_ROOT, WORLD)
FORMS(scatterv, MPI_Scatterv, MPI_Iscatterv, BLOCKS_V(send), BLOCK(receive), CALL_ROOT, WORLD)
FORMS(allgather, MPI_Allgather, MPI_Iallgather, BLOCK(send), BLOCK(receive), WORLD)
FORMS(allgatherv, MPI_Allgatherv, MPI_Iallgatherv, BLOCK(send), BLOCKS_V(receive), WORLD)
FORMS(alltoall, MPI_Alltoall, MPI_Ialltoall, BLOCK(send), BLOCK(receive), WORLD)
FORMS(alltoallv, MPI_Alltoallv, MPI_Ialltoallv, BLOCKS_V(send), BLOCKS_V(receive), WORLD)
FORMS(alltoallw, MPI_Alltoallw, MPI_Ialltoallw, BLOCKS_W(send), BLOCKS_W(receive), WORLD)
FORMS(reduce, MPI_Reduce, MPI_Ireduce, VECTORS, FLOATS, CALL_ROOT, WORLD)
FORMS(allreduce, MPI_Allreduce, MPI_Iallreduce, VECTORS, FLOATS, WORLD)
FORMS(reduce_scatter, MPI_Reduce_scatter, MPI_Ireduce_scatter, VECTORS, a->shares, MPI_FLOAT,
      MPI_SUM, WORLD)
FORMS(reduce_scatter_block, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, VECTORS,
      call_equal_share(a->data), MPI_FLOAT, MPI_SUM, WORLD)
FORMS(scan, MPI_Scan, MPI_Iscan, VECTORS, FLOATS, WORLD)
FORMS(exscan, MPI_Exscan, MPI_Iexscan, VECTORS, FLOATS, WORLD)

/* --- the programs -------------------------------------------------------------------------- */

#define CALLS(name) .call = call_##name, .start = start_##name
#define MOVES(operation, text) .name = operation, .purpose = "time of " text
#define SUMS(operation, text) .name = operation, .purpose = "time of " text ", sum of floats"

static const struct collective kCollectives[] = {
    {MOVES("barrier", "MPI_Barrier"), NULL, CALLS(barrier)},
    {MOVES("bcast", "MPI_Bcast"), &kFromRoot, CALLS(bcast)},
    {MOVES("gather", "MPI_Gather"), &kGathered, CALLS(gather)},
    {MOVES("gatherv", "MPI_Gatherv"), &kGathered, CALLS(gatherv)},
    {MOVES("scatter", "MPI_Scatter"), &kScattered, CALLS(scatter)},
    {MOVES("scatterv", "MPI_Scatterv"), &kScattered, CALLS(scatterv)},
    {MOVES("allgather", "MPI_Allgather"), &kAllGathered, CALLS(allgather)},
    {MOVES("allgatherv", "MPI_Allgatherv"), &kAllGathered, CALLS(allgatherv)},
    {MOVES("alltoall", "MPI_Alltoall"), &kExchanged, CALLS(alltoall)},
    {MOVES("alltoallv", "MPI_Alltoallv"), &kExchanged, CALLS(alltoallv)},
    {MOVES("alltoallw", "MPI_Alltoallw"), &kExchanged, CALLS(alltoallw)},
    {SUMS("reduce", "MPI_Reduce"), &kSumAtRoot, CALLS(reduce)},
    {SUMS("allreduce", "MPI_Allreduce"), &kSum, CALLS(allreduce)},
    {SUMS("reduce_scatter", "MPI_Reduce_scatter of so many bytes"), &kShares,
     CALLS(reduce_scatter)},
    {SUMS("reduce_scatter_block", "MPI_Reduce_scatter_block of so many bytes (rounded)"),
     &kEqualShares, CALLS(reduce_scatter_block)},
    {SUMS("scan", "MPI_Scan"), &kPrefix, CALLS(scan)},
    {SUMS("exscan", "MPI_Exscan"), &kPrefixBefore, CALLS(exscan)},
};

int main(int argc, char** argv) {
  enum { kCount = sizeof kCollectives / sizeof kCollectives[0] };
  const int which = bench_choose(argv[0], kCollectives, kCount, sizeof kCollectives[0]);
  return which < 0 ? 2 : collective_main(&kCollectives[which], argc, argv);
}
