/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Every collective in every form (blocking, nonblocking, persistent; counts that are int and those
 * that are MPI_Count) against its blocking int form: with data, with nothing, with more elements
 * than an int counts of a type without data, and with a communicator that is none. */
#include "check.h"

static const MPI_Count kHuge = (MPI_Count)5 << 31;
enum { kInts = 17, kMembers = 64, kWhole = kInts * kMembers };

/* The form that the others are compared with comes last. */
enum { kBlockingLarge, kStartedLarge, kKeptLarge, kStarted, kKept, kBlocking, kForms };

enum {
  kBcast,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAlltoallv,
  kAlltoallw,
  kNeighborAllgather,
  kNeighborAllgatherv,
  kNeighborAlltoall,
  kNeighborAlltoallv,
  kNeighborAlltoallw,
  kReduce, /* reductions from here on */
  kAllreduce,
  kReduceScatter,
  kReduceScatterBlock,
  kScan,
  kExscan,
  kBarrier,
  kKinds
};

static int out[kWhole], in[kWhole], want[kWhole];
/* Blocks lie one behind the other. */
static int counts[kMembers], displs[kMembers], offsets[kMembers];
static MPI_Count large_counts[kMembers];
static MPI_Aint large_displs[kMembers], large_offsets[kMembers];
static MPI_Datatype types[kMembers];

static void set_blocks(MPI_Count count, MPI_Datatype type) {
  MPI_Count size;
  OK(MPI_Type_size_c(type, &size));
  for (int i = 0; i < kMembers; ++i) {
    counts[i] = (int)count;
    displs[i] = size == 0 ? 0 : i * (int)count;
    offsets[i] = displs[i] * (int)size;
    large_counts[i] = count;
    large_displs[i] = displs[i];
    large_offsets[i] = offsets[i];
    types[i] = type;
  }
}

#define LARGE(Name, name, ...)                                           \
  (form == kBlockingLarge  ? MPI_##Name##_c(__VA_ARGS__, comm)           \
   : form == kStartedLarge ? MPI_I##name##_c(__VA_ARGS__, comm, request) \
                           : MPI_##Name##_init_c(__VA_ARGS__, comm, MPI_INFO_NULL, request))
#define PLAIN(Name, name, ...)                                  \
  (form == kBlocking  ? MPI_##Name(__VA_ARGS__, comm)           \
   : form == kStarted ? MPI_I##name(__VA_ARGS__, comm, request) \
                      : MPI_##Name##_init(__VA_ARGS__, comm, MPI_INFO_NULL, request))
#define ANY(Name, name, ...) \
  (form < kStarted ? LARGE(Name, name, __VA_ARGS__) : PLAIN(Name, name, __VA_ARGS__))

static int barrier(int form, MPI_Comm comm, MPI_Request* request) {
  if (form == kBlocking || form == kBlockingLarge) return MPI_Barrier(comm);
  if (form == kStarted || form == kStartedLarge) return MPI_Ibarrier(comm, request);
  return MPI_Barrier_init(comm, MPI_INFO_NULL, request);
}

/* Those with a count for each block. */
static int call_varied(int kind, int form, void* to, MPI_Count n, MPI_Datatype t, MPI_Comm comm,
                       MPI_Request* request) {
  const int large = form < kStarted;
  switch (kind) {
    case kGatherv:
      return large ? LARGE(Gatherv, gatherv, out, n, t, to, large_counts, large_displs, t, 0)
                   : PLAIN(Gatherv, gatherv, out, n, t, to, counts, displs, t, 0);
    case kScatterv:
      return large ? LARGE(Scatterv, scatterv, out, large_counts, large_displs, t, to, n, t, 0)
                   : PLAIN(Scatterv, scatterv, out, counts, displs, t, to, n, t, 0);
    case kAllgatherv:
      return large ? LARGE(Allgatherv, allgatherv, out, n, t, to, large_counts, large_displs, t)
                   : PLAIN(Allgatherv, allgatherv, out, n, t, to, counts, displs, t);
    case kAlltoallv:
      return large ? LARGE(Alltoallv, alltoallv, out, large_counts, large_displs, t, to,
                           large_counts, large_displs, t)
                   : PLAIN(Alltoallv, alltoallv, out, counts, displs, t, to, counts, displs, t);
    case kAlltoallw:
      return large ? LARGE(Alltoallw, alltoallw, out, large_counts, large_offsets, types, to,
                           large_counts, large_offsets, types)
                   : PLAIN(Alltoallw, alltoallw, out, counts, offsets, types, to, counts, offsets,
                           types);
    case kNeighborAllgatherv:
      return large ? LARGE(Neighbor_allgatherv, neighbor_allgatherv, out, n, t, to, large_counts,
                           large_displs, t)
                   : PLAIN(Neighbor_allgatherv, neighbor_allgatherv, out, n, t, to, counts, displs,
                           t);
    case kNeighborAlltoallv:
      return large ? LARGE(Neighbor_alltoallv, neighbor_alltoallv, out, large_counts, large_displs,
                           t, to, large_counts, large_displs, t)
                   : PLAIN(Neighbor_alltoallv, neighbor_alltoallv, out, counts, displs, t, to,
                           counts, displs, t);
    case kNeighborAlltoallw: /* displacements are MPI_Aint in all forms */
      return large ? LARGE(Neighbor_alltoallw, neighbor_alltoallw, out, large_counts, large_offsets,
                           types, to, large_counts, large_offsets, types)
                   : PLAIN(Neighbor_alltoallw, neighbor_alltoallw, out, counts, large_offsets,
                           types, to, counts, large_offsets, types);
    default:
      return large ? LARGE(Reduce_scatter, reduce_scatter, out, to, large_counts, t, MPI_SUM)
                   : PLAIN(Reduce_scatter, reduce_scatter, out, to, counts, t, MPI_SUM);
  }
}

static int call(int kind, int form, void* to, MPI_Count n, MPI_Datatype t, MPI_Comm comm,
                MPI_Request* request) {
  switch (kind) {
    case kBcast:
      return ANY(Bcast, bcast, to, n, t, 0);
    case kGather:
      return ANY(Gather, gather, out, n, t, to, n, t, 0);
    case kScatter:
      return ANY(Scatter, scatter, out, n, t, to, n, t, 0);
    case kAllgather:
      return ANY(Allgather, allgather, out, n, t, to, n, t);
    case kAlltoall:
      return ANY(Alltoall, alltoall, out, n, t, to, n, t);
    case kNeighborAllgather:
      return ANY(Neighbor_allgather, neighbor_allgather, out, n, t, to, n, t);
    case kNeighborAlltoall:
      return ANY(Neighbor_alltoall, neighbor_alltoall, out, n, t, to, n, t);
    case kReduce:
      return ANY(Reduce, reduce, out, to, n, t, MPI_SUM, 0);
    case kAllreduce:
      return ANY(Allreduce, allreduce, out, to, n, t, MPI_SUM);
    case kReduceScatterBlock:
      return ANY(Reduce_scatter_block, reduce_scatter_block, out, to, n, t, MPI_SUM);
    case kScan:
      return ANY(Scan, scan, out, to, n, t, MPI_SUM);
    case kExscan:
      return ANY(Exscan, exscan, out, to, n, t, MPI_SUM);
    case kBarrier:
      return barrier(form, comm, request);
    default:
      return call_varied(kind, form, to, n, t, comm, request);
  }
}

/* The call to its end; a kept one twice. */
static void run(int kind, int form, int* to, MPI_Count n, MPI_Datatype type, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  OK(call(kind, form, to, n, type, comm, &request));
  if (form == kStarted || form == kStartedLarge) OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  if (form != kKept && form != kKeptLarge) return;
  for (int i = 0; i < 2; ++i) {
    OK(MPI_Start(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  OK(MPI_Request_free(&request));
}

static void fill(int* memory, int salt) {
  for (int i = 0; i < kWhole; ++i) memory[i] = (check_rank + 1) * 1000 + i * salt;
}

/* Neighbours are those of a ring. */
static MPI_Comm comm_of(int kind, MPI_Comm ring) {
  return kind >= kNeighborAllgather && kind <= kNeighborAlltoallw ? ring : MPI_COMM_WORLD;
}

static void data_and_nothing(MPI_Comm ring) {
  const MPI_Count lengths[] = {kInts, 1, 0};
  fill(out, 3);
  for (int l = 0; l < 3; ++l) {
    set_blocks(lengths[l], MPI_INT);
    for (int kind = 0; kind < kKinds; ++kind) {
      fill(want, 5);
      run(kind, kBlocking, want, lengths[l], MPI_INT, comm_of(kind, ring));
      for (int form = 0; form < kBlocking; ++form) {
        fill(in, 5);
        run(kind, form, in, lengths[l], MPI_INT, comm_of(kind, ring));
        CHECK(memcmp(in, want, sizeof in) == 0);
      }
    }
  }
}

static void more_than_an_int(MPI_Comm ring) {
  MPI_Datatype nothing;
  OK(MPI_Type_contiguous(0, MPI_INT, &nothing));
  OK(MPI_Type_commit(&nothing));
  set_blocks(kHuge, nothing);
  fill(in, 7);
  fill(want, 7);
  for (int kind = 0; kind < kReduce; ++kind)
    for (int form = 0; form < kStarted; ++form)
      run(kind, form, in, kHuge, nothing, comm_of(kind, ring));
  CHECK(memcmp(in, want, sizeof in) == 0);
  OK(MPI_Type_free(&nothing));
}

static void wrong_communicators(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  set_blocks(1, MPI_INT);
  for (int kind = 0; kind < kKinds; ++kind) {
    for (int form = 0; form < kForms; ++form) {
      EXPECT(MPI_ERR_COMM, "comm", call(kind, form, in, 1, MPI_INT, MPI_COMM_NULL, &request));
      CHECK(request == MPI_REQUEST_NULL);
    }
  }
}

int main(int argc, char** argv) {
  MPI_Comm ring;
  check_start(&argc, &argv);
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  CHECK(check_size <= kMembers);
  OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &check_size, (int[]){1}, 0, &ring));
  data_and_nothing(ring);
  more_than_an_int(ring);
  wrong_communicators();
  OK(MPI_Comm_free(&ring));
  return check_end("coll_forms");
}
