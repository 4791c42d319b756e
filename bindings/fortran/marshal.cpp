// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/fortran/marshal.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <vector>

namespace remit::fortran {

void out_of_memory() {
  std::fputs("Remit: no memory is left to convert the arguments of a Fortran call\n", stderr);
  PMPI_Abort(MPI_COMM_WORLD, MPI_ERR_NO_MEM);
  std::abort();
}

const MPI_Datatype* kept_types(const MPI_Datatype* types, int count) {
  // Never destroyed: operations may go on while the program ends.
  static auto& mutex = *new std::mutex;
  static auto& kept = *new std::set<std::vector<MPI_Datatype>>;
  const std::scoped_lock lock(mutex);
  try {
    return kept.emplace(types, types + std::max(count, 0)).first->data();
  } catch (const std::bad_alloc&) {
    out_of_memory();
  }
}

}  // namespace remit::fortran
