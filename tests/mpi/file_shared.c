/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * The shared pointer of files: every record has one place, ordered calls are in the order of
 * ranks. The argument is how many records a rank writes. */
#include "files.h"

static int records = 200;

static void scattered(void) {
  MPI_File file = files_new("scattered");
  MPI_Offset at = -1;
  const int all = records * check_size;
  int pair[2], back[2];
  char* seen = (char*)calloc((size_t)all, 1);
  MPI_Status status;
  MPI_Datatype record;
  OK(MPI_Type_contiguous(2, MPI_INT, &record));
  OK(MPI_Type_commit(&record));
  OK(MPI_File_set_view(file, 16, record, record, "native", MPI_INFO_NULL));
  for (int i = 0; i < records; ++i) {
    pair[0] = check_rank;
    pair[1] = i;
    if (i % 2 == 0) {
      OK(MPI_File_write_shared(file, pair, 1, record, &status));
    } else {
      MPI_Request request;
      OK(MPI_File_iwrite_shared(file, pair, 2, MPI_INT, &request));
      OK(MPI_Wait(&request, &status));
    }
    CHECK(files_count(&status, MPI_INT) == 2);
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_File_get_position_shared(file, &at));
  CHECK(at == all);
  OK(MPI_File_seek_shared(file, -all, MPI_SEEK_CUR));
  /* all read all of it, each record once, and each rank those of a rank in their order */
  int mine = 0;
  for (int i = 0; i < records; ++i, ++mine) {
    if (i % 2 == 0) {
      OK(MPI_File_read_shared(file, back, 1, record, &status));
    } else {
      MPI_Request request;
      OK(MPI_File_iread_shared(file, back, 1, record, &request));
      OK(MPI_Wait(&request, &status));
    }
    CHECK(files_count(&status, record) == 1);
    const int fine = back[0] >= 0 && back[0] < check_size && back[1] >= 0 && back[1] < records;
    CHECK(fine);
    if (fine) ++seen[back[0] * records + back[1]];
  }
  OK(MPI_Allreduce(MPI_IN_PLACE, seen, all, MPI_SIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD));
  for (int i = 0; i < all; ++i) CHECK(seen[i] == 1);
  OK(MPI_File_get_position_shared(file, &at));
  CHECK(at == all);
  OK(MPI_File_seek_shared(file, 0, MPI_SEEK_END));
  OK(MPI_File_get_position_shared(file, &at));
  CHECK(at == all);
  FAILS(MPI_ERR_ARG, MPI_File_seek_shared(file, -1, MPI_SEEK_SET));
  if (check_size > 1) {
    FAILS(MPI_ERR_NOT_SAME, MPI_File_seek_shared(file, check_rank, MPI_SEEK_SET));
  }
  OK(MPI_Type_free(&record));
  OK(MPI_File_close(&file));
  free(seen);
}

/* Rank r writes r + 1 numbers a round. */
static void ordered(void) {
  MPI_File file = files_new("ordered");
  MPI_Status status;
  MPI_Offset at = -1;
  const int n = check_rank + 1;
  const int before = check_rank * (check_rank + 1) / 2;
  const int all = check_size * (check_size + 1) / 2;
  int* data = (int*)malloc(sizeof(int) * (size_t)all);
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < n; ++i) data[i] = round * 10000 + before + i;
    if (round % 2 == 0) {
      OK(MPI_File_write_ordered(file, data, n, MPI_INT, &status));
    } else {
      OK(MPI_File_write_ordered_begin(file, data, n, MPI_INT));
      FAILS(MPI_ERR_IO, MPI_File_write_all_end(file, data, &status));
      OK(MPI_File_write_ordered_end(file, data, &status));
    }
    CHECK(files_count(&status, MPI_INT) == n);
  }
  OK(MPI_File_get_position_shared(file, &at));
  CHECK(at == 6 * all);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  for (int round = 0; round < 6; ++round) {
    OK(MPI_File_read_at_all(file, (MPI_Offset)round * all, data, all, MPI_INT, &status));
    for (int i = 0; i < all; ++i) CHECK(data[i] == round * 10000 + i);
  }
  OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  for (int round = 0; round < 6; ++round) {
    if (round % 2 == 0) {
      OK(MPI_File_read_ordered(file, data, n, MPI_INT, &status));
    } else {
      OK(MPI_File_read_ordered_begin(file, data, n, MPI_INT));
      OK(MPI_File_read_ordered_end(file, data, &status));
    }
    CHECK(files_count(&status, MPI_INT) == n);
    for (int i = 0; i < n; ++i) CHECK(data[i] == round * 10000 + before + i);
  }
  /* the individual pointer is another one, and set_view puts both back */
  OK(MPI_File_get_position(file, &at));
  CHECK(at == 0);
  OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  OK(MPI_File_get_position_shared(file, &at));
  CHECK(at == 0);
  OK(MPI_File_close(&file));
  free(data);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  if (argc > 1) records = atoi(argv[1]);
  scattered();
  ordered();
  return check_end("file_shared");
}
