/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * MPI_T from several threads: before MPI, while others exchange messages, around sessions of MPI
 * that open and close it, and behind all of them. */
#include "check_threads.h"

enum { rounds = 300 };

static int pvar_index(const char* name, int var_class) {
  int index = -1;
  OK(MPI_T_pvar_get_index(name, var_class, &index));
  return index;
}

/* Opens MPI_T, looks at everything, closes it. */
static void* look(void* thread) {
  (void)thread;
  for (int i = 0; i < 20; ++i) {
    int provided = 0, cvars = 0, pvars = 0, index = -1;
    OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
    CHECK(provided == MPI_THREAD_MULTIPLE);
    OK(MPI_T_cvar_get_num(&cvars));
    OK(MPI_T_pvar_get_num(&pvars));
    for (int v = 0; v < cvars; v += 7) {
      MPI_T_cvar_handle handle;
      int count = 0;
      OK(MPI_T_cvar_handle_alloc(v, NULL, &handle, &count));
      char* value = (char*)calloc((size_t)count, sizeof(MPI_Count));
      OK(MPI_T_cvar_read(handle, value));
      free(value);
      OK(MPI_T_cvar_handle_free(&handle));
    }
    OK(MPI_T_cvar_get_index("eager_limit", &index));
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    int count = 0;
    unsigned long long value = 0, before = 0;
    OK(MPI_T_pvar_session_create(&session));
    OK(MPI_T_pvar_handle_alloc(session, pvar_index("messages_eager", MPI_T_PVAR_CLASS_COUNTER),
                               NULL, &handle, &count));
    OK(MPI_T_pvar_start(session, handle));
    for (int k = 0; k < 10; ++k) {
      OK(MPI_T_pvar_read(session, handle, &value));
      CHECK(value >= before);
      before = value;
    }
    OK(MPI_T_pvar_readreset(session, handle, &value));
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
  }
  return NULL;
}

/* Messages to itself, and others that look meanwhile. */
static void* exchange_or_look(void* thread) {
  const int tag = (int)(long)thread;
  if (tag % 2 == 0) return look(thread);
  for (int i = 0; i < rounds; ++i) {
    int out = i, in = -1;
    OK(MPI_Sendrecv(&out, 1, MPI_INT, (check_rank + 1) % check_size, tag, &in, 1, MPI_INT,
                    (check_rank + check_size - 1) % check_size, tag, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    CHECK(in == i);
  }
  return NULL;
}

static long arrived;
static void count_arrived(MPI_T_event_instance instance, MPI_T_event_registration registration,
                          MPI_T_cb_safety safety, void* user_data) {
  int32_t tag = -1;
  uint32_t context = 1;
  (void)registration;
  (void)safety;
  (void)user_data;
  OK(MPI_T_event_read(instance, 1, &context));
  OK(MPI_T_event_read(instance, 2, &tag));
  if (context % 8 == 0 && (tag == 1 || tag == 3)) /* none of a barrier's */
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
}

/* Events are turned on and off while other threads exchange messages, and none of those that come
 * meanwhile is missed. */
static void* listen_now_and_then(void* thread) {
  /* with other tags: the messages may come to who is not so far yet */
  if ((long)thread % 2 != 0) return exchange_or_look((void*)((long)thread + kThreads));
  for (int i = 0; i < 50; ++i) {
    MPI_T_event_registration registration;
    int index = -1;
    OK(MPI_T_event_get_index("message_matched", &index));
    OK(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registration));
    OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL,
                                     NULL, count_arrived));
    OK(MPI_T_event_handle_free(registration, NULL, NULL));
  }
  return NULL;
}

static void whole_run(void) {
  MPI_T_event_registration registration;
  int index = -1;
  OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, NULL));
  OK(MPI_T_event_get_index("message_arrived", &index));
  OK(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registration));
  OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, NULL,
                                   count_arrived));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  run_threads(exchange_or_look);
  CHECK(arrived == 2 * rounds);
  OK(MPI_T_event_handle_free(registration, NULL, NULL));
  run_threads(listen_now_and_then);
  OK(MPI_T_finalize());
}

/* A session that opens MPI and closes it, while other threads use MPI_T. */
static void* sessions_or_look(void* thread) {
  if ((long)thread != 0) return look(thread);
  for (int i = 0; i < 3; ++i) {
    MPI_Session session;
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE"));
    OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    OK(MPI_Info_free(&info));
    OK(MPI_Session_finalize(&session));
  }
  return NULL;
}

static void start_all(void* (*body)(void*)) {
  pthread_t threads[kThreads];
  for (long t = 0; t < kThreads; ++t) pthread_create(&threads[t], NULL, body, (void*)t);
  for (int t = 0; t < kThreads; ++t) pthread_join(threads[t], NULL);
}

int main(int argc, char** argv) {
  int provided = 0;
  start_all(look); /* there is no MPI yet */
  OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &check_size));
  whole_run();
  const int failed = check_end("tool_threads");
  check_failures = 0;
  start_all(look); /* and there is none any more */
  start_all(sessions_or_look);
  return failed || check_failures != 0;
}
