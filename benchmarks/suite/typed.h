/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* The layouts of the benchmarks of derived datatypes, and their measuring loop. */
#ifndef REMIT_BENCHMARKS_SUITE_TYPED_H
#define REMIT_BENCHMARKS_SUITE_TYPED_H

#include "bench_common.h"

/** One layout on its way: `count` elements of `type` are `packed_bytes` of data. */
struct typed_args {
  MPI_Datatype type;
  int count;
  void* from; /**< what the type describes, or its data packed */
  void* to;   /**< likewise */
  int packed_bytes;
  int rank;
};

/** One call, or one exchange, of a benchmark of layouts. */
typedef void typed_call(const struct typed_args* a);

/** A benchmark of layouts. */
struct typed_program {
  const struct bench_spec* spec;
  typed_call* call;
  bool from_packed; /**< whether its data are taken out of packed ones */
  bool to_packed;   /**< and whether packed ones come of them */
  int share;        /**< 1, or 2 where a call is a message there and one back */
};

/** Times the call for every layout, checks once that no byte is lost, and prints a line for each.
 *  Returns main's exit status. */
int typed_main(const struct typed_program* program, int argc, char** argv);

#endif
