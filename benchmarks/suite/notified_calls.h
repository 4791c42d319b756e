/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Notified access for programs that any MPI compiles: what Remit has (mpi_remit.h), what the Intel
   MPI Library has, and nothing. Counter 0, bytes, one arrival at a time. */
#ifndef REMIT_BENCHMARKS_SUITE_NOTIFIED_CALLS_H
#define REMIT_BENCHMARKS_SUITE_NOTIFIED_CALLS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#if __has_include(<mpi_remit.h>)
#include <mpi_remit.h>
#define SUITE_SIGNALS 1
#define SUITE_NOTIFIES 1
#elif defined(I_MPI_VERSION)
#define SUITE_SIGNALS 0
#define SUITE_NOTIFIES 1
#else
#define SUITE_SIGNALS 0
#define SUITE_NOTIFIES 0
#endif

enum { kSuiteNotifies = SUITE_NOTIFIES, kSuiteSignals = SUITE_SIGNALS };

/* Where a library has not what is called nobody calls it (kSuiteNotifies, kSuiteSignals). */
static inline void suite_make_counter(MPI_Win win) {
#if SUITE_NOTIFIES
  MPIX_Win_create_notify(win, 1);
#else
  (void)win;
#endif
}

static inline void suite_free_counter(MPI_Win win) {
#if SUITE_NOTIFIES
  MPIX_Win_free_notify(win);
#else
  (void)win;
#endif
}

static inline void suite_put_notify(const char* data, int bytes, int target, MPI_Aint at,
                                    MPI_Win win) {
#if SUITE_NOTIFIES
  MPIX_Put_notify(data, bytes, MPI_CHAR, target, at, bytes, MPI_CHAR, 0, win);
#else
  (void)data, (void)bytes, (void)target, (void)at, (void)win;
#endif
}

/** A request that is complete when the counter has come to `value`. */
static inline void suite_notify_request(MPI_Win win, int64_t value, MPI_Request* request) {
#if SUITE_NOTIFIES
  MPIX_Win_get_notify_request(win, 0, value, request);
#else
  (void)win, (void)value, (void)request;
#endif
}

static inline int64_t suite_notified(MPI_Win win) {
  MPI_Count value = 0;
#if SUITE_NOTIFIES
  MPIX_Win_get_notify(win, 0, &value);
#else
  (void)win;
#endif
  return value;
}

/** A put, and then 1 is added to the word. */
static inline void suite_put_signal(const char* data, int bytes, int target, MPI_Aint at,
                                    MPI_Aint word, MPI_Win win) {
#if SUITE_SIGNALS
  MPIX_Put_signal(data, bytes, MPI_CHAR, target, at, bytes, MPI_CHAR, word, 1, MPI_SUM, win);
#else
  (void)data, (void)bytes, (void)target, (void)at, (void)word, (void)win;
#endif
}

/** Until the word has come to `value`. */
static inline void suite_signal_wait(MPI_Win win, MPI_Aint word, int64_t value) {
#if SUITE_SIGNALS
  MPIX_Signal_wait(win, word, MPIX_CMP_GE, (uint64_t)value);
#else
  (void)win, (void)word, (void)value;
#endif
}

#endif
