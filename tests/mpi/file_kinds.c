/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Short pieces of a file go through a mapping of it where that is quicker. Where it cannot be had
 * (no address space, no regular file) the same bytes are moved otherwise; and the file's time of
 * modification is that of the last write. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "../sanitized.h"
#include "files.h"

enum { kPiece = 32, kPieces = 40000, kMine = kPiece * kPieces };

static unsigned char data[2 * kMine], back[2 * kMine];
/* Every second piece of the memory, and this rank's pieces of the file. */
static MPI_Datatype memory_type, file_type;

static void make_types(void) {
  MPI_Datatype piece;
  OK(MPI_Type_vector(kPieces, kPiece, 2 * kPiece, MPI_BYTE, &memory_type));
  OK(MPI_Type_commit(&memory_type));
  OK(MPI_Type_contiguous(kPiece, MPI_BYTE, &piece));
  OK(MPI_Type_create_resized(piece, 0, (MPI_Aint)kPiece * (check_size + 1), &file_type));
  OK(MPI_Type_commit(&file_type));
  OK(MPI_Type_free(&piece));
}

static void set_view(MPI_File file) {
  OK(MPI_File_set_view(file, (MPI_Offset)kPiece * check_rank, MPI_BYTE, file_type, "native",
                       MPI_INFO_NULL));
}

static int pieces_are_same(void) {
  for (int i = 0; i < kPieces; ++i) {
    if (memcmp(data + 2 * kPiece * i, back + 2 * kPiece * i, kPiece) != 0) return 0;
  }
  return 1;
}

/* From now on this process gets no more address space than it has, and so many bytes. */
static struct rlimit limit_memory(long more) {
  struct rlimit before, limit;
  long pages = 0;
  FILE* sizes = fopen("/proc/self/statm", "r");
  CHECK(sizes != NULL && fscanf(sizes, "%ld", &pages) == 1);
  fclose(sizes);
  CHECK(getrlimit(RLIMIT_AS, &before) == 0);
  limit = before;
  limit.rlim_cur = (rlim_t)(pages * sysconf(_SC_PAGESIZE) + more);
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
  return before;
}

/* Some memory that is free without asking the system for it, in parts that are too short for
 * data. */
static void free_short_parts(void) {
  enum { kParts = 64, kShort = 4096 };
  void* parts[2 * kParts];
  for (int i = 0; i < 2 * kParts; ++i) parts[i] = malloc(kShort);
  for (int i = 0; i < 2 * kParts; i += 2) free(parts[i]);
}

/* Each rank by itself: what they do together needs memory of its own. */
static void with_little_memory(long more) {
  MPI_Status written, read;
  MPI_File file = files_new("kinds");
  set_view(file);
  check_fill(data, sizeof data, (uint64_t)(check_rank + more));
  memset(back, 0, sizeof back);
  free_short_parts();
  const struct rlimit before = limit_memory(more);
  const int write_code = MPI_File_write_at(file, 0, data, 1, memory_type, &written);
  const int read_code = MPI_File_read_at(file, 0, back, 1, memory_type, &read);
  CHECK(setrlimit(RLIMIT_AS, &before) == 0);
  OK(write_code);
  OK(read_code);
  CHECK(files_count(&written, MPI_BYTE) == kMine && files_count(&read, MPI_BYTE) == kMine);
  CHECK(pieces_are_same());
  /* Of the whole, with memory enough. */
  memset(back, 0, sizeof back);
  OK(MPI_File_read_at_all(file, 0, back, 1, memory_type, &read));
  CHECK(files_count(&read, MPI_BYTE) == kMine && pieces_are_same());
  OK(MPI_File_close(&file));
}

static MPI_File open_alone(const char* path, int mode) {
  MPI_File file;
  OK(MPI_File_open(MPI_COMM_SELF, path, mode, MPI_INFO_NULL, &file));
  set_view(file);
  return file;
}

static void devices(void) {
  MPI_Status status;
  MPI_Offset size = -1;
  MPI_File file = open_alone("/dev/null", MPI_MODE_RDWR);
  OK(MPI_File_write_at(file, 0, data, 1, memory_type, &status));
  CHECK(files_count(&status, MPI_BYTE) == kMine);
  OK(MPI_File_read_at(file, 0, back, 1, memory_type, &status));
  CHECK(files_count(&status, MPI_BYTE) == 0);
  OK(MPI_File_get_size(file, &size));
  CHECK(size == 0);
  OK(MPI_File_sync(file));
  OK(MPI_File_close(&file));
  file = open_alone("/dev/zero", MPI_MODE_RDWR);
  memset(data, 1, sizeof data);
  memset(back, 1, sizeof back);
  OK(MPI_File_write_at(file, 0, data, 1, memory_type, &status));
  CHECK(files_count(&status, MPI_BYTE) == kMine);
  OK(MPI_File_read_at(file, 0, back, 1, memory_type, &status));
  CHECK(files_count(&status, MPI_BYTE) == kMine);
  memset(data, 0, sizeof data);
  CHECK(pieces_are_same());
  OK(MPI_File_close(&file));
}

static int class_of_open(const char* path, int mode) {
  MPI_File file;
  return check_class_of(MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file));
}

/* Nobody has the other end of the FIFO. */
static void no_files(void) {
  static const int kModes[] = {MPI_MODE_RDONLY, MPI_MODE_WRONLY, MPI_MODE_RDWR};
  const char* const path = files_path("fifo");
  if (check_rank == 0) CHECK(mkfifo(path, 0600) == 0);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  for (int i = 0; i < 3; ++i) {
    CHECK(class_of_open(path, kModes[i]) == MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK(class_of_open("/", kModes[i]) == MPI_ERR_BAD_FILE);
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == 0) unlink(path);
}

static void make_old(const char* path) {
  static const struct timespec kTimes[2] = {{1000000000, 0}, {1000000000, 0}};
  if (check_rank == 0) CHECK(utimensat(AT_FDCWD, path, kTimes, 0) == 0);
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

static int is_old(const char* path) {
  struct stat now;
  CHECK(stat(path, &now) == 0);
  return now.st_mtim.tv_sec == 1000000000;
}

/* The pages are there from the first write on, so nothing but the library's doing changes it. */
static void times(int is_collective) {
  MPI_File file;
  const char* const path = files_path("times");
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  set_view(file);
  for (int i = 0; i < 2; ++i) {
    OK(MPI_File_write_at_all(file, 0, data, 1, memory_type, MPI_STATUS_IGNORE));
    OK(MPI_File_sync(file));
    make_old(path);
    CHECK(is_old(path));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (is_collective) {
      OK(MPI_File_write_at_all(file, 0, data, 1, memory_type, MPI_STATUS_IGNORE));
    } else {
      OK(MPI_File_write_at(file, 0, data, 1, memory_type, MPI_STATUS_IGNORE));
    }
    if (i == 0) {
      OK(MPI_File_sync(file));
    } else {
      OK(MPI_File_close(&file));
    }
    CHECK(!is_old(path));
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  if (check_rank == 0) unlink(path);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  make_types();
  if (!kSanitized) {
    with_little_memory(16L << 20); /* too little for a mapping */
    with_little_memory(0);
  }
  devices();
  no_files();
  times(0);
  times(1);
  OK(MPI_Type_free(&memory_type));
  OK(MPI_Type_free(&file_type));
  return check_end("file_kinds");
}
