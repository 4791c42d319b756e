/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * For a program that goes on where another rank has died, while mpirun ends their job: SIGTERM,
 * then SIGCONT. It must not leave before it has had both. The leak sanitizer stops a program's
 * threads at its end as a debugger does, by SIGSTOP; a SIGCONT that comes meanwhile takes that
 * away, and the sanitizer waits for ever. _GNU_SOURCE is defined. */
#ifndef REMIT_TESTS_MPI_SURVIVOR_H
#define REMIT_TESTS_MPI_SURVIVOR_H

#include <signal.h>
#include <stddef.h>
#include <time.h>

/* Before the program has more than one thread: the others inherit what is blocked. */
static inline void survivor_start(void) {
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGCONT);
  sigprocmask(SIG_BLOCK, &ending, NULL);
}

/* Waits for mpirun's SIGCONT; at most 10 s, where mpirun goes first. */
static inline void survivor_end(void) {
  const struct timespec most = {10, 0};
  sigset_t last;
  sigemptyset(&last);
  sigaddset(&last, SIGCONT);
  sigtimedwait(&last, NULL, &most);
}

#endif
