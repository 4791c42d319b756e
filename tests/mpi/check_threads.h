/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Checks of programs with MPI_THREAD_MULTIPLE: CHECK and OK may be used by several threads. */
#pragma once

#include <pthread.h>

#include "check.h"

enum { kThreads = 4 };

static pthread_mutex_t check_lock = PTHREAD_MUTEX_INITIALIZER;
static void check_in_thread(int holds, const char* what, int line) {
  pthread_mutex_lock(&check_lock);
  check_that(holds, what, __FILE__, line);
  pthread_mutex_unlock(&check_lock);
}
#undef CHECK
#undef OK
#define CHECK(condition) check_in_thread((condition) != 0, #condition, __LINE__)
#define OK(call) check_in_thread((call) == MPI_SUCCESS, #call, __LINE__)

/* Runs kThreads threads, with their numbers, and meets the other ranks. */
static void run_threads(void* (*body)(void*)) {
  pthread_t threads[kThreads];
  for (long t = 0; t < kThreads; ++t) pthread_create(&threads[t], NULL, body, (void*)t);
  for (int t = 0; t < kThreads; ++t) pthread_join(threads[t], NULL);
  MPI_Barrier(MPI_COMM_WORLD);
}
