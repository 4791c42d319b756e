// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Virtual topologies: the arithmetic of grids.
#include "bindings/topology.hpp"

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

namespace {

int largest_prime_factor(int number) {
  int largest = 1;
  for (int prime = 2; prime <= number / prime; ++prime) {
    for (; number % prime == 0; number /= prime) largest = prime;
  }
  return std::max(largest, number);
}

std::vector<int> divisors_of(int number) {
  std::vector<int> divisors;
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

/// The first of `factors` is to be as small as it can be, none larger than it, and so on.
bool factorize(int number, int most, std::span<const int> divisors, std::span<int> factors) {
  if (factors.empty()) return number == 1;
  const int prime = largest_prime_factor(number);
  for (const int factor : divisors) {
    if (factor > most) return false;
    if (factor < prime || number % factor != 0 || !power_reaches(factor, factors.size(), number)) {
      continue;
    }
    factors[0] = factor;
    if (factorize(number / factor, factor, divisors, factors.subspan(1))) return true;
  }
  return false;
}

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
  std::vector<int> factors(open);
  if (!factorize(rest, rest, divisors_of(rest), factors)) return false;
  auto next = factors.begin();
  for (int& size : sizes) {
    if (size == 0) size = *next++;
  }
  return true;
}

}  // namespace remit
