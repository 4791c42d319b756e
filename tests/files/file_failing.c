/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Errors that storage makes up, on a file system with faults (faulty_mount): class and words, the
 * same at all members of a collective call; counts that are true; bytes that are there; and that a
 * file goes on afterwards. Runs in a folder of that file system, which TMPDIR names. */
#include <fcntl.h>
#include <stdbool.h>

#include "tests/mpi/files.h"

enum { kPart = 100000, kBlock = 100 };

static uint64_t rng;
static unsigned char mine[kPart];

static unsigned char byte_at(int rank, int index) {
  return (unsigned char)(rank * 37 + index * 11 + index / 256);
}

/* By one rank, between two barriers. */
static void tell_faults(const char* words) {
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == 0) {
    char path[kPathBytes];
    snprintf(path, sizeof path, "%s/.faults", getenv("TMPDIR"));
    const int control = open(path, O_WRONLY);
    CHECK(control >= 0);
    CHECK(write(control, words, strlen(words)) == (ssize_t)strlen(words));
    close(control);
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* The same words at all ranks, with these in them. */
static void check_words(int code, int error_class, const char* path, const char* reason) {
  char words[MPI_MAX_ERROR_STRING] = "", first[MPI_MAX_ERROR_STRING];
  int length = 0;
  CHECK(check_class_of(code) == error_class);
  OK(MPI_Error_string(code, words, &length));
  memcpy(first, words, sizeof first);
  OK(MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD));
  CHECK(strcmp(first, words) == 0);
  CHECK(strstr(words, path) != NULL && strstr(words, reason) != NULL &&
        strstr(words, "rank ") != NULL);
  if (check_failures != 0) fprintf(stderr, "rank %d: the words: %s\n", check_rank, words);
}

static long sum_of(long value) {
  long all = 0;
  OK(MPI_Allreduce(&value, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
  return all;
}

/* Rank by rank, or in blocks dealt to the ranks in turn. */
static void see(MPI_File file, bool dealt) {
  MPI_Datatype type, block;
  if (!dealt) {
    OK(MPI_File_set_view(file, (MPI_Offset)check_rank * kPart, MPI_BYTE, MPI_BYTE, "native",
                         MPI_INFO_NULL));
    return;
  }
  OK(MPI_Type_contiguous(kBlock, MPI_BYTE, &block));
  OK(MPI_Type_create_resized(block, 0, (MPI_Aint)kBlock * check_size, &type));
  OK(MPI_Type_commit(&type));
  OK(MPI_File_set_view(file, (MPI_Offset)check_rank * kBlock, MPI_BYTE, type, "native",
                       MPI_INFO_NULL));
  OK(MPI_Type_free(&type));
  OK(MPI_Type_free(&block));
}

static MPI_File open_file(const char* path) {
  MPI_File file;
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                   MPI_INFO_NULL, &file));
  return file;
}

enum { kBlocking, kNonblocking, kSplit, kForms };

static int write_in_form(MPI_File file, int form, MPI_Status* status) {
  MPI_Request request;
  switch (form) {
    case kBlocking:
      return MPI_File_write_at_all(file, 0, mine, kPart, MPI_BYTE, status);
    case kNonblocking:
      OK(MPI_File_iwrite_at_all(file, 0, mine, kPart, MPI_BYTE, &request));
      return MPI_Wait(&request, status);
    default:
      OK(MPI_File_write_at_all_begin(file, 0, mine, kPart, MPI_BYTE));
      return MPI_File_write_at_all_end(file, mine, status);
  }
}

/* Bytes of this rank that its status counts are in the file. */
static void check_written(MPI_File file, int bytes) {
  static unsigned char back[kPart];
  MPI_Status status;
  memset(back, 0, sizeof back);
  OK(MPI_File_read_at(file, 0, back, bytes, MPI_BYTE, &status));
  CHECK(files_count(&status, MPI_BYTE) == bytes);
  CHECK(memcmp(back, mine, (size_t)bytes) == 0);
}

/* No room, or something broken, in the middle of a write of all. */
static void stopped_writes(const char* fault, int error_class, const char* reason, bool dealt) {
  for (int form = 0; form < kForms; ++form) {
    char path[kPathBytes], words[64];
    MPI_Status status;
    strcpy(path, files_path("stopped"));
    MPI_File file = open_file(path);
    see(file, dealt);
    /* drawn by all, so that all draw the same */
    const long room = 1 + (long)(check_next(&rng) % (uint64_t)((long)kPart * check_size - 1));
    snprintf(words, sizeof words, "%s=%ld", fault, room);
    tell_faults(words);
    memset(&status, 0, sizeof status);
    const int code = write_in_form(file, form, &status);
    check_words(code, error_class, path, reason);
    const int count = files_count(&status, MPI_BYTE);
    CHECK(count >= 0 && count <= kPart);
    CHECK(sum_of(count) < (long)kPart * check_size);
    tell_faults("seed=1");
    check_written(file, count);
    /* and it goes on */
    OK(write_in_form(file, form, &status));
    CHECK(files_count(&status, MPI_BYTE) == kPart);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    check_written(file, kPart);
    OK(MPI_File_close(&file));
  }
}

static void stopped_alone(void) {
  char path[kPathBytes];
  MPI_Status status;
  strcpy(path, files_path("alone"));
  MPI_File file = open_file(path);
  see(file, false);
  tell_faults("enospc=0");
  const int code = MPI_File_write_at(file, 0, mine, kPart, MPI_BYTE, &status);
  CHECK(check_class_of(code) == MPI_ERR_NO_SPACE);
  CHECK(files_count(&status, MPI_BYTE) == 0);
  EXPECT(MPI_ERR_NO_SPACE, "No space left",
         MPI_File_preallocate(file, (MPI_Offset)kPart * check_size));
  tell_faults("seed=1");
  OK(MPI_File_write_at(file, 0, mine, kPart, MPI_BYTE, &status));
  OK(MPI_File_close(&file));
}

static void stopped_reads(bool dealt) {
  char path[kPathBytes], words[64];
  static unsigned char back[kPart];
  MPI_Status status;
  strcpy(path, files_path("read"));
  MPI_File file = open_file(path);
  see(file, dealt);
  OK(MPI_File_write_at_all(file, 0, mine, kPart, MPI_BYTE, &status));
  const long bad = (long)(check_next(&rng) % (uint64_t)((long)kPart * check_size));
  snprintf(words, sizeof words, "eio_read=%ld", bad);
  tell_faults(words);
  check_words(MPI_File_read_at_all(file, 0, back, kPart, MPI_BYTE, &status), MPI_ERR_IO, path,
              "Input/output error");
  const int count = files_count(&status, MPI_BYTE);
  CHECK(count >= 0 && count <= kPart && memcmp(back, mine, (size_t)count) == 0);
  CHECK(sum_of(count) < (long)kPart * check_size);
  tell_faults("seed=1");
  OK(MPI_File_read_at_all(file, 0, back, kPart, MPI_BYTE, &status));
  CHECK(memcmp(back, mine, kPart) == 0);
  OK(MPI_File_close(&file));
}

static void failing_syncs(void) {
  char path[kPathBytes];
  strcpy(path, files_path("sync"));
  MPI_File file = open_file(path);
  see(file, false);
  OK(MPI_File_write_at_all(file, 0, mine, kPart, MPI_BYTE, MPI_STATUS_IGNORE));
  tell_faults("fsync=1");
  check_words(MPI_File_sync(file), MPI_ERR_IO, path, "Input/output error");
  OK(MPI_File_sync(file));
  OK(MPI_File_write_at_all(file, 0, mine, kPart, MPI_BYTE, MPI_STATUS_IGNORE));
  /* what is not coherent between hosts is written back when it is closed */
  tell_faults("fsync=1");
  check_words(MPI_File_close(&file), MPI_ERR_IO, path, "Input/output error");
  tell_faults("flush=1");
  file = open_file(path);
  check_words(MPI_File_close(&file), MPI_ERR_IO, path, "Input/output error");
  tell_faults("seed=1");
  /* the error took nothing away: the file is deleted all the same */
  OK(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(access(path, F_OK) != 0);
}

/* Whoever fails, all hear of it, and nobody waits for long. */
static void failing_opens(void) {
  for (int which = 1; which <= check_size; ++which) {
    char path[kPathBytes], words[64];
    MPI_File file;
    strcpy(path, files_path("open"));
    file = open_file(path);
    OK(MPI_File_close(&file));
    snprintf(words, sizeof words, "open=%d", which);
    tell_faults(words);
    check_words(
        MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
        MPI_ERR_ACCESS, path, "Permission denied");
    CHECK(file == MPI_FILE_NULL);
    tell_faults("seed=1");
    OK(MPI_File_open(MPI_COMM_WORLD, path,
                     MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &file));
    OK(MPI_File_close(&file));
  }
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  if (getenv("TMPDIR") == NULL) {
    fprintf(stderr, "file_failing: TMPDIR must name a folder of faulty_mount\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  rng = check_seed("file_failing");
  for (int i = 0; i < kPart; ++i) mine[i] = byte_at(check_rank, i);
  for (int dealt = 0; dealt < 2; ++dealt) {
    stopped_writes("enospc", MPI_ERR_NO_SPACE, "No space left on device", dealt != 0);
    stopped_writes("edquot", MPI_ERR_QUOTA, "quota", dealt != 0);
    stopped_writes("eio_write", MPI_ERR_IO, "Input/output error", dealt != 0);
    stopped_reads(dealt != 0);
  }
  stopped_alone();
  failing_syncs();
  failing_opens();
  return check_end("file_failing");
}
