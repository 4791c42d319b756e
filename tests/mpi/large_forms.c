/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Point-to-point communication with large counts: every mode and form, with nothing, with a
 * message, and with more elements than an int counts (of a type without data, so that this takes no
 * memory; type_large.c moves real bytes), and with wrong arguments. Around a ring. */
#include "check.h"

static const MPI_Count kHuge = (MPI_Count)5 << 31;
enum { kInts = 1000, kTag = 3 };

static int next, previous;
static int out[kInts], in[kInts];
static MPI_Datatype nothing; /* without data */

static void fill(int salt) {
  for (int i = 0; i < kInts; ++i) {
    out[i] = check_rank * 7 + i + salt;
    in[i] = -1;
  }
}
static int arrived(MPI_Count count, int salt) {
  for (MPI_Count i = 0; i < count; ++i)
    if (in[i] != previous * 7 + (int)i + salt) return 0;
  return count == kInts || in[count] == -1;
}

/* The ways to send; the ready ones need a posted receive, the last ones a receive under way. */
enum { kSends = 9, kAllSends = 12 };
static int send_in(int way, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  int code;
  switch (way) {
    case 0:
      return MPI_Send_c(out, count, type, dest, tag, comm);
    case 1:
      return MPI_Bsend_c(out, count, type, dest, tag, comm);
    case 2:
      return MPI_Rsend_c(out, count, type, dest, tag, comm);
    case 3:
      code = MPI_Ibsend_c(out, count, type, dest, tag, comm, &request);
      break;
    case 4:
      code = MPI_Irsend_c(out, count, type, dest, tag, comm, &request);
      break;
    case 5:
      code = MPI_Send_init_c(out, count, type, dest, tag, comm, &request);
      break;
    case 6:
      code = MPI_Bsend_init_c(out, count, type, dest, tag, comm, &request);
      break;
    case 7:
      code = MPI_Rsend_init_c(out, count, type, dest, tag, comm, &request);
      break;
    case 8:
      code = MPI_Isend_c(out, count, type, dest, tag, comm, &request);
      break;
    case 9:
      return MPI_Ssend_c(out, count, type, dest, tag, comm);
    case 10:
      code = MPI_Issend_c(out, count, type, dest, tag, comm, &request);
      break;
    default:
      code = MPI_Ssend_init_c(out, count, type, dest, tag, comm, &request);
      break;
  }
  if (code != MPI_SUCCESS) return code;
  if ((way >= 5 && way <= 7) || way == 11) {
    OK(MPI_Start(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(request != MPI_REQUEST_NULL);
    return MPI_Request_free(&request);
  }
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Each process posts its receive, all meet, each sends. */
static void ring(int way, MPI_Count count, MPI_Datatype type, MPI_Comm comm) {
  MPI_Request request;
  MPI_Status status;
  MPI_Count got = -5;
  fill(way);
  if (way % 2 == 0) {
    OK(MPI_Irecv_c(in, count, type, previous, kTag, comm, &request));
  } else {
    OK(MPI_Recv_init_c(in, count, type, previous, kTag, comm, &request));
    OK(MPI_Start(&request));
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(send_in(way, count, type, next, kTag, comm));
  OK(MPI_Wait(&request, &status));
  if (way % 2 != 0) OK(MPI_Request_free(&request));
  CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == kTag);
  OK(MPI_Get_count_c(&status, type, &got));
  CHECK(got == (type == nothing ? 0 : count));
  if (type == MPI_INT) CHECK(arrived(count, way));
}

/* Synchronous modes need their receiver, so they go with a receive under way. */
static void synchronous(MPI_Count count, MPI_Datatype type) {
  MPI_Request receive, requests[2];
  fill(50);
  OK(MPI_Irecv_c(in, count, type, previous, kTag, MPI_COMM_WORLD, &receive));
  OK(MPI_Ssend_c(out, count, type, next, kTag, MPI_COMM_WORLD));
  OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
  if (type == MPI_INT) CHECK(arrived(count, 50));
  fill(51);
  OK(MPI_Issend_c(out, count, type, next, kTag, MPI_COMM_WORLD, &requests[0]));
  OK(MPI_Irecv_c(in, count, type, previous, kTag, MPI_COMM_WORLD, &requests[1]));
  OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  if (type == MPI_INT) CHECK(arrived(count, 51));
  OK(MPI_Ssend_init_c(out, count, type, next, kTag, MPI_COMM_WORLD, &requests[0]));
  OK(MPI_Recv_init_c(in, count, type, previous, kTag, MPI_COMM_WORLD, &requests[1]));
  for (int round = 0; round < 3; ++round) {
    fill(60 + round);
    OK(MPI_Startall(2, requests));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    if (type == MPI_INT) CHECK(arrived(count, 60 + round));
  }
  OK(MPI_Request_free(&requests[0]));
  OK(MPI_Request_free(&requests[1]));
}

static void both_ways(MPI_Count count, MPI_Datatype type) {
  MPI_Request request;
  MPI_Status status;
  fill(70);
  OK(MPI_Sendrecv_c(out, count, type, next, kTag, in, count, type, previous, kTag, MPI_COMM_WORLD,
                    &status));
  if (type == MPI_INT) CHECK(arrived(count, 70));
  fill(71);
  OK(MPI_Isendrecv_c(out, count, type, next, kTag, in, count, type, previous, kTag, MPI_COMM_WORLD,
                     &request));
  OK(MPI_Wait(&request, &status));
  CHECK(status.MPI_SOURCE == previous && request == MPI_REQUEST_NULL);
  if (type == MPI_INT) CHECK(arrived(count, 71));
  fill(72);
  for (MPI_Count i = 0; type == MPI_INT && i < count; ++i) in[i] = out[i];
  OK(MPI_Sendrecv_replace_c(in, count, type, next, kTag, previous, kTag, MPI_COMM_WORLD, &status));
  if (type == MPI_INT) CHECK(arrived(count, 72));
  fill(73);
  for (MPI_Count i = 0; type == MPI_INT && i < count; ++i) in[i] = out[i];
  OK(MPI_Isendrecv_replace_c(in, count, type, next, kTag, previous, kTag, MPI_COMM_WORLD,
                             &request));
  OK(MPI_Wait(&request, &status));
  if (type == MPI_INT) CHECK(arrived(count, 73));
}

static void matched(MPI_Count count, MPI_Datatype type) {
  MPI_Request request, sending;
  MPI_Message message;
  MPI_Status status;
  int flag = 0;
  fill(80);
  OK(MPI_Isend_c(out, count, type, next, kTag, MPI_COMM_WORLD, &sending));
  OK(MPI_Mprobe(previous, kTag, MPI_COMM_WORLD, &message, &status));
  OK(MPI_Mrecv_c(in, count, type, &message, &status));
  CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == previous);
  if (type == MPI_INT) CHECK(arrived(count, 80));
  OK(MPI_Wait(&sending, MPI_STATUS_IGNORE));
  fill(81);
  OK(MPI_Isend_c(out, count, type, next, kTag, MPI_COMM_WORLD, &sending));
  while (!flag)
    OK(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status));
  OK(MPI_Imrecv_c(in, count, type, &message, &request));
  OK(MPI_Wait(&request, &status));
  if (type == MPI_INT) CHECK(arrived(count, 81));
  OK(MPI_Wait(&sending, MPI_STATUS_IGNORE));
  message = MPI_MESSAGE_NO_PROC;
  OK(MPI_Mrecv_c(in, count, type, &message, &status));
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && message == MPI_MESSAGE_NULL);
  message = MPI_MESSAGE_NO_PROC;
  OK(MPI_Imrecv_c(in, count, type, &message, &request));
  OK(MPI_Wait(&request, &status));
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
}

static void buffers(void) {
  static char memory[100000], other[100000];
  void* got = NULL;
  MPI_Count length = -1;
  OK(MPI_Buffer_attach_c(memory, sizeof memory));
  EXPECT(MPI_ERR_BUFFER, "", MPI_Buffer_attach_c(other, sizeof other));
  fill(90);
  MPI_Request request;
  OK(MPI_Irecv_c(in, kInts, MPI_INT, previous, kTag, MPI_COMM_WORLD, &request));
  OK(MPI_Bsend_c(out, kInts, MPI_INT, next, kTag, MPI_COMM_WORLD));
  EXPECT(MPI_ERR_BUFFER, "",
         MPI_Bsend_c(memory, sizeof memory, MPI_CHAR, next, kTag, MPI_COMM_WORLD));
  OK(MPI_Buffer_detach_c(&got, &length));
  CHECK(got == memory && length == sizeof memory);
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(arrived(kInts, 90));
  EXPECT(MPI_ERR_SIZE, "size", MPI_Buffer_attach_c(memory, -1));
  EXPECT(MPI_ERR_ARG, "", MPI_Buffer_detach_c(NULL, &length));
  /* Those of a session. */
  MPI_Session session;
  OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  OK(MPI_Session_attach_buffer_c(session, memory, sizeof memory));
  EXPECT(MPI_ERR_BUFFER, "", MPI_Session_attach_buffer_c(session, other, sizeof other));
  EXPECT(MPI_ERR_ARG, "", MPI_Session_detach_buffer_c(session, NULL, &length));
  got = NULL;
  OK(MPI_Session_detach_buffer_c(session, &got, &length));
  CHECK(got == memory && length == sizeof memory);
  EXPECT(MPI_ERR_SESSION, "", MPI_Session_detach_buffer_c(MPI_SESSION_NULL, &got, &length));
  OK(MPI_Session_finalize(&session));
}

static void wrong(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Datatype three;
  OK(MPI_Type_contiguous(3, MPI_INT, &three)); /* not committed */
  for (int way = 0; way < kAllSends; ++way) {
    EXPECT(MPI_ERR_COUNT, "count is -2", send_in(way, -2, MPI_INT, next, kTag, MPI_COMM_WORLD));
    EXPECT(MPI_ERR_COUNT, "too large",
           send_in(way, INT64_MAX / 2, MPI_INT, next, kTag, MPI_COMM_WORLD));
    EXPECT(MPI_ERR_TYPE, "not committed", send_in(way, 1, three, next, kTag, MPI_COMM_WORLD));
    EXPECT(MPI_ERR_TYPE, "MPI_DATATYPE_NULL",
           send_in(way, 1, MPI_DATATYPE_NULL, next, kTag, MPI_COMM_WORLD));
    EXPECT(MPI_ERR_RANK, "dest", send_in(way, 1, MPI_INT, check_size, kTag, MPI_COMM_WORLD));
    EXPECT(MPI_ERR_RANK, "dest", send_in(way, 1, MPI_INT, MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD));
    EXPECT(MPI_ERR_TAG, "tag", send_in(way, 1, MPI_INT, next, MPI_ANY_TAG, MPI_COMM_WORLD));
    EXPECT(MPI_ERR_COMM, "MPI_COMM_NULL", send_in(way, 1, MPI_INT, next, kTag, MPI_COMM_NULL));
    OK(send_in(way, 1, MPI_INT, MPI_PROC_NULL, kTag, MPI_COMM_WORLD));
  }
#define RECEIVES(error_class, word, ...)                                       \
  do {                                                                         \
    EXPECT(error_class, word, MPI_Irecv_c(in, __VA_ARGS__, &request));         \
    EXPECT(error_class, word, MPI_Recv_init_c(in, __VA_ARGS__, &request));     \
    EXPECT(error_class, word, MPI_Recv_c(in, __VA_ARGS__, MPI_STATUS_IGNORE)); \
  } while (0)
  RECEIVES(MPI_ERR_COUNT, "count is -2", -2, MPI_INT, previous, kTag, MPI_COMM_WORLD);
  RECEIVES(MPI_ERR_TYPE, "not committed", 1, three, previous, kTag, MPI_COMM_WORLD);
  RECEIVES(MPI_ERR_RANK, "source", 1, MPI_INT, check_size, kTag, MPI_COMM_WORLD);
  RECEIVES(MPI_ERR_TAG, "tag", 1, MPI_INT, previous, -7, MPI_COMM_WORLD);
  RECEIVES(MPI_ERR_COMM, "MPI_COMM_NULL", 1, MPI_INT, previous, kTag, MPI_COMM_NULL);
  CHECK(request == MPI_REQUEST_NULL);
  EXPECT(MPI_ERR_ARG, "request", MPI_Isend_c(out, 1, MPI_INT, next, kTag, MPI_COMM_WORLD, NULL));
  EXPECT(MPI_ERR_REQUEST, "", MPI_Mrecv_c(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
  EXPECT(MPI_ERR_REQUEST, "", MPI_Imrecv_c(in, 1, MPI_INT, &message, &request));
  EXPECT(MPI_ERR_COUNT, "is -1",
         MPI_Isendrecv_c(out, -1, MPI_INT, next, kTag, in, 1, MPI_INT, previous, kTag,
                         MPI_COMM_WORLD, &request));
  EXPECT(MPI_ERR_COUNT, "is -1",
         MPI_Sendrecv_c(out, 1, MPI_INT, next, kTag, in, -1, MPI_INT, previous, kTag,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  EXPECT(MPI_ERR_COUNT, "is -1",
         MPI_Sendrecv_replace_c(in, -1, MPI_INT, next, kTag, previous, kTag, MPI_COMM_WORLD,
                                MPI_STATUS_IGNORE));
  EXPECT(
      MPI_ERR_RANK, "dest",
      MPI_Isendrecv_replace_c(in, 1, MPI_INT, -9, kTag, previous, kTag, MPI_COMM_WORLD, &request));
  OK(MPI_Type_free(&three));
}

int main(int argc, char** argv) {
  static char memory[1 << 20];
  void* got;
  MPI_Count length;
  check_start(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  next = (check_rank + 1) % check_size;
  previous = (check_rank + check_size - 1) % check_size;
  OK(MPI_Type_contiguous(0, MPI_INT, &nothing));
  OK(MPI_Type_commit(&nothing));
  buffers();
  OK(MPI_Buffer_attach_c(memory, sizeof memory));
  for (int way = 0; way < kSends; ++way) {
    ring(way, 0, MPI_INT, MPI_COMM_WORLD);
    ring(way, 1, MPI_INT, MPI_COMM_WORLD);
    ring(way, kInts, MPI_INT, MPI_COMM_WORLD);
    ring(way, kHuge, nothing, MPI_COMM_WORLD);
  }
  const MPI_Count counts[4] = {0, 1, kInts, kHuge};
  for (int i = 0; i < 4; ++i) {
    const MPI_Datatype type = i == 3 ? nothing : MPI_INT;
    synchronous(counts[i], type);
    both_ways(counts[i], type);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    matched(counts[i], type);
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  wrong();
  OK(MPI_Buffer_detach_c(&got, &length));
  CHECK(got == memory && length == sizeof memory);
  OK(MPI_Type_free(&nothing));
  return check_end("large_forms");
}
