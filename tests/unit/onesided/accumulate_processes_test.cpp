// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Processes that accumulate to private memory of one of them, each by its own way: it forks.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <vector>

#include "onesided/elements/accumulate.hpp"
#include "onesided/memory/granule.hpp"
#include "onesided/memory/process_memory.hpp"
#include "tests/unit/onesided/element_buffers.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit {
namespace {

constexpr std::uint32_t kOthers = 3;
constexpr int kRounds = 1500;
constexpr std::size_t kWords = 600;

/// What all processes share.
struct Shared {
  std::array<GranuleLock, MemberControl::kGranuleLocks> granules;
  /// How often each process has changed each word.
  std::array<std::array<std::uint64_t, kWords>, kOthers + 1> changes{};
};

/// Adds to one word or to many, some of which lie in two granules; notes it.
bool change_words(const MemberMemory& memory, std::uint64_t begin, std::uint64_t seed,
                  std::array<std::uint64_t, kWords>& changes) {
  testing::Random random(seed);
  const Datatype& element = predefined(MPI_UINT64_T);
  const auto sum = Accumulation::of(*op_of(MPI_SUM), element).value();
  std::vector<std::uint64_t> ones(kWords, 1);
  std::vector<std::uint64_t> before(kWords);
  for (int round = 0; round < kRounds; ++round) {
    const bool all = testing::between(random, 0, 9) == 0;
    const auto first =
        all ? std::size_t{0} : static_cast<std::size_t>(testing::between(random, 500, 520));
    const auto count = static_cast<MPI_Count>(all ? kWords : 1);
    const auto address = begin + first * sizeof(std::uint64_t);
    const View from = {ones.data(), count, &element.layout()};
    const View to = {before.data(), count, &element.layout()};
    const View target = {reinterpret_cast<void*>(address), count, &element.layout()};
    if (!accumulate(memory, sum, &from, target, round % 2 == 0 ? &to : nullptr)) return false;
    for (std::size_t i = first; i < first + static_cast<std::size_t>(count); ++i) ++changes[i];
  }
  return true;
}

TEST(AccumulateAmongProcesses, LosesNoUpdate) {
  void* const room =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(room, MAP_FAILED);
  auto* const shared = new (room) Shared;
  std::vector<std::byte> words((kWords + 1) * sizeof(std::uint64_t) + kGranuleBytes);
  // Word 511 lies in two granules.
  const auto at = reinterpret_cast<std::uint64_t>(words.data());
  const std::uint64_t begin = at + (0 - at) % kGranuleBytes + 5;
  const ProcessSign sign = own_process_sign();
  const std::uint64_t seed = testing::test_seed();

  MemberMemory memory;
  memory.granules = shared->granules;
  std::vector<pid_t> others;
  for (std::uint32_t i = 0; i < kOthers; ++i) {
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      KernelCopy kernel;
      const auto process = ProcessMemory::open(sign, kernel);
      if (!process) ::_exit(2);
      memory.self = i + 2;
      memory.process = process->get();
      ::_exit(change_words(memory, begin, seed + i + 1, shared->changes[i + 1]) ? 0 : 1);
    }
    others.push_back(pid);
  }
  memory.self = 1;
  memory.base = at;
  memory.here = words.data();
  EXPECT_TRUE(change_words(memory, begin, seed, shared->changes[0]));
  for (const pid_t pid : others) {
    int status = -1;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  for (std::size_t i = 0; i < kWords; ++i) {
    std::uint64_t expected = 0;
    for (const auto& changes : shared->changes) expected += changes[i];
    std::uint64_t value = 0;
    std::memcpy(&value, words.data() + (begin - at) + i * sizeof value, sizeof value);
    EXPECT_EQ(value, expected) << i;
  }
  ::munmap(room, sizeof(Shared));
}

}  // namespace
}  // namespace remit
