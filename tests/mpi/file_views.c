/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Data of files by explicit offsets and by individual pointers, alone and together, through views;
 * bytes outside of the views keep their value. */
#include "files.h"

enum { kBlock = 16, kBlocks = 500, kMark = 0xa5 };

/* Blocks of kBlock bytes, of which each rank has every size-th; one more place is nobody's. */
static MPI_Datatype blocks_of_rank(void) {
  MPI_Datatype type, resized;
  OK(MPI_Type_contiguous(kBlock, MPI_BYTE, &type));
  OK(MPI_Type_create_resized(type, 0, (MPI_Aint)kBlock * (check_size + 1), &resized));
  OK(MPI_Type_commit(&resized));
  OK(MPI_Type_free(&type));
  return resized;
}

static void fill_with_marks(const char* path, long bytes) {
  if (check_rank == 0) {
    FILE* file = fopen(path, "wb");
    for (long i = 0; i < bytes; ++i) fputc(kMark, file);
    fclose(file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Byte i of rank r lies where its view puts it; what is nobody's is as it was. */
static void check_interleaved(const char* path, long displacement, uint64_t salt) {
  long size = 0;
  unsigned char* bytes = files_bytes(path, &size);
  const long period = (long)kBlock * (check_size + 1);
  int wrong = 0;
  CHECK(size >= displacement + (kBlocks - 1) * period + (long)kBlock * check_size);
  for (long at = 0; at < size; ++at) {
    const long inside = at - displacement;
    const long rank = inside % period / kBlock;
    const long index = inside / period * kBlock + inside % kBlock;
    const int is_ours = inside >= 0 && rank < check_size && inside / period < kBlocks;
    wrong += bytes[at] != (is_ours ? check_byte(salt + (uint64_t)rank, (size_t)index) : kMark);
  }
  CHECK(wrong == 0);
  free(bytes);
  MPI_Barrier(MPI_COMM_WORLD);
}

typedef int transfer(MPI_File, void*, int, MPI_Datatype, MPI_Status*);
static int write_next(MPI_File f, void* b, int n, MPI_Datatype t, MPI_Status* s) {
  return MPI_File_write(f, b, n, t, s);
}
static int write_next_all(MPI_File f, void* b, int n, MPI_Datatype t, MPI_Status* s) {
  return MPI_File_write_all(f, b, n, t, s);
}

static void interleaved(transfer* write_it, transfer* read_it, uint64_t salt) {
  enum { kBytes = kBlock * kBlocks };
  static unsigned char data[kBytes], back[kBytes];
  char path[kPathBytes];
  MPI_File file;
  MPI_Status status;
  MPI_Offset position;
  MPI_Datatype filetype = blocks_of_rank();
  const long displacement = 100;
  strcpy(path, files_path("interleaved"));
  fill_with_marks(path, displacement + (long)kBlocks * kBlock * (check_size + 1) + 50);
  check_fill(data, kBytes, salt + (uint64_t)check_rank);
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  OK(MPI_File_set_view(file, displacement + (long)check_rank * kBlock, MPI_BYTE, filetype, "native",
                       MPI_INFO_NULL));
  OK(MPI_Type_free(&filetype)); /* the view keeps what it needs */
  OK(write_it(file, data, 1000, MPI_BYTE, &status));
  CHECK(files_count(&status, MPI_BYTE) == 1000);
  OK(MPI_File_get_position(file, &position));
  CHECK(position == 1000);
  OK(write_it(file, data + 1000, kBytes - 1000, MPI_BYTE, &status));
  CHECK(files_count(&status, MPI_BYTE) == kBytes - 1000);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  check_interleaved(path, displacement, salt);
  OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
  OK(read_it(file, back, kBytes, MPI_BYTE, &status));
  CHECK(files_count(&status, MPI_BYTE) == kBytes);
  CHECK(memcmp(data, back, kBytes) == 0);
  OK(MPI_File_close(&file));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == 0) OK(MPI_File_delete(path, MPI_INFO_NULL));
}

static void explicit_offsets(void) {
  MPI_File file = files_new("explicit");
  MPI_Status status;
  int data[64], back[64];
  MPI_Offset position = -1;
  const MPI_Offset mine = (MPI_Offset)check_rank * 64;
  MPI_Datatype pairs;
  OK(MPI_File_set_view(file, 8, MPI_INT, MPI_INT, "internal", MPI_INFO_NULL));
  for (int i = 0; i < 64; ++i) data[i] = 1000 * check_rank + i;
  OK(MPI_File_write_at(file, mine, data, 32, MPI_INT, &status));
  CHECK(files_count(&status, MPI_INT) == 32);
  /* memory with gaps: elements 32, 34, ... of it go to places 32, 33, ... */
  OK(MPI_Type_vector(16, 1, 2, MPI_INT, &pairs));
  OK(MPI_Type_commit(&pairs));
  OK(MPI_File_write_at_all(file, mine + 32, data + 32, 1, pairs, &status));
  CHECK(files_count(&status, pairs) == 1);
  OK(MPI_File_get_position(file, &position));
  CHECK(position == 0);
  memset(back, 0xff, sizeof back);
  OK(MPI_File_read_at_all(file, mine, back, 48, MPI_INT, &status));
  CHECK(files_count(&status, MPI_INT) == 48);
  for (int i = 0; i < 48; ++i) CHECK(back[i] == data[i < 32 ? i : 32 + 2 * (i - 32)]);
  memset(back, 0xff, sizeof back);
  OK(MPI_File_read_at(file, mine + 32, back, 1, pairs, &status));
  for (int i = 0; i < 32; ++i) CHECK(back[i] == (i % 2 == 0 ? data[32 + i] : -1));
  /* at the end of the file there is less than was asked for, and then nothing */
  MPI_Offset size = 0;
  OK(MPI_File_get_size(file, &size));
  CHECK(size == 8 + 4 * ((MPI_Offset)(check_size - 1) * 64 + 48));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_File_read_at(file, (size - 8) / 4 - 5, back, 64, MPI_INT, &status));
  CHECK(files_count(&status, MPI_INT) == 5);
  OK(MPI_File_read_at_all(file, (size - 8) / 4 + 100, back, 64, MPI_INT, &status));
  CHECK(files_count(&status, MPI_INT) == 0);
  FAILS(MPI_ERR_ARG, MPI_File_read_at(file, -1, back, 1, MPI_INT, &status));
  FAILS(MPI_ERR_COUNT, MPI_File_read_at(file, 0, back, -1, MPI_INT, &status));
  FAILS(MPI_ERR_TYPE, MPI_File_read_at(file, 0, back, 1, MPI_BYTE, &status));
  OK(MPI_File_write_at_all(file, mine, NULL, 0, MPI_INT, &status));
  CHECK(files_count(&status, MPI_INT) == 0);
  OK(MPI_Type_free(&pairs));
  OK(MPI_File_close(&file));
}

static void pointers(void) {
  MPI_File file = files_new("pointers");
  MPI_Datatype filetype, one;
  MPI_Offset at = -1;
  int data[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8];
  MPI_Status status;
  /* an int every 16 bytes, from byte 4 on */
  OK(MPI_Type_create_hindexed(1, (int[]){1}, (MPI_Aint[]){4}, MPI_INT, &one));
  OK(MPI_Type_create_resized(one, 0, 16, &filetype));
  OK(MPI_Type_commit(&filetype));
  OK(MPI_File_set_size(file, 40));
  OK(MPI_File_set_view(file, 0, MPI_INT, filetype, "native", MPI_INFO_NULL));
  OK(MPI_File_seek(file, 0, MPI_SEEK_END));
  OK(MPI_File_get_position(file, &at));
  CHECK(at == 3);
  OK(MPI_File_get_byte_offset(file, 2, &at));
  CHECK(at == 36);
  OK(MPI_File_seek(file, -1, MPI_SEEK_CUR));
  OK(MPI_File_get_position(file, &at));
  CHECK(at == 2);
  FAILS(MPI_ERR_ARG, MPI_File_seek(file, -3, MPI_SEEK_CUR));
  FAILS(MPI_ERR_ARG, MPI_File_seek(file, 0, 77));
  FAILS(MPI_ERR_ARG, MPI_File_get_byte_offset(file, -1, &at));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == 0) {
    OK(MPI_File_write(file, data, 8, MPI_INT, &status));
    OK(MPI_File_get_position(file, &at));
    CHECK(at == 10);
    OK(MPI_File_seek(file, 5, MPI_SEEK_SET));
    /* the pointer moves by what was asked for, also at the end of the file */
    OK(MPI_File_read(file, back, 8, MPI_INT, &status));
    CHECK(files_count(&status, MPI_INT) == 5);
    CHECK(back[0] == 4 && back[4] == 8);
    OK(MPI_File_get_position(file, &at));
    CHECK(at == 13);
  }
  OK(MPI_Type_free(&one));
  OK(MPI_Type_free(&filetype));
  OK(MPI_File_close(&file));
}

static void views_told(void) {
  MPI_File file = files_new("told");
  MPI_Datatype etype, filetype, derived, holes;
  MPI_Offset displacement = -1;
  char representation[MPI_MAX_DATAREP_STRING];
  MPI_Aint extent = 0;
  int integers = -1, addresses, types, combiner = -1;
  OK(MPI_File_get_view(file, &displacement, &etype, &filetype, representation));
  CHECK(displacement == 0 && etype == MPI_BYTE && filetype == MPI_BYTE);
  CHECK(strcmp(representation, "native") == 0);
  OK(MPI_Type_vector(2, 1, 3, MPI_INT, &derived));
  OK(MPI_Type_commit(&derived));
  OK(MPI_File_set_view(file, 40, MPI_INT, derived, "native", MPI_INFO_NULL));
  OK(MPI_Type_free(&derived));
  OK(MPI_File_get_view(file, &displacement, &etype, &filetype, representation));
  CHECK(displacement == 40 && etype == MPI_INT && filetype != MPI_INT);
  OK(MPI_Type_get_envelope(filetype, &integers, &addresses, &types, &combiner));
  OK(MPI_Type_free(&filetype));
  OK(MPI_File_get_type_extent(file, MPI_DOUBLE, &extent));
  CHECK(extent == 8);
  FAILS(MPI_ERR_ARG, MPI_File_set_view(file, -4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  FAILS(MPI_ERR_UNSUPPORTED_DATAREP,
        MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "no such thing", MPI_INFO_NULL));
  CHECK(MPI_File_set_view(file, 0, MPI_INT, MPI_BYTE, "native", MPI_INFO_NULL) != MPI_SUCCESS);
  if (check_size > 1) {
    FAILS(MPI_ERR_NOT_SAME,
          MPI_File_set_view(file, 0, check_rank == 0 ? MPI_INT : MPI_DOUBLE,
                            check_rank == 0 ? MPI_INT : MPI_DOUBLE, "native", MPI_INFO_NULL));
  }
  /* the old view holds */
  OK(MPI_File_get_view(file, &displacement, &etype, &filetype, representation));
  CHECK(displacement == 40);
  OK(MPI_Type_free(&filetype));
  /* a filetype without bytes */
  OK(MPI_Type_contiguous(0, MPI_INT, &holes));
  OK(MPI_Type_commit(&holes));
  OK(MPI_File_set_view(file, 0, MPI_INT, holes, "native", MPI_INFO_NULL));
  OK(MPI_File_write_all(file, NULL, 0, MPI_INT, MPI_STATUS_IGNORE));
  OK(MPI_Type_free(&holes));
  OK(MPI_File_close(&file));
}

static void large_forms(void) {
  MPI_File file = files_new("large");
  MPI_Status status;
  int value = check_rank + 5, back = 0;
  MPI_Count count = -1;
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  /* beyond 4 GB: the file has a hole */
  const MPI_Offset far = ((MPI_Offset)5 << 30) / 4 + check_rank;
  OK(MPI_File_write_at_c(file, far, &value, 1, MPI_INT, &status));
  OK(MPI_Get_count_c(&status, MPI_INT, &count));
  CHECK(count == 1);
  OK(MPI_File_sync(file));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_File_read_at_all_c(file, far - check_rank + (check_rank + 1) % check_size, &back, 1,
                            MPI_INT, &status));
  CHECK(back == (check_rank + 1) % check_size + 5);
  FAILS(MPI_ERR_COUNT, MPI_File_read_at_c(file, 0, &back, (MPI_Count)1 << 62, MPI_INT, &status));
  FAILS(MPI_ERR_ARG, MPI_File_write_at(file, ((MPI_Offset)1 << 62), &value, 1, MPI_INT, &status));
  OK(MPI_File_close(&file));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  interleaved(write_next, MPI_File_read, 3);
  interleaved(write_next_all, MPI_File_read_all, 17);
  explicit_offsets();
  pointers();
  views_told();
  large_forms();
  return check_end("file_views");
}
