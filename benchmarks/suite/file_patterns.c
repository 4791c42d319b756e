/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * How quickly all ranks together write and read one file, by patterns that programs have, with any
 * MPI:
 *
 *     mpirun -n RANKS file_patterns FILE [MIB_PER_RANK [ROUNDS]]
 *
 * A line for each pattern and kind of call: GB/s of all ranks of a first write, of the best write
 * into the file as it is then, and of the best read. Data are checked once for each. FILE is made,
 * and goes at the end. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

typedef int transfer(MPI_File file, void* data, int count, MPI_Datatype type);

static int write_together(MPI_File file, void* data, int count, MPI_Datatype type) {
  return MPI_File_write_at_all(file, 0, data, count, type, MPI_STATUS_IGNORE);
}
static int read_together(MPI_File file, void* data, int count, MPI_Datatype type) {
  return MPI_File_read_at_all(file, 0, data, count, type, MPI_STATUS_IGNORE);
}
static int write_alone(MPI_File file, void* data, int count, MPI_Datatype type) {
  return MPI_File_write_at(file, 0, data, count, type, MPI_STATUS_IGNORE);
}
static int read_alone(MPI_File file, void* data, int count, MPI_Datatype type) {
  return MPI_File_read_at(file, 0, data, count, type, MPI_STATUS_IGNORE);
}

static void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char words[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, words, &length);
  fprintf(stderr, "file_patterns: %s: %s\n", what, words);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Blocks of so many bytes, dealt to the ranks in turn: each repeats, or all in one filetype. */
static void deal(MPI_File file, int block, int blocks, int in_one_piece) {
  MPI_Datatype type, one;
  if (in_one_piece) {
    MPI_Type_vector(blocks, block, block * ranks, MPI_BYTE, &type);
  } else {
    MPI_Type_contiguous(block, MPI_BYTE, &one);
    MPI_Type_create_resized(one, 0, (MPI_Aint)block * ranks, &type);
    MPI_Type_free(&one);
  }
  MPI_Type_commit(&type);
  check(MPI_File_set_view(file, (MPI_Offset)block * rank, MPI_BYTE, type, "native", MPI_INFO_NULL),
        "MPI_File_set_view");
  MPI_Type_free(&type);
}

/* A square of doubles, cut into tiles of all ranks. */
static void cut_tiles(MPI_File file, long bytes) {
  int grid[2] = {0, 0}, sizes[2], parts[2], starts[2];
  MPI_Datatype type;
  MPI_Dims_create(ranks, 2, grid);
  parts[1] = 2048; /* rows of 16 KiB */
  parts[0] = (int)(bytes / ((long)parts[1] * 8));
  for (int i = 0; i < 2; ++i) sizes[i] = parts[i] * grid[i];
  starts[0] = rank / grid[1] * parts[0];
  starts[1] = rank % grid[1] * parts[1];
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  check(MPI_File_set_view(file, 0, MPI_DOUBLE, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
}

static void set_pattern(MPI_File file, int pattern, long bytes) {
  static const int blocks[] = {0, 64, 64, 1024, 16384};
  if (pattern == 0) {
    check(MPI_File_set_view(file, (MPI_Offset)bytes * rank, MPI_BYTE, MPI_BYTE, "native",
                            MPI_INFO_NULL),
          "MPI_File_set_view");
  } else if (pattern == 5) {
    cut_tiles(file, bytes);
  } else {
    deal(file, blocks[pattern], (int)(bytes / blocks[pattern]), pattern == 2);
  }
}
static const char* const names[] = {"one run",       "64 B in turn",   "64 B, one type",
                                    "1 KiB in turn", "16 KiB in turn", "tiles of 16 KiB rows"};

static double time_of(transfer* move, MPI_File file, unsigned char* data, long bytes) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  check(move(file, data, (int)(bytes / 8), MPI_DOUBLE), "a transfer");
  double mine = MPI_Wtime() - start, most = 0;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

static void measure(const char* path, int pattern, int together, long bytes, int rounds) {
  unsigned char* const data = (unsigned char*)malloc((size_t)bytes);
  unsigned char* const back = (unsigned char*)malloc((size_t)bytes);
  double first = 0, write = 1e9, read = 1e9;
  MPI_File file;
  for (long i = 0; i < bytes; ++i) data[i] = (unsigned char)(i * 7 + i / 251 + rank * 31);
  check(MPI_File_open(MPI_COMM_WORLD, path,
                      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file),
        "MPI_File_open");
  set_pattern(file, pattern, bytes);
  first = time_of(together ? write_together : write_alone, file, data, bytes);
  for (int i = 0; i < rounds; ++i) {
    double time = time_of(together ? write_together : write_alone, file, data, bytes);
    if (time < write) write = time;
    memset(back, 0, (size_t)bytes);
    time = time_of(together ? read_together : read_alone, file, back, bytes);
    if (time < read) read = time;
  }
  if (memcmp(data, back, (size_t)bytes) != 0) {
    fprintf(stderr, "file_patterns: rank %d: %s: other data come back\n", rank, names[pattern]);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  check(MPI_File_close(&file), "MPI_File_close");
  const double all = 1e-9 * (double)bytes * ranks;
  if (rank == 0)
    printf("%-22s %-12s %12.3f %12.3f %12.3f\n", names[pattern], together ? "collective" : "alone",
           all / first, all / write, all / read);
  fflush(stdout);
  free(data);
  free(back);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2) {
    if (rank == 0) fprintf(stderr, "usage: file_patterns FILE [MIB_PER_RANK [ROUNDS]]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const long bytes = (argc > 2 ? atol(argv[2]) : 32) << 20;
  const int rounds = argc > 3 ? atoi(argv[3]) : 5;
  if (rank == 0)
    printf("%d ranks, %ld MiB each; GB/s\n%-22s %-12s %12s %12s %12s\n", ranks, bytes >> 20,
           "pattern", "calls", "first write", "write", "read");
  for (int pattern = 0; pattern < 6; ++pattern)
    for (int together = 1; together >= 0; --together)
      measure(argv[1], pattern, together, bytes, rounds);
  MPI_Finalize();
  return 0;
}
