// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The verbs device's clock, and what it tells its log.
#pragma once

#include <cstdint>
#include <utility>

#include "rdma_btl/verbs/verbs_config.hpp"
#include "runtime/os/os.hpp"

namespace remit::verbs {

using shm::ms;
using shm::now_ns;

/// Writes a line to the log of the configuration, if it has one.
template <class... Args>
void say(const VerbsConfig& config, LogLevel level, fmt::format_string<Args...> format,
         Args&&... args) {
  if (config.log != nullptr) config.log->write(level, format, std::forward<Args>(args)...);
}

}  // namespace remit::verbs
