// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "particles_forces.hpp"

#include <algorithm>
#include <numeric>

Forces::Forces(const Vec& lower, const Vec& upper) {
  size_t number = 1;
  for (size_t k = 0; k < 3; ++k) {
    // An empty layer of cells around those of ghosts: every cell that is used has 26 neighbours.
    const double width = upper[k] - lower[k] + 2 * kCutoff;
    const auto inner = static_cast<size_t>(width / kCutoff);
    per_length_[k] = static_cast<double>(inner) / width;
    origin_[k] = lower[k] - kCutoff;
    cells_[k] = inner + 2;
    number *= cells_[k];
  }
  begins_.resize(number + 1);
}

size_t Forces::cell_of(const Vec& position) const {
  size_t cell = 0;
  for (size_t k = 0; k < 3; ++k) {
    // Rounding may put a position a little beyond the last cell, or before the first.
    const double place = std::max((position[k] - origin_[k]) * per_length_[k], 0.0);
    cell = cell * cells_[k] + std::min(static_cast<size_t>(place), cells_[k] - 3) + 1;
  }
  return cell;
}

void Forces::sort_into_cells(const std::vector<Particle>& particles,
                             const std::vector<Vec>& ghosts) {
  const size_t total = particles.size() + ghosts.size();
  const auto position_of = [&](size_t i) -> const Vec& {
    return i < particles.size() ? particles[i].position : ghosts[i - particles.size()];
  };
  cell_of_.resize(total);
  sorted_.resize(total);
  std::fill(begins_.begin(), begins_.end(), 0);
  for (size_t i = 0; i < total; ++i) {
    cell_of_[i] = cell_of(position_of(i));
    ++begins_[cell_of_[i]];
  }
  // Sums give each cell's end, and filling from the back leaves its begin.
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  for (size_t i = total; i-- > 0;) sorted_[--begins_[cell_of_[i]]] = {position_of(i), i};
}

double Forces::add_up(const Placed& placed, size_t cell, Vec& force) const {
  const size_t row = cells_[2], plane = row * cells_[1];
  double energy = 0;
  for (const size_t x : {cell - plane, cell, cell + plane}) {
    for (const size_t y : {x - row, x, x + row}) {
      // The three cells of a row are one behind the other.
      for (size_t other = begins_[y - 1]; other < begins_[y + 2]; ++other) {
        Vec distance{};
        for (size_t k = 0; k < 3; ++k) {
          distance[k] = placed.position[k] - sorted_[other].position[k];
        }
        const double squared =
            distance[0] * distance[0] + distance[1] * distance[1] + distance[2] * distance[2];
        if (squared >= kCutoff * kCutoff || sorted_[other].index == placed.index) continue;
        const Pair pair = pair_at(squared);
        energy += 0.5 * pair.energy;
        for (size_t k = 0; k < 3; ++k) force[k] += pair.factor * distance[k];
      }
    }
  }
  return energy;
}

double Forces::compute(const std::vector<Particle>& particles, const std::vector<Vec>& ghosts,
                       std::vector<Vec>& forces) {
  sort_into_cells(particles, ghosts);
  forces.assign(particles.size(), Vec{});
  double energy = 0;
  for (const Placed& placed : sorted_) {
    if (placed.index >= particles.size()) continue;
    energy += add_up(placed, cell_of_[placed.index], forces[placed.index]);
  }
  return energy;
}
