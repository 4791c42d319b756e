/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Half a ping-pong of data that are put, and of a flag that is put when they are there; the target
   polls its own memory. What a notified put saves is the second put and the wait before it. */
#include "exposed.h"

enum { kProbes = 64 }; /* polls between two calls of MPI, without which some libraries do nothing */

/* One rank's end. */
struct end {
  int rank;
  size_t size;
  struct bench_buffers local;
  struct exposed exposed;
  int64_t number; /* of the last flag, sent or awaited */
  bool touch;
  long wrong; /* bytes */
};

static unsigned data_seed(int sender, size_t size, int64_t number) {
  return (unsigned)sender * 977u + (unsigned)number * 131u + (unsigned)size;
}

static void put_flag(struct end* e) {
  const int peer = 1 - e->rank;
  const MPI_Win win = e->exposed.win;
  char* const data = bench_next(&e->local);
  const MPI_Aint at = exposed_next(&e->exposed, peer);
  if (e->touch) bench_fill(data, e->size, data_seed(e->rank, e->size, e->number));
  MPI_Put(data, (int)e->size, MPI_CHAR, peer, at, (int)e->size, MPI_CHAR, win);
  MPI_Win_flush(peer, win);
  MPI_Put(&e->number, 1, MPI_INT64_T, peer, e->exposed.places[peer].word, 1, MPI_INT64_T, win);
  MPI_Win_flush(peer, win);
}

/* `data`: where they will be. */
static void await_flag(struct end* e, const char* data) {
  for (int polls = 1; *e->exposed.word != e->number; ++polls) {
    int any;
    if (polls % kProbes == 0) {
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any, MPI_STATUS_IGNORE);
    }
  }
  MPI_Win_sync(e->exposed.win);
  if (e->touch) e->wrong += bench_wrong(data, e->size, data_seed(1 - e->rank, e->size, e->number));
}

static void ping_pong(struct end* e, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    /* The peer's next buffer is this rank's next one, in which it finds what the peer has put. */
    struct bench_buffers part = e->exposed.buffers;
    const char* const data = bench_next(&part);
    ++e->number;
    if (e->rank == 0) put_flag(e);
    await_flag(e, data);
    if (e->rank == 1) put_flag(e);
  }
}

static struct bench_row time_rounds(const struct bench* b, struct end* e) {
  struct bench_row row = {0, 1e30, 0, bench_iterations(b, e->size)};
  e->touch = b->touch;
  ping_pong(e, bench_warmup(b, e->size));
  for (int batch = 0; batch < BENCH_BATCHES; ++batch) {
    const int rounds = bench_batch(b, row.iterations, batch);
    if (rounds == 0) continue;
    const double start = bench_now();
    ping_pong(e, rounds);
    const double one_way = (bench_now() - start) * 1e6 / (2.0 * rounds);
    row.value += one_way * rounds / row.iterations;
    if (one_way < row.min) row.min = one_way;
    if (one_way > row.max) row.max = one_way;
  }
  return row;
}

static const struct bench_spec kSpec = {
    .name = "put_flag",
    .purpose = "half a ping-pong of data put, flush, flag put, flush; the target polls",
    .ranks = BENCH_RANKS_TWO,
    .min_size = 1,
    .max_size = (size_t)4 << 20,
    .unit = 1,
    .iterations = 10000,
    .warmup = 1000,
    .buffers = true,
    .one_sided = true};

int main(int argc, char** argv) {
  struct bench b;
  if (!bench_begin(&b, &kSpec, argc, argv)) return b.exit_code;
  struct end e = {.rank = b.rank};
  bench_make_buffers(&b, BENCH_SOURCE, bench_largest(&b), 1, &e.local);
  exposed_make(&b, BENCH_DESTINATION, bench_largest(&b), 1, &e.exposed);
  bench_header(&b, "Time (us)", NULL);
  MPI_Win_lock_all(0, e.exposed.win);
  for (int i = 0; i < b.size_count; ++i) {
    e.size = b.sizes[i];
    e.wrong = 0;
    bench_buffers_divide(&e.local, e.size);
    bench_buffers_divide(&e.exposed.buffers, e.size);
    MPI_Barrier(MPI_COMM_WORLD);
    const struct bench_row row = time_rounds(&b, &e);
    e.touch = true;
    if (b.validate) ping_pong(&e, bench_checked_rounds(&b, e.size));
    bench_print(&b, e.size, &row, -1, e.wrong);
  }
  MPI_Win_unlock_all(e.exposed.win);
  exposed_free(&e.exposed);
  bench_free_buffers(&b, &e.local);
  return bench_end(&b);
}
