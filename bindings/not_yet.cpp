// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// not_yet.cpp: how a function that does not work yet reports itself.

#include "bindings/not_yet.hpp"

#include <cstdio>

namespace remit {

int not_yet(const char* function) {
  std::fprintf(stderr,
               "%s: this version of Remit does not have it yet; docs/conformance.md lists what it "
               "has\n",
               function);
  return MPI_ERR_UNSUPPORTED_OPERATION;
}

int not_yet(MPI_Comm /*comm*/, const char* function) {
  return not_yet(function);
}
int not_yet(MPI_Win /*win*/, const char* function) {
  return not_yet(function);
}
int not_yet(MPI_File /*file*/, const char* function) {
  return not_yet(function);
}
int not_yet(MPI_Session /*session*/, const char* function) {
  return not_yet(function);
}

int not_yet(const MPI_Comm* comm, const char* function) {
  return comm == nullptr ? not_yet(function) : not_yet(*comm, function);
}
int not_yet(const MPI_Win* win, const char* function) {
  return win == nullptr ? not_yet(function) : not_yet(*win, function);
}
int not_yet(const MPI_File* file, const char* function) {
  return file == nullptr ? not_yet(function) : not_yet(*file, function);
}
int not_yet(const MPI_Session* session, const char* function) {
  return session == nullptr ? not_yet(function) : not_yet(*session, function);
}

}  // namespace remit
