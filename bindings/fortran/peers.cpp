// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/fortran/peers.hpp"

namespace remit::fortran {

namespace {

bool is_inter(MPI_Comm comm) {
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  return inter != 0;
}

}  // namespace

int Peers::count() const {
  int size = 0;
  if (comm == MPI_COMM_NULL) return 0;
  if (kind == Kind::members) {
    is_inter(comm) ? PMPI_Comm_remote_size(comm, &size) : PMPI_Comm_size(comm, &size);
    return size;
  }
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    PMPI_Cartdim_get(comm, &size);
    return kind == Kind::dimensions ? size : 2 * size;
  }
  if (topology == MPI_GRAPH) PMPI_Graph_neighbors_count(comm, rank_in(comm), &size);
  if (topology == MPI_DIST_GRAPH) {
    int in = 0;
    int out = 0;
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    size = kind == Kind::sources ? in : out;
  }
  return kind == Kind::dimensions ? 0 : size;
}

bool is_root(MPI_Comm comm, int root) {
  if (root == MPI_ROOT) return true;
  return root >= 0 && comm != MPI_COMM_NULL && !is_inter(comm) && rank_in(comm) == root;
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  if (comm != MPI_COMM_NULL) PMPI_Comm_rank(comm, &rank);
  return rank;
}

}  // namespace remit::fortran
