// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The short ways of accumulates: they change all or nothing, under the granules' locks.
#include "onesided/elements/plain_change.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "datatype/reductions.hpp"
#include "runtime/copy_time.hpp"

namespace remit {
namespace {

constexpr std::uint32_t kSelf = 2;
constexpr std::uint64_t kFirst = 7 * kGranuleBytes;  // address in the member's process

/// A member with memory for numbers.
class PlainChangeTest : public ::testing::Test {
 protected:
  PlainChangeTest() : numbers_(8 * kGranuleBytes / sizeof(std::int64_t)) {
    std::iota(numbers_.begin(), numbers_.end(), 0);
  }
  /// So many bytes behind the beginning.
  [[nodiscard]] PlainElements at(std::size_t offset) {
    return {reinterpret_cast<std::byte*>(numbers_.data()) + offset, kFirst + offset, &control_,
            kSelf, nullptr};
  }
  [[nodiscard]] GranuleLock& lock_of(std::size_t offset) {
    return control_.granules[granule_lock_of(kFirst + offset)];
  }
  [[nodiscard]] bool all_free() const {
    for (const GranuleLock& lock : control_.granules) {
      if (lock.holder.load() != 0) return false;
    }
    return true;
  }
  [[nodiscard]] static ReductionKernel sum() {
    return reduction_kernel(*op_of(MPI_SUM),
                            *predefined(reinterpret_cast<std::uintptr_t>(MPI_INT64_T)));
  }

  std::vector<std::int64_t> numbers_;
  MemberControl control_;
};

template <class T>
const std::byte* bytes_of(const T& value) {
  return reinterpret_cast<const std::byte*>(&value);
}

TEST_F(PlainChangeTest, AddsAndFetches) {
  const std::int64_t one = 1;
  std::int64_t before = -1;
  const PlainChange change{sum(), bytes_of(one), reinterpret_cast<std::byte*>(&before)};
  EXPECT_TRUE(change_plain(at(24), sizeof one, 1, change));
  EXPECT_EQ(before, 3);
  EXPECT_EQ(numbers_[3], 4);
  EXPECT_EQ(numbers_[4], 4);
  EXPECT_TRUE(all_free());
}

TEST_F(PlainChangeTest, ReplacesOrOnlyFetches) {
  const std::int64_t value = 70;
  std::int64_t before = -1;
  auto* const result = reinterpret_cast<std::byte*>(&before);
  EXPECT_TRUE(change_plain(at(8), sizeof value, 1, {nullptr, bytes_of(value), result}));
  EXPECT_EQ(before, 1);
  EXPECT_TRUE(change_plain(at(8), sizeof value, 1, {nullptr, nullptr, result}));
  EXPECT_EQ(before, 70);
  EXPECT_EQ(numbers_[1], 70);
  EXPECT_TRUE(all_free());
}

TEST_F(PlainChangeTest, ChangesManyGranules) {
  const std::size_t count = numbers_.size() - 2;
  std::vector<std::int64_t> added(count, 5);
  std::vector<std::int64_t> before(count, -1);
  const PlainChange change{sum(), bytes_of(added[0]), reinterpret_cast<std::byte*>(before.data())};
  EXPECT_TRUE(change_plain(at(8), sizeof(std::int64_t), count, change));
  EXPECT_EQ(numbers_.front(), 0);
  EXPECT_EQ(numbers_.back(), static_cast<std::int64_t>(numbers_.size()) - 1);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(before[i], static_cast<std::int64_t>(i) + 1);
    ASSERT_EQ(numbers_[i + 1], static_cast<std::int64_t>(i) + 6);
  }
  EXPECT_TRUE(all_free());
}

TEST_F(PlainChangeTest, LongOnesMoveData) {
  const std::vector<std::int64_t> added(numbers_.size(), 5);
  const PlainChange change{sum(), bytes_of(added[0]), nullptr};
  CopyMeter meter;
  meter.want(true);
  EXPECT_TRUE(change_plain(at(0), sizeof(std::int64_t), 2047, change));
  EXPECT_EQ(meter.ns(), 0U);
  EXPECT_TRUE(change_plain(at(0), sizeof(std::int64_t), 2048, change));
  EXPECT_GT(meter.ns(), 0U);
}

TEST_F(PlainChangeTest, LeavesElementsInTwoGranulesAlone) {
  const std::vector<std::int64_t> before = numbers_;
  const std::int64_t one = 1;
  EXPECT_FALSE(change_plain(at(kGranuleBytes - 4), sizeof one, 1, {sum(), bytes_of(one), nullptr}));
  const std::vector<std::int64_t> many(600, 1);
  EXPECT_FALSE(change_plain(at(4), sizeof one, many.size(), {sum(), bytes_of(many[0]), nullptr}));
  std::int64_t result = -1;
  EXPECT_FALSE(swap_at_once<std::uint64_t>(at(kGranuleBytes - 4), &one, &one, &result));
  EXPECT_EQ(numbers_, before);
  EXPECT_EQ(result, -1);
  EXPECT_TRUE(all_free());
}

TEST_F(PlainChangeTest, LeavesToOthersWhatTheyAreIn) {
  const std::vector<std::int64_t> before = numbers_;
  const std::int64_t one = 1;
  std::int64_t result = -1;
  lock_of(0).holder = kSelf + 1;
  EXPECT_FALSE(change_plain(at(0), sizeof one, 1, {sum(), bytes_of(one), nullptr}));
  EXPECT_FALSE(swap_at_once<std::uint64_t>(at(0), &one, &numbers_[0], &result));
  const std::vector<std::int64_t> many(600, 1);
  EXPECT_FALSE(change_plain(at(0), sizeof one, many.size(), {sum(), bytes_of(many[0]), nullptr}));
  EXPECT_EQ(numbers_, before);
  EXPECT_EQ(lock_of(0).holder, kSelf + 1) << "it is not this process's to give back";
}

TEST_F(PlainChangeTest, SwapsWhatIsEqual) {
  const std::int64_t replacement = 1000;
  const std::int64_t compare = 5;
  std::int64_t result = -1;
  EXPECT_TRUE(swap_at_once<std::uint64_t>(at(40), &replacement, &compare, &result));
  EXPECT_EQ(result, 5);
  EXPECT_EQ(numbers_[5], 1000);
  EXPECT_TRUE(swap_at_once<std::uint64_t>(at(40), &compare, &compare, &result));
  EXPECT_EQ(result, 1000);
  EXPECT_EQ(numbers_[5], 1000);
  EXPECT_TRUE(all_free());
}

}  // namespace
}  // namespace remit
