/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* The copies that operations need between processes of one host, and nothing else: through memory
 * that they share, in pieces, or out of each other's memory by the kernel. */
#ifndef REMIT_BENCHMARKS_RAW_COPIES_H
#define REMIT_BENCHMARKS_RAW_COPIES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "suite/calls.h"

/** What a process shows the others. Only it writes here. */
struct raw_place {
  _Alignas(64) atomic_ulong published; /**< pieces, or calls, whose data others may read */
  _Alignas(64) atomic_ulong summed;    /**< of which it has summed its part */
  _Alignas(64) atomic_ulong consumed;  /**< which it has behind it */
  _Alignas(64) atomic_ulong arrived;   /**< barriers */
  _Alignas(64) pid_t pid;
  char* send; /**< where the data of the call lie in that process */
  char* receive;
  double time; /**< a result */
  bool able;   /**< another result */
};

/** What an operation copies. */
struct raw_operation {
  const char* name;
  const struct call_kind* kind;
  bool one_sends;    /**< only the root gives data */
  bool one_receives; /**< only the root gets any */
  bool sums;
};

/** How data are copied. */
struct raw_method {
  const char* name;
  bool kernel;  /**< by process_vm_readv, or _writev where many give to one */
  size_t piece; /**< else through shared memory, in pieces of so many bytes */
  void (*copy)(void* to, const void* from, size_t bytes);
  bool parts; /**< sums: each process sums a part of the vector for all, not what it needs itself */
};

/** One process' view. */
struct raw_world {
  int rank;
  int ranks;
  bool crowded;             /**< there are more processes than processors: who waits gives way */
  struct raw_place* places; /**< shared, one for each rank */
  char* area;               /**< shared, raw_area_bytes() */
  unsigned long number;     /**< pieces or calls so far: the same in all processes */
  unsigned long barriers;
};

/** Bytes of shared memory that so many processes need for their pieces. */
size_t raw_area_bytes(int ranks);

/** The ways to try for an operation; null behind the last. */
const struct raw_method* raw_method(const struct raw_operation* operation, int index);

/** All processes call it together. */
void raw_barrier(struct raw_world* w);

/** One call of an operation; all processes call it, with `data` of the same size. */
void raw_call(struct raw_world* w, const struct raw_operation* operation,
              const struct raw_method* method, int root, const struct call_data* data);

/** Whether this process can read the memory of the others by the kernel. All call it together. */
bool raw_kernel_copies(struct raw_world* w);

#endif
