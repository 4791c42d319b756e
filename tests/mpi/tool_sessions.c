/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Performance variables of MPI_T in sessions: what is counted, starting and stopping, resetting,
 * watermarks, variables of an object, and what is refused. 2 or more ranks. */
#include "tool.h"

enum { messages = 20, bytes = 1 << 20 };

static char buffer[bytes];

/* Rank 0 sends to 1, by rendezvous or eagerly. */
static void send_some(int count, int size) {
  for (int i = 0; i < count; ++i) {
    if (check_rank == 0) OK(MPI_Send(buffer, size, MPI_BYTE, 1, i, MPI_COMM_WORLD));
    if (check_rank == 1)
      OK(MPI_Recv(buffer, size, MPI_BYTE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  }
}

static void counters(void) {
  MPI_T_pvar_session first, second;
  OK(MPI_T_pvar_session_create(&first));
  OK(MPI_T_pvar_session_create(&second));
  MPI_T_pvar_handle a = tool_handle(first, "messages_eager", NULL);
  MPI_T_pvar_handle b = tool_handle(second, "messages_eager", NULL);
  CHECK(tool_read(first, a) == 0); /* not started */
  OK(MPI_T_pvar_start(first, a));
  send_some(messages, 8);
  const unsigned long long seen = tool_read(first, a);
  if (check_rank == 0) CHECK(seen == messages);
  CHECK(tool_read(second, b) == 0);
  OK(MPI_T_pvar_start(second, MPI_T_PVAR_ALL_HANDLES));
  OK(MPI_T_pvar_stop(first, a));
  send_some(messages, 8);
  CHECK(tool_read(first, a) == seen);
  if (check_rank == 0) CHECK(tool_read(second, b) == messages);
  OK(MPI_T_pvar_start(first, a)); /* goes on from there */
  send_some(1, 8);
  if (check_rank == 0) CHECK(tool_read(first, a) == messages + 1);
  unsigned long long value = 0;
  OK(MPI_T_pvar_readreset(second, b, &value));
  if (check_rank == 0) CHECK(value == messages + 1);
  CHECK(tool_read(second, b) == 0);
  if (check_rank == 0) CHECK(tool_read(first, a) == messages + 1);
  value = 1000;
  OK(MPI_T_pvar_write(first, a, &value));
  send_some(2, 8);
  if (check_rank == 0) CHECK(tool_read(first, a) == 1002);
  OK(MPI_T_pvar_reset(first, MPI_T_PVAR_ALL_HANDLES));
  CHECK(tool_read(first, a) == 0);
  /* a handle belongs to its session */
  FAILS(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_read(first, b, &value));
  FAILS(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_read(first, MPI_T_PVAR_ALL_HANDLES, &value));
  FAILS(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_write(first, MPI_T_PVAR_ALL_HANDLES, &value));
  FAILS(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_readreset(first, MPI_T_PVAR_ALL_HANDLES, &value));
  FAILS(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_start(first, MPI_T_PVAR_HANDLE_NULL));
  OK(MPI_T_pvar_handle_free(first, &a));
  CHECK(a == MPI_T_PVAR_HANDLE_NULL);
  FAILS(MPI_T_ERR_INVALID_HANDLE, MPI_T_pvar_handle_free(first, &a));
  MPI_T_pvar_session stale = first;
  OK(MPI_T_pvar_session_free(&first));
  FAILS(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_session_free(&stale));
  FAILS(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_read(stale, b, &value));
  FAILS(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_start(stale, MPI_T_PVAR_ALL_HANDLES));
  OK(MPI_T_pvar_session_free(&second));
}

static void protocols(void) {
  MPI_T_pvar_session session;
  OK(MPI_T_pvar_session_create(&session));
  MPI_T_pvar_handle rendezvous = tool_handle(session, "messages_rendezvous", NULL);
  OK(MPI_T_pvar_start(session, rendezvous));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  send_some(messages, bytes);
  if (check_rank == 0) CHECK(tool_read(session, rendezvous) == messages);
  OK(MPI_T_pvar_session_free(&session));
}

/* What only says what is now. */
static void continuous(void) {
  MPI_T_pvar_session session;
  unsigned long long value = 0;
  int state = -1;
  OK(MPI_T_pvar_session_create(&session));
  MPI_T_pvar_handle posted = tool_handle(session, "posted_receives", NULL);
  MPI_T_pvar_handle phase = tool_handle(session, "process_phase", NULL);
  MPI_T_pvar_handle size = tool_handle(session, "job_size", NULL);
  FAILS(MPI_T_ERR_PVAR_NO_STARTSTOP, MPI_T_pvar_start(session, posted));
  FAILS(MPI_T_ERR_PVAR_NO_STARTSTOP, MPI_T_pvar_stop(session, posted));
  FAILS(MPI_T_ERR_PVAR_NO_WRITE, MPI_T_pvar_reset(session, posted));
  FAILS(MPI_T_ERR_PVAR_NO_WRITE, MPI_T_pvar_write(session, posted, &value));
  FAILS(MPI_T_ERR_PVAR_NO_ATOMIC, MPI_T_pvar_readreset(session, posted, &value));
  OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES)); /* none of them, which is fine */
  OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
  OK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
  CHECK(tool_read(session, size) == (unsigned long long)check_size);
  OK(MPI_T_pvar_read(session, phase, &state));
  CHECK(state == 1); /* running */
  const unsigned long long before = tool_read(session, posted);
  MPI_Request requests[5];
  for (int i = 0; i < 5; ++i)
    OK(MPI_Irecv(buffer, 1, MPI_BYTE, check_rank, 1000 + i, MPI_COMM_WORLD, &requests[i]));
  CHECK(tool_read(session, posted) == before + 5);
  for (int i = 0; i < 5; ++i)
    OK(MPI_Send(buffer, 1, MPI_BYTE, check_rank, 1000 + i, MPI_COMM_WORLD));
  OK(MPI_Waitall(5, requests, MPI_STATUSES_IGNORE));
  CHECK(tool_read(session, posted) == before);
  OK(MPI_T_pvar_session_free(&session));
}

static void leave_unexpected(int count) {
  for (int i = 0; i < count; ++i)
    OK(MPI_Send(buffer, 1000, MPI_BYTE, check_rank, 77, MPI_COMM_WORLD));
}
static void take_unexpected(int count) {
  for (int i = 0; i < count; ++i)
    OK(MPI_Recv(buffer, 1000, MPI_BYTE, check_rank, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* A watermark begins at what is there, in each session for itself. */
static void watermarks(void) {
  MPI_T_pvar_session first, second;
  OK(MPI_T_pvar_session_create(&first));
  OK(MPI_T_pvar_session_create(&second));
  MPI_T_pvar_handle level = tool_handle(first, "unexpected_bytes", NULL);
  MPI_T_pvar_handle high = tool_handle(first, "unexpected_peak_bytes", NULL);
  OK(MPI_T_pvar_start(first, high));
  leave_unexpected(10);
  const unsigned long long ten = tool_read(first, level);
  CHECK(ten >= 10000 && tool_read(first, high) >= ten);
  take_unexpected(8);
  const unsigned long long two = tool_read(first, level);
  CHECK(two < ten && tool_read(first, high) >= ten);
  MPI_T_pvar_handle other = tool_handle(second, "unexpected_peak_bytes", NULL);
  OK(MPI_T_pvar_start(second, other));
  CHECK(tool_read(second, other) == two); /* not what was before */
  CHECK(tool_read(first, high) >= ten);   /* and this one has not lost it */
  leave_unexpected(3);
  const unsigned long long five = tool_read(first, level);
  take_unexpected(5);
  CHECK(tool_read(second, other) >= five && tool_read(second, other) < ten);
  OK(MPI_T_pvar_stop(second, other));
  leave_unexpected(9);
  CHECK(tool_read(second, other) < tool_read(first, level));
  OK(MPI_T_pvar_reset(first, high));
  CHECK(tool_read(first, high) == tool_read(first, level));
  take_unexpected(9);
  OK(MPI_T_pvar_session_free(&first));
  OK(MPI_T_pvar_session_free(&second));
}

static void of_objects(void) {
  MPI_T_pvar_session session;
  MPI_T_pvar_handle none;
  MPI_Comm dup, null = MPI_COMM_NULL;
  MPI_Win win;
  int count = 0;
  char* memory;
  OK(MPI_T_pvar_session_create(&session));
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
  MPI_T_pvar_handle of_world =
      tool_handle(session, "communicator_collectives", &(MPI_Comm){MPI_COMM_WORLD});
  MPI_T_pvar_handle of_dup = tool_handle(session, "communicator_collectives", &dup);
  MPI_T_pvar_handle size = tool_handle(session, "communicator_size", &dup);
  OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
  for (int i = 0; i < 100; ++i) OK(MPI_Barrier(dup)); /* until all is set up */
  OK(MPI_T_pvar_reset(session, of_dup));
  for (int i = 0; i < 7; ++i) OK(MPI_Barrier(dup));
  CHECK(tool_read(session, of_dup) == 7 && tool_read(session, of_world) == 0);
  CHECK(tool_read(session, size) == (unsigned long long)check_size);
  OK(MPI_Comm_free(&dup));
  CHECK(tool_read(session, of_dup) == 7); /* what was counted stays */
  FAILS(MPI_T_ERR_INVALID_HANDLE,
        MPI_T_pvar_handle_alloc(session, tool_pvar("communicator_size"), &null, &none, &count));
  FAILS(MPI_T_ERR_INVALID_HANDLE,
        MPI_T_pvar_handle_alloc(session, tool_pvar("communicator_size"), NULL, &none, &count));
  OK(MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
  MPI_T_pvar_handle members = tool_handle(session, "window_size", &win);
  MPI_T_pvar_handle open = tool_handle(session, "open_windows", NULL);
  CHECK(tool_read(session, members) == (unsigned long long)check_size);
  CHECK(tool_read(session, open) == 1);
  OK(MPI_Win_free(&win));
  CHECK(tool_read(session, open) == 0);
  FAILS(MPI_T_ERR_INVALID_INDEX, MPI_T_pvar_handle_alloc(session, -1, NULL, &none, &count));
  OK(MPI_T_pvar_session_free(&session));
}

static void of_file(void) {
  char name[64];
  MPI_File file;
  MPI_T_pvar_session session;
  snprintf(name, sizeof name, "tool_sessions.%d.tmp", check_rank);
  OK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                   MPI_INFO_NULL, &file));
  OK(MPI_T_pvar_session_create(&session));
  MPI_T_pvar_handle written = tool_handle(session, "file_direct_written", &file);
  MPI_T_pvar_handle read = tool_handle(session, "file_direct_read", &file);
  OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
  OK(MPI_File_write_at(file, 0, buffer, 5000, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at(file, 1000, buffer, 3000, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK(tool_read(session, written) == 5000 && tool_read(session, read) == 3000);
  OK(MPI_File_close(&file));
  CHECK(tool_read(session, written) == 5000);
  OK(MPI_T_pvar_session_free(&session));
}

int main(int argc, char** argv) {
  MPI_T_pvar_session whole;
  OK(MPI_T_init_thread(MPI_THREAD_SINGLE, NULL));
  OK(MPI_T_pvar_session_create(&whole));
  MPI_T_pvar_handle eager = tool_handle(whole, "messages_eager", NULL);
  OK(MPI_T_pvar_start(whole, eager)); /* before there is an MPI */
  check_start(&argc, &argv);
  counters();
  protocols();
  continuous();
  watermarks();
  of_objects();
  of_file();
  const unsigned long long sent = tool_read(whole, eager);
  const int failed = check_end("tool_sessions");
  check_failures = 0;
  CHECK(tool_read(whole, eager) >= sent); /* and after it */
  CHECK(check_rank != 0 || sent >= messages);
  OK(MPI_T_finalize());
  return failed || check_failures != 0;
}
