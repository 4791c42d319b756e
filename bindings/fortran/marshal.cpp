// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/fortran/marshal.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <vector>

#include "bindings/fortran/at_root.hpp"

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

namespace {

/// What kind of topology a communicator has. A null one is for the call itself to refuse.
int topology_of(MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
  if (comm == MPI_COMM_NULL || PMPI_Topo_test(comm, &kind) != MPI_SUCCESS) return MPI_UNDEFINED;
  return kind;
}

}  // namespace

bool is_root(MPI_Comm comm, int root) {
  int inter = 0;
  if (root == MPI_ROOT) return true;
  if (root < 0 || comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) {
    return false;
  }
  return inter == 0 && rank_in(comm) == root;
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  return comm != MPI_COMM_NULL && PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS ? rank : 0;
}

int cart_dims(int comm) {
  const auto c_comm = handle<MPI_Comm>(comm);
  int dims = 0;
  if (topology_of(c_comm) != MPI_CART) return 0;
  return PMPI_Cartdim_get(c_comm, &dims) == MPI_SUCCESS ? dims : 0;
}

int peers(int comm) {
  const auto c_comm = handle<MPI_Comm>(comm);
  int inter = 0;
  int size = 0;
  if (c_comm == MPI_COMM_NULL) return 0;
  if (PMPI_Comm_test_inter(c_comm, &inter) != MPI_SUCCESS) return 0;
  const int error =
      inter != 0 ? PMPI_Comm_remote_size(c_comm, &size) : PMPI_Comm_size(c_comm, &size);
  return error == MPI_SUCCESS ? size : 0;
}

Neighbors neighbors(int comm) {
  const auto c_comm = handle<MPI_Comm>(comm);
  int rank = 0;
  int count = 0;
  int weighted = 0;
  Neighbors found;
  switch (topology_of(c_comm)) {
    case MPI_CART:
      if (PMPI_Cartdim_get(c_comm, &count) == MPI_SUCCESS) found = {2 * count, 2 * count};
      break;
    case MPI_GRAPH:
      if (PMPI_Comm_rank(c_comm, &rank) == MPI_SUCCESS &&
          PMPI_Graph_neighbors_count(c_comm, rank, &count) == MPI_SUCCESS) {
        found = {count, count};
      }
      break;
    case MPI_DIST_GRAPH:
      if (PMPI_Dist_graph_neighbors_count(c_comm, &found.in, &found.out, &weighted) !=
          MPI_SUCCESS) {
        found = {};
      }
      break;
    default:
      break;
  }
  return found;
}

}  // namespace remit::fortran
