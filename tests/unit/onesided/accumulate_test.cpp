// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Accumulates against a model that does one element after the other; their locks; and threads that
// change the same words. Each by both ways to the memory.
#include "onesided/elements/accumulate.hpp"

#include <gtest/gtest.h>

#include <array>
#include <latch>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "datatype/unnamed_types.hpp"
#include "onesided/memory/granule.hpp"
#include "onesided/memory/process_memory.hpp"
#include "runtime/copy_time.hpp"
#include "tests/unit/onesided/element_buffers.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit {
namespace {

using testing::between;
using testing::Random;
using testing::RandomLayout;

using Bytes = std::vector<std::byte>;

const Op& op(MPI_Op handle) {
  return *op_of(handle);
}

/// Every type that an accumulate may be of, some without constants among them.
std::vector<const Datatype*> all_elements(UnnamedTypes& unnamed) {
  std::vector<const Datatype*> types;
  for (const Datatype* type : kPredefinedDatatypes) {
    if (type != nullptr && type->is_available()) types.push_back(type);
  }
  types.push_back(unnamed.value_index(predefined(MPI_INT8_T), predefined(MPI_INT64_T)));
  types.push_back(unnamed.value_index(predefined(MPI_DOUBLE), predefined(MPI_SHORT)));
  types.push_back(unnamed.f90_real(12, MPI_UNDEFINED).value());
  return types;
}

/// How this process gets at a member's memory.
enum class Way { mapped, copied };

std::unique_ptr<ProcessMemory> open_own_memory(KernelCopy& kernel) {
  auto memory = ProcessMemory::open(own_process_sign(), kernel);
  EXPECT_TRUE(memory) << memory.error().message;
  return memory ? std::move(*memory) : nullptr;
}

/// A member's memory: mapped elsewhere than at its own addresses, or this process's by the
/// kernel's copies.
class Member {
 public:
  /// `offset`: of its address in a granule.
  Member(Way way, std::size_t bytes, std::int64_t offset = 0)
      : room_(bytes + 2 * kGranuleBytes), way_(way) {
    const auto room = reinterpret_cast<std::uintptr_t>(room_.data());
    const std::uintptr_t shift = (0 - room) % kGranuleBytes + static_cast<std::uintptr_t>(offset);
    begin_ = room_.data() + (way == Way::mapped ? 1 : shift);
    bytes_ = bytes;
    memory_.base =
        way == Way::mapped ? 0x7f5500000000 + static_cast<std::uint64_t>(offset) : room + shift;
    memory_.here = way == Way::mapped ? begin_ : nullptr;
    if (way == Way::copied) process_ = open_own_memory(kernel_);
    memory_.process = process_.get();
    memory_.granules = granules_;
    memory_.self = 1;
  }
  [[nodiscard]] Way way() const { return way_; }
  [[nodiscard]] MemberMemory& memory() { return memory_; }
  [[nodiscard]] std::span<std::byte> bytes() { return {begin_, bytes_}; }
  [[nodiscard]] Bytes copy_of_bytes() { return {begin_, begin_ + bytes_}; }
  template <class T>
  [[nodiscard]] T at(std::int64_t offset) const {
    T value;
    std::memcpy(&value, begin_ + offset, sizeof value);
    return value;
  }
  /// The member's address of a byte, as the base of a view.
  [[nodiscard]] void* address(std::int64_t offset) const {
    return reinterpret_cast<void*>(memory_.base + static_cast<std::uint64_t>(offset));
  }
  [[nodiscard]] GranuleLock& lock_of(std::int64_t offset) {
    return granules_[granule_lock_of(memory_.base + static_cast<std::uint64_t>(offset))];
  }
  [[nodiscard]] bool all_free() const {
    return std::all_of(granules_.begin(), granules_.end(),
                       [](const GranuleLock& lock) { return lock.holder == 0; });
  }

 private:
  Bytes room_;
  Way way_;
  std::byte* begin_;
  std::size_t bytes_;
  KernelCopy kernel_;
  std::unique_ptr<ProcessMemory> process_;
  std::array<GranuleLock, MemberControl::kGranuleLocks> granules_;
  MemberMemory memory_;
};

/// A user's buffer: what lies between its elements has random bytes, too.
struct Buffer {
  Buffer(const Datatype& element, MPI_Count elements, Random& random)
      : layout(element, elements, random),
        bytes(static_cast<std::size_t>(layout.bytes()) + 64),
        base(layout.before() + between(random, 0, 40)) {
    testing::fill_random(bytes, random);
    for (std::int64_t place : layout.places())
      testing::put_random_element(at(place), element, random);
  }
  std::byte* at(std::int64_t place) { return bytes.data() + base + place; }
  View view() { return layout.view(bytes.data() + base); }

  RandomLayout layout;
  Bytes bytes;
  std::int64_t base;
};

/// A product of complex long doubles writes anything where these have no bits.
void clear_padding(std::byte* at, const Datatype& element) {
  if (element.signature().kind != BasicKind::clong) return;
  constexpr std::size_t kBytesInUse = std::numeric_limits<long double>::digits == 64 ? 10 : 16;
  for (const std::size_t part : {std::size_t{0}, sizeof(long double)})
    std::memset(at + part + kBytesInUse, 0, sizeof(long double) - kBytesInUse);
}

/// One accumulate with random layouts, compared byte by byte.
void compare_with_model(Way way, const Op& op, const Datatype& element, MPI_Count elements,
                        bool fetches, Random& random) {
  Buffer origin(element, elements, random);
  Buffer result(element, elements, random);
  const RandomLayout target(element, elements, random);
  Member member(way, static_cast<std::size_t>(target.bytes()) + 5000, between(random, 0, 4095));
  testing::fill_random(member.bytes(), random);
  const std::int64_t base = target.before() + between(random, 0, 4900);
  for (std::int64_t place : target.places())
    testing::put_random_element(member.bytes().data() + base + place, element, random);

  Bytes model = member.copy_of_bytes();
  Bytes model_result = result.bytes;
  const Bytes model_origin = origin.bytes;
  for (std::size_t i = 0; i < target.places().size(); ++i) {
    std::byte* const at = model.data() + base + target.places()[i];
    std::byte* const to = model_result.data() + result.base + result.layout.places()[i];
    if (fetches) testing::copy_element(to, at, element);
    testing::apply_to_element(op, origin.at(origin.layout.places()[i]), at, element);
  }

  const auto what = Accumulation::of(op, target.type());
  ASSERT_TRUE(what) << what.error().message;
  EXPECT_EQ(&what->element(), &element);
  const View from = origin.view();
  const View to = result.view();
  const bool needs_origin = op.kind() != Reduction::no_op || between(random, 0, 1) == 0;
  ASSERT_TRUE(accumulate(member.memory(), *what, needs_origin ? &from : nullptr,
                         target.view(member.address(base)), fetches ? &to : nullptr));
  for (const std::int64_t place : target.places()) {
    clear_padding(member.bytes().data() + base + place, element);
    clear_padding(model.data() + base + place, element);
  }
  EXPECT_EQ(member.copy_of_bytes(), model)
      << op.name() << ' ' << element.name() << " x " << elements;
  EXPECT_EQ(result.bytes, model_result) << op.name() << ' ' << element.name() << " x " << elements;
  EXPECT_EQ(origin.bytes, model_origin);
  EXPECT_TRUE(member.all_free());
}

class Accumulate : public ::testing::TestWithParam<Way> {};
class CompareAndSwap : public Accumulate {};
class AccumulateTogether : public Accumulate {};
class AccumulateOfTheDead : public Accumulate {};

std::string name_of_way(const ::testing::TestParamInfo<Way>& info) {
  return info.param == Way::mapped ? "mapped" : "copied";
}
const auto kWays = ::testing::Values(Way::mapped, Way::copied);
INSTANTIATE_TEST_SUITE_P(ByWay, Accumulate, kWays, name_of_way);
INSTANTIATE_TEST_SUITE_P(ByWay, CompareAndSwap, kWays, name_of_way);
INSTANTIATE_TEST_SUITE_P(ByWay, AccumulateTogether, kWays, name_of_way);
INSTANTIATE_TEST_SUITE_P(ByWay, AccumulateOfTheDead, kWays, name_of_way);

TEST_P(Accumulate, LongOnesMoveData) {
  constexpr MPI_Count kDoubles = 4096;
  const Datatype& element = predefined(MPI_DOUBLE);
  const auto what = Accumulation::of_element(op(MPI_SUM), element);
  ASSERT_TRUE(what);
  Member member(GetParam(), kDoubles * sizeof(double), 24);
  std::vector<double> added(kDoubles, 1.5);
  const auto add = [&](MPI_Count count) {
    const View origin{added.data(), count, &element.layout()};
    const View target{member.address(0), count, &element.layout()};
    return accumulate(member.memory(), *what, &origin, target, nullptr);
  };
  CopyMeter meter;
  meter.want(true);
  ASSERT_TRUE(add(2047));
  EXPECT_EQ(meter.ns(), 0U);
  ASSERT_TRUE(add(kDoubles));
  EXPECT_GT(meter.ns(), 0U);
  EXPECT_EQ(member.at<double>(8), 3);
}

TEST_P(Accumulate, EachOperationOnEachTypeIsTheModels) {
  Random random(testing::test_seed());
  UnnamedTypes unnamed;
  int cases = 0;
  for (const Datatype* element : all_elements(unnamed)) {
    for (const Op* op : kPredefinedOps) {
      if (op == nullptr || !Accumulation::of_element(*op, *element)) continue;
      for (const MPI_Count elements : {1, 2, 24, 360}) {
        compare_with_model(GetParam(), *op, *element, elements, between(random, 0, 1) == 0, random);
        ++cases;
      }
    }
  }
  EXPECT_GT(cases, 1500);
}

// Longer than batches, and than the runs of one.
TEST_P(Accumulate, LongOnesAreTheModels) {
  Random random(testing::test_seed() + 1);
  UnnamedTypes unnamed;
  const std::array<MPI_Op, 4> ops = {MPI_SUM, MPI_REPLACE, MPI_NO_OP, MPI_MINLOC};
  for (int i = 0; i < 60; ++i) {
    const auto types = all_elements(unnamed);
    const Datatype& element =
        *types[static_cast<std::size_t>(between(random, 0, 1000)) % types.size()];
    for (const MPI_Op handle : ops) {
      if (!Accumulation::of_element(op(handle), element)) continue;
      compare_with_model(GetParam(), op(handle), element, between(random, 1000, 6000), i % 2 == 0,
                         random);
    }
  }
}

// A message brings elements packed, and takes them back so.
TEST_P(Accumulate, PackedBytesOfPairsAreElements) {
  Random random(testing::test_seed() + 2);
  for (const MPI_Datatype handle : {MPI_SHORT_INT, MPI_DOUBLE_INT, MPI_LONG_DOUBLE_INT, MPI_2INT}) {
    const Datatype& element = predefined(handle);
    for (const MPI_Count elements : {1, 7, 900}) {
      const auto bytes = static_cast<std::size_t>(elements * element.size());
      const auto reach = static_cast<std::size_t>(elements * element.extent());
      Bytes in(bytes);
      Bytes out(bytes);
      Bytes before(bytes);
      Bytes after(bytes);
      testing::fill_random(in, random);
      Member member(GetParam(), reach);
      testing::fill_random(member.bytes(), random);
      element.layout().pack(member.bytes().data(), elements, 0, before);

      const View from = {in.data(), element.size() * elements, &predefined(MPI_BYTE).layout()};
      const View to = {out.data(), element.size() * elements, &predefined(MPI_BYTE).layout()};
      const View target = {member.address(0), elements, &element.layout()};
      const auto what = Accumulation::of(op(MPI_REPLACE), element).value();
      ASSERT_TRUE(accumulate(member.memory(), what, &from, target, &to));
      element.layout().pack(member.bytes().data(), elements, 0, after);
      EXPECT_EQ(after, in);
      EXPECT_EQ(out, before);
    }
  }
}

TEST_P(Accumulate, NothingIsDoneToNoElements) {
  Member member(GetParam(), 64);
  const Bytes before = member.copy_of_bytes();
  const std::int64_t one = 1;
  const Datatype& element = predefined(MPI_INT64_T);
  const auto none = make_contiguous(0, element).value();
  const auto empty = make_struct({}, {}, {}).value();
  const View from = {const_cast<std::int64_t*>(&one), 0, &element.layout()};
  for (const Datatype* type : {&element, static_cast<const Datatype*>(none.get()),
                               static_cast<const Datatype*>(empty.get())}) {
    const auto what = Accumulation::of(op(MPI_SUM), *type);
    ASSERT_TRUE(what) << what.error().message;
    const MPI_Count count = type == &element ? 0 : 3;
    ASSERT_TRUE(accumulate(member.memory(), *what, &from,
                           View{member.address(0), count, &type->layout()}, nullptr));
  }
  EXPECT_EQ(member.copy_of_bytes(), before);
  EXPECT_TRUE(member.all_free());
}

TEST(Accumulation, IsOfOnePredefinedType) {
  const Datatype& number = predefined(MPI_INT);
  const Datatype& other = predefined(MPI_FLOAT);
  const auto code_of = [](const Op& op, const Datatype& type) {
    const auto what = Accumulation::of(op, type);
    return what ? MPI_SUCCESS : what.error().code;
  };
  using Counts = std::array<MPI_Count, 2>;
  const std::array<const Datatype*, 2> mixed = {&number, &other};
  const auto struct_of = [&](Counts lengths) {
    return make_struct(lengths, Counts{0, 16}, mixed).value();
  };
  EXPECT_EQ(code_of(op(MPI_SUM), *struct_of({1, 1})), MPI_ERR_TYPE);
  EXPECT_EQ(code_of(op(MPI_REPLACE), *struct_of({1, 1})), MPI_ERR_TYPE);
  // What occurs no time is no element.
  EXPECT_EQ(&Accumulation::of(op(MPI_SUM), *struct_of({3, 0}))->element(), &number);
  EXPECT_EQ(&Accumulation::of(op(MPI_SUM), *struct_of({0, 3}))->element(), &other);
  EXPECT_EQ(code_of(op(MPI_BAND), *struct_of({0, 3})), MPI_ERR_OP);
  EXPECT_EQ(code_of(op(MPI_SUM), *make_contiguous(2, *struct_of({1, 2})).value()), MPI_ERR_TYPE);
  EXPECT_EQ(&Accumulation::of(op(MPI_SUM), *make_dup(number).value())->element(), &number);

  EXPECT_EQ(code_of(op(MPI_MINLOC), number), MPI_ERR_OP);
  EXPECT_EQ(code_of(op(MPI_OP_NULL), number), MPI_ERR_OP);
  EXPECT_EQ(code_of(op(MPI_SUM), predefined(MPI_DATATYPE_NULL)), MPI_ERR_TYPE);
  const Op user([](void*, void*, int*, MPI_Datatype*) {}, true);
  EXPECT_EQ(code_of(user, number), MPI_ERR_OP);
  EXPECT_EQ(code_of(op(MPI_REPLACE), predefined(MPI_PACKED)), MPI_SUCCESS);

  const auto vector = make_vector(2, 1, 2, number).value();
  EXPECT_EQ(code_of(op(MPI_SUM), *vector), MPI_SUCCESS);
  const auto sent = Accumulation::of_element(op(MPI_SUM), *vector);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, MPI_ERR_TYPE);
  UnnamedTypes unnamed;
  const Datatype& pair = *unnamed.value_index(number, predefined(MPI_INT8_T));
  EXPECT_EQ(&Accumulation::of(op(MPI_MAXLOC), *make_contiguous(2, pair).value())->element(), &pair);
}

TEST_P(CompareAndSwap, OfEachSize) {
  Random random(testing::test_seed() + 3);
  for (const MPI_Datatype handle :
       {MPI_BYTE, MPI_SHORT, MPI_INT, MPI_AINT, MPI_LOGICAL, MPI_C_BOOL, MPI_INTEGER16}) {
    const Datatype& element = predefined(handle);
    const auto bytes = static_cast<std::size_t>(element.size());
    for (int i = 0; i < 40; ++i) {
      Member member(GetParam(), 8192, between(random, 0, 100));
      testing::fill_random(member.bytes(), random);
      const std::int64_t at = between(random, 3980, 4100);
      Bytes compare(member.bytes().begin() + at, member.bytes().begin() + at + element.size());
      const Bytes there = compare;
      Bytes replacement(bytes);
      Bytes result(bytes);
      testing::fill_random(replacement, random);
      const bool equal = i % 2 == 0;
      if (!equal)
        compare[static_cast<std::size_t>(between(random, 0, element.size() - 1))] ^= std::byte{1};
      Bytes model = member.copy_of_bytes();
      if (equal) std::copy(replacement.begin(), replacement.end(), model.begin() + at);
      ASSERT_TRUE(compare_and_swap(member.memory(), element,
                                   reinterpret_cast<std::uint64_t>(member.address(at)),
                                   replacement.data(), compare.data(), result.data()));
      EXPECT_EQ(member.copy_of_bytes(), model);
      EXPECT_EQ(result, there);
      EXPECT_TRUE(member.all_free());
    }
  }
  Member member(GetParam(), 64);
  std::array<double, 3> numbers = {};
  const auto refused =
      compare_and_swap(member.memory(), predefined(MPI_DOUBLE), member.memory().base,
                       numbers.data(), numbers.data() + 1, numbers.data() + 2);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, MPI_ERR_TYPE);
}

TEST(Granules, NeighboursHaveDifferentLocks) {
  // Powers of two apart, from anywhere.
  for (std::uint64_t step = kGranuleBytes; step < std::uint64_t{1} << 40; step *= 2) {
    for (const std::uint64_t begin : {std::uint64_t{0}, std::uint64_t{0x7f5512345678}}) {
      std::set<std::uint32_t> locks;
      for (std::uint64_t i = 0; i < 16; ++i) locks.insert(granule_lock_of(begin + i * step));
      EXPECT_GE(locks.size(), 15U);
      EXPECT_LT(*locks.rbegin(), MemberControl::kGranuleLocks);
    }
  }
  const auto only = [](std::uint64_t address) { return GranuleSet{1} << granule_lock_of(address); };
  EXPECT_EQ(granules_of(4096, 4096), only(4096));
  EXPECT_EQ(granules_of(8191, 1), only(4096));
  EXPECT_EQ(granules_of(8191, 2), only(4096) | only(8192));
  EXPECT_EQ(granules_of(8191, 4098), only(4096) | only(8192) | only(12288));
}

/// Processes of a host of which one has ended.
class OneEnded final : public HolderWatch {
 public:
  explicit OneEnded(std::uint32_t index) : index_(index) {}
  [[nodiscard]] bool has_ended(std::uint32_t index) const override { return index == index_; }

 private:
  std::uint32_t index_;
};

// Tells which granule each access locks, for that of the dead is never given back.
TEST_P(AccumulateOfTheDead, IsNamedToThoseWhoComeThere) {
  const OneEnded watch(6);
  Member member(GetParam(), 4 * kGranuleBytes);
  member.memory().watch = &watch;
  member.lock_of(4096).holder = 7;
  const Datatype& element = predefined(MPI_INT64_T);
  const auto what = Accumulation::of(op(MPI_SUM), element).value();
  const auto code_at = [&](std::int64_t offset, MPI_Count count) {
    std::vector<std::int64_t> ones(static_cast<std::size_t>(count), 1);
    const View from = {ones.data(), count, &element.layout()};
    const auto done = accumulate(member.memory(), what, &from,
                                 View{member.address(offset), count, &element.layout()}, nullptr);
    if (done) return int{MPI_SUCCESS};
    EXPECT_NE(done.error().message.find("process 6"), std::string::npos) << done.error().message;
    return done.error().code;
  };
  EXPECT_EQ(code_at(4088, 1), MPI_SUCCESS);
  EXPECT_EQ(code_at(8192, 1), MPI_SUCCESS);
  EXPECT_EQ(code_at(4096, 1), MPI_ERR_PROC_ABORTED);
  EXPECT_EQ(code_at(8184, 1), MPI_ERR_PROC_ABORTED);
  // Its first byte lies before, its last one behind.
  EXPECT_EQ(code_at(4089, 1), MPI_ERR_PROC_ABORTED);
  EXPECT_EQ(code_at(8185, 1), MPI_ERR_PROC_ABORTED);
  EXPECT_EQ(code_at(0, 513), MPI_ERR_PROC_ABORTED);
  std::int64_t word = 0;
  const auto swaps_at = [&](std::uint64_t offset) {
    return compare_and_swap(member.memory(), element, member.memory().base + offset, &word, &word,
                            &word)
        .has_value();
  };
  EXPECT_TRUE(swaps_at(4088));
  EXPECT_FALSE(swaps_at(4089));
  EXPECT_FALSE(swaps_at(4100));
  EXPECT_FALSE(swaps_at(8191));
  EXPECT_TRUE(swaps_at(8192));
  member.lock_of(4096).holder = 0;
  EXPECT_TRUE(member.all_free());
}

/// Each thread is a process of the host, with an index of its own.
template <class F>
void in_threads(std::uint32_t threads, Member& member, F f) {
  std::latch all_there(threads);
  std::vector<std::thread> running;
  for (std::uint32_t i = 0; i < threads; ++i) {
    running.emplace_back([&member, &all_there, f, i] {
      KernelCopy kernel;
      std::unique_ptr<ProcessMemory> process;
      MemberMemory memory = member.memory();
      memory.self = i + 1;
      if (member.way() == Way::copied) {
        process = open_own_memory(kernel);
        memory.process = process.get();
      }
      all_there.arrive_and_wait();
      f(memory, i);
    });
  }
  for (std::thread& thread : running) thread.join();
}

constexpr std::uint32_t kThreads = 4;

/// Long enough for all to be at work at a time.
int rounds_of(Way way) {
  return way == Way::mapped ? 20'000 : 2'000;
}

// One element and a hundred take the same locks: no update is lost, and each value is seen once.
TEST_P(AccumulateTogether, OneElementAndAHundred) {
  constexpr std::size_t kWords = 100;
  const int rounds = rounds_of(GetParam());
  for (const std::int64_t offset : {0, 3693, 4092}) {
    Member member(GetParam(), 3 * kGranuleBytes);
    const Datatype& element = predefined(MPI_INT64_T);
    const auto what = Accumulation::of(op(MPI_SUM), element).value();
    std::array<std::array<std::vector<std::int64_t>, kWords>, kThreads> seen;
    in_threads(kThreads, member, [&](const MemberMemory& memory, std::uint32_t self) {
      Random random(testing::test_seed() + self);
      std::vector<std::int64_t> ones(kWords, 1);
      std::vector<std::int64_t> before(kWords);
      for (int round = 0; round < rounds; ++round) {
        const bool all = between(random, 0, 9) == 0;
        // Most go to one word.
        const std::size_t first =
            all ? 0 : static_cast<std::size_t>(std::max<std::int64_t>(0, between(random, -99, 99)));
        const auto count = static_cast<MPI_Count>(all ? kWords : 1);
        const View from = {ones.data(), count, &element.layout()};
        const View to = {before.data(), count, &element.layout()};
        const View target = {member.address(offset + static_cast<std::int64_t>(first) * 8), count,
                             &element.layout()};
        ASSERT_TRUE(accumulate(memory, what, &from, target, &to));
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
          seen[self][first + i].push_back(before[i]);
      }
    });
    for (std::size_t word = 0; word < kWords; ++word) {
      std::vector<std::int64_t> values;
      for (const auto& of_thread : seen)
        values.insert(values.end(), of_thread[word].begin(), of_thread[word].end());
      std::sort(values.begin(), values.end());
      for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(values[i], static_cast<std::int64_t>(i)) << word;
      EXPECT_EQ(member.at<std::int64_t>(offset + static_cast<std::int64_t>(word) * 8),
                static_cast<std::int64_t>(values.size()));
    }
  }
}

/// Adds one to the word, which was `known` lately.
void swap_in_next(const MemberMemory& memory, std::uint64_t address, std::uint64_t& known) {
  for (;;) {
    const std::uint64_t next = known + 1;
    std::uint64_t found = 0;
    ASSERT_TRUE(compare_and_swap(memory, predefined(MPI_UINT64_T), address, &next, &known, &found));
    const bool swapped = found == known;
    known = swapped ? next : found;
    if (swapped) return;
  }
}

// Halves and wholes of the same words, which may lie in two granules, by sums and by swaps.
TEST_P(AccumulateTogether, MixedWidths) {
  const int rounds = rounds_of(GetParam());
  for (const std::int64_t offset : {64, 4090, 4092}) {
    Member member(GetParam(), 2 * kGranuleBytes);
    const Datatype& half = predefined(MPI_UINT32_T);
    const Datatype& whole = predefined(MPI_UINT64_T);
    in_threads(kThreads, member, [&](const MemberMemory& memory, std::uint32_t self) {
      const auto add = [&](const Datatype& type, std::int64_t at, void* value) {
        const View from = {value, 1, &type.layout()};
        const View target = {member.address(at), 1, &type.layout()};
        return accumulate(memory, Accumulation::of(op(MPI_SUM), type).value(), &from, target,
                          nullptr);
      };
      std::uint32_t one = 1;
      std::uint64_t high = std::uint64_t{1} << 32;
      std::uint64_t known = 0;
      const auto address = reinterpret_cast<std::uint64_t>(member.address(offset));
      for (int i = 0; i < rounds; ++i) {
        switch (self) {
          case 0:
            ASSERT_TRUE(add(half, offset, &one));
            break;
          case 1:
            ASSERT_TRUE(add(half, offset + 4, &one));
            break;
          case 2:
            ASSERT_TRUE(add(whole, offset, &high));
            break;
          default:
            swap_in_next(memory, address, known);
        }
      }
    });
    EXPECT_EQ(member.at<std::uint64_t>(offset),
              2 * static_cast<std::uint64_t>(rounds) * ((std::uint64_t{1} << 32) + 1))
        << offset;
    EXPECT_TRUE(member.all_free());
  }
}

// Elements that lie in two granules each take two locks, of which those of one thread come in the
// other order of addresses than those of another one.
TEST_P(AccumulateTogether, NobodyWaitsInACircle) {
  const int rounds = rounds_of(GetParam());
  constexpr std::int64_t kBorders = 20;
  Member member(GetParam(), (kBorders + 2) * kGranuleBytes);
  const Datatype& element = predefined(MPI_INT64_T);
  in_threads(kThreads, member, [&](const MemberMemory& memory, std::uint32_t self) {
    Random random(testing::test_seed() + 7 * self);
    const auto what = Accumulation::of(op(MPI_SUM), element).value();
    std::int64_t one = 1;
    const View from = {&one, 1, &element.layout()};
    for (int i = 0; i < rounds; ++i) {
      const std::int64_t border = between(random, 1, kBorders) * 4096;
      ASSERT_TRUE(accumulate(memory, what, &from,
                             View{member.address(border - 3), 1, &element.layout()}, nullptr));
    }
  });
  std::int64_t sum = 0;
  for (std::int64_t border = 1; border <= kBorders; ++border)
    sum += member.at<std::int64_t>(border * 4096 - 3);
  EXPECT_EQ(sum, std::int64_t{rounds} * kThreads);
}

}  // namespace
}  // namespace remit
