// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Peer arithmetic for every size from 1 to 257, against what the shapes mean.
#include "collectives/algorithms/peers.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace remit {
namespace {

constexpr int kMaxSize = 257;

TEST(Peers, PowersOfTwo) {
  for (int n = 1; n <= kMaxSize; ++n) {
    const int floor = floor_power_of_two(n);
    EXPECT_TRUE(is_power_of_two(floor));
    EXPECT_LE(floor, n);
    EXPECT_GT(2 * floor, n);
    EXPECT_EQ(is_power_of_two(n), floor == n);
  }
}

TEST(Peers, RelativeRanksCountFromTheRoot) {
  for (int size = 1; size <= kMaxSize; ++size) {
    for (int root = 0; root < size; ++root) {
      ASSERT_EQ(to_relative(root, root, size), 0);
      for (int rank = 0; rank < size; ++rank) {
        const int relative = to_relative(rank, root, size);
        ASSERT_EQ((relative + root) % size, rank);
        ASSERT_GE(relative, 0);
        ASSERT_LT(relative, size);
        ASSERT_EQ(from_relative(relative, root, size), rank);
      }
    }
  }
}

/// The children as the algorithms enumerate them.
std::vector<int> children(const KnomialTree& tree) {
  std::vector<int> found;
  for (int power = 1; power < tree.span(); power *= tree.radix) {
    for (int digit = 1; digit < tree.radix; ++digit) {
      const int child = tree.relative + digit * power;
      if (child < tree.size) found.push_back(child);
    }
  }
  return found;
}

int depth(int relative, int size, int radix) {
  int steps = 0;
  for (int r = relative; r != 0; r = KnomialTree{r, size, radix}.parent()) ++steps;
  return steps;
}

void expect_knomial(int size, int radix) {
  int rounds = 0;
  for (int reach = 1; reach < size; reach *= radix) ++rounds;
  std::vector<int> parents(static_cast<std::size_t>(size), 0);
  for (int r = 0; r < size; ++r) {
    const KnomialTree tree{r, size, radix};
    int below = 1;
    int next = r + 1;  // children's ranges follow one another without a hole
    for (const int child : children(tree)) {
      ASSERT_EQ((KnomialTree{child, size, radix}.parent()), r) << size;
      ++parents[static_cast<std::size_t>(child)];
      ASSERT_EQ(child, next) << size;
      next += KnomialTree{child, size, radix}.subtree();
      below += KnomialTree{child, size, radix}.subtree();
    }
    ASSERT_LE(children(tree).size(), static_cast<std::size_t>(tree.children()));
    ASSERT_EQ(tree.subtree(), below) << "size " << size << " rank " << r;
    ASSERT_LE(depth(r, size, radix), rounds);
  }
  EXPECT_EQ((KnomialTree{0, size, radix}.subtree()), size);
  if (radix == 2) {
    EXPECT_EQ(children({0, size}).size(), static_cast<std::size_t>(rounds));
  }
  for (int r = 1; r < size; ++r) ASSERT_EQ(parents[static_cast<std::size_t>(r)], 1);
}

TEST(Peers, KnomialTreeIsATreeOfContiguousSubtrees) {
  for (int radix = 2; radix <= 9; ++radix) {
    for (int size = 1; size <= kMaxSize; ++size) expect_knomial(size, radix);
  }
}

TEST(Peers, DoubleTreesAreTwoTreesWithoutACommonInside) {
  for (int size = 2; size <= kMaxSize; ++size) {
    int rounds = 0;
    while ((1 << rounds) < size) ++rounds;
    const DoubleTree trees{size};
    std::vector<int> inside(static_cast<std::size_t>(size), 0);
    for (const int which : {0, 1}) {
      std::vector<int> parents(static_cast<std::size_t>(size), 0);
      for (int r = 0; r < size; ++r) {
        const TreePlace place = trees.place(r, which);
        if (r > 0 && place.children[0] >= 0) ++inside[static_cast<std::size_t>(r)];
        for (const int child : place.children) {
          if (child < 0) continue;
          ASSERT_LT(child, size);
          ASSERT_EQ(trees.place(child, which).parent, r) << "size " << size;
          ++parents[static_cast<std::size_t>(child)];
        }
      }
      ASSERT_EQ(trees.place(0, which).parent, -1);
      for (int r = 1; r < size; ++r) {
        ASSERT_EQ(parents[static_cast<std::size_t>(r)], 1) << "size " << size << " rank " << r;
        int steps = 0;
        for (int up = r; up != 0; up = trees.place(up, which).parent) ++steps;
        ASSERT_LE(steps, rounds + 1);
      }
    }
    for (const int times : inside) ASSERT_LE(times, 1) << "size " << size;
  }
}

TEST(Peers, TheChainIsAChain) {
  EXPECT_EQ(chain_place(0, 3).parent, -1);
  EXPECT_EQ(chain_place(1, 3).children[0], 2);
  EXPECT_EQ(chain_place(2, 3).parent, 1);
  EXPECT_EQ(chain_place(2, 3).children[0], -1);
}

TEST(Peers, FoldKeepsOrderAndLeavesACube) {
  for (int size = 1; size <= kMaxSize; ++size) {
    const PowerOfTwoFold fold{size};
    ASSERT_TRUE(is_power_of_two(fold.cube()));
    ASSERT_EQ(fold.cube() + fold.extra(), size);
    int next = 0;
    for (int rank = 0; rank < size; ++rank) {
      const int cube_rank = fold.to_cube(rank);
      if (cube_rank < 0) {
        // Stands aside for the next rank, which takes part.
        ASSERT_LT(rank, 2 * fold.extra());
        ASSERT_EQ(rank % 2, 0);
        ASSERT_EQ(fold.to_cube(rank + 1), next);
        continue;
      }
      ASSERT_EQ(cube_rank, next++) << "size " << size << " rank " << rank;
      ASSERT_EQ(fold.from_cube(cube_rank), rank);
    }
    ASSERT_EQ(next, fold.cube());
    ASSERT_EQ(fold.first_rank(0), 0);
    ASSERT_EQ(fold.first_rank(fold.cube()), size);
    for (int i = 0; i < fold.cube(); ++i) {
      ASSERT_EQ(fold.first_rank(i + 1), fold.from_cube(i) + 1) << "neighbours, without a hole";
    }
  }
}

TEST(Peers, ReversedBitsAreTheirOwnInverse) {
  EXPECT_EQ(reverse_bits(0b0011, 4), 0b1100);
  EXPECT_EQ(reverse_bits(0b001, 3), 0b100);
  for (int bits = 0; bits <= 8; ++bits) {
    for (int value = 0; value < 1 << bits; ++value) {
      const int reversed = reverse_bits(value, bits);
      ASSERT_LT(reversed, 1 << bits);
      ASSERT_EQ(reverse_bits(reversed, bits), value);
      for (int i = 0; i < bits; ++i) {
        ASSERT_EQ((value >> i) & 1, (reversed >> (bits - 1 - i)) & 1);
      }
    }
  }
}

TEST(Peers, BlocksCoverTheVectorEvenly) {
  const MPI_Count huge = MPI_Count{1} << 40;
  for (int parts = 1; parts <= kMaxSize; ++parts) {
    for (const MPI_Count total : {MPI_Count{0}, MPI_Count{1}, MPI_Count{parts} - 1,
                                  MPI_Count{parts}, MPI_Count{1000}, huge + 7}) {
      const Blocks blocks{total, parts};
      ASSERT_EQ(blocks.begin(0), 0);
      ASSERT_EQ(blocks.begin(parts), total);
      for (int i = 0; i < parts; ++i) {
        ASSERT_GE(blocks.count(i), total / parts);
        ASSERT_LE(blocks.count(i), total / parts + 1);
        ASSERT_LE(blocks.count(i), blocks.count(0)) << "the first is the largest";
        ASSERT_EQ(blocks.begin(i) + blocks.count(i), blocks.begin(i + 1));
        ASSERT_EQ(blocks.count(0, i), blocks.begin(i));
      }
    }
  }
}

}  // namespace
}  // namespace remit
