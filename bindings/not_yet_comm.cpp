// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// not_yet_comm.cpp: what does not work yet of communicators, groups, attributes and topologies. Who
// implements a function deletes it here.

#include "bindings/not_yet.hpp"
#include "bindings/weak.hpp"

using remit::not_yet;

// Groups (chapter 7).

// Asking about a communicator (chapter 7).

// Making and freeing communicators (chapter 7).

int PMPI_Comm_create_from_group(MPI_Group, const char*, MPI_Info, MPI_Errhandler, MPI_Comm*) {
  return not_yet("MPI_Comm_create_from_group");
}
REMIT_WEAK(Comm_create_from_group);
int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group, int, MPI_Comm*) {
  return not_yet(comm, "MPI_Comm_create_group");
}
REMIT_WEAK(Comm_create_group);
int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info, MPI_Comm*) {
  return not_yet(comm, "MPI_Comm_dup_with_info");
}
REMIT_WEAK(Comm_dup_with_info);
int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm*, MPI_Request*) {
  return not_yet(comm, "MPI_Comm_idup");
}
REMIT_WEAK(Comm_idup);
int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info, MPI_Comm*, MPI_Request*) {
  return not_yet(comm, "MPI_Comm_idup_with_info");
}
REMIT_WEAK(Comm_idup_with_info);

// Intercommunicators (chapter 7).

int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group*) {
  return not_yet(comm, "MPI_Comm_remote_group");
}
REMIT_WEAK(Comm_remote_group);
int PMPI_Comm_remote_size(MPI_Comm comm, int*) {
  return not_yet(comm, "MPI_Comm_remote_size");
}
REMIT_WEAK(Comm_remote_size);
int PMPI_Intercomm_create(MPI_Comm local_comm, int, MPI_Comm, int, int, MPI_Comm*) {
  return not_yet(local_comm, "MPI_Intercomm_create");
}
REMIT_WEAK(Intercomm_create);
int PMPI_Intercomm_create_from_groups(MPI_Group, int, MPI_Group, int, const char*, MPI_Info,
                                      MPI_Errhandler, MPI_Comm*) {
  return not_yet("MPI_Intercomm_create_from_groups");
}
REMIT_WEAK(Intercomm_create_from_groups);
int PMPI_Intercomm_merge(MPI_Comm intercomm, int, MPI_Comm*) {
  return not_yet(intercomm, "MPI_Intercomm_merge");
}
REMIT_WEAK(Intercomm_merge);

// Names (chapter 7).

// Info (chapter 7).

int PMPI_Comm_get_info(MPI_Comm comm, MPI_Info*) {
  return not_yet(comm, "MPI_Comm_get_info");
}
REMIT_WEAK(Comm_get_info);
int PMPI_Comm_set_info(MPI_Comm comm, MPI_Info) {
  return not_yet(comm, "MPI_Comm_set_info");
}
REMIT_WEAK(Comm_set_info);

// Attributes of communicators (chapter 7).

// Attributes of windows (chapter 7).

int PMPI_Win_create_keyval(MPI_Win_copy_attr_function*, MPI_Win_delete_attr_function*, int*,
                           void*) {
  return not_yet("MPI_Win_create_keyval");
}
REMIT_WEAK(Win_create_keyval);
int PMPI_Win_delete_attr(MPI_Win win, int) {
  return not_yet(win, "MPI_Win_delete_attr");
}
REMIT_WEAK(Win_delete_attr);
int PMPI_Win_free_keyval(int*) {
  return not_yet("MPI_Win_free_keyval");
}
REMIT_WEAK(Win_free_keyval);
int PMPI_Win_get_attr(MPI_Win win, int, void*, int*) {
  return not_yet(win, "MPI_Win_get_attr");
}
REMIT_WEAK(Win_get_attr);
int PMPI_Win_set_attr(MPI_Win win, int, void*) {
  return not_yet(win, "MPI_Win_set_attr");
}
REMIT_WEAK(Win_set_attr);

// Attributes of datatypes (chapter 7).

// Cartesian, graph and distributed graph topologies (chapter 8).

int PMPI_Cart_coords(MPI_Comm comm, int, int, int[]) {
  return not_yet(comm, "MPI_Cart_coords");
}
REMIT_WEAK(Cart_coords);
int PMPI_Cart_create(MPI_Comm comm_old, int, const int[], const int[], int, MPI_Comm*) {
  return not_yet(comm_old, "MPI_Cart_create");
}
REMIT_WEAK(Cart_create);
int PMPI_Cart_get(MPI_Comm comm, int, int[], int[], int[]) {
  return not_yet(comm, "MPI_Cart_get");
}
REMIT_WEAK(Cart_get);
int PMPI_Cart_map(MPI_Comm comm, int, const int[], const int[], int*) {
  return not_yet(comm, "MPI_Cart_map");
}
REMIT_WEAK(Cart_map);
int PMPI_Cart_rank(MPI_Comm comm, const int[], int*) {
  return not_yet(comm, "MPI_Cart_rank");
}
REMIT_WEAK(Cart_rank);
int PMPI_Cart_shift(MPI_Comm comm, int, int, int*, int*) {
  return not_yet(comm, "MPI_Cart_shift");
}
REMIT_WEAK(Cart_shift);
int PMPI_Cart_sub(MPI_Comm comm, const int[], MPI_Comm*) {
  return not_yet(comm, "MPI_Cart_sub");
}
REMIT_WEAK(Cart_sub);
int PMPI_Cartdim_get(MPI_Comm comm, int*) {
  return not_yet(comm, "MPI_Cartdim_get");
}
REMIT_WEAK(Cartdim_get);
int PMPI_Dims_create(int, int, int[]) {
  return not_yet("MPI_Dims_create");
}
REMIT_WEAK(Dims_create);
int PMPI_Dist_graph_create(MPI_Comm comm_old, int, const int[], const int[], const int[],
                           const int[], MPI_Info, int, MPI_Comm*) {
  return not_yet(comm_old, "MPI_Dist_graph_create");
}
REMIT_WEAK(Dist_graph_create);
int PMPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int, const int[], const int[], int,
                                    const int[], const int[], MPI_Info, int, MPI_Comm*) {
  return not_yet(comm_old, "MPI_Dist_graph_create_adjacent");
}
REMIT_WEAK(Dist_graph_create_adjacent);
int PMPI_Dist_graph_neighbors(MPI_Comm comm, int, int[], int[], int, int[], int[]) {
  return not_yet(comm, "MPI_Dist_graph_neighbors");
}
REMIT_WEAK(Dist_graph_neighbors);
int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int*, int*, int*) {
  return not_yet(comm, "MPI_Dist_graph_neighbors_count");
}
REMIT_WEAK(Dist_graph_neighbors_count);
int PMPI_Graph_create(MPI_Comm comm_old, int, const int[], const int[], int, MPI_Comm*) {
  return not_yet(comm_old, "MPI_Graph_create");
}
REMIT_WEAK(Graph_create);
int PMPI_Graph_get(MPI_Comm comm, int, int, int[], int[]) {
  return not_yet(comm, "MPI_Graph_get");
}
REMIT_WEAK(Graph_get);
int PMPI_Graph_map(MPI_Comm comm, int, const int[], const int[], int*) {
  return not_yet(comm, "MPI_Graph_map");
}
REMIT_WEAK(Graph_map);
int PMPI_Graph_neighbors(MPI_Comm comm, int, int, int[]) {
  return not_yet(comm, "MPI_Graph_neighbors");
}
REMIT_WEAK(Graph_neighbors);
int PMPI_Graph_neighbors_count(MPI_Comm comm, int, int*) {
  return not_yet(comm, "MPI_Graph_neighbors_count");
}
REMIT_WEAK(Graph_neighbors_count);
int PMPI_Graphdims_get(MPI_Comm comm, int*, int*) {
  return not_yet(comm, "MPI_Graphdims_get");
}
REMIT_WEAK(Graphdims_get);
int PMPI_Topo_test(MPI_Comm comm, int*) {
  return not_yet(comm, "MPI_Topo_test");
}
REMIT_WEAK(Topo_test);

// Deprecated Interfaces (chapter 16).
