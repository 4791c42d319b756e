/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Collective accesses whose data go through memory that the ranks of a host share: blocks dealt in
 * turn. What the kernel is asked for, several accesses under way at once, the end of the file in
 * the middle, an owner that cannot write, and holes. */
#include <signal.h>
#include <sys/resource.h>

#include "files.h"

enum { kBlock = 64, kBlocks = 6000, kMine = kBlock * kBlocks, kAtOnce = 4 };

static unsigned char *data[kAtOnce], *back[kAtOnce];

/* Short pieces of a file that is mapped would go straight. */
static MPI_Info by_owners;

static void ask_for_owners(MPI_Info info) {
  OK(MPI_Info_set(info, "romio_cb_write", "enable"));
  OK(MPI_Info_set(info, "romio_cb_read", "enable"));
}

/* Blocks in turn from `displacement` on; the view repeats after all ranks, or is dealt out in one
 * piece. */
static void set_view(MPI_File file, MPI_Offset displacement, int in_one_piece) {
  MPI_Datatype block, type;
  if (in_one_piece) {
    OK(MPI_Type_vector(kBlocks, kBlock, kBlock * check_size, MPI_BYTE, &type));
  } else {
    OK(MPI_Type_contiguous(kBlock, MPI_BYTE, &block));
    OK(MPI_Type_create_resized(block, 0, (MPI_Aint)kBlock * check_size, &type));
    OK(MPI_Type_free(&block));
  }
  OK(MPI_Type_commit(&type));
  OK(MPI_File_set_view(file, displacement + (MPI_Offset)kBlock * check_rank, MPI_BYTE, type,
                       "native", MPI_INFO_NULL));
  OK(MPI_Type_free(&type));
}

/* Bytes that this process has read and written by system calls; -1: the system does not count. */
static void count_calls(long* read, long* written) {
  *read = *written = -1;
  FILE* io = fopen("/proc/self/io", "r");
  if (io == NULL) return;
  if (fscanf(io, "rchar: %ld wchar: %ld", read, written) != 2) *read = *written = -1;
  fclose(io);
}

/* Owners move all, each byte once, and nobody else does. */
static void check_calls(long read_before, long written_before, int is_write) {
  long mine[2], all[2], read, written;
  const long range = (long)kMine * check_size;
  count_calls(&read, &written);
  mine[0] = read - read_before;
  mine[1] = written - written_before;
  OK(MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
  if (read < 0 || check_size == 1 || !check_shares_memory()) return;
  const long other = all[is_write ? 0 : 1], own = all[is_write ? 1 : 0];
  CHECK(own >= range && own < range + range / 4);
  CHECK(other < range / 4);
}

static void blocks_in_turn(int in_one_piece) {
  char path[kPathBytes];
  long read, written, size = 0;
  MPI_File file;
  MPI_Status status;
  strcpy(path, files_path("blocks"));
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, by_owners, &file));
  set_view(file, 100, in_one_piece);
  for (int round = 0; round < 3; ++round) {
    check_fill(data[0], kMine, (uint64_t)(7 * check_rank + round));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    count_calls(&read, &written);
    OK(MPI_File_write_at_all(file, 0, data[0], kMine, MPI_BYTE, &status));
    check_calls(read, written, 1);
    CHECK(files_count(&status, MPI_BYTE) == kMine);
    unsigned char* bytes = files_bytes(path, &size);
    CHECK(size == 100 + (long)kMine * check_size);
    int right = 1;
    for (int i = 0; i < kMine; ++i) {
      const long at = 100 + ((long)(i / kBlock) * check_size + check_rank) * kBlock + i % kBlock;
      right = right && bytes[at] == data[0][i];
    }
    for (int i = 0; i < 100; ++i) right = right && bytes[i] == 0;
    CHECK(right);
    free(bytes);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    memset(back[0], 0, kMine);
    count_calls(&read, &written);
    OK(MPI_File_read_at_all(file, 0, back[0], kMine, MPI_BYTE, &status));
    check_calls(read, written, 0);
    CHECK(files_count(&status, MPI_BYTE) == kMine);
    CHECK(memcmp(back[0], data[0], kMine) == 0);
  }
  OK(MPI_File_close(&file));
  if (check_rank == 0) OK(MPI_File_delete(path, MPI_INFO_NULL));
}

/* Accesses begin in the same order everywhere and end in any; calls that block come in between,
 * while what has ended was not waited for. */
static void at_once(void) {
  MPI_File file = files_new("at_once");
  MPI_Request requests[kAtOnce];
  MPI_Status statuses[kAtOnce];
  set_view(file, 0, 0);
  for (int i = 0; i < kAtOnce; ++i) {
    check_fill(data[i], kMine, (uint64_t)(31 * check_rank + i));
    if (i == 2) {
      OK(MPI_File_write_at_all(file, (MPI_Offset)i * kMine, data[i], kMine, MPI_BYTE,
                               &statuses[i]));
      requests[i] = MPI_REQUEST_NULL;
    } else {
      OK(MPI_File_iwrite_at_all(file, (MPI_Offset)i * kMine, data[i], kMine, MPI_BYTE,
                                &requests[i]));
    }
  }
  OK(MPI_Wait(&requests[check_rank % 2 == 0 ? 3 : 0], &statuses[0]));
  CHECK(files_count(&statuses[0], MPI_BYTE) == kMine);
  OK(MPI_Waitall(kAtOnce, requests, MPI_STATUSES_IGNORE));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  for (int i = 0; i < kAtOnce - 1; ++i)
    OK(MPI_File_iread_at_all(file, (MPI_Offset)i * kMine, back[i], kMine, MPI_BYTE, &requests[i]));
  OK(MPI_File_read_at_all_begin(file, (MPI_Offset)3 * kMine, back[3], kMine, MPI_BYTE));
  OK(MPI_File_read_at_all_end(file, back[3], &statuses[3]));
  CHECK(files_count(&statuses[3], MPI_BYTE) == kMine);
  OK(MPI_Waitall(kAtOnce - 1, requests, statuses));
  for (int i = 0; i < kAtOnce; ++i) {
    CHECK(files_count(&statuses[i], MPI_BYTE) == kMine);
    CHECK(memcmp(back[i], data[i], kMine) == 0);
  }
  OK(MPI_File_close(&file));
}

/* How many of a rank's bytes lie below the end of the file. */
static int below_end(long end) {
  const long turn = (long)kBlock * check_size, tiles = end / turn;
  long rest = end % turn - (long)kBlock * check_rank;
  rest = rest < 0 ? 0 : rest > kBlock ? kBlock : rest;
  const long bytes = tiles * kBlock + rest;
  return (int)(bytes < kMine ? bytes : kMine);
}

static void end_in_the_middle(void) {
  MPI_File file = files_new("end");
  MPI_Status status;
  const long range = (long)kMine * check_size;
  const long ends[] = {range / 2 + 33, 1, 0, range - 1, range / 3, range + 5};
  set_view(file, 0, 0);
  for (int i = 0; i < 6; ++i) {
    check_fill(data[0], kMine, (uint64_t)(check_rank + i));
    OK(MPI_File_write_at_all(file, 0, data[0], kMine, MPI_BYTE, &status));
    OK(MPI_File_set_size(file, ends[i]));
    memset(back[0], 0x5a, kMine);
    OK(MPI_File_read_at_all(file, 0, back[0], kMine, MPI_BYTE, &status));
    const int bytes = below_end(ends[i]);
    CHECK(files_count(&status, MPI_BYTE) == bytes);
    CHECK(memcmp(back[0], data[0], (size_t)bytes) == 0);
    int untouched = 1;
    for (int k = bytes; k < kMine; ++k) untouched = untouched && back[0][k] == 0x5a;
    CHECK(untouched);
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  OK(MPI_File_close(&file));
}

/* The last rank may write no further than to the middle: all fail, in the same words, and what they
 * say that they have written is there. */
static void owner_that_fails(int starts) {
  char path[kPathBytes], words[MPI_MAX_ERROR_STRING] = "", others[MPI_MAX_ERROR_STRING];
  long size = 0;
  int length = 0, code = MPI_SUCCESS;
  MPI_File file;
  MPI_Status status;
  MPI_Request request;
  const int last = check_size - 1;
  struct rlimit limit, usual;
  MPI_Info all_own;
  strcpy(path, files_path("fails"));
  snprintf(words, sizeof words, "*:%d", check_size);
  OK(MPI_Info_create(&all_own));
  OK(MPI_Info_set(all_own, "cb_config_list", words));
  ask_for_owners(all_own);
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, all_own, &file));
  OK(MPI_Info_free(&all_own));
  set_view(file, 0, 0);
  check_fill(data[0], kMine, (uint64_t)check_rank + 5);
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &usual);
  limit = usual;
  limit.rlim_cur = (rlim_t)kMine * (rlim_t)check_size / 2;
  if (check_rank == last) setrlimit(RLIMIT_FSIZE, &limit);
  if (starts) {
    OK(MPI_File_iwrite_at_all(file, 0, data[0], kMine, MPI_BYTE, &request));
    code = MPI_Wait(&request, &status);
  } else {
    code = MPI_File_write_at_all(file, 0, data[0], kMine, MPI_BYTE, &status);
  }
  setrlimit(RLIMIT_FSIZE, &usual);
  CHECK(check_class_of(code) == MPI_ERR_IO);
  OK(MPI_Error_string(code, words, &length));
  strcpy(others, words);
  OK(MPI_Bcast(others, sizeof others, MPI_CHAR, last, MPI_COMM_WORLD));
  const char* const rank_words = strstr(words, "rank ");
  CHECK(rank_words != NULL && atoi(rank_words + 5) == last);
  CHECK(rank_words != NULL && strstr(others, rank_words) != NULL);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  const int written = files_count(&status, MPI_BYTE);
  unsigned char* bytes = files_bytes(path, &size);
  int right = written >= 0 && (written < kMine || check_rank != last);
  for (int i = 0; i < written; ++i) {
    const long at = ((long)(i / kBlock) * check_size + check_rank) * kBlock + i % kBlock;
    right = right && at < size && bytes[at] == data[0][i];
  }
  CHECK(right);
  free(bytes);
  /* and then all is well again */
  OK(MPI_File_write_at_all(file, 0, data[0], kMine, MPI_BYTE, &status));
  CHECK(files_count(&status, MPI_BYTE) == kMine);
  OK(MPI_File_read_at_all(file, 0, back[0], kMine, MPI_BYTE, &status));
  CHECK(memcmp(back[0], data[0], kMine) == 0);
  OK(MPI_File_close(&file));
  if (check_rank == 0) OK(MPI_File_delete(path, MPI_INFO_NULL));
}

/* Rank 0 writes nothing, or a little: what its blocks had stays. */
static void holes(void) {
  char path[kPathBytes];
  long size = 0;
  MPI_File file;
  MPI_Status status;
  strcpy(path, files_path("holes"));
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, by_owners, &file));
  set_view(file, 0, 0);
  for (int round = 0; round < 3; ++round) {
    memset(data[0], 0x11, kMine);
    OK(MPI_File_write_at_all(file, 0, data[0], kMine, MPI_BYTE, &status));
    memset(data[0], 0x22, kMine);
    const int given = check_rank != 0 ? kMine : round == 0 ? 0 : round == 1 ? 100 : kMine - 1000;
    OK(MPI_File_write_at_all(file, 0, data[0], given, MPI_BYTE, &status));
    CHECK(files_count(&status, MPI_BYTE) == given);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    unsigned char* bytes = files_bytes(path, &size);
    int right = size == (long)kMine * check_size;
    for (int i = 0; i < kMine && right; ++i) {
      const long at = ((long)(i / kBlock) * check_size + check_rank) * kBlock + i % kBlock;
      right = bytes[at] == (i < given ? 0x22 : 0x11);
    }
    CHECK(right);
    free(bytes);
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  OK(MPI_File_close(&file));
  if (check_rank == 0) OK(MPI_File_delete(path, MPI_INFO_NULL));
}

/* All ranks write the blocks of rank 0: together as many bytes as the range has, but what the
 * blocks of the others had stays, and each byte is one of those that were given. */
static void same_blocks(void) {
  char path[kPathBytes];
  long size = 0;
  MPI_File file;
  MPI_Status status;
  strcpy(path, files_path("same"));
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, by_owners, &file));
  set_view(file, 0, 0);
  memset(data[0], 0x77, kMine);
  OK(MPI_File_write_at_all(file, 0, data[0], kMine, MPI_BYTE, &status));
  set_view(file, -(MPI_Offset)kBlock * check_rank, 0);
  memset(data[0], check_rank, kMine);
  OK(MPI_File_write_at_all(file, 0, data[0], kMine, MPI_BYTE, &status));
  CHECK(files_count(&status, MPI_BYTE) == kMine);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  unsigned char* bytes = files_bytes(path, &size);
  int right = size == (long)kMine * check_size;
  for (long at = 0; at < size && right; ++at)
    right = at / kBlock % check_size == 0 ? bytes[at] < check_size : bytes[at] == 0x77;
  CHECK(right);
  free(bytes);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_File_close(&file));
  if (check_rank == 0) OK(MPI_File_delete(path, MPI_INFO_NULL));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  OK(MPI_Info_create(&by_owners));
  ask_for_owners(by_owners);
  for (int i = 0; i < kAtOnce; ++i) {
    data[i] = (unsigned char*)malloc(kMine);
    back[i] = (unsigned char*)malloc(kMine);
  }
  blocks_in_turn(0);
  blocks_in_turn(1);
  at_once();
  end_in_the_middle();
  owner_that_fails(0);
  owner_that_fails(1);
  holes();
  same_blocks();
  for (int i = 0; i < kAtOnce; ++i) {
    free(data[i]);
    free(back[i]);
  }
  OK(MPI_Info_free(&by_owners));
  return check_end("file_staged");
}
