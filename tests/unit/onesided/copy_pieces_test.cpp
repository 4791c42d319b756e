// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Bytes between views of any layouts, here and to another process, against a model of all bytes.
#include "onesided/elements/copy_pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "datatype/datatype.hpp"
#include "onesided/memory/process_memory.hpp"
#include "tests/sanitized.h"
#include "tests/unit/onesided/child.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

using Offsets = std::vector<std::int64_t>;

/// A type, and where the bytes of one element lie.
struct Shape {
  std::string_view name;
  Ref<const Datatype> type;
  Offsets bytes;
  std::int64_t extent = 0;
};

const Datatype& byte_type() {
  return predefined(MPI_BYTE);
}

Ref<const Datatype> made(const Expected<Ref<Datatype>>& type) {
  return type.value();
}

Shape plain(std::int64_t size) {
  Shape shape{"contiguous", made(make_contiguous(size, byte_type())), Offsets(size), size};
  std::iota(shape.bytes.begin(), shape.bytes.end(), 0);
  return shape;
}

/// `blocks` of `length` bytes; `stride` may be negative.
Shape strided(std::int64_t blocks, std::int64_t length, std::int64_t stride) {
  Shape shape{"strided", made(make_hvector(blocks, length, stride, byte_type())), {}, 0};
  for (std::int64_t i = 0; i < blocks; ++i) {
    for (std::int64_t b = 0; b < length; ++b) shape.bytes.push_back(i * stride + b);
  }
  shape.extent = shape.type->layout().extent();
  return shape;
}

/// Blocks of any lengths up to `longest`, which do not overlap, in any order of addresses.
Shape scattered(std::mt19937_64& random, std::int64_t size, std::int64_t longest) {
  std::vector<MPI_Count> lengths;
  for (std::int64_t left = size; left != 0; left -= lengths.back()) {
    const auto length =
        1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(longest));
    lengths.push_back(std::min(left, length));
  }
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  if (random() % 2 == 0) std::shuffle(order.begin(), order.end(), random);
  std::vector<MPI_Count> places(lengths.size());
  auto place = static_cast<std::int64_t>(random() % 50) - 25;
  for (const std::size_t i : order) {
    places[i] = place;
    place += lengths[i] + static_cast<std::int64_t>(random() % 9);
  }
  Shape shape{"scattered", made(make_hindexed(lengths, places, byte_type())), {}, 0};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (std::int64_t b = 0; b < lengths[i]; ++b) shape.bytes.push_back(places[i] + b);
  }
  shape.extent = shape.type->layout().extent();
  return shape;
}

/// Elements that follow each other further apart than they have to, or backwards.
Shape resized(std::mt19937_64& random, const Shape& old) {
  const auto [low, high] = std::minmax_element(old.bytes.begin(), old.bytes.end());
  const std::int64_t room = *high - *low + 1 + static_cast<std::int64_t>(random() % 20);
  Shape shape = old;
  shape.extent = random() % 2 == 0 ? room : -room;
  shape.type = made(make_resized(*old.type, 0, shape.extent));
  return shape;
}

Shape any_shape(std::mt19937_64& random, std::int64_t size) {
  const auto divisor = [&] {
    std::int64_t part = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size));
    while (size % part != 0) --part;
    return part;
  };
  const auto shape = [&]() -> Shape {
    switch (random() % 4) {
      case 0:
        return plain(size);
      case 1: {
        const std::int64_t length = divisor();
        const auto stride = length + static_cast<std::int64_t>(random() % 40);
        return strided(size / length, length, random() % 2 == 0 ? stride : -stride);
      }
      case 2:
        return scattered(random, size, 20);
      default:
        return scattered(random, size, 3000);
    }
  }();
  return random() % 3 == 0 ? resized(random, shape) : shape;
}

/// A view into memory with room on both sides, and the offset of each of its packed bytes there.
class PlacedView {
 public:
  PlacedView(const Shape& shape, std::int64_t count, std::span<std::byte> memory,
             std::mt19937_64& random)
      : shape_(shape) {
    for (std::int64_t i = 0; i < count; ++i) {
      for (const std::int64_t byte : shape.bytes) offsets_.push_back(i * shape.extent + byte);
    }
    const auto [low, high] = std::minmax_element(offsets_.begin(), offsets_.end());
    const std::int64_t used = offsets_.empty() ? 0 : *high - *low + 1;
    const std::int64_t first = offsets_.empty() ? 0 : *low;
    room_ = static_cast<std::int64_t>(memory.size()) - used;
    if (room_ <= 0) return;
    const std::int64_t begin =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(room_)) - first;
    for (std::int64_t& offset : offsets_) offset += begin;
    // In integers: the origin of a type may lie outside of the memory.
    view_.base = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(memory.data()) +
                                         static_cast<std::uintptr_t>(begin));
    view_.count = count;
  }
  [[nodiscard]] bool fits() const { return room_ > 0; }
  [[nodiscard]] View view() const { return {view_.base, view_.count, &shape_.type->layout()}; }
  [[nodiscard]] const Offsets& offsets() const { return offsets_; }

 private:
  Shape shape_;
  Offsets offsets_;
  std::int64_t room_ = 0;
  View view_;
};

void randomize(std::mt19937_64& random, std::span<std::byte> memory) {
  for (std::byte& byte : memory) byte = static_cast<std::byte>(random());
}

constexpr std::size_t kRoom = 160000;
using Memory = std::array<std::byte, kRoom>;

struct ChildSign {
  ProcessSign sign;
  std::atomic<bool> is_there{false};
};

/// Another process that has the same memory at the same address, and does nothing.
class CopyViews : public ::testing::Test {
 protected:
  CopyViews() {
    const SharedWithChildren<ChildSign> child;
    child_.emplace([&] {
      child->sign = own_process_sign();
      child->is_there = true;
      for (;;) ::pause();
    });
    yield_until([&] { return child->is_there.load(); });
    process_ = ProcessMemory::open(child->sign, kernel_).value();
  }

  enum class Way { here, read, write };

  void move(Way way, const PlacedView& from, const PlacedView& to) {
    const View source = from.view();
    const View target = to.view();
    if (way == Way::here) return copy_view_to_view(source, target);
    const auto moved = way == Way::read ? read_view(*process_, source, target)
                                        : write_view(*process_, source, target);
    ASSERT_TRUE(moved) << moved.error().message;
  }

  /// Moves once each way, and compares each byte of the target's memory, also those beside.
  void check(std::mt19937_64& random, const Shape& source, std::int64_t sources,
             const Shape& target, std::int64_t targets) {
    for (const Way way : {Way::here, Way::read, Way::write}) {
      Memory& memory_of_source = way == Way::read ? *theirs_ : *ours_;
      Memory& memory_of_target = way == Way::read ? *ours_ : *theirs_;
      const PlacedView from(source, sources, memory_of_source, random);
      const PlacedView to(target, targets, memory_of_target, random);
      if (!from.fits() || !to.fits()) return;
      ASSERT_EQ(from.offsets().size(), to.offsets().size());
      randomize(random, *ours_);
      randomize(random, *theirs_);
      *wanted_ = memory_of_target;
      for (std::size_t i = 0; i < from.offsets().size(); ++i) {
        (*wanted_)[static_cast<std::size_t>(to.offsets()[i])] =
            memory_of_source[static_cast<std::size_t>(from.offsets()[i])];
      }
      move(way, from, to);
      ASSERT_TRUE(*wanted_ == memory_of_target)
          << source.name << " to " << target.name << ", way " << static_cast<int>(way) << ", "
          << from.offsets().size() << " bytes";
      ++moves_;
    }
  }

  const SharedWithChildren<Memory> theirs_;
  const std::unique_ptr<Memory> ours_ = std::make_unique<Memory>();
  const std::unique_ptr<Memory> wanted_ = std::make_unique<Memory>();
  std::optional<Child> child_;
  KernelCopy kernel_;
  std::unique_ptr<ProcessMemory> process_;
  int moves_ = 0;
};

TEST_F(CopyViews, OfAnyLayouts) {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 400; ++round) {
    const auto up_to = [&](std::int64_t most) {
      return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    };
    const std::int64_t unit = up_to(round % 3 == 0 ? 40 : 800);
    const std::int64_t sources = up_to(12);
    const std::int64_t targets = up_to(6);
    const Shape source = any_shape(random, unit * targets);
    const Shape target = any_shape(random, unit * sources);
    check(random, source, sources, target, targets);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(moves_, 1000);
}

// Runs of each kind meet runs of each kind, in more pieces than the kernel takes at a time.
TEST_F(CopyViews, OfVeryManyRuns) {
  std::mt19937_64 random(test_seed() + 1);
  constexpr std::int64_t kBytes = 24000;
  const std::vector<Shape> shapes = {plain(kBytes),
                                     strided(kBytes / 4, 4, 9),
                                     strided(kBytes / 4, 4, -9),
                                     strided(kBytes / 300, 300, 301),
                                     strided(kBytes / 2000, 2000, 2400),
                                     scattered(random, kBytes, 1),
                                     scattered(random, kBytes, 8),
                                     scattered(random, kBytes, 5000)};
  static_assert(kBytes / 4 > IOV_MAX);
  for (const Shape& source : shapes) {
    for (const Shape& target : shapes) {
      check(random, source, 1, target, 1);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_EQ(moves_, static_cast<int>(3 * shapes.size() * shapes.size()));
}

// Runs of a mean length from which each is copied for itself, many more than are listed at once.
TEST_F(CopyViews, OfManyLongRuns) {
  std::mt19937_64 random(test_seed() + 2);
  for (const std::int64_t length : {256, 257, 400}) {
    const std::int64_t blocks = 300;
    check(random, strided(blocks, length, length + 3), 1, strided(length, blocks, blocks + 1), 1);
    check(random, strided(blocks, length, -length - 3), 1, strided(length, blocks, blocks + 7), 1);
  }
  EXPECT_EQ(moves_, 18);
}

TEST_F(CopyViews, WithoutBytes) {
  std::mt19937_64 random(test_seed());
  check(random, strided(3, 4, 9), 0, plain(4), 0);
  check(random, plain(0), 5, scattered(random, 10, 3), 0);
  EXPECT_EQ(moves_, 6);
}

// What comes out is undefined, that it ends is not.
TEST_F(CopyViews, OfTheSameMemory) {
  const auto self = ProcessMemory::open(own_process_sign(), kernel_).value();
  const std::vector<Shape> shapes = {plain(24000), strided(80, 300, 301), strided(60, 400, 450),
                                     strided(6000, 4, 9)};
  std::mt19937_64 random(test_seed());
  randomize(random, *ours_);
  *wanted_ = *ours_;
  constexpr std::size_t kFirst = 1000;
  for (const Shape& source : shapes) {
    for (const Shape& target : shapes) {
      // The sanitizer takes it for a fault where a run is packed to what it overlaps.
      const bool one_packs = (source.name == "contiguous") != (target.name == "contiguous");
      if (kSanitized != 0 && one_packs) continue;
      for (const std::size_t ahead : {std::size_t{0}, std::size_t{3}, std::size_t{500}}) {
        const View from{ours_->data() + kFirst, 1, &source.type->layout()};
        const View to{ours_->data() + kFirst + ahead, 1, &target.type->layout()};
        copy_view_to_view(from, to);
        copy_view_to_view(to, from);
        EXPECT_TRUE(read_view(*self, from, to));
        EXPECT_TRUE(write_view(*self, from, to));
      }
    }
  }
  const std::size_t last = kFirst + 500 + 9 * 6000;
  EXPECT_TRUE(std::equal(wanted_->begin(), wanted_->begin() + kFirst, ours_->begin()));
  EXPECT_TRUE(std::equal(wanted_->begin() + last, wanted_->end(), ours_->begin() + last));
}

TEST_F(CopyViews, OfMemoryThatIsNotThere) {
  const Shape shape = strided(1000, 8, 16);
  const View there{reinterpret_cast<void*>(64), 1, &shape.type->layout()};
  const View here{ours_->data(), 8000, &byte_type().layout()};
  for (const auto& result :
       {read_view(*process_, there, here), write_view(*process_, here, there)}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, MPI_ERR_RMA_RANGE) << result.error().message;
  }
}

}  // namespace
}  // namespace remit::testing
