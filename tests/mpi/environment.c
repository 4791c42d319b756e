/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Error classes, codes and strings that the program adds; error handlers of all kinds of objects;
 * info about the program and the ABI; what may be called before MPI_Init and after MPI_Finalize, by
 * several threads at once. */
#include <pthread.h>

#include "check.h"

static int called;
static void on_comm_error(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  ++called;
}
static void on_file_error(MPI_File* file, int* code, ...) {
  CHECK(*file == MPI_FILE_NULL);
  (void)code;
  ++called;
}
static void on_win_error(MPI_Win* win, int* code, ...) {
  (void)win;
  (void)code;
}
static void on_session_error(MPI_Session* session, int* code, ...) {
  (void)session;
  (void)code;
}

static int class_of(int code) {
  int error_class = -1;
  OK(MPI_Error_class(code, &error_class));
  return error_class;
}

static const char* string_of(int code) {
  static char text[MPI_MAX_ERROR_STRING];
  int length = -1;
  OK(MPI_Error_string(code, text, &length));
  CHECK((int)strlen(text) == length);
  return text;
}

/* The value of a key, or "". */
static const char* value_of(MPI_Info info, const char* key) {
  static char value[MPI_MAX_INFO_VAL];
  int length = sizeof value, flag = 0;
  OK(MPI_Info_get_string(info, key, &length, value, &flag));
  return flag ? value : "";
}

static int last_used_code(void) {
  int *value = NULL, flag = 0;
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag));
  CHECK(flag);
  return flag ? *value : -1;
}

static void error_codes(void) {
  int mine, code, second, of_predefined, before = last_used_code();
  char longest[MPI_MAX_ERROR_STRING + 1];
  CHECK(before >= MPI_ERR_LASTCODE);
  OK(MPI_Add_error_class(&mine));
  CHECK(mine > MPI_ERR_LASTCODE && mine > before && last_used_code() == mine);
  OK(MPI_Add_error_code(mine, &code));
  CHECK(code > mine && last_used_code() == code);
  OK(MPI_Add_error_code(MPI_ERR_TAG, &of_predefined));
  OK(MPI_Add_error_code(mine, &second));
  CHECK(last_used_code() == second);
  CHECK(class_of(mine) == mine && class_of(code) == mine && class_of(second) == mine);
  CHECK(class_of(of_predefined) == MPI_ERR_TAG);
  CHECK(strcmp(string_of(mine), "") == 0 && strcmp(string_of(code), "") == 0);
  OK(MPI_Add_error_string(mine, "class of mine"));
  OK(MPI_Add_error_string(code, "old words"));
  OK(MPI_Add_error_string(code, "code of mine"));
  CHECK(strcmp(string_of(mine), "class of mine") == 0);
  CHECK(strcmp(string_of(code), "code of mine") == 0);
  memset(longest, 'e', sizeof longest);
  longest[MPI_MAX_ERROR_STRING - 1] = '\0';
  OK(MPI_Add_error_string(second, longest));
  CHECK(strcmp(string_of(second), longest) == 0);
  longest[MPI_MAX_ERROR_STRING - 1] = 'e';
  longest[MPI_MAX_ERROR_STRING] = '\0';
  EXPECT(MPI_ERR_ARG, "string", MPI_Add_error_string(second, longest));

  /* The handler gets the code as it is. */
  MPI_Errhandler handler;
  OK(MPI_Comm_create_errhandler(on_comm_error, &handler));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler));
  called = 0;
  OK(MPI_Comm_call_errhandler(MPI_COMM_SELF, code));
  CHECK(called == 1);
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  OK(MPI_Errhandler_free(&handler));

  EXPECT(MPI_ERR_ARG, "errorclass", MPI_Add_error_code(code, &second)); /* a code is no class */
  EXPECT(MPI_ERR_ARG, "errorclass", MPI_Add_error_code(1 << 30, &code));
  EXPECT(MPI_ERR_ARG, "errorcode", MPI_Add_error_code(mine, NULL));
  EXPECT(MPI_ERR_ARG, "errorclass", MPI_Add_error_class(NULL));
  EXPECT(MPI_ERR_ARG, "predefined", MPI_Add_error_string(MPI_ERR_COMM, "mine"));
  EXPECT(MPI_ERR_ARG, "string", MPI_Add_error_string(code, NULL));

  /* First the strings, then the codes, then the class. */
  EXPECT(MPI_ERR_ARG, "still has", MPI_Remove_error_class(mine));
  EXPECT(MPI_ERR_ARG, "string", MPI_Remove_error_code(code));
  EXPECT(MPI_ERR_ARG, "class", MPI_Remove_error_code(mine));
  EXPECT(MPI_ERR_ARG, "code", MPI_Remove_error_class(code));
  EXPECT(MPI_ERR_ARG, "predefined", MPI_Remove_error_class(MPI_ERR_COMM));
  EXPECT(MPI_ERR_ARG, "predefined", MPI_Remove_error_code(MPI_ERR_COMM));
  EXPECT(MPI_ERR_ARG, "predefined", MPI_Remove_error_string(MPI_ERR_COMM));
  OK(MPI_Remove_error_string(code));
  EXPECT(MPI_ERR_ARG, "string", MPI_Remove_error_string(code));
  OK(MPI_Remove_error_code(code));
  EXPECT(MPI_ERR_ARG, "removed", MPI_Remove_error_code(code));
  CHECK(class_of(code) == MPI_ERR_UNKNOWN);
  OK(MPI_Remove_error_string(second));
  OK(MPI_Remove_error_code(second));
  OK(MPI_Remove_error_code(of_predefined));
  EXPECT(MPI_ERR_ARG, "string", MPI_Remove_error_class(mine));
  CHECK(class_of(mine) == mine);
  OK(MPI_Remove_error_string(mine));
  OK(MPI_Remove_error_class(mine));
  EXPECT(MPI_ERR_ARG, "removed", MPI_Remove_error_class(mine));
  CHECK(class_of(mine) == MPI_ERR_UNKNOWN);
  OK(MPI_Add_error_class(&code));
  CHECK(code != mine && last_used_code() == code);
  OK(MPI_Remove_error_class(code));
}

static void error_handlers(void) {
  MPI_Errhandler comm, file, win, session, got;
  MPI_Comm copy;
  OK(MPI_Comm_create_errhandler(on_comm_error, &comm));
  OK(MPI_File_create_errhandler(on_file_error, &file));
  OK(MPI_Win_create_errhandler(on_win_error, &win));
  OK(MPI_Session_create_errhandler(on_session_error, &session));
  EXPECT(MPI_ERR_ERRHANDLER, "another kind", MPI_Comm_set_errhandler(MPI_COMM_SELF, file));
  EXPECT(MPI_ERR_ERRHANDLER, "another kind", MPI_Comm_set_errhandler(MPI_COMM_SELF, session));
  EXPECT(MPI_ERR_ERRHANDLER, "another kind", MPI_File_set_errhandler(MPI_FILE_NULL, win));
  EXPECT(MPI_ERR_ERRHANDLER, "NULL", MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRHANDLER_NULL));
  EXPECT(MPI_ERR_ARG, "comm_errhandler_fn", MPI_Comm_create_errhandler(NULL, &got));
  EXPECT(MPI_ERR_ARG, "file_errhandler_fn", MPI_File_create_errhandler(NULL, &got));
  EXPECT(MPI_ERR_ARG, "win_errhandler_fn", MPI_Win_create_errhandler(NULL, &got));
  EXPECT(MPI_ERR_ARG, "errhandler", MPI_Comm_get_errhandler(MPI_COMM_SELF, NULL));

  /* A communicator keeps its handler, and hands it to its children. */
  OK(MPI_Comm_dup(MPI_COMM_SELF, &copy));
  OK(MPI_Comm_set_errhandler(copy, comm));
  OK(MPI_Errhandler_free(&comm));
  MPI_Comm child;
  OK(MPI_Comm_dup(copy, &child));
  called = 0;
  FAILS(MPI_ERR_RANK, MPI_Send(&called, 1, MPI_INT, 9, 0, child));
  CHECK(called == 1);
  OK(MPI_Comm_get_errhandler(child, &got));
  OK(MPI_Comm_free(&child));
  OK(MPI_Comm_free(&copy));
  OK(MPI_Errhandler_free(&got));

  /* Files: MPI_FILE_NULL keeps the handler of files that will be opened. */
  OK(MPI_File_get_errhandler(MPI_FILE_NULL, &got));
  CHECK(got == MPI_ERRORS_RETURN);
  OK(MPI_Errhandler_free(&got)); /* a predefined one may be freed by who asked for it */
  CHECK(got == MPI_ERRHANDLER_NULL);
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, file));
  OK(MPI_Errhandler_free(&file));
  called = 0;
  OK(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO));
  CHECK(called == 1);
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  EXPECT(MPI_ERR_ARG, "errhandler", MPI_File_get_errhandler(MPI_FILE_NULL, NULL));
  EXPECT(MPI_ERR_FILE, "file", MPI_File_get_errhandler((MPI_File)MPI_COMM_WORLD, &got));
  EXPECT(MPI_ERR_FILE, "file", MPI_File_call_errhandler((MPI_File)MPI_COMM_WORLD, MPI_ERR_IO));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_set_errhandler(MPI_WIN_NULL, win));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_get_errhandler(MPI_WIN_NULL, &got));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_call_errhandler(MPI_WIN_NULL, MPI_ERR_OTHER));
  OK(MPI_Errhandler_free(&win));
  /* Attributes of windows: keys can be made before there is a window. */
  int keyval = MPI_KEYVAL_INVALID, flag = -1;
  void* value = NULL;
  OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &keyval, NULL));
  CHECK(keyval != MPI_KEYVAL_INVALID);
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_set_attr(MPI_WIN_NULL, keyval, &flag));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_get_attr(MPI_WIN_NULL, keyval, &value, &flag));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_delete_attr(MPI_WIN_NULL, keyval));
  EXPECT(MPI_ERR_KEYVAL, "keyval", MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &flag));
  EXPECT(MPI_ERR_ARG, "keyval",
         MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, NULL, NULL));
  OK(MPI_Win_free_keyval(&keyval));
  CHECK(keyval == MPI_KEYVAL_INVALID);
  EXPECT(MPI_ERR_KEYVAL, "keyval", MPI_Win_free_keyval(&keyval));
  OK(MPI_Errhandler_free(&session));
  EXPECT(MPI_ERR_ERRHANDLER, "errhandler", MPI_Errhandler_free(&session));
  EXPECT(MPI_ERR_ARG, "errhandler", MPI_Errhandler_free(NULL));
}

static void info_about_the_program(const char* program) {
  MPI_Info info;
  char text[16];
  snprintf(text, sizeof text, "%d", check_size);
  CHECK(strstr(value_of(MPI_INFO_ENV, "command"), "environment") != NULL);
  CHECK(strcmp(value_of(MPI_INFO_ENV, "argv"), "one two") == 0);
  CHECK(strcmp(value_of(MPI_INFO_ENV, "maxprocs"), text) == 0);
  CHECK(strcmp(value_of(MPI_INFO_ENV, "thread_level"), "MPI_THREAD_MULTIPLE") == 0);
  CHECK(value_of(MPI_INFO_ENV, "host")[0] != '\0' && value_of(MPI_INFO_ENV, "arch")[0] != '\0');
  CHECK(value_of(MPI_INFO_ENV, "wdir")[0] == '/');
  EXPECT(MPI_ERR_INFO, "MPI_INFO_ENV", MPI_Info_set(MPI_INFO_ENV, "key", "value"));
  EXPECT(MPI_ERR_INFO, "MPI_INFO_ENV", MPI_Info_delete(MPI_INFO_ENV, "command"));
  info = MPI_INFO_ENV;
  EXPECT(MPI_ERR_INFO, "MPI_INFO_ENV", MPI_Info_free(&info));
  OK(MPI_Info_dup(MPI_INFO_ENV, &info));
  OK(MPI_Info_set(info, "command", "mine"));
  CHECK(strcmp(value_of(info, "command"), "mine") == 0);
  OK(MPI_Info_free(&info));
  char* words[] = {(char*)program, "-x", "y z", NULL};
  OK(MPI_Info_create_env(3, words, &info));
  CHECK(strcmp(value_of(info, "command"), program) == 0);
  CHECK(strcmp(value_of(info, "argv"), "-x y z") == 0);
  OK(MPI_Info_free(&info));
  EXPECT(MPI_ERR_ARG, "argc", MPI_Info_create_env(-1, words, &info));
  EXPECT(MPI_ERR_ARG, "info", MPI_Info_create_env(0, NULL, NULL));
}

static void abi(void) {
  MPI_Info info;
  int is_set = -1, size, four = 4;
  signed char yes[16], no[16], got_yes[16], got_no[16];
  OK(MPI_Abi_get_info(&info));
  CHECK(atoi(value_of(info, "mpi_aint_size")) == (int)sizeof(MPI_Aint));
  CHECK(atoi(value_of(info, "mpi_count_size")) == (int)sizeof(MPI_Count));
  CHECK(atoi(value_of(info, "mpi_offset_size")) == (int)sizeof(MPI_Offset));
  OK(MPI_Info_free(&info));
  EXPECT(MPI_ERR_ARG, "info", MPI_Abi_get_info(NULL));
  OK(MPI_Abi_get_fortran_info(&info));
  OK(MPI_Type_size(MPI_INTEGER, &size));
  CHECK(atoi(value_of(info, "mpi_integer_size")) == size);
  OK(MPI_Type_size(MPI_DOUBLE_PRECISION, &size));
  CHECK(atoi(value_of(info, "mpi_double_precision_size")) == size);
  CHECK(strcmp(value_of(info, "mpi_integer8_supported"), "true") == 0);
  OK(MPI_Type_size(MPI_REAL2, &size));
  CHECK(strcmp(value_of(info, "mpi_real2_supported"), size == MPI_UNDEFINED ? "false" : "true") ==
        0);
  EXPECT(MPI_ERR_ABI, "already", MPI_Abi_set_fortran_info(info));
  OK(MPI_Info_free(&info));
  EXPECT(MPI_ERR_INFO, "info", MPI_Abi_set_fortran_info(MPI_INFO_NULL));
  memset(yes, -1, sizeof yes);
  memset(no, 0, sizeof no);
  OK(MPI_Abi_get_fortran_booleans(four, got_yes, got_no, &is_set));
  CHECK(is_set == 0);
  EXPECT(MPI_ERR_ARG, "logical_size", MPI_Abi_set_fortran_booleans(3, yes, no));
  EXPECT(MPI_ERR_ARG, "logical_size", MPI_Abi_set_fortran_booleans(32, yes, no));
  EXPECT(MPI_ERR_ARG, "logical_true", MPI_Abi_set_fortran_booleans(four, NULL, no));
  OK(MPI_Abi_set_fortran_booleans(four, yes, no));
  EXPECT(MPI_ERR_ABI, "already", MPI_Abi_set_fortran_booleans(four, yes, no));
  memset(got_yes, 1, sizeof got_yes);
  OK(MPI_Abi_get_fortran_booleans(four, got_yes, got_no, &is_set));
  CHECK(is_set == 1 && memcmp(got_yes, yes, 4) == 0 && memcmp(got_no, no, 4) == 0);
  CHECK(got_yes[4] == 1);
  OK(MPI_Abi_get_fortran_booleans(8, got_yes, got_no, &is_set));
  CHECK(is_set == 0);
  EXPECT(MPI_ERR_ARG, "is_set", MPI_Abi_get_fortran_booleans(four, got_yes, got_no, NULL));
}

/* What the standard allows at any time, by any thread (MPI-5.0, section 11.4.1). */
static void* any_time(void* argument) {
  (void)argument;
  for (int i = 0; i < 200; ++i) {
    int flag, version, subversion, length, n, error_class, code;
    char text[MPI_MAX_LIBRARY_VERSION_STRING], key[MPI_MAX_INFO_KEY];
    MPI_Info info, copy;
    MPI_Errhandler handler;
    OK(MPI_Initialized(&flag));
    OK(MPI_Finalized(&flag));
    OK(MPI_Get_version(&version, &subversion));
    CHECK(version == 5 && subversion == 0);
    OK(MPI_Get_library_version(text, &length));
    OK(MPI_Abi_get_version(&version, &subversion));
    CHECK(version == 1 && subversion == 0);
    OK(MPI_Abi_get_info(&info));
    OK(MPI_Info_free(&info));
    OK(MPI_Info_create_env(0, NULL, &info));
    OK(MPI_Info_free(&info));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "key", "value"));
    OK(MPI_Info_dup(info, &copy));
    OK(MPI_Info_get_nkeys(copy, &n));
    OK(MPI_Info_get_nthkey(copy, 0, key));
    CHECK(n == 1 && strcmp(key, "key") == 0 && strcmp(value_of(copy, "key"), "value") == 0);
    OK(MPI_Info_delete(copy, "key"));
    OK(MPI_Info_free(&copy));
    CHECK(MPI_Info_fromint(MPI_Info_toint(info)) == info);
    OK(MPI_Info_free(&info));
    OK(MPI_Session_create_errhandler(on_session_error, &handler));
    CHECK(MPI_Errhandler_fromint(MPI_Errhandler_toint(handler)) == handler);
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Add_error_class(&error_class));
    OK(MPI_Add_error_code(error_class, &code));
    OK(MPI_Add_error_string(code, "words"));
    CHECK(class_of(code) == error_class);
    OK(MPI_Error_string(code, text, &length));
    CHECK(strcmp(text, "words") == 0);
    OK(MPI_Remove_error_string(code));
    OK(MPI_Remove_error_code(code));
    OK(MPI_Remove_error_class(error_class));
  }
  return NULL;
}

static void any_time_by_threads(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, any_time, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
}

int main(int argc, char** argv) {
  int level;
  any_time_by_threads();
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &check_size);
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  any_time_by_threads();
  error_codes();
  error_handlers();
  if (argc == 3) info_about_the_program(argv[0]);
  abi();
  const int failed = check_end("environment");
  any_time_by_threads();
  return failed != 0 || check_failures != 0;
}
