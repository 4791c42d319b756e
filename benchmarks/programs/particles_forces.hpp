// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The forces among particles: soft, purely repulsive and smooth, by cells of the cutoff's size.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "particles_domain.hpp"

constexpr double kStrength = 25;  // the energy of two particles at the same place

// The energy of a pair at a squared distance, and the force's factor: the force on the first is
// that times (first - second). Both are 0 from the cutoff on, without a jump, up to the second
// derivative.
struct Pair {
  double energy;
  double factor;
};
inline Pair pair_at(double squared) {
  if (squared >= kCutoff * kCutoff) return {0, 0};
  const double rest = 1 - squared / (kCutoff * kCutoff);
  return {kStrength * rest * rest * rest, 6 * kStrength / (kCutoff * kCutoff) * rest * rest};
}

// Sorts positions into cells, so that only those nearby are looked at.
class Forces {
 public:
  // For positions up to the cutoff outside of a domain with these corners.
  Forces(const Vec& lower, const Vec& upper);

  // The forces on `particles` from each other and from `ghosts`; what of the potential energy is
  // theirs: half of each pair's.
  double compute(const std::vector<Particle>& particles, const std::vector<Vec>& ghosts,
                 std::vector<Vec>& forces);

 private:
  // A position in its cell; `index`: the particle's, or not less than their number for a ghost.
  struct Placed {
    Vec position;
    size_t index;
  };

  [[nodiscard]] size_t cell_of(const Vec& position) const;
  void sort_into_cells(const std::vector<Particle>& particles, const std::vector<Vec>& ghosts);
  double add_up(const Placed& placed, size_t cell, Vec& force) const;

  Vec origin_{}, per_length_{};
  std::array<size_t, 3> cells_{};
  std::vector<size_t> begins_;  // of each cell in sorted_, and the end
  std::vector<size_t> cell_of_;
  std::vector<Placed> sorted_;
};
