// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The way an error takes to its handler.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "bindings/objects.hpp"

namespace remit {

class Entry;

/// Reports an error where it was found: calls the handler of `target`, or without one that of
/// MPI_COMM_SELF while it exists, else the initial error handler (MPI-5.0, section 9.3); returns
/// the code that the MPI function returns. `function` is the MPI name; `detail` names the argument,
/// its value and the remedy. Does not return under MPI_ERRORS_ARE_FATAL or MPI_ERRORS_ABORT. Any
/// thread.
[[gnu::cold]] int raise_error(ErrorTarget* target, int code, const char* function,
                              const std::string& detail);

/// The same with a handler that is not (yet) the target's own, as that of MPI_Session_init.
[[gnu::cold]] int raise_error_with(MPI_Errhandler handler, ErrorTarget* target, int code,
                                   const char* function, const std::string& detail);

/// Calls a user's or predefined handler with `code`, about `target` (null: nothing that exists);
/// returns the code.
int call_errhandler(MPI_Errhandler handler, ErrorTarget* target, int code,
                    const std::string& message);

/// The handler of errors without an object of their own, while there is no MPI_COMM_SELF: what the
/// launcher was told (parameter initial_errhandler), else MPI_ERRORS_ARE_FATAL.
[[nodiscard]] MPI_Errhandler initial_errhandler();

/// What is wrong with `handler` as that of a session; empty: nothing.
[[nodiscard]] std::string session_errhandler_problem(MPI_Errhandler handler);

/// Ends the program with one message, for errors outside any initialized MPI.
[[noreturn]] void die(const char* function, const std::string& detail);

[[gnu::cold]] int refuse_null(const char* function, const char* argument);

/// The check of a pointer in functions that may be called at any time.
[[nodiscard]] inline int check_pointer(const void* pointer, const char* function,
                                       const char* argument) {
  return pointer != nullptr ? MPI_SUCCESS : refuse_null(function, argument);
}

/// What an MPI function is that may be called at any time by any thread (MPI-5.0, section 11.4.1):
/// such calls go without Entry and its lock.
class AnyTimeCall {
 public:
  explicit AnyTimeCall(const char* function) : function_(function) {}

  [[nodiscard]] const char* function() const { return function_; }

  template <class... Args>
  [[gnu::cold]] int fail(int code, fmt::format_string<Args...> format, Args&&... args) const {
    return raise_error(nullptr, code, function_, fmt::format(format, std::forward<Args>(args)...));
  }
  int not_null(const void* pointer, const char* argument) const {
    return check_pointer(pointer, function_, argument);
  }

 private:
  const char* function_;
};

/// The standard's name of a class ("MPI_ERR_COMM"), or "MPI_ERR_UNKNOWN".
[[nodiscard]] const char* error_class_name(int error_class);
/// One line that explains a class.
[[nodiscard]] const char* error_class_text(int error_class);

/// Whether `handler` may be set on an object of `owner`'s kind; raises the error on `entry`'s
/// object.
int check_errhandler(Entry& entry, MPI_Errhandler handler, Owner owner);

/// Reference counting of handler handles; predefined ones are left alone. Any thread.
void retain_errhandler(MPI_Errhandler handler);
void release_errhandler(MPI_Errhandler handler);

}  // namespace remit
