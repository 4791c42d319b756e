/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* The benchmarks of collectives. */
#include "collective.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* What the loop gives back to us. */
struct context {
  const struct collective* collective;
  struct collective_args args;
};

static void call_blocking(void* context) {
  const struct context* c = context;
  c->collective->call(&c->args);
}

static void call_nonblocking(void* context) {
  const struct context* c = context;
  MPI_Request request;
  c->collective->start(&c->args, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void barrier(void* context) {
  (void)context;
  MPI_Barrier(MPI_COMM_WORLD);
}

static struct bench_row time_calls(struct call_loop* loop, long* wrong) {
  const struct bench* b = loop->bench;
  struct bench_row row = {0, 0, 0, bench_iterations(b, loop->data.size)};
  const double mine = call_time(loop, wrong);
  MPI_Reduce(&mine, &row.value, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&mine, &row.min, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&mine, &row.max, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  row.value /= b->ranks;
  return row;
}

/* The counts and places of the ranks' blocks. */
static void share_out(struct collective_args* a) {
  for (int i = 0; i < a->data->ranks; ++i) {
    a->counts[i] = (int)a->data->size;
    a->displs[i] = (int)((size_t)i * a->data->size);
    a->shares[i] = call_share(a->data, i);
    a->types[i] = MPI_CHAR;
  }
}

static void measure(struct bench* b, struct call_loop* loop, struct collective_args* a) {
  for (int i = 0; i < (loop->kind != NULL ? b->size_count : 1); ++i) {
    const size_t size = b->sizes[i];
    if (size > INT_MAX / (size_t)b->ranks) {
      if (b->rank == 0) {
        fprintf(stderr, "%s: %zu bytes are left out: %d blocks of them do not fit an int\n",
                b->spec->name, size, b->ranks);
      }
      continue;
    }
    loop->data.size = size;
    share_out(a);
    if (loop->kind != NULL) {
      bench_buffers_divide(&loop->send, call_bytes(loop->kind, BENCH_SOURCE, size, b->ranks));
      bench_buffers_divide(&loop->receive,
                           call_bytes(loop->kind, BENCH_DESTINATION, size, b->ranks));
    }
    long wrong = 0;
    const struct bench_row row = time_calls(loop, &wrong);
    if (b->validate) wrong += call_check(loop, bench_checked_rounds(b, size));
    bench_print(b, size, &row, -1, wrong);
  }
}

static void make_buffers(struct bench* b, struct call_loop* loop) {
  const size_t largest = bench_largest(b);
  if (loop->kind == NULL) return;
  const size_t sent = call_bytes(loop->kind, BENCH_SOURCE, largest, b->ranks);
  const size_t received = call_bytes(loop->kind, BENCH_DESTINATION, largest, b->ranks);
  bench_make_buffers(b, BENCH_SOURCE, sent, 1, &loop->send);
  bench_make_buffers(b, BENCH_DESTINATION, received, 1, &loop->receive);
}

int collective_main(const struct collective* c, int argc, char** argv) {
  const struct bench_spec spec = {.name = c->name,
                                  .purpose = c->purpose,
                                  .ranks = BENCH_RANKS_ANY,
                                  .min_size = c->kind != NULL ? c->kind->unit : 0,
                                  .max_size = c->kind != NULL ? (size_t)1 << 20 : 0,
                                  .unit = c->kind != NULL ? c->kind->unit : 1,
                                  .iterations = 1000,
                                  .warmup = 200,
                                  .buffers = c->kind != NULL,
                                  .collective = true,
                                  .requests = true};
  struct bench b;
  if (!bench_begin(&b, &spec, argc, argv)) return b.exit_code;
  const size_t blocks = (size_t)b.ranks;
  struct context context = {.collective = c};
  struct call_loop loop = {.bench = &b,
                           .kind = c->kind,
                           .data = {.rank = b.rank, .ranks = b.ranks},
                           .call = b.nonblocking ? call_nonblocking : call_blocking,
                           .barrier = barrier,
                           .context = &context};
  int* numbers = bench_alloc(&b, 3 * blocks * sizeof *numbers);
  context.args = (struct collective_args){.data = &loop.data,
                                          .counts = numbers,
                                          .displs = numbers + blocks,
                                          .shares = numbers + 2 * blocks,
                                          .types = bench_alloc(&b, blocks * sizeof(MPI_Datatype))};
  make_buffers(&b, &loop);
  bench_header(&b, "Avg Latency(us)", NULL);
  measure(&b, &loop, &context.args);
  free(numbers);
  free((void*)context.args.types);
  if (c->kind != NULL) {
    bench_free_buffers(&b, &loop.send);
    bench_free_buffers(&b, &loop.receive);
  }
  return bench_end(&b);
}
