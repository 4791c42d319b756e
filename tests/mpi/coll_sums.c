/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Sums of floating-point numbers whose value depends on the order of additions, by every reduction,
 * blocking and nonblocking, and a number that stands for the bits of all results: runs with the
 * parameter coll_reproducible must print the same one wherever their ranks are. */
#include <math.h>

#include "check.h"

enum { kMostElements = 40000, kRepeats = 5 };
enum { kReduce, kAllreduce, kReduceScatter, kReduceScatterBlock, kScan, kExscan, kKinds };

static double *given, *result;
static int* counts;
static uint64_t digest = 14695981039346656037u;

static void add_bits(const double* values, int n) {
  const unsigned char* bytes = (const unsigned char*)values;
  for (size_t i = 0; i < (size_t)n * sizeof *values; ++i)
    digest = (digest ^ bytes[i]) * 1099511628211u;
}

static void fill(int n) {
  uint64_t state = (uint64_t)(check_rank * 7919 + n);
  for (int i = 0; i < n; ++i) {
    const uint64_t x = check_next(&state);
    given[i] = ldexp((double)(x >> 12), -(int)(x % 40)) * (x % 3 == 0 ? -1 : 1);
    result[i] = 0;
  }
}

/* Elements of this rank's result. Vectors of n, in blocks of `each`. */
static int start(int kind, int n, int each, MPI_Request* request) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const MPI_Datatype type = MPI_DOUBLE;
  const int root = check_size - 1;
  for (int r = 0; r < check_size; ++r) counts[r] = each;
  switch (kind) {
    case kReduce:
      OK(request ? MPI_Ireduce(given, result, n, type, MPI_SUM, root, comm, request)
                 : MPI_Reduce(given, result, n, type, MPI_SUM, root, comm));
      return check_rank == root ? n : 0;
    case kAllreduce:
      OK(request ? MPI_Iallreduce(given, result, n, type, MPI_SUM, comm, request)
                 : MPI_Allreduce(given, result, n, type, MPI_SUM, comm));
      return n;
    case kReduceScatter:
      OK(request ? MPI_Ireduce_scatter(given, result, counts, type, MPI_SUM, comm, request)
                 : MPI_Reduce_scatter(given, result, counts, type, MPI_SUM, comm));
      return each;
    case kReduceScatterBlock:
      OK(request ? MPI_Ireduce_scatter_block(given, result, each, type, MPI_SUM, comm, request)
                 : MPI_Reduce_scatter_block(given, result, each, type, MPI_SUM, comm));
      return each;
    case kScan:
      OK(request ? MPI_Iscan(given, result, n, type, MPI_SUM, comm, request)
                 : MPI_Scan(given, result, n, type, MPI_SUM, comm));
      return n;
    default:
      OK(request ? MPI_Iexscan(given, result, n, type, MPI_SUM, comm, request)
                 : MPI_Exscan(given, result, n, type, MPI_SUM, comm));
      return check_rank == 0 ? 0 : n;
  }
}

int main(int argc, char** argv) {
  static const int kLengths[] = {1, 5, 100, 3000, kMostElements};
  check_start(&argc, &argv);
  given = malloc(kMostElements * sizeof *given);
  result = malloc(kMostElements * sizeof *result);
  counts = malloc((size_t)check_size * sizeof *counts);
  for (int kind = 0; kind < kKinds; ++kind) {
    for (size_t l = 0; l < sizeof kLengths / sizeof *kLengths; ++l) {
      const int each = kLengths[l] / check_size;
      const int n =
          kind == kReduceScatter || kind == kReduceScatterBlock ? each * check_size : kLengths[l];
      /* Boards and hierarchies come after some calls. */
      for (int repeat = 0; repeat < kRepeats; ++repeat) {
        MPI_Request request = MPI_REQUEST_NULL;
        fill(n);
        const int mine = start(kind, n, each, repeat == 0 ? &request : NULL);
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        add_bits(result, mine);
      }
    }
  }
  uint64_t* all = malloc((size_t)check_size * sizeof *all);
  OK(MPI_Gather(&digest, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
  if (check_rank == 0) {
    uint64_t sum = 0;
    for (int r = 0; r < check_size; ++r) sum = sum * 31 + all[r];
    printf("coll_sums: %016llx\n", (unsigned long long)sum);
  }
  free(all);
  free(counts);
  free(result);
  free(given);
  return check_end("coll_sums");
}
