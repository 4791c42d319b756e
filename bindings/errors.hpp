// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Error classes, codes and strings, and the way an error takes to its handler.
#pragma once

#include <string>

#include "bindings/objects.hpp"

namespace remit {

class Entry;

/// The object whose error handler decides. With none, MPI_COMM_SELF's does while it exists, else
/// the initial error handler (MPI-5.0, 9.3).
struct ErrorTarget {
  CommObject* comm = nullptr;
  SessionObject* session = nullptr;
};

/// Reports an error where it was found: calls the handler of the target and returns the code that
/// the MPI function returns. `function` is the MPI name; `detail` names the argument, its value and
/// the remedy. Does not return under MPI_ERRORS_ARE_FATAL or MPI_ERRORS_ABORT.
[[gnu::cold]] int raise_error(const ErrorTarget& target, int code, const char* function,
                              const std::string& detail);

/// Ends the program with one message, for errors outside any initialized MPI.
[[noreturn]] void die(const char* function, const std::string& detail);

[[gnu::cold]] int refuse_null(const char* function, const char* argument);

/// The check of a pointer in functions that may be called at any time. Outside of MPI_Init and
/// MPI_Finalize a null pointer ends the program, as errors are fatal there (MPI-5.0, 9.3).
[[nodiscard]] inline int check_pointer(const void* pointer, const char* function,
                                       const char* argument) {
  return pointer != nullptr ? MPI_SUCCESS : refuse_null(function, argument);
}

/// The standard's name of a class ("MPI_ERR_COMM"), or "MPI_ERR_UNKNOWN".
[[nodiscard]] const char* error_class_name(int error_class);
/// One line that explains a class.
[[nodiscard]] const char* error_class_text(int error_class);

/// The same with a handler that is not (yet) the target's own, as that of MPI_Session_init.
[[gnu::cold]] int raise_error_with(MPI_Errhandler handler, const ErrorTarget& target, int code,
                                   const char* function, const std::string& detail);

/// Calls a user's or predefined handler, that of `target`, with `code`; returns the code.
int call_errhandler(MPI_Errhandler handler, const ErrorTarget& target, int code,
                    const std::string& message);

/// Whether `handler` may be set on an object of `owner`'s kind; raises the error on `entry`'s
/// object.
int check_errhandler(Entry& entry, MPI_Errhandler handler, Owner owner);

/// Reference counting of handler handles; predefined ones are left alone.
void retain_errhandler(MPI_Errhandler handler);
void release_errhandler(MPI_Errhandler handler);

}  // namespace remit
