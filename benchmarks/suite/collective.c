/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* The measuring loop of the collective benchmarks. */
#include "collective.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned collective_seed(const struct collective_args* a, int source, int target) {
  return (unsigned)(a->round * 131 + source * 977 + target * 61) + (unsigned)a->size;
}

int collective_share(const struct collective_args* a) {
  const size_t share = a->size / sizeof(float) / (size_t)a->ranks;
  return share > 0 ? (int)share : 1;
}

static int term(size_t element, int rank, int round) {
  return (int)((element + (size_t)round) % 97) + rank;
}

void collective_fill_floats(const struct collective_args* a, size_t count) {
  float* value = (float*)(void*)a->send;
  for (size_t i = 0; i < count; ++i) value[i] = (float)term(i, a->rank, a->round);
}

long collective_wrong_sums(const struct collective_args* a, int ranks, size_t first, size_t count) {
  const float* value = (const float*)(const void*)a->receive;
  long wrong = 0;
  for (size_t i = 0; i < count; ++i) {
    const int ranks_sum = ranks * (ranks - 1) / 2;
    wrong += value[i] != (float)(term(first + i, 0, a->round) * ranks + ranks_sum);
  }
  return wrong;
}

static void call_once(const struct bench* b, const struct collective* c,
                      const struct collective_args* a) {
  if (!b->nonblocking) {
    c->call(a);
    return;
  }
  MPI_Request request;
  c->start(a, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static struct bench_row time_calls(const struct bench* b, const struct collective* c,
                                   const struct collective_args* a) {
  struct bench_row row = {0, 0, 0, bench_iterations(b, a->size)};
  const int warmup = bench_warmup(b, a->size);
  double elapsed = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < warmup + row.iterations; ++i) {
    const double start = bench_now();
    call_once(b, c, a);
    if (b->with_barrier) MPI_Barrier(MPI_COMM_WORLD);
    if (i >= warmup) elapsed += bench_now() - start;
    if (!b->with_barrier) MPI_Barrier(MPI_COMM_WORLD);
  }
  const double mine = elapsed * 1e6 / row.iterations;
  MPI_Reduce(&mine, &row.value, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&mine, &row.min, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&mine, &row.max, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  row.value /= b->ranks;
  return row;
}

static long check_calls(const struct bench* b, const struct collective* c,
                        struct collective_args* a, size_t receive_bytes) {
  long wrong = 0;
  for (a->round = 0; a->round < bench_checked_rounds(b, a->size); ++a->round) {
    memset(a->receive, 0, receive_bytes);
    c->fill(a);
    call_once(b, c, a);
    wrong += c->wrong(a);
  }
  return wrong;
}

/* The counts and places of the ranks' blocks. */
static void share_out(struct collective_args* a) {
  const int floats = (int)(a->size / sizeof(float));
  for (int i = 0; i < a->ranks; ++i) {
    a->counts[i] = (int)a->size;
    a->displs[i] = (int)((size_t)i * a->size);
    a->shares[i] = floats / a->ranks + (i < floats % a->ranks);
    a->types[i] = MPI_CHAR;
  }
}

static void measure(struct bench* b, const struct collective* c, struct collective_args* a) {
  const size_t blocks = (size_t)b->ranks;
  for (int i = 0; i < (c->fill != NULL ? b->size_count : 1); ++i) {
    a->size = b->sizes[i];
    if (a->size > INT_MAX / blocks) {
      if (b->rank == 0) {
        fprintf(stderr, "%s: %zu bytes are left out: %d blocks of them do not fit an int\n",
                c->name, a->size, b->ranks);
      }
      continue;
    }
    share_out(a);
    const struct bench_row row = time_calls(b, c, a);
    const size_t receive_bytes = a->size * (c->receive_blocks ? blocks : 1);
    const long wrong = b->validate ? check_calls(b, c, a, receive_bytes) : 0;
    bench_print(b, a->size, &row, -1, wrong);
  }
}

int collective_main(const struct collective* c, int argc, char** argv) {
  const struct bench_spec spec = {.name = c->name,
                                  .purpose = c->purpose,
                                  .ranks = BENCH_RANKS_ANY,
                                  .min_size = c->fill != NULL ? c->unit : 0,
                                  .max_size = c->fill != NULL ? (size_t)1 << 20 : 0,
                                  .unit = c->unit,
                                  .iterations = 1000,
                                  .warmup = 200,
                                  .collective = true};
  struct bench b;
  if (!bench_begin(&b, &spec, argc, argv)) return b.exit_code;
  const size_t blocks = (size_t)b.ranks;
  /* A share of a vector is one float at least. */
  const size_t most = bench_largest(&b) + blocks * sizeof(float);
  struct collective_args a = {.rank = b.rank, .ranks = b.ranks};
  a.send = bench_alloc(&b, most * (c->send_blocks ? blocks : 1));
  a.receive = bench_alloc(&b, most * (c->receive_blocks ? blocks : 1));
  int* numbers = malloc(3 * blocks * sizeof *numbers);
  a.types = malloc(blocks * sizeof(MPI_Datatype));
  if (numbers == NULL || a.types == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  a.counts = numbers;
  a.displs = numbers + blocks;
  a.shares = numbers + 2 * blocks;
  bench_header(&b, "Avg Latency(us)", NULL);
  measure(&b, c, &a);
  free(numbers);
  free((void*)a.types);
  bench_free(&b, a.send);
  bench_free(&b, a.receive);
  return bench_end(&b);
}
