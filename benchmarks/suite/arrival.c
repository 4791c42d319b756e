/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* How data come to a rank together with the news that they are there: as a message; by a put, a
   flush and a flag behind it; by a put that notifies or signals. Each program is this file; which
   one it is says the name under which it was started. */
#include <stdio.h>
#include <stdlib.h>

#include "exposed.h"
#include "notified_calls.h"

enum {
  kProbes = 64, /* polls between two calls of MPI, without which some libraries do nothing */
  kPart = 8     /* bytes of each of many arrivals */
};
static const double kComputes = 1e-3; /* seconds, of a target meanwhile */

enum way {
  kMessage,
  kFlag,    /* the target polls its own memory */
  kNotify,  /* it waits for a request */
  kCounter, /* it polls the counter */
  kSignal
};

enum question {
  kPingPong, /* half of it */
  kArrivals, /* the same of many arrivals for which there is one wait */
  kOverlap   /* how long the target waits after it has computed meanwhile */
};

struct program {
  const char* name;
  const char* purpose;
  enum question question;
  enum way way;
};

#define ARRIVALS "half a ping-pong of so many arrivals of 8 bytes and one wait; "
#define OVERLAP "what the target waits still when it has computed for 1 ms meanwhile; "
static const struct program kPrograms[] = {
    {"put_flag", "half a ping-pong of data put, flush, flag put, flush; the target polls",
     kPingPong, kFlag},
    {"put_notify", "half a ping-pong of notified puts; the target waits for a request", kPingPong,
     kNotify},
    {"put_notify_polled", "half a ping-pong of notified puts; the target reads the counter",
     kPingPong, kCounter},
    {"put_signal", "half a ping-pong of puts with a signal", kPingPong, kSignal},
    {"arrivals_message", ARRIVALS "messages", kArrivals, kMessage},
    {"arrivals_flag", ARRIVALS "each put, flushed and counted by an accumulate", kArrivals, kFlag},
    {"arrivals_notify", ARRIVALS "notified puts", kArrivals, kNotify},
    {"arrivals_signal", ARRIVALS "puts with a signal", kArrivals, kSignal},
    {"overlap_message", OVERLAP "a message", kOverlap, kMessage},
    {"overlap_flag", OVERLAP "put, flush and flag", kOverlap, kFlag},
    {"overlap_notify", OVERLAP "a notified put", kOverlap, kNotify},
    {"overlap_signal", OVERLAP "a put with a signal", kOverlap, kSignal},
};

/* One rank's end. */
struct end {
  const struct program* program;
  int rank, peer;
  size_t size; /* bytes of an arrival */
  int parts;   /* arrivals in a round */
  struct bench_buffers local;
  struct exposed exposed;
  MPI_Request* requests; /* of `parts`, or of a notification */
  int64_t number;        /* arrivals of all rounds so far, at each rank */
  bool touch;
  long wrong; /* bytes */
};

static const int64_t kOne = 1;

/* --- at the origin ------------------------------------------------------------------------- */

static void put(struct end* e, const char* data, MPI_Aint at) {
  MPI_Put(data, (int)e->size, MPI_CHAR, e->peer, at, (int)e->size, MPI_CHAR, e->exposed.win);
}

/* Of one arrival the flag is its number; several are counted. */
static void put_and_flag(struct end* e, const char* data, MPI_Aint at) {
  const MPI_Aint word = e->exposed.places[e->peer].word;
  const MPI_Win win = e->exposed.win;
  put(e, data, at);
  MPI_Win_flush(e->peer, win);
  if (e->parts == 1) {
    MPI_Put(&e->number, 1, MPI_INT64_T, e->peer, word, 1, MPI_INT64_T, win);
  } else {
    MPI_Accumulate(&kOne, 1, MPI_INT64_T, e->peer, word, 1, MPI_INT64_T, MPI_SUM, win);
  }
  MPI_Win_flush(e->peer, win);
}

/* Data begin in this rank's buffer and at the displacement of the peer's. */
static void send_part(struct end* e, const char* data, MPI_Aint at) {
  switch (e->program->way) {
    case kMessage:
      MPI_Send(data, (int)e->size, MPI_CHAR, e->peer, 0, MPI_COMM_WORLD);
      break;
    case kFlag:
      put_and_flag(e, data, at);
      break;
    case kNotify:
    case kCounter:
      suite_put_notify(data, (int)e->size, e->peer, at, e->exposed.win);
      break;
    case kSignal:
      suite_put_signal(data, (int)e->size, e->peer, at, e->exposed.places[e->peer].word,
                       e->exposed.win);
      break;
  }
}

static unsigned data_seed(const struct end* e, int sender) {
  return (unsigned)sender * 977u + (unsigned)e->number * 131u + (unsigned)e->size;
}

/* The origin's data may change behind it. */
static void send(struct end* e) {
  char* const data = bench_next(&e->local);
  const MPI_Aint at = exposed_next(&e->exposed, e->peer);
  const size_t all = e->size * (size_t)e->parts;
  if (e->touch) bench_fill(data, all, data_seed(e, e->rank));
  for (int part = 0; part < e->parts; ++part) {
    const size_t offset = e->size * (size_t)part;
    send_part(e, data + offset, at + (MPI_Aint)offset);
  }
  if (e->program->way >= kNotify) MPI_Win_flush_local(e->peer, e->exposed.win);
}

/* --- at the target ------------------------------------------------------------------------- */

/* `data`: where they will be. */
static void begin_to_wait(struct end* e, char* data) {
  if (e->program->way == kNotify) suite_notify_request(e->exposed.win, e->number, e->requests);
  if (e->program->way != kMessage) return;
  for (int part = 0; part < e->parts; ++part) {
    MPI_Irecv(data + e->size * (size_t)part, (int)e->size, MPI_CHAR, e->peer, 0, MPI_COMM_WORLD,
              &e->requests[part]);
  }
}

static void await(struct end* e) {
  int any;
  switch (e->program->way) {
    case kMessage:
      MPI_Waitall(e->parts, e->requests, MPI_STATUSES_IGNORE);
      break;
    case kFlag:
      for (int polls = 1; *e->exposed.word < e->number; ++polls) {
        if (polls % kProbes != 0) continue;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any, MPI_STATUS_IGNORE);
      }
      MPI_Win_sync(e->exposed.win);
      break;
    case kNotify:
      MPI_Wait(e->requests, MPI_STATUS_IGNORE);
      break;
    case kCounter:
      while (suite_notified(e->exposed.win) < e->number) continue;
      break;
    case kSignal:
      suite_signal_wait(e->exposed.win, e->exposed.places[e->rank].word, e->number);
      break;
  }
}

static void check(struct end* e, const char* data) {
  if (!e->touch) return;
  e->wrong += bench_wrong(data, e->size * (size_t)e->parts, data_seed(e, e->peer));
}

/* --- rounds -------------------------------------------------------------------------------- */

static void ping_pong(struct end* e, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    /* The peer's next buffer is this rank's next one, in which it finds what the peer has put. */
    struct bench_buffers part = e->exposed.buffers;
    char* const data = bench_next(&part);
    e->number += e->parts;
    begin_to_wait(e, data);
    if (e->rank == 0) send(e);
    await(e);
    check(e, data);
    if (e->rank == 1) send(e);
  }
}

/* Without a call of MPI. */
static void compute(double until) {
  volatile double result = 1;
  while (bench_now() < until) {
    for (int i = 0; i < 100; ++i) result = result * 0.999 + 0.001;
  }
}

/* Rank 0 sends; the seconds that rank 1 has waited behind its computing. */
static double overlap(struct end* e, int rounds) {
  double waited = 0;
  for (int i = 0; i < rounds; ++i) {
    struct bench_buffers part = e->exposed.buffers;
    char* const data = bench_next(&part);
    e->number += e->parts;
    if (e->rank == 1) begin_to_wait(e, data);
    MPI_Barrier(MPI_COMM_WORLD);
    if (e->rank == 0) {
      send(e);
      continue;
    }
    compute(bench_now() + kComputes);
    const double start = bench_now();
    await(e);
    waited += bench_now() - start;
    check(e, data);
    bench_next(&e->exposed.buffers); /* as at the origin */
  }
  MPI_Bcast(&waited, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  return waited;
}

/* Microseconds, the mean of so many rounds. */
static double time_of(struct end* e, int rounds) {
  if (e->program->question == kOverlap) return overlap(e, rounds) * 1e6 / rounds;
  const double start = bench_now();
  ping_pong(e, rounds);
  return (bench_now() - start) * 1e6 / (2.0 * rounds);
}

static struct bench_row time_rounds(const struct bench* b, struct end* e, size_t row_size) {
  struct bench_row row = {0, 1e30, 0, bench_iterations(b, row_size)};
  e->touch = b->touch;
  time_of(e, bench_warmup(b, row_size) + 1);
  for (int batch = 0; batch < BENCH_BATCHES; ++batch) {
    const int rounds = bench_batch(b, row.iterations, batch);
    if (rounds == 0) continue;
    const double taken = time_of(e, rounds);
    row.value += taken * rounds / row.iterations;
    if (taken < row.min) row.min = taken;
    if (taken > row.max) row.max = taken;
  }
  return row;
}

/* --- the program --------------------------------------------------------------------------- */

static struct bench_spec spec_of(const struct program* program) {
  const bool many = program->question == kArrivals, computes = program->question == kOverlap;
  const struct bench_spec spec = {.name = program->name,
                                  .purpose = program->purpose,
                                  .ranks = BENCH_RANKS_TWO,
                                  .min_size = 1,
                                  .max_size = many ? 64 : (size_t)4 << 20,
                                  .unit = 1,
                                  .iterations = computes ? 200 : 10000,
                                  .warmup = computes ? 20 : 1000,
                                  .buffers = !many,
                                  .one_sided = true};
  return spec;
}

/* A row of the table: sizes, or numbers of arrivals. */
static void measure(struct bench* b, struct end* e, size_t row_size) {
  const bool many = e->program->question == kArrivals;
  const size_t buffer = many ? row_size * kPart : row_size;
  e->size = many ? kPart : row_size;
  e->parts = many ? (int)row_size : 1;
  e->wrong = 0;
  bench_buffers_divide(&e->local, buffer);
  bench_buffers_divide(&e->exposed.buffers, buffer);
  MPI_Barrier(MPI_COMM_WORLD);
  const struct bench_row row = time_rounds(b, e, row_size);
  e->touch = true;
  if (b->validate) time_of(e, bench_checked_rounds(b, buffer));
  bench_print(b, row_size, &row, -1, e->wrong);
}

/* Whether this MPI has what the program is about; rank 0 says so. */
static bool can(const struct bench* b, const struct program* program) {
  const bool notifies = program->way == kNotify || program->way == kCounter;
  const bool fine = (!notifies || kSuiteNotifies) && (program->way != kSignal || kSuiteSignals);
  if (!fine && b->rank == 0) {
    fprintf(stderr, "%s: this MPI library has no %s\n", program->name,
            notifies ? "MPIX_Put_notify" : "MPIX_Put_signal");
  }
  return fine;
}

int main(int argc, char** argv) {
  struct bench b;
  const size_t count = sizeof kPrograms / sizeof kPrograms[0];
  const int choice = bench_choose(argv[0], kPrograms, count, sizeof kPrograms[0]);
  if (choice < 0) return 2;
  const struct program* const program = &kPrograms[choice];
  const struct bench_spec spec = spec_of(program);
  if (!bench_begin(&b, &spec, argc, argv)) return b.exit_code;
  if (!can(&b, program)) bench_refuse(&b);
  struct end e = {.program = program, .rank = b.rank, .peer = 1 - b.rank};
  const bool many = program->question == kArrivals;
  const size_t largest = bench_largest(&b) * (many ? kPart : 1);
  const size_t requests = many ? bench_largest(&b) : 1;
  e.requests = bench_alloc(&b, requests * sizeof *e.requests);
  bench_make_buffers(&b, BENCH_SOURCE, largest, 1, &e.local);
  exposed_make(&b, BENCH_DESTINATION, largest, 1, &e.exposed);
  if (program->way == kNotify || program->way == kCounter) suite_make_counter(e.exposed.win);
  bench_header(&b, program->question == kOverlap ? "Waits (us)" : "Time (us)", NULL);
  MPI_Win_lock_all(0, e.exposed.win);
  for (int i = 0; i < b.size_count; ++i) measure(&b, &e, b.sizes[i]);
  MPI_Win_unlock_all(e.exposed.win);
  if (program->way == kNotify || program->way == kCounter) suite_free_counter(e.exposed.win);
  exposed_free(&e.exposed);
  bench_free_buffers(&b, &e.local);
  free(e.requests);
  return bench_end(&b);
}
