// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// not_yet_comm.cpp: what does not work yet of communicators, groups, attributes and topologies. Who
// implements a function deletes it here.

#include "bindings/not_yet.hpp"
#include "bindings/weak.hpp"

using remit::not_yet;

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
