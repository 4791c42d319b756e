// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The copy functions: every byte, none beside them, whatever the distance and the vectors.
#include "runtime/copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

using remit::copy_bytes;
using remit::in_copy_trap;
using remit::move_bytes;

constexpr std::size_t kPage = 4096;
constexpr std::size_t kRoom = std::size_t{80} << 10;

/// Two ranges of memory that begin with a page, the source in a pattern.
struct Buffers {
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> from_memory{
      static_cast<std::byte*>(std::aligned_alloc(kPage, kRoom))};
  std::unique_ptr<std::byte, Free> to_memory{
      static_cast<std::byte*>(std::aligned_alloc(kPage, kRoom))};
  std::byte* from = from_memory.get();
  std::byte* to = to_memory.get();

  Buffers() {
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < kRoom; ++i) {
      state = state * 1664525 + 1013904223;
      from[i] = static_cast<std::byte>(state >> 24);
    }
  }

  /// Whether `copy` copies n bytes to that distance, and nothing else.
  template <class Copy>
  [[nodiscard]] bool copied(std::size_t to_at, std::size_t from_at, std::size_t n, Copy copy) {
    constexpr std::byte kMark{0xa5};
    std::fill_n(to, to_at + n + kPage, kMark);
    copy(to + to_at, from + from_at, n);
    const auto is_mark = [](std::byte b) { return b == kMark; };
    return std::equal(from + from_at, from + from_at + n, to + to_at) &&
           std::all_of(to, to + to_at, is_mark) &&
           std::all_of(to + to_at + n, to + to_at + n + kPage, is_mark);
  }
};

const std::vector<std::size_t> kLengths = {0,    1,    63,   64,   65,    127,   255,   1023, 1024,
                                           1025, 1087, 1300, 2047, 2048,  2049,  4095,  4096, 4097,
                                           8191, 8192, 8193, 9001, 20000, 65535, 65536, 65537};

TEST(CopyTrap, IsOneToThirtyOneBytesAhead) {
  constexpr std::uintptr_t kSource = 0x7f0000123000;
  for (std::uintptr_t ahead = 0; ahead < kPage; ++ahead) {
    EXPECT_EQ(in_copy_trap(kSource + ahead, kSource), ahead >= 1 && ahead <= 31) << ahead;
    EXPECT_EQ(in_copy_trap(kSource + 7 * kPage + ahead, kSource), ahead >= 1 && ahead <= 31);
    EXPECT_EQ(in_copy_trap(kSource - 9 * kPage + ahead, kSource), ahead >= 1 && ahead <= 31);
  }
}

TEST(CopyBytes, CopiesEveryByteAtEveryDistance) {
  Buffers buffers;
  for (const std::size_t n : kLengths) {
    for (const std::size_t to_at : {0, 1, 8, 16, 31, 32, 63, 64, 2064}) {
      for (const std::size_t from_at : {0, 1, 8, 16, 24, 48, 4095}) {
        ASSERT_TRUE(buffers.copied(to_at, from_at, n, copy_bytes))
            << n << " bytes from " << from_at << " to " << to_at;
      }
    }
  }
}

TEST(CopyBytes, EveryWidthOfVectorsCopiesEveryByte) {
  Buffers buffers;
  for (const unsigned width : {16U, 32U, 64U}) {  // or less, as the processor has
    for (const std::size_t n : kLengths) {
      for (std::size_t ahead = 0; ahead <= 64; ahead += ahead < 4 ? 1 : 7) {
        const auto copy = [=](void* to, const void* from, std::size_t bytes) {
          remit::copy_by_vectors(width, to, from, bytes);
        };
        ASSERT_TRUE(buffers.copied(ahead, 0, n, copy))
            << n << " bytes, " << ahead << " ahead, vectors of " << width;
        ASSERT_TRUE(buffers.copied(0, ahead, n, copy)) << n << " bytes, " << ahead << " behind";
      }
    }
  }
}

TEST(CopyBytes, GoesByTheLoopsThatWereMeasured) {
  Buffers buffers;
  const remit::CopyLoops before = remit::copy_loops();
  for (const unsigned width : {16U, 32U, 64U}) {
    for (const std::size_t pieces_to : {std::size_t{0}, std::size_t{2048}, kRoom}) {
      remit::use_copy_loops({width, pieces_to});
      EXPECT_LE(remit::copy_loops().vector_bytes, width);
      EXPECT_EQ(remit::copy_loops().pieces_to, pieces_to);
      for (const std::size_t n : kLengths) {
        ASSERT_TRUE(buffers.copied(16, 0, n, copy_bytes)) << n << " bytes in the trap";
        ASSERT_TRUE(buffers.copied(16, 16, n, copy_bytes)) << n << " bytes";
      }
    }
  }
  remit::use_copy_loops(before);
}

TEST(MoveBytes, RangesMayOverlap) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{100}, std::size_t{5000}}) {
    for (const std::ptrdiff_t distance : {-4999, -16, -1, 0, 1, 16, 31, 4999, 5000}) {
      std::vector<std::byte> memory(20000);
      for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7);
      const std::vector<std::byte> before = memory;
      std::byte* const from = memory.data() + 6000;
      move_bytes(from + distance, from, n);
      EXPECT_TRUE(std::equal(before.begin() + 6000,
                             before.begin() + 6000 + static_cast<std::ptrdiff_t>(n),
                             memory.begin() + 6000 + distance))
          << n << " bytes by " << distance;
    }
  }
}

}  // namespace
