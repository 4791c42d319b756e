// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Copies of parts of one buffer to parts of another, against a list of where all bytes lie.
#include "datatype/view_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "datatype/datatype.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

using Bytes = std::vector<std::byte>;

std::int64_t pick(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

/// A buffer of which no byte is there twice: blocks of lengths around `longest` in ascending,
/// descending or any order, elements one behind the other or backwards.
class RandomBuffer {
 public:
  RandomBuffer(std::mt19937_64& random, std::int64_t longest) {
    std::vector<MPI_Count> lengths(static_cast<std::size_t>(pick(random, 1, 40)));
    std::vector<MPI_Count> places(lengths.size());
    std::vector<std::size_t> order(lengths.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto way = pick(random, 0, 2);
    if (way == 1) std::ranges::reverse(order);
    if (way == 2) std::ranges::shuffle(order, random);
    const std::int64_t gap = pick(random, 0, 20);
    const bool equal = pick(random, 0, 1) == 0;
    std::int64_t end = 0;
    for (const std::size_t i : order) {
      lengths[i] = equal ? longest : pick(random, 0, longest);
      places[i] = end;
      end += lengths[i] + (equal ? gap : pick(random, 0, gap));
    }
    count_ = pick(random, 1, 3);
    const std::int64_t extent = end + pick(random, 0, 9);
    const bool backwards = pick(random, 0, 1) == 0;
    const auto blocks = make_hindexed(lengths, places, predefined(MPI_BYTE));
    type_ = *make_resized(**blocks, 0, backwards ? -extent : extent);
    origin_ = backwards ? (count_ - 1) * extent : 0;
    for (MPI_Count i = 0; i < count_; ++i) {
      for (std::size_t b = 0; b < lengths.size(); ++b) {
        for (MPI_Count k = 0; k < lengths[b]; ++k) {
          where_.push_back(static_cast<std::size_t>(origin_ + i * type_->extent() + places[b] + k));
        }
      }
    }
    memory.resize(static_cast<std::size_t>(count_ * extent));
    for (std::byte& byte : memory) byte = static_cast<std::byte>(random());
  }

  [[nodiscard]] View view() { return {memory.data() + origin_, count_, &type_->layout()}; }
  [[nodiscard]] const std::vector<std::size_t>& where() const { return where_; }

  Bytes memory;

 private:
  Ref<const Datatype> type_;
  MPI_Count count_ = 0;
  std::int64_t origin_ = 0;
  std::vector<std::size_t> where_;
};

TEST(ViewCopy, CopiesAnyPartToAnyPart) {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 600; ++round) {
    // Finely scattered ones are packed meanwhile, others copied run by run.
    RandomBuffer from(random, round % 2 == 0 ? 20 : 2000);
    RandomBuffer to(random, round % 4 < 2 ? 2000 : 20);
    const auto sources = std::ssize(from.where());
    const auto targets = std::ssize(to.where());
    const std::int64_t bytes = pick(random, 0, std::min(sources, targets));
    const std::int64_t first = pick(random, 0, sources - bytes);
    const std::int64_t second = pick(random, 0, targets - bytes);
    Bytes expected = to.memory;
    for (std::int64_t i = 0; i < bytes; ++i) {
      expected[to.where()[static_cast<std::size_t>(second + i)]] =
          from.memory[from.where()[static_cast<std::size_t>(first + i)]];
    }
    copy_between(from.view(), static_cast<std::size_t>(first), to.view(),
                 static_cast<std::size_t>(second), static_cast<std::size_t>(bytes));
    ASSERT_EQ(to.memory, expected) << "round " << round;
  }
}

TEST(ViewCopy, MovesWithinOneRun) {
  Bytes memory(5000);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7 + 3);
  Bytes expected = memory;
  std::copy_backward(memory.begin() + 10, memory.begin() + 4010, expected.begin() + 4110);
  const View all = bytes_view(memory.data(), memory.size());
  copy_between(all, 10, all, 110, 4000);
  EXPECT_EQ(memory, expected);
}

}  // namespace
}  // namespace remit::testing
