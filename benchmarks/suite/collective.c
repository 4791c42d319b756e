/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* The measuring loop of the collective benchmarks. */
#include "collective.h"

#include <stdlib.h>
#include <string.h>

unsigned collective_seed(const struct collective_args* a, int source, int target) {
  return (unsigned)(a->round * 131 + source * 977 + target * 61) + (unsigned)a->size;
}

static int term(size_t element, int rank, int round) {
  return (int)((element + (size_t)round) % 97) + rank;
}

void collective_fill_floats(const struct collective_args* a) {
  float* value = (float*)(void*)a->send;
  for (size_t i = 0; i < a->size / sizeof(float); ++i) value[i] = (float)term(i, a->rank, a->round);
}

long collective_wrong_sums(const struct collective_args* a) {
  const float* value = (const float*)(const void*)a->receive;
  long wrong = 0;
  for (size_t i = 0; i < a->size / sizeof(float); ++i) {
    const int ranks_sum = a->ranks * (a->ranks - 1) / 2;
    wrong += value[i] != (float)(term(i, 0, a->round) * a->ranks + ranks_sum);
  }
  return wrong;
}

static struct bench_row time_calls(const struct bench* b, const struct collective* c,
                                   const struct collective_args* a) {
  struct bench_row row = {0, 0, 0, bench_iterations(b, a->size)};
  const int warmup = bench_warmup(b, a->size);
  double elapsed = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < warmup + row.iterations; ++i) {
    const double start = bench_now();
    c->call(a);
    if (i >= warmup) elapsed += bench_now() - start;
    MPI_Barrier(MPI_COMM_WORLD);
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
    c->call(a);
    wrong += c->wrong(a);
  }
  return wrong;
}

int collective_main(const struct collective* c, int argc, char** argv) {
  struct bench b;
  if (!bench_begin(&b, &c->spec, argc, argv)) return b.exit_code;
  const size_t blocks = (size_t)b.ranks;
  const size_t most = bench_largest(&b);
  struct collective_args a = {NULL, NULL, 0, b.rank, b.ranks, 0};
  a.send = bench_alloc(&b, most * (c->send_blocks ? blocks : 1));
  a.receive = bench_alloc(&b, most * (c->receive_blocks ? blocks : 1));
  bench_header(&b, "Avg Latency(us)", NULL);
  for (int i = 0; i < (c->spec.max_size > 0 ? b.size_count : 1); ++i) {
    a.size = b.sizes[i];
    const struct bench_row row = time_calls(&b, c, &a);
    const size_t receive_bytes = a.size * (c->receive_blocks ? blocks : 1);
    const long wrong = b.validate ? check_calls(&b, c, &a, receive_bytes) : 0;
    bench_print(&b, a.size, &row, -1, wrong);
  }
  bench_free(&b, a.send);
  bench_free(&b, a.receive);
  return bench_end(&b);
}
