// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The userfaultfd monitor under a registration cache: what the kernel reports is forgotten before
// the system call returns. Exits with 77 where there is no userfaultfd.
#include <fcntl.h>
#include <fmt/core.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "rdma_btl/registration/registration_cache.hpp"
#include "rdma_btl/registration/userfaultfd_monitor.hpp"
#include "tests/sanitized.h"
#include "tests/unit/rdma_btl/registration/fakes.hpp"

namespace remit {
namespace {

constexpr std::size_t kPages = 16;

class Monitor : public ::testing::Test {
 protected:
  void SetUp() override {
    ::alarm(60);  // an event that nobody reads holds this process for ever
    auto monitor = UserfaultfdMonitor::open();
    ASSERT_TRUE(monitor.has_value()) << monitor.error().message;
    std::vector<std::unique_ptr<MemoryMonitor>> monitors;
    monitors.push_back(std::move(*monitor));
    watch = std::make_unique<MemoryWatch>(std::move(monitors));
    cache = std::make_unique<RegistrationCache>(device, *watch, RegistrationCache::Limits{});
  }
  void TearDown() override {
    cache.reset();
    watch.reset();
    EXPECT_TRUE(device.live.empty());
    ::alarm(0);
  }

  static char* map(void* place = nullptr, int flags = MAP_PRIVATE | MAP_ANONYMOUS, int fd = -1) {
    void* mapped = ::mmap(place, bytes(), PROT_READ | PROT_WRITE,
                          flags | (place != nullptr ? MAP_FIXED : 0), fd, 0);
    EXPECT_NE(mapped, MAP_FAILED);
    return static_cast<char*>(mapped);
  }
  static std::size_t bytes() { return kPages * page_bytes(); }

  void use(const void* data, std::size_t length = bytes()) {
    const auto lease = cache->acquire(data, length, Access::local);
    EXPECT_TRUE(lease.has_value());
  }
  bool holds(const void* data) { return cache->holds(data, 1); }

  testing::RegisteringDevice device;
  std::unique_ptr<MemoryWatch> watch;
  std::unique_ptr<RegistrationCache> cache;
};

TEST_F(Monitor, Unmap) {
  char* data = map();
  use(data);
  EXPECT_TRUE(holds(data));
  ::munmap(data, bytes());
  EXPECT_FALSE(holds(data));
  EXPECT_EQ(cache->counters().invalidations, 1U);
}

TEST_F(Monitor, UnmapOfAPart) {
  char* data = map();
  use(data, page_bytes());
  use(data + 4 * page_bytes(), 4 * page_bytes());
  ::munmap(data + 5 * page_bytes(), page_bytes());
  EXPECT_TRUE(holds(data));
  EXPECT_FALSE(holds(data + 4 * page_bytes()));
  ::munmap(data, bytes());
  EXPECT_FALSE(holds(data));
}

TEST_F(Monitor, MapOver) {
  char* data = map();
  use(data);
  map(data);
  EXPECT_FALSE(holds(data));
  use(data);
  EXPECT_TRUE(holds(data));
  ::munmap(data, bytes());
}

TEST_F(Monitor, MoveAwayAndOnto) {
  char* data = map();
  char* target = map();
  use(data);
  use(target);
  ASSERT_NE(::mremap(data, bytes(), bytes(), MREMAP_MAYMOVE | MREMAP_FIXED, target), MAP_FAILED);
  EXPECT_FALSE(holds(data));
  EXPECT_FALSE(holds(target));
  use(target);
  EXPECT_TRUE(holds(target)) << "memory that moved can be watched at its new place";
  ::munmap(target, bytes());
  EXPECT_FALSE(holds(target));
}

TEST_F(Monitor, EmptiedPages) {
  for (const int advice : {MADV_DONTNEED, MADV_FREE}) {
    char* data = map();
    use(data);
    ASSERT_EQ(::madvise(data + page_bytes(), page_bytes(), advice), 0);
    EXPECT_FALSE(holds(data));
    use(data);
    EXPECT_TRUE(holds(data));
    ::munmap(data, bytes());
  }
}

TEST_F(Monitor, FreedMemory) {
  if (kSanitized) GTEST_SKIP() << "the address sanitizer keeps freed memory for a while";
  constexpr std::size_t kBig = std::size_t{64} << 20;  // above every threshold: its own mapping
  auto* data = static_cast<char*>(std::calloc(kBig, 1));
  volatile auto address =
      reinterpret_cast<std::uintptr_t>(data);  // the compiler looks through less
  use(data, kBig);
  EXPECT_TRUE(holds(data));
  std::free(data);
  EXPECT_FALSE(holds(reinterpret_cast<void*>(address)));
}

TEST_F(Monitor, FirstTouchesDoNotWait) {
  char* data = map();
  use(data);
  for (std::size_t i = 0; i < bytes(); i += 64) data[i] = 1;
  EXPECT_EQ(data[0], 1);
  ::munmap(data, bytes());
}

TEST_F(Monitor, PrivateFilesAreNotCached) {
  const int fd = ::open("/proc/self/exe", O_RDONLY);
  char* data = map(nullptr, MAP_PRIVATE, fd);
  ::close(fd);
  use(data);
  EXPECT_FALSE(holds(data));
  EXPECT_EQ(cache->counters().uncached, 1U);
  ::munmap(data, bytes());
}

TEST_F(Monitor, MemoryOfAnotherUserfaultfdIsNotCached) {
  const auto other =
      static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY));
  uffdio_api api{};
  api.api = UFFD_API;
  ASSERT_EQ(::ioctl(other, UFFDIO_API, &api), 0);
  char* data = map();
  uffdio_register request{};
  request.range = {reinterpret_cast<std::uintptr_t>(data), bytes()};
  request.mode = UFFDIO_REGISTER_MODE_WP;
  ASSERT_EQ(::ioctl(other, UFFDIO_REGISTER, &request), 0);
  use(data);
  EXPECT_FALSE(holds(data));
  ::close(other);
  ::munmap(data, bytes());
}

TEST_F(Monitor, AChildChangesNothing) {
  char* data = map();
  use(data);
  const pid_t child = ::fork();
  if (child == 0) {
    ::munmap(data, bytes());
    cache.reset();
    watch.reset();
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(holds(data)) << "the parent's memory is as it was";
  ::munmap(data, bytes());
  EXPECT_FALSE(holds(data));
}

/// The child keeps the userfaultfd open, so closing it here does not end it.
TEST_F(Monitor, MemoryCanBeUnmappedAfterTheEndThoughAChildLives) {
  char* data = map();
  char* moved = map();
  use(data);
  use(moved);
  char* place = map();
  ASSERT_NE(::mremap(moved, bytes(), bytes(), MREMAP_MAYMOVE | MREMAP_FIXED, place), MAP_FAILED);
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  cache.reset();
  watch.reset();
  ::munmap(data, bytes());
  ::munmap(place, bytes());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(Monitor, TheThreadBlocksAllSignals) {
  char* data = map();
  use(data);
  bool seen = false;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    std::string name;
    std::uint64_t blocked = 0;
    for (std::string word; status >> word;) {
      if (word == "Name:") status >> name;
      if (word == "SigBlk:") status >> std::hex >> blocked;
    }
    if (name != "remit-memory") continue;
    seen = true;
    for (const int number : {SIGINT, SIGTERM, SIGCHLD, SIGALRM, SIGUSR1, SIGPROF, SIGRTMAX}) {
      EXPECT_NE(blocked >> (number - 1) & 1, 0U) << "signal " << number;
    }
  }
  EXPECT_TRUE(seen);
  ::munmap(data, bytes());
}

TEST_F(Monitor, OrdinaryUsers) {
  if (::geteuid() != 0) return;  // then all tests here are of one
  const pid_t child = ::fork();
  if (child == 0) {
    bool right = ::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0;
    auto monitor = UserfaultfdMonitor::open();
    right = right && monitor.has_value();
    if (right) {
      std::vector<std::unique_ptr<MemoryMonitor>> monitors;
      monitors.push_back(std::move(*monitor));
      MemoryWatch own(std::move(monitors));
      char* data = map();
      const AddressRange pages = pages_of(data, bytes());
      right = own.watch(pages) != 0;
      ::munmap(data, bytes());
    }
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(MemoryWatch, TheParameterChooses) {
  Params params;
  ASSERT_TRUE(params.set("memory_monitor", "none").has_value());
  EXPECT_EQ((*MemoryWatch::open(params))->describe(), "none");
  ASSERT_TRUE(params.set("memory_monitor", "userfaultfd").has_value());
  EXPECT_EQ((*MemoryWatch::open(params))->describe(), "userfaultfd");
  ASSERT_TRUE(params.set("memory_monitor", "preload").has_value());
  const auto preload = MemoryWatch::open(params);
  ASSERT_FALSE(preload.has_value());
  EXPECT_NE(preload.error().message.find("LD_PRELOAD"), std::string::npos);
  EXPECT_EQ((*MemoryWatch::open(Params{}))->describe(), "userfaultfd");
}

}  // namespace
}  // namespace remit

int main(int count, char** arguments) {
  ::testing::InitGoogleTest(&count, arguments);
  const auto monitor = remit::UserfaultfdMonitor::open();
  if (!monitor) {
    fmt::print("cannot run: {}\n", monitor.error().message);
    return 77;
  }
  return RUN_ALL_TESTS();
}
