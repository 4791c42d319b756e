// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Where the errors of one MPI call go.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "bindings/env/errors.hpp"
#include "bindings/process/instance.hpp"
#include "runtime/error.hpp"

namespace remit {

/// An MPI call as far as its errors go: its name, and the object whose handler hears of them. It
/// lives as long as the call; the thread of the call.
class CallErrors {
 public:
  [[nodiscard]] const char* function() const { return function_; }

  /// Errors are raised through this handler, which is valid, and not through that of an object: the
  /// function makes an object that will have it.
  void raise_through(MPI_Errhandler handler) { errhandler_ = handler; }

  /// Errors found from now on are raised on `comm`, which was found without comm().
  void raise_on(CommObject& comm) { target_ = &comm; }

  /// Errors found from now on are not raised but noted here, the first of them, for others have to
  /// hear of them before; fail() returns their class. Null: they are raised again.
  void note_in(Expected<>* noted) { noted_ = noted; }

  /// Raises an error on the communicator, session, window or file found so far, else on
  /// MPI_COMM_SELF, or, while there is none, through the initial error handler. Returns the code
  /// that the function must return.
  template <class... Args>
  [[gnu::cold]] int fail(int code, fmt::format_string<Args...> format, Args&&... args) {
    std::string detail = fmt::format(format, std::forward<Args>(args)...);
    if (noted_ != nullptr) return note(code, std::move(detail));
    if (errhandler_ != nullptr)
      return raise_error_with(errhandler_, nullptr, code, function_, detail);
    return raise_error(target_, code, function_, detail);
  }
  /// The same for an error of a layer below.
  [[gnu::cold]] int fail(const Error& error) { return fail(error.code, "{}", error.message); }

 protected:
  explicit CallErrors(const char* function)
      : function_(function), instance_(library().instance.load(std::memory_order_relaxed)) {}

  const char* function_;
  Instance* instance_;                   ///< null: MPI is not running, which is for Entry to say
  ErrorTarget* target_ = nullptr;        ///< what an error would be raised on
  MPI_Errhandler errhandler_ = nullptr;  ///< see raise_through()

 private:
  [[gnu::cold]] int note(int code, std::string detail) {
    if (*noted_) *noted_ = tl::unexpected(Error{code, std::move(detail)});
    return code;
  }

  Expected<>* noted_ = nullptr;  ///< see note_in()
};

}  // namespace remit
