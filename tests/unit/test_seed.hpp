// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The seed of random tests: printed, and given back through REMIT_TEST_SEED to replay a failure.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <cstdlib>
#include <random>

namespace remit::testing {

/// The seed of this run of the program: from REMIT_TEST_SEED, else a new one; printed once.
inline std::uint64_t test_seed() {
  static const std::uint64_t seed = [] {
    const char* given = std::getenv("REMIT_TEST_SEED");
    const std::uint64_t value =
        given != nullptr ? std::strtoull(given, nullptr, 0) : std::random_device{}();
    fmt::print("random tests use seed {0}: replay with REMIT_TEST_SEED={0}\n", value);
    return value;
  }();
  return seed;
}

}  // namespace remit::testing
