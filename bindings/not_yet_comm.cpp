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
