/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * How quickly all ranks together write and read one file, by patterns that programs have, with any
 * MPI:
 *
 *     mpirun -n RANKS file_patterns [OPTIONS] FILE
 *
 *     -p PATTERN,...               only these (file_cases.c)
 *     -c collective|independent    only these calls
 *     -m MIB                       of each rank, default 32
 *     -r ROUNDS                    at most so many writes and reads behind the first write, default
 * 5 -s SECONDS                   no other round of a pattern begins behind so many, default 10
 *
 * Lines of "pattern calls what figure unit": GB/s of all ranks of the first write into a new file,
 * of the best write into the file as it is then, and of the best read; the slowest rank counts.
 * What is read is checked. FILE is made, and goes at the end. Of nonblocking writes: microseconds
 * of the call and of the wait behind the computing, how much longer that took than alone, and what
 * all threads of the process computed besides. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "file_cases.h"

static struct file_options options;

/* A pattern that is being measured. */
struct run {
  const struct file_case* pattern;
  struct file_place place;
  int together;
  MPI_File file;
  unsigned char* data;
};

static void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char words[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, words, &length);
  fprintf(stderr, "file_patterns: %s: %s\n", what, words);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void say(const struct run* run, const char* what, double figure, const char* unit) {
  if (run->place.rank != 0) return;
  printf("%-20s %-12s %-12s %12.4f %s\n", run->pattern->name,
         run->together ? "collective" : "independent", what, figure, unit);
  fflush(stdout);
}

static void open_file(struct run* run, int mode) {
  check(
      MPI_File_open(MPI_COMM_WORLD, options.path, MPI_MODE_RDWR | mode, MPI_INFO_NULL, &run->file),
      "MPI_File_open");
}

static void set_view(struct run* run, MPI_Offset displacement, MPI_Datatype filetype) {
  check(MPI_File_set_view(run->file, displacement, MPI_BYTE, filetype, "native", MPI_INFO_NULL),
        "MPI_File_set_view");
}

/* ---------------------------------------------------------------- views */

/* Blocks dealt to the ranks in turn, `blocks` of them in the filetype; 1: it repeats. */
static MPI_Datatype dealt(long blocks, int block, int ranks) {
  MPI_Datatype type, one;
  if (blocks > 1) {
    MPI_Type_vector((int)blocks, block, block * ranks, MPI_BYTE, &type);
  } else {
    MPI_Type_contiguous(block, MPI_BYTE, &one);
    MPI_Type_create_resized(one, 0, (MPI_Aint)block * ranks, &type);
    MPI_Type_free(&one);
  }
  MPI_Type_commit(&type);
  return type;
}

static MPI_Datatype tile(const struct run* run) {
  int grid[2], sizes[2], parts[2], starts[2];
  MPI_Datatype type;
  file_tile_grid(run->place.ranks, grid);
  parts[0] = (int)file_pieces(run->pattern, &run->place);
  parts[1] = kTileRow;
  for (int i = 0; i < 2; ++i) sizes[i] = parts[i] * grid[i];
  starts[0] = run->place.rank / grid[1] * parts[0];
  starts[1] = run->place.rank % grid[1] * parts[1];
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  return type;
}

static void set_pattern(struct run* run) {
  const struct file_case* pattern = run->pattern;
  const struct file_place* place = &run->place;
  const int block = (int)pattern->block;
  MPI_Datatype type = MPI_BYTE;
  MPI_Offset displacement = 0;
  switch (pattern->shape) {
    case FILE_RUN:
      displacement = place->rank * (MPI_Offset)place->bytes;
      break;
    case FILE_DEALT:
    case FILE_ONE_TYPE:
      type = dealt(pattern->shape == FILE_DEALT ? 1 : file_pieces(pattern, place), block,
                   place->ranks);
      displacement = place->rank * (MPI_Offset)block;
      break;
    case FILE_TILES:
      type = tile(run);
      break;
    case FILE_OVERLAP:
      if (block != 8) type = dealt(1, block, place->ranks);
      displacement = place->rank * (MPI_Offset)(block != 8 ? block : place->bytes);
      break;
    default:
      return;
  }
  set_view(run, displacement, type);
  if (type != MPI_BYTE) MPI_Type_free(&type);
}

/* ---------------------------------------------------------------- data */

/* As many programs do, in doubles. */
static void transfer(const struct run* run, int writes, MPI_Offset offset, unsigned char* data,
                     long bytes) {
  const int count = (int)(bytes / 8);
  const MPI_Datatype type = MPI_DOUBLE;
  int code = 0;
  if (run->together)
    code = writes ? MPI_File_write_at_all(run->file, offset, data, count, type, MPI_STATUS_IGNORE)
                  : MPI_File_read_at_all(run->file, offset, data, count, type, MPI_STATUS_IGNORE);
  else
    code = writes ? MPI_File_write_at(run->file, offset, data, count, type, MPI_STATUS_IGNORE)
                  : MPI_File_read_at(run->file, offset, data, count, type, MPI_STATUS_IGNORE);
  check(code, writes ? "a write" : "a read");
}

/* What a library for files does around a data set: rank 0 writes what describes it, all ranks read
 * that. `last`: the first header once more, when the data are there. */
static void move_headers(const struct run* run, int writes, long set, int last) {
  unsigned char header[kHeaderRoom];
  if (writes && run->place.rank != 0) return;
  for (int i = 0; i < (last ? 1 : kHeaders); ++i) {
    const struct file_piece piece = file_header(run->pattern, &run->place, set, i);
    if (writes) file_fill(piece, header);
    check(writes ? MPI_File_write_at(run->file, piece.offset, header, (int)piece.length, MPI_BYTE,
                                     MPI_STATUS_IGNORE)
                 : MPI_File_read_at(run->file, piece.offset, header, (int)piece.length, MPI_BYTE,
                                    MPI_STATUS_IGNORE),
          "a header");
    if (!writes && file_wrong(piece, header) != 0) {
      fprintf(stderr, "file_patterns: rank %d: another header comes back\n", run->place.rank);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
}

static void move(const struct run* run, int writes, unsigned char* data) {
  const struct file_case* pattern = run->pattern;
  const int headers = pattern->shape == FILE_HEADERS;
  if (pattern->shape != FILE_SEGMENTS && !headers) {
    transfer(run, writes, 0, data, run->place.bytes);
    return;
  }
  const long pieces = file_pieces(pattern, &run->place);
  for (long i = 0; i < pieces; ++i) {
    const struct file_piece piece = file_piece(pattern, &run->place, i);
    if (headers) move_headers(run, writes, i, 0);
    transfer(run, writes, piece.offset, data + i * pattern->block, piece.length);
    if (headers && writes) move_headers(run, writes, i, 1);
  }
}

/* Seconds of the slowest rank, since each of them left the barrier. */
static double slowest(double start) {
  double mine = MPI_Wtime() - start, most = 0;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

static double time_of(const struct run* run, int writes, unsigned char* data) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  move(run, writes, data);
  return slowest(start);
}

static void measure_data(struct run* run) {
  const size_t bytes = (size_t)run->place.bytes;
  unsigned char* const back = (unsigned char*)malloc(bytes);
  double write = 1e9, read = 1e9, spent = 0;
  run->data = (unsigned char*)malloc(bytes);
  file_fill_all(run->pattern, &run->place, run->data);
  open_file(run, MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
  set_pattern(run);
  const double first = spent = time_of(run, 1, run->data);
  for (int i = 0; i < options.rounds && (i == 0 || spent < options.seconds); ++i) {
    const double writing = time_of(run, 1, run->data);
    memset(back, 0, bytes);
    const double reading = time_of(run, 0, back);
    if (writing < write) write = writing;
    if (reading < read) read = reading;
    spent += writing + reading;
  }
  if (file_wrong_in_all(run->pattern, &run->place, back) != 0) {
    fprintf(stderr, "file_patterns: rank %d: %s: other data come back\n", run->place.rank,
            run->pattern->name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  check(MPI_File_close(&run->file), "MPI_File_close");
  const double all = 1e-9 * (double)bytes * run->place.ranks;
  say(run, "first_write", all / first, "GB/s");
  say(run, "write", all / write, "GB/s");
  say(run, "read", all / read, "GB/s");
  free(run->data);
  free(back);
}

/* ---------------------------------------------------------------- single calls */

static void measure_shared(struct run* run) {
  unsigned char data[64];
  double least = 1e9, spent = 0;
  memset(data, run->place.rank + 1, sizeof data);
  open_file(run, MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
  /* The first batch makes the file. */
  for (int i = 0; i < 1 + 4 * options.rounds && (i < 2 || spent < options.seconds); ++i) {
    check(MPI_File_seek_shared(run->file, 0, MPI_SEEK_SET), "MPI_File_seek_shared");
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int call = 0; call < kSharedCalls; ++call)
      check(run->together
                ? MPI_File_write_ordered(run->file, data, 8, MPI_DOUBLE, MPI_STATUS_IGNORE)
                : MPI_File_write_shared(run->file, data, 8, MPI_DOUBLE, MPI_STATUS_IGNORE),
            "a write by the shared pointer");
    const double time = slowest(start);
    spent += time;
    if (i > 0 && time < least) least = time;
  }
  MPI_Offset size = 0;
  check(MPI_File_get_size(run->file, &size), "MPI_File_get_size");
  if (size != (MPI_Offset)kSharedCalls * 64 * run->place.ranks) {
    fprintf(stderr, "file_patterns: writes by the shared pointer made %lld bytes\n",
            (long long)size);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  check(MPI_File_close(&run->file), "MPI_File_close");
  say(run, "write", 1e6 * least / kSharedCalls, "us");
}

static void measure_open(struct run* run) {
  double least = 1e9, spent = 0;
  open_file(run, MPI_MODE_CREATE);
  check(MPI_File_close(&run->file), "MPI_File_close");
  for (int i = 0; i < 10 * options.rounds && (i == 0 || spent < options.seconds); ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    open_file(run, 0);
    check(MPI_File_close(&run->file), "MPI_File_close");
    const double time = slowest(start);
    spent += time;
    if (time < least) least = time;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (run->place.rank == 0) check(MPI_File_delete(options.path, MPI_INFO_NULL), "MPI_File_delete");
  MPI_Barrier(MPI_COMM_WORLD);
  say(run, "open_close", 1e6 * least, "us");
}

static void measure_view(struct run* run) {
  double least = 1e9, spent = 0;
  open_file(run, MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
  for (int i = 0; i < options.rounds && (i == 0 || spent < options.seconds); ++i) {
    MPI_Datatype type =
        dealt(16 << 20, 64, run->place.ranks); /* a new one, of which nobody knows */
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    set_view(run, 64 * run->place.rank, type);
    const double time = slowest(start);
    spent += time;
    if (time < least) least = time;
    MPI_Type_free(&type);
  }
  check(MPI_File_close(&run->file), "MPI_File_close");
  say(run, "set_view", 1e6 * least, "us");
}

/* ---------------------------------------------------------------- computing meanwhile */

/* Seconds of the processor that all threads of this process have had. */
static double processor_time(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* ... and this one alone. */
static double own_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Work for which nothing leaves the core; returns how long it took. */
static double compute(long turns) {
  static volatile double kept = 1;
  const double start = MPI_Wtime();
  double value = kept; /* read here: else the work may be done before the clock is looked at */
  for (long i = 0; i < turns; ++i) value = value * 0.999999 + 1e-6;
  kept = value;
  return MPI_Wtime() - start;
}

/* So much of it as takes so long. */
static long turns_of(double seconds) {
  long turns = 1 << 20;
  double least = compute(turns);
  for (int i = 0; i < 4; ++i) {
    const double time = compute(turns);
    if (time < least) least = time;
  }
  return (long)((double)turns * seconds / least);
}

/* What one write took besides the computing behind it. */
struct overlap {
  double call, wait, slower, processor;
};

static struct overlap write_and_compute(const struct run* run, long turns, double alone) {
  const int count = (int)(run->place.bytes / 8);
  struct overlap took;
  MPI_Request request;
  MPI_Barrier(MPI_COMM_WORLD);
  const double processor = processor_time();
  const double start = MPI_Wtime();
  check(run->together ? MPI_File_iwrite_at_all(run->file, 0, run->data, count, MPI_DOUBLE, &request)
                      : MPI_File_iwrite_at(run->file, 0, run->data, count, MPI_DOUBLE, &request),
        "a nonblocking write");
  took.call = MPI_Wtime() - start;
  const double computing = own_time();
  took.slower = compute(turns) - alone;
  const double computed = own_time() - computing;
  const double waits = MPI_Wtime();
  check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  took.wait = MPI_Wtime() - waits;
  took.processor = processor_time() - processor - computed;
  return took;
}

/* The round with the shortest wait of the rank that waits longest. */
static void measure_overlap(struct run* run) {
  const double seconds = 1e-6 * kOverlapMicroseconds * (double)run->place.bytes / (1 << 20);
  const long turns = turns_of(seconds);
  struct overlap best = {0, 1e9, 0, 0};
  double spent = 0;
  const double alone = compute(turns);
  run->data = (unsigned char*)malloc((size_t)run->place.bytes);
  memset(run->data, run->place.rank + 1, (size_t)run->place.bytes);
  open_file(run, MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
  set_pattern(run);
  transfer(run, 1, 0, run->data, run->place.bytes);
  for (int i = 0; i < options.rounds && (i < 2 || spent < options.seconds); ++i) {
    const struct overlap mine = write_and_compute(run, turns, alone);
    struct overlap most;
    MPI_Allreduce(&mine, &most, 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (most.wait < best.wait) best = most;
    spent += seconds;
  }
  check(MPI_File_close(&run->file), "MPI_File_close");
  say(run, "call", 1e6 * best.call, "us");
  say(run, "wait", 1e6 * best.wait, "us");
  say(run, "slower", 1e6 * best.slower, "us");
  say(run, "processor", 1e6 * best.processor, "us");
  free(run->data);
}

static void measure(const struct file_case* pattern, struct file_place place, int together) {
  struct run run = {pattern, place, together, MPI_FILE_NULL, NULL};
  run.place.bytes = file_bytes(pattern, options.mib << 20);
  if (place.rank == 0) unlink(options.path);
  MPI_Barrier(MPI_COMM_WORLD);
  switch (pattern->shape) {
    case FILE_SHARED:
      measure_shared(&run);
      break;
    case FILE_OPEN:
      if (together) measure_open(&run);
      break;
    case FILE_VIEW:
      if (together) measure_view(&run);
      break;
    case FILE_OVERLAP:
      measure_overlap(&run);
      break;
    default:
      measure_data(&run);
  }
}

int main(int argc, char** argv) {
  struct file_place place = {0, 1, 0};
  int count = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place.ranks);
  int right = file_parse(&options, argc, argv, place.rank == 0);
  MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
  const struct file_case* all = file_cases(&count);
  if (right && place.rank == 0)
    printf("# %d ranks, %ld MiB each\n# %-18s %-12s %-12s %12s unit\n", place.ranks, options.mib,
           "pattern", "calls", "what", "figure");
  for (int i = 0; right && i < count; ++i)
    for (int together = 1; together >= 0; --together)
      if (file_asked(options.patterns, all[i].name) &&
          file_asked(options.calls, together ? "collective" : "independent"))
        measure(&all[i], place, together);
  MPI_Finalize();
  return right ? 0 : 2;
}
