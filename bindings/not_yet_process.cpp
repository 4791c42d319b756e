// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// not_yet_process.cpp: what does not work yet of processes and of the environment. Who implements a
// function deletes it here.

#include "bindings/not_yet.hpp"
#include "bindings/weak.hpp"

using remit::not_yet;

// Dynamic processes: spawn, connect, accept, names (chapter 11).

int PMPI_Close_port(const char*) {
  return not_yet("MPI_Close_port");
}
REMIT_WEAK(Close_port);
int PMPI_Comm_accept(const char*, MPI_Info, int, MPI_Comm comm, MPI_Comm*) {
  return not_yet(comm, "MPI_Comm_accept");
}
REMIT_WEAK(Comm_accept);
int PMPI_Comm_connect(const char*, MPI_Info, int, MPI_Comm comm, MPI_Comm*) {
  return not_yet(comm, "MPI_Comm_connect");
}
REMIT_WEAK(Comm_connect);
int PMPI_Comm_join(int, MPI_Comm*) {
  return not_yet("MPI_Comm_join");
}
REMIT_WEAK(Comm_join);
int PMPI_Comm_spawn(const char*, char*[], int, MPI_Info, int, MPI_Comm comm, MPI_Comm*, int[]) {
  return not_yet(comm, "MPI_Comm_spawn");
}
REMIT_WEAK(Comm_spawn);
int PMPI_Comm_spawn_multiple(int, char*[], char**[], const int[], const MPI_Info[], int,
                             MPI_Comm comm, MPI_Comm*, int[]) {
  return not_yet(comm, "MPI_Comm_spawn_multiple");
}
REMIT_WEAK(Comm_spawn_multiple);
int PMPI_Lookup_name(const char*, MPI_Info, char*) {
  return not_yet("MPI_Lookup_name");
}
REMIT_WEAK(Lookup_name);
int PMPI_Open_port(MPI_Info, char*) {
  return not_yet("MPI_Open_port");
}
REMIT_WEAK(Open_port);
int PMPI_Publish_name(const char*, MPI_Info, const char*) {
  return not_yet("MPI_Publish_name");
}
REMIT_WEAK(Publish_name);
int PMPI_Unpublish_name(const char*, MPI_Info, const char*) {
  return not_yet("MPI_Unpublish_name");
}
REMIT_WEAK(Unpublish_name);
