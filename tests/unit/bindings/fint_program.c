/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * fint_program.c: a program that uses all that mpi_fint.h has, in the common part of C90
 * and C++98; fint.sh compiles it as both and as later ones. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void expect(int condition, const char* what) {
  if (condition) return;
  printf("wrong: %s\n", what);
  ++failures;
}

/* Predefined handles are the same value in both languages; the addresses of the functions are those
 * of the library, which must do the same as those in line. */
#define CHECK_HANDLE(Kind, Handle, predefined, number)                                            \
  do {                                                                                            \
    MPI_Fint (*c2f)(Handle) = MPI_##Kind##_c2f;                                                   \
    MPI_Fint (*pc2f)(Handle) = PMPI_##Kind##_c2f;                                                 \
    Handle (*f2c)(MPI_Fint) = MPI_##Kind##_f2c;                                                   \
    Handle (*pf2c)(MPI_Fint) = PMPI_##Kind##_f2c;                                                 \
    expect(MPI_##Kind##_c2f(predefined) == number, "MPI_" #Kind "_c2f");                          \
    expect(PMPI_##Kind##_c2f(predefined) == number, "PMPI_" #Kind "_c2f");                        \
    expect(MPI_##Kind##_f2c(number) == predefined, "MPI_" #Kind "_f2c");                          \
    expect(PMPI_##Kind##_f2c(number) == predefined, "PMPI_" #Kind "_f2c");                        \
    expect(c2f(predefined) == number, "the function MPI_" #Kind "_c2f");                          \
    expect(pc2f(predefined) == number, "the function PMPI_" #Kind "_c2f");                        \
    expect(f2c(number) == predefined, "the function MPI_" #Kind "_f2c");                          \
    expect(pf2c(number) == predefined, "the function PMPI_" #Kind "_f2c");                        \
    expect(MPI_##Kind##_f2c(123456789) == MPI_##Kind##_f2c(-1), "nobody's numbers are the same"); \
  } while (0)

static void check_predefined(void) {
  CHECK_HANDLE(Comm, MPI_Comm, MPI_COMM_WORLD, 0x101);
  CHECK_HANDLE(Errhandler, MPI_Errhandler, MPI_ERRORS_RETURN, 0x143);
  CHECK_HANDLE(File, MPI_File, MPI_FILE_NULL, 0x118);
  CHECK_HANDLE(Group, MPI_Group, MPI_GROUP_EMPTY, 0x109);
  CHECK_HANDLE(Info, MPI_Info, MPI_INFO_NULL, 0x130);
  CHECK_HANDLE(Message, MPI_Message, MPI_MESSAGE_NO_PROC, 0x129);
  CHECK_HANDLE(Op, MPI_Op, MPI_SUM, 0x21);
  CHECK_HANDLE(Request, MPI_Request, MPI_REQUEST_NULL, 0x180);
  CHECK_HANDLE(Session, MPI_Session, MPI_SESSION_NULL, 0x120);
  CHECK_HANDLE(Type, MPI_Datatype, MPI_DOUBLE, 0x214);
  CHECK_HANDLE(Win, MPI_Win, MPI_WIN_NULL, 0x110);
}

static void check_own(void) {
  MPI_Comm comm;
  MPI_Info info;
  MPI_Fint number;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  number = MPI_Comm_c2f(comm);
  expect(number == MPI_Comm_toint(comm), "c2f and toint are the same integer");
  expect(MPI_Comm_f2c(number) == comm, "a communicator there and back");
  MPI_Comm_free(&comm);
  expect(MPI_Comm_f2c(number) == MPI_COMM_NULL, "a freed one is the null handle");
  MPI_Info_create(&info);
  expect(MPI_Info_f2c(MPI_Info_c2f(info)) == info, "an info there and back");
  MPI_Info_free(&info);
}

/* A status with a count above 32 bits and the mark of a cancelled operation. */
static void check_statuses(void) {
  MPI_Status status, back;
  MPI_Fint f_status[MPI_F_STATUS_SIZE];
  MPI_F08_status f08_status;
  MPI_Count elements = 0, wanted = (MPI_Count)1 << 33;
  int cancelled = 0;
  memset(&status, 0, sizeof status);
  status.MPI_SOURCE = 3;
  status.MPI_TAG = 4;
  status.MPI_ERROR = MPI_ERR_TRUNCATE;
  MPI_Status_set_elements_c(&status, MPI_BYTE, wanted);
  MPI_Status_set_cancelled(&status, 1);

  expect(MPI_Status_c2f(&status, f_status) == MPI_SUCCESS, "MPI_Status_c2f");
  expect(f_status[MPI_F_SOURCE] == 3 && f_status[MPI_F_TAG] == 4 &&
             f_status[MPI_F_ERROR] == MPI_ERR_TRUNCATE,
         "the elements of a Fortran status");
  expect(MPI_Status_f2f08(f_status, &f08_status) == MPI_SUCCESS, "MPI_Status_f2f08");
  expect(f08_status.MPI_SOURCE == 3 && f08_status.MPI_TAG == 4 &&
             f08_status.MPI_ERROR == MPI_ERR_TRUNCATE,
         "the fields of an f08 status");
  memset(f_status, 0, sizeof f_status);
  expect(MPI_Status_f082f(&f08_status, f_status) == MPI_SUCCESS, "MPI_Status_f082f");
  memset(&back, 0, sizeof back);
  expect(MPI_Status_f2c(f_status, &back) == MPI_SUCCESS, "MPI_Status_f2c");
  MPI_Get_elements_c(&back, MPI_BYTE, &elements);
  MPI_Test_cancelled(&back, &cancelled);
  expect(back.MPI_SOURCE == 3 && elements == wanted && cancelled, "nothing of a status is lost");
  memset(&f08_status, 0, sizeof f08_status);
  expect(MPI_Status_c2f08(&status, &f08_status) == MPI_SUCCESS, "MPI_Status_c2f08");
  memset(&back, 0, sizeof back);
  expect(PMPI_Status_f082c(&f08_status, &back) == MPI_SUCCESS, "MPI_Status_f082c");
  expect(memcmp(&status, &back, sizeof back) == 0, "nor by way of f08");
}

static void expect_refused(int code, const char* what) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  expect(error_class == MPI_ERR_ARG, what);
}

static void check_refused(void) {
  MPI_Status status;
  MPI_Fint f_status[MPI_F_STATUS_SIZE] = {0};
  MPI_F08_status f08_status;
  memset(&status, 0, sizeof status);
  memset(&f08_status, 0, sizeof f08_status);
  expect_refused(MPI_Status_c2f(MPI_STATUS_IGNORE, f_status), "c2f of MPI_STATUS_IGNORE");
  expect_refused(MPI_Status_c2f(MPI_STATUSES_IGNORE, f_status), "c2f of MPI_STATUSES_IGNORE");
  expect_refused(MPI_Status_c2f(&status, MPI_F_STATUS_IGNORE), "c2f to MPI_F_STATUS_IGNORE");
  expect_refused(MPI_Status_f2c(MPI_F_STATUS_IGNORE, &status), "f2c of MPI_F_STATUS_IGNORE");
  expect_refused(MPI_Status_f2c(MPI_F_STATUSES_IGNORE, &status), "f2c of MPI_F_STATUSES_IGNORE");
  expect_refused(MPI_Status_f2c(NULL, &status), "f2c of a null pointer");
  expect_refused(MPI_Status_f2c(f_status, MPI_STATUS_IGNORE), "f2c to MPI_STATUS_IGNORE");
  expect_refused(MPI_Status_c2f08(MPI_STATUS_IGNORE, &f08_status), "c2f08 of MPI_STATUS_IGNORE");
  expect_refused(MPI_Status_f082c(MPI_F08_STATUS_IGNORE, &status),
                 "f082c of MPI_F08_STATUS_IGNORE");
  expect_refused(MPI_Status_f082c(MPI_F08_STATUSES_IGNORE, &status),
                 "f082c of MPI_F08_STATUSES_IGNORE");
  expect_refused(MPI_Status_f2f08(MPI_F_STATUS_IGNORE, &f08_status),
                 "f2f08 of MPI_F_STATUS_IGNORE");
  expect_refused(MPI_Status_f082f(MPI_F08_STATUS_IGNORE, f_status),
                 "f082f of MPI_F08_STATUS_IGNORE");
}

int main(void) {
  const void* ignored[4];
  int i, j;
  check_predefined();
  MPI_Init(NULL, NULL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  check_own();
  check_statuses();
  check_refused();
  ignored[0] = MPI_F_STATUS_IGNORE;
  ignored[1] = MPI_F_STATUSES_IGNORE;
  ignored[2] = MPI_F08_STATUS_IGNORE;
  ignored[3] = MPI_F08_STATUSES_IGNORE;
  for (i = 0; i < 4; ++i) {
    expect(ignored[i] != NULL, "a sentinel is not null");
    for (j = 0; j < i; ++j)
      expect(ignored[i] != ignored[j], "each sentinel is an address of its own");
  }
  MPI_Finalize();
  check_predefined();
  if (failures == 0) printf("all right\n");
  return failures != 0;
}
