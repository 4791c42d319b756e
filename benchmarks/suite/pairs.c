/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Ping-pong and windowed transfers between rank i and rank i + ranks/2. */
#include "pairs.h"

#include <stdlib.h>
#include <string.h>

enum { kTagData = 1, kTagAck = 2, kBatches = 10, kCacheLine = 64 };
static const size_t kCheckedBytes = (size_t)64 << 20; /* a checked window takes at most this */

struct pair {
  int peer;
  bool first; /* in the first half: sends first, keeps the clock */
  int pairs;
};

static struct pair find_pair(const struct bench* b) {
  struct pair p;
  p.pairs = b->ranks / 2;
  p.first = b->rank < p.pairs;
  p.peer = p.first ? b->rank + p.pairs : b->rank - p.pairs;
  return p;
}

static unsigned data_seed(int sender, size_t size, int round) {
  return (unsigned)sender * 977u + (unsigned)round * 131u + (unsigned)size;
}

/* With -f the iterations are timed in ten batches, whose best and worst are shown. */
static int batch_length(const struct bench* b, int iterations, int batch) {
  if (!b->full) return batch == 0 ? iterations : 0;
  return iterations / kBatches + (batch < iterations % kBatches ? 1 : 0);
}

static void ping_pong(const struct pair* p, void* send, void* receive, size_t size, int rounds) {
  const int count = (int)size;
  for (int i = 0; i < rounds; ++i) {
    if (p->first) {
      MPI_Send(send, count, MPI_CHAR, p->peer, kTagData, MPI_COMM_WORLD);
      MPI_Recv(receive, count, MPI_CHAR, p->peer, kTagData, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(receive, count, MPI_CHAR, p->peer, kTagData, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(send, count, MPI_CHAR, p->peer, kTagData, MPI_COMM_WORLD);
    }
  }
}

static long check_ping_pong(const struct bench* b, const struct pair* p, void* send, void* receive,
                            size_t size) {
  long wrong = 0;
  for (int round = 0; round < bench_checked_rounds(b, size); ++round) {
    bench_fill(send, size, data_seed(b->rank, size, round));
    memset(receive, 0, size);
    ping_pong(p, send, receive, size, 1);
    wrong += bench_wrong(receive, size, data_seed(p->peer, size, round));
  }
  return wrong;
}

/* Averages the value over the pairs and takes the extremes of the batches; valid on rank 0. */
static void combine_latency(const struct pair* p, struct bench_row* row) {
  const double none = p->first ? 0 : 1;
  const double sum = p->first ? row->value : 0;
  const double low = none > 0 ? 1e30 : row->min, high = none > 0 ? 0 : row->max;
  double total = 0;
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&low, &row->min, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&high, &row->max, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  row->value = total / p->pairs;
}

static struct bench_row time_ping_pong(const struct bench* b, const struct pair* p, void* send,
                                       void* receive, size_t size) {
  struct bench_row row = {0, 1e30, 0, bench_iterations(b, size)};
  double total = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  ping_pong(p, send, receive, size, bench_warmup(b, size));
  for (int batch = 0; batch < kBatches; ++batch) {
    const int rounds = batch_length(b, row.iterations, batch);
    if (rounds == 0) continue;
    const double start = bench_now();
    ping_pong(p, send, receive, size, rounds);
    const double elapsed = bench_now() - start;
    const double one_way = elapsed * 1e6 / (2.0 * rounds);
    total += elapsed;
    if (one_way < row.min) row.min = one_way;
    if (one_way > row.max) row.max = one_way;
  }
  row.value = total * 1e6 / (2.0 * row.iterations);
  combine_latency(p, &row);
  return row;
}

int pairs_latency_main(const struct bench_spec* spec, int argc, char** argv) {
  struct bench b;
  if (!bench_begin(&b, spec, argc, argv)) return b.exit_code;
  const struct pair p = find_pair(&b);
  void* send = bench_alloc(&b, bench_largest(&b));
  void* receive = bench_alloc(&b, bench_largest(&b));
  bench_header(&b, "Latency (us)", NULL);
  for (int i = 0; i < b.size_count; ++i) {
    const size_t size = b.sizes[i];
    const struct bench_row row = time_ping_pong(&b, &p, send, receive, size);
    const long wrong = b.validate ? check_ping_pong(&b, &p, send, receive, size) : 0;
    bench_print(&b, size, &row, -1, wrong);
  }
  bench_free(&b, send);
  bench_free(&b, receive);
  return bench_end(&b);
}

/* One side's messages in flight. A stride of 0 lets all messages of a window share one buffer, as
   the field's programs do. */
struct window {
  int count;
  size_t size;
  size_t stride;
  char* send;
  char* receive;
  MPI_Request* requests; /* 2 * count */
};

static void post_receives(const struct window* w, int peer) {
  for (int i = 0; i < w->count; ++i) {
    MPI_Irecv(w->receive + (size_t)i * w->stride, (int)w->size, MPI_CHAR, peer, kTagData,
              MPI_COMM_WORLD, &w->requests[i]);
  }
}

static void post_sends(const struct window* w, int peer, MPI_Request* requests) {
  for (int i = 0; i < w->count; ++i) {
    MPI_Isend(w->send + (size_t)i * w->stride, (int)w->size, MPI_CHAR, peer, kTagData,
              MPI_COMM_WORLD, &requests[i]);
  }
}

static void one_direction(const struct pair* p, const struct window* w, int rounds) {
  char ack = 0;
  for (int i = 0; i < rounds; ++i) {
    if (p->first) {
      post_sends(w, p->peer, w->requests);
      MPI_Waitall(w->count, w->requests, MPI_STATUSES_IGNORE);
      MPI_Recv(&ack, 1, MPI_CHAR, p->peer, kTagAck, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      post_receives(w, p->peer);
      MPI_Waitall(w->count, w->requests, MPI_STATUSES_IGNORE);
      MPI_Send(&ack, 1, MPI_CHAR, p->peer, kTagAck, MPI_COMM_WORLD);
    }
  }
}

static void both_directions(const struct pair* p, const struct window* w, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    post_receives(w, p->peer);
    post_sends(w, p->peer, w->requests + w->count);
    MPI_Waitall(2 * w->count, w->requests, MPI_STATUSES_IGNORE);
  }
}

static void transfer(enum pairs_kind kind, const struct pair* p, const struct window* w,
                     int rounds) {
  if (kind == PAIRS_BIDIRECTIONAL) {
    both_directions(p, w, rounds);
  } else {
    one_direction(p, w, rounds);
  }
}

/* The longest time of any first-half rank, known to all. */
static double slowest(const struct pair* p, double elapsed) {
  double mine = p->first ? elapsed : 0, longest = 0;
  MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return longest;
}

/* Sets `messages` to the messages a second, all pairs and directions. */
static struct bench_row time_window(const struct bench* b, enum pairs_kind kind,
                                    const struct pair* p, const struct window* w,
                                    double* messages) {
  struct bench_row row = {0, 1e30, 0, bench_iterations(b, w->size)};
  const double directions = kind == PAIRS_BIDIRECTIONAL ? 2 : 1;
  const double round_bytes = (double)w->size * w->count * p->pairs * directions;
  double total = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  transfer(kind, p, w, bench_warmup(b, w->size));
  for (int batch = 0; batch < kBatches; ++batch) {
    const int rounds = batch_length(b, row.iterations, batch);
    if (rounds == 0) continue;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = bench_now();
    transfer(kind, p, w, rounds);
    const double elapsed = slowest(p, bench_now() - start);
    const double rate = round_bytes * rounds / elapsed / 1e6;
    total += elapsed;
    if (rate < row.min) row.min = rate;
    if (rate > row.max) row.max = rate;
  }
  row.value = round_bytes * row.iterations / total / 1e6;
  *messages = directions * w->count * p->pairs * row.iterations / total;
  return row;
}

static void fill_window(const struct window* w, int sender, int round) {
  for (int i = 0; i < w->count; ++i) {
    bench_fill(w->send + (size_t)i * w->stride, w->size,
               data_seed(sender, w->size, round * w->count + i));
  }
  memset(w->receive, 0, (size_t)w->count * w->stride);
}

/* Every message has its own buffer and pattern here, so that a swapped pair shows. */
static long check_window(const struct bench* b, enum pairs_kind kind, const struct pair* p,
                         const struct window* timed) {
  struct window w = *timed;
  w.stride = (w.size / kCacheLine + 1) * kCacheLine;
  if ((size_t)w.count > kCheckedBytes / w.stride) w.count = (int)(kCheckedBytes / w.stride);
  if (w.count < 1) w.count = 1;
  w.send = bench_alloc(b, (size_t)w.count * w.stride);
  w.receive = bench_alloc(b, (size_t)w.count * w.stride);
  long wrong = 0;
  for (int round = 0; round < bench_checked_rounds(b, w.size); ++round) {
    fill_window(&w, b->rank, round);
    transfer(kind, p, &w, 1);
    for (int i = 0; i < w.count && (!p->first || kind == PAIRS_BIDIRECTIONAL); ++i) {
      wrong += bench_wrong(w.receive + (size_t)i * w.stride, w.size,
                           data_seed(p->peer, w.size, round * w.count + i));
    }
  }
  bench_free(b, w.send);
  bench_free(b, w.receive);
  return wrong;
}

int pairs_window_main(const struct bench_spec* spec, enum pairs_kind kind, int argc, char** argv) {
  struct bench b;
  if (!bench_begin(&b, spec, argc, argv)) return b.exit_code;
  const struct pair p = find_pair(&b);
  const size_t slots = b.many_buffers ? (size_t)b.window : 1;
  const size_t slot = (bench_largest(&b) / kCacheLine + 1) * kCacheLine;
  struct window w = {b.window, 0, 0, NULL, NULL, NULL};
  w.send = bench_alloc(&b, slots * slot);
  w.receive = bench_alloc(&b, slots * slot);
  w.requests = bench_alloc(&b, 2 * (size_t)b.window * sizeof(MPI_Request));
  const bool rate = kind == PAIRS_MESSAGE_RATE;
  bench_header(&b, rate ? "MB/s" : "Bandwidth (MB/s)", rate ? "Messages/s" : NULL);
  for (int i = 0; i < b.size_count; ++i) {
    w.size = b.sizes[i];
    w.stride = b.many_buffers ? (w.size / kCacheLine + 1) * kCacheLine : 0;
    double messages = 0;
    const struct bench_row row = time_window(&b, kind, &p, &w, &messages);
    const long wrong = b.validate ? check_window(&b, kind, &p, &w) : 0;
    bench_print(&b, w.size, &row, rate ? messages : -1, wrong);
  }
  bench_free(&b, w.send);
  bench_free(&b, w.receive);
  bench_free(&b, w.requests);
  return bench_end(&b);
}
