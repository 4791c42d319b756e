/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Processes that work on the same cores while a benchmark measures.

   They are started as programs, not forked: a fork of a process with MPI would hold its connections
   open, and its registered memory would change places. */
#define _GNU_SOURCE
#include "bench_neighbour.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static const char* const kNames[] = {"alone", "compute", "stream"};
static const char* const kWorks[] = {"does nothing", "computes", "streams through memory"};
static const char kMark[] = "--be-a-neighbour"; /* the first argument of such a process */
enum { kKinds = sizeof kNames / sizeof kNames[0], kCpus = 8 * BENCH_CPU_BYTES };

struct bench_neighbours {
  int count;
  pid_t pids[kCpus];
};

bool bench_neighbour_named(const char* name, enum bench_neighbour* kind) {
  for (int i = BENCH_COMPUTE; i < kKinds; ++i) {
    if (strcmp(name, kNames[i]) != 0) continue;
    *kind = (enum bench_neighbour)i;
    return true;
  }
  return false;
}

const char* bench_neighbour_work(enum bench_neighbour kind) {
  return kWorks[kind];
}

/* --- the neighbour ------------------------------------------------------------------------- */

/* Says by a byte that the work begins. */
static void report(void) {
  if (write(STDOUT_FILENO, "+", 1) != 1) _exit(1);
  close(STDOUT_FILENO);
}

static void compute_for_ever(void) {
  volatile double result = 1;
  report();
  for (;;) {
    double x = result;
    for (int i = 0; i < 1000; ++i) x = x * 0.999 + 0.001;
    result = x;
  }
}

/* The triad of the STREAM benchmark over more memory than caches have. */
static void stream_for_ever(void) {
  enum { kDoubles = 4 << 20 };
  double* memory = malloc(3 * sizeof(double) * kDoubles);
  if (memory == NULL) _exit(1);
  double *a = memory, *b = a + kDoubles, *c = b + kDoubles;
  for (size_t i = 0; i < (size_t)3 * kDoubles; ++i) memory[i] = (double)i;
  report();
  for (;;) {
    for (size_t i = 0; i < kDoubles; ++i) a[i] = b[i] + 3 * c[i];
    __asm__ volatile("" : : "r"(a) : "memory"); /* so that no pass is dropped */
  }
}

void bench_neighbour_main(int argc, char** argv) {
  if (argc != 5 || strcmp(argv[1], kMark) != 0) return;
  const int cpu = atoi(argv[3]);
  cpu_set_t one;
  /* The parent may have ended before the kernel was told: then it is not our parent any more. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != (pid_t)atol(argv[4])) _exit(1);
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) _exit(1);
  if (strcmp(argv[2], kNames[BENCH_STREAM]) == 0) stream_for_ever();
  compute_for_ever();
}

/* --- who starts it ------------------------------------------------------------------------- */

void bench_cpus(unsigned char cpus[BENCH_CPU_BYTES]) {
  cpu_set_t set;
  memset(cpus, 0, BENCH_CPU_BYTES);
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  for (int cpu = 0; cpu < kCpus && cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus[cpu / 8] |= (unsigned char)(1u << cpu % 8);
  }
}

/* Starts one; `output` is where it reports. Zero, or what went wrong. */
static int start_one(pid_t* pid, enum bench_neighbour kind, int cpu, int output) {
  char number[16], parent[16];
  snprintf(number, sizeof number, "%d", cpu);
  snprintf(parent, sizeof parent, "%ld", (long)getpid());
  char* arguments[] = {
      program_invocation_name, (char*)kMark, (char*)kNames[kind], number, parent, NULL};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  const int error = posix_spawn(pid, "/proc/self/exe", &files, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

/* Whether as many have reported as there are. */
static bool all_report(int input, int count) {
  char byte = 0;
  for (int i = 0; i < count; ++i) {
    ssize_t got = 0;
    do {
      got = read(input, &byte, 1);
    } while (got < 0 && errno == EINTR);
    if (got != 1) return false;
  }
  return true;
}

struct bench_neighbours* bench_neighbours_start(enum bench_neighbour kind,
                                                const unsigned char cpus[BENCH_CPU_BYTES]) {
  struct bench_neighbours* neighbours = calloc(1, sizeof *neighbours);
  int ends[2];
  if (neighbours == NULL || pipe2(ends, O_CLOEXEC) != 0) {
    fprintf(stderr, "option --neighbour: %s\n", strerror(errno));
    free(neighbours);
    return NULL;
  }
  int error = 0;
  for (int cpu = 0; cpu < kCpus && error == 0; ++cpu) {
    if ((cpus[cpu / 8] >> cpu % 8 & 1) == 0) continue;
    error = start_one(&neighbours->pids[neighbours->count], kind, cpu, ends[1]);
    if (error == 0) ++neighbours->count;
  }
  close(ends[1]);
  const bool work = error == 0 && all_report(ends[0], neighbours->count);
  close(ends[0]);
  if (work) return neighbours;
  fprintf(stderr, "option --neighbour: a process cannot %s there: %s\n", kNames[kind],
          error != 0 ? strerror(error) : "no memory, or the processor is not allowed");
  bench_neighbours_stop(neighbours);
  return NULL;
}

void bench_neighbours_stop(struct bench_neighbours* neighbours) {
  if (neighbours == NULL) return;
  for (int i = 0; i < neighbours->count; ++i) kill(neighbours->pids[i], SIGKILL);
  for (int i = 0; i < neighbours->count; ++i) waitpid(neighbours->pids[i], NULL, 0);
  free(neighbours);
}
