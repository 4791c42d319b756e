/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * A collective operation in one of its forms: blocking, nonblocking or persistent. */
#ifndef REMIT_TESTS_MPI_FORMS_H
#define REMIT_TESTS_MPI_FORMS_H

#include <sched.h>

#include "check.h"

enum { kBlocking, kNonblocking, kPersistent, kForms };

static MPI_Comm comm;
static int me, size; /* in comm */
static int form;
static MPI_Request request;

/* Runs an operation that was called in its form to its end; a persistent one twice, after `again`,
 * if given, has refilled the buffers. */
static void complete(void (*again)(void)) {
  if (form == kBlocking) return;
  for (int i = 0; i < (form == kPersistent ? 2 : 1); ++i) {
    if (i > 0 && again != NULL) again();
    if (form == kPersistent) OK(MPI_Start(&request));
    if (me % 2 == 0) {
      OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
      int flag = 0;
      while (!flag) {
        OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
        if (!flag) sched_yield(); /* there may be fewer cores than ranks */
      }
    }
  }
  if (form == kPersistent) OK(MPI_Request_free(&request));
  CHECK(request == MPI_REQUEST_NULL);
}

#endif
