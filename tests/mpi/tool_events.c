/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Events of MPI_T: that N messages are N events whatever their size and call, and what the events
 * say; safety levels, dropped events, copies, freeing, events of one object; the rest of the events
 * where they can be provoked. 2 ranks. */
#include <unistd.h>

#include "tool.h"

enum { most_bytes = 300000 };

static char* buffer;
static unsigned world_context;

static int of_program(const long long* elements) {
  return elements[1] == (long long)world_context;
}
/* request_posted and request_completed have the context elsewhere */
static int request_of_program(const long long* elements) {
  return elements[3] == (long long)world_context;
}

/* What one message of each call is, from rank 0 to rank 1. */
typedef void one_message(int size, int tag);

static void by_send(int size, int tag) {
  if (check_rank == 0) OK(MPI_Send(buffer, size, MPI_BYTE, 1, tag, MPI_COMM_WORLD));
  if (check_rank == 1)
    OK(MPI_Recv(buffer, size, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}
static void by_any(int size, int tag) {
  MPI_Status status;
  if (check_rank == 0) OK(MPI_Send(buffer, size, MPI_BYTE, 1, tag, MPI_COMM_WORLD));
  if (check_rank == 1)
    OK(MPI_Recv(buffer, size, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
}
static void by_isend(int size, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (check_rank == 0) OK(MPI_Isend(buffer, size, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &request));
  if (check_rank == 1) OK(MPI_Irecv(buffer, size, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}
static void by_ssend(int size, int tag) {
  if (check_rank == 0) OK(MPI_Ssend(buffer, size, MPI_BYTE, 1, tag, MPI_COMM_WORLD));
  if (check_rank == 1)
    OK(MPI_Recv(buffer, size, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}
static void by_bsend(int size, int tag) {
  if (check_rank == 0) {
    OK(MPI_Bsend(buffer, size, MPI_BYTE, 1, tag, MPI_COMM_WORLD));
    OK(MPI_Buffer_flush());
  }
  if (check_rank == 1)
    OK(MPI_Recv(buffer, size, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}
static void by_start(int size, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (check_rank == 0) OK(MPI_Send_init(buffer, size, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &request));
  if (check_rank == 1) OK(MPI_Recv_init(buffer, size, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &request));
  if (check_rank > 1) return;
  OK(MPI_Start(&request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  OK(MPI_Request_free(&request));
}
static void by_probe(int size, int tag) {
  MPI_Message message;
  if (check_rank == 0) OK(MPI_Send(buffer, size, MPI_BYTE, 1, tag, MPI_COMM_WORLD));
  if (check_rank != 1) return;
  OK(MPI_Mprobe(0, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
  OK(MPI_Mrecv(buffer, size, MPI_BYTE, &message, MPI_STATUS_IGNORE));
}
static void by_vector(int size, int tag) {
  MPI_Datatype type;
  OK(MPI_Type_vector(size, 1, 2, MPI_CHAR, &type));
  OK(MPI_Type_commit(&type));
  if (check_rank == 0) OK(MPI_Send(buffer, 1, type, 1, tag, MPI_COMM_WORLD));
  if (check_rank == 1) OK(MPI_Recv(buffer, 1, type, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  OK(MPI_Type_free(&type));
}
static void by_sendrecv(int size, int tag) {
  const int null = MPI_PROC_NULL;
  if (check_rank > 1) return;
  OK(MPI_Sendrecv(buffer, size, MPI_BYTE, check_rank == 0 ? 1 : null, tag, buffer, size, MPI_BYTE,
                  check_rank == 1 ? 0 : null, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void count_messages(one_message* send, int size, const char* name) {
  enum { n = 30 };
  struct tool_heard arrived, matched, posted, completed, chosen;
  OK(MPI_Barrier(MPI_COMM_WORLD));
  tool_listen(&arrived, "message_arrived", NULL, of_program);
  tool_listen(&matched, "message_matched", NULL, of_program);
  tool_listen(&posted, "request_posted", NULL, request_of_program);
  tool_listen(&completed, "request_completed", NULL, request_of_program);
  tool_listen(&chosen, "protocol_chosen", NULL, of_program);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  for (int i = 0; i < n; ++i) send(size, i);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  const int ends = check_rank <= 1;
  if (arrived.count != (check_rank == 1 ? n : 0) || posted.count != (ends ? n : 0))
    fprintf(stderr, "%s of %d bytes: %ld arrived, %ld posted\n", name, size, arrived.count,
            posted.count);
  CHECK(arrived.count == (check_rank == 1 ? n : 0));
  CHECK(matched.count == (check_rank == 1 ? n : 0));
  CHECK(posted.count == (ends ? n : 0));
  CHECK(completed.count == (ends ? n : 0));
  CHECK(chosen.count == (check_rank == 0 ? n : 0));
  if (check_rank == 1) {
    CHECK(arrived.last[0] == 0 && arrived.last[2] == n - 1 && arrived.last[3] == size);
    CHECK(matched.last[0] == 0 && matched.last[2] == n - 1 && matched.last[3] == size);
    CHECK(matched.last[4] >= 0); /* for so long, and not "unknown" */
    CHECK(completed.last[2] == 0 && completed.last[4] == n - 1 && completed.last[5] == size);
    CHECK(completed.last[6] == MPI_SUCCESS);
  }
  if (check_rank == 0) CHECK(chosen.last[0] == 1 && chosen.last[3] == size);
  tool_end(&arrived);
  tool_end(&matched);
  tool_end(&posted);
  tool_end(&completed);
  tool_end(&chosen);
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void all_messages(void) {
  static const int sizes[] = {0, 1, 8, 100, 2048, 8191, 8192, 8193, 70000};
  static const struct {
    one_message* send;
    const char* name;
  } calls[] = {{by_send, "MPI_Send"},    {by_any, "any source"},  {by_isend, "MPI_Isend"},
               {by_ssend, "MPI_Ssend"},  {by_bsend, "MPI_Bsend"}, {by_start, "MPI_Start"},
               {by_probe, "MPI_Mprobe"}, {by_vector, "a vector"}, {by_sendrecv, "MPI_Sendrecv"}};
  for (size_t c = 0; c < sizeof calls / sizeof *calls; ++c)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
      count_messages(calls[c].send, sizes[s], calls[c].name);
}

/* To itself a process sends without a device. */
static void to_self(void) {
  struct tool_heard arrived, matched;
  tool_listen(&arrived, "message_arrived", NULL, of_program);
  tool_listen(&matched, "message_matched", NULL, of_program);
  MPI_Request request;
  OK(MPI_Send(buffer, 10, MPI_BYTE, check_rank, 1, MPI_COMM_WORLD));
  CHECK(arrived.count == 1 && matched.count == 0 && arrived.last[4] == 0);
  OK(MPI_Recv(buffer, 10, MPI_BYTE, check_rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(matched.count == 1 && matched.last[4] > 0);
  OK(MPI_Irecv(buffer, 10, MPI_BYTE, check_rank, 1, MPI_COMM_WORLD, &request));
  OK(MPI_Send(buffer, 10, MPI_BYTE, check_rank, 1, MPI_COMM_WORLD));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(arrived.count == 2 && matched.count == 2);
  CHECK(arrived.last[4] == 1 && matched.last[4] == 0); /* expected */
  CHECK(arrived.last[0] == check_rank);
  tool_end(&arrived);
  tool_end(&matched);
}

/* A message that waits for its receive says for how long; a receive that waits says for whom. */
static void waiting(void) {
  struct tool_heard matched, waited;
  tool_listen(&matched, "message_matched", NULL, of_program);
  tool_listen(&waited, "wait_ended", NULL, NULL);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == 0) OK(MPI_Send(buffer, 8, MPI_BYTE, 1, 5, MPI_COMM_WORLD));
  if (check_rank == 1) {
    int there = 0;
    while (!there) OK(MPI_Iprobe(0, 5, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE));
    usleep(30000);
    OK(MPI_Recv(buffer, 8, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(matched.last[4] >= 30000000);
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == 1) {
    usleep(50000);
    OK(MPI_Send(buffer, 8, MPI_BYTE, 0, 6, MPI_COMM_WORLD));
  }
  if (check_rank == 0) {
    const long before = waited.count;
    OK(MPI_Recv(buffer, 8, MPI_BYTE, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(waited.count == before + 1);
    CHECK(waited.last[0] == tool_item(waited.index, "MPI_Recv"));
    CHECK(waited.last[1] == 1 && waited.last[2] == (long long)world_context);
    CHECK(waited.last[3] == 6 && waited.last[4] >= 10000000);
    CHECK(waited.last[5] == tool_item(waited.index, "late_sender"));
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == 0) {
    const long before = waited.count;
    OK(MPI_Ssend(buffer, 8, MPI_BYTE, 1, 7, MPI_COMM_WORLD));
    CHECK(waited.count == before + 1 && waited.last[1] == 1);
    CHECK(waited.last[0] == tool_item(waited.index, "MPI_Ssend"));
    CHECK(waited.last[5] == tool_item(waited.index, "late_receiver"));
  }
  if (check_rank == 1) {
    usleep(50000);
    OK(MPI_Recv(buffer, 8, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  }
  /* Of several requests the one that came last. */
  MPI_Request requests[2];
  if (check_rank == 0) {
    OK(MPI_Irecv(buffer, 8, MPI_BYTE, 1, 8, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Irecv(buffer + 8, 8, MPI_BYTE, 1, 9, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK(waited.last[0] == tool_item(waited.index, "MPI_Waitall") && waited.last[3] == 9);
  }
  if (check_rank == 1) {
    OK(MPI_Send(buffer, 8, MPI_BYTE, 0, 8, MPI_COMM_WORLD));
    usleep(50000);
    OK(MPI_Send(buffer, 8, MPI_BYTE, 0, 9, MPI_COMM_WORLD));
  }
  tool_end(&matched);
  tool_end(&waited);
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

static int kind_wanted;
static MPI_Comm other;
static unsigned other_context;
static int of_kind(const long long* elements) {
  return elements[0] == (long long)other_context && elements[2] == kind_wanted;
}

static void collectives(void) {
  enum { n = 40 };
  struct tool_heard created, freed, started, ended;
  tool_listen(&created, "communicator_created", NULL, NULL);
  tool_listen(&freed, "communicator_freed", NULL, NULL);
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &other));
  CHECK(created.count >= 1 && created.last[1] == check_rank && created.last[2] == check_size);
  other_context = (unsigned)created.last[0];
  CHECK(other_context % 8 == 0 && other_context != world_context);
  int value = 1, sum = 0;
  for (int i = 0; i < 200; ++i) /* until the short ways are there */
    OK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, other));
  tool_listen(&started, "collective_started", NULL, of_kind);
  tool_listen(&ended, "collective_ended", NULL, of_kind);
  kind_wanted = tool_item(ended.index, "allreduce");
  for (int i = 0; i < n; ++i) OK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, other));
  CHECK(started.count == n && ended.count == n && sum == check_size);
  const long long number = ended.last[1];
  OK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, other));
  CHECK(ended.last[1] == number + 1 && ended.last[3] >= 100);
  started.count = ended.count = 0;
  kind_wanted = tool_item(ended.index, "bcast");
  for (int i = 0; i < n; ++i) OK(MPI_Bcast(buffer, i * 5000, MPI_BYTE, 0, other));
  CHECK(started.count == n && ended.count == n);
  started.count = ended.count = 0;
  kind_wanted = tool_item(ended.index, "barrier");
  MPI_Request request;
  for (int i = 0; i < n; ++i) {
    OK(MPI_Ibarrier(other, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  CHECK(started.count == n && ended.count == n);
  started.count = ended.count = 0;
  for (int i = 0; i < n; ++i) OK(MPI_Barrier(other));
  CHECK(started.count == n && ended.count == n);
  /* who comes last is told, and for how long the others waited */
  if (check_rank == check_size - 1) usleep(60000);
  OK(MPI_Barrier(other));
  if (check_rank == 0 && check_size == 2) CHECK(ended.last[4] == 1);
  if (check_rank != check_size - 1) CHECK(ended.last[5] >= 10000000);
  tool_end(&started);
  tool_end(&ended);
  /* and the short ways are open again */
  for (int i = 0; i < n; ++i) OK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, other));
  CHECK(sum == check_size);
  OK(MPI_Comm_free(&other));
  CHECK(freed.count >= 1);
  tool_end(&created);
  tool_end(&freed);
}

/* Safety levels: the weakest that is enough is called, and a weaker one is dropped, and counted. */
static long called_at[4];
static void at_level(MPI_T_event_instance instance, MPI_T_event_registration registration,
                     MPI_T_cb_safety safety, void* user_data) {
  (void)instance;
  (void)registration;
  CHECK(safety == MPI_T_CB_REQUIRE_MPI_RESTRICTED);
  ++called_at[(long)(intptr_t)user_data];
}
static MPI_Count dropped;
static void on_dropped(MPI_Count count, MPI_T_event_registration registration, int source,
                       MPI_T_cb_safety safety, void* user_data) {
  (void)registration;
  (void)safety;
  (void)user_data;
  CHECK(source == 0 && count > 0);
  dropped += count;
}
static void message_to_self(void) {
  OK(MPI_Send(buffer, 1, MPI_BYTE, check_rank, 3, MPI_COMM_WORLD));
  OK(MPI_Recv(buffer, 1, MPI_BYTE, check_rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}
static int freed_calls;
static void on_free(MPI_T_event_registration registration, MPI_T_cb_safety safety,
                    void* user_data) {
  (void)registration;
  (void)safety;
  CHECK(user_data == &freed_calls);
  ++freed_calls;
}

static void levels(void) {
  static const MPI_T_cb_safety all[] = {MPI_T_CB_REQUIRE_NONE, MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                        MPI_T_CB_REQUIRE_THREAD_SAFE,
                                        MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE};
  MPI_T_event_registration registration;
  MPI_Info info = MPI_INFO_NULL;
  int index = -1;
  OK(MPI_T_event_get_index("message_arrived", &index));
  OK(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registration));
  FAILS(MPI_T_ERR_INVALID, MPI_T_event_callback_get_info(registration, all[0], &info));
  FAILS(MPI_T_ERR_INVALID, MPI_T_event_register_callback(registration, (MPI_T_cb_safety)2,
                                                         MPI_INFO_NULL, NULL, at_level));
  OK(MPI_T_event_register_callback(registration, all[0], MPI_INFO_NULL, NULL, at_level));
  message_to_self();
  message_to_self();
  CHECK(called_at[0] == 0 && dropped == 0);
  OK(MPI_T_event_set_dropped_handler(registration, on_dropped));
  message_to_self();
  CHECK(called_at[0] == 0 && dropped == 3);
  for (int i = 3; i > 0; --i) {
    OK(MPI_T_event_register_callback(registration, all[i], MPI_INFO_NULL, (void*)(intptr_t)i,
                                     at_level));
    message_to_self();
    CHECK(called_at[i] == 1);
  }
  message_to_self();
  CHECK(called_at[1] == 2 && called_at[2] == 1 && called_at[3] == 1 && dropped == 3);
  OK(MPI_T_event_callback_get_info(registration, all[2], &info));
  OK(MPI_Info_free(&info));
  OK(MPI_T_event_callback_set_info(registration, all[2], MPI_INFO_NULL));
  OK(MPI_T_event_handle_get_info(registration, &info));
  OK(MPI_T_event_handle_set_info(registration, info));
  OK(MPI_Info_free(&info));
  OK(MPI_T_event_register_callback(registration, all[1], MPI_INFO_NULL, NULL, NULL));
  message_to_self();
  CHECK(called_at[1] == 2 && called_at[2] == 2);
  OK(MPI_T_event_handle_free(registration, &freed_calls, on_free));
  CHECK(freed_calls == 1);
  message_to_self();
  CHECK(called_at[2] == 2);
  FAILS(MPI_T_ERR_INVALID_HANDLE, MPI_T_event_handle_free(registration, NULL, NULL));
  FAILS(MPI_T_ERR_INVALID_HANDLE, MPI_T_event_set_dropped_handler(registration, on_dropped));
  FAILS(MPI_T_ERR_INVALID_INDEX, MPI_T_event_handle_alloc(-1, NULL, MPI_INFO_NULL, &registration));
}

/* By copy the elements lie where their displacements say, and nothing is written behind them. */
static MPI_T_event_instance stale;
static void copy(MPI_T_event_instance instance, MPI_T_event_registration registration,
                 MPI_T_cb_safety safety, void* user_data) {
  struct {
    int32_t peer;
    uint32_t context;
    int32_t tag;
    int64_t bytes;
    int32_t expected;
    int32_t guard;
  } event;
  (void)safety;
  memset(&event, 0x5a, sizeof event);
  OK(MPI_T_event_copy(instance, &event));
  CHECK(event.peer == check_rank && event.context == world_context && event.tag == 3);
  CHECK(event.bytes == 1 && event.expected == 0 && event.guard == 0x5a5a5a5a);
  int64_t bytes = 0;
  OK(MPI_T_event_read(instance, 3, &bytes));
  CHECK(bytes == 1);
  ++*(int*)user_data;
  stale = instance;
  OK(MPI_T_event_handle_free(registration, &freed_calls, on_free)); /* this is the last one */
}
static void copies(void) {
  MPI_T_event_registration registration;
  int index = -1, calls = 0;
  MPI_Count now;
  freed_calls = 0;
  OK(MPI_T_event_get_index("message_arrived", &index));
  OK(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registration));
  OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL,
                                   &calls, copy));
  message_to_self();
  message_to_self();
  CHECK(calls == 1 && freed_calls == 1);
  FAILS(MPI_T_ERR_INVALID_HANDLE, MPI_T_event_get_timestamp(stale, &now));
  FAILS(MPI_T_ERR_INVALID_HANDLE, MPI_T_event_copy(stale, &now));
}

/* Events of one communicator. */
static void bound(void) {
  struct tool_heard mine, none;
  MPI_Comm dup;
  OK(MPI_Comm_dup(MPI_COMM_SELF, &dup));
  MPI_T_event_registration registration;
  int index = -1;
  OK(MPI_T_event_get_index("communicator_message_arrived", &index));
  FAILS(MPI_T_ERR_INVALID_HANDLE,
        MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registration));
  tool_listen(&mine, "communicator_message_arrived", &dup, NULL);
  tool_listen(&none, "communicator_message_arrived", &(MPI_Comm){MPI_COMM_SELF}, NULL);
  message_to_self();
  CHECK(mine.count == 0 && none.count == 0);
  OK(MPI_Send(buffer, 1, MPI_BYTE, 0, 3, dup));
  OK(MPI_Recv(buffer, 1, MPI_BYTE, 0, 3, dup, MPI_STATUS_IGNORE));
  CHECK(mine.count == 1 && none.count == 0);
  tool_end(&mine);
  tool_end(&none);
  OK(MPI_Comm_free(&dup));
}

static void windows_and_files(void) {
  struct tool_heard made, gone, locked, opened, closed, done;
  MPI_Win win;
  int* memory;
  tool_listen(&made, "window_created", NULL, NULL);
  tool_listen(&gone, "window_freed", NULL, NULL);
  OK(MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
  CHECK(made.count == 1);
  tool_listen(&locked, "window_lock_waited", &win, NULL);
  if (check_size > 1 && check_shares_memory()) {
    if (check_rank == 1) OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 1) {
      usleep(50000);
      OK(MPI_Win_unlock(0, win));
    }
    if (check_rank == 0) {
      OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
      OK(MPI_Win_unlock(0, win));
      CHECK(locked.count == 1 && locked.last[1] == 0 && locked.last[3] == 1);
      CHECK(locked.last[2] > 0);
    }
  }
  tool_end(&locked);
  OK(MPI_Win_free(&win));
  CHECK(gone.count == 1 && gone.last[0] == made.last[0]);
  tool_end(&made);
  tool_end(&gone);

  char name[64];
  MPI_File file;
  MPI_Request request;
  snprintf(name, sizeof name, "tool_events.%d.tmp", check_rank);
  tool_listen(&opened, "file_opened", NULL, NULL);
  tool_listen(&closed, "file_closed", NULL, NULL);
  tool_listen(&done, "file_transfer_done", NULL, NULL);
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  OK(MPI_File_open(MPI_COMM_SELF, name, mode, MPI_INFO_NULL, &file));
  CHECK(opened.count == 1 && opened.last[1] == mode);
  OK(MPI_File_write_at(file, 0, buffer, 5000, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK(done.count == 1 && done.last[0] == opened.last[0] && done.last[1] == 0);
  CHECK(done.last[2] == 5000 && done.last[3] > 0 && done.last[4] == 1);
  OK(MPI_File_iread_at(file, 1000, buffer, 3000, MPI_BYTE, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(done.count == 2 && done.last[1] == 1000 && done.last[2] == 3000 && done.last[4] == 0);
  OK(MPI_File_close(&file));
  CHECK(closed.count == 1);
  tool_end(&opened);
  tool_end(&closed);
  tool_end(&done);
}

int main(int argc, char** argv) {
  struct tool_heard initialized, finalized, connected;
  OK(MPI_T_init_thread(MPI_THREAD_SINGLE, NULL));
  /* before there is an MPI */
  tool_listen(&initialized, "initialized", NULL, NULL);
  tool_listen(&finalized, "finalized", NULL, NULL);
  tool_listen(&connected, "connection_opened", NULL, NULL);
  check_start(&argc, &argv);
  CHECK(initialized.count == 1 && initialized.last[0] == MPI_THREAD_SINGLE);
  buffer = (char*)calloc(1, 2 * most_bytes);
  const int room = 70000 + MPI_BSEND_OVERHEAD;
  char* attached = (char*)malloc((size_t)room);
  OK(MPI_Buffer_attach(attached, room));
  struct tool_heard arrived;
  tool_listen(&arrived, "message_arrived", NULL, NULL);
  message_to_self();
  world_context = (unsigned)arrived.last[1];
  CHECK(world_context % 8 == 0);
  tool_end(&arrived);
  if (check_size > 1) {
    all_messages();
    waiting();
  }
  if (check_size == 2) CHECK(connected.count >= 1 && connected.last[0] == 1 - check_rank);
  to_self();
  collectives();
  levels();
  copies();
  bound();
  windows_and_files();
  OK(MPI_Buffer_detach(&attached, &(int){0}));
  free(attached);
  const int failed = check_end("tool_events");
  check_failures = 0;
  CHECK(finalized.count == 1);
  tool_end(&initialized);
  tool_end(&finalized);
  tool_end(&connected);
  OK(MPI_T_finalize());
  free(buffer);
  return failed || check_failures != 0;
}
