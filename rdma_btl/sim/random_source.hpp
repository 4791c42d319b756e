// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The one source of chance of a simulated network.
#pragma once

#include <cstdint>
#include <random>

namespace remit::sim {

/// Seeded: the same program draws the same again.
class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed) : source_(seed) {}

  [[nodiscard]] std::mt19937_64& source() { return source_; }
  /// Less than `bound`; 0 of 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return bound ? source_() % bound : 0; }
  /// Draws nothing where it cannot happen.
  [[nodiscard]] bool chance(double probability) {
    constexpr double kScale = 1.0 / static_cast<double>(std::uint64_t{1} << 53);
    return probability > 0 && static_cast<double>(source_() >> 11) * kScale < probability;
  }

 private:
  std::mt19937_64 source_;
};

}  // namespace remit::sim
