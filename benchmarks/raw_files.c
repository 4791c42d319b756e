/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * What the kernel allows for the patterns of file_patterns: as many processes, each of which has
 * the file open and writes and reads its pieces by pwrite and pread, one call a piece. Needs no
 * MPI:
 *
 *     raw_files [-n PROCESSES] [-p PATTERN,...] [-m MIB] [-r ROUNDS] [-s SECONDS] FILE
 *
 * Lines of "pattern raw what figure unit", as file_patterns has them. The shared pointer is a word
 * of memory that all processes have mapped. There is nothing raw about opening and views. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "suite/file_cases.h"

enum { kMost = 256 };

/* What the processes share. */
static struct meeting {
  pthread_barrier_t barrier;
  double seconds[kMost]; /* of the last operation, by process */
  atomic_long pointer;
} * meeting;

static struct file_options options;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char* what) {
  fprintf(stderr, "raw_files: %s: %s\n", what, strerror(errno));
  kill(0, SIGTERM); /* those at the barrier, too: main() made this group */
  exit(1);
}

static void move_piece(int file, int writes, struct file_piece piece, unsigned char* data) {
  while (piece.length > 0) {
    const ssize_t done = writes ? pwrite(file, data, (size_t)piece.length, piece.offset)
                                : pread(file, data, (size_t)piece.length, piece.offset);
    if (done <= 0) fail(writes ? "pwrite" : "pread");
    data += done;
    piece.offset += done;
    piece.length -= done;
  }
}

static void move(const struct file_case* pattern, const struct file_place* place, int file,
                 int writes, unsigned char* data) {
  unsigned char header[kHeaderRoom];
  const long pieces = file_pieces(pattern, place);
  const int headers = pattern->shape == FILE_HEADERS && (!writes || place->rank == 0);
  for (long i = 0; i < pieces; ++i) {
    const struct file_piece piece = file_piece(pattern, place, i);
    for (int h = 0; headers && h < kHeaders; ++h) {
      const struct file_piece small = file_header(pattern, place, i, h);
      if (writes) file_fill(small, header);
      move_piece(file, writes, small, header);
    }
    move_piece(file, writes, piece, data);
    data += piece.length;
    if (headers && writes) {
      file_fill(file_header(pattern, place, i, 0), header);
      move_piece(file, writes, file_header(pattern, place, i, 0), header);
    }
  }
}

static void append_all(const struct file_case* pattern, int file, unsigned char* data) {
  for (int call = 0; call < kSharedCalls; ++call) {
    const struct file_piece piece = {atomic_fetch_add(&meeting->pointer, pattern->block),
                                     pattern->block};
    move_piece(file, 1, piece, data);
  }
}

/* Seconds of the slowest process. */
static double time_of(const struct file_case* pattern, const struct file_place* place, int file,
                      int writes, unsigned char* data) {
  pthread_barrier_wait(&meeting->barrier);
  const double start = now();
  if (pattern->shape == FILE_SHARED)
    append_all(pattern, file, data);
  else
    move(pattern, place, file, writes, data);
  meeting->seconds[place->rank] = now() - start;
  pthread_barrier_wait(&meeting->barrier);
  double most = 0;
  for (int i = 0; i < place->ranks; ++i)
    if (meeting->seconds[i] > most) most = meeting->seconds[i];
  return most;
}

static void say(const struct file_case* pattern, const struct file_place* place, const char* what,
                double figure, const char* unit) {
  if (place->rank != 0) return;
  printf("%-20s %-12s %-12s %12.4f %s\n", pattern->name, "raw", what, figure, unit);
  fflush(stdout);
}

static void measure_shared(const struct file_case* pattern, const struct file_place* place,
                           int file) {
  unsigned char data[64] = {1};
  double least = 1e9;
  for (int i = 0; i < 1 + 4 * options.rounds; ++i) {
    if (place->rank == 0) atomic_store(&meeting->pointer, 0);
    const double time = time_of(pattern, place, file, 1, data);
    if (i > 0 && time < least) least = time;
  }
  say(pattern, place, "write", 1e6 * least / kSharedCalls, "us");
}

static void measure_data(const struct file_case* pattern, const struct file_place* place,
                         int file) {
  unsigned char* const data = malloc((size_t)place->bytes);
  unsigned char* const back = malloc((size_t)place->bytes);
  double write = 1e9, read = 1e9, spent = 0;
  file_fill_all(pattern, place, data);
  const double first = spent = time_of(pattern, place, file, 1, data);
  for (int i = 0; i < options.rounds && (i == 0 || spent < options.seconds); ++i) {
    const double writing = time_of(pattern, place, file, 1, data);
    memset(back, 0, (size_t)place->bytes);
    const double reading = time_of(pattern, place, file, 0, back);
    if (writing < write) write = writing;
    if (reading < read) read = reading;
    spent += writing + reading;
  }
  if (file_wrong_in_all(pattern, place, back) != 0) fail("other data come back");
  const double all = 1e-9 * (double)place->bytes * place->ranks;
  say(pattern, place, "first_write", all / first, "GB/s");
  say(pattern, place, "write", all / write, "GB/s");
  say(pattern, place, "read", all / read, "GB/s");
  free(data);
  free(back);
}

static void measure(const struct file_case* pattern, struct file_place place) {
  if (pattern->shape == FILE_OPEN || pattern->shape >= FILE_VIEW) return;
  place.bytes = file_bytes(pattern, options.mib << 20);
  if (place.rank == 0) unlink(options.path);
  pthread_barrier_wait(&meeting->barrier);
  const int file = open(options.path, O_RDWR | O_CREAT, 0666);
  if (file < 0) fail(options.path);
  if (pattern->shape == FILE_SHARED)
    measure_shared(pattern, &place, file);
  else
    measure_data(pattern, &place, file);
  close(file);
  pthread_barrier_wait(&meeting->barrier);
  if (place.rank == 0) unlink(options.path);
}

static void work(int rank) {
  const struct file_place place = {rank, options.ranks, 0};
  int count = 0;
  const struct file_case* all = file_cases(&count);
  for (int i = 0; i < count; ++i)
    if (file_asked(options.patterns, all[i].name)) measure(&all[i], place);
}

int main(int argc, char** argv) {
  pthread_barrierattr_t shared;
  int status = 0, failed = 0;
  if (!file_parse(&options, argc, argv, true) || options.ranks > kMost) return 2;
  setpgid(0, 0);
  meeting = mmap(NULL, sizeof *meeting, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (meeting == MAP_FAILED) fail("mmap");
  pthread_barrierattr_init(&shared);
  pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&meeting->barrier, &shared, (unsigned)options.ranks);
  for (int rank = 0; rank < options.ranks; ++rank) {
    const pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
      work(rank);
      exit(0);
    }
  }
  while (wait(&status) > 0) failed |= status != 0;
  return failed;
}
