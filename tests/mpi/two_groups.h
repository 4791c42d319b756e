/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * An inter-communicator: the ranks of MPI_COMM_WORLD below check_size / 2 are the first group. */
#ifndef REMIT_TESTS_MPI_TWO_GROUPS_H
#define REMIT_TESTS_MPI_TWO_GROUPS_H

#include <stdbool.h>

#include "forms.h"

static int other;       /* size of the other group */
static bool first;      /* this process is of the first group */
static int other_first; /* MPI_COMM_WORLD's rank of the other group's rank 0 */

static void setup(void) {
  MPI_Comm half;
  first = check_rank < check_size / 2;
  OK(MPI_Comm_split(MPI_COMM_WORLD, first, check_rank, &half));
  OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? check_size / 2 : 0, 1, &comm));
  OK(MPI_Comm_free(&half));
  OK(MPI_Comm_rank(comm, &me));
  OK(MPI_Comm_size(comm, &size));
  OK(MPI_Comm_remote_size(comm, &other));
  other_first = first ? check_size / 2 : 0;
}

#endif
