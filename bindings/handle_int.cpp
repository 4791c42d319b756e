// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// handle_int.cpp: handles as integers and back (MPI-5.0, chapter 20), for other languages. Callable
// at any time, by any thread.
#include "bindings/handle_int.hpp"

#include <cstddef>

#include "bindings/instance.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

constexpr int kFirstUserNumber = static_cast<int>(kLastPredefinedHandle) + 1;

HandleInts& handle_ints() {
  return made_once(library().handle_ints);
}

template <class Handle>
int to_int(Handle handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  if (value <= kLastPredefinedHandle) return static_cast<int>(value);
  return handle_ints().to_int(value);
}

/// The null handle for a number that is nobody's: there is no way to return an error.
template <class Handle>
Handle from_int(int number, Handle null_handle) {
  const bool predefined = number > 0 && number < kFirstUserNumber;
  const std::uintptr_t value =
      predefined ? static_cast<std::uintptr_t>(number) : handle_ints().from_int(number);
  return value == 0 ? null_handle : reinterpret_cast<Handle>(value);
}

}  // namespace

int HandleInts::to_int(std::uintptr_t handle) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] =
      numbers_.try_emplace(handle, kFirstUserNumber + static_cast<int>(handles_.size()));
  if (is_new) handles_.push_back(handle);
  return entry->second;
}

std::uintptr_t HandleInts::from_int(int number) const {
  const std::lock_guard lock(mutex_);
  if (number < kFirstUserNumber) return 0;
  const auto index = static_cast<std::size_t>(number - kFirstUserNumber);
  return index < handles_.size() ? handles_[index] : 0;
}

}  // namespace remit

using namespace remit;

int PMPI_Comm_toint(MPI_Comm comm) {
  return to_int(comm);
}
REMIT_WEAK(Comm_toint);
MPI_Comm PMPI_Comm_fromint(int comm) {
  return from_int(comm, MPI_COMM_NULL);
}
REMIT_WEAK(Comm_fromint);

int PMPI_Errhandler_toint(MPI_Errhandler errhandler) {
  return to_int(errhandler);
}
REMIT_WEAK(Errhandler_toint);
MPI_Errhandler PMPI_Errhandler_fromint(int errhandler) {
  return from_int(errhandler, MPI_ERRHANDLER_NULL);
}
REMIT_WEAK(Errhandler_fromint);

int PMPI_File_toint(MPI_File file) {
  return to_int(file);
}
REMIT_WEAK(File_toint);
MPI_File PMPI_File_fromint(int file) {
  return from_int(file, MPI_FILE_NULL);
}
REMIT_WEAK(File_fromint);

int PMPI_Group_toint(MPI_Group group) {
  return to_int(group);
}
REMIT_WEAK(Group_toint);
MPI_Group PMPI_Group_fromint(int group) {
  return from_int(group, MPI_GROUP_NULL);
}
REMIT_WEAK(Group_fromint);

int PMPI_Info_toint(MPI_Info info) {
  return to_int(info);
}
REMIT_WEAK(Info_toint);
MPI_Info PMPI_Info_fromint(int info) {
  return from_int(info, MPI_INFO_NULL);
}
REMIT_WEAK(Info_fromint);

int PMPI_Message_toint(MPI_Message message) {
  return to_int(message);
}
REMIT_WEAK(Message_toint);
MPI_Message PMPI_Message_fromint(int message) {
  return from_int(message, MPI_MESSAGE_NULL);
}
REMIT_WEAK(Message_fromint);

int PMPI_Op_toint(MPI_Op op) {
  return to_int(op);
}
REMIT_WEAK(Op_toint);
MPI_Op PMPI_Op_fromint(int op) {
  return from_int(op, MPI_OP_NULL);
}
REMIT_WEAK(Op_fromint);

int PMPI_Request_toint(MPI_Request request) {
  return to_int(request);
}
REMIT_WEAK(Request_toint);
MPI_Request PMPI_Request_fromint(int request) {
  return from_int(request, MPI_REQUEST_NULL);
}
REMIT_WEAK(Request_fromint);

int PMPI_Session_toint(MPI_Session session) {
  return to_int(session);
}
REMIT_WEAK(Session_toint);
MPI_Session PMPI_Session_fromint(int session) {
  return from_int(session, MPI_SESSION_NULL);
}
REMIT_WEAK(Session_fromint);

int PMPI_Type_toint(MPI_Datatype datatype) {
  return to_int(datatype);
}
REMIT_WEAK(Type_toint);
MPI_Datatype PMPI_Type_fromint(int datatype) {
  return from_int(datatype, MPI_DATATYPE_NULL);
}
REMIT_WEAK(Type_fromint);

int PMPI_Win_toint(MPI_Win win) {
  return to_int(win);
}
REMIT_WEAK(Win_toint);
MPI_Win PMPI_Win_fromint(int win) {
  return from_int(win, MPI_WIN_NULL);
}
REMIT_WEAK(Win_fromint);
