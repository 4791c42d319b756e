// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Names of communicators, datatypes and windows (MPI-5.0, section 7.8).
#include <algorithm>
#include <cstring>
#include <string_view>

#include "bindings/entry.hpp"
#include "bindings/weak.hpp"
#include "onesided/window.hpp"

namespace remit {

namespace {

// The name of an object.
int name_of_object(Entry& entry, MPI_Comm comm, std::string_view& out) {
  CommObject* object = nullptr;
  if (int err = entry.comm(comm, object)) return err;
  out = object->name;
  return MPI_SUCCESS;
}
int name_of_object(Entry& entry, MPI_Datatype datatype, std::string_view& out) {
  const Datatype* type = nullptr;
  if (int err = entry.any_datatype(datatype, type)) return err;
  const auto& given = entry.instance().type_notes.names;
  const auto found = given.find(type);
  out = found != given.end() ? std::string_view(found->second) : type->name();
  return MPI_SUCCESS;
}
int name_of_object(Entry& entry, MPI_Win win, std::string_view& out) {
  WinObject* object = nullptr;
  if (int err = entry.win(win, object)) return err;
  out = object->name;
  return MPI_SUCCESS;
}

// Gives an object, which there is, another name.
int rename_object(Entry& entry, MPI_Comm comm, std::string_view name) {
  CommObject* object = nullptr;
  if (int err = entry.comm(comm, object)) return err;
  object->name = name;
  return MPI_SUCCESS;
}
int rename_object(Entry& entry, MPI_Datatype datatype, std::string_view name) {
  const Datatype* type = nullptr;
  if (int err = entry.any_datatype(datatype, type)) return err;
  entry.instance().type_notes.names[type] = name;
  return MPI_SUCCESS;
}
int rename_object(Entry& entry, MPI_Win win, std::string_view name) {
  WinObject* object = nullptr;
  if (int err = entry.win(win, object)) return err;
  object->name = name;
  if (object->window != nullptr) object->window->exposed_memory().set_name(object->name);
  return MPI_SUCCESS;
}

template <class Handle>
int set_name(const char* function, Handle handle, const char* name, const char* argument) {
  Entry entry(function);
  std::string_view before;
  if (int err = name_of_object(entry, handle, before)) return err;
  if (int err = entry.not_null(name, argument)) return err;
  return rename_object(entry, handle, {name, strnlen(name, MPI_MAX_OBJECT_NAME - 1)});
}

/// The null handles have names, too, since MPI-4.1.
template <class Handle>
int get_name(const char* function, Handle handle, Handle null_handle, std::string_view null_name,
             char* name, const char* argument, int* resultlen) {
  Entry entry(function);
  std::string_view found = null_name;
  if (int err = entry.not_null(name, argument)) return err;
  if (int err = entry.not_null(resultlen, "resultlen")) return err;
  if (handle != null_handle) {
    if (int err = name_of_object(entry, handle, found)) return err;
  }
  *std::copy(found.begin(), found.end(), name) = '\0';
  *resultlen = static_cast<int>(found.size());
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Comm_set_name(MPI_Comm comm, const char* comm_name) try {
  return set_name("MPI_Comm_set_name", comm, comm_name, "comm_name");
} catch (...) {
  return caught("MPI_Comm_set_name", comm);
}
REMIT_WEAK(Comm_set_name);

int PMPI_Comm_get_name(MPI_Comm comm, char* comm_name, int* resultlen) try {
  return get_name("MPI_Comm_get_name", comm, MPI_COMM_NULL, "MPI_COMM_NULL", comm_name, "comm_name",
                  resultlen);
} catch (...) {
  return caught("MPI_Comm_get_name", comm);
}
REMIT_WEAK(Comm_get_name);

int PMPI_Type_set_name(MPI_Datatype datatype, const char* type_name) try {
  return set_name("MPI_Type_set_name", datatype, type_name, "type_name");
} catch (...) {
  return caught("MPI_Type_set_name");
}
REMIT_WEAK(Type_set_name);

int PMPI_Type_get_name(MPI_Datatype datatype, char* type_name, int* resultlen) try {
  return get_name("MPI_Type_get_name", datatype, MPI_DATATYPE_NULL, "MPI_DATATYPE_NULL", type_name,
                  "type_name", resultlen);
} catch (...) {
  return caught("MPI_Type_get_name");
}
REMIT_WEAK(Type_get_name);

int PMPI_Win_set_name(MPI_Win win, const char* win_name) try {
  return set_name("MPI_Win_set_name", win, win_name, "win_name");
} catch (...) {
  return caught("MPI_Win_set_name", win);
}
REMIT_WEAK(Win_set_name);

int PMPI_Win_get_name(MPI_Win win, char* win_name, int* resultlen) try {
  return get_name("MPI_Win_get_name", win, MPI_WIN_NULL, "MPI_WIN_NULL", win_name, "win_name",
                  resultlen);
} catch (...) {
  return caught("MPI_Win_get_name", win);
}
REMIT_WEAK(Win_get_name);
