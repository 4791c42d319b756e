// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Errors as values: what was attempted, with whom, and the system's own words.
#pragma once

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "mpi.h"

namespace remit {

/// An error where it was born. `code` is an MPI error class (MPI_ERR_...); `message` is for a
/// person: what failed, on which rank and host where that is known, and what to do about it.
struct Error {
  int code = MPI_ERR_OTHER;
  std::string message;
};

template <class T = void>
using Expected = tl::expected<T, Error>;

/// Makes the unexpected value for a function returning Expected<T>.
template <class... Args>
[[nodiscard]] tl::unexpected<Error> fail(int code, fmt::format_string<Args...> format,
                                         Args&&... args) {
  return tl::unexpected<Error>(Error{code, fmt::format(format, std::forward<Args>(args)...)});
}

/// Of the exception that is being handled: MPI_ERR_NO_MEM if there is not memory enough for what
/// was asked, or never could be; MPI_ERR_INTERN for any other.
[[nodiscard]] int class_of_exception() noexcept;
/// The same with words.
[[nodiscard]] Error error_of_exception();

/// `attempt: strerror(errno_value)` as an unexpected value of class `code`.
[[nodiscard]] tl::unexpected<Error> fail_errno(int code, int errno_value, std::string attempt);

}  // namespace remit
