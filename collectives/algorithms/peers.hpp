// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Peer arithmetic of trees, rings and cubes: pure functions, tested for every size from 1 to 257.
#pragma once

#include <array>
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

/// k-nomial tree over relative ranks 0..size-1 rooted at 0, in digits of base k = radix: the parent
/// of r lacks r's lowest digit that is not 0; the children of r are r + j * m for the powers m of k
/// below that digit and 0 < j < k. A subtree is a contiguous range that begins with its root.
/// Binomial with radix 2.
struct KnomialTree {
  int relative;
  int size;
  int radix = 2;

  /// The power of k that the lowest digit other than 0 counts, or for the root the first one at or
  /// above size: above all distances of children from this rank, divided by their digit.
  [[nodiscard]] constexpr int span() const {
    int power = 1;
    while (relative == 0 ? power < size : relative / power % radix == 0) power *= radix;
    return power;
  }
  [[nodiscard]] constexpr int parent() const {
    if (relative == 0) return 0;
    const int power = span();
    return relative / power / radix * radix * power;
  }
  /// Number of ranks in the subtree of r.
  [[nodiscard]] constexpr int subtree() const {
    const int power = span();
    return relative + power < size ? power : size - relative;
  }
  /// Children at most, for arrays.
  [[nodiscard]] constexpr int children() const {
    int count = 0;
    for (int power = 1; power < span(); power *= radix) count += radix - 1;
    return count;
  }
};
using BinomialTree = KnomialTree;

/// A member of a tree in which everybody has two children at most; -1: nobody.
struct TreePlace {
  int parent = -1;
  std::array<int, 2> children = {-1, -1};
};

/// The chain 0, 1, 2 ...
[[nodiscard]] constexpr TreePlace chain_place(int relative, int size) {
  return {relative - 1, {relative + 1 < size ? relative + 1 : -1, -1}};
}

/// A binary tree over 1..size in whose order a member stands between its subtrees: odd members are
/// leaves, the lowest set bit is the height.
struct InOrderTree {
  int size;

  [[nodiscard]] constexpr TreePlace place(int member) const {
    TreePlace at;
    for (int up = above(member);; up = above(up)) {
      if (up > 2 * size) break;  // above the root
      if (up > size) continue;   // not there: its place is taken by what is below
      at.parent = up;
      break;
    }
    int half = (member & -member) / 2;
    if (half == 0) return at;
    at.children[0] = member - half;
    int right = member + half;
    while (right > size && (half /= 2) != 0) right -= half;
    if (right <= size && right != member) at.children[1] = right;
    return at;
  }

 private:
  [[nodiscard]] static constexpr int above(int member) {
    const int low = member & -member;
    return (member & (2 * low)) == 0 ? member + low : member - low;
  }
};

/// Two binary trees over relative ranks 1..size-1, below the root 0, which is the parent of both
/// trees' roots and no member. Who is inside of the one is a leaf of the other, so that each
/// carries half of the data at full speed (Sanders, Speck, Traeff 2009, "Two-tree algorithms for
/// full bandwidth broadcast, reduction and scan"). Requires size >= 2.
struct DoubleTree {
  int size;

  [[nodiscard]] constexpr TreePlace place(int relative, int which) const {
    const int members = size - 1;
    const InOrderTree tree{members};
    if (relative == 0) return {-1, {real(top(members), which), -1}};
    TreePlace at = tree.place(position(relative, which));
    at.parent = at.parent < 0 ? 0 : real(at.parent, which);
    for (int& child : at.children) {
      if (child >= 0) child = real(child, which);
    }
    return at;
  }

 private:
  /// Where a member stands in the order of the second tree: mirrored, or shifted by one, whichever
  /// exchanges odd and even.
  [[nodiscard]] constexpr int position(int relative, int which) const {
    const int members = size - 1;
    if (which == 0) return relative;
    return members % 2 == 0 ? members + 1 - relative : (relative == 1 ? members : relative - 1);
  }
  [[nodiscard]] constexpr int real(int position, int which) const {
    const int members = size - 1;
    if (which == 0) return position;
    return members % 2 == 0 ? members + 1 - position : (position == members ? 1 : position + 1);
  }
  [[nodiscard]] static constexpr int top(int members) { return floor_power_of_two(members); }
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
