/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * bindings_handle_int.c: handles become integers and come back, before, during and after MPI:
 * predefined ones as their own values, others as numbers above 4095 that stay while the object
 * lives, are nobody's when it is gone, and become neither more nor greater with the number of
 * objects that ever were. What has a number is converted without a lock. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/sanitized.h"

static int failures;

static void expect(int condition, const char* what) {
  if (condition) return;
  printf("wrong: %s\n", what);
  ++failures;
}

/* Every lock that the library takes is counted here, in front of the C library's. */
static long locks;
int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static int (*next)(pthread_mutex_t*);
  if (next == NULL) {
    void* found = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    next = *(int (**)(pthread_mutex_t*))(void*)&found;
  }
  ++locks;
  return next(mutex);
}

static void check_predefined(const char* when) {
  printf("predefined handles %s\n", when);
  expect(MPI_Comm_toint(MPI_COMM_WORLD) == 0x101, "MPI_COMM_WORLD to int");
  expect(MPI_Comm_fromint(0x102) == MPI_COMM_SELF, "MPI_COMM_SELF from int");
  expect(MPI_Type_toint(MPI_INT) == 0x209, "MPI_INT to int");
  expect(MPI_Type_fromint(0x214) == MPI_DOUBLE, "MPI_DOUBLE from int");
  expect(MPI_Op_fromint(MPI_Op_toint(MPI_SUM)) == MPI_SUM, "MPI_SUM there and back");
  expect(MPI_Request_toint(MPI_REQUEST_NULL) == 0x180, "MPI_REQUEST_NULL to int");
  expect(MPI_Request_fromint(0x180) == MPI_REQUEST_NULL, "MPI_REQUEST_NULL from int");
  expect(MPI_File_fromint(0x118) == MPI_FILE_NULL, "MPI_FILE_NULL from int");
  expect(MPI_Win_fromint(0x110) == MPI_WIN_NULL, "MPI_WIN_NULL from int");
  expect(MPI_Session_fromint(0x120) == MPI_SESSION_NULL, "MPI_SESSION_NULL from int");
  expect(MPI_Message_fromint(0x129) == MPI_MESSAGE_NO_PROC, "MPI_MESSAGE_NO_PROC from int");
  expect(MPI_Errhandler_fromint(0x143) == MPI_ERRORS_RETURN, "MPI_ERRORS_RETURN from int");
  expect(MPI_Group_fromint(INT32_MAX) == MPI_GROUP_NULL, "the greatest number, which is nobody's");
  expect(MPI_Info_fromint(-1) == MPI_INFO_NULL, "a negative number");
  expect(MPI_Info_fromint(0) == MPI_INFO_NULL, "0");
  expect(MPI_Info_fromint(INT32_MIN) == MPI_INFO_NULL, "the lowest number");
}

static void check_numbers_stay(void) {
  MPI_Comm comm;
  MPI_Group group;
  MPI_Datatype types[1000];
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  const int comm_number = MPI_Comm_toint(comm);
  const int group_number = MPI_Group_toint(group);
  expect(comm_number > 4095 && group_number > 4095, "numbers of user handles are above 4095");
  expect(comm_number != group_number, "two handles, two numbers");
  for (int i = 0; i < 1000; ++i) MPI_Type_contiguous(i + 1, MPI_INT, &types[i]);
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 1000; ++i)
      expect(MPI_Type_fromint(MPI_Type_toint(types[i])) == types[i], "a type there and back");
  expect(MPI_Comm_toint(comm) == comm_number, "the number stays");
  expect(MPI_Comm_fromint(comm_number) == comm, "the communicator comes back");
  expect(MPI_Group_fromint(group_number) == group, "the group comes back");
  expect(MPI_Group_toint((MPI_Group)comm) == 0x108, "what is no group is MPI_GROUP_NULL");
  expect(MPI_Group_fromint(comm_number) == MPI_GROUP_NULL, "nor is its number that of one");
  expect(MPI_Type_fromint(comm_number) == MPI_DATATYPE_NULL, "nor that of a type");
  for (int i = 0; i < 1000; ++i) MPI_Type_free(&types[i]);
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
  expect(MPI_Comm_fromint(comm_number) == MPI_COMM_NULL, "a freed communicator is nobody");
}

static void check_no_lock(void) {
  MPI_Info info;
  MPI_Info_create(&info);
  const long before = locks;
  const int number = MPI_Info_toint(info);
  expect(locks > before, "the first conversion of an object takes a lock, which is counted");
  const long then = locks;
  for (int i = 0; i < 1000; ++i) {
    expect(MPI_Info_toint(info) == number && MPI_Info_fromint(number) == info, "the same again");
    expect(MPI_Type_fromint(MPI_Type_toint(MPI_INT)) == MPI_INT, "a predefined one");
  }
  expect(locks == then, "what has a number is converted without a lock");
  MPI_Info_free(&info);
}

/* One object of a kind: made, converted there and back, gone, and its number with it. Returns the
 * number. */
static int cycle_info(void) {
  MPI_Info info;
  MPI_Info_create(&info);
  const int number = MPI_Info_toint(info);
  expect(MPI_Info_fromint(number) == info, "an info there and back");
  MPI_Info_free(&info);
  expect(MPI_Info_fromint(number) == MPI_INFO_NULL, "a freed info is nobody");
  return number;
}

static int cycle_type(void) {
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_INT, &type);
  const int number = MPI_Type_toint(type);
  expect(MPI_Type_fromint(number) == type, "a type there and back");
  MPI_Type_free(&type);
  expect(MPI_Type_fromint(number) == MPI_DATATYPE_NULL, "a freed type is nobody");
  return number;
}

static int cycle_group(void) {
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  const int number = MPI_Group_toint(group);
  expect(MPI_Group_fromint(number) == group, "a group there and back");
  MPI_Group_free(&group);
  expect(MPI_Group_fromint(number) == MPI_GROUP_NULL, "a freed group is nobody");
  return number;
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static int cycle_op(void) {
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  const int number = MPI_Op_toint(op);
  expect(MPI_Op_fromint(number) == op, "an operation there and back");
  MPI_Op_free(&op);
  expect(MPI_Op_fromint(number) == MPI_OP_NULL, "a freed operation is nobody");
  return number;
}

static void handle_error(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
}

static int cycle_errhandler(void) {
  MPI_Errhandler errhandler;
  MPI_Comm_create_errhandler(handle_error, &errhandler);
  const int number = MPI_Errhandler_toint(errhandler);
  expect(MPI_Errhandler_fromint(number) == errhandler, "an error handler there and back");
  MPI_Errhandler_free(&errhandler);
  expect(MPI_Errhandler_fromint(number) == MPI_ERRHANDLER_NULL, "a freed error handler is nobody");
  return number;
}

static int cycle_comm(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  const int number = MPI_Comm_toint(comm);
  expect(MPI_Comm_fromint(number) == comm, "a communicator there and back");
  MPI_Comm_free(&comm);
  expect(MPI_Comm_fromint(number) == MPI_COMM_NULL, "a freed communicator is nobody");
  return number;
}

static int cycle_session(void) {
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  const int number = MPI_Session_toint(session);
  expect(MPI_Session_fromint(number) == session, "a session there and back");
  MPI_Session_finalize(&session);
  expect(MPI_Session_fromint(number) == MPI_SESSION_NULL, "a finalized session is nobody");
  return number;
}

static int cycle_persistent_request(void) {
  int data;
  MPI_Request request;
  MPI_Recv_init(&data, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  const int number = MPI_Request_toint(request);
  expect(MPI_Request_fromint(number) == request, "a persistent request there and back");
  MPI_Request_free(&request);
  expect(MPI_Request_fromint(number) == MPI_REQUEST_NULL, "a freed request is nobody");
  return number;
}

static int cycle_receive(void) {
  int data = 1, got = 0;
  MPI_Request request;
  MPI_Irecv(&got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  const int number = MPI_Request_toint(request);
  expect(MPI_Request_fromint(number) == request, "a receive there and back");
  MPI_Send(&data, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  request = MPI_Request_fromint(number);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(got == 1, "what was received by the integer");
  expect(MPI_Request_fromint(number) == MPI_REQUEST_NULL, "a completed receive is nobody");
  return number;
}

static int cycle_message(void) {
  int data = 1, got = 0;
  MPI_Message message;
  MPI_Send(&data, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Mprobe(0, 0, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE);
  const int number = MPI_Message_toint(message);
  expect(MPI_Message_fromint(number) == message, "a message there and back");
  MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  expect(MPI_Message_fromint(number) == MPI_MESSAGE_NULL, "a received message is nobody");
  return number;
}

static long resident_bytes(void) {
  long pages = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  if (file != NULL) fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

static void check_millions(void) {
  static const struct {
    const char* kind;
    int (*cycle)(void);
    int times;
  } kinds[] = {
      {"infos", cycle_info, 1000000},
      {"types", cycle_type, 200000},
      {"groups", cycle_group, 200000},
      {"operations", cycle_op, 200000},
      {"receives", cycle_receive, 200000},
      {"persistent requests", cycle_persistent_request, 200000},
      {"messages", cycle_message, 100000},
      {"error handlers", cycle_errhandler, 200000},
      {"communicators", cycle_comm, 2000},
      {"sessions", cycle_session, 100},
  };
  const int first = cycle_info();
  for (unsigned kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind) {
    for (int i = 0; i < 2000 && i < kinds[kind].times; ++i) kinds[kind].cycle();
    const long before = resident_bytes();
    const int times = kSanitized ? kinds[kind].times / 50 : kinds[kind].times;
    int greatest = 0;
    for (int i = 0; i < times; ++i) {
      const int number = kinds[kind].cycle();
      if (number > greatest) greatest = number;
    }
    const long grown = resident_bytes() - before;
    printf("%d %s: greatest number %d, memory grew by %ld KB\n", times, kinds[kind].kind, greatest,
           grown / 1024);
    expect(greatest < first + 4000, "numbers are used again");
    expect(kSanitized || grown < 2L << 20, "memory does not grow");
  }
}

int main(void) {
  check_predefined("before MPI_Init");
  MPI_Init(NULL, NULL);
  check_predefined("between MPI_Init and MPI_Finalize");
  check_numbers_stay();
  check_no_lock();
  check_millions();
  MPI_Info info;
  MPI_Info_create(&info);
  const int number = MPI_Info_toint(info);
  MPI_Finalize();
  check_predefined("after MPI_Finalize");
  expect(MPI_Info_fromint(number) == info, "an info after MPI_Finalize");
  MPI_Info_free(&info);
  return failures != 0;
}
