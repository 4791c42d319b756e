// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared-memory device's copies between two processes, alone and by both sides, one and many
// at a time, where the kernel allows them and where it does not; its heap; its table of methods.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <random>
#include <vector>

#include "rdma_btl/shm/peers/shared_heap.hpp"
#include "tests/unit/rdma_btl/shm/side.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

/// Puts and gets of many lengths in both directions, checked; returns 0 if all is well.
int copy_everything(Side& side, bool direct) {
  constexpr std::size_t kBytes = 3 * 1024 * 1024 + 77;
  Buffer local(*side.device, kBytes, 5);
  Buffer window(*side.device, kBytes, 9);
  const std::uint64_t me = side.node->name;
  fill_pattern(window.bytes(), me + 10);
  RemoteAddress remote;
  if (!side.exchange(window.remote(), remote)) return 1;
  if (side.device->peers()[side.endpoint].cma != direct) return 2;
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

/// Many transfers of one process to the other, of random kinds and lengths, all under way at once.
class Stream {
 public:
  static constexpr std::size_t kTransfers = 40;
  static constexpr std::size_t kLongest = 600 * 1024;

  struct Transfer {
    bool is_put;
    std::size_t offset;  ///< in the slots that it has here and there
    std::size_t length;
  };

  /// In one round in ten there are lengths up to 512 KB, in as many small ones alone; in the first
  /// round there always are long ones, which both sides copy.
  Stream(std::uint64_t seed, bool is_first) {
    std::mt19937_64 random(seed);
    const std::uint64_t drawn = random() % 10;
    const std::size_t most = std::size_t{1} << (10 + (is_first ? 9 : drawn));
    for (Transfer& transfer : transfers) {
      transfer.is_put = random() % 2 == 0;
      transfer.offset = random() % 5000;
      transfer.length = random() % std::min(most, kLongest - transfer.offset);
    }
  }

  std::array<Transfer, kTransfers> transfers;
};

/// Both processes at once, each as the other's target, and sometimes not there for a while.
/// Returns 0 if every byte is where it belongs.
int copy_streams(Side& side, std::uint64_t seed, int count) {
  constexpr std::size_t kBytes = Stream::kTransfers * Stream::kLongest;
  const std::uint64_t me = side.node->name;
  Buffer source(*side.device, kBytes);  // which the other side gets from
  Buffer inbox(*side.device, kBytes);   // which it puts to
  Buffer local(*side.device, kBytes);
  fill_pattern(source.bytes(), me + 1);
  RemoteAddress its_source;
  RemoteAddress its_inbox;
  if (!side.exchange(source.remote(), its_source)) return 1;
  if (!side.exchange(inbox.remote(), its_inbox)) return 2;
  std::mt19937_64 random(seed + me);
  for (int round = 0; round != count; ++round) {
    const Stream own(seed + 2 * static_cast<std::uint64_t>(round) + me, round == 0);
    const Stream its(seed + 2 * static_cast<std::uint64_t>(round) + 1 - me, round == 0);
    std::ranges::fill(inbox.bytes(), std::byte{0});
    std::array<std::uint64_t, Stream::kTransfers> cookies;
    if (!side.meet()) return 3;
    for (std::size_t i = 0; i != cookies.size(); ++i) {
      const auto& [is_put, offset, length] = own.transfers[i];
      const std::size_t at = i * Stream::kLongest + offset;
      const auto mine = local.bytes().subspan(at, length);
      fill_pattern(mine, is_put ? me + i : 99);
      const Piece piece = local.piece(at, length);
      RemoteAddress remote = is_put ? its_inbox : its_source;
      remote.address += at;
      cookies[i] = side.node->start(
          side.endpoint, is_put ? put_of({&piece, 1}, remote) : get_of({&piece, 1}, remote));
      if (random() % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    for (const std::uint64_t cookie : cookies) {
      if (!side.wait([&] { return side.node->done(cookie); })) return 4;
      if (side.node->completed[cookie] != MPI_SUCCESS) return 5;
    }
    if (!side.meet()) return 6;
    for (std::size_t i = 0; i != cookies.size(); ++i) {
      const auto& [is_put, offset, length] = own.transfers[i];
      const std::size_t at = i * Stream::kLongest + offset;
      for (std::size_t k = 0; !is_put && k != length; ++k) {
        if (local.bytes()[at + k] != pattern(2 - me, at + k)) return 7;
      }
      const auto& put = its.transfers[i];
      const auto there = inbox.bytes().subspan(i * Stream::kLongest + put.offset, put.length);
      if (put.is_put && find_mismatch(there, 1 - me + i) != -1) return 8;
    }
  }
  return side.wait([&] { return side.device->flushed(); }) ? 0 : 9;
}

TEST(ShmCopies, ManyAtOnceInBothDirections) {
  const std::uint64_t seed = test_seed();
  for (const ShmCopy copy : {ShmCopy::cma, ShmCopy::pipelined}) {
    const auto config = [&](PeerName name) {
      ShmConfig result = config_of(name);
      result.copy = copy;
      return result;
    };
    const int status = run_pair(
        [&](int channel) {
          Side side(config(1), channel);
          return copy_streams(side, seed, 12);
        },
        [&](int channel, pid_t) {
          Side side(config(0), channel);
          EXPECT_EQ(copy_streams(side, seed, 12), 0);
          EXPECT_TRUE(copy != ShmCopy::cma || side.device->counters().assisted != 0);
        });
    EXPECT_EQ(status, 0);
  }
}

/// Memory of `slots` equal parts, registered, of which one is unmapped then.
class Holed {
 public:
  static constexpr std::size_t kSlots = 8;
  static constexpr std::size_t kSlot = 128 * 1024;
  static constexpr std::size_t kHole = 3;

  explicit Holed(Side& side) : side_(side) {
    void* const memory =
        ::mmap(nullptr, kSlots * kSlot, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    data_ = static_cast<std::byte*>(memory);
    fill_pattern({data_, kSlots * kSlot}, 1);
    region_ = side.device->register_memory(data_, kSlots * kSlot, Access::all).value();
    ::munmap(data_ + kHole * kSlot + 4096, kSlot - 4096);
  }
  ~Holed() {
    side_.device->deregister(region_);
    ::munmap(data_, kSlots * kSlot);
  }
  Holed(const Holed&) = delete;
  Holed& operator=(const Holed&) = delete;

  [[nodiscard]] RemoteAddress remote() const {
    return {reinterpret_cast<std::uint64_t>(data_), region_.remote_key};
  }

 private:
  Side& side_;
  std::byte* data_ = nullptr;
  Region region_;
};

/// Copies all slots of the other side's memory, of which one has a hole, at once: the others are
/// not harmed. Returns 0 if that is so.
int copy_around_hole(Side& side, OpKind kind, RemoteAddress remote) {
  constexpr std::size_t kBytes = Holed::kSlots * Holed::kSlot;
  Buffer local(*side.device, kBytes);
  if (kind == OpKind::put) fill_pattern(local.bytes(), 1);
  std::array<std::uint64_t, Holed::kSlots> cookies;
  for (std::size_t i = 0; i != cookies.size(); ++i) {
    const Piece piece = local.piece(i * Holed::kSlot, Holed::kSlot);
    Operation operation = get_of({&piece, 1}, remote);
    operation.kind = kind;
    operation.remote.address += i * Holed::kSlot;
    cookies[i] = side.node->start(side.endpoint, operation);
  }
  for (std::size_t i = 0; i != cookies.size(); ++i) {
    if (!side.wait([&] { return side.node->done(cookies[i]); })) return 1;
    const int status = side.node->completed[cookies[i]];
    if ((status == MPI_SUCCESS) == (i == Holed::kHole)) return 2;
    for (std::size_t k = i * Holed::kSlot; i != Holed::kHole && k != (i + 1) * Holed::kSlot; ++k) {
      if (local.bytes()[k] != pattern(1, k)) return 3;
    }
  }
  const std::string words = side.device->explain(side.endpoint);
  return words.find("Bad address") != std::string::npos && side.node->failures.empty() ? 0 : 4;
}

TEST(ShmCopies, OneThatFailsAmongManyHarmsNoOther) {
  const int status = run_pair(
      [](int channel) {
        Side side(config_of(1), channel);
        const Holed memory(side);
        RemoteAddress none;
        if (!side.exchange(memory.remote(), none)) return 1;
        return side.meet() ? 0 : 2;
      },
      [](int channel, pid_t) {
        Side side(config_of(0), channel);
        RemoteAddress remote;
        ASSERT_TRUE(side.exchange({}, remote));
        EXPECT_EQ(copy_around_hole(side, OpKind::get, remote), 0);
        EXPECT_EQ(copy_around_hole(side, OpKind::put, remote), 0);
        EXPECT_TRUE(side.meet());
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
void copy_shared_memory(ShmMapping mapping) {
  const auto copies = [](Side& side, bool allowed) {
    const ShmCounters& counters = side.device->counters();
    if (const int error = copy_everything(side, allowed)) return error;
    if (!side.wait([&] { return counters.heaps_mapped == 1; }) || !side.meet()) return 150;
    if (const int error = copy_everything(side, allowed)) return error;
    return counters.mapped_copies == 0 || counters.violations != 0 ? 200 : 0;
  };
  const auto sharing = [mapping](PeerName name) {
    ShmConfig config = config_of(name);
    config.mapping = mapping;
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

TEST(ShmCopies, OfSharedMemory) {
  copy_shared_memory(ShmMapping::automatic);
}

TEST(ShmCopies, OfSharedMemoryThatPeersAreAskedFor) {
  copy_shared_memory(ShmMapping::asked);
}

// Random sizes: no two overlap, and all that was given back can be had again as a whole.
TEST(ShmSharedHeap, AllocatesAndReleases) {
  shm::SharedHeap& heap = shm::SharedHeap::of_process();
  std::mt19937_64 random(test_seed());
  std::map<std::byte*, std::size_t> held;
  const auto release = [&](auto what) {
    for (std::size_t i = 0; i < what->second; i += 4096) {
      EXPECT_EQ(what->first[i], std::byte(what->second % 251));
    }
    EXPECT_EQ(heap.release(what->first), Released::done);
    held.erase(what);
  };
  for (int round = 0; round < 2000; ++round) {
    if (held.size() > 40 || (!held.empty() && random() % 3 == 0)) {
      release(std::next(held.begin(), static_cast<std::ptrdiff_t>(random() % held.size())));
      continue;
    }
    const std::size_t bytes = 1 + random() % (random() % 8 == 0 ? 1000000 : 20000);
    auto* memory = static_cast<std::byte*>(heap.allocate(bytes));
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 4096, 0U);
    for (std::size_t i = 0; i < bytes; i += 4096) memory[i] = std::byte(bytes % 251);
    const auto next = held.lower_bound(memory);
    EXPECT_TRUE(next == held.end() || memory + bytes <= next->first);
    EXPECT_TRUE(next == held.begin() || std::prev(next)->first + std::prev(next)->second <= memory);
    held.emplace(memory, bytes);
  }
  while (!held.empty()) release(held.begin());
  void* all = heap.allocate(heap.size());
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(heap.allocate(1), nullptr);
  EXPECT_EQ(heap.release(static_cast<std::byte*>(all) + 64), Released::not_whole);
  EXPECT_EQ(heap.release(all), Released::done);
  EXPECT_EQ(heap.release(all), Released::not_whole);
  EXPECT_EQ(heap.release(&held), Released::foreign);
  EXPECT_EQ(heap.allocate(0), nullptr);
}

TEST(ShmCopies, ForbiddenInTheMiddle) {
  const int status = run_pair(
      [](int channel) {
        Side side(config_of(1), channel);
        if (!side.meet() || !side.device->peers()[side.endpoint].cma) return 99;
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
    EXPECT_TRUE(read().next(bytes).timed) << "five samples are not all";
    move_until(config, bytes, [](int round) { return round == 3 * shm::CopyTable::kSamples; });
    EXPECT_FALSE(read().next(bytes).timed);
  }
  EXPECT_EQ(read().measured(), 2U);
  std::filesystem::remove_all(folder);
}

TEST(ShmCopies, WithoutAFileNothingIsMeasured) {
  ShmConfig config = config_of(0);
  config.measure_copies = true;
  move_until(config, 300000, [](int round) { return round == 10; });
}

}  // namespace
}  // namespace remit::testing
