/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * What ranks wrote on one host ranks on another one read, where the kernels of the hosts keep what
 * they have seen of files (two mounts of faulty_mount --cached): behind sync, barrier, sync, and
 * when the file was closed and opened again. That this file system shows old bytes without that is
 * checked, too: else the test would be of nothing. */
#include <fcntl.h>

#include "tests/mpi/files.h"

enum { kBytes = 20000, kRounds = 6 };

static unsigned char byte_of(int round, int writer, int index) {
  return (unsigned char)(round * 91 + writer * 17 + index * 3 + index / 250 + 1);
}

/* What this host's kernel shows to a program that has the file open and does not ask MPI. */
static int shows_old_bytes(int file, const unsigned char* old) {
  unsigned char now[kBytes];
  return pread(file, now, kBytes, 0) == kBytes && memcmp(now, old, kBytes) == 0;
}

static void see_all(MPI_File file, int round, int writer) {
  unsigned char back[kBytes];
  MPI_Status status;
  int right = 1;
  OK(MPI_File_read_at_all(file, 0, back, kBytes, MPI_BYTE, &status));
  CHECK(files_count(&status, MPI_BYTE) == kBytes);
  for (int i = 0; i < kBytes; ++i) right = right && back[i] == byte_of(round, writer, i);
  CHECK(right);
}

int main(int argc, char** argv) {
  unsigned char data[kBytes], old[kBytes];
  char path[kPathBytes];
  MPI_File file;
  MPI_Offset size = 0;
  check_start(&argc, &argv);
  strcpy(path, files_path("visible"));
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  const int watch = open(path, O_RDONLY);
  int stale = 0;
  for (int round = 0; round < kRounds; ++round) {
    /* the first and the last rank, which are on two hosts, in turn */
    const int last = check_size - 1, writer = round % 2 == 0 ? 0 : last, other = last - writer;
    const int reopens = round / 2 % 2;
    for (int i = 0; i < kBytes; ++i) data[i] = byte_of(round, writer, i);
    for (int i = 0; i < kBytes; ++i) old[i] = byte_of(round - 1, other, i);
    if (check_rank == writer)
      OK(MPI_File_write_at(file, 0, data, kBytes, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (round > 0 && check_rank == other) stale += shows_old_bytes(watch, old);
    if (reopens) {
      OK(MPI_File_close(&file));
      OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    } else {
      OK(MPI_File_sync(file));
      OK(MPI_Barrier(MPI_COMM_WORLD));
      OK(MPI_File_sync(file));
    }
    OK(MPI_File_get_size(file, &size));
    CHECK(size == kBytes);
    see_all(file, round, writer);
  }
  OK(MPI_File_close(&file));
  close(watch);
  MPI_Allreduce(MPI_IN_PLACE, &stale, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (argc > 1) CHECK(stale > 0);
  if (check_rank == 0) OK(MPI_File_delete(path, MPI_INFO_NULL));
  return check_end("file_visible");
}
