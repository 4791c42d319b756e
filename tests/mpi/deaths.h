/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * The frame of the programs whose last rank dies while the others wait for it: deaths.py looks at
 * what these say. _GNU_SOURCE is defined. */
#ifndef REMIT_TESTS_MPI_DEATHS_H
#define REMIT_TESTS_MPI_DEATHS_H

#include <time.h>

#include "check.h"
#include "survivor.h"

static inline void deaths_rest(long ms) {
  const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&pause, NULL);
}

static inline void deaths_start(int* argc, char*** argv) {
  survivor_start();
  check_start(argc, argv);
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
}

/* Says what has come of it for this rank, and returns the program's status. */
static inline int deaths_end(int code) {
  char text[MPI_MAX_ERROR_STRING] = "none";
  int length;
  if (code != MPI_SUCCESS) MPI_Error_string(code, text, &length);
  printf("rank %d, class %d: %s\n", check_rank, code == MPI_SUCCESS ? 0 : check_class_of(code),
         text);
  fflush(stdout);
  deaths_rest(300); /* the other one has what it needs of this one */
  MPI_Finalize();
  survivor_end();
  printf("rank %d finalized with %d failures\n", check_rank, check_failures);
  return check_failures != 0;
}

#endif
