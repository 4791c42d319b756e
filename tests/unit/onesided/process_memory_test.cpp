// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory of other processes: that are the right ones, that are not, that have ended, that the
// kernel does not let in.
#include "onesided/memory/process_memory.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <random>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/unit/onesided/child.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

constexpr std::size_t kPage = 4096;

struct Board {
  ProcessSign sign;
  std::atomic<int> step{0};
};

std::unique_ptr<ProcessMemory> opened(const ProcessSign& sign, KernelCopy& kernel) {
  auto process = ProcessMemory::open(sign, kernel);
  EXPECT_TRUE(process) << process.error().message;
  return process ? std::move(*process) : nullptr;
}

std::byte pattern(std::size_t i, unsigned seed) {
  return static_cast<std::byte>(i * 31 + i / 256 + seed);
}

bool says(const Error& error, std::string_view words) {
  return error.message.find(words) != std::string::npos;
}

TEST(ProcessSign, OfOneProcessAlone) {
  const ProcessSign own = own_process_sign();
  EXPECT_EQ(own.pid, ::getpid());
  EXPECT_EQ(own.word, own_process_sign().word);
  EXPECT_EQ(own.word_address, own_process_sign().word_address);
  const SharedWithChildren<Board> board;
  Child child([&] { board->sign = own_process_sign(); });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_NE(board->sign.pid, own.pid);
  EXPECT_NE(board->sign.word, own.word);
  EXPECT_EQ(board->sign.word_address, own.word_address);
  EXPECT_EQ(own.word, own_process_sign().word);
}

// A child that nobody has asked before: its threads draw the word together.
TEST(ProcessSign, TheSameInAllThreads) {
  struct Words {
    std::array<std::uint64_t, 8> of_thread;
  };
  std::set<std::uint64_t> all;
  for (int round = 0; round < 50; ++round) {
    const SharedWithChildren<Words> words;
    Child child([&] {
      std::vector<std::thread> threads;
      for (std::uint64_t& word : words->of_thread)
        threads.emplace_back([&word] { word = own_process_sign().word; });
      for (std::thread& thread : threads) thread.join();
    });
    ASSERT_EQ(child.wait(), 0);
    for (const std::uint64_t word : words->of_thread) ASSERT_EQ(word, words->of_thread[0]);
    EXPECT_TRUE(all.insert(words->of_thread[0]).second) << "two processes have one word";
  }
}

/// A process that has its own bytes where its parent has others, and that says what became of them.
class ProcessMemoryTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kBytes = 300000;

  ProcessMemoryTest() : memory_(kBytes) {
    fill(1);
    child_.emplace([this] {
      fill(2);
      board_->sign = own_process_sign();
      board_->step = 1;
      yield_until([&] { return board_->step == 2; });
      for (std::size_t i = 0; i < kBytes; ++i) (*seen_)[i] = memory_[i];
      board_->step = 3;
      yield_until([&] { return board_->step == 4; });
    });
    yield_until([&] { return board_->step == 1; });
    process_ = opened(board_->sign, kernel_);
  }

  void fill(unsigned seed) {
    for (std::size_t i = 0; i < kBytes; ++i) memory_[i] = pattern(i, seed);
  }
  /// The child's bytes as it sees them itself.
  const std::array<std::byte, kBytes>& of_child() {
    board_->step = 2;
    yield_until([&] { return board_->step == 3; });
    return *seen_;
  }
  [[nodiscard]] std::uint64_t address(std::size_t offset) const {
    return reinterpret_cast<std::uint64_t>(memory_.data() + offset);
  }

  const SharedWithChildren<Board> board_;
  const SharedWithChildren<std::array<std::byte, kBytes>> seen_;
  std::vector<std::byte> memory_;
  std::optional<Child> child_;
  KernelCopy kernel_;
  std::unique_ptr<ProcessMemory> process_;
};

TEST_F(ProcessMemoryTest, IsReadAndWritten) {
  ASSERT_NE(process_, nullptr);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{8}, kBytes - 5}) {
    std::vector<std::byte> copy(bytes + 1, std::byte{77});
    ASSERT_TRUE(process_->read(copy.data(), address(5), bytes));
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(copy[i], pattern(i + 5, 2));
    EXPECT_EQ(copy[bytes], std::byte{77});
  }
  std::vector<std::byte> news(1000);
  for (std::size_t i = 0; i < news.size(); ++i) news[i] = pattern(i, 9);
  ASSERT_TRUE(process_->write(news.data(), address(4000), news.size()));
  const auto& seen = of_child();
  for (std::size_t i = 0; i < kBytes; ++i) {
    const bool is_new = i >= 4000 && i < 5000;
    ASSERT_EQ(seen[i], is_new ? pattern(i - 4000, 9) : pattern(i, 2)) << i;
  }
  EXPECT_EQ(memory_[4000], pattern(4000, 1));  // not this process's
}

/// Pieces of a buffer that do not overlap, of as many bytes in all; some of none.
std::vector<iovec> scattered(std::mt19937_64& random, std::byte* memory, std::size_t total,
                             std::size_t longest) {
  std::vector<iovec> pieces;
  std::size_t at = 0;
  while (total != 0) {
    const std::size_t length = std::min<std::size_t>(total, random() % (longest + 1));
    pieces.push_back({memory + at, length});
    at += length + random() % 3;
    total -= length;
  }
  return pieces;
}

std::vector<std::byte> gathered(const std::vector<iovec>& pieces) {
  std::vector<std::byte> all;
  for (const iovec& piece : pieces) {
    const auto* data = static_cast<const std::byte*>(piece.iov_base);
    all.insert(all.end(), data, data + piece.iov_len);
  }
  return all;
}

// More than the kernel takes at a time, on one side or on both, against a model of all bytes.
TEST_F(ProcessMemoryTest, OfAnyNumberOfPieces) {
  ASSERT_NE(process_, nullptr);
  std::mt19937_64 random(test_seed());
  std::vector<std::byte> model(kBytes);
  for (std::size_t i = 0; i < kBytes; ++i) model[i] = pattern(i, 2);
  std::vector<std::byte> own(kBytes);
  std::size_t most = 0;
  for (int round = 0; round < 60; ++round) {
    const std::size_t total = 1 + random() % 60000;
    const auto longest = [&] { return std::size_t{1} << (1 + random() % 14); };
    for (std::byte& byte : own) byte = static_cast<std::byte>(random());
    const std::vector<iovec> here = scattered(random, own.data(), total, longest());
    const std::vector<iovec> there = scattered(random, memory_.data(), total, longest());
    const auto in_model = [&] {
      std::vector<iovec> pieces = there;
      for (iovec& piece : pieces) {
        const auto offset = static_cast<std::byte*>(piece.iov_base) - memory_.data();
        piece.iov_base = model.data() + offset;
      }
      return pieces;
    }();
    most = std::max({most, here.size(), there.size()});
    if (round % 2 == 0) {
      ASSERT_TRUE(process_->read(here, there));
      ASSERT_EQ(gathered(here), gathered(in_model)) << "round " << round;
    } else {
      ASSERT_TRUE(process_->write(here, there));
      const std::vector<std::byte> sent = gathered(here);
      std::size_t done = 0;
      for (const iovec& piece : in_model) {
        std::copy_n(sent.begin() + static_cast<std::ptrdiff_t>(done), piece.iov_len,
                    static_cast<std::byte*>(piece.iov_base));
        done += piece.iov_len;
      }
    }
  }
  EXPECT_GT(most, std::size_t{IOV_MAX});
  const auto& seen = of_child();
  EXPECT_TRUE(std::equal(model.begin(), model.end(), seen.begin()));
}

TEST_F(ProcessMemoryTest, OfAnotherWordIsNotOpened) {
  ProcessSign other = board_->sign;
  other.word ^= 1;
  auto refused = ProcessMemory::open(other, kernel_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, MPI_ERR_RMA_SHARED);
  EXPECT_TRUE(says(refused.error(), "--pid=host")) << refused.error().message;

  other = board_->sign;
  other.word_address = 64;  // another process may have nothing there
  refused = ProcessMemory::open(other, kernel_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, MPI_ERR_RMA_SHARED);

  for (const pid_t pid : {0, -1}) {
    other = board_->sign;
    other.pid = pid;
    EXPECT_FALSE(ProcessMemory::open(other, kernel_));
  }
  EXPECT_FALSE(ProcessMemory::open(ProcessSign{}, kernel_));
}

TEST_F(ProcessMemoryTest, OfOneThatHasEnded) {
  ASSERT_NE(process_, nullptr);
  (void)of_child();
  board_->step = 4;
  child_->await_end();
  std::byte byte{};
  const auto expect_ended = [&](const char* state) {
    for (const auto& result :
         {process_->read(&byte, address(0), 1), process_->write(&byte, address(0), 1)}) {
      ASSERT_FALSE(result) << state;
      EXPECT_EQ(result.error().code, MPI_ERR_PROC_ABORTED) << state;
      EXPECT_TRUE(says(result.error(), "has ended")) << result.error().message;
    }
  };
  expect_ended("not collected yet");
  EXPECT_EQ(child_->wait(), 0);
  expect_ended("collected");
  auto refused = ProcessMemory::open(board_->sign, kernel_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, MPI_ERR_RMA_SHARED);
}

TEST(ProcessMemory, SaysWhereThereIsNoMemory) {
  constexpr std::size_t kMapped = 3 * kPage;
  auto* const memory = static_cast<std::byte*>(
      ::mmap(nullptr, 8 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  const SharedWithChildren<Board> board;
  const Child child([&] {
    ::munmap(memory + kMapped, 5 * kPage);
    ::mprotect(memory, kPage, PROT_READ);
    board->sign = own_process_sign();
    board->step = 1;
    ::pause();
  });
  yield_until([&] { return board->step == 1; });
  KernelCopy kernel;
  const auto process = opened(board->sign, kernel);
  ASSERT_NE(process, nullptr);
  std::vector<std::byte> own(8 * kPage);
  const auto begin = reinterpret_cast<std::uint64_t>(memory);
  const auto expect_range = [&](const Expected<>& result, std::uint64_t place) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, MPI_ERR_RMA_RANGE);
    EXPECT_TRUE(says(result.error(), fmt::format("{:#x}", place))) << result.error().message;
  };
  EXPECT_TRUE(process->read(own.data(), begin, kMapped));
  // The place where the kernel could not go on.
  expect_range(process->read(own.data(), begin, kMapped + 1), begin + kMapped);
  expect_range(process->read(own.data(), begin + kMapped, 8), begin + kMapped);
  expect_range(process->write(own.data(), begin, 8), begin);
  EXPECT_TRUE(process->write(own.data(), begin + kPage, 8));
  // A piece in the middle of several.
  std::vector<iovec> pieces;
  for (std::size_t i = 0; i < 2000; ++i) pieces.push_back({memory + kPage + i, 1});
  pieces[1500].iov_base = memory + kMapped + 77;
  const iovec here{own.data(), pieces.size()};
  expect_range(process->read({&here, 1}, pieces), begin + kMapped + 77);
  ::munmap(memory, 8 * kPage);
}

/// Whether this process's calls of that number end with this error from now on.
bool deny_call(unsigned number, unsigned error) {
  const std::array<sock_filter, 4> program = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{program.size(), const_cast<sock_filter*>(program.data())};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// As a container's profile does it.
TEST(ProcessMemory, SaysWhatToDoWhereTheKernelRefuses) {
  struct Case {
    unsigned error;
    std::string_view words;
  };
  const ProcessSign sign = own_process_sign();
  for (const Case& c : {Case{EPERM, "ptrace_scope"}, Case{EPERM, "--cap-add=SYS_PTRACE"},
                        Case{EPERM, "seccomp"}, Case{ENOSYS, "CONFIG_CROSS_MEMORY_ATTACH"}}) {
    Child child([&] {
      if (!deny_call(SYS_process_vm_readv, c.error)) ::_exit(77);
      KernelCopy kernel;
      const auto refused = ProcessMemory::open(sign, kernel);
      if (refused) ::_exit(1);
      if (refused.error().code != MPI_ERR_RMA_SHARED) ::_exit(2);
      if (!says(refused.error(), c.words)) ::_exit(3);
    });
    const int status = child.wait();
    if (status == 77) GTEST_SKIP() << "no seccomp here";
    EXPECT_EQ(status, 0) << c.words;
  }
}

}  // namespace
}  // namespace remit::testing
