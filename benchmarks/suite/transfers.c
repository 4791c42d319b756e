/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* One-sided operations between two ranks, with each kind of window and synchronization. Each
   program is this file; which one it is says the name under which it was started. A round is some
   operations, one or (-W) many, and what completes them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exposed.h"

/* One operation. `request`: null, or where its request goes. */
struct operation {
  char* local;  /* the data of the origin, which a get writes */
  char* result; /* what get_accumulate, fetch_and_op and compare_and_swap give back */
  size_t size;
  int target;
  MPI_Aint at;
  MPI_Win win;
  MPI_Request* request;
};

/* What all forms have in common, of bytes and of numbers. */
#define DATA(o, type, unit) (o)->local, (int)((o)->size / (unit)), type
#define RESULT(o, type, unit) (o)->result, (int)((o)->size / (unit)), type
#define THERE(o, type, unit) (o)->target, (o)->at, (int)((o)->size / (unit)), type
enum { kWord = sizeof(uint64_t) };

static void put(const struct operation* o) {
  if (o->request != NULL) {
    MPI_Rput(DATA(o, MPI_CHAR, 1), THERE(o, MPI_CHAR, 1), o->win, o->request);
  } else {
    MPI_Put(DATA(o, MPI_CHAR, 1), THERE(o, MPI_CHAR, 1), o->win);
  }
}

static void get(const struct operation* o) {
  if (o->request != NULL) {
    MPI_Rget(DATA(o, MPI_CHAR, 1), THERE(o, MPI_CHAR, 1), o->win, o->request);
  } else {
    MPI_Get(DATA(o, MPI_CHAR, 1), THERE(o, MPI_CHAR, 1), o->win);
  }
}

static void accumulate(const struct operation* o) {
  if (o->request != NULL) {
    MPI_Raccumulate(DATA(o, MPI_UINT64_T, kWord), THERE(o, MPI_UINT64_T, kWord), MPI_SUM, o->win,
                    o->request);
  } else {
    MPI_Accumulate(DATA(o, MPI_UINT64_T, kWord), THERE(o, MPI_UINT64_T, kWord), MPI_SUM, o->win);
  }
}

static void get_accumulate(const struct operation* o) {
  if (o->request != NULL) {
    MPI_Rget_accumulate(DATA(o, MPI_UINT64_T, kWord), RESULT(o, MPI_UINT64_T, kWord),
                        THERE(o, MPI_UINT64_T, kWord), MPI_SUM, o->win, o->request);
  } else {
    MPI_Get_accumulate(DATA(o, MPI_UINT64_T, kWord), RESULT(o, MPI_UINT64_T, kWord),
                       THERE(o, MPI_UINT64_T, kWord), MPI_SUM, o->win);
  }
}

/* The words of an atomic operation at the origin: of `result` what was there, of `local` what is
   expected, or added, and what is put in its place. */
static void fetch_and_op(const struct operation* o) {
  int64_t* const words = (int64_t*)o->local;
  words[1] = 1;
  MPI_Fetch_and_op(&words[1], o->result, MPI_INT64_T, o->target, o->at, MPI_SUM, o->win);
}

static void compare_and_swap(const struct operation* o) {
  int64_t* const words = (int64_t*)o->local;
  words[0] = words[1]++; /* it was there before, so that each swap succeeds */
  MPI_Compare_and_swap(&words[1], &words[0], o->result, MPI_INT64_T, o->target, o->at, o->win);
}

/* Where the data of an operation end up. */
enum effect { kPuts, kGets, kAdds, kAddsAndGets, kCounts };

struct program {
  const char* name;
  const char* purpose;
  enum effect effect;
  void (*operation)(const struct operation* o);
  bool many; /* operations in a round; the table shows the bandwidth */
  bool both; /* ranks are origins at once */
};

static const struct program kPrograms[] = {
    {"put_latency", "time of MPI_Put", kPuts, put, false, false},
    {"get_latency", "time of MPI_Get", kGets, get, false, false},
    {"put_bw", "bandwidth of MPI_Put, one direction", kPuts, put, true, false},
    {"put_bibw", "bandwidth of MPI_Put, both directions", kPuts, put, true, true},
    {"get_bw", "bandwidth of MPI_Get, one direction", kGets, get, true, false},
    {"acc_latency", "time of MPI_Accumulate, sum of 64-bit integers", kAdds, accumulate, false,
     false},
    {"get_acc_latency", "time of MPI_Get_accumulate, sum of 64-bit integers", kAddsAndGets,
     get_accumulate, false, false},
    {"fop_latency", "time of MPI_Fetch_and_op, sum of a 64-bit integer", kCounts, fetch_and_op,
     false, false},
    {"cas_latency", "time of MPI_Compare_and_swap, 64-bit integer", kCounts, compare_and_swap,
     false, false},
};

/* One rank's end. */
struct end {
  const struct bench* bench;
  const struct program* program;
  bool origin; /* the other one, or both, are targets */
  bool target;
  int peer;
  MPI_Group group; /* the peer */
  int count;       /* operations in a round */
  size_t size;
  struct bench_buffers local, result;
  struct exposed exposed;
  MPI_Request* requests; /* `count` */
  bool touch;            /* data are written before they are put, and read behind a get */
  int done;              /* rounds */
  long wrong;            /* bytes, or numbers */
};

static unsigned data_seed(int owner, size_t size, unsigned round) {
  return (unsigned)owner * 977u + round * 131u + (unsigned)size;
}

/* --- epochs and rounds --------------------------------------------------------------------- */

static bool flushed(const struct end* e) {
  return e->bench->sync == BENCH_FLUSH || e->bench->sync == BENCH_FLUSH_LOCAL;
}

/* Around a loop of rounds. */
static void open_epoch(struct end* e) {
  if (flushed(e) && e->origin) MPI_Win_lock_all(0, e->exposed.win);
  if (e->bench->sync == BENCH_FENCE) MPI_Win_fence(MPI_MODE_NOPRECEDE, e->exposed.win);
}

static void close_epoch(struct end* e) {
  if (flushed(e) && e->origin) MPI_Win_unlock_all(e->exposed.win);
  if (e->bench->sync == BENCH_FENCE) MPI_Win_fence(MPI_MODE_NOSUCCEED, e->exposed.win);
}

static void begin_round(struct end* e) {
  const MPI_Win win = e->exposed.win;
  switch (e->bench->sync) {
    case BENCH_LOCK:
      if (e->origin) MPI_Win_lock(MPI_LOCK_SHARED, e->peer, 0, win);
      break;
    case BENCH_LOCK_ALL:
      if (e->origin) MPI_Win_lock_all(0, win);
      break;
    case BENCH_PSCW:
      if (e->target) MPI_Win_post(e->group, 0, win);
      if (e->origin) MPI_Win_start(e->group, 0, win);
      break;
    default:
      break;
  }
}

static void end_round(struct end* e) {
  const MPI_Win win = e->exposed.win;
  if (e->origin && e->bench->nonblocking) {
    MPI_Waitall(e->count, e->requests, MPI_STATUSES_IGNORE);
  }
  switch (e->bench->sync) {
    case BENCH_FLUSH:
      if (e->origin && !e->bench->nonblocking) MPI_Win_flush(e->peer, win);
      break;
    case BENCH_FLUSH_LOCAL:
      if (e->origin && !e->bench->nonblocking) MPI_Win_flush_local(e->peer, win);
      break;
    case BENCH_LOCK:
      if (e->origin) MPI_Win_unlock(e->peer, win);
      break;
    case BENCH_LOCK_ALL:
      if (e->origin) MPI_Win_unlock_all(win);
      break;
    case BENCH_FENCE:
      MPI_Win_fence(0, win);
      break;
    case BENCH_PSCW:
      if (e->origin) MPI_Win_complete(win);
      if (e->target) MPI_Win_wait(win);
      break;
  }
}

static void issue(struct end* e) {
  struct operation o = {.size = e->size, .target = e->peer, .win = e->exposed.win};
  for (int i = 0; i < e->count; ++i) {
    const bool counts = e->program->effect == kCounts;
    o.local = bench_next(&e->local);
    o.result = bench_next(&e->result);
    o.at = counts ? e->exposed.places[e->peer].word : exposed_next(&e->exposed, e->peer);
    o.request = e->bench->nonblocking ? &e->requests[i] : NULL;
    e->program->operation(&o);
  }
}

/* How many different buffers the operations of a round have. */
static int distinct(const struct end* e) {
  return e->local.count < (size_t)e->count ? (int)e->local.count : e->count;
}

/* Writes or reads the origin's data of a round; `buffers`: as they were before it. */
static void touch_round(struct end* e, struct bench_buffers buffers, bool before) {
  const bool gets = e->program->effect == kGets;
  if (gets == before) return;
  for (int i = 0; i < distinct(e); ++i) {
    char* const data = bench_next(&buffers);
    if (gets) {
      e->wrong += bench_wrong(data, e->size, data_seed(e->peer, e->size, 0));
    } else {
      bench_fill(data, e->size, data_seed(e->bench->rank, e->size, (unsigned)e->done));
    }
  }
}

static void make_rounds(struct end* e, int rounds) {
  const bool touch = e->touch && e->origin;
  for (int i = 0; i < rounds; ++i) {
    const struct bench_buffers before = e->local;
    if (touch) touch_round(e, before, true);
    begin_round(e);
    if (e->origin) issue(e);
    end_round(e);
    if (touch) touch_round(e, before, false);
    ++e->done;
  }
}

/* --- timing -------------------------------------------------------------------------------- */

/* All of this rank's part is as the seed says, so that each get finds the same. */
static void fill_part(struct end* e) {
  struct bench_buffers all = e->exposed.buffers;
  if (e->program->effect == kCounts) return;
  exposed_own(&e->exposed);
  for (size_t i = 0; i < all.count; ++i) {
    bench_fill(bench_next(&all), e->size, data_seed(e->bench->rank, e->size, 0));
  }
  exposed_release(&e->exposed);
}

/* The longest time of any origin, known to both. */
static double slowest(const struct end* e, double elapsed) {
  double mine = e->origin ? elapsed : 0, longest = 0;
  MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return longest;
}

/* What the table shows of so many rounds: microseconds of one, or megabytes a second. */
static double figure(const struct end* e, double seconds, int rounds) {
  const double bytes = (double)e->size * e->count * (e->program->both ? 2 : 1);
  return e->program->many ? bytes * rounds / seconds / 1e6 : seconds * 1e6 / rounds;
}

static struct bench_row time_rounds(struct end* e) {
  const struct bench* b = e->bench;
  struct bench_row row = {0, 1e30, 0, bench_iterations(b, e->size)};
  double total = 0;
  fill_part(e);
  MPI_Barrier(MPI_COMM_WORLD);
  open_epoch(e);
  make_rounds(e, bench_warmup(b, e->size));
  for (int batch = 0; batch < BENCH_BATCHES; ++batch) {
    const int rounds = bench_batch(b, row.iterations, batch);
    if (rounds == 0) continue;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = bench_now();
    make_rounds(e, rounds);
    /* What is complete here only is not yet complete there. */
    if (e->origin && flushed(e)) MPI_Win_flush(e->peer, e->exposed.win);
    const double elapsed = slowest(e, bench_now() - start);
    const double value = figure(e, elapsed, rounds);
    total += elapsed;
    if (value < row.min) row.min = value;
    if (value > row.max) row.max = value;
  }
  close_epoch(e);
  MPI_Barrier(MPI_COMM_WORLD);
  row.value = figure(e, total, row.iterations);
  return row;
}

/* --- checking ------------------------------------------------------------------------------ */

/* The patterns of a round that is checked: of what the origin has, and of what lies at the target.
 */
static unsigned check_seed(const struct end* e, int owner, int round, int i, bool exposed) {
  return data_seed(owner, e->size, (unsigned)(2 * (round * e->count + i) + exposed));
}

/* Before the round: both sides write what they have, or what must not stay. */
static void prepare(struct end* e, int round) {
  struct bench_buffers local = e->local, part = e->exposed.buffers;
  const int me = e->bench->rank;
  exposed_own(&e->exposed);
  for (int i = 0; i < distinct(e); ++i) {
    bench_fill(bench_next(&part), e->size, check_seed(e, me, round, i, true));
    bench_fill(bench_next(&local), e->size, check_seed(e, me, round, i, false));
  }
  exposed_release(&e->exposed);
}

/* Numbers that are not the sums of the two patterns. */
static long wrong_sums(const char* sums, size_t bytes, unsigned one, unsigned other) {
  long wrong = 0;
  uint64_t* words[2] = {malloc(bytes + 1), malloc(bytes + 1)};
  if (words[0] == NULL || words[1] == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  bench_fill(words[0], bytes, one);
  bench_fill(words[1], bytes, other);
  for (size_t i = 0; i < bytes / kWord; ++i) {
    uint64_t sum;
    memcpy(&sum, sums + i * kWord, kWord);
    wrong += sum != words[0][i] + words[1][i];
  }
  free(words[0]);
  free(words[1]);
  return wrong;
}

/* Behind the round; the buffers are as they were before it. */
static long find_wrong(struct end* e, int round, struct bench_buffers local,
                       struct bench_buffers result, struct bench_buffers part) {
  const enum effect effect = e->program->effect;
  const int me = e->bench->rank, peer = e->peer;
  const bool gets = effect == kGets || effect == kAddsAndGets;
  long wrong = 0;
  exposed_own(&e->exposed);
  for (int i = 0; i < distinct(e); ++i) {
    const char* const target = bench_next(&part);
    const char* const origin = effect == kGets ? bench_next(&local) : bench_next(&result);
    const unsigned put = check_seed(e, peer, round, i, false);
    if (e->target && effect == kPuts) wrong += bench_wrong(target, e->size, put);
    if (e->target && (effect == kAdds || effect == kAddsAndGets)) {
      wrong += wrong_sums(target, e->size, put, check_seed(e, me, round, i, true));
    }
    if (e->origin && gets) {
      wrong += bench_wrong(origin, e->size, check_seed(e, peer, round, i, true));
    }
  }
  exposed_release(&e->exposed);
  return wrong;
}

static void check_rounds(struct end* e, int rounds) {
  const bool touch = e->touch;
  e->touch = false;
  bench_buffers_divide(&e->local, e->size);
  bench_buffers_divide(&e->result, e->size);
  bench_buffers_divide(&e->exposed.buffers, e->size);
  for (int i = 0; i < rounds; ++i) {
    const struct bench_buffers local = e->local, result = e->result, part = e->exposed.buffers;
    prepare(e, i);
    MPI_Barrier(MPI_COMM_WORLD);
    open_epoch(e);
    make_rounds(e, 1);
    close_epoch(e);
    MPI_Barrier(MPI_COMM_WORLD);
    e->wrong += find_wrong(e, i, local, result, part);
    for (int k = 0; k < e->count && !e->origin; ++k) bench_next(&e->exposed.buffers);
  }
  e->touch = touch;
}

/* Each atomic operation adds one: none may be lost. */
static void check_count(struct end* e) {
  int64_t done = e->origin ? e->done : 0, all = 0;
  if (e->program->effect != kCounts) return;
  MPI_Allreduce(&done, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  exposed_own(&e->exposed);
  e->wrong += e->target && *e->exposed.word != all;
  exposed_release(&e->exposed);
}

/* --- the program --------------------------------------------------------------------------- */

static struct bench_spec spec_of(const struct program* program) {
  const bool counts = program->effect == kCounts;
  const bool adds = program->effect == kAdds || program->effect == kAddsAndGets;
  const struct bench_spec spec = {.name = program->name,
                                  .purpose = program->purpose,
                                  .ranks = BENCH_RANKS_TWO,
                                  .min_size = adds ? kWord : 1,
                                  .max_size = counts ? 0 : (size_t)4 << 20,
                                  .unit = adds ? kWord : 1,
                                  .iterations = program->many ? 1000 : 10000,
                                  .warmup = program->many ? 100 : 1000,
                                  .window = program->many,
                                  .buffers = !counts,
                                  .requests = !counts,
                                  .one_sided = true,
                                  .epochs = true};
  return spec;
}

/* Numbers lie at multiples of their size. */
static void refuse_offsets(struct bench* b) {
  const size_t* offset = b->placement.offset;
  if (b->spec->unit == 1 || (offset[0] % kWord == 0 && offset[1] % kWord == 0)) return;
  if (b->rank == 0) {
    fprintf(stderr, "%s: option --offset: give multiples of %d: its data are numbers of 64 bits\n",
            b->spec->name, (int)kWord);
  }
  bench_refuse(b);
}

static void make_buffers(struct bench* b, struct end* e) {
  const bool gets = e->program->effect == kGets, counts = e->program->effect == kCounts;
  const enum bench_side here = gets ? BENCH_DESTINATION : BENCH_SOURCE;
  const enum bench_side there = gets ? BENCH_SOURCE : BENCH_DESTINATION;
  const size_t together = b->many_buffers ? (size_t)b->window : 1;
  const size_t largest = counts ? 2 * (size_t)kWord : bench_largest(b);
  /* Where operations give nothing back, no call touches the buffer for it. */
  const size_t back = e->program->effect == kAddsAndGets ? largest : kWord;
  refuse_offsets(b);
  bench_make_buffers(b, BENCH_DESTINATION, back, 1, &e->result);
  bench_make_buffers(b, here, largest, together, &e->local);
  exposed_make(b, there, largest, together, &e->exposed);
  memset(e->local.memory, 0, e->local.room);
  e->requests = bench_alloc(b, (size_t)e->count * sizeof(MPI_Request));
}

static void free_buffers(struct bench* b, struct end* e) {
  exposed_free(&e->exposed);
  bench_free_buffers(b, &e->local);
  bench_free_buffers(b, &e->result);
  free(e->requests);
}

static void measure(struct bench* b, struct end* e) {
  for (int i = 0; i < (b->spec->max_size > 0 ? b->size_count : 1); ++i) {
    e->size = b->sizes[i];
    e->wrong = 0;
    if (b->spec->buffers) {
      bench_buffers_divide(&e->local, e->size);
      bench_buffers_divide(&e->exposed.buffers, e->size);
    }
    if (e->program->effect == kAddsAndGets) bench_buffers_divide(&e->result, e->size);
    const struct bench_row row = time_rounds(e);
    if (b->validate) check_rounds(e, bench_checked_rounds(b, e->size));
    check_count(e);
    bench_print(b, e->size, &row, -1, e->wrong);
  }
}

static int run(const struct program* program, int argc, char** argv) {
  const struct bench_spec spec = spec_of(program);
  struct bench b;
  MPI_Group world;
  if (!bench_begin(&b, &spec, argc, argv)) return b.exit_code;
  struct end e = {.bench = &b,
                  .program = program,
                  .origin = b.rank == 0 || program->both,
                  .target = b.rank == 1 || program->both,
                  .peer = 1 - b.rank,
                  .count = program->many ? b.window : 1,
                  .touch = b.touch};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &e.peer, &e.group);
  make_buffers(&b, &e);
  bench_header(&b, program->many ? "Bandwidth (MB/s)" : "Time (us)", NULL);
  measure(&b, &e);
  free_buffers(&b, &e);
  MPI_Group_free(&e.group);
  MPI_Group_free(&world);
  return bench_end(&b);
}

int main(int argc, char** argv) {
  enum { kCount = sizeof kPrograms / sizeof kPrograms[0] };
  const int which = bench_choose(argv[0], kPrograms, kCount, sizeof kPrograms[0]);
  return which < 0 ? 2 : run(&kPrograms[which], argc, argv);
}
