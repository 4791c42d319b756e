// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Copies by the kernel: every byte at every distance, and the detour where one is needed.
#include "runtime/os/kernel_copy.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "runtime/copy.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

constexpr std::size_t kPage = 4096;

/// Pages of this process: it is its own peer.
class Pages {
 public:
  explicit Pages(std::size_t bytes)
      : bytes_(bytes),
        memory_(static_cast<std::byte*>(
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~Pages() { ::munmap(memory_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  [[nodiscard]] std::byte* at(std::size_t offset) const { return memory_ + offset; }
  void fill(unsigned seed) const {
    for (std::size_t i = 0; i < bytes_; ++i) memory_[i] = static_cast<std::byte>(i * 31 + seed);
  }

 private:
  std::size_t bytes_;
  std::byte* memory_;
};

TEST(KernelCopy, TakesTheDetourInTheTrapAndNowhereElse) {
  constexpr std::size_t kBytes = 200000;
  const Pages own(kBytes + 2 * kPage);
  const Pages peers(kBytes + 2 * kPage);
  for (const bool to_peer : {false, true}) {
    for (const std::size_t ahead : {0, 1, 8, 16, 31, 32, 64, 2048, 4095}) {
      for (const std::size_t bytes : {std::size_t{1023}, std::size_t{1024}, kBytes}) {
        KernelCopy copy;
        own.fill(1);
        peers.fill(2);
        const Pages& source = to_peer ? own : peers;
        const Pages& target = to_peer ? peers : own;
        const std::size_t from = 24;
        const iovec here{to_peer ? own.at(from) : own.at(from + ahead), bytes};
        const iovec there{to_peer ? peers.at(from + ahead) : peers.at(from), bytes};
        ASSERT_EQ(copy.copy(::getpid(), to_peer, {&here, 1}, {&there, 1}),
                  static_cast<ssize_t>(bytes));
        EXPECT_TRUE(std::equal(source.at(from), source.at(from + bytes), target.at(from + ahead)));
        EXPECT_EQ(*target.at(from + ahead - 1),
                  static_cast<std::byte>((from + ahead - 1) * 31 + (to_peer ? 2 : 1)));
        EXPECT_EQ(copy.detours(), ahead >= 1 && ahead <= 31 && bytes >= kTrapFrom ? 1U : 0U)
            << bytes << " bytes, " << ahead << " ahead";
      }
    }
  }
}

TEST(KernelCopy, PiecesOfAnyLengthOnBothSides) {
  std::mt19937_64 random(test_seed());
  constexpr std::size_t kRoom = 400000;
  const Pages own(kRoom);
  const Pages peers(kRoom);
  std::uint64_t detours = 0;
  for (int round = 0; round < 200; ++round) {
    const std::size_t longest = round % 2 == 0 ? 50000 : 2500;  // some, and more than go in a step
    const auto pieces_in = [&](const Pages& pages, std::size_t total) {
      std::vector<iovec> pieces;
      std::size_t at = random() % 64;
      while (total != 0) {
        const std::size_t length = std::min<std::size_t>(total, 1 + random() % longest);
        pieces.push_back({pages.at(at), length});
        at += length + random() % 40;
        total -= length;
      }
      return pieces;
    };
    const std::size_t total = 1 + random() % 300000;
    const auto here = pieces_in(own, total);
    const auto there = pieces_in(peers, total);
    const bool to_peer = random() % 2 == 0;
    own.fill(3);
    peers.fill(4);
    const auto gathered = [](const std::vector<iovec>& pieces) {
      std::vector<std::byte> all;
      for (const iovec& piece : pieces) {
        const auto* data = static_cast<const std::byte*>(piece.iov_base);
        all.insert(all.end(), data, data + piece.iov_len);
      }
      return all;
    };
    const std::vector<std::byte> wanted = gathered(to_peer ? here : there);
    KernelCopy copy;
    ASSERT_EQ(copy.copy(::getpid(), to_peer, here, there), static_cast<ssize_t>(total));
    ASSERT_EQ(gathered(to_peer ? there : here), wanted) << "round " << round;
    ASSERT_EQ(copy.detours() != 0, KernelCopy::needs_detour(to_peer, here, there));
    detours += copy.detours();
  }
  EXPECT_GT(detours, 0U);
}

TEST(KernelCopy, SaysHowFarItCame) {
  constexpr std::size_t kMapped = 40 * kPage;
  const Pages own(64 * kPage);
  const Pages peers(64 * kPage);
  own.fill(5);
  ASSERT_EQ(::munmap(peers.at(kMapped), 24 * kPage), 0);
  for (const std::size_t ahead : {0, 16}) {
    KernelCopy copy;
    const iovec here{own.at(ahead), 60 * kPage};
    const iovec there{peers.at(0), 60 * kPage};
    EXPECT_EQ(copy.copy(::getpid(), false, {&here, 1}, {&there, 1}), static_cast<ssize_t>(kMapped));
    const iovec nothing{peers.at(kMapped), kPage};
    const iovec some{own.at(ahead), kPage};
    errno = 0;
    EXPECT_EQ(copy.copy(::getpid(), false, {&some, 1}, {&nothing, 1}), -1);
    EXPECT_EQ(errno, EFAULT);
  }
}

}  // namespace
}  // namespace remit::testing
