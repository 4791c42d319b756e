// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared-memory device: the device suite with direct and pipelined copies, and what needs real
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

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>

#include "rdma_btl/shm/peers/shared_heap.hpp"
#include "rdma_btl/shm/rings/layout.hpp"
#include "rdma_btl/shm/shm_device.hpp"
#include "runtime/os/os.hpp"
#include "tests/unit/rdma_btl/shm/side.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

template <ShmCopy kCopy, std::size_t kCells, std::size_t kArea, bool kMembarrier,
          bool kShared = false>
class ShmWorld : public DeviceWorld {
 public:
  explicit ShmWorld(std::uint64_t seed) : job_(seed) {}

  [[nodiscard]] bool has_threads() const override { return true; }
  [[nodiscard]] std::unique_ptr<Device> make(PeerName name) override {
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
  void idle() override {}
  [[nodiscard]] bool kill(PeerName) override { return false; }  // processes: below

 private:
  std::uint64_t job_;
};

using Direct = ShmWorld<ShmCopy::cma, 512, 128 * 1024, true>;
using Pipelined = ShmWorld<ShmCopy::pipelined, 512, 128 * 1024, true>;
using Tiny = ShmWorld<ShmCopy::pipelined, 16, 4096, true>;
using Fenced = ShmWorld<ShmCopy::automatic, 64, 16384, false>;
using Shared = ShmWorld<ShmCopy::pipelined, 512, 128 * 1024, true, true>;
using DirectShared = ShmWorld<ShmCopy::cma, 512, 128 * 1024, true, true>;

INSTANTIATE_TEST_SUITE_P(Direct, DeviceSuite, ::testing::Values(make_world<Direct>));
INSTANTIATE_TEST_SUITE_P(Pipelined, DeviceSuite, ::testing::Values(make_world<Pipelined>));
INSTANTIATE_TEST_SUITE_P(Tiny, DeviceSuite, ::testing::Values(make_world<Tiny>));
INSTANTIATE_TEST_SUITE_P(Fenced, DeviceSuite, ::testing::Values(make_world<Fenced>));
INSTANTIATE_TEST_SUITE_P(Shared, DeviceSuite, ::testing::Values(make_world<Shared>));
INSTANTIATE_TEST_SUITE_P(DirectShared, DeviceSuite, ::testing::Values(make_world<DirectShared>));

// --- two processes -----------------------------------------------------------------------------

/// Times a stress loop runs; REMIT_TEST_ROUNDS makes it longer.
std::uint32_t rounds(std::uint32_t usual) {
  const char* given = std::getenv("REMIT_TEST_ROUNDS");
  return given != nullptr ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 0)) : usual;
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

/// The first operation of several finds the peer dead: those behind it end as well, each once.
TEST(ShmLife, AllThatWasPostedToADeadPeerEnds) {
  const int status = run_pair(
      [](int channel) {
        Side side(config_of(1), channel);
        Buffer memory(*side.device, 1 << 20);
        RemoteAddress other;
        if (!side.exchange(memory.remote(), other)) return 1;
        ::raise(SIGKILL);
        return 2;
      },
      [](int channel, pid_t child) {
        ShmConfig config = config_of(0);
        config.liveness_ms = 200;  // where the operations do not find it out
        Side side(config, channel);
        Buffer local(*side.device, 1 << 20);
        RemoteAddress other;
        ASSERT_TRUE(side.exchange(local.remote(), other));
        siginfo_t info;
        ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
        const Piece small = local.piece(0, 64);
        const Piece large = local.piece();
        std::array operations = {put_of({&small, 1}, other),
                                 put_of({&small, 1}, other),
                                 put_of({&large, 1}, other),
                                 get_of({&large, 1}, other),
                                 atomic_of(AtomicKind::fetch_add, {}, other, 1),
                                 Operation{}};
        operations.back().kind = OpKind::confirm;
        constexpr std::uint64_t kFirst = 1000;
        for (std::size_t i = 0; i < operations.size(); ++i) operations[i].cookie = kFirst + i;
        std::map<std::uint64_t, int> ended;
        EXPECT_EQ(side.device->post(side.endpoint, operations), operations.size());
        std::array<Completion, 16> out;
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (ended.size() != operations.size() && std::chrono::steady_clock::now() < end) {
          const std::size_t count = side.device->poll(out);
          for (std::size_t i = 0; i < count; ++i) {
            if (out[i].kind != CompletionKind::local) continue;
            EXPECT_TRUE(ended.emplace(out[i].cookie, out[i].status).second) << out[i].cookie;
          }
        }
        EXPECT_EQ(ended.size(), operations.size());
        for (const auto& [cookie, status] : ended)
          EXPECT_EQ(status, MPI_ERR_PROC_ABORTED) << cookie;
        EXPECT_TRUE(side.device->flushed());
        EXPECT_NE(side.device->max_sleep_ms(), 0) << "nothing is left to do";
      });
  EXPECT_EQ(WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status), SIGKILL);
}

/// Sends two parts, of which it cannot read the second one: the process ends when the first has
/// been written. Returns only if something went wrong.
int die_between_parts(Side& side) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS;
  void* const memory = ::mmap(nullptr, 2 * shm::kMailPart, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (memory == MAP_FAILED) return 2;
  auto* const data = static_cast<std::byte*>(memory);
  fill_pattern({data, shm::kMailPart}, 5);
  if (::mprotect(data + shm::kMailPart, shm::kMailPart, PROT_NONE) != 0) return 3;
  ::signal(SIGSEGV, [](int) { ::raise(SIGKILL); });
  SendHead head;
  const std::array pieces = {Piece{&head, sizeof head, 0}, Piece{data, 2 * shm::kMailPart, 0}};
  Operation operation;
  operation.local = pieces;
  return side.device->post(side.endpoint, {&operation, 1}) == 1 ? 4 : 5;
}

TEST(ShmLife, WhoDiesWithinAMessageInPartsIsMissed) {
  const int status = run_pair(
      [](int channel) {
        Side side(config_of(1), channel);
        if (!side.meet() || !side.wait([&] { return !side.node->receives.empty(); })) return 1;
        return die_between_parts(side);
      },
      [](int channel, pid_t) {
        ShmConfig config = config_of(0);
        config.liveness_ms = 1000;
        Side side(config, channel);
        ASSERT_TRUE(side.meet());
        side.node->send(side.endpoint, Bytes(1));
        Bytes got(2 * shm::kMailPart);
        const SendHead all = {~std::uint64_t{0}, ~std::uint64_t{0}};
        SendHead found;
        EXPECT_TRUE(side.wait([&] {
          const std::ptrdiff_t length = side.device->eager_path()->receive(
              side.endpoint, {}, all, got.data(), got.size(), true, found);
          EXPECT_LT(length, 0) << "half of it is missing";
          return got[1] != std::byte{0};
        }));
        EXPECT_EQ(find_mismatch({got.data(), shm::kMailPart}, 5), -1) << "the first part is there";
        EXPECT_TRUE(side.wait([&] { return !side.node->failures.empty(); }));
        EXPECT_TRUE(side.node->receives.empty());
        EXPECT_NE(side.device->explain(side.endpoint).find("has exited"), std::string::npos);
      });
  EXPECT_EQ(WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status), SIGKILL);
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
    while (!a->peers()[endpoint].attached) {
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

/// It cannot know that the process that it meets is about to sleep, and may send once and never
/// come back.
TEST(ShmHello, WhoIsMetByAnArmedOneWakesIt) {
  auto sleeper = ShmDevice::create(config_of(0)).value();
  auto sender = ShmDevice::create(config_of(1)).value();
  std::array<Completion, 4> out;
  sleeper->arm();
  const EndpointId endpoint = sender->connect(0, sleeper->local_address()).value();
  ASSERT_EQ(sleeper->poll(out), 0U);
  ASSERT_EQ(sleeper->counters().hellos_accepted, 1U);
  std::array<std::byte, 8> word{};
  const Piece piece{word.data(), word.size(), 0};
  Operation message;
  message.local = {&piece, 1};
  ASSERT_EQ(sender->post(endpoint, {&message, 1}), 1U);
  pollfd waiting{sleeper->wait_fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&waiting, 1, 0), 1) << "lost wake-up";
  sleeper->disarm();
  EXPECT_EQ(sleeper->poll(out), 1U);
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
