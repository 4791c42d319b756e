// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Peer arithmetic of trees, rings and cubes: pure functions, tested for every size from 1 to 257.
#pragma once

#include <bit>

#include "mpi.h"

namespace remit {

/// Largest power of two that is not above n (n >= 1).
[[nodiscard]] constexpr int floor_power_of_two(int n) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(n)));
}

[[nodiscard]] constexpr bool is_power_of_two(int n) {
  return std::has_single_bit(static_cast<unsigned>(n));
}

/// Ranks counted from `root` on, so that the root is 0.
[[nodiscard]] constexpr int to_relative(int rank, int root, int size) {
  return rank >= root ? rank - root : rank - root + size;
}
[[nodiscard]] constexpr int from_relative(int relative, int root, int size) {
  const int rank = relative + root;
  return rank >= size ? rank - size : rank;
}

/// Binomial tree over relative ranks 0..size-1 rooted at 0: the parent of r lacks r's lowest set
/// bit; the children of r are r + m for the powers of two m below that bit. A subtree is the
/// contiguous range [r, r + m).
struct BinomialTree {
  int relative;
  int size;

  [[nodiscard]] constexpr int parent() const { return relative & (relative - 1); }
  /// First power of two that is no child's distance: the lowest set bit, or for the root the first
  /// one at or above size.
  [[nodiscard]] constexpr int span() const {
    if (relative != 0) return relative & -relative;
    return static_cast<int>(std::bit_ceil(static_cast<unsigned>(size)));
  }
  /// Number of ranks in the subtree of r.
  [[nodiscard]] constexpr int subtree() const {
    return relative + span() < size ? span() : size - relative;
  }
};

/// Folds a size that is no power of two onto one: the first 2 * extra() ranks pair up, the odd one
/// of each pair takes part for both. Order is kept.
struct PowerOfTwoFold {
  int size;

  [[nodiscard]] constexpr int cube() const { return floor_power_of_two(size); }
  [[nodiscard]] constexpr int extra() const { return size - cube(); }
  /// Rank in the cube, or -1 for an even rank of a pair, which stands aside.
  [[nodiscard]] constexpr int to_cube(int rank) const {
    if (rank >= 2 * extra()) return rank - extra();
    return rank % 2 == 1 ? rank / 2 : -1;
  }
  [[nodiscard]] constexpr int from_cube(int cube_rank) const {
    return cube_rank < extra() ? 2 * cube_rank + 1 : cube_rank + extra();
  }
  /// The first of the ranks that a cube rank takes part for, which are neighbours; size for cube().
  [[nodiscard]] constexpr int first_rank(int cube_rank) const {
    return cube_rank < extra() ? 2 * cube_rank : cube_rank + extra();
  }
};

/// The lowest `bits` bits of `value` in the other order.
[[nodiscard]] constexpr int reverse_bits(int value, int bits) {
  int reversed = 0;
  for (int i = 0; i < bits; ++i) reversed |= ((value >> i) & 1) << (bits - 1 - i);
  return reversed;
}

/// `total` elements cut into `parts` blocks that differ by at most one element.
struct Blocks {
  MPI_Count total;
  int parts;

  [[nodiscard]] constexpr MPI_Count begin(int i) const {
    const MPI_Count base = total / parts;
    const MPI_Count rest = total % parts;
    return base * i + (i < rest ? i : rest);
  }
  [[nodiscard]] constexpr MPI_Count count(int i) const { return begin(i + 1) - begin(i); }
  /// Elements of blocks [first, last).
  [[nodiscard]] constexpr MPI_Count count(int first, int last) const {
    return begin(last) - begin(first);
  }
};

}  // namespace remit
