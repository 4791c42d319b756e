/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* What the machine itself allows, in this minute: the time of a cache line between two cores,
   copies, also through shared memory, process_vm_readv, a context switch. Lines of "name value
   unit"; needs no MPI. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kCacheLine = 64, kPage = 4096, kRepeats = 5 };

/* How far the destination of a copy lies ahead of its source, modulo a page. Some processors copy
   by string instructions, which the C library and the kernel use, many times slower if that is 1 to
   31 bytes. */
static const struct distance {
  const char* name;
  size_t bytes;
} kDistances[] = {{"", 0}, {"_16_ahead", 16}, {"_1_ahead", 1}};
enum { kDistanceCount = sizeof kDistances / sizeof kDistances[0] };

/* Memory of so many bytes behind a page, and room for a distance. */
static char* page_memory(size_t bytes, int value) {
  char* memory = aligned_alloc(kPage, (bytes / kPage + 2) * kPage);
  if (memory == NULL) {
    fprintf(stderr, "raw_limits: cannot allocate %zu bytes\n", bytes);
    exit(1);
  }
  memset(memory, value, bytes + kPage);
  return memory;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The first two CPUs we may use; false if there is only one. */
static bool two_cpus(int cpus[2]) {
  cpu_set_t allowed;
  int found = 0;
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (int cpu = 0; cpu < CPU_SETSIZE && found < 2; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cpus[found++] = cpu;
  }
  if (found == 1) cpus[1] = cpus[0];
  return found == 2;
}

static void pin(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

struct bounce {
  _Alignas(kCacheLine) atomic_int line;
  _Alignas(kCacheLine) int cpu;
  int rounds;
  bool yields;
};

static void bounce_wait(struct bounce* b, int value) {
  while (atomic_load_explicit(&b->line, memory_order_acquire) != value) {
    if (b->yields) sched_yield();
  }
}

static void* bounce_back(void* argument) {
  struct bounce* b = argument;
  pin(b->cpu);
  for (int i = 0; i < b->rounds; ++i) {
    bounce_wait(b, 2 * i + 1);
    atomic_store_explicit(&b->line, 2 * i + 2, memory_order_release);
  }
  return NULL;
}

/* Seconds one way between this thread on `home` and another on `away`; they alternate on one CPU by
   sched_yield if the two are the same. The lowest of `repeats`. */
static double bounce_time(int home, int away, int rounds, int repeats) {
  double best = 1e30;
  pin(home);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    struct bounce b = {.cpu = away, .rounds = rounds, .yields = home == away};
    pthread_t other;
    if (pthread_create(&other, NULL, bounce_back, &b) != 0) return best;
    atomic_store_explicit(&b.line, 1, memory_order_release);
    bounce_wait(&b, 2); /* the other thread runs from here on */
    const double start = now();
    for (int i = 1; i < rounds; ++i) {
      atomic_store_explicit(&b.line, 2 * i + 1, memory_order_release);
      bounce_wait(&b, 2 * i + 2);
    }
    const double one_way = (now() - start) / (2.0 * (rounds - 1));
    pthread_join(other, NULL);
    if (one_way < best) best = one_way;
  }
  return best;
}

static void print_copy(size_t bytes, const char* name, const struct distance* distance) {
  char* from = page_memory(bytes, 1);
  char* memory = page_memory(bytes, 2);
  char* to = memory + distance->bytes;
  const int rounds = (int)(((size_t)256 << 20) / bytes) + 1;
  double best = 1e30;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const double start = now();
    for (int i = 0; i < rounds; ++i) {
      memcpy(to, from, bytes);
      /* keeps the compiler from dropping copies that nobody reads */
      __asm__ volatile("" : : "r"(to) : "memory");
    }
    const double one = (now() - start) / rounds;
    if (one < best) best = one;
  }
  printf("%s%s %.2f GB/s\n", name, distance->name, (double)bytes / best * 1e-9);
  free(from);
  free(memory);
}

/* What parent and child share: their meeting words and the child's buffer address. */
struct meeting {
  _Alignas(kCacheLine) atomic_int turn;
  _Alignas(kCacheLine) atomic_int done;
  char* child_buffer;
};

static const size_t kCopySizes[] = {8 << 10, 64 << 10, 1 << 20, 4 << 20};
enum { kCopySizeCount = sizeof kCopySizes / sizeof kCopySizes[0], kLargestCopy = 4 << 20 };
static const size_t kTrappedSize = 64 << 10; /* which is copied at the other distances, too */

static int copy_rounds(size_t bytes) {
  return (int)(((size_t)64 << 20) / bytes);
}

/* The sender's half of the two-sided copy: writes its upper half into the parent, once a turn. */
static void child_work(struct meeting* m, pid_t parent, char* parent_buffer, bool both) {
  if (!both) return;
  int turn = 0;
  for (int s = 0; s < kCopySizeCount; ++s) {
    const size_t half = kCopySizes[s] / 2;
    for (int i = 0; i < kRepeats * copy_rounds(kCopySizes[s]); ++i) {
      struct iovec local = {m->child_buffer + half, half};
      struct iovec remote = {parent_buffer + half, half};
      ++turn;
      while (atomic_load_explicit(&m->turn, memory_order_acquire) < turn) {
        if (getppid() != parent) _exit(1);
      }
      if (process_vm_writev(parent, &local, 1, &remote, 1, 0) != (ssize_t)half) _exit(1);
      atomic_store_explicit(&m->done, turn, memory_order_release);
    }
  }
}

static bool read_piece(pid_t child, char* to, char* from, size_t bytes) {
  struct iovec local = {to, bytes}, remote = {from, bytes};
  return process_vm_readv(child, &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}

/* The same copies by the parent, alone or together with the child: seconds of the best repeat, or 0
   if the system forbids it. `turn` counts those that the child has a half of. */
static double copy_time(struct meeting* m, pid_t child, char* to, size_t bytes, bool both,
                        int* turn) {
  double best = 1e30;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const double start = now();
    for (int i = 0; i < copy_rounds(bytes); ++i) {
      if (both) atomic_store_explicit(&m->turn, ++*turn, memory_order_release);
      if (!read_piece(child, to, m->child_buffer, both ? bytes / 2 : bytes)) return 0;
      while (both && atomic_load_explicit(&m->done, memory_order_acquire) < *turn) {
        if (waitpid(child, NULL, WNOHANG) != 0) return 0;
      }
    }
    const double one = (now() - start) / copy_rounds(bytes);
    if (one < best) best = one;
  }
  return best;
}

/* Copies from the child, alone or together with it; false if the system forbids it. */
static bool print_cross_process(struct meeting* m, pid_t child, char* buffer, bool both) {
  int turn = 0;
  for (int s = 0; s < kCopySizeCount; ++s) {
    const size_t bytes = kCopySizes[s];
    for (int i = 0; i < (both || bytes != kTrappedSize ? 1 : kDistanceCount); ++i) {
      const double best = copy_time(m, child, buffer + kDistances[i].bytes, bytes, both, &turn);
      if (best <= 0) return false;
      printf("%s_%zuK%s %.2f GB/s\n", both ? "vm_both_sides" : "vm_readv", bytes >> 10,
             kDistances[i].name, (double)bytes / best * 1e-9);
    }
  }
  return true;
}

static void measure_cross_process(const int cpus[2], bool both) {
  struct meeting* m =
      mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  char* buffer = page_memory(kLargestCopy, 1);
  if (m == MAP_FAILED) exit(1);
  memset(m, 0, sizeof *m);
  m->child_buffer = buffer; /* the child's copy lies at the same address */
  int go[2];
  if (pipe(go) != 0) exit(1);
  fflush(stdout);
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) exit(1);
  if (child == 0) {
    char byte = 0;
    close(go[1]);
    prctl(PR_SET_PDEATHSIG, 9);
    pin(cpus[1]);
    memset(buffer, 3, kLargestCopy);
    child_work(m, parent, buffer, both);
    _exit(read(go[0], &byte, 1) < 0); /* stays until the parent closes its end */
  }
  close(go[0]);
  pin(cpus[0]);
  if (!print_cross_process(m, child, buffer, both)) {
    printf("# %s: not possible here (%s)\n", both ? "vm_both_sides" : "vm_readv", strerror(errno));
  }
  close(go[1]);
  waitpid(child, NULL, 0);
  free(buffer);
  munmap(m, sizeof *m);
}

/* Who owns the lines of shared memory through which two threads send each other 64 KB by turns. */
enum way {
  kEachItsOwn, /* each writes memory of its own, which the other one has read */
  kTaken,      /* the same, and who has read a part writes a byte to each of its lines */
  kInTurns,    /* both write the same memory: who answers has just read there */
  kWays
};
static const char* const kWayNames[kWays] = {"shared_64K_each_its_own", "shared_64K_taken",
                                             "shared_64K_in_turns"};
enum { kMessage = 64 << 10, kPart = 8 << 10, kMessages = 300 };

struct through {
  enum way way;
  int cpus[2];
  char* memory; /* two messages */
  struct {
    _Alignas(kCacheLine) atomic_int parts;
  } written[2];
};

static void write_message(struct through* t, int side, const char* from) {
  char* to = t->memory + (t->way == kInTurns ? 0 : side * kMessage);
  for (int at = 0; at < kMessage; at += kPart) {
    memcpy(to + at, from + at, kPart);
    atomic_fetch_add_explicit(&t->written[side].parts, 1, memory_order_release);
  }
}

static void read_message(struct through* t, int side, char* to, int number) {
  volatile char* from = t->memory + (t->way == kInTurns ? 0 : (1 - side) * kMessage);
  int parts = number * (kMessage / kPart);
  for (int at = 0; at < kMessage; at += kPart) {
    while (atomic_load_explicit(&t->written[1 - side].parts, memory_order_acquire) <= parts) {
    }
    ++parts;
    memcpy(to + at, (const char*)from + at, kPart);
    for (int i = 0; t->way == kTaken && i < kPart; i += kCacheLine) from[at + i] = 0;
  }
}

/* One of the two threads; the seconds that a message took it at its end, one way. */
static double send_by_turns(struct through* t, int side) {
  char* mine = page_memory(kMessage, 1);
  char* theirs = page_memory(kMessage, 2);
  pin(t->cpus[side]);
  double start = 0;
  for (int i = 0; i < kMessages; ++i) {
    if (i == kMessages / 10) start = now();
    if (side == 0) write_message(t, side, mine);
    read_message(t, side, theirs, i);
    if (side == 1) write_message(t, side, mine);
  }
  const double one_way = (now() - start) / (2.0 * (kMessages - kMessages / 10));
  free(mine);
  free(theirs);
  return one_way;
}

static void* answer(void* argument) {
  send_by_turns(argument, 1);
  return NULL;
}

static void print_shared(const int cpus[2]) {
  for (enum way way = kEachItsOwn; way < kWays; ++way) {
    double best = 1e30;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      struct through t = {.way = way, .cpus = {cpus[0], cpus[1]}};
      t.memory = page_memory((size_t)2 * kMessage, 0);
      pthread_t other;
      if (pthread_create(&other, NULL, answer, &t) != 0) exit(1);
      const double one = send_by_turns(&t, 0);
      pthread_join(other, NULL);
      free(t.memory);
      if (one < best) best = one;
    }
    printf("%s %.2f GB/s\n", kWayNames[way], kMessage / best * 1e-9);
  }
}

static int usage(int status) {
  fprintf(
      status == 0 ? stdout : stderr,
      "usage: raw_limits [--bounce]\n"
      "The limits of this machine; --bounce: only the cache line between two cores, in 20 ms.\n");
  return status;
}

int main(int argc, char** argv) {
  int cpus[2] = {0, 0};
  const bool quick = argc == 2 && strcmp(argv[1], "--bounce") == 0;
  if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) return usage(0);
  if (argc > 2 || (argc == 2 && !quick)) return usage(2);
  const bool two = two_cpus(cpus);
  if (two) {
    printf("cache_line_one_way %.1f ns\n",
           bounce_time(cpus[0], cpus[1], quick ? 10000 : 50000, quick ? 3 : kRepeats) * 1e9);
  } else {
    printf("# cache_line_one_way: needs two CPUs\n");
  }
  if (quick) return 0;
  printf("context_switch %.2f us\n", bounce_time(cpus[0], cpus[0], 20000, kRepeats) * 1e6);
  for (int i = 0; i < kDistanceCount; ++i) print_copy(64 << 10, "memcpy_64K", &kDistances[i]);
  print_copy((size_t)64 << 20, "memcpy_64M", &kDistances[0]);
  measure_cross_process(cpus, false);
  if (two) measure_cross_process(cpus, true);
  if (two) print_shared(cpus);
  return 0;
}
