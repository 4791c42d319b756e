/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* What copies take that several processes make at the same time out of the memory of one: by the
   kernel (process_vm_readv), out of the same bytes or each out of others, and out of memory that
   all have mapped. Each process has a core; lines of "way, bytes: us for 1, 2, ... of them", the
   slowest one's median. Needs no MPI:

     cc -O2 -o raw_in_turn benchmarks/raw_in_turn.c && ./raw_in_turn */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kMost = 15, kRounds = 60 };
static const size_t kLargest = (size_t)1 << 20;

/* What the processes share. */
static struct meeting {
  atomic_int arrived[kMost];
  atomic_bool failed;
  double median_us[kMost];
} * meeting;

static char* mapped;   /* in all of them at the same place */
static char* of_owner; /* the owner's; a copy of it in each other process is not touched */

static const struct way {
  const char* name;
  bool by_kernel;
  bool apart;
} kWays[] = {{"kernel, the same bytes", true, false},
             {"kernel, others each", true, true},
             {"mapped, the same bytes", false, false}};

static void* memory(int flags) {
  void* at = mmap(NULL, kMost * kLargest, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) {
    perror("raw_in_turn: mmap");
    exit(1);
  }
  memset(at, 1, kMost * kLargest);
  return at;
}

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* The member's core is the owner's at + number + 1 of those it may use. */
static void pin(int number) {
  cpu_set_t allowed, own;
  int left = number + 1;
  sched_getaffinity(0, sizeof allowed, &allowed);
  CPU_ZERO(&own);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || left-- > 0) continue;
    CPU_SET(cpu, &own);
    sched_setaffinity(0, sizeof own, &own);
    return;
  }
}

static void meet(int number, int members, int round) {
  atomic_store(&meeting->arrived[number], round);
  for (int i = 0; i < members; ++i) {
    while (atomic_load(&meeting->arrived[i]) < round && !atomic_load(&meeting->failed)) {
    }
  }
}

static void member(const struct way* way, size_t bytes, int number, int members, pid_t owner) {
  double times[kRounds];
  char* to = malloc(bytes);
  const size_t at = way->apart ? (size_t)number * bytes : 0;
  pin(number);
  memset(to, 2, bytes);
  for (int round = 0; round < kRounds; ++round) {
    meet(number, members, round + 1);
    const double begin = now_us();
    struct iovec local = {to, bytes}, remote = {of_owner + at, bytes};
    if (!way->by_kernel) {
      memcpy(to, mapped + at, bytes);
    } else if (process_vm_readv(owner, &local, 1, &remote, 1, 0) != (ssize_t)bytes) {
      fprintf(stderr, "raw_in_turn: process_vm_readv: %s\n", strerror(errno));
      atomic_store(&meeting->failed, true);
      exit(1);
    }
    times[round] = now_us() - begin;
  }
  qsort(times, kRounds, sizeof times[0], by_size);
  meeting->median_us[number] = times[kRounds / 2];
  exit(0);
}

/* The slowest one's median; 0 if it did not work. */
static double measure(const struct way* way, size_t bytes, int members) {
  const pid_t owner = getpid();
  double most = 0;
  memset(meeting, 0, sizeof *meeting);
  for (int i = 0; i < members; ++i) {
    const pid_t child = fork();
    if (child == 0) member(way, bytes, i, members, owner);
    if (child < 0) {
      perror("raw_in_turn: fork");
      atomic_store(&meeting->failed, true);
      break;
    }
  }
  while (wait(NULL) > 0) {
  }
  for (int i = 0; i < members; ++i) {
    if (meeting->median_us[i] > most) most = meeting->median_us[i];
  }
  return atomic_load(&meeting->failed) ? 0 : most;
}

int main(int argc, char** argv) {
  static const size_t kSizes[] = {8 << 10, 64 << 10, 256 << 10, 1 << 20};
  static const int kMembers[] = {1, 2, 3, 5, 7, kMost};
  cpu_set_t allowed;
  if (argc != 1) {
    fprintf(stderr, "usage: %s    (copies of several processes out of one's memory)\n", argv[0]);
    return 2;
  }
  sched_getaffinity(0, sizeof allowed, &allowed);
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  meeting = memory(MAP_SHARED);
  mapped = memory(MAP_SHARED);
  of_owner = memory(MAP_PRIVATE);
  for (size_t way = 0; way < sizeof kWays / sizeof kWays[0]; ++way) {
    for (size_t size = 0; size < sizeof kSizes / sizeof kSizes[0]; ++size) {
      printf("%-22s %4zu KB:", kWays[way].name, kSizes[size] >> 10);
      for (size_t i = 0; i < sizeof kMembers / sizeof kMembers[0]; ++i) {
        if (kMembers[i] >= CPU_COUNT(&allowed)) break;
        fflush(stdout); /* or each child prints it again */
        const double us = measure(&kWays[way], kSizes[size], kMembers[i]);
        if (us == 0) return 1;
        printf("  %d: %.1f", kMembers[i], us);
      }
      printf("\n");
    }
  }
  return 0;
}
