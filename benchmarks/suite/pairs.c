/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Ping-pong and windowed transfers between rank i and rank i + ranks/2. */
#include "pairs.h"

#include <stdlib.h>

enum { kTagData = 1, kTagAck = 2 };
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

static unsigned data_seed(int sender, size_t size, unsigned round) {
  return (unsigned)sender * 977u + round * 131u + (unsigned)size;
}

/* One rank's end of a ping-pong. */
struct ping_pong {
  const struct pair* pair;
  int rank;
  size_t size;
  struct bench_buffers send, receive;
  bool touch; /* the data are written before they are sent, and read when they have come */
  long wrong; /* bytes */
};

static void send_one(struct ping_pong* t, int round) {
  char* data = bench_next(&t->send);
  if (t->touch) bench_fill(data, t->size, data_seed(t->rank, t->size, (unsigned)round));
  MPI_Send(data, (int)t->size, MPI_CHAR, t->pair->peer, kTagData, MPI_COMM_WORLD);
}

static void receive_one(struct ping_pong* t, int round) {
  char* data = bench_next(&t->receive);
  MPI_Recv(data, (int)t->size, MPI_CHAR, t->pair->peer, kTagData, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  if (!t->touch) return;
  t->wrong += bench_wrong(data, t->size, data_seed(t->pair->peer, t->size, (unsigned)round));
}

static void ping_pong(struct ping_pong* t, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    if (t->pair->first) send_one(t, i);
    receive_one(t, i);
    if (!t->pair->first) send_one(t, i);
  }
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

static struct bench_row time_ping_pong(const struct bench* b, struct ping_pong* t) {
  struct bench_row row = {0, 1e30, 0, bench_iterations(b, t->size)};
  double total = 0;
  t->touch = b->touch;
  MPI_Barrier(MPI_COMM_WORLD);
  ping_pong(t, bench_warmup(b, t->size));
  for (int batch = 0; batch < BENCH_BATCHES; ++batch) {
    const int rounds = bench_batch(b, row.iterations, batch);
    if (rounds == 0) continue;
    const double start = bench_now();
    ping_pong(t, rounds);
    const double elapsed = bench_now() - start;
    const double one_way = elapsed * 1e6 / (2.0 * rounds);
    total += elapsed;
    if (one_way < row.min) row.min = one_way;
    if (one_way > row.max) row.max = one_way;
  }
  row.value = total * 1e6 / (2.0 * row.iterations);
  combine_latency(t->pair, &row);
  return row;
}

int pairs_latency_main(const struct bench_spec* spec, int argc, char** argv) {
  struct bench b;
  if (!bench_begin(&b, spec, argc, argv)) return b.exit_code;
  const struct pair p = find_pair(&b);
  struct ping_pong t = {.pair = &p, .rank = b.rank};
  bench_make_buffers(&b, BENCH_SOURCE, bench_largest(&b), 1, &t.send);
  bench_make_buffers(&b, BENCH_DESTINATION, bench_largest(&b), 1, &t.receive);
  bench_header(&b, "Latency (us)", NULL);
  for (int i = 0; i < b.size_count; ++i) {
    t.size = b.sizes[i];
    t.wrong = 0;
    bench_buffers_divide(&t.send, t.size);
    bench_buffers_divide(&t.receive, t.size);
    const struct bench_row row = time_ping_pong(&b, &t);
    t.touch = true;
    if (b.validate) ping_pong(&t, bench_checked_rounds(&b, t.size));
    bench_print(&b, t.size, &row, -1, t.wrong);
  }
  bench_free_buffers(&b, &t.send);
  bench_free_buffers(&b, &t.receive);
  return bench_end(&b);
}

/* One rank's messages in flight. They may have fewer buffers than there are messages, often one, as
   in the field's programs. */
struct window {
  int rank;
  int count;
  size_t size;
  struct bench_buffers send, receive;
  MPI_Request* requests; /* 2 * count */
  bool touch;
  long wrong; /* bytes */
};

/* The pattern of a message. Those that share a buffer have the same one. */
static unsigned message_seed(const struct window* w, int sender, int round, int message) {
  const size_t least = w->send.count < w->receive.count ? w->send.count : w->receive.count;
  const bool alone = least >= (size_t)w->count;
  const unsigned number = (unsigned)round * (unsigned)w->count + (unsigned)message;
  return data_seed(sender, w->size, alone ? number : (unsigned)round);
}

/* How many different buffers the messages of a window have. */
static int distinct(const struct window* w, const struct bench_buffers* buffers) {
  return buffers->count < (size_t)w->count ? (int)buffers->count : w->count;
}

static void write_window(const struct window* w, int round) {
  struct bench_buffers buffers = w->send; /* goes where the sends will go */
  for (int i = 0; i < distinct(w, &buffers); ++i) {
    bench_fill(bench_next(&buffers), w->size, message_seed(w, w->rank, round, i));
  }
}

/* `buffers`: those of the receives, as they were before these were posted. */
static void read_window(struct window* w, struct bench_buffers buffers, int sender, int round) {
  for (int i = 0; i < distinct(w, &buffers); ++i) {
    w->wrong += bench_wrong(bench_next(&buffers), w->size, message_seed(w, sender, round, i));
  }
}

static void post_receives(struct window* w, int peer) {
  for (int i = 0; i < w->count; ++i) {
    MPI_Irecv(bench_next(&w->receive), (int)w->size, MPI_CHAR, peer, kTagData, MPI_COMM_WORLD,
              &w->requests[i]);
  }
}

static void post_sends(struct window* w, int peer, MPI_Request* requests) {
  for (int i = 0; i < w->count; ++i) {
    MPI_Isend(bench_next(&w->send), (int)w->size, MPI_CHAR, peer, kTagData, MPI_COMM_WORLD,
              &requests[i]);
  }
}

static void one_direction(const struct pair* p, struct window* w, int rounds) {
  char ack = 0;
  for (int i = 0; i < rounds; ++i) {
    if (p->first) {
      if (w->touch) write_window(w, i);
      post_sends(w, p->peer, w->requests);
      MPI_Waitall(w->count, w->requests, MPI_STATUSES_IGNORE);
      MPI_Recv(&ack, 1, MPI_CHAR, p->peer, kTagAck, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      const struct bench_buffers before = w->receive;
      post_receives(w, p->peer);
      MPI_Waitall(w->count, w->requests, MPI_STATUSES_IGNORE);
      if (w->touch) read_window(w, before, p->peer, i);
      MPI_Send(&ack, 1, MPI_CHAR, p->peer, kTagAck, MPI_COMM_WORLD);
    }
  }
}

static void both_directions(const struct pair* p, struct window* w, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    const struct bench_buffers before = w->receive;
    if (w->touch) write_window(w, i);
    post_receives(w, p->peer);
    post_sends(w, p->peer, w->requests + w->count);
    MPI_Waitall(2 * w->count, w->requests, MPI_STATUSES_IGNORE);
    if (w->touch) read_window(w, before, p->peer, i);
  }
}

static void transfer(enum pairs_kind kind, const struct pair* p, struct window* w, int rounds) {
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
                                    const struct pair* p, struct window* w, double* messages) {
  struct bench_row row = {0, 1e30, 0, bench_iterations(b, w->size)};
  const double directions = kind == PAIRS_BIDIRECTIONAL ? 2 : 1;
  const double round_bytes = (double)w->size * w->count * p->pairs * directions;
  double total = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  transfer(kind, p, w, bench_warmup(b, w->size));
  for (int batch = 0; batch < BENCH_BATCHES; ++batch) {
    const int rounds = bench_batch(b, row.iterations, batch);
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

/* Every message has its own buffer and pattern here, so that a swapped pair shows. */
static long check_window(struct bench* b, enum pairs_kind kind, const struct pair* p,
                         const struct window* timed) {
  struct window w = *timed;
  struct bench once = *b;
  once.placement.rotate = 0;
  if (w.size > 0 && (size_t)w.count > kCheckedBytes / w.size) {
    w.count = (int)(kCheckedBytes / w.size);
  }
  if (w.count < 1) w.count = 1;
  bench_make_buffers(&once, BENCH_SOURCE, w.size, (size_t)w.count, &w.send);
  bench_make_buffers(&once, BENCH_DESTINATION, w.size, (size_t)w.count, &w.receive);
  w.touch = true;
  w.wrong = 0;
  transfer(kind, p, &w, bench_checked_rounds(b, w.size));
  bench_free_buffers(&once, &w.send);
  bench_free_buffers(&once, &w.receive);
  return w.wrong;
}

int pairs_window_main(const struct bench_spec* spec, enum pairs_kind kind, int argc, char** argv) {
  struct bench b;
  if (!bench_begin(&b, spec, argc, argv)) return b.exit_code;
  const struct pair p = find_pair(&b);
  const size_t together = b.many_buffers ? (size_t)b.window : 1;
  struct window w = {.rank = b.rank, .count = b.window, .touch = b.touch};
  bench_make_buffers(&b, BENCH_SOURCE, bench_largest(&b), together, &w.send);
  bench_make_buffers(&b, BENCH_DESTINATION, bench_largest(&b), together, &w.receive);
  w.requests = bench_alloc(&b, 2 * (size_t)b.window * sizeof(MPI_Request));
  const bool rate = kind == PAIRS_MESSAGE_RATE;
  bench_header(&b, rate ? "MB/s" : "Bandwidth (MB/s)", rate ? "Messages/s" : NULL);
  for (int i = 0; i < b.size_count; ++i) {
    w.size = b.sizes[i];
    w.wrong = 0;
    bench_buffers_divide(&w.send, w.size);
    bench_buffers_divide(&w.receive, w.size);
    double messages = 0;
    const struct bench_row row = time_window(&b, kind, &p, &w, &messages);
    const long wrong = w.wrong + (b.validate ? check_window(&b, kind, &p, &w) : 0);
    bench_print(&b, w.size, &row, rate ? messages : -1, wrong);
  }
  bench_free_buffers(&b, &w.send);
  bench_free_buffers(&b, &w.receive);
  free(w.requests);
  return bench_end(&b);
}
