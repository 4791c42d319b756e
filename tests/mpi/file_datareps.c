/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Data representations of files: external32 byte for byte, the program's own by its functions, and
 * what positions and extents are in them; in every form of access. */
#include "files.h"

typedef int transfer_at(MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Status*);
static int write_at(MPI_File f, MPI_Offset o, void* b, int n, MPI_Datatype t, MPI_Status* s) {
  return MPI_File_write_at(f, o, b, n, t, s);
}
static int iwrite_at_all(MPI_File f, MPI_Offset o, void* b, int n, MPI_Datatype t, MPI_Status* s) {
  MPI_Request request;
  const int code = MPI_File_iwrite_at_all(f, o, b, n, t, &request);
  return code != MPI_SUCCESS ? code : MPI_Wait(&request, s);
}
static int iread_at(MPI_File f, MPI_Offset o, void* b, int n, MPI_Datatype t, MPI_Status* s) {
  MPI_Request request;
  const int code = MPI_File_iread_at(f, o, b, n, t, &request);
  return code != MPI_SUCCESS ? code : MPI_Wait(&request, s);
}
static int split_write_at(MPI_File f, MPI_Offset o, void* b, int n, MPI_Datatype t, MPI_Status* s) {
  const int code = MPI_File_write_at_all_begin(f, o, b, n, t);
  return code != MPI_SUCCESS ? code : MPI_File_write_at_all_end(f, b, s);
}

/* Big-endian numbers of four bytes, three a rank. */
static void external(transfer_at* write_it, transfer_at* read_it) {
  MPI_File file;
  MPI_Status status;
  MPI_Offset offset = -1;
  MPI_Aint extent = -1;
  MPI_Count elements = -1;
  char path[kPathBytes], name[MPI_MAX_DATAREP_STRING];
  MPI_Datatype etype, filetype;
  const long base = 0x01020300L + 16 * check_rank;
  long data[3] = {base, base + 1, base + 2}, back[4] = {-1, -1, -1, -1};
  strcpy(path, files_path("external"));
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  OK(MPI_File_set_view(file, 8, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL));
  OK(MPI_File_get_view(file, &offset, &etype, &filetype, name));
  CHECK(offset == 8 && etype == MPI_LONG && strcmp(name, "external32") == 0);
  OK(MPI_File_get_type_extent(file, MPI_LONG, &extent));
  CHECK(extent == 4);
  OK(MPI_File_get_type_extent(file, MPI_DOUBLE, &extent));
  CHECK(extent == 8);
  OK(MPI_File_get_byte_offset(file, 2, &offset));
  CHECK(offset == 16);
  OK(write_it(file, 3 * (MPI_Offset)check_rank, data, 3, MPI_LONG, &status));
  CHECK(files_count(&status, MPI_LONG) == 3);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(read_it(file, 3 * (MPI_Offset)check_rank, back, 3, MPI_LONG, &status));
  CHECK(files_count(&status, MPI_LONG) == 3);
  CHECK(memcmp(data, back, sizeof data) == 0 && back[3] == -1);
  /* at the end of the file: whole elements are counted */
  OK(MPI_File_read_at(file, 3 * (MPI_Offset)check_size - 2, back, 4, MPI_LONG, &status));
  CHECK(files_count(&status, MPI_LONG) == 2);
  OK(MPI_Get_elements_c(&status, MPI_LONG, &elements));
  CHECK(elements == 2);
  OK(MPI_File_seek(file, 0, MPI_SEEK_END));
  OK(MPI_File_get_position(file, &offset));
  CHECK(offset == 3 * check_size);
  OK(MPI_File_close(&file));
  long size = 0;
  unsigned char* bytes = files_bytes(path, &size);
  CHECK(size == 8 + 12L * check_size);
  for (int i = 0; i < 3 * check_size && size == 8 + 12L * check_size; ++i) {
    const unsigned char* at = bytes + 8 + 4 * i;
    CHECK(at[0] == 1 && at[1] == 2 && at[2] == 3 && at[3] == 16 * (i / 3) + i % 3);
  }
  free(bytes);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == 0) OK(MPI_File_delete(path, MPI_INFO_NULL));
}

/* A representation of the program: ints negated, in two bytes each. */
static int user_calls;
static int is_negating(void* extra) {
  return strcmp((const char*)extra, "negated") == 0;
}
static int negate_write(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position,
                        void* extra) {
  ++user_calls;
  if (type != MPI_INT || !is_negating(extra)) return MPI_ERR_CONVERSION;
  for (int i = 0; i < count; ++i) {
    const int16_t small = (int16_t) - ((const int*)user)[position + i];
    memcpy((char*)file + 2 * i, &small, 2);
  }
  return MPI_SUCCESS;
}
static int negate_read(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position,
                       void* extra) {
  ++user_calls;
  if (type != MPI_INT || !is_negating(extra)) return MPI_ERR_CONVERSION;
  for (int i = 0; i < count; ++i) {
    int16_t small;
    memcpy(&small, (const char*)file + 2 * i, 2);
    ((int*)user)[position + i] = -small;
  }
  return MPI_SUCCESS;
}
static int half_extent(MPI_Datatype type, MPI_Aint* extent, void* extra) {
  (void)extra;
  *extent = type == MPI_INT ? 2 : 1;
  return MPI_SUCCESS;
}
static int refuse(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position,
                  void* extra) {
  (void)user, (void)type, (void)count, (void)file, (void)position, (void)extra;
  return MPI_ERR_OTHER;
}

static void users_own(void) {
  MPI_File file;
  MPI_Status status;
  MPI_Aint extent = -1;
  char path[kPathBytes];
  static char extra[] = "negated";
  int data[500], back[500];
  OK(MPI_Register_datarep("negated", negate_read, negate_write, half_extent, extra));
  FAILS(MPI_ERR_DUP_DATAREP,
        MPI_Register_datarep("negated", negate_read, negate_write, half_extent, extra));
  FAILS(MPI_ERR_DUP_DATAREP,
        MPI_Register_datarep("native", negate_read, negate_write, half_extent, extra));
  OK(MPI_Register_datarep("refused", refuse, refuse, half_extent, extra));
  OK(MPI_Register_datarep_c("as in memory", MPI_CONVERSION_FN_NULL_C, MPI_CONVERSION_FN_NULL_C,
                            half_extent, NULL));
  for (int i = 0; i < 500; ++i) data[i] = check_rank * 1000 + i;
  strcpy(path, files_path("users"));
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "negated", MPI_INFO_NULL));
  OK(MPI_File_get_type_extent(file, MPI_INT, &extent));
  CHECK(extent == 2);
  OK(MPI_File_write_ordered(file, data, 500, MPI_INT, &status));
  CHECK(files_count(&status, MPI_INT) == 500);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_File_read_at_all(file, 500 * (MPI_Offset)check_rank, back, 500, MPI_INT, &status));
  CHECK(files_count(&status, MPI_INT) == 500);
  CHECK(memcmp(data, back, sizeof data) == 0);
  CHECK(user_calls >= 2);
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "refused", MPI_INFO_NULL));
  FAILS(MPI_ERR_CONVERSION, MPI_File_write_all(file, data, 5, MPI_INT, &status));
  CHECK(files_count(&status, MPI_INT) == 0);
  OK(MPI_File_close(&file));
  long size = 0;
  unsigned char* bytes = files_bytes(path, &size);
  CHECK(size == 1000L * check_size);
  for (int i = 0; i < 500 * check_size && size == 1000L * check_size; ++i) {
    int16_t small;
    memcpy(&small, bytes + 2 * i, 2);
    CHECK(small == -(i / 500 * 1000 + i % 500));
  }
  free(bytes);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == 0) OK(MPI_File_delete(path, MPI_INFO_NULL));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  external(write_at, MPI_File_read_at);
  external(iwrite_at_all, MPI_File_read_at_all);
  external(split_write_at, iread_at);
  users_own();
  return check_end("file_datareps");
}
