/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * A function that does not work yet says so: MPI_ERR_UNSUPPORTED_OPERATION through the handler of
 * its object, with its name in the error string. Functions that have come to work meanwhile are
 * passed over: docs/conformance.md counts them. */
#include "check.h"

static int calls;
static MPI_Comm called_with;
static void handler(MPI_Comm* comm, int* code, ...) {
  ++calls;
  called_with = *comm;
  CHECK(check_class_of(*code) == MPI_ERR_UNSUPPORTED_OPERATION);
}

static void expect(int code, const char* name, MPI_Comm on) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (code == MPI_SUCCESS) return;
  CHECK(check_class_of(code) == MPI_ERR_UNSUPPORTED_OPERATION);
  OK(MPI_Error_string(code, text, &length));
  CHECK(strstr(text, name) != NULL);
  CHECK((int)strlen(text) == length);
  CHECK(calls == 1 && called_with == on);
  calls = 0;
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_Comm dup;
  MPI_Errhandler mine;
  int value = 0, in = 0;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
  OK(MPI_Comm_create_errhandler(handler, &mine));
  OK(MPI_Comm_set_errhandler(dup, mine));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, mine));
  /* no object of its own: MPI_COMM_SELF's */
  expect(MPI_Pack_external("external32", &value, 1, MPI_INT, &in, 4, &(MPI_Aint){0}),
         "MPI_Pack_external", MPI_COMM_SELF);
  /* Files have another default: MPI_ERRORS_RETURN. No handler of a communicator is called. */
  MPI_File file;
  const int code = MPI_File_open(dup, "/nonexistent/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  CHECK(code != MPI_SUCCESS);
  CHECK(calls == 0);
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (check_class_of(code) == MPI_ERR_UNSUPPORTED_OPERATION) {
    OK(MPI_Error_string(code, text, &length));
    CHECK(strstr(text, "MPI_File_open") != NULL);
  }
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
  OK(MPI_Errhandler_free(&mine));
  OK(MPI_Comm_free(&dup));
  return check_end("unsupported");
}
