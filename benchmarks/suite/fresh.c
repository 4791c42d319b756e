/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Ping-pong with the same buffers each time, and with newly mapped ones: what registration of
   memory costs, and what hides it. The mapping and the first touch are not timed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench_common.h"

enum { kTag = 1 };

static const struct bench_spec kSpec = {
    .name = "fresh",
    .purpose = "latency with buffers that were never sent before, beside that of kept ones",
    .ranks = BENCH_RANKS_TWO,
    .min_size = (size_t)16 << 10,
    .max_size = (size_t)16 << 20,
    .unit = 1,
    .iterations = 500,
    .warmup = 20};

static char* map_memory(size_t size) {
  char* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    perror("mmap");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

/* Seconds of one round trip; each side answers with what it received. */
static double round_trip(const struct bench* b, char* memory, size_t size) {
  const int peer = 1 - b->rank, count = (int)size;
  const double start = bench_now();
  if (b->rank == 0) MPI_Send(memory, count, MPI_CHAR, peer, kTag, MPI_COMM_WORLD);
  MPI_Recv(memory, count, MPI_CHAR, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (b->rank == 1) MPI_Send(memory, count, MPI_CHAR, peer, kTag, MPI_COMM_WORLD);
  return bench_now() - start;
}

/* Half the average round trip, microseconds; wrong bytes are added to *errors. */
static double measure(const struct bench* b, size_t size, bool fresh, long* errors) {
  const int warmup = bench_warmup(b, size), rounds = bench_iterations(b, size);
  double total = 0;
  char* memory = map_memory(size);
  for (int i = -warmup; i < rounds; ++i) {
    if (fresh) {
      munmap(memory, size);
      memory = map_memory(size);
    }
    memset(memory, 0, size);
    if (b->rank == 0) bench_fill(memory, size, (unsigned)(i + warmup));
    MPI_Barrier(MPI_COMM_WORLD);
    const double elapsed = round_trip(b, memory, size);
    if (i >= 0) total += elapsed;
    if (b->validate) *errors += bench_wrong(memory, size, (unsigned)(i + warmup));
  }
  munmap(memory, size);
  return total * 1e6 / (2.0 * rounds);
}

int main(int argc, char** argv) {
  struct bench b;
  if (!bench_begin(&b, &kSpec, argc, argv)) return b.exit_code;
  bench_header(&b, "Kept (us)", "Fresh (us)");
  for (int i = 0; i < b.size_count; ++i) {
    const size_t size = b.sizes[i];
    long errors = 0;
    struct bench_row row = {0, 0, 0, bench_iterations(&b, size)};
    row.value = row.min = row.max = measure(&b, size, false, &errors);
    const double fresh = measure(&b, size, true, &errors);
    bench_print(&b, size, &row, fresh, errors);
  }
  return bench_end(&b);
}
