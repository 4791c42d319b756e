// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The verbs device's clock, and what it tells its log.
#pragma once

#include <time.h>

#include <cstdint>
#include <utility>

#include "rdma_btl/verbs/verbs_config.hpp"

namespace remit::verbs {

/// Nanoseconds of the clock that never goes back.
[[nodiscard]] inline std::uint64_t now_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// So many milliseconds in nanoseconds.
[[nodiscard]] constexpr std::uint64_t ms(std::uint64_t count) {
  return count * 1'000'000;
}

/// Writes a line to the log of the configuration, if it has one.
template <class... Args>
void say(const VerbsConfig& config, LogLevel level, fmt::format_string<Args...> format,
         Args&&... args) {
  if (config.log != nullptr) config.log->write(level, format, std::forward<Args>(args)...);
}

}  // namespace remit::verbs
