/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Buffered sends between pairs of ranks (the odd one talks to itself): buffers of the process, of
 * communicators and of sessions, which one is used, full ones, flushes, freed communicators. */
#include <sys/mman.h>

#include "check.h"

enum { kLong = 300000 }; /* bytes: leaves its place only when it is received */
static int peer;
static MPI_Comm comm;
static unsigned char data[kLong], got[kLong];

/* Says something to my peer and hears the same. */
static void meet(void) {
  int mine = 1, yours = 0;
  OK(MPI_Sendrecv(&mine, 1, MPI_INT, peer, 77, &yours, 1, MPI_INT, peer, 77, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE));
}

static void bsend(int salt, MPI_Comm on) {
  check_fill(data, kLong, (uint64_t)(check_rank * 10 + salt));
  OK(MPI_Bsend(data, kLong, MPI_BYTE, peer, salt, on));
  memset(data, 0xff, kLong);
}
static void receive(int salt, MPI_Comm on) {
  memset(got, 0, kLong);
  OK(MPI_Recv(got, kLong, MPI_BYTE, peer, salt, on, MPI_STATUS_IGNORE));
  CHECK(check_filled(got, kLong, (uint64_t)(peer * 10 + salt)));
}

static void test_whose(void) {
  const int room = kLong + MPI_BSEND_OVERHEAD;
  unsigned char* process = malloc((size_t)room);
  unsigned char* own = malloc((size_t)(2 * room));
  MPI_Request request;
  void* address = NULL;
  int size = 0;
  /* none: an error that says what to do */
  EXPECT(MPI_ERR_BUFFER, "MPI_Buffer_attach", MPI_Bsend(data, 1, MPI_BYTE, peer, 0, comm));
  EXPECT(MPI_ERR_BUFFER, "MPI_Buffer_attach",
         MPI_Ibsend(data, 1, MPI_BYTE, peer, 0, comm, &request));
  OK(MPI_Buffer_attach(process, room));
  OK(MPI_Comm_attach_buffer(comm, own, 2 * room));
  /* Two messages fit the communicator's, no third, though the process's buffer is empty. */
  bsend(1, comm);
  bsend(2, comm);
  EXPECT(MPI_ERR_BUFFER, "no room", MPI_Bsend(data, kLong, MPI_BYTE, peer, 3, comm));
  EXPECT(MPI_ERR_BUFFER, "no room", MPI_Ibsend(data, kLong, MPI_BYTE, peer, 3, comm, &request));
  meet();
  receive(2, comm); /* frees the second place at my peer, once it hears of it */
  meet();
  bsend(3, comm);
  receive(1, comm);
  receive(3, comm);
  OK(MPI_Comm_detach_buffer(comm, &address, &size));
  CHECK(address == own && size == 2 * room);
  /* Now it uses the process's. */
  bsend(4, comm);
  meet();
  receive(4, comm);
  OK(MPI_Buffer_detach(&address, &size));
  CHECK(address == process && size == room);
  CHECK(check_filled(process, kLong, (uint64_t)(check_rank * 10 + 4)));
  free(process);
  free(own);
}

static void test_automatic(void) {
  void* address = NULL;
  int size = -1;
  OK(MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0));
  EXPECT(MPI_ERR_BUFFER, "already", MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0));
  for (int i = 0; i < 40; ++i) bsend(i, comm);
  meet();
  for (int i = 39; i >= 0; --i) receive(i, comm);
  OK(MPI_Comm_flush_buffer(comm));
  OK(MPI_Comm_detach_buffer(comm, &address, &size));
  CHECK(address == MPI_BUFFER_AUTOMATIC);
  OK(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
  bsend(1, comm);
  receive(1, comm);
  OK(MPI_Buffer_flush());
  OK(MPI_Buffer_detach(&address, &size));
  CHECK(address == MPI_BUFFER_AUTOMATIC);
}

/* Short messages by the thousand, in and out of order, in a buffer that they go through often. */
static void test_many(void) {
  enum { kMessages = 3000 };
  const int room = 16 * (int)(sizeof(int) + MPI_BSEND_OVERHEAD);
  char* memory = malloc((size_t)room);
  OK(MPI_Comm_attach_buffer(comm, memory, room));
  int sent = 0, received = 0;
  while (received < kMessages) {
    for (; sent < kMessages && sent < received + 8; ++sent)
      OK(MPI_Bsend(&sent, 1, MPI_INT, peer, sent, comm));
    int value = -1;
    OK(MPI_Recv(&value, 1, MPI_INT, peer, received, comm, MPI_STATUS_IGNORE));
    CHECK(value == received);
    ++received;
  }
  void* address = NULL;
  int size = 0;
  OK(MPI_Comm_detach_buffer(comm, &address, &size));
  CHECK(address == memory && size == room);
  free(memory);
}

static void test_flush(void) {
  MPI_Request flush[4];
  int flag = 1;
  MPI_Status status;
  OK(MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0));
  OK(MPI_Comm_iflush_buffer(comm, &flush[0])); /* nothing there */
  OK(MPI_Test(&flush[0], &flag, &status));
  CHECK(flag && flush[0] == MPI_REQUEST_NULL);
  CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
  bsend(1, comm);
  OK(MPI_Comm_iflush_buffer(comm, &flush[0]));
  bsend(2, comm);
  OK(MPI_Comm_iflush_buffer(comm, &flush[1]));
  OK(MPI_Comm_iflush_buffer(comm, &flush[2]));
  OK(MPI_Buffer_iflush(&flush[3])); /* another buffer's: nothing to wait for */
  OK(MPI_Wait(&flush[3], MPI_STATUS_IGNORE));
  OK(MPI_Test(&flush[0], &flag, MPI_STATUS_IGNORE));
  CHECK(!flag);
  meet();
  receive(1, comm);
  OK(MPI_Wait(&flush[0], MPI_STATUS_IGNORE)); /* the second message is still there */
  OK(MPI_Test(&flush[1], &flag, MPI_STATUS_IGNORE));
  CHECK(!flag);
  OK(MPI_Request_free(&flush[2]));
  EXPECT(MPI_ERR_REQUEST, "flush", MPI_Cancel(&flush[1]));
  meet();
  receive(2, comm);
  OK(MPI_Wait(&flush[1], MPI_STATUS_IGNORE));
  OK(MPI_Comm_flush_buffer(comm));
  void* address = NULL;
  int size = 0;
  OK(MPI_Comm_detach_buffer(comm, &address, &size));
}

static void test_persistent(void) {
  MPI_Request request;
  void* address = NULL;
  int size = 0;
  OK(MPI_Bsend_init(data, kLong, MPI_BYTE, peer, 1, comm, &request));
  EXPECT(MPI_ERR_BUFFER, "no buffer", MPI_Start(&request)); /* still inactive */
  OK(MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0));
  for (int i = 0; i < 3; ++i) {
    check_fill(data, kLong, (uint64_t)(check_rank * 10 + i));
    OK(MPI_Start(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  for (int i = 0; i < 3; ++i) {
    OK(MPI_Recv(got, kLong, MPI_BYTE, peer, 1, comm, MPI_STATUS_IGNORE));
    CHECK(check_filled(got, kLong, (uint64_t)(peer * 10 + i)));
  }
  OK(MPI_Request_free(&request));
  OK(MPI_Comm_detach_buffer(comm, &address, &size));
}

/* What is in the buffer of a communicator that is freed arrives. */
static void test_freed(void) {
  MPI_Comm dup;
  MPI_Request request, flush;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
  OK(MPI_Comm_attach_buffer(dup, MPI_BUFFER_AUTOMATIC, 0));
  bsend(1, dup);
  OK(MPI_Comm_iflush_buffer(dup, &flush));
  meet();
  memset(got, 0, kLong);
  OK(MPI_Irecv(got, kLong, MPI_BYTE, peer, 1, dup, &request));
  OK(MPI_Comm_free(&dup));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(check_filled(got, kLong, (uint64_t)(peer * 10 + 1)));
  OK(MPI_Wait(&flush, MPI_STATUS_IGNORE));
}

static void test_session(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm made;
  void* address = NULL;
  int size = 0;
  MPI_Request request;
  OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  EXPECT(MPI_ERR_BUFFER, "no buffer", MPI_Session_detach_buffer(session, &address, &size));
  OK(MPI_Session_attach_buffer(session, MPI_BUFFER_AUTOMATIC, 0));
  EXPECT(MPI_ERR_BUFFER, "already", MPI_Session_attach_buffer_c(session, data, 10));
  OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
  if (MPI_Comm_create_from_group(group, "buffers", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made) ==
      MPI_SUCCESS) {
    bsend(1, made);
    OK(MPI_Session_iflush_buffer(session, &request));
    meet();
    receive(1, made);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    /* the communicator's own comes first */
    OK(MPI_Comm_attach_buffer(made, got, 10));
    EXPECT(MPI_ERR_BUFFER, "10 bytes", MPI_Bsend(data, kLong, MPI_BYTE, peer, 1, made));
    OK(MPI_Comm_detach_buffer(made, &address, &size));
    OK(MPI_Comm_free(&made));
  }
  OK(MPI_Session_flush_buffer(session));
  OK(MPI_Session_detach_buffer(session, &address, &size));
  CHECK(address == MPI_BUFFER_AUTOMATIC);
  OK(MPI_Group_free(&group));
  OK(MPI_Session_finalize(&session));
}

static void test_arguments(void) {
  void* address = NULL;
  int size = 0;
  MPI_Count long_size = 0;
  EXPECT(MPI_ERR_BUFFER, "no buffer", MPI_Comm_detach_buffer(comm, &address, &size));
  EXPECT(MPI_ERR_BUFFER, "no buffer", MPI_Comm_detach_buffer_c(comm, &address, &long_size));
  EXPECT(MPI_ERR_SIZE, "-3", MPI_Comm_attach_buffer(comm, data, -3));
  EXPECT(MPI_ERR_BUFFER, "null", MPI_Comm_attach_buffer_c(comm, NULL, 3));
  EXPECT(MPI_ERR_ARG, "request", MPI_Comm_iflush_buffer(comm, NULL));
  OK(MPI_Comm_attach_buffer(comm, NULL, 0)); /* useless, but right */
  EXPECT(MPI_ERR_ARG, "buffer_addr", MPI_Comm_detach_buffer(comm, NULL, &size));
  EXPECT(MPI_ERR_ARG, "size", MPI_Comm_detach_buffer(comm, &address, NULL));
  EXPECT(MPI_ERR_BUFFER, "no room", MPI_Bsend(NULL, 0, MPI_INT, peer, 0, comm));
  OK(MPI_Bsend(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, comm));
  OK(MPI_Comm_detach_buffer(comm, &address, &size));
  CHECK(address == NULL && size == 0);
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  EXPECT(MPI_ERR_COMM, "comm", MPI_Comm_attach_buffer(MPI_COMM_NULL, data, 3));
  EXPECT(MPI_ERR_COMM, "comm", MPI_Comm_flush_buffer(MPI_COMM_NULL));
  EXPECT(MPI_ERR_SESSION, "session", MPI_Session_flush_buffer(MPI_SESSION_NULL));
  EXPECT(MPI_ERR_SESSION, "session", MPI_Session_attach_buffer(MPI_SESSION_NULL, data, 3));
  EXPECT(MPI_ERR_BUFFER, "no buffer", MPI_Buffer_detach_c(&address, &long_size));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));

  /* larger than an int can say */
  const MPI_Count huge = ((MPI_Count)3 << 30) + 5;
  void* memory = mmap(NULL, (size_t)huge, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  for (int narrow = 0; narrow < 2; ++narrow) {
    OK(MPI_Comm_attach_buffer_c(comm, memory, huge));
    bsend(1, comm);
    receive(1, comm);
    if (narrow) {
      OK(MPI_Comm_detach_buffer(comm, &address, &size));
      CHECK(address == memory && size == MPI_UNDEFINED);
    } else {
      OK(MPI_Comm_detach_buffer_c(comm, &address, &long_size));
      CHECK(address == memory && long_size == huge);
    }
  }
  munmap(memory, (size_t)huge);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  peer = (check_rank ^ 1) < check_size ? check_rank ^ 1 : check_rank;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
  test_whose();
  test_automatic();
  test_many();
  test_flush();
  test_persistent();
  test_freed();
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  test_session();
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
  test_arguments();
  /* still attached at the end, with a message that has left */
  OK(MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0));
  bsend(9, comm);
  receive(9, comm);
  OK(MPI_Comm_free(&comm));
  return check_end("buffers");
}
