/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * bindings_handle_int_threads.c: threads convert handles at the same time, without MPI_Init: those
 * that all know, those that each makes and frees, and those that all ask for first. No number is
 * two handles' at a time. Also for the thread sanitizer. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { kThreads = 8, kKnown = 64, kCycles = 20000, kRounds = 500, kNumbers = 1 << 16 };

static MPI_Info known[kKnown];
static int known_numbers[kKnown];
static MPI_Info asked_first;
static int answers[kThreads];
static atomic_int owner[kNumbers]; /* of the numbers from 4096 on; 0: nobody */
static atomic_int failures;
static pthread_barrier_t together;

static void expect(int condition, const char* what) {
  if (condition) return;
  if (atomic_fetch_add(&failures, 1) < 10) printf("wrong: %s\n", what);
}

static void cycle(int me) {
  MPI_Info mine;
  MPI_Info_create(&mine);
  const int number = MPI_Info_toint(mine);
  expect(number >= 4096 && number - 4096 < kNumbers, "a number in the range of so few objects");
  if (number >= 4096 && number - 4096 < kNumbers) {
    int nobody = 0;
    expect(atomic_compare_exchange_strong(&owner[number - 4096], &nobody, me),
           "a number is one object's at a time");
    expect(MPI_Info_fromint(number) == mine, "one's own there and back");
    atomic_store(&owner[number - 4096], 0);
  }
  MPI_Info_free(&mine);
}

static void* convert(void* argument) {
  const int me = *(int*)argument;
  for (int i = 0; i < kCycles; ++i) {
    const int at = (i + me) % kKnown;
    expect(MPI_Info_fromint(known_numbers[at]) == known[at], "a known number to its handle");
    expect(MPI_Info_toint(known[at]) == known_numbers[at], "a known handle to its number");
    expect(MPI_Comm_toint(MPI_COMM_WORLD) == 0x101, "a predefined handle");
    cycle(me);
  }
  for (int round = 0; round < kRounds; ++round) {
    if (me == 1) MPI_Info_create(&asked_first);
    pthread_barrier_wait(&together);
    answers[me - 1] = MPI_Info_toint(asked_first);
    pthread_barrier_wait(&together);
    expect(answers[me - 1] == answers[0], "all who ask first get the same number");
    pthread_barrier_wait(&together);
    if (me == 1) MPI_Info_free(&asked_first);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  int numbers[kThreads];
  for (int i = 0; i < kKnown; ++i) {
    MPI_Info_create(&known[i]);
    known_numbers[i] = MPI_Info_toint(known[i]);
  }
  pthread_barrier_init(&together, NULL, kThreads);
  for (int i = 0; i < kThreads; ++i) {
    numbers[i] = i + 1;
    pthread_create(&threads[i], NULL, convert, &numbers[i]);
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&together);
  for (int i = 0; i < kKnown; ++i) MPI_Info_free(&known[i]);
  printf("%d threads: %d failures\n", (int)kThreads, failures);
  return failures != 0;
}
