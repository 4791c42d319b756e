// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A process that was started without a launcher: rank 0 of 1.
#pragma once

#include <memory>

#include "runtime/bootstrap/bootstrap.hpp"

namespace remit {

/// Needs nothing from outside. abort() prints its message and exits with the status. `other_hosts`
/// is that of its Identity: whoever asks what a job of several hosts would use says yes.
[[nodiscard]] std::unique_ptr<Bootstrap> make_singleton_bootstrap(bool other_hosts = false);

}  // namespace remit
