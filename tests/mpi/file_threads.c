/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Files and MPI_THREAD_MULTIPLE: threads of each rank use one file by all pointers at the same
 * time, and files of their own; one thread that waits for the system keeps no other from MPI. The
 * argument is how often. */
#define _GNU_SOURCE
#include <fcntl.h>

#include "check_threads.h"
#include "files.h"

enum { kBytes = 3000 };

static int rounds = 50;
static MPI_File shared;

/* Each thread's own part, by explicit offsets. */
static void explicit_part(long thread) {
  unsigned char data[kBytes], back[kBytes];
  MPI_Status status;
  for (int round = 0; round < rounds; ++round) {
    const MPI_Offset at =
        (((MPI_Offset)round * check_size + check_rank) * kThreads + thread) * kBytes;
    const uint64_t salt = (uint64_t)at / kBytes;
    check_fill(data, kBytes, salt);
    if (round % 2 == 0) {
      OK(MPI_File_write_at(shared, at, data, kBytes, MPI_BYTE, &status));
    } else {
      MPI_Request request;
      OK(MPI_File_iwrite_at(shared, at, data, kBytes, MPI_BYTE, &request));
      OK(MPI_Wait(&request, &status));
    }
    OK(MPI_File_read_at(shared, at, back, kBytes, MPI_BYTE, &status));
    CHECK(files_count(&status, MPI_BYTE) == kBytes);
    CHECK(check_filled(back, kBytes, salt));
  }
}

static void* use_shared(void* argument) {
  explicit_part((long)argument);
  return NULL;
}

/* Threads of one number share a communicator, and open, write and close files of their own. */
static MPI_Comm own[kThreads];
static char paths[kThreads][kPathBytes];
static void* use_own(void* argument) {
  const long thread = (long)argument;
  unsigned char data[kBytes], back[kBytes];
  for (int round = 0; round < 5; ++round) {
    MPI_File file;
    MPI_Status status;
    check_fill(data, kBytes, (uint64_t)(100 * check_rank + thread));
    OK(MPI_File_open(own[thread], paths[thread],
                     MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &file));
    OK(MPI_File_write_ordered(file, data, kBytes, MPI_BYTE, &status));
    OK(MPI_File_read_at_all(file, (MPI_Offset)check_rank * kBytes, back, kBytes, MPI_BYTE,
                            &status));
    CHECK(memcmp(data, back, kBytes) == 0);
    OK(MPI_File_close(&file));
  }
  return NULL;
}

/* A thread waits in the system, for a lock of a file that this process has taken beside MPI, and
 * keeps no other thread from MPI, among them the one that gives the lock back. */
static MPI_File locked_file;
static void* wait_for_lock(void* argument) {
  char byte = 7;
  (void)argument;
  OK(MPI_File_write_at(locked_file, check_rank, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
  return NULL;
}

static void system_waits(void) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  pthread_t waiter;
  char path[kPathBytes];
  int token = 0;
  strcpy(path, files_path("waits"));
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                   MPI_INFO_NULL, &locked_file));
  OK(MPI_File_set_atomicity(locked_file, 1));
  const int fd = open(path, O_RDWR);
  lock.l_start = check_rank;
  lock.l_len = 1;
  CHECK(fcntl(fd, F_OFD_SETLK, &lock) == 0);
  pthread_create(&waiter, NULL, wait_for_lock, NULL);
  usleep(20000); /* it is in the system by then; if not, the test is an easy one */
  for (int i = 0; i < 1000; ++i)
    OK(MPI_Sendrecv_replace(&token, 1, MPI_INT, (check_rank + 1) % check_size, 0,
                            (check_rank + check_size - 1) % check_size, 0, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE));
  lock.l_type = F_UNLCK;
  CHECK(fcntl(fd, F_OFD_SETLK, &lock) == 0);
  pthread_join(waiter, NULL);
  close(fd);
  OK(MPI_File_close(&locked_file));
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &check_size);
  if (argc > 1) rounds = atoi(argv[1]);
  shared = files_new("threads");
  run_threads(use_shared);
  MPI_Offset size = 0;
  OK(MPI_File_get_size(shared, &size));
  CHECK(size == (MPI_Offset)rounds * check_size * kThreads * kBytes);
  OK(MPI_File_close(&shared));
  for (int i = 0; i < kThreads; ++i) {
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &own[i]));
    strcpy(paths[i], files_path("own"));
  }
  run_threads(use_own);
  for (int i = 0; i < kThreads; ++i) OK(MPI_Comm_free(&own[i]));
  system_waits();
  return check_end("file_threads");
}
