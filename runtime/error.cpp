// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Errors as values.
#include "runtime/error.hpp"

#include <system_error>

namespace remit {

tl::unexpected<Error> fail_errno(int code, int errno_value, std::string attempt) {
  return fail(code, "{}: {}", std::move(attempt), std::system_category().message(errno_value));
}

}  // namespace remit
