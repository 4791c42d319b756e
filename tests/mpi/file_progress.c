/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Nonblocking and split collective accesses go on while no rank is in MPI: after the call that
 * begins one each rank looks at the file itself, or at its buffer, until all data of all ranks are
 * there, and only then calls MPI again. Small owners' buffers make many meetings of each access. */
#include <time.h>

#include "files.h"

enum { kBlock = 64, kBlocks = 4000, kMine = kBlock * kBlocks };

static unsigned char data[kMine], back[kMine];

/* Long enough for any machine that goes on at all. */
static int is_patient(const struct timespec* since) {
  struct timespec now, rest = {0, 1000000};
  nanosleep(&rest, NULL);
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec - since->tv_sec < 100;
}

static unsigned char byte_at(long offset, int salt) {
  const long block = offset / kBlock;
  const int rank = (int)(block % check_size);
  return check_byte((uint64_t)(17 * rank + salt),
                    (size_t)(block / check_size * kBlock + offset % kBlock));
}

/* Without MPI. */
static int file_is_right(const char* path, int salt) {
  long size = 0;
  unsigned char* bytes = files_bytes(path, &size);
  int right = size == (long)kMine * check_size;
  for (long i = 0; i < size && right; ++i) right = bytes[i] == byte_at(i, salt);
  free(bytes);
  return right;
}

static int comes_to_file(const char* path, int salt) {
  struct timespec begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  while (!file_is_right(path, salt))
    if (!is_patient(&begin)) return 0;
  return 1;
}

static int comes_to_memory(const volatile unsigned char* memory) {
  struct timespec begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int i = 0; i < kMine; ++i)
    while (memory[i] != data[i])
      if (!is_patient(&begin)) return 0;
  return 1;
}

static MPI_File open_dealt(const char* path, const char* staging, const char* buffer) {
  MPI_Datatype block, type;
  MPI_Info info;
  MPI_File file;
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "cb_buffer_size", buffer));
  OK(MPI_Info_set(info, "collective_buffering", staging));
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
  OK(MPI_Info_free(&info));
  OK(MPI_Type_contiguous(kBlock, MPI_BYTE, &block));
  OK(MPI_Type_create_resized(block, 0, (MPI_Aint)kBlock * check_size, &type));
  OK(MPI_Type_commit(&type));
  OK(MPI_File_set_view(file, (MPI_Offset)kBlock * check_rank, MPI_BYTE, type, "native",
                       MPI_INFO_NULL));
  OK(MPI_Type_free(&block));
  OK(MPI_Type_free(&type));
  return file;
}

/* A few calls that begin nothing, at the usual price again. */
static void other_calls(void) {
  int flag, sum = 0;
  for (int i = 0; i < 1000; ++i) OK(MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &flag, NULL));
  OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK(sum == check_size * (check_size - 1) / 2);
}

static void go_on(const char* staging, const char* buffer) {
  char path[kPathBytes];
  MPI_Request request;
  MPI_Status status;
  strcpy(path, files_path("progress"));
  MPI_File file = open_dealt(path, staging, buffer);
  for (int round = 0; round < 3; ++round) {
    check_fill(data, kMine, (uint64_t)(17 * check_rank + round));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (round % 2 == 0) {
      OK(MPI_File_iwrite_at_all(file, 0, data, kMine, MPI_BYTE, &request));
    } else {
      OK(MPI_File_write_at_all_begin(file, 0, data, kMine, MPI_BYTE));
    }
    CHECK(comes_to_file(path, round));
    if (round % 2 == 0) {
      OK(MPI_Wait(&request, &status));
    } else {
      OK(MPI_File_write_at_all_end(file, data, &status));
    }
    CHECK(files_count(&status, MPI_BYTE) == kMine);
    for (int i = 0; i < kMine; ++i) back[i] = (unsigned char)~data[i];
    OK(MPI_Barrier(MPI_COMM_WORLD));
    other_calls();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_iread_at_all(file, 0, back, kMine, MPI_BYTE, &request));
    CHECK(comes_to_memory(back));
    OK(MPI_Wait(&request, &status));
    CHECK(files_count(&status, MPI_BYTE) == kMine);
    CHECK(memcmp(back, data, kMine) == 0);
  }
  OK(MPI_File_close(&file));
  if (check_rank == 0) OK(MPI_File_delete(path, MPI_INFO_NULL));
}

/* One access goes on while the program is in calls that do not look at it, and several at once. */
static void beside_calls(void) {
  enum { kAtOnce = 3 };
  char path[kPathBytes];
  MPI_Request requests[kAtOnce];
  strcpy(path, files_path("beside"));
  MPI_File file = open_dealt(path, "true", "8192");
  for (int i = 0; i < kAtOnce; ++i) {
    check_fill(data, kMine, (uint64_t)(17 * check_rank + 5));
    OK(MPI_File_iwrite_at_all(file, 0, data, kMine, MPI_BYTE, &requests[i]));
  }
  struct timespec begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  int rank = -1;
  while (!file_is_right(path, 5) && is_patient(&begin)) OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  CHECK(file_is_right(path, 5));
  OK(MPI_Waitall(kAtOnce, requests, MPI_STATUSES_IGNORE));
  OK(MPI_File_close(&file));
  if (check_rank == 0) OK(MPI_File_delete(path, MPI_INFO_NULL));
}

/* The argument: the thread level, 0 to 3. */
int main(int argc, char** argv) {
  const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                        MPI_THREAD_MULTIPLE};
  int provided = -1;
  OK(MPI_Init_thread(&argc, &argv, levels[argc > 1 ? atoi(argv[1]) : 0], &provided));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &check_size));
  const char* const thread = getenv("REMIT_PROGRESS_THREAD");
  if (thread != NULL && strcmp(thread, "no") == 0) return check_end("file_progress, not run");
  go_on("true", "8192");
  go_on("true", "4194304");
  go_on("false", "4194304");
  beside_calls();
  return check_end("file_progress");
}
