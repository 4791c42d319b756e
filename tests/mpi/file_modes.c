/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Opening and closing files, access modes, sizes, and whom errors go to. */
#include <errno.h>
#include <sys/stat.h>

#include "files.h"

static void bad_modes(void) {
  static const int kBad[] = {0,
                             MPI_MODE_CREATE,
                             MPI_MODE_RDONLY | MPI_MODE_RDWR,
                             MPI_MODE_RDONLY | MPI_MODE_WRONLY,
                             MPI_MODE_RDONLY | MPI_MODE_CREATE,
                             MPI_MODE_RDONLY | MPI_MODE_EXCL,
                             MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL,
                             MPI_MODE_RDWR | 1 << 20};
  MPI_File file;
  const char* path = files_path("bad");
  for (size_t i = 0; i < sizeof kBad / sizeof *kBad; ++i) {
    FAILS(MPI_ERR_AMODE, MPI_File_open(MPI_COMM_WORLD, path, kBad[i], MPI_INFO_NULL, &file));
    CHECK(file == MPI_FILE_NULL);
  }
  CHECK(access(path, F_OK) != 0);
  if (check_size == 1) return;
  /* all ranks hear of one rank's mode, and of modes that differ */
  EXPECT(MPI_ERR_AMODE, "exactly one",
         MPI_File_open(MPI_COMM_WORLD, path, check_rank == check_size - 1 ? 0 : MPI_MODE_RDWR,
                       MPI_INFO_NULL, &file));
  EXPECT(MPI_ERR_NOT_SAME, "amode",
         MPI_File_open(MPI_COMM_WORLD, path,
                       MPI_MODE_CREATE | (check_rank == 0 ? MPI_MODE_RDWR : MPI_MODE_WRONLY),
                       MPI_INFO_NULL, &file));
  CHECK(access(path, F_OK) != 0);
}

static void created_and_deleted(void) {
  MPI_File file;
  int amode = 0;
  MPI_Group group, world;
  int same = 0;
  char path[kPathBytes];
  strcpy(path, files_path("made"));
  FAILS(MPI_ERR_NO_SUCH_FILE,
        MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL,
                   MPI_INFO_NULL, &file));
  OK(MPI_File_get_amode(file, &amode));
  CHECK(amode == (MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL));
  OK(MPI_File_get_group(file, &group));
  OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
  OK(MPI_Group_compare(group, world, &same));
  CHECK(same == MPI_IDENT);
  OK(MPI_Group_free(&group));
  OK(MPI_Group_free(&world));
  CHECK(MPI_File_f2c(MPI_File_c2f(file)) == file);
  OK(MPI_File_close(&file));
  CHECK(file == MPI_FILE_NULL);
  EXPECT(MPI_ERR_FILE_EXISTS, "MPI_MODE_EXCL",
         MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL,
                       MPI_INFO_NULL, &file));
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                   &file));
  CHECK(access(path, F_OK) == 0);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_File_close(&file));
  CHECK(access(path, F_OK) != 0);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  /* a prefix names a kind of file system, for ROMIO's sake */
  char prefixed[kPathBytes + 8];
  snprintf(prefixed, sizeof prefixed, "ufs:%s", path);
  OK(MPI_File_open(MPI_COMM_WORLD, prefixed, MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL,
                   &file));
  OK(MPI_File_close(&file));
  CHECK(access(path, F_OK) == 0);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == 0) {
    OK(MPI_File_delete(prefixed, MPI_INFO_NULL));
    FAILS(MPI_ERR_NO_SUCH_FILE, MPI_File_delete(path, MPI_INFO_NULL));
  }
}

/* One rank that cannot open is everybody's error, in its words, and nobody waits for ever. */
static void one_fails(void) {
  MPI_File file;
  char path[kPathBytes], other[kPathBytes];
  if (check_size == 1) return;
  strcpy(path, files_path("one"));
  strcpy(other, files_path("other"));
  const int last = check_rank == check_size - 1;
  EXPECT(MPI_ERR_NO_SUCH_FILE, other,
         MPI_File_open(MPI_COMM_WORLD, last ? other : path, MPI_MODE_RDWR | MPI_MODE_CREATE,
                       MPI_INFO_NULL, &file));
  char words[MPI_MAX_ERROR_STRING];
  char expected[32];
  int length = 0;
  OK(MPI_Error_string(MPI_ERR_NO_SUCH_FILE, words, &length));
  snprintf(expected, sizeof expected, "rank %d", check_size - 1);
  CHECK(strstr(words, expected) != NULL);
  /* the first fails alone */
  FAILS(MPI_ERR_NO_SUCH_FILE, MPI_File_open(MPI_COMM_WORLD, check_rank == 0 ? other : path,
                                            MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  /* two files under two names */
  if (check_rank == 0) fclose(fopen(other, "w"));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_local_size() == check_size) {
    EXPECT(MPI_ERR_NOT_SAME, "two different files",
           MPI_File_open(MPI_COMM_WORLD, last ? other : path, MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    /* one file under two names is fine */
    char link_name[kPathBytes + 8];
    snprintf(link_name, sizeof link_name, "%s.link", path);
    if (check_rank == 0) CHECK(link(path, link_name) == 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_open(MPI_COMM_WORLD, last ? link_name : path, MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    OK(MPI_File_close(&file));
    if (check_rank == 0) unlink(link_name);
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == 0) {
    unlink(path);
    unlink(other);
  }
  /* a folder */
  FAILS(MPI_ERR_BAD_FILE,
        MPI_File_open(MPI_COMM_WORLD, "/tmp", MPI_MODE_RDWR, MPI_INFO_NULL, &file));
}

/* Calls that the mode forbids. */
static void forbidden(void) {
  MPI_File file;
  char path[kPathBytes];
  int value = 7;
  MPI_Offset offset = 0;
  strcpy(path, files_path("forbidden"));
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
  FAILS(MPI_ERR_ACCESS, MPI_File_read(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  FAILS(MPI_ERR_ACCESS, MPI_File_read_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  OK(MPI_File_close(&file));
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  FAILS(MPI_ERR_READ_ONLY, MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  FAILS(MPI_ERR_READ_ONLY, MPI_File_write_shared(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  FAILS(MPI_ERR_READ_ONLY, MPI_File_set_size(file, 100));
  FAILS(MPI_ERR_READ_ONLY, MPI_File_preallocate(file, 100));
  OK(MPI_File_close(&file));
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL,
                   &file));
  FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  FAILS(MPI_ERR_UNSUPPORTED_OPERATION,
        MPI_File_write_at_all(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_seek(file, 0, MPI_SEEK_SET));
  FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_get_position_shared(file, &offset));
  FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_set_size(file, 100));
  FAILS(MPI_ERR_ARG, MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  OK(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  value = check_rank;
  OK(MPI_File_write_ordered(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  OK(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_BYTE, MPI_BYTE, "native",
                       MPI_INFO_NULL));
  OK(MPI_File_write_ordered(file, &value, 4, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_close(&file));
  long size = 0;
  unsigned char* bytes = files_bytes(path, &size);
  CHECK(size == 8L * check_size);
  for (int i = 0; i < 2 * check_size && size == 8L * check_size; ++i) {
    memcpy(&value, bytes + 4 * i, 4);
    CHECK(value == i % check_size);
  }
  free(bytes);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == 0) OK(MPI_File_delete(path, MPI_INFO_NULL));
}

static void sizes(void) {
  MPI_File file = files_new("sizes");
  MPI_Offset size = -1, position = -1;
  OK(MPI_File_get_size(file, &size));
  CHECK(size == 0);
  OK(MPI_File_set_size(file, 12345));
  OK(MPI_File_get_size(file, &size));
  CHECK(size == 12345);
  OK(MPI_File_preallocate(file, 4000)); /* never shrinks */
  OK(MPI_File_get_size(file, &size));
  CHECK(size == 12345);
  OK(MPI_File_preallocate(file, 100000));
  OK(MPI_File_get_size(file, &size));
  CHECK(size == 100000);
  OK(MPI_File_set_size(file, 77));
  OK(MPI_File_get_size(file, &size));
  CHECK(size == 77);
  OK(MPI_File_get_position(file, &position));
  CHECK(position == 0);
  FAILS(MPI_ERR_ARG, MPI_File_set_size(file, -1));
  if (check_size > 1) EXPECT(MPI_ERR_NOT_SAME, "size", MPI_File_set_size(file, 10 + check_rank));
  OK(MPI_File_sync(file));
  OK(MPI_File_close(&file));
}

static void appended(void) {
  MPI_File file;
  char path[kPathBytes];
  MPI_Offset position = -1;
  char byte = 'x';
  strcpy(path, files_path("append"));
  if (check_rank == 0) {
    FILE* made = fopen(path, "w");
    fputs("0123456789", made);
    fclose(made);
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_File_open(MPI_COMM_WORLD, path,
                   MPI_MODE_WRONLY | MPI_MODE_APPEND | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                   &file));
  OK(MPI_File_get_position(file, &position));
  CHECK(position == 10);
  OK(MPI_File_get_position_shared(file, &position));
  CHECK(position == 10);
  OK(MPI_File_write_ordered(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_get_size(file, &position));
  CHECK(position == 10 + check_size);
  OK(MPI_File_close(&file));
}

static int file_errors, class_of_error;
static MPI_File file_of_error;
static void note_error(MPI_File* file, int* code, ...) {
  ++file_errors;
  file_of_error = *file;
  class_of_error = check_class_of(*code);
}

/* Errors of open and delete are those of MPI_FILE_NULL, whose handler new files inherit. */
static void handlers(void) {
  MPI_File file = MPI_FILE_NULL;
  MPI_Errhandler mine, found;
  OK(MPI_File_get_errhandler(MPI_FILE_NULL, &found));
  CHECK(found == MPI_ERRORS_RETURN);
  OK(MPI_File_create_errhandler(note_error, &mine));
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, mine));
  file_errors = 0;
  FAILS(MPI_ERR_NO_SUCH_FILE,
        MPI_File_open(MPI_COMM_WORLD, files_path("none"), MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  CHECK(file_errors == 1 && file_of_error == MPI_FILE_NULL);
  CHECK(class_of_error == MPI_ERR_NO_SUCH_FILE);
  FAILS(MPI_ERR_NO_SUCH_FILE, MPI_File_delete(files_path("none"), MPI_INFO_NULL));
  CHECK(file_errors == 2 && file_of_error == MPI_FILE_NULL);
  FAILS(MPI_ERR_COMM,
        MPI_File_open(MPI_COMM_NULL, "/tmp/x", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  CHECK(file_errors == 3 && file_of_error == MPI_FILE_NULL);
  file = files_new("handler");
  FAILS(MPI_ERR_ARG, MPI_File_seek(file, -1, MPI_SEEK_SET));
  CHECK(file_errors == 4 && file_of_error == file);
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  OK(MPI_File_set_errhandler(file, MPI_ERRORS_RETURN));
  OK(MPI_Errhandler_free(&mine));
  FAILS(MPI_ERR_ARG, MPI_File_seek(file, -1, MPI_SEEK_SET));
  CHECK(file_errors == 4);
  MPI_File closed = file;
  OK(MPI_File_close(&closed));
  FAILS(MPI_ERR_FILE, MPI_File_sync(MPI_FILE_NULL));
}

static void hints(void) {
  MPI_File file;
  MPI_Info info, used;
  char value[64];
  int flag = 0, length = sizeof value;
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "cb_nodes", "1"));
  OK(MPI_Info_set(info, "file_perm", "0600"));
  OK(MPI_Info_set(info, "nobody_knows_this", "at all"));
  OK(MPI_File_open(MPI_COMM_WORLD, files_path("hints"),
                   MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file));
  OK(MPI_File_get_info(file, &used));
  OK(MPI_Info_get_string(used, "cb_nodes", &length, value, &flag));
  CHECK(flag && strcmp(value, "1") == 0);
  length = sizeof value;
  OK(MPI_Info_get_string(used, "romio_visibility_immediate", &length, value, &flag));
  CHECK(flag);
  OK(MPI_Info_free(&used));
  OK(MPI_Info_set(info, "ind_rd_buffer_size", "65536"));
  OK(MPI_File_set_info(file, info));
  OK(MPI_File_get_info(file, &used));
  length = sizeof value;
  OK(MPI_Info_get_string(used, "ind_rd_buffer_size", &length, value, &flag));
  CHECK(flag && strcmp(value, "65536") == 0);
  OK(MPI_Info_free(&used));
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native",
                       check_rank == 0 ? info : MPI_INFO_NULL));
  OK(MPI_Info_free(&info));
  OK(MPI_File_close(&file));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  bad_modes();
  created_and_deleted();
  one_fails();
  forbidden();
  sizes();
  appended();
  handlers();
  hints();
  return check_end("file_modes");
}
