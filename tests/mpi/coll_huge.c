/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Collectives of more elements than an int counts, with every byte checked: a broadcast, an
 * allgather whose result is so long, an allreduce in place. About 3 GB a rank; by "make
 * check-collectives". */
#include "check.h"

enum { kSpare = 4099 };
static const MPI_Count kHuge = ((MPI_Count)1 << 31) + kSpare;

static unsigned char byte_at(MPI_Count i, int salt) {
  return (unsigned char)((i ^ (i >> 9) ^ (i >> 31)) + salt * 37);
}
static void fill(unsigned char* data, MPI_Count from, MPI_Count count, int salt) {
  for (MPI_Count i = from; i < from + count; ++i) data[i] = byte_at(i, salt);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  unsigned char* data = malloc((size_t)kHuge);
  CHECK(data != NULL);
  if (data == NULL) MPI_Abort(MPI_COMM_WORLD, 1);

  memset(data, 0, (size_t)kHuge);
  if (check_rank == 0) fill(data, 0, kHuge, 1);
  OK(MPI_Bcast_c(data, kHuge, MPI_BYTE, 0, MPI_COMM_WORLD));
  MPI_Count wrong = 0;
  for (MPI_Count i = 0; i < kHuge; ++i) wrong += data[i] != byte_at(i, 1);
  CHECK(wrong == 0);

  const MPI_Count each = kHuge / check_size;
  memset(data, 0, (size_t)kHuge);
  fill(data, check_rank * each, each, 2);
  OK(MPI_Allgather_c(MPI_IN_PLACE, 0, MPI_BYTE, data, each, MPI_BYTE, MPI_COMM_WORLD));
  wrong = 0;
  for (MPI_Count i = 0; i < each * check_size; ++i) wrong += data[i] != byte_at(i, 2);
  CHECK(wrong == 0);

  fill(data, 0, kHuge, check_rank);
  OK(MPI_Allreduce_c(MPI_IN_PLACE, data, kHuge, MPI_UINT8_T, MPI_BXOR, MPI_COMM_WORLD));
  wrong = 0;
  for (MPI_Count i = 0; i < kHuge; ++i) {
    unsigned char all = 0;
    for (int r = 0; r < check_size; ++r) all ^= byte_at(i, r);
    wrong += data[i] != all;
  }
  CHECK(wrong == 0);
  free(data);
  return check_end("coll_huge");
}
