/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Atomic mode: a write of several pieces is one whole to every other access through the same open.
 * All ranks and their threads write to the same scattered places, each its own byte, and read them:
 * what they see is always of one writer. The argument is how often. */
#include "check_threads.h"
#include "files.h"

enum { kPieces = 40, kPiece = 64, kPieceStride = 300, kBytes = kPieces * kPiece };

static int rounds = 100;
static MPI_File file;

/* Whether all bytes are of one writer; 0 is nobody yet. */
static int is_whole(const unsigned char* bytes) {
  for (int i = 1; i < kBytes; ++i)
    if (bytes[i] != bytes[0]) return 0;
  return 1;
}

static void* write_and_read(void* argument) {
  unsigned char mine[kBytes], seen[kBytes];
  const int me = 1 + check_rank * kThreads + (int)(long)argument;
  MPI_Status status;
  MPI_Request request;
  memset(mine, me, sizeof mine);
  for (int round = 0; round < rounds; ++round) {
    if (round % 2 == 0) {
      OK(MPI_File_write_at(file, 0, mine, kBytes, MPI_BYTE, &status));
    } else {
      OK(MPI_File_iwrite_at(file, 0, mine, kBytes, MPI_BYTE, &request));
      OK(MPI_Wait(&request, &status));
    }
    if (round % 3 == 0) {
      OK(MPI_File_iread_at(file, 0, seen, kBytes, MPI_BYTE, &request));
      OK(MPI_Wait(&request, &status));
    } else {
      OK(MPI_File_read_at(file, 0, seen, kBytes, MPI_BYTE, &status));
    }
    CHECK(files_count(&status, MPI_BYTE) == kBytes);
    CHECK(is_whole(seen));
  }
  return NULL;
}

/* A collective write may be in any order, but not mixed. */
static void together(void) {
  unsigned char mine[kBytes], seen[kBytes];
  memset(mine, check_rank + 1, sizeof mine);
  for (int round = 0; round < 20; ++round) {
    OK(MPI_File_write_at_all(file, 0, mine, kBytes, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all(file, 0, seen, kBytes, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK(is_whole(seen));
  }
}

int main(int argc, char** argv) {
  int provided = 0, flag = -1;
  MPI_Datatype pieces;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &check_size);
  if (argc > 1) rounds = atoi(argv[1]);
  file = files_new("atomic");
  OK(MPI_File_get_atomicity(file, &flag));
  CHECK(flag == 0);
  if (check_size > 1) {
    FAILS(MPI_ERR_NOT_SAME, MPI_File_set_atomicity(file, check_rank == 0));
    OK(MPI_File_get_atomicity(file, &flag));
    CHECK(flag == 0);
  }
  OK(MPI_File_set_atomicity(file, 1));
  OK(MPI_File_get_atomicity(file, &flag));
  CHECK(flag == 1);
  OK(MPI_Type_vector(kPieces, kPiece, kPieceStride, MPI_BYTE, &pieces));
  OK(MPI_Type_commit(&pieces));
  OK(MPI_File_set_view(file, 0, MPI_BYTE, pieces, "native", MPI_INFO_NULL));
  OK(MPI_Type_free(&pieces));
  if (provided == MPI_THREAD_MULTIPLE) run_threads(write_and_read);
  together();
  OK(MPI_File_close(&file));
  return check_end("file_atomic");
}
