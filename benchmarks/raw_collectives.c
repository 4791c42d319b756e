/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* What the machine allows an operation between processes of one host: the same copies and sums, in
   a plain loop, without MPI. Each is done in several ways (raw_copies.c), of which the fastest
   counts. Options, buffers, clock and output are those of the suite's programs. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "raw_copies.h"
#include "suite/calls.h"

enum { kMostRanks = 256 };

/* A ping-pong of two ranks: a broadcast from one, and then from the other. */
static void fill_first(const struct call_data* d);
static long wrong_at_first(const struct call_data* d);
static const struct call_kind kPingPong = {1, false, false, fill_first, wrong_at_first};

static const struct raw_operation kOperations[] = {
    {"latency", &kPingPong, true, false, false},
    {"bcast", &kFromRoot, true, false, false},
    {"gather", &kGathered, false, true, false},
    {"scatter", &kScattered, true, false, false},
    {"allgather", &kAllGathered, false, false, false},
    {"alltoall", &kExchanged, false, false, false},
    {"reduce", &kSumAtRoot, false, true, true},
    {"allreduce", &kSum, false, false, true},
};
enum { kOperationCount = sizeof kOperations / sizeof kOperations[0] };

/* What one rank measures with. */
struct context {
  struct raw_world world;
  const struct raw_operation* operation;
  const struct raw_method* method;
  struct call_loop loop;
  bool touch;
  long wrong;
};

static unsigned ping_seed(const struct call_data* d, int sender) {
  return (unsigned)d->round * 131u + (unsigned)sender * 977u + (unsigned)d->size;
}

static void fill_ping(const struct call_data* d) {
  bench_fill(d->send, d->size, ping_seed(d, d->rank));
}
static long wrong_ping(const struct call_data* d) {
  return bench_wrong(d->receive, d->size, ping_seed(d, 1 - d->rank));
}

/* Only who sends first writes before the call, and reads behind it. */
static void fill_first(const struct call_data* d) {
  if (d->rank == CALL_ROOT) fill_ping(d);
}
static long wrong_at_first(const struct call_data* d) {
  return d->rank == CALL_ROOT ? wrong_ping(d) : 0;
}

static void call_once(void* context) {
  struct context* c = context;
  const struct call_data* d = &c->loop.data;
  raw_call(&c->world, c->operation, c->method, CALL_ROOT, d);
  if (c->operation->kind != &kPingPong) return;
  if (c->touch && d->rank != CALL_ROOT) {
    c->wrong += wrong_ping(d);
    fill_ping(d);
  }
  raw_call(&c->world, c->operation, c->method, 1 - CALL_ROOT, d);
}

static void meet(void* context) {
  struct context* c = context;
  raw_barrier(&c->world);
}

/* The average over the ranks, and their extremes; each has given its own. */
static struct bench_row combine(struct context* c, double mine, int iterations) {
  struct bench_row row = {0, 1e30, 0, iterations};
  c->world.places[c->world.rank].time = mine;
  raw_barrier(&c->world);
  for (int i = 0; i < c->world.ranks; ++i) {
    const double time = c->world.places[i].time;
    row.value += time / c->world.ranks;
    if (time < row.min) row.min = time;
    if (time > row.max) row.max = time;
  }
  raw_barrier(&c->world);
  return row;
}

static struct bench_row time_method(struct context* c) {
  const struct bench* b = c->loop.bench;
  const double share = c->operation->kind == &kPingPong ? 2 : 1;
  c->touch = b->touch;
  const double mine = call_time(&c->loop, &c->wrong) / share;
  c->touch = true;
  if (b->validate) c->wrong += call_check(&c->loop, bench_checked_rounds(b, c->loop.data.size));
  return combine(c, mine, bench_iterations(b, c->loop.data.size));
}

/* All ways for one size, of which the best makes the line. Whether all data were right. */
static bool measure(struct context* c, bool kernel) {
  const struct bench* b = c->loop.bench;
  struct bench_row best = {1e30, 1e30, 0, 0};
  if (b->rank == 0) printf("#");
  for (int i = 0; (c->method = raw_method(c->operation, i)) != NULL; ++i) {
    if (c->method->kernel && !kernel) continue;
    const struct bench_row row = time_method(c);
    if (b->rank == 0) printf("%s %s %.3f", i == 0 ? "" : ",", c->method->name, row.value);
    if (row.value < best.value) best = row;
  }
  const double wrong = combine(c, c->wrong > 0 ? 1 : 0, 0).value;
  if (b->rank != 0) return wrong == 0;
  printf("\n");
  bench_print_row(b, c->loop.data.size, &best, -1, wrong > 0);
  return wrong == 0;
}

static bool make_buffers(const struct bench* b, enum bench_side side, const struct call_kind* kind,
                         struct bench_buffers* buffers) {
  const size_t bytes = call_bytes(kind, side, bench_largest(b), b->ranks);
  const size_t room = bench_buffers_room(&b->placement, bytes, 1);
  char* memory = malloc(room);
  if (memory == NULL) {
    fprintf(stderr, "%s: cannot allocate %zu bytes: use smaller messages (-m)\n", b->spec->name,
            room);
    return false;
  }
  memset(memory, 1, room);
  bench_buffers_make(buffers, &b->placement, side, memory, bytes, 1);
  return true;
}

/* One rank; the exit status. */
static int run_rank(struct bench* b, struct context* c) {
  struct call_loop* loop = &c->loop;
  const struct call_kind* kind = c->operation->kind;
  int status = 0;
  *loop = (struct call_loop){.bench = b,
                             .kind = kind,
                             .data = {.rank = b->rank, .ranks = b->ranks},
                             .call = call_once,
                             .barrier = meet,
                             .context = c};
  if (!make_buffers(b, BENCH_SOURCE, kind, &loop->send) ||
      !make_buffers(b, BENCH_DESTINATION, kind, &loop->receive)) {
    return 2;
  }
  b->begins[BENCH_SOURCE] = (uintptr_t)loop->send.first % BENCH_PAGE;
  b->begins[BENCH_DESTINATION] = (uintptr_t)loop->receive.first % BENCH_PAGE;
  c->world.places[b->rank].pid = getpid();
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  const bool kernel = raw_kernel_copies(&c->world);
  if (!kernel && b->rank == 0) printf("# The kernel does not let processes copy here\n");
  bench_header(b, "Avg Latency(us)", NULL);
  for (int i = 0; i < b->size_count; ++i) {
    loop->data.size = b->sizes[i];
    bench_buffers_divide(&loop->send, call_bytes(kind, BENCH_SOURCE, b->sizes[i], b->ranks));
    bench_buffers_divide(&loop->receive,
                         call_bytes(kind, BENCH_DESTINATION, b->sizes[i], b->ranks));
    c->wrong = 0;
    if (!measure(c, kernel)) status = 1;
  }
  if (status != 0 && b->rank == 0) fprintf(stderr, "%s: validation failed\n", b->spec->name);
  return status;
}

/* --- processes ----------------------------------------------------------------------------- */

/* The processor of a rank if each can have one of its own, else -1. */
static int processor_of(int rank, int ranks) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < ranks) return -1;
  for (int cpu = 0, found = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed) && found++ == rank) return cpu;
  }
  return -1;
}

static void start_rank(struct bench* b, struct context* c, int rank, pid_t parent) {
  const int cpu = processor_of(rank, b->ranks);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  c->world.rank = rank;
  c->world.crowded = cpu < 0;
  b->rank = rank;
  if (cpu >= 0) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  exit(run_rank(b, c));
}

/* Waits for all; as soon as one fails the others are ended, which wait for it. */
static int wait_for_ranks(const pid_t* pids, int ranks) {
  int status = 0, worst = 0;
  for (int left = ranks; left > 0;) {
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended < 0 && errno == EINTR) continue;
    bool ours = false;
    for (int i = 0; i < ranks; ++i) ours = ours || pids[i] == ended;
    if (!ours) continue; /* a neighbour */
    --left;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (code == 0 || worst != 0) continue;
    worst = code;
    /* Wrong data is no reason: all ranks end by themselves then. */
    for (int i = 0; code != 1 && i < ranks; ++i) kill(pids[i], SIGKILL);
  }
  return worst;
}

static int run_ranks(struct bench* b, const struct raw_operation* operation) {
  pid_t pids[kMostRanks];
  struct context c = {.operation = operation};
  const size_t bytes = (size_t)b->ranks * sizeof(struct raw_place);
  char* shared = mmap(NULL, bytes + raw_area_bytes(b->ranks) + BENCH_PAGE, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    fprintf(stderr, "%s: no shared memory for %d ranks: %s\n", b->spec->name, b->ranks,
            strerror(errno));
    return 1;
  }
  c.world.ranks = b->ranks;
  c.world.places = (struct raw_place*)(void*)shared;
  c.world.area = shared + (bytes + BENCH_PAGE - 1) / BENCH_PAGE * BENCH_PAGE;
  const pid_t parent = getpid();
  for (int i = 0; i < b->ranks; ++i) {
    pids[i] = fork();
    if (pids[i] == 0) start_rank(b, &c, i, parent);
    if (pids[i] < 0) {
      fprintf(stderr, "%s: no process for rank %d: %s\n", b->spec->name, i, strerror(errno));
      return 1; /* the ranks end with this process */
    }
  }
  return wait_for_ranks(pids, b->ranks);
}

static int usage(void) {
  fprintf(stderr,
          "usage: raw_collectives OPERATION RANKS [options]; --help tells more; OPERATION:");
  for (int i = 0; i < kOperationCount; ++i) fprintf(stderr, " %s", kOperations[i].name);
  fprintf(stderr, "\n");
  return 2;
}

static const struct raw_operation* find_operation(const char* name) {
  for (int i = 0; i < kOperationCount; ++i) {
    if (strcmp(kOperations[i].name, name) == 0) return &kOperations[i];
  }
  return NULL;
}

static int parse_ranks(const char* text, bool two) {
  char* end = NULL;
  const long ranks = strtol(text, &end, 10);
  const bool right = *text != '\0' && *end == '\0' && ranks >= 2 && ranks <= (two ? 2 : kMostRanks);
  if (right) return (int)ranks;
  fprintf(stderr, "raw_collectives: RANKS: bad value '%s': give %s\n", text,
          two ? "2, for latency" : "a number from 2 to 256");
  return 0;
}

int main(int argc, char** argv) {
  bench_neighbour_main(argc, argv);
  const bool asks = argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
  const struct raw_operation* operation =
      asks ? &kOperations[1] : (argc > 1 ? find_operation(argv[1]) : NULL);
  if (operation == NULL || (argc < 3 && !asks)) return usage();
  const bool pair = operation->kind == &kPingPong;
  const struct bench_spec spec = {
      .name = asks ? "raw_collectives" : operation->name,
      .purpose = pair ? "half a ping-pong, its copies alone" : "the operation's copies alone",
      .usage =
          "raw_collectives latency|bcast|gather|scatter|allgather|alltoall|reduce|allreduce "
          "RANKS",
      .min_size = operation->kind->unit,
      .max_size = (size_t)4 << 20,
      .unit = operation->kind->unit,
      .iterations = pair ? 2000 : 500,
      .warmup = pair ? 200 : 50,
      .buffers = true,
      .collective = !pair};
  struct bench b = {0};
  b.ranks = asks ? 2 : parse_ranks(argv[2], pair);
  if (b.ranks == 0) return 2;
  const int skipped = asks ? 0 : 2;
  argv[skipped] = argv[0];
  if (!bench_parse(&b, &spec, argc - skipped, argv + skipped)) return b.exit_code;
  if (pair) b.mode = BENCH_BACK_TO_BACK;
  const size_t largest = bench_largest(&b);
  if (!bench_can_rotate(&b, call_bytes(operation->kind, BENCH_SOURCE, largest, b.ranks)) ||
      !bench_can_rotate(&b, call_bytes(operation->kind, BENCH_DESTINATION, largest, b.ranks))) {
    return 2;
  }
  if (b.neighbour != BENCH_ALONE) {
    unsigned char cpus[BENCH_CPU_BYTES];
    bench_cpus(cpus);
    b.neighbours = bench_neighbours_start(b.neighbour, cpus);
    if (b.neighbours == NULL) return 2;
  }
  const int status = run_ranks(&b, operation);
  bench_neighbours_stop(b.neighbours);
  return status;
}
