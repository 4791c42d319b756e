// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Operations that are handed to the process that has the memory: the slot's protocol, what a
// delegate refuses, and origins that race a delegate which comes and goes.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "onesided/elements/element_code.hpp"
#include "onesided/elements/plain_change.hpp"
#include "onesided/handover/delegate.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit {
namespace {

using testing::test_seed;
using Outcome = DelegationSlot::Outcome;

constexpr std::uint32_t kMember = 1;  // who holds a granule

/// A member of a window with memory for numbers, at the addresses that it has here.
class DelegationTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kNumbers = 2048;

  DelegationTest() : numbers_(kNumbers + 2, 0) { numbers_.front() = numbers_.back() = kCanary; }
  ~DelegationTest() override {
    EXPECT_EQ(numbers_.front(), kCanary);
    EXPECT_EQ(numbers_.back(), kCanary);
    for (const GranuleLock& lock : control_.granules) EXPECT_EQ(lock.holder.load(), 0U);
  }

  [[nodiscard]] std::int64_t* numbers() { return numbers_.data() + 1; }
  [[nodiscard]] std::uint64_t address(std::size_t i) {
    return reinterpret_cast<std::uintptr_t>(numbers() + i);
  }
  [[nodiscard]] Delegate delegate() {
    Delegate::Member member;
    member.memory.here = numbers_bytes();
    member.memory.base = reinterpret_cast<std::uintptr_t>(numbers());
    member.memory.granules = control_.granules;
    member.memory.self = kMember;
    member.control = &control_;
    member.contains = [this](std::uint64_t first, std::uint64_t bytes) {
      const std::uint64_t offset = first - reinterpret_cast<std::uintptr_t>(numbers());
      constexpr std::uint64_t kAll = kNumbers * sizeof(std::int64_t);
      return offset <= kAll && bytes <= kAll - offset;
    };
    return {*slot_, std::move(member)};
  }
  [[nodiscard]] DelegatedOperation sum_at(std::size_t i, std::size_t count) {
    const auto code = code_of(*predefined(reinterpret_cast<std::uintptr_t>(MPI_INT64_T)));
    DelegatedOperation operation;
    operation.kind = DelegatedKind::accumulate;
    operation.op = static_cast<std::uint8_t>(op_of(MPI_SUM)->kind());
    operation.element = code->element;
    operation.index = code->index;
    operation.address = address(i);
    operation.bytes = static_cast<std::uint32_t>(count * sizeof(std::int64_t));
    return operation;
  }
  /// As an origin that finds the delegate there.
  [[nodiscard]] Outcome ask(Delegate& delegate, const DelegatedOperation& operation) {
    slot_->post(0, operation);
    return slot_->await(
        0, [&] { (void)delegate.serve(); }, [] { return false; });
  }

  static constexpr std::int64_t kCanary = 0x5a5a5a5a5a5a5a5a;
  std::vector<std::int64_t> numbers_;
  MemberControl control_;
  std::unique_ptr<DelegationSlot> slot_ = std::make_unique<DelegationSlot>();

 private:
  [[nodiscard]] std::byte* numbers_bytes() { return reinterpret_cast<std::byte*>(numbers()); }
};

TEST_F(DelegationTest, PutsGetsAndChanges) {
  Delegate member = delegate();
  ASSERT_TRUE(slot_->claim(1));
  EXPECT_FALSE(slot_->claim(2));
  const std::array<std::int64_t, 2> values{70, 80};
  std::memcpy(slot_->data(0), values.data(), sizeof values);
  DelegatedOperation operation;
  operation.kind = DelegatedKind::put;
  operation.address = address(5);
  operation.bytes = sizeof values;
  EXPECT_EQ(ask(member, operation), Outcome::done);
  EXPECT_EQ(numbers()[5], 70);
  EXPECT_EQ(numbers()[6], 80);
  operation.kind = DelegatedKind::get;
  std::memset(slot_->data(0), 0, sizeof values);
  EXPECT_EQ(ask(member, operation), Outcome::done);
  EXPECT_EQ(std::memcmp(slot_->data(0), values.data(), sizeof values), 0);
  DelegatedOperation sum = sum_at(5, 2);
  sum.fetches = 1;  // adds each number to itself
  EXPECT_EQ(ask(member, sum), Outcome::done);
  EXPECT_EQ(numbers()[5], 140);
  EXPECT_EQ(numbers()[6], 160);
  EXPECT_EQ(std::memcmp(slot_->data(0), values.data(), sizeof values), 0);
  const std::array<std::int64_t, 2> swap{1, 140};  // what it becomes, what it must be
  std::memcpy(slot_->data(0), swap.data(), sizeof swap);
  DelegatedOperation compare = sum_at(5, 1);
  compare.kind = DelegatedKind::compare_swap;
  EXPECT_EQ(ask(member, compare), Outcome::done);
  EXPECT_EQ(numbers()[5], 1);
  EXPECT_EQ(std::memcmp(slot_->data(0), &swap[1], sizeof swap[1]), 0);
  slot_->leave();
  EXPECT_TRUE(slot_->claim(1));
}

TEST_F(DelegationTest, IsCalledBack) {
  ASSERT_TRUE(slot_->claim(1));
  int rests = 0;
  slot_->post(0, sum_at(0, 1));
  EXPECT_EQ(slot_->await(
                0, [&] { ++rests; }, [] { return false; }),
            Outcome::unanswered);
  EXPECT_GT(rests, 0);
  Delegate member = delegate();
  EXPECT_EQ(member.serve(), 0);
  EXPECT_EQ(numbers()[0], 0);
  EXPECT_FALSE(slot_->claim(2));  // until the origin leaves it
  slot_->leave();
  EXPECT_TRUE(slot_->claim(1));
}

TEST_F(DelegationTest, TellsOfALostMember) {
  ASSERT_TRUE(slot_->claim(1));
  slot_->post(0, sum_at(0, 1));
  DelegatedOperation taken;
  ASSERT_TRUE(slot_->take(0, taken));
  EXPECT_EQ(taken.address, address(0));
  EXPECT_EQ(slot_->await(
                0, [] {}, [] { return true; }),
            Outcome::lost);
}

// What stands in a slot may be anything: the canaries say what was touched.
TEST_F(DelegationTest, RefusesWhatIsNotTheMembers) {
  Delegate member = delegate();
  std::mt19937_64 random(test_seed());
  ASSERT_TRUE(slot_->claim(1));
  const auto check = [&](DelegatedOperation operation, Outcome outcome) {
    EXPECT_EQ(ask(member, operation), outcome);
  };
  DelegatedOperation operation = sum_at(kNumbers - 1, 2);
  check(operation, Outcome::declined);
  operation.kind = DelegatedKind::put;
  check(operation, Outcome::declined);
  operation = sum_at(0, 1);
  operation.bytes = 0;
  check(operation, Outcome::declined);
  operation.bytes = 12;  // no whole number
  check(operation, Outcome::declined);
  operation.bytes = DelegationSlot::kBytes + 8;
  check(operation, Outcome::declined);
  operation = sum_at(0, 1);
  operation.op = 255;
  check(operation, Outcome::declined);
  operation = sum_at(0, 1);
  operation.element = 65535;
  check(operation, Outcome::declined);
  for (int round = 0; round < 20000; ++round) {
    operation.address = address(0) + random() % (4 * kNumbers * sizeof(std::int64_t)) -
                        kNumbers * sizeof(std::int64_t);
    operation.bytes = static_cast<std::uint32_t>(random() % (2 * DelegationSlot::kBytes));
    operation.kind = static_cast<DelegatedKind>(random() % 8);
    operation.op = static_cast<std::uint8_t>(random() % 32);
    operation.element = static_cast<std::uint16_t>(random() % 2048);
    operation.index = random() % 4 == 0 ? static_cast<std::uint16_t>(random() % 2048) : 0;
    operation.fetches = static_cast<std::uint16_t>(random() % 2);
    const Outcome outcome = ask(member, operation);
    EXPECT_TRUE(outcome == Outcome::done || outcome == Outcome::declined);
  }
}

/// Adds to random numbers, `rounds` times two at a time: hands that over, and does itself what
/// nobody answers.
class AddingOrigin {
 public:
  AddingOrigin(DelegationSlot& slot, std::uint64_t seed, std::uint32_t self)
      : slot_(slot), random_(seed), self_(self) {}

  /// `sum_at`: what to ask for. `here`: the numbers' memory and locks.
  template <class SumAt, class Here>
  void add(int rounds, std::size_t numbers, SumAt&& sum_at, Here&& here) {
    for (int round = 0; round < rounds; ++round) {
      std::array<Addition, DelegationSlot::kLanes> additions;
      for (Addition& addition : additions) {
        addition.at = random_() % numbers;
        addition.value = static_cast<std::int64_t>(random_() % 1000);
        total_ += addition.value;
      }
      const int before = handed_over_;
      hand_over(additions, sum_at);
      // In the first round the delegate is there.
      while (round == 0 && handed_over_ == before) hand_over(additions, sum_at);
      for (const Addition& addition : additions) {
        if (!addition.done) add_here(here(addition.at), addition.value);
      }
    }
  }
  [[nodiscard]] std::int64_t total() const { return total_; }
  [[nodiscard]] int handed_over() const { return handed_over_; }

 private:
  struct Addition {
    std::size_t at = 0;
    std::int64_t value = 0;
    bool done = false;
  };

  template <class SumAt>
  void hand_over(std::array<Addition, DelegationSlot::kLanes>& additions, SumAt&& sum_at) {
    if (!slot_.claim(self_)) return;
    for (unsigned lane = 0; lane < DelegationSlot::kLanes; ++lane) {
      std::memcpy(slot_.data(lane), &additions[lane].value, sizeof additions[lane].value);
      slot_.post(lane, sum_at(additions[lane].at));
    }
    const auto alive = [] { return false; };
    Outcome outcome = Outcome::done;
    for (unsigned lane = 0; lane < DelegationSlot::kLanes; ++lane) {
      // Behind the first one that is not answered the rest is called back at once.
      outcome = outcome == Outcome::done ? slot_.await(
                                               lane, [] {}, alive)
                                         : slot_.call_back(lane, alive);
      EXPECT_TRUE(outcome == Outcome::done || outcome == Outcome::unanswered);
      additions[lane].done = outcome == Outcome::done;
      handed_over_ += additions[lane].done ? 1 : 0;
    }
    slot_.leave();
  }
  void add_here(PlainElements number, std::int64_t value) {
    number.self = self_;
    const ReductionKernel kernel = reduction_kernel(
        *op_of(MPI_SUM), *predefined(reinterpret_cast<std::uintptr_t>(MPI_INT64_T)));
    const PlainChange change{kernel, reinterpret_cast<const std::byte*>(&value), nullptr};
    while (!change_plain(number, sizeof value, 1, change)) std::this_thread::yield();
  }

  DelegationSlot& slot_;
  std::mt19937_64 random_;
  std::uint32_t self_;
  std::int64_t total_ = 0;
  int handed_over_ = 0;
};

// No addition is lost or done twice, whoever does it: each is the delegate's or its origin's.
TEST_F(DelegationTest, OriginsRaceADelegateThatComesAndGoes) {
  constexpr int kOrigins = 3;
  constexpr int kRounds = 20000;
  std::mt19937_64 random(test_seed());
  std::atomic<int> running{kOrigins};
  std::vector<AddingOrigin> origins;
  for (std::uint32_t i = 0; i < kOrigins; ++i) origins.emplace_back(*slot_, random(), i + 2);
  std::vector<std::thread> threads;
  for (AddingOrigin& origin : origins) {
    threads.emplace_back([&] {
      origin.add(
          kRounds, kNumbers, [&](std::size_t i) { return sum_at(i, 1); },
          [&](std::size_t i) {
            return PlainElements{reinterpret_cast<std::byte*>(numbers() + i), address(i), &control_,
                                 0, nullptr};
          });
      --running;
    });
  }
  Delegate member = delegate();
  int served = 0;
  while (running != 0) {
    for (int polls = 0; polls < 1000 && running != 0; ++polls) served += member.serve();
    if (random() % 4 == 0) std::this_thread::yield();  // it computes
  }
  for (std::thread& thread : threads) thread.join();
  std::int64_t total = 0;
  int handed_over = 0;
  for (const AddingOrigin& origin : origins) {
    total += origin.total();
    handed_over += origin.handed_over();
  }
  EXPECT_EQ(std::accumulate(numbers(), numbers() + kNumbers, std::int64_t{0}), total);
  EXPECT_EQ(handed_over, served);
  EXPECT_GE(served, kOrigins);
}

}  // namespace
}  // namespace remit
