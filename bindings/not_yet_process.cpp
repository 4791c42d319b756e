// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// not_yet_process.cpp: what does not work yet of processes, sessions, info, error handlers and the
// rest of the environment. Who implements a function deletes it here.

#include "bindings/not_yet.hpp"
#include "bindings/weak.hpp"

using remit::not_yet;

// Memory (chapter 9).

// Error handlers (chapter 9).

int PMPI_File_call_errhandler(MPI_File fh, int) {
  return not_yet(fh, "MPI_File_call_errhandler");
}
REMIT_WEAK(File_call_errhandler);
int PMPI_File_create_errhandler(MPI_File_errhandler_function*, MPI_Errhandler*) {
  return not_yet("MPI_File_create_errhandler");
}
REMIT_WEAK(File_create_errhandler);
int PMPI_File_get_errhandler(MPI_File file, MPI_Errhandler*) {
  return not_yet(file, "MPI_File_get_errhandler");
}
REMIT_WEAK(File_get_errhandler);
int PMPI_File_set_errhandler(MPI_File file, MPI_Errhandler) {
  return not_yet(file, "MPI_File_set_errhandler");
}
REMIT_WEAK(File_set_errhandler);
int PMPI_Session_call_errhandler(MPI_Session session, int) {
  return not_yet(session, "MPI_Session_call_errhandler");
}
REMIT_WEAK(Session_call_errhandler);
int PMPI_Session_create_errhandler(MPI_Session_errhandler_function*, MPI_Errhandler*) {
  return not_yet("MPI_Session_create_errhandler");
}
REMIT_WEAK(Session_create_errhandler);
int PMPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler*) {
  return not_yet(session, "MPI_Session_get_errhandler");
}
REMIT_WEAK(Session_get_errhandler);
int PMPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler) {
  return not_yet(session, "MPI_Session_set_errhandler");
}
REMIT_WEAK(Session_set_errhandler);
int PMPI_Win_call_errhandler(MPI_Win win, int) {
  return not_yet(win, "MPI_Win_call_errhandler");
}
REMIT_WEAK(Win_call_errhandler);
int PMPI_Win_create_errhandler(MPI_Win_errhandler_function*, MPI_Errhandler*) {
  return not_yet("MPI_Win_create_errhandler");
}
REMIT_WEAK(Win_create_errhandler);
int PMPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler*) {
  return not_yet(win, "MPI_Win_get_errhandler");
}
REMIT_WEAK(Win_get_errhandler);
int PMPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler) {
  return not_yet(win, "MPI_Win_set_errhandler");
}
REMIT_WEAK(Win_set_errhandler);

// Error classes and codes (chapter 9).

int PMPI_Add_error_class(int*) {
  return not_yet("MPI_Add_error_class");
}
REMIT_WEAK(Add_error_class);
int PMPI_Add_error_code(int, int*) {
  return not_yet("MPI_Add_error_code");
}
REMIT_WEAK(Add_error_code);
int PMPI_Add_error_string(int, const char*) {
  return not_yet("MPI_Add_error_string");
}
REMIT_WEAK(Add_error_string);
int PMPI_Remove_error_class(int) {
  return not_yet("MPI_Remove_error_class");
}
REMIT_WEAK(Remove_error_class);
int PMPI_Remove_error_code(int) {
  return not_yet("MPI_Remove_error_code");
}
REMIT_WEAK(Remove_error_code);
int PMPI_Remove_error_string(int) {
  return not_yet("MPI_Remove_error_string");
}
REMIT_WEAK(Remove_error_string);

// The Info Object (chapter 10).

int PMPI_Info_create_env(int, char*[], MPI_Info*) {
  return not_yet("MPI_Info_create_env");
}
REMIT_WEAK(Info_create_env);

// The world model (chapter 11).

// Sessions (chapter 11).

int PMPI_Session_get_info(MPI_Session session, MPI_Info*) {
  return not_yet(session, "MPI_Session_get_info");
}
REMIT_WEAK(Session_get_info);
int PMPI_Session_get_nth_pset(MPI_Session session, MPI_Info, int, int*, char*) {
  return not_yet(session, "MPI_Session_get_nth_pset");
}
REMIT_WEAK(Session_get_nth_pset);
int PMPI_Session_get_num_psets(MPI_Session session, MPI_Info, int*) {
  return not_yet(session, "MPI_Session_get_num_psets");
}
REMIT_WEAK(Session_get_num_psets);
int PMPI_Session_get_pset_info(MPI_Session session, const char*, MPI_Info*) {
  return not_yet(session, "MPI_Session_get_pset_info");
}
REMIT_WEAK(Session_get_pset_info);

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

// Properties of the ABI (chapter 20).

int PMPI_Abi_get_fortran_booleans(int, void*, void*, int*) {
  return not_yet("MPI_Abi_get_fortran_booleans");
}
REMIT_WEAK(Abi_get_fortran_booleans);
int PMPI_Abi_get_fortran_info(MPI_Info*) {
  return not_yet("MPI_Abi_get_fortran_info");
}
REMIT_WEAK(Abi_get_fortran_info);
int PMPI_Abi_get_info(MPI_Info*) {
  return not_yet("MPI_Abi_get_info");
}
REMIT_WEAK(Abi_get_info);
int PMPI_Abi_set_fortran_booleans(int, void*, void*) {
  return not_yet("MPI_Abi_set_fortran_booleans");
}
REMIT_WEAK(Abi_set_fortran_booleans);
int PMPI_Abi_set_fortran_info(MPI_Info) {
  return not_yet("MPI_Abi_set_fortran_info");
}
REMIT_WEAK(Abi_set_fortran_info);
