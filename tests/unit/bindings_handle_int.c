/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * bindings_handle_int.c: handles become integers and come back, before, during and after MPI:
 * predefined ones as their own values, others as numbers above 4095 that stay. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

static int failures;

static void expect(int condition, const char* what) {
  if (condition) return;
  printf("wrong: %s\n", what);
  ++failures;
}

static void check_predefined(const char* when) {
  printf("predefined handles %s\n", when);
  expect(MPI_Comm_toint(MPI_COMM_WORLD) == 0x101, "MPI_COMM_WORLD to int");
  expect(MPI_Comm_fromint(0x102) == MPI_COMM_SELF, "MPI_COMM_SELF from int");
  expect(MPI_Type_toint(MPI_INT) == 0x209, "MPI_INT to int");
  expect(MPI_Type_fromint(0x214) == MPI_DOUBLE, "MPI_DOUBLE from int");
  expect(MPI_Op_fromint(MPI_Op_toint(MPI_SUM)) == MPI_SUM, "MPI_SUM there and back");
  expect(MPI_Request_toint(MPI_REQUEST_NULL) == 0x180, "MPI_REQUEST_NULL to int");
  expect(MPI_File_fromint(0x118) == MPI_FILE_NULL, "MPI_FILE_NULL from int");
  expect(MPI_Win_fromint(0x110) == MPI_WIN_NULL, "MPI_WIN_NULL from int");
  expect(MPI_Session_fromint(0x120) == MPI_SESSION_NULL, "MPI_SESSION_NULL from int");
  expect(MPI_Message_fromint(0x129) == MPI_MESSAGE_NO_PROC, "MPI_MESSAGE_NO_PROC from int");
  expect(MPI_Errhandler_fromint(0x143) == MPI_ERRORS_RETURN, "MPI_ERRORS_RETURN from int");
  expect(MPI_Group_fromint(INT32_MAX) == MPI_GROUP_NULL, "a number that is nobody's");
  expect(MPI_Info_fromint(-1) == MPI_INFO_NULL, "a negative number");
}

int main(void) {
  check_predefined("before MPI_Init");
  MPI_Init(NULL, NULL);
  check_predefined("between MPI_Init and MPI_Finalize");

  MPI_Comm comm;
  MPI_Group group;
  MPI_Datatype types[100];
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  const int comm_number = MPI_Comm_toint(comm);
  const int group_number = MPI_Group_toint(group);
  expect(comm_number > 4095 && group_number > 4095, "numbers of user handles are above 4095");
  expect(comm_number != group_number, "two handles, two numbers");
  for (int i = 0; i < 100; ++i) MPI_Type_contiguous(i + 1, MPI_INT, &types[i]);
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 100; ++i)
      expect(MPI_Type_fromint(MPI_Type_toint(types[i])) == types[i], "a type there and back");
  expect(MPI_Comm_toint(comm) == comm_number, "the number stays");
  expect(MPI_Comm_fromint(comm_number) == comm, "the communicator comes back");
  expect(MPI_Group_fromint(group_number) == group, "the group comes back");
  for (int i = 0; i < 100; ++i) MPI_Type_free(&types[i]);
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  check_predefined("after MPI_Finalize");
  return failures != 0;
}
