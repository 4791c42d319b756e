// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// not_yet.hpp: the error of a function, or of a case of one, that Remit does not offer yet.
#pragma once

#include "mpi.h"

namespace remit {

/// Raises MPI_ERR_UNSUPPORTED_OPERATION, with a message that names `function`, through the error
/// handler of the object given; returns what the MPI function is to return. docs/make_conformance
/// counts these calls by the quoted name, so `function` is always a literal "MPI_...".
/// Any thread, before MPI_Init and after MPI_Finalize too.
int not_yet(MPI_Comm comm, const char* function);
int not_yet(MPI_Win win, const char* function);
int not_yet(MPI_File file, const char* function);  // MPI_FILE_NULL: the default handler of files
int not_yet(MPI_Session session, const char* function);

/// The same for a function that takes its handle by address; a null pointer counts as no object.
int not_yet(const MPI_Comm* comm, const char* function);
int not_yet(const MPI_Win* win, const char* function);
int not_yet(const MPI_File* file, const char* function);
int not_yet(const MPI_Session* session, const char* function);

/// The same for a function without such an object: the handler of MPI_COMM_SELF, or before it
/// exists the initial error handler, which ends the program (MPI-5.0, section 9.3).
int not_yet(const char* function);

/// For MPI_T functions, which invoke no error handler (MPI-5.0, section 15.3.9).
constexpr int not_yet_tool(const char* /*function*/) {
  return MPI_T_ERR_NOT_SUPPORTED;
}

}  // namespace remit
