/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* The least that a process of a job can do: PMIx_Init, a fence, PMIx_Finalize. What an MPI library
   adds to that is its own. Compile with pkg-config --cflags --libs pmix. */
#include <pmix.h>
#include <string.h>

#include "resident.h"

/* usage: pmix_client [memory] */
int main(int argc, char** argv) {
  pmix_proc_t me, all;
  if (PMIx_Init(&me, NULL, 0) != PMIX_SUCCESS) return 1;
  PMIX_PROC_CONSTRUCT(&all);
  memcpy(all.nspace, me.nspace, sizeof all.nspace);
  all.rank = PMIX_RANK_WILDCARD;
  if (PMIx_Fence(&all, 1, NULL, 0) != PMIX_SUCCESS) return 1;
  if (argc > 1 && strcmp(argv[1], "memory") == 0) {
    print_resident();
    if (PMIx_Fence(&all, 1, NULL, 0) != PMIX_SUCCESS) return 1;
  }
  return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}
