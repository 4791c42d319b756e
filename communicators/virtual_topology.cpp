// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Virtual topologies: the arithmetic of grids.
#include "communicators/virtual_topology.hpp"

#include <algorithm>
#include <cstdint>

namespace remit {

int Grid::size() const {
  int product = 1;
  for (const Dimension& dimension : dimensions) product *= dimension.size;
  return product;
}

void Grid::coordinates(int rank, std::span<int> out) const {
  for (std::size_t i = dimensions.size(); i-- != 0;) {
    out[i] = rank % dimensions[i].size;
    rank /= dimensions[i].size;
  }
}

int Grid::rank(std::span<const int> coordinates) const {
  int rank = 0;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const auto [size, periodic] = dimensions[i];
    int at = coordinates[i];
    if (at < 0 || at >= size) {
      if (!periodic) return -1;
      at = (at % size + size) % size;
    }
    rank = rank * size + at;
  }
  return rank;
}

int Grid::neighbor(int rank, int dimension, long long distance) const {
  const auto [size, periodic] = dimensions[static_cast<std::size_t>(dimension)];
  int stride = 1;
  for (std::size_t i = dimensions.size() - 1; i > static_cast<std::size_t>(dimension); --i) {
    stride *= dimensions[i].size;
  }
  const long long from = rank / stride % size;
  long long to = from + distance;
  if (to < 0 || to >= size) {
    if (!periodic) return MPI_PROC_NULL;
    to = (to % size + size) % size;
  }
  return rank + static_cast<int>(to - from) * stride;
}

Grid Grid::without_others(std::span<const int> kept) const {
  Grid rest;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (kept[i] != 0) rest.dimensions.push_back(dimensions[i]);
  }
  return rest;
}

std::vector<int> Grid::slice(int rank, std::span<const int> kept) const {
  std::vector<int> own(dimensions.size());
  coordinates(rank, own);
  std::vector<int> at(own.size());
  std::vector<int> members;
  for (int other = 0; other < size(); ++other) {
    coordinates(other, at);
    bool inside = true;
    for (std::size_t i = 0; i < at.size() && inside; ++i) {
      inside = kept[i] != 0 || at[i] == own[i];
    }
    if (inside) members.push_back(other);
  }
  return members;
}

namespace {

int largest_prime_factor(int number) {
  int largest = 1;
  for (int prime = 2; prime <= number / prime; ++prime) {
    for (; number % prime == 0; number /= prime) largest = prime;
  }
  return std::max(largest, number);
}

std::vector<int> divisors_of(int number) {
  constexpr std::size_t kMost = 1536;  // that any int has
  std::vector<int> divisors;
  divisors.reserve(kMost);
  for (int low = 1; low <= number / low; ++low) {
    if (number % low != 0) continue;
    divisors.push_back(low);
    if (low != number / low) divisors.push_back(number / low);
  }
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

/// Whether `base` to the power of `exponent` is at least `bound`.
bool power_reaches(int base, std::size_t exponent, int bound) {
  std::int64_t power = 1;
  for (std::size_t i = 0; i < exponent && power < bound; ++i) {
    if (base == 1) return bound <= 1;
    power *= base;
  }
  return power >= bound;
}

/// Looks for factors of a number, in decreasing order, that differ by the least: of all ways the
/// one with the smallest difference between the largest and the smallest factor, among these the
/// one with the largest smallest factor, then the largest second smallest, and so on.
class FactorSearch {
 public:
  FactorSearch(int number, std::size_t count)
      : number_(number), divisors_(divisors_of(number)), factors_(count) {
    if (count == 0) return;
    const int prime = largest_prime_factor(number);
    for (const int largest : divisors_) {
      if (largest < prime || !power_reaches(largest, count, number)) continue;
      if (!best_.empty() && too_large(largest)) break;
      factors_[0] = largest;
      search(1, number / largest);
    }
  }
  [[nodiscard]] const std::vector<int>& best() const { return best_; }

 private:
  [[nodiscard]] int difference() const { return best_.front() - best_.back(); }
  /// Whether the other factors cannot all be so large that the difference is as small as the best
  /// one; then larger ones need not be tried.
  [[nodiscard]] bool too_large(int largest) const {
    const int least = largest - difference();
    return least > 0 && power_reaches(least, factors_.size() - 1, number_ / largest + 1);
  }
  void search(std::size_t at, int rest) {
    if (at == factors_.size()) {
      if (rest == 1) consider();
      return;
    }
    const std::size_t left = factors_.size() - at;
    for (const int factor : divisors_) {
      if (factor > factors_[at - 1]) return;
      if (rest % factor != 0 || !power_reaches(factor, left, rest)) continue;
      const bool last = left == 1;
      if (last && factor != rest) continue;
      // What follows is no larger than this one, and together they make up the rest.
      if (!best_.empty() && factor < factors_[0] - difference()) continue;
      factors_[at] = factor;
      search(at + 1, rest / factor);
    }
  }
  void consider() {
    const int mine = factors_.front() - factors_.back();
    const bool better =
        best_.empty() || mine < difference() ||
        (mine == difference() && std::lexicographical_compare(best_.rbegin(), best_.rend(),
                                                              factors_.rbegin(), factors_.rend()));
    if (better) best_ = factors_;
  }

  int number_;
  std::vector<int> divisors_;
  std::vector<int> factors_;
  std::vector<int> best_;
};

}  // namespace

bool fill_dimensions(int nodes, std::span<int> sizes) {
  int rest = nodes;
  std::size_t open = 0;
  for (const int size : sizes) {
    if (size == 0) {
      ++open;
    } else if (rest % size != 0) {
      return false;
    } else {
      rest /= size;
    }
  }
  if (open == 0) return rest == 1;
  const FactorSearch found(rest, open);
  auto next = found.best().begin();
  for (int& size : sizes) {
    if (size == 0) size = *next++;
  }
  return true;
}

}  // namespace remit
