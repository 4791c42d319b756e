// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// handle_int.cpp: handles as integers and back (MPI-5.0, chapter 20), for other languages.
// Callable at any time. Predefined handles work; those of the user's own objects do not yet.

#include <cstdint>

#include "bindings/not_yet.hpp"
#include "bindings/weak.hpp"

namespace {

// The standard reserves 1 to 4095 for predefined handles, and has them convert to themselves.
constexpr std::intptr_t kLastPredefined = 4095;

constexpr bool predefined(std::intptr_t value) {
  return value >= 1 && value <= kLastPredefined;
}

template <class Handle>
int to_int_or_not_yet(Handle handle, const char* function) {
  const auto value = reinterpret_cast<std::intptr_t>(handle);
  if (predefined(value)) return static_cast<int>(value);
  remit::not_yet(function);
  return 0;
}

template <class Handle>
Handle from_int_or_not_yet(int value, Handle null_handle, const char* function) {
  if (predefined(value)) return reinterpret_cast<Handle>(static_cast<std::intptr_t>(value));
  remit::not_yet(function);
  return null_handle;
}

}  // namespace

int PMPI_Comm_toint(MPI_Comm comm) {
  return to_int_or_not_yet(comm, "MPI_Comm_toint");
}
REMIT_WEAK(Comm_toint);
MPI_Comm PMPI_Comm_fromint(int comm) {
  return from_int_or_not_yet(comm, MPI_COMM_NULL, "MPI_Comm_fromint");
}
REMIT_WEAK(Comm_fromint);

int PMPI_Errhandler_toint(MPI_Errhandler errhandler) {
  return to_int_or_not_yet(errhandler, "MPI_Errhandler_toint");
}
REMIT_WEAK(Errhandler_toint);
MPI_Errhandler PMPI_Errhandler_fromint(int errhandler) {
  return from_int_or_not_yet(errhandler, MPI_ERRHANDLER_NULL, "MPI_Errhandler_fromint");
}
REMIT_WEAK(Errhandler_fromint);

int PMPI_File_toint(MPI_File file) {
  return to_int_or_not_yet(file, "MPI_File_toint");
}
REMIT_WEAK(File_toint);
MPI_File PMPI_File_fromint(int file) {
  return from_int_or_not_yet(file, MPI_FILE_NULL, "MPI_File_fromint");
}
REMIT_WEAK(File_fromint);

int PMPI_Group_toint(MPI_Group group) {
  return to_int_or_not_yet(group, "MPI_Group_toint");
}
REMIT_WEAK(Group_toint);
MPI_Group PMPI_Group_fromint(int group) {
  return from_int_or_not_yet(group, MPI_GROUP_NULL, "MPI_Group_fromint");
}
REMIT_WEAK(Group_fromint);

int PMPI_Info_toint(MPI_Info info) {
  return to_int_or_not_yet(info, "MPI_Info_toint");
}
REMIT_WEAK(Info_toint);
MPI_Info PMPI_Info_fromint(int info) {
  return from_int_or_not_yet(info, MPI_INFO_NULL, "MPI_Info_fromint");
}
REMIT_WEAK(Info_fromint);

int PMPI_Message_toint(MPI_Message message) {
  return to_int_or_not_yet(message, "MPI_Message_toint");
}
REMIT_WEAK(Message_toint);
MPI_Message PMPI_Message_fromint(int message) {
  return from_int_or_not_yet(message, MPI_MESSAGE_NULL, "MPI_Message_fromint");
}
REMIT_WEAK(Message_fromint);

int PMPI_Op_toint(MPI_Op op) {
  return to_int_or_not_yet(op, "MPI_Op_toint");
}
REMIT_WEAK(Op_toint);
MPI_Op PMPI_Op_fromint(int op) {
  return from_int_or_not_yet(op, MPI_OP_NULL, "MPI_Op_fromint");
}
REMIT_WEAK(Op_fromint);

int PMPI_Request_toint(MPI_Request request) {
  return to_int_or_not_yet(request, "MPI_Request_toint");
}
REMIT_WEAK(Request_toint);
MPI_Request PMPI_Request_fromint(int request) {
  return from_int_or_not_yet(request, MPI_REQUEST_NULL, "MPI_Request_fromint");
}
REMIT_WEAK(Request_fromint);

int PMPI_Session_toint(MPI_Session session) {
  return to_int_or_not_yet(session, "MPI_Session_toint");
}
REMIT_WEAK(Session_toint);
MPI_Session PMPI_Session_fromint(int session) {
  return from_int_or_not_yet(session, MPI_SESSION_NULL, "MPI_Session_fromint");
}
REMIT_WEAK(Session_fromint);

int PMPI_Type_toint(MPI_Datatype datatype) {
  return to_int_or_not_yet(datatype, "MPI_Type_toint");
}
REMIT_WEAK(Type_toint);
MPI_Datatype PMPI_Type_fromint(int datatype) {
  return from_int_or_not_yet(datatype, MPI_DATATYPE_NULL, "MPI_Type_fromint");
}
REMIT_WEAK(Type_fromint);

int PMPI_Win_toint(MPI_Win win) {
  return to_int_or_not_yet(win, "MPI_Win_toint");
}
REMIT_WEAK(Win_toint);
MPI_Win PMPI_Win_fromint(int win) {
  return from_int_or_not_yet(win, MPI_WIN_NULL, "MPI_Win_fromint");
}
REMIT_WEAK(Win_fromint);
