/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Operations under way advance without a call that waits for them: by the progress thread while
 * rank 0 makes no call at all ("thread"), and during calls about something else ("calls"). The
 * other ranks cannot complete theirs unless rank 0 plays its part; that they have, they tell by a
 * file. */
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { kLong = 1 << 20, kVector = 5000, kOperations = 6 };

static char path[256];
static int operation_bytes; /* of the file, when all others have completed round after round */

static void make_file(void) {
  if (check_rank == 0) {
    const char* folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/remit-progress-XXXXXX", folder != NULL ? folder : "/tmp");
    const int file = mkstemp(path);
    CHECK(file >= 0);
    close(file);
  }
  MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void tell(void) {
  const int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  CHECK(file >= 0 && write(file, "x", 1) == 1);
  close(file);
}

static int all_have_told(void) {
  struct stat about;
  return stat(path, &about) == 0 && about.st_size >= operation_bytes;
}

static void rest(int milliseconds) {
  const struct timespec pause = {0, milliseconds * 1000L * 1000L};
  nanosleep(&pause, NULL);
}

/* Buffers of everything that is under way at once. */
struct work {
  MPI_Request requests[kOperations];
  int value, sum;
  long vector[kVector], sums[kVector];
  int* out;
  int* in;
  int gathered[64];
};

static void start(struct work* w, int round) {
  const int right = (check_rank + 1) % check_size;
  const int left = (check_rank + check_size - 1) % check_size;
  w->value = check_rank + round;
  for (int i = 0; i < kVector; ++i) w->vector[i] = i + check_rank * round;
  for (int i = 0; i < kLong; ++i) w->out[i] = i ^ (check_rank + round);
  memset(w->in, 0, sizeof(int) * kLong);
  OK(MPI_Iallreduce(&w->value, &w->sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &w->requests[0]));
  OK(MPI_Iallreduce(w->vector, w->sums, kVector, MPI_LONG, MPI_SUM, MPI_COMM_WORLD,
                    &w->requests[1]));
  OK(MPI_Ibarrier(MPI_COMM_WORLD, &w->requests[2]));
  OK(MPI_Iallgather(&w->value, 1, MPI_INT, w->gathered, 1, MPI_INT, MPI_COMM_WORLD,
                    &w->requests[3]));
  OK(MPI_Irecv(w->in, kLong, MPI_INT, left, 7, MPI_COMM_WORLD, &w->requests[4]));
  OK(MPI_Isend(w->out, kLong, MPI_INT, right, 7, MPI_COMM_WORLD, &w->requests[5]));
}

static void check_work(const struct work* w, int round) {
  const int left = (check_rank + check_size - 1) % check_size;
  const int ranks = check_size * (check_size - 1) / 2;
  int wrong = 0;
  CHECK(w->sum == ranks + check_size * round);
  for (int i = 0; i < kVector; ++i) wrong += w->sums[i] != (long)i * check_size + ranks * round;
  for (int i = 0; i < kLong; ++i) wrong += w->in[i] != (i ^ (left + round));
  for (int i = 0; i < check_size; ++i) wrong += w->gathered[i] != i + round;
  CHECK(wrong == 0);
}

/* A call that has nothing to do with the operations under way. */
static void call_something(int kind, MPI_Request* other) {
  int flag = 0, index = 0;
  switch (kind) {
    case 0:
      OK(MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
      break;
    case 1:
      OK(MPI_Test(other, &flag, MPI_STATUS_IGNORE));
      break;
    case 2:
      OK(MPI_Testany(1, other, &index, &flag, MPI_STATUS_IGNORE));
      break;
    default:
      OK(MPI_Request_get_status(*other, &flag, MPI_STATUS_IGNORE));
      break;
  }
  CHECK(!flag);
}

/* Until all others have completed theirs, or for PROGRESS_LIMIT seconds. */
static int wait_for_others(int kind, MPI_Request* other) {
  const char* limit = getenv("PROGRESS_LIMIT");
  const double end = MPI_Wtime() + (limit != NULL ? atof(limit) : 100);
  while (!all_have_told()) {
    if (MPI_Wtime() > end) return 0;
    if (kind < 0) {
      rest(1);
    } else {
      call_something(kind, other);
    }
  }
  return 1;
}

static void one_round(struct work* w, int round, int kind) {
  start(w, round);
  operation_bytes += check_size - 1;
  if (check_rank == 0) {
    int never = 0;
    MPI_Request other;
    OK(MPI_Irecv(&never, 1, MPI_INT, MPI_ANY_SOURCE, 10, MPI_COMM_SELF, &other));
    CHECK(wait_for_others(kind, &other));
    if (kind < 0) {
      rest(200); /* what came last: the thread may have to wait for a processor */
      for (int i = 0; i < kOperations; ++i) {
        int flag = 0;
        OK(MPI_Test(&w->requests[i], &flag, MPI_STATUS_IGNORE));
        CHECK(flag);
      }
    }
    OK(MPI_Cancel(&other));
    OK(MPI_Wait(&other, MPI_STATUS_IGNORE));
  }
  OK(MPI_Waitall(kOperations, w->requests, MPI_STATUSES_IGNORE));
  if (check_rank != 0) tell();
  check_work(w, round);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  const int thread = argc > 1 && strcmp(argv[1], "thread") == 0;
  struct work w;
  w.out = malloc(sizeof(int) * kLong);
  w.in = malloc(sizeof(int) * kLong);
  make_file();
  for (int round = 0; round < 5; ++round) one_round(&w, round, thread ? -1 : round % 4);
  MPI_Barrier(MPI_COMM_WORLD);
  if (check_rank == 0) unlink(path);
  free(w.out);
  free(w.in);
  return check_end("progress");
}
