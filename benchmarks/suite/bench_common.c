/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Begin and end, buffers, and lines of output of the programs of the suite. */
#include "bench_common.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool check_ranks(struct bench* b) {
  const char* need = NULL;
  switch (b->spec->ranks) {
    case BENCH_RANKS_ANY:
      break;
    case BENCH_RANKS_TWO:
      if (b->ranks != 2) need = "exactly 2 ranks";
      break;
    case BENCH_RANKS_EVEN:
      if (b->ranks % 2 != 0) need = "an even number of ranks";
      break;
    case BENCH_RANKS_AT_LEAST2:
      if (b->ranks < 2) need = "at least 2 ranks";
      break;
  }
  if (need == NULL) return true;
  if (b->rank == 0) {
    fprintf(stderr, "%s: needs %s, was started with %d (mpirun -n RANKS %s)\n", b->spec->name, need,
            b->ranks, b->spec->name);
  }
  b->exit_code = 2;
  return false;
}

/* One rank of each host starts them, for all processors that ranks of this host may use. */
static void start_neighbours(struct bench* b) {
  unsigned char mine[BENCH_CPU_BYTES], all[BENCH_CPU_BYTES];
  MPI_Comm host;
  int rank = 0, failed = 0, any = 0;
  if (b->neighbour == BENCH_ALONE) return;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &rank);
  bench_cpus(mine);
  MPI_Allreduce(mine, all, BENCH_CPU_BYTES, MPI_UNSIGNED_CHAR, MPI_BOR, host);
  if (rank == 0) {
    b->neighbours = bench_neighbours_start(b->neighbour, all);
    failed = b->neighbours == NULL;
  }
  MPI_Comm_free(&host);
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (any) bench_refuse(b);
}

bool bench_begin(struct bench* b, const struct bench_spec* spec, int argc, char** argv) {
  bench_neighbour_main(argc, argv);
  memset(b, 0, sizeof *b);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &b->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &b->ranks);
  if (!bench_parse(b, spec, argc, argv) || !check_ranks(b)) {
    MPI_Finalize();
    return false;
  }
  start_neighbours(b);
  return true;
}

void bench_refuse(struct bench* b) {
  bench_neighbours_stop(b->neighbours);
  MPI_Finalize();
  exit(2);
}

int bench_end(struct bench* b) {
  long total = 0;
  MPI_Allreduce(&b->errors, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  bench_neighbours_stop(b->neighbours);
  if (total > 0 && b->rank == 0) {
    fprintf(stderr, "%s: validation failed: %ld wrong bytes or elements\n", b->spec->name, total);
  }
  MPI_Finalize();
  return total > 0 ? 1 : 0;
}

static void refuse_memory(const struct bench* b, size_t bytes) {
  fprintf(
      stderr,
      "%s: rank %d cannot allocate %zu bytes: use smaller messages (-m) or a smaller --rotate\n",
      b->spec->name, b->rank, bytes);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void* bench_alloc(const struct bench* b, size_t bytes) {
  void* memory = calloc(1, bytes);
  if (memory == NULL) refuse_memory(b, bytes);
  return memory;
}

void* bench_take_memory(const struct bench* b, size_t room) {
  void* memory = NULL;
  if (b->alloc_mem) {
    if (MPI_Alloc_mem((MPI_Aint)room, MPI_INFO_NULL, &memory) != MPI_SUCCESS) memory = NULL;
  } else {
    memory = malloc(room);
  }
  if (memory == NULL) refuse_memory(b, room);
  return memory;
}

void bench_return_memory(const struct bench* b, void* memory) {
  if (b->alloc_mem) {
    MPI_Free_mem(memory);
  } else {
    free(memory);
  }
}

void bench_place_buffers(struct bench* b, enum bench_side side, void* memory, size_t bytes,
                         size_t together, struct bench_buffers* buffers) {
  memset(memory, 1, bench_buffers_room(&b->placement, bytes, together));
  bench_buffers_make(buffers, &b->placement, side, memory, bytes, together);
  b->begins[side] = (size_t)((uintptr_t)buffers->first % BENCH_PAGE);
}

void bench_make_buffers(struct bench* b, enum bench_side side, size_t bytes, size_t together,
                        struct bench_buffers* buffers) {
  if (!bench_can_rotate(b, bytes)) bench_refuse(b);
  void* memory = bench_take_memory(b, bench_buffers_room(&b->placement, bytes, together));
  bench_place_buffers(b, side, memory, bytes, together, buffers);
}

void bench_free_buffers(const struct bench* b, struct bench_buffers* buffers) {
  bench_return_memory(b, buffers->memory);
}

void bench_print(struct bench* b, size_t size, const struct bench_row* row, double second,
                 long errors) {
  long total = 0;
  b->errors += errors;
  if (b->validate) MPI_Reduce(&errors, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (b->rank == 0) bench_print_row(b, size, row, second, total);
}
