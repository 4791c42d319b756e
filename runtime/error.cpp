// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Errors as values.
#include "runtime/error.hpp"

#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

namespace remit {

tl::unexpected<Error> fail_errno(int code, int errno_value, std::string attempt) {
  return fail(code, "{}: {}", std::move(attempt), std::system_category().message(errno_value));
}

int class_of_exception() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  } catch (const std::length_error&) {  // of a container that could never be so large
    return MPI_ERR_NO_MEM;
  } catch (...) {
    return MPI_ERR_INTERN;
  }
}

Error error_of_exception() {
  const int code = class_of_exception();
  if (code == MPI_ERR_NO_MEM) {
    return {
        code,
        "there is not memory enough for what the arguments ask for; look for a count or a length "
        "that is far too large, or was never set"};
  }
  try {
    throw;
  } catch (const std::exception& thrown) {
    return {code, fmt::format("ended by an exception: {}", thrown.what())};
  } catch (...) {
    return {code, "ended by an exception of unknown type"};
  }
}

}  // namespace remit
