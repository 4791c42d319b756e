/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * For a program that goes on where another rank has died, while mpirun ends their job: SIGTERM,
 * then SIGCONT. It must not leave before it has had both. The leak sanitizer stops a program's
 * threads at its end as a debugger does, by SIGSTOP; a SIGCONT that comes meanwhile takes that
 * away, and the sanitizer waits for ever. _GNU_SOURCE is defined. */
#ifndef REMIT_TESTS_MPI_SURVIVOR_H
#define REMIT_TESTS_MPI_SURVIVOR_H

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "check.h"

/* Before the program has more than one thread: the others inherit what is blocked. */
static inline void survivor_start(void) {
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGCONT);
  sigprocmask(SIG_BLOCK, &ending, NULL);
}

/* Waits for mpirun's SIGCONT. A program whose mpirun sends none fails after 10 s. */
static inline void survivor_end(void) {
  const struct timespec most = {10, 0};
  sigset_t last;
  int got;
  sigemptyset(&last);
  sigaddset(&last, SIGCONT);
  do got = sigtimedwait(&last, NULL, &most);
  while (got < 0 && errno == EINTR);
  CHECK(got == SIGCONT);
}

#endif
