/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Nonblocking accesses to files, alone and together, and split collective ones. */
#include "files.h"

enum { kOps = 6, kBytes = 300000 };

static unsigned char* data[kOps];
static unsigned char* back[kOps];

/* Operation i of a rank has its own part of the file. */
static MPI_Offset place(int rank, int op) {
  return ((MPI_Offset)op * check_size + rank) * kBytes;
}

typedef int start_at(MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Request*);
static int iwrite_at(MPI_File f, MPI_Offset o, void* b, int n, MPI_Datatype t, MPI_Request* r) {
  return MPI_File_iwrite_at(f, o, b, n, t, r);
}
static int iwrite_at_all(MPI_File f, MPI_Offset o, void* b, int n, MPI_Datatype t, MPI_Request* r) {
  return MPI_File_iwrite_at_all(f, o, b, n, t, r);
}

static void at_offsets(start_at* write_it, start_at* read_it) {
  MPI_File file = files_new("at_offsets");
  MPI_Request requests[kOps];
  MPI_Status statuses[kOps];
  for (int i = 0; i < kOps; ++i) {
    check_fill(data[i], kBytes, (uint64_t)(10 * check_rank + i));
    OK(write_it(file, place(check_rank, i), data[i], kBytes, MPI_BYTE, &requests[i]));
  }
  OK(MPI_Waitall(kOps, requests, statuses));
  for (int i = 0; i < kOps; ++i) {
    CHECK(requests[i] == MPI_REQUEST_NULL);
    CHECK(files_count(&statuses[i], MPI_BYTE) == kBytes);
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  const int neighbor = (check_rank + 1) % check_size;
  for (int i = 0; i < kOps; ++i)
    OK(read_it(file, place(neighbor, i), back[i], kBytes, MPI_BYTE, &requests[i]));
  for (int left = kOps; left > 0;) {
    int index = MPI_UNDEFINED, flag = 0;
    MPI_Status status;
    OK(MPI_Testany(kOps, requests, &index, &flag, &status));
    if (!flag) continue;
    --left;
    CHECK(files_count(&status, MPI_BYTE) == kBytes);
    CHECK(check_filled(back[index], kBytes, (uint64_t)(10 * neighbor + index)));
  }
  OK(MPI_File_close(&file));
}

/* Pointers move when a call begins, so calls need not wait for each other. */
static void by_pointers(void) {
  MPI_File file = files_new("by_pointers");
  MPI_Request requests[kOps];
  MPI_Status statuses[kOps];
  MPI_Offset at = -1;
  MPI_Datatype pieces, mine;
  OK(MPI_Type_contiguous(1000, MPI_BYTE, &pieces));
  OK(MPI_Type_create_resized(pieces, 0, 1000 * (MPI_Aint)check_size, &mine));
  OK(MPI_Type_commit(&mine));
  OK(MPI_File_set_view(file, 1000 * (MPI_Offset)check_rank, MPI_BYTE, mine, "native",
                       MPI_INFO_NULL));
  for (int i = 0; i < kOps; ++i) {
    check_fill(data[i], kBytes, (uint64_t)(99 * check_rank + i));
    OK(i % 2 ? MPI_File_iwrite(file, data[i], kBytes, MPI_BYTE, &requests[i])
             : MPI_File_iwrite_all(file, data[i], kBytes, MPI_BYTE, &requests[i]));
    OK(MPI_File_get_position(file, &at));
    CHECK(at == (MPI_Offset)(i + 1) * kBytes);
  }
  OK(MPI_Waitall(kOps, requests, statuses));
  OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
  for (int i = 0; i < kOps; ++i)
    OK(i % 2 ? MPI_File_iread_all(file, back[i], kBytes, MPI_BYTE, &requests[i])
             : MPI_File_iread(file, back[i], kBytes, MPI_BYTE, &requests[i]));
  OK(MPI_Waitall(kOps, requests, statuses));
  for (int i = 0; i < kOps; ++i)
    CHECK(check_filled(back[i], kBytes, (uint64_t)(99 * check_rank + i)));
  /* less at the end of the file */
  OK(MPI_File_iread_at(file, (MPI_Offset)kOps * kBytes - 10, back[0], 100, MPI_BYTE, &requests[0]));
  OK(MPI_Wait(&requests[0], &statuses[0]));
  CHECK(files_count(&statuses[0], MPI_BYTE) == 10);
  OK(MPI_File_iwrite_at_all(file, 0, NULL, 0, MPI_BYTE, &requests[0]));
  OK(MPI_Wait(&requests[0], &statuses[0]));
  CHECK(files_count(&statuses[0], MPI_BYTE) == 0);
  OK(MPI_Type_free(&pieces));
  OK(MPI_Type_free(&mine));
  OK(MPI_File_close(&file));
}

static void split(void) {
  MPI_File file = files_new("split");
  MPI_Status status;
  MPI_Request request;
  const MPI_Offset mine = place(check_rank, 0);
  check_fill(data[0], kBytes, (uint64_t)check_rank);
  OK(MPI_File_write_at_all_begin(file, mine, data[0], kBytes, MPI_BYTE));
  FAILS(MPI_ERR_IO, MPI_File_write_at_all_begin(file, mine, data[0], kBytes, MPI_BYTE));
  FAILS(MPI_ERR_IO, MPI_File_write_all(file, data[0], kBytes, MPI_BYTE, &status));
  FAILS(MPI_ERR_IO, MPI_File_iwrite_all(file, data[0], kBytes, MPI_BYTE, &request));
  FAILS(MPI_ERR_IO, MPI_File_read_at_all_end(file, data[0], &status));
  /* what is not collective may go on */
  OK(MPI_File_write_at(file, place(check_rank, 1), data[0], 100, MPI_BYTE, &status));
  OK(MPI_File_write_at_all_end(file, data[0], &status));
  CHECK(files_count(&status, MPI_BYTE) == kBytes);
  FAILS(MPI_ERR_IO, MPI_File_write_at_all_end(file, data[0], &status));
  OK(MPI_File_seek(file, mine, MPI_SEEK_SET));
  OK(MPI_File_read_all_begin(file, back[0], kBytes, MPI_BYTE));
  OK(MPI_File_read_all_end(file, back[0], &status));
  CHECK(files_count(&status, MPI_BYTE) == kBytes);
  CHECK(check_filled(back[0], kBytes, (uint64_t)check_rank));
  OK(MPI_File_seek(file, mine, MPI_SEEK_SET));
  check_fill(data[1], kBytes, (uint64_t)check_rank + 50);
  OK(MPI_File_write_all_begin_c(file, data[1], kBytes, MPI_BYTE));
  OK(MPI_File_write_all_end(file, data[1], &status));
  OK(MPI_File_read_at_all_begin(file, mine, back[1], kBytes, MPI_BYTE));
  OK(MPI_File_read_at_all_end(file, back[1], &status));
  CHECK(check_filled(back[1], kBytes, (uint64_t)check_rank + 50));
  OK(MPI_File_close(&file));
}

/* Requests that the program lets go of, and types that it frees, are seen to the end. */
static void let_go(void) {
  MPI_File file;
  MPI_Request request;
  MPI_Datatype type;
  char path[kPathBytes];
  strcpy(path, files_path("let_go"));
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
  check_fill(data[0], kBytes, (uint64_t)check_rank);
  OK(MPI_Type_vector(kBytes / 4, 4, 4, MPI_BYTE, &type));
  OK(MPI_Type_commit(&type));
  OK(MPI_File_iwrite_at(file, place(check_rank, 0), data[0], 1, type, &request));
  OK(MPI_Type_free(&type));
  FAILS(MPI_ERR_REQUEST, MPI_Cancel(&request));
  OK(MPI_Request_free(&request));
  OK(MPI_File_close(&file)); /* an error of this program, but no reason to lose data */
  long size = 0;
  unsigned char* bytes = files_bytes(path, &size);
  CHECK(size == (long)kBytes * check_size);
  for (int i = 0; i < check_size && size == (long)kBytes * check_size; ++i)
    CHECK(check_filled(bytes + (size_t)i * kBytes, kBytes, (uint64_t)i));
  free(bytes);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == 0) OK(MPI_File_delete(path, MPI_INFO_NULL));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  for (int i = 0; i < kOps; ++i) {
    data[i] = (unsigned char*)malloc(kBytes);
    back[i] = (unsigned char*)malloc(kBytes);
  }
  at_offsets(iwrite_at, MPI_File_iread_at);
  at_offsets(iwrite_at_all, MPI_File_iread_at_all);
  by_pointers();
  split();
  let_go();
  for (int i = 0; i < kOps; ++i) {
    free(data[i]);
    free(back[i]);
  }
  return check_end("file_nonblocking");
}
