/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Writes that the system refuses, in every form: class and words, the same at all members of a
 * collective call, and true counts; and handlers that change the error. A process may be given a
 * limit of the size of files, and /dev/full is a full disk. */
#include <signal.h>
#include <sys/resource.h>

#include "files.h"

enum { kBytes = 100000, kRoom = 30000 };
/* Beyond what MPI itself needs of files; the one written to has a hole up to there. */
static const MPI_Offset limit_at = (MPI_Offset)4 << 30;

static char buffer[kBytes];

/* Files that this process opens from now on end there. */
static void limit_files(rlim_t bytes) {
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

/* What is said is the same at all ranks, and names this rank, the file and the byte. */
static void check_words(int code, int error_class, const char* path, long byte, int rank) {
  char words[MPI_MAX_ERROR_STRING] = "", first[MPI_MAX_ERROR_STRING];
  char expected[64];
  int length = 0;
  CHECK(check_class_of(code) == error_class);
  OK(MPI_Error_string(code, words, &length));
  memcpy(first, words, sizeof first);
  OK(MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD));
  CHECK(strcmp(first, words) == 0);
  snprintf(expected, sizeof expected, "rank %d, ", rank);
  CHECK(strstr(words, expected) != NULL);
  CHECK(strstr(words, path) != NULL);
  snprintf(expected, sizeof expected, "at byte %ld", byte);
  CHECK(strstr(words, expected) != NULL);
}

/* Only the last rank is limited; all hear of it. */
static void limited(void) {
  MPI_File file;
  MPI_Status status;
  MPI_Request request;
  char path[kPathBytes];
  const int last = check_size - 1;
  const MPI_Offset start = limit_at - kRoom;
  strcpy(path, files_path("limited"));
  if (check_rank == last) limit_files((rlim_t)limit_at);
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                   MPI_INFO_NULL, &file));
  const int written = check_rank == last ? kRoom : kBytes;
  for (int form = 0; form < 4; ++form) {
    int code = MPI_SUCCESS;
    memset(&status, 0, sizeof status);
    switch (form) {
      case 0:
        code = MPI_File_write_at_all(file, start, buffer, kBytes, MPI_BYTE, &status);
        break;
      case 1:
        OK(MPI_File_iwrite_at_all(file, start, buffer, kBytes, MPI_BYTE, &request));
        code = MPI_Wait(&request, &status);
        CHECK(request == MPI_REQUEST_NULL);
        break;
      case 2:
        OK(MPI_File_write_at_all_begin(file, start, buffer, kBytes, MPI_BYTE));
        code = MPI_File_write_at_all_end(file, buffer, &status);
        break;
      default:
        OK(MPI_File_seek(file, start, MPI_SEEK_SET));
        code = MPI_File_write_all(file, buffer, kBytes, MPI_BYTE, &status);
        break;
    }
    CHECK(files_count(&status, MPI_BYTE) == written);
    check_words(code, MPI_ERR_IO, path, (long)limit_at, last);
  }
  /* alone it is this rank's error, and nobody else's */
  int code = MPI_File_write_at(file, start + 10, buffer, kBytes, MPI_BYTE, &status);
  CHECK(check_class_of(code) == (check_rank == last ? MPI_ERR_IO : MPI_SUCCESS));
  CHECK(files_count(&status, MPI_BYTE) == (check_rank == last ? kRoom - 10 : kBytes));
  OK(MPI_File_iwrite_at(file, start + 10, buffer, kBytes, MPI_BYTE, &request));
  MPI_Status statuses[1];
  code = MPI_Waitall(1, &request, statuses);
  CHECK(check_class_of(code) == (check_rank == last ? MPI_ERR_IN_STATUS : MPI_SUCCESS));
  if (check_rank == last) CHECK(check_class_of(statuses[0].MPI_ERROR) == MPI_ERR_IO);
  /* the file goes on after errors */
  OK(MPI_File_write_at_all(file, start, buffer, 100, MPI_BYTE, &status));
  OK(MPI_File_close(&file));
  if (check_rank == last) limit_files(RLIM_INFINITY);
}

static void full(void) {
  MPI_File file;
  MPI_Status status;
  MPI_Request request;
  if (access("/dev/full", W_OK) != 0) return;
  OK(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
  check_words(MPI_File_write_at_all(file, 5, buffer, kBytes, MPI_BYTE, &status), MPI_ERR_NO_SPACE,
              "/dev/full", 5, 0);
  CHECK(files_count(&status, MPI_BYTE) == 0);
  OK(MPI_File_iwrite(file, buffer, kBytes, MPI_BYTE, &request));
  EXPECT(MPI_ERR_NO_SPACE, "No space left", MPI_Wait(&request, &status));
  CHECK(files_count(&status, MPI_BYTE) == 0);
  OK(MPI_File_iwrite_all(file, buffer, kBytes, MPI_BYTE, &request));
  int flag = 0, code = MPI_SUCCESS;
  while (!flag) code = MPI_Test(&request, &flag, &status);
  CHECK(check_class_of(code) == MPI_ERR_NO_SPACE);
  EXPECT(MPI_ERR_NO_SPACE, "No space left",
         MPI_File_write_ordered(file, buffer, kBytes, MPI_BYTE, &status));
  OK(MPI_File_close(&file));
}

static int handled_code, code_to_be;
static void change_code(MPI_File* file, int* code, ...) {
  (void)file;
  handled_code = *code;
  *code = code_to_be;
}

/* A handler changes the error that its call returns, but no error to success; that of MPI_FILE_NULL
 * is the one of opening. */
static void changed(void) {
  MPI_Errhandler handler;
  MPI_File file = MPI_FILE_NULL;
  const char* path = files_path("nowhere");
  OK(MPI_File_create_errhandler(change_code, &handler));
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
  OK(MPI_Errhandler_free(&handler));
  code_to_be = MPI_ERR_OTHER;
  CHECK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_ERR_OTHER);
  CHECK(check_class_of(handled_code) == MPI_ERR_NO_SUCH_FILE && file == MPI_FILE_NULL);
  code_to_be = MPI_SUCCESS;
  int code = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  CHECK(check_class_of(code) == MPI_ERR_NO_SUCH_FILE && file == MPI_FILE_NULL);
  code = MPI_File_read(MPI_FILE_NULL, buffer, 1, MPI_BYTE, MPI_STATUS_IGNORE);
  CHECK(check_class_of(code) == MPI_ERR_FILE);
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  check_fill(buffer, kBytes, 1);
  limited();
  full();
  changed();
  return check_end("file_errors");
}
