/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * fork() after MPI_Init: while messages of every length are under way, children write all over
 * their copies of the buffers, unmap them, or run other programs. The parents' data must be right.
 */
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { kLengths = 5, kLongest = 1 << 20 };
static const int kBytes[kLengths] = {8, 5000, 20000, 200000, kLongest};

extern char** environ;

static char* map(void) {
  void* memory = mmap(NULL, kLongest, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  return memory;
}

/* What a child does with its copy of the parent's memory. */
static void spoil(char* out, char* in, int how) {
  memset(out, 0xdd, kLongest);
  memset(in, 0xdd, kLongest);
  if (how == 0) {
    munmap(out, kLongest);
    munmap(in, kLongest);
  } else if (how == 1) {
    free(memset(malloc(100000), 0xdd, 100000));
    madvise(in, kLongest, MADV_DONTNEED);
  } else {
    execlp("true", "true", (char*)NULL);
    _exit(1);
  }
  _exit(0);
}

static pid_t child_of(char* out, char* in, int how) {
  pid_t child = -1;
  if (how == 3) {
    char* arguments[] = {"true", NULL};
    CHECK(posix_spawnp(&child, "true", NULL, NULL, arguments, environ) == 0);
    return child;
  }
  child = fork();
  if (child == 0) spoil(out, in, how);
  CHECK(child > 0);
  return child;
}

static void reap(pid_t child) {
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* One message to the right and one from the left; a child is born before, between or behind. */
static void exchange(char* out, char* in, int n, int round) {
  const int right = (check_rank + 1) % check_size;
  const int left = (check_rank + check_size - 1) % check_size;
  const int when = round % 3, how = round / 3 % 4;
  const uint64_t salt = (uint64_t)round * 100;
  MPI_Request requests[2];
  pid_t child = -1;
  check_fill(out, (size_t)n, salt + (uint64_t)check_rank);
  memset(in, 0, (size_t)n);
  if (when == 0) child = child_of(out, in, how);
  OK(MPI_Irecv(in, n, MPI_BYTE, left, 1, MPI_COMM_WORLD, &requests[0]));
  if (when == 1) child = child_of(out, in, how);
  OK(MPI_Isend(out, n, MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[1]));
  if (when == 2) child = child_of(out, in, how);
  if (round % 2 == 0) reap(child);
  OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  CHECK(check_filled(in, (size_t)n, salt + (uint64_t)left));
  CHECK(check_filled(out, (size_t)n, salt + (uint64_t)check_rank));
  if (round % 2 != 0) reap(child);
}

/* A child of a rank that writes into a pipe which the rank reads, as popen() makes it. */
static void shell(void) {
  char line[16] = "";
  FILE* pipe = popen("echo child", "r");
  CHECK(pipe != NULL);
  if (pipe == NULL) return;
  CHECK(fgets(line, sizeof line, pipe) != NULL && strcmp(line, "child\n") == 0);
  CHECK(pclose(pipe) == 0);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 48;
  char* out = map();
  char* in = map();
  for (int round = 0; round < rounds; ++round) {
    exchange(out, in, kBytes[round % kLengths], round);
    if (round % 16 == 7) { /* other pages at perhaps the same place */
      munmap(out, kLongest);
      out = map();
    }
  }
  shell();
  munmap(out, kLongest);
  munmap(in, kLongest);
  return check_end("fork");
}
