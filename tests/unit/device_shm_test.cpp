// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared-memory device: the typed suite with direct and pipelined copies, and what needs real
// processes: first contact, sleeping, death, forbidden system calls.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>

#include "rdma_btl/shm/arena.hpp"
#include "rdma_btl/shm/layout.hpp"
#include "rdma_btl/shm/os.hpp"
#include "rdma_btl/shm/shm_device.hpp"
#include "tests/unit/device_suite.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

template <ShmCopy kCopy, std::size_t kCells, std::size_t kArea, bool kMembarrier,
          bool kShared = false>
class ShmWorld {
 public:
  static constexpr bool kThreads = true;
  explicit ShmWorld(std::uint64_t seed) : job_(seed) {}

  [[nodiscard]] std::unique_ptr<Device> make(PeerName name) {
    ShmConfig config;
    config.name = name;
    config.job = job_;
    config.copy = kCopy;
    config.ring_cells = kCells;
    config.area_bytes = kArea;
    config.membarrier = kMembarrier;
    config.share_allocations = kShared;
    config.liveness_ms = 20;
    Expected<std::unique_ptr<ShmDevice>> device = ShmDevice::create(config);
    EXPECT_TRUE(device.has_value()) << (device ? "" : device.error().message);
    return device ? std::move(*device) : nullptr;
  }
  void idle() {}
  [[nodiscard]] bool kill(PeerName) { return false; }  // processes: below
  void check() {}

 private:
  std::uint64_t job_;
};

using Direct = ShmWorld<ShmCopy::cma, 512, 128 * 1024, true>;
using Pipelined = ShmWorld<ShmCopy::pipelined, 512, 128 * 1024, true>;
using Tiny = ShmWorld<ShmCopy::pipelined, 16, 4096, true>;
using Fenced = ShmWorld<ShmCopy::automatic, 64, 16384, false>;
using Shared = ShmWorld<ShmCopy::pipelined, 512, 128 * 1024, true, true>;
using DirectShared = ShmWorld<ShmCopy::cma, 512, 128 * 1024, true, true>;

INSTANTIATE_TYPED_TEST_SUITE_P(Direct, DeviceSuite, Direct);
INSTANTIATE_TYPED_TEST_SUITE_P(Pipelined, DeviceSuite, Pipelined);
INSTANTIATE_TYPED_TEST_SUITE_P(Tiny, DeviceSuite, Tiny);
INSTANTIATE_TYPED_TEST_SUITE_P(Fenced, DeviceSuite, Fenced);
INSTANTIATE_TYPED_TEST_SUITE_P(Shared, DeviceSuite, Shared);
INSTANTIATE_TYPED_TEST_SUITE_P(DirectShared, DeviceSuite, DirectShared);

// --- two processes -----------------------------------------------------------------------------

/// Times a stress loop runs; REMIT_TEST_ROUNDS makes it longer.
std::uint32_t rounds(std::uint32_t usual) {
  const char* given = std::getenv("REMIT_TEST_ROUNDS");
  return given != nullptr ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 0)) : usual;
}

ShmConfig config_of(PeerName name) {
  ShmConfig config;
  config.name = name;
  config.job = 42;
  config.liveness_ms = 60000;
  config.share_allocations = false;
  return config;
}

/// One of two processes: a device and its endpoint to the other.
class Side {
 public:
  Side(ShmConfig config, int channel) : channel_(channel) {
    Expected<std::unique_ptr<ShmDevice>> made = ShmDevice::create(config);
    if (!made) return;
    device = std::move(*made);
    node = std::make_unique<Node>(*device, config.name);
    const Bytes own = device->local_address();
    Bytes other(own.size());
    if (::write(channel_, own.data(), own.size()) < 0 || !read_all(other)) return;
    endpoint = device->connect(1 - config.name, other).value_or(0);
  }

  [[nodiscard]] bool read_all(std::span<std::byte> bytes) const {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t got = ::read(channel_, bytes.data() + at, bytes.size() - at);
      if (got <= 0) return false;
      at += static_cast<std::size_t>(got);
    }
    return true;
  }

  /// False after half a minute.
  [[nodiscard]] bool wait(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!done()) {
      if (!node->progress()) std::this_thread::yield();
      if (std::chrono::steady_clock::now() > end) return false;
    }
    return true;
  }

  /// As an MPI wait does it without a core of its own: arm, poll, sleep. False: nothing woke it
  /// although something had come (a lost wake-up), or nothing came in half a minute.
  [[nodiscard]] bool sleep_until(const std::function<bool()>& done) {
    while (!done()) {
      if (node->progress()) continue;
      device->arm();
      if (node->progress() || device->max_sleep_ms() == 0) {
        device->disarm();
        continue;
      }
      const int bound = device->max_sleep_ms();
      pollfd waiting{device->wait_fd(), POLLIN, 0};
      const int woken = ::poll(&waiting, 1, bound < 0 || bound > 30000 ? 30000 : bound);
      device->disarm();
      ++sleeps;
      if (woken == 0 && bound > 1000) return false;
    }
    return true;
  }

  /// Tells the other side where our buffer is, and learns where its is.
  [[nodiscard]] bool exchange(RemoteAddress own, RemoteAddress& other) {
    node->send(endpoint, std::as_bytes(std::span(&own, 1)));
    if (!wait([&] { return !node->receives.empty(); })) return false;
    std::memcpy(&other, node->receives[0].data.data(), sizeof other);
    node->receives.erase(node->receives.begin());
    return true;
  }

  /// Both sides are done with what came before.
  [[nodiscard]] bool meet() {
    const std::byte token{1};
    node->send(endpoint, {&token, 1});
    if (!wait([&] { return !node->receives.empty(); })) return false;
    node->receives.erase(node->receives.begin());
    return true;
  }

  std::unique_ptr<ShmDevice> device;
  std::unique_ptr<Node> node;
  EndpointId endpoint = 0;
  std::size_t sleeps = 0;

 private:
  int channel_;
};

/// Runs `child` in a new process and `parent` in this one; each gets its end of a channel. Returns
/// the child's wait status. The child says what it found by its result: 0 is good.
int run_pair(const std::function<int(int channel)>& child,
             const std::function<void(int channel, pid_t child)>& parent) {
  int channels[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channels), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(channels[0]);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::alarm(120);
    ::_exit(child(channels[1]));
  }
  ::close(channels[1]);
  parent(channels[0], pid);
  ::close(channels[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return status;
}

void spin_randomly(std::mt19937_64& random) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(random() % 20000);
  if (random() % 2 == 0) return;
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// Messages to and fro, each side sleeping for every one.
bool sleepy_talk(Side& side, std::uint64_t seed, std::uint32_t count) {
  std::mt19937_64 random(seed);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (side.node->name == 0) side.node->send(side.endpoint, std::as_bytes(std::span(&i, 1)));
    spin_randomly(random);
    if (!side.sleep_until([&] { return !side.node->receives.empty(); })) return false;
    if (std::memcmp(side.node->receives[0].data.data(), &i, sizeof i) != 0) return false;
    side.node->receives.clear();
    spin_randomly(random);
    if (side.node->name == 1) side.node->send(side.endpoint, std::as_bytes(std::span(&i, 1)));
  }
  return true;
}

/// More than the ring holds, the receiver sleeping between, the sender sleeping for room.
bool sleepy_stream(Side& side, std::uint64_t seed, std::uint32_t count) {
  std::mt19937_64 random(seed);
  if (side.node->name == 0) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const Bytes data(1 + random() % 900, static_cast<std::byte>(i));
      side.node->send(side.endpoint, data);
      const auto room = [&] { return side.node->pending.size() < 4; };
      if (!side.sleep_until(room)) return false;
    }
    return side.sleep_until([&] { return side.node->pending.empty(); }) &&
           side.sleep_until([&] { return !side.node->receives.empty(); });
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (random() % 8 == 0) spin_randomly(random);
    if (!side.sleep_until([&] { return side.node->receives.size() > i; })) return false;
    if (side.node->receives[i].data[0] != static_cast<std::byte>(i)) return false;
  }
  side.node->send(side.endpoint, Bytes(1));
  return side.wait([&] { return side.node->pending.empty(); });
}

using Talk = bool (*)(Side&, std::uint64_t, std::uint32_t);

void expect_no_lost_wake(bool membarrier, Talk talk, std::uint32_t count) {
  const std::uint64_t seed = test_seed();
  const auto config = [&](PeerName name) {
    ShmConfig result = config_of(name);
    result.membarrier = membarrier;
    result.ring_cells = 32;
    result.area_bytes = 8192;
    return result;
  };
  const int status = run_pair(
      [&](int channel) {
        Side side(config(1), channel);
        const bool good = talk(side, seed + 1, count);
        return good && side.sleeps != 0 ? 0 : 1;
      },
      [&](int channel, pid_t) {
        Side side(config(0), channel);
        EXPECT_TRUE(talk(side, seed, count)) << "a wake-up was lost, or a message";
        EXPECT_NE(side.sleeps, 0U);
      });
  EXPECT_EQ(status, 0);
}

TEST(ShmSleep, NoWakeUpIsLostWithMembarrier) {
  expect_no_lost_wake(true, sleepy_talk, rounds(10000));
}
TEST(ShmSleep, NoWakeUpIsLostWithFences) {
  expect_no_lost_wake(false, sleepy_talk, rounds(10000));
}
TEST(ShmSleep, BlockedSendersAreWoken) {
  expect_no_lost_wake(true, sleepy_stream, rounds(20000));
}
TEST(ShmSleep, BlockedSendersAreWokenWithFences) {
  expect_no_lost_wake(false, sleepy_stream, rounds(20000));
}

// --- copies between two processes --------------------------------------------------------------

/// Puts and gets of many lengths in both directions, checked; returns 0 if all is well.
int copy_everything(Side& side, bool direct) {
  constexpr std::size_t kBytes = 3 * 1024 * 1024 + 77;
  Buffer local(*side.device, kBytes, 5);
  Buffer window(*side.device, kBytes, 9);
  const std::uint64_t me = side.node->name;
  fill_pattern(window.bytes(), me + 10);
  RemoteAddress remote;
  if (!side.exchange(window.remote(), remote)) return 1;
  if (side.device->copies_directly(side.endpoint) != direct) return 2;
  for (const std::size_t length :
       {std::size_t{1}, std::size_t{4096}, std::size_t{100001}, std::size_t{262144}, kBytes}) {
    const Piece piece = local.piece(0, length);
    const std::uint64_t got = side.node->start(side.endpoint, get_of({&piece, 1}, remote));
    if (!side.wait([&] { return side.node->done(got); })) return 3;
    if (side.node->completed[got] != MPI_SUCCESS) return 4;
    if (find_mismatch(local.bytes().first(length), 1 - me + 10) != -1) return 5;
  }
  if (!side.meet()) return 6;
  fill_pattern(local.bytes(), me + 20);
  const Piece piece = local.piece();
  const std::uint64_t put =
      side.node->start(side.endpoint, notifying(put_of({&piece, 1}, remote), 7));
  if (!side.wait([&] { return !side.node->notifications.empty(); })) return 7;
  side.node->notifications.clear();
  if (find_mismatch(window.bytes(), 1 - me + 20) != -1) return 8;
  if (!side.wait([&] { return side.node->done(put); })) return 9;
  if (side.node->completed[put] != MPI_SUCCESS || !side.meet()) return 10;
  return side.wait([&] { return side.device->flushed(); }) ? 0 : 11;
}

TEST(ShmCopies, DirectlyAndByBothSides) {
  const int status = run_pair(
      [](int channel) {
        Side side(config_of(1), channel);
        return copy_everything(side, true);
      },
      [](int channel, pid_t) {
        Side side(config_of(0), channel);
        EXPECT_EQ(copy_everything(side, true), 0);
      });
  EXPECT_EQ(status, 0);
}

/// From now on the kernel refuses direct copies to this process, as in many containers.
bool forbid_direct_copies() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(code), code};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(ShmCopies, ThroughTheRingWhereTheKernelForbidsThem) {
  const int status = run_pair(
      [](int channel) {
        if (!forbid_direct_copies()) return 100;
        Side side(config_of(1), channel);
        return copy_everything(side, false);
      },
      [](int channel, pid_t) {
        Side side(config_of(0), channel);
        EXPECT_EQ(copy_everything(side, true), 0);
      });
  EXPECT_EQ(status, 0);
}

// Where the kernel forbids direct copies, too, and without a system call for each.
TEST(ShmCopies, OfSharedMemory) {
  const auto copies = [](Side& side, bool allowed) {
    const ShmCounters& counters = side.device->counters();
    if (const int error = copy_everything(side, allowed)) return error;
    if (!side.wait([&] { return counters.arenas_mapped == 1; }) || !side.meet()) return 150;
    if (const int error = copy_everything(side, allowed)) return error;
    return counters.mapped_copies == 0 || counters.violations != 0 ? 200 : 0;
  };
  const auto sharing = [](PeerName name) {
    ShmConfig config = config_of(name);
    config.share_allocations = true;
    return config;
  };
  const int status = run_pair(
      [&](int channel) {
        if (!forbid_direct_copies()) return 100;
        Side side(sharing(1), channel);
        return copies(side, false);
      },
      [&](int channel, pid_t) {
        Side side(sharing(0), channel);
        EXPECT_EQ(copies(side, true), 0);
      });
  EXPECT_EQ(status, 0);
}

// Random sizes: no two overlap, and all that was given back can be had again as a whole.
TEST(ShmArena, AllocatesAndReleases) {
  shm::Arena& arena = shm::Arena::of_process();
  std::mt19937_64 random(test_seed());
  std::map<std::byte*, std::size_t> held;
  const auto release = [&](auto what) {
    for (std::size_t i = 0; i < what->second; i += 4096) {
      EXPECT_EQ(what->first[i], std::byte(what->second % 251));
    }
    EXPECT_EQ(arena.release(what->first), Released::done);
    held.erase(what);
  };
  for (int round = 0; round < 2000; ++round) {
    if (held.size() > 40 || (!held.empty() && random() % 3 == 0)) {
      release(std::next(held.begin(), static_cast<std::ptrdiff_t>(random() % held.size())));
      continue;
    }
    const std::size_t bytes = 1 + random() % (random() % 8 == 0 ? 1000000 : 20000);
    auto* memory = static_cast<std::byte*>(arena.allocate(bytes));
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 4096, 0U);
    for (std::size_t i = 0; i < bytes; i += 4096) memory[i] = std::byte(bytes % 251);
    const auto next = held.lower_bound(memory);
    EXPECT_TRUE(next == held.end() || memory + bytes <= next->first);
    EXPECT_TRUE(next == held.begin() || std::prev(next)->first + std::prev(next)->second <= memory);
    held.emplace(memory, bytes);
  }
  while (!held.empty()) release(held.begin());
  void* all = arena.allocate(arena.size());
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(arena.allocate(1), nullptr);
  EXPECT_EQ(arena.release(static_cast<std::byte*>(all) + 64), Released::not_whole);
  EXPECT_EQ(arena.release(all), Released::done);
  EXPECT_EQ(arena.release(all), Released::not_whole);
  EXPECT_EQ(arena.release(&held), Released::foreign);
  EXPECT_EQ(arena.allocate(0), nullptr);
}

TEST(ShmCopies, ForbiddenInTheMiddle) {
  const int status = run_pair(
      [](int channel) {
        Side side(config_of(1), channel);
        if (!side.meet() || !side.device->copies_directly(side.endpoint)) return 99;
        if (!forbid_direct_copies()) return 100;
        return copy_everything(side, true);
      },
      [](int channel, pid_t) {
        Side side(config_of(0), channel);
        EXPECT_TRUE(side.meet());
        EXPECT_EQ(copy_everything(side, true), 0);
      });
  EXPECT_EQ(status, 0);
}

TEST(ShmCopies, InsistingOnThemSaysWhyNot) {
  const int status = run_pair(
      [](int channel) {
        if (!forbid_direct_copies()) return 100;
        ShmConfig config = config_of(1);
        config.copy = ShmCopy::cma;
        Side side(config, channel);
        if (!side.wait([&] { return !side.node->failures.empty(); })) return 1;
        return side.device->explain(side.endpoint).find("shm_copy") == std::string::npos ? 2 : 0;
      },
      [](int channel, pid_t) {
        Side side(config_of(0), channel);
        std::byte end{};
        EXPECT_FALSE(side.read_all({&end, 1})) << "until the child has exited";
      });
  EXPECT_EQ(status, 0);
}

TEST(ShmCopies, OutsideOfRegionsIsRefused) {
  for (const ShmCopy copy : {ShmCopy::automatic, ShmCopy::pipelined}) {
    ShmConfig config = config_of(0);
    config.copy = copy;
    auto a = ShmDevice::create(config).value();
    config.name = 1;
    auto b = ShmDevice::create(config).value();
    Node first(*a, 0);
    Node second(*b, 1);
    const EndpointId endpoint = first.connect(second);
    Buffer local(*a, 256);
    auto remote = std::make_unique<Buffer>(*b, 128);
    fill_pattern(remote->bytes(), 3);
    const Piece piece = local.piece(0, 64);
    const std::span<const Piece> pieces(&piece, 1);
    const RemoteAddress inside = remote->remote(64);
    RemoteAddress behind = remote->remote(65);
    RemoteAddress forged = inside;
    forged.key += std::uint64_t{1} << 32;
    const auto status_of = [&](const Operation& operation) {
      const std::uint64_t cookie = first.start(endpoint, operation);
      while (!first.done(cookie)) {
        first.progress();
        second.progress();
      }
      return first.completed[cookie];
    };
    EXPECT_EQ(status_of(get_of(pieces, inside)), MPI_SUCCESS);
    for (const RemoteAddress& bad : {behind, forged, RemoteAddress{}}) {
      EXPECT_EQ(status_of(get_of(pieces, bad)), MPI_ERR_RMA_RANGE);
      EXPECT_EQ(status_of(put_of(pieces, bad)), MPI_ERR_RMA_RANGE);
      EXPECT_FALSE(a->explain(endpoint).empty());
      EXPECT_EQ(status_of(atomic_of(AtomicKind::swap, {}, bad, 1)), MPI_ERR_RMA_RANGE);
    }
    EXPECT_EQ(find_mismatch(remote->bytes(), 3), -1);
    remote.reset();
    EXPECT_EQ(status_of(get_of(pieces, inside)), MPI_ERR_RMA_RANGE) << "deregistered";
    EXPECT_TRUE(first.failures.empty());
  }
}

/// Moves `bytes` to and fro between two devices of this process until `enough`, and checks them.
void move_until(const ShmConfig& config, std::size_t bytes,
                const std::function<bool(int)>& enough) {
  auto a = ShmDevice::create(config).value();
  ShmConfig other = config;
  other.name = config.name + 1;
  auto b = ShmDevice::create(other).value();
  Node first(*a, config.name);
  Node second(*b, other.name);
  const EndpointId endpoint = first.connect(second);
  Buffer local(*a, bytes);
  Buffer remote(*b, bytes);
  const Piece piece = local.piece(0, bytes);
  const std::span<const Piece> pieces(&piece, 1);
  for (int round = 0; !enough(round); ++round) {
    Buffer& from = round % 2 == 0 ? local : remote;
    Buffer& to = round % 2 == 0 ? remote : local;
    fill_pattern(from.bytes(), round);
    std::ranges::fill(to.bytes(), std::byte{0});
    const std::uint64_t cookie =
        first.start(endpoint, round % 2 == 0 ? put_of(pieces, remote.remote(0))
                                             : get_of(pieces, remote.remote(0)));
    while (!first.done(cookie)) {
      first.progress();
      second.progress();
    }
    ASSERT_EQ(first.completed[cookie], MPI_SUCCESS);
    ASSERT_EQ(find_mismatch(to.bytes(), round), -1);
  }
}

TEST(ShmCopies, AreMeasuredAndRemembered) {
  std::string folder = ::testing::TempDir() + "remit-table-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  ShmConfig config = config_of(0);
  config.copy_table = folder + "/copies";
  config.measure_copies = true;
  const auto read = [&] {
    shm::CopyTable table(config.assist_from);
    shm::load_copy_table(config.copy_table, table);
    return table;
  };
  for (const std::size_t bytes : {std::size_t{20000}, std::size_t{300000}}) {
    move_until(config, bytes, [](int round) { return round == 5; });
    EXPECT_TRUE(read().to_measure(bytes)) << "five samples are not all";
    move_until(config, bytes, [](int round) { return round == 3 * shm::CopyTable::kSamples; });
    EXPECT_FALSE(read().to_measure(bytes));
  }
  EXPECT_EQ(read().measured(), 2U);
  std::filesystem::remove_all(folder);
}

TEST(ShmCopies, WithoutAFileNothingIsMeasured) {
  ShmConfig config = config_of(0);
  config.measure_copies = true;
  move_until(config, 300000, [](int round) { return round == 10; });
}

// --- a peer's end ------------------------------------------------------------------------------

TEST(ShmLife, KilledPeersFailAfterTheirLastMessage) {
  static constexpr std::uint32_t kCount = 100;
  const int status = run_pair(
      [](int channel) {
        Side side(config_of(1), channel);
        for (std::uint32_t i = 0; i < kCount; ++i) side.node->send(side.endpoint, Bytes(100));
        if (!side.wait([&] { return !side.node->receives.empty(); })) return 1;
        ::raise(SIGKILL);
        return 2;
      },
      [](int channel, pid_t child) {
        ShmConfig config = config_of(0);
        config.liveness_ms = 5;
        Side side(config, channel);
        side.node->send(side.endpoint, Bytes(1));
        siginfo_t info;
        EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
        Buffer local(*side.device, 64);
        const Piece piece = local.piece();
        const std::uint64_t cookie =
            side.node->start(side.endpoint, get_of({&piece, 1}, RemoteAddress{}));
        EXPECT_TRUE(side.wait([&] { return !side.node->failures.empty(); }));
        EXPECT_EQ(side.node->receives.size(), kCount);
        EXPECT_TRUE(side.wait([&] { return side.node->done(cookie); }));
        EXPECT_NE(side.node->completed[cookie], MPI_SUCCESS);
        EXPECT_FALSE(side.device->explain(side.endpoint).empty());
        EXPECT_TRUE(side.device->flushed());
      });
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(ShmLife, WhatWasFlushedSurvivesAnExit) {
  static constexpr std::uint32_t kCount = 200;
  const int status = run_pair(
      [](int channel) {
        Side side(config_of(1), channel);  // its peer never polls before this process is gone
        for (std::uint32_t i = 0; i < kCount; ++i) side.node->send(side.endpoint, Bytes(100));
        return side.device->flushed() && side.node->pending.empty() ? 0 : 1;
      },
      [](int channel, pid_t child) {
        ShmConfig config = config_of(0);
        config.liveness_ms = 5;
        Side side(config, channel);
        siginfo_t info;
        EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
        EXPECT_TRUE(side.wait([&] { return side.node->receives.size() == kCount; }));
        for (int i = 0; i < 20; ++i) {
          ::usleep(2000);
          for (int k = 0; k < 200; ++k) side.node->progress();
        }
        EXPECT_TRUE(side.node->failures.empty()) << "it left in order and owes nothing";
        std::array<Operation, 600> sends;
        side.node->pending.post(*side.device, side.endpoint, sends);
        EXPECT_TRUE(side.wait([&] { return !side.node->failures.empty(); }));
      });
  EXPECT_EQ(status, 0);
}

std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

/// How often something of the device is mapped.
int mappings() {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find("remit-") != line.npos;
  return count;
}

// One process that serves many, one after the other (or some together, who end in another order).
TEST(ShmLife, WhoHasLeftCostsNothing) {
  ShmConfig config = config_of(1000);
  config.liveness_ms = 1;
  auto server = ShmDevice::create(config).value();
  std::array<Completion, 8> out;
  std::ptrdiff_t files = 0;
  int maps = 0;
  std::size_t served = 0;
  for (PeerName round = 0; round < 40; ++round) {
    std::vector<std::unique_ptr<ShmDevice>> clients;
    std::vector<EndpointId> endpoints;
    const std::size_t together = 1 + round % 12;  // more than every poll visits
    for (std::size_t i = 0; i < together; ++i) {
      clients.push_back(ShmDevice::create(config_of(round * 20 + i)).value());
      endpoints.push_back(clients.back()->connect(1000, server->local_address()).value());
    }
    std::vector<std::byte> bytes(2000, static_cast<std::byte>(round));
    const Piece piece{bytes.data(), bytes.size(), 0};
    Operation send;
    send.local = {&piece, 1};
    for (std::size_t i = 0; i < together; ++i) {
      while (clients[i]->post(endpoints[i], {&send, 1}) == 0) (void)clients[i]->poll(out);
    }
    std::size_t got = 0;
    std::size_t closed = 0;
    for (int tries = 0; tries < 10000000 && closed < together; ++tries) {
      const std::size_t n = server->poll(out);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_NE(out[i].kind, CompletionKind::endpoint_failed);
        closed += out[i].kind == CompletionKind::endpoint_closed;
        if (out[i].kind != CompletionKind::receive) continue;
        ++got;
        ASSERT_EQ(out[i].data.size(), bytes.size());
        EXPECT_EQ(out[i].data.back(), static_cast<std::byte>(round));
      }
      for (const auto& client : clients) (void)client->poll(out);
      if (got == together) clients.clear();
    }
    ASSERT_EQ(closed, together) << round;
    served += got;
    (void)server->poll(out);
    if (round == 0) {
      files = open_files();
      maps = mappings();
    }
    EXPECT_EQ(open_files(), files) << round;
    EXPECT_EQ(mappings(), maps) << round;
  }
  EXPECT_GT(served, 200U);
}

TEST(ShmLife, NothingIsLeftOpen) {
  const auto before = open_files();
  for (int round = 0; round < 3; ++round) {
    auto a = ShmDevice::create(config_of(0)).value();
    auto b = ShmDevice::create(config_of(1)).value();
    const EndpointId endpoint = a->connect(1, b->local_address()).value();
    std::array<Completion, 4> out;
    while (!a->connected(endpoint)) {
      (void)a->poll(out);
      (void)b->poll(out);
    }
  }
  EXPECT_EQ(open_files(), before);
}

// --- first contact -----------------------------------------------------------------------------

TEST(ShmHello, MalformedAndForeignOnesAreDropped) {
  auto device = ShmDevice::create(config_of(0)).value();
  shm::Address address;
  const Bytes blob = device->local_address();
  std::memcpy(&address, blob.data(), sizeof address);
  const shm::SocketName name = shm::socket_name(std::span<const std::uint8_t, 16>(address.socket));
  const shm::Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  std::array<Completion, 4> out;
  const auto deliver = [&](std::span<const std::byte> bytes) {
    EXPECT_EQ(::sendto(socket.get(), bytes.data(), bytes.size(), 0, name.get(), name.length),
              static_cast<ssize_t>(bytes.size()));
    device->arm();
    const std::size_t n = device->poll(out);
    device->disarm();
    return n;
  };
  EXPECT_EQ(deliver(Bytes(3)), 0U);
  EXPECT_EQ(deliver(Bytes(sizeof(shm::Hello))), 0U);
  EXPECT_EQ(deliver(Bytes(5000)), 0U);
  shm::Hello hello;
  hello.job = 41;
  EXPECT_EQ(deliver(std::as_bytes(std::span(&hello, 1))), 0U);
  shm::Refusal refusal;  // of what nobody asked for
  refusal.job = 42;
  EXPECT_EQ(deliver(std::as_bytes(std::span(&refusal, 1))), 0U);
  EXPECT_EQ(device->counters().hellos_rejected, 5U);
  hello.job = 42;
  hello.from = 9;
  hello.cells = 512;
  hello.area_bytes = 4096;
  EXPECT_EQ(deliver(std::as_bytes(std::span(&hello, 1))), 1U) << "no descriptors";
  EXPECT_EQ(out[0].kind, CompletionKind::endpoint_failed);
  EXPECT_NE(device->explain(out[0].endpoint).find("descriptors"), std::string::npos);
}

TEST(ShmHello, WhoCannotBeAnsweredHearsWhy) {
  auto full = ShmDevice::create(config_of(0)).value();
  auto caller = ShmDevice::create(config_of(1)).value();
  const EndpointId endpoint = caller->connect(0, full->local_address()).value();
  // No descriptor is left for what came.
  rlimit limit;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit few{static_cast<rlim_t>(open_files()), limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  std::array<Completion, 4> out;
  std::size_t n = 0;
  for (int i = 0; i < 1000000 && n == 0; ++i) {
    (void)full->poll(out);
    n = caller->poll(out);
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  ASSERT_EQ(n, 1U);
  EXPECT_EQ(out[0].kind, CompletionKind::endpoint_failed);
  EXPECT_EQ(out[0].endpoint, endpoint);
  EXPECT_NE(caller->explain(endpoint).find("cannot take a connection: "), std::string::npos)
      << caller->explain(endpoint);
}

TEST(ShmHello, MemoryThatCanShrinkIsRefused) {
  const shm::Fd open(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(open.get(), 65536), 0);
  EXPECT_FALSE(shm::map_foreign(open.get(), 4096).has_value());
  const Expected<shm::Fd> sealed = shm::make_memory("test", 65536);
  ASSERT_TRUE(sealed.has_value());
  EXPECT_TRUE(shm::map_foreign(sealed->get(), 65536).has_value());
  EXPECT_FALSE(shm::map_foreign(sealed->get(), 65537).has_value());
  EXPECT_NE(::ftruncate(sealed->get(), 0), 0);
}

TEST(ShmHello, ManyAtOnceFindTheirWay) {
  constexpr std::size_t kPeers = 40;  // more than a socket's queue usually holds
  auto hub = ShmDevice::create(config_of(1000)).value();
  std::vector<std::unique_ptr<ShmDevice>> peers;
  const Piece piece{nullptr, 0, 0};
  Operation send;
  send.local = {&piece, 1};
  for (std::size_t i = 0; i < kPeers; ++i) {
    peers.push_back(ShmDevice::create(config_of(i)).value());
    const EndpointId endpoint = peers[i]->connect(1000, hub->local_address()).value();
    EXPECT_EQ(peers[i]->post(endpoint, {&send, 1}), 1U);
  }
  std::array<Completion, 8> out;
  std::set<PeerName> seen;
  for (int round = 0; round < 1000000 && seen.size() != kPeers; ++round) {
    for (const auto& peer : peers) (void)peer->poll(out);
    const std::size_t n = hub->poll(out);
    for (std::size_t i = 0; i < n; ++i) {
      if (out[i].kind == CompletionKind::receive) seen.insert(hub->peer(out[i].endpoint));
    }
  }
  EXPECT_EQ(seen.size(), kPeers);
}

TEST(ShmHello, ToOneself) {
  auto device = ShmDevice::create(config_of(0)).value();
  Node node(*device, 0);
  const EndpointId endpoint = node.connect(node);
  node.send(endpoint, Bytes(1000, std::byte{3}));
  for (int i = 0; i < 1000000 && node.receives.empty(); ++i) node.progress();
  ASSERT_EQ(node.receives.size(), 1U);
  EXPECT_EQ(node.receives[0].endpoint, endpoint);
}

}  // namespace
}  // namespace remit::testing
