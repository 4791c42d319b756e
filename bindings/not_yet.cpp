// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// not_yet.cpp: how a function that does not work yet reports itself.

#include "bindings/not_yet.hpp"

#include "bindings/entry.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

constexpr const char* kWords =
    "this version of Remit does not offer it yet (docs/conformance.md lists what it offers)";

}  // namespace

int not_yet(const char* function) try {
  // The initial error handler, which nobody can have changed before there is an MPI, is fatal.
  if (library().instance == nullptr) die(function, kWords);
  Entry entry(function);
  return entry.fail(MPI_ERR_UNSUPPORTED_OPERATION, "{}", kWords);
} catch (...) {
  return caught(function);
}

int not_yet(MPI_Comm comm, const char* function) try {
  if (library().instance == nullptr) die(function, kWords);
  Entry entry(function);
  CommObject* object = nullptr;
  if (int err = entry.comm(comm, object)) return err;
  return entry.fail(MPI_ERR_UNSUPPORTED_OPERATION, "{}", kWords);
} catch (...) {
  return caught(function, comm);
}

// While no window can be made, only an error handler of the world can be meant.
int not_yet(MPI_Win /*win*/, const char* function) {
  return not_yet(function);
}
int not_yet(MPI_Session session, const char* function) try {
  if (library().instance == nullptr) die(function, kWords);
  Entry entry(function);
  SessionObject* object = nullptr;
  if (int err = entry.session(session, object)) return err;
  return entry.fail(MPI_ERR_UNSUPPORTED_OPERATION, "{}", kWords);
} catch (...) {
  return caught(function, session);
}

int not_yet(MPI_File /*file*/, const char* function) try {
  if (library().instance == nullptr) die(function, kWords);
  Entry entry(function);
  FileObject* default_of_files = nullptr;  // no file can be opened
  if (int err = entry.file_or_null(MPI_FILE_NULL, default_of_files)) return err;
  return entry.fail(MPI_ERR_UNSUPPORTED_OPERATION, "{}", kWords);
} catch (...) {
  return caught(function, MPI_FILE_NULL);
}

int not_yet(const MPI_Comm* comm, const char* function) {
  return comm == nullptr ? not_yet(function) : not_yet(*comm, function);
}
int not_yet(const MPI_Win* win, const char* function) {
  return win == nullptr ? not_yet(function) : not_yet(*win, function);
}
int not_yet(const MPI_File* file, const char* function) {
  return file == nullptr ? not_yet(MPI_FILE_NULL, function) : not_yet(*file, function);
}
int not_yet(const MPI_Session* session, const char* function) {
  return session == nullptr ? not_yet(function) : not_yet(*session, function);
}

}  // namespace remit
