// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A user of links that knows nothing of MPI's messages: it offers memory, puts, gets, does atomics
// and is notified, over the simulated network with its faults and over shared memory.
#include "links/links.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "links/offered_memory.hpp"
#include "rdma_btl/host_memory.hpp"
#include "rdma_btl/shm/shm_device.hpp"
#include "rdma_btl/sim/sim_device.hpp"
#include "rdma_btl/sim/sim_network.hpp"
#include "runtime/bootstrap/memory_bootstrap.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

constexpr std::size_t kWords = 4096;
constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

/// A network without faults.
SimConfig quiet() {
  SimConfig config;
  config.seed = test_seed();
  return config;
}

/// Tells each peer the keys of its window as soon as they are connected.
class ToyUser final : public LinkUser {
 public:
  ToyUser(Links& links, int rank) : links_(links), memory_(*(*links.devices().begin())->device) {
    window = memory_.words();
    links_.users().set(LinkUserId::windows, this);
    Expected<OfferedMemory> made = OfferedMemory::offer(links_.devices(), window.data(),
                                                        window.size() * kWordBytes, Access::all);
    EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message);
    if (made) offered_ = std::move(*made);
    links_.publish(static_cast<std::uint32_t>(rank) + 100);
  }
  ~ToyUser() override { links_.users().set(LinkUserId::windows, nullptr); }

  void connected(Link& link) override {
    std::byte kind{message_kind(LinkUserId::windows, 7)};
    auto keys = offered_.keys();
    const std::array pieces = {Piece{&kind, 1, 0}, Piece{keys.data(), keys.size(), 0}};
    links_.send(link, pieces);
  }
  void introduced(Link& link, std::uint32_t word) override {
    ++introductions;
    EXPECT_EQ(word, number_of(link.id) + 100);
  }
  void completed(std::uint64_t value, int status) override { done[value] = status; }
  void notified(Link& link, std::uint32_t value) override {
    notices.emplace_back(link.id, value);
    seen_at_notice.push_back(window[value % kWords]);
  }
  void message(Link& link, std::span<const std::byte> data) override {
    EXPECT_EQ(data[0], std::byte{message_kind(LinkUserId::windows, 7)});
    keys[link.id].assign(data.begin() + 1, data.end());
  }
  void lost(Link& link, bool /*left_in_order*/) override { lost_peers.push_back(link.id); }
  void arrived(LinkDevice& /*device*/, std::span<const Completion> /*events*/) override {
    FAIL() << "only the matching user is offered everything first";
  }

  [[nodiscard]] bool knows(ProcId proc) const { return keys.contains(proc); }
  Operation operation(OpKind kind, ProcId proc, std::size_t word, std::uint64_t cookie) {
    Operation op;
    op.kind = kind;
    const auto remote = remote_address(links_.get(proc), keys[proc], word * kWordBytes);
    EXPECT_TRUE(remote.has_value());
    if (remote) op.remote = *remote;
    op.cookie = cookie_of(LinkUserId::windows, cookie);
    return op;
  }
  void move(OpKind kind, ProcId proc, std::size_t word, std::span<std::uint64_t> local,
            std::uint64_t cookie, bool notify = false) {
    const Piece piece{local.data(), local.size() * kWordBytes, key_of(proc, local)};
    Operation op = operation(kind, proc, word, cookie);
    op.local = {&piece, 1};
    op.notify = notify;
    op.notification = notification_for(LinkUserId::windows, static_cast<std::uint32_t>(word));
    links_.post(links_.get(proc), {&op, 1});
  }
  void fetch_add(ProcId proc, std::size_t word, std::uint64_t operand, std::uint64_t& old,
                 std::uint64_t cookie) {
    const Piece piece{&old, kWordBytes, key_of(proc, {&old, 1})};
    Operation op = operation(OpKind::atomic, proc, word, cookie);
    op.local = {&piece, 1};
    op.operand = operand;
    links_.post(links_.get(proc), {&op, 1});
  }
  [[nodiscard]] bool all_done(std::size_t operations) const { return done.size() == operations; }

  std::span<std::uint64_t> window;
  std::map<ProcId, std::vector<std::byte>> keys;
  std::map<std::uint64_t, int> done;  ///< by cookie
  std::vector<std::pair<ProcId, std::uint32_t>> notices;
  std::vector<std::uint64_t> seen_at_notice;
  std::vector<ProcId> lost_peers;
  int introductions = 0;

 private:
  std::uint64_t key_of(ProcId proc, std::span<std::uint64_t> local) {
    DeviceMemory& memory = links_.get(proc).device->memory;
    auto lease = memory.acquire(local.data(), local.size() * kWordBytes, Access::local);
    EXPECT_TRUE(lease.has_value());
    leases_.push_back(std::move(*lease));
    return leases_.back().region().local_key;
  }

  /// Zeros: the device's own memory, if it has such.
  class Memory {
   public:
    explicit Memory(Device& device) : host_(device.host_memory()) {
      void* const own = host_ != nullptr ? host_->allocate(kWords * kWordBytes) : nullptr;
      if (own == nullptr) {
        heap_.resize(kWords);
        words_ = heap_;
      } else {
        words_ = {static_cast<std::uint64_t*>(own), kWords};
      }
      std::fill(words_.begin(), words_.end(), 0);
    }
    ~Memory() { EXPECT_TRUE(!heap_.empty() || host_->release(words_.data()) == Released::done); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    [[nodiscard]] std::span<std::uint64_t> words() const { return words_; }

   private:
    HostMemory* host_;
    std::vector<std::uint64_t> heap_;
    std::span<std::uint64_t> words_;
  };

  Links& links_;
  Memory memory_;
  OfferedMemory offered_;
  std::vector<MemoryLease> leases_;
};

/// Processes with links and toy users, in one thread.
class ToyJob {
 public:
  using OpenDevice = std::function<std::unique_ptr<Device>(PeerName)>;
  ToyJob(int size, std::shared_ptr<const Clock> clock, const OpenDevice& open,
         std::function<bool()> step)
      : job_(size), step_(std::move(step)) {
    for (int rank = 0; rank < size; ++rank) {
      Member& m = members_.emplace_back();
      m.process = std::make_unique<Process>(job_.join(rank), clock, Params{}, test_seed());
      std::vector<std::unique_ptr<Device>> devices;
      devices.push_back(open(static_cast<PeerName>(rank)));
      m.links = std::make_unique<Links>(*m.process, std::move(devices));
      m.user = std::make_unique<ToyUser>(*m.links, rank);
    }
  }
  [[nodiscard]] ToyUser& user(int rank) { return *members_[static_cast<std::size_t>(rank)].user; }
  [[nodiscard]] Links& links(int rank) { return *members_[static_cast<std::size_t>(rank)].links; }
  /// Polls these until `done()`; false if nothing happens any more without it.
  [[nodiscard]] bool run(const std::vector<int>& polling, const std::function<bool()>& done) {
    for (int idle = 0; idle < 100'000;) {
      if (done()) return true;
      int events = 0;
      for (const int rank : polling) {
        events += members_[static_cast<std::size_t>(rank)].process->progress().poll();
      }
      idle = step_() || events != 0 ? 0 : idle + 1;
    }
    return done();
  }
  /// Both know the other's keys.
  void introduce(int a, int b) {
    links(a).connect(links(a).get(static_cast<ProcId>(b)));
    ASSERT_TRUE(run({a, b}, [&] {
      return user(a).knows(static_cast<ProcId>(b)) && user(b).knows(static_cast<ProcId>(a));
    }));
  }
  void end(int rank) {
    members_[static_cast<std::size_t>(rank)].user.reset();
    members_[static_cast<std::size_t>(rank)].links.reset();
  }

 private:
  struct Member {
    std::unique_ptr<Process> process;
    std::unique_ptr<Links> links;
    std::unique_ptr<ToyUser> user;
  };
  MemoryJob job_;
  std::function<bool()> step_;
  std::vector<Member> members_;
};

/// Over the simulated network; with `registers` its device wants keys.
class SimToyJob {
 public:
  SimToyJob(int size, SimConfig config, bool registers = true, bool ordered = true)
      : network_(with(std::move(config), registers, ordered)),
        job(
            size, std::shared_ptr<const Clock>(&network_.clock(), [](const Clock*) {}),
            [this](PeerName name) { return network_.add_process(name); },
            [this] { return network_.step(); }) {}

 private:
  static SimConfig with(SimConfig config, bool registers, bool ordered) {
    config.caps.needs_registration = registers;
    config.caps.ordered = ordered;
    return config;
  }
  SimNetwork network_;

 public:
  SimNetwork& network() { return network_; }
  ToyJob job;
};

std::unique_ptr<Device> open_shm(PeerName name) {
  ShmConfig config;
  config.name = name;
  config.job = test_seed();
  Expected<std::unique_ptr<ShmDevice>> device = ShmDevice::create(config);
  EXPECT_TRUE(device.has_value()) << (device ? "" : device.error().message);
  return std::move(*device);
}

/// Puts with notifications and gets, while the target does not poll; then it polls and is notified.
void move_without_target(ToyJob& job) {
  job.introduce(0, 1);
  ToyUser& origin = job.user(0);
  ToyUser& target = job.user(1);
  std::iota(target.window.begin(), target.window.end(), 1000);
  std::vector<std::uint64_t> out(64), in(64);
  std::iota(out.begin(), out.end(), 1);
  origin.move(OpKind::put, ProcId{1}, 100, out, 1, true);
  origin.move(OpKind::get, ProcId{1}, 2000, in, 2);
  ASSERT_TRUE(job.run({0}, [&] { return origin.all_done(2); }))
      << "a target that does not poll stops nobody";
  EXPECT_EQ(origin.done[1], MPI_SUCCESS);
  EXPECT_EQ(origin.done[2], MPI_SUCCESS);
  EXPECT_EQ(std::vector(target.window.begin() + 100, target.window.begin() + 164), out);
  EXPECT_EQ(in.front(), 3000U);
  EXPECT_EQ(in.back(), 3063U);
  EXPECT_TRUE(target.notices.empty());
  ASSERT_TRUE(job.run({0, 1}, [&] { return !target.notices.empty(); }));
  EXPECT_EQ(target.notices.front(), std::make_pair(ProcId{0}, std::uint32_t{100}));
  EXPECT_EQ(target.seen_at_notice.front(), 1U) << "its bytes were there before";
}

TEST(Links, MovesMemoryOfATargetThatDoesNotPollOverTheNetwork) {
  SimToyJob sim(2, quiet());
  move_without_target(sim.job);
}

TEST(Links, MovesMemoryOfATargetThatDoesNotPollInSharedMemory) {
  ToyJob job(2, std::make_shared<SteadyClock>(), open_shm, [] { return false; });
  move_without_target(job);
}

/// Processes 1 to 4 add to a word of process 0, which does not poll.
void add_up(ToyJob& job) {
  constexpr int kSize = 5;
  constexpr std::uint64_t kRounds = 40;
  for (int rank = 1; rank < kSize; ++rank) job.introduce(rank, 0);
  std::vector<std::vector<std::uint64_t>> old(kSize, std::vector<std::uint64_t>(kRounds));
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    for (int rank = 1; rank < kSize; ++rank) {
      auto& mine = old[static_cast<std::size_t>(rank)];
      job.user(rank).fetch_add(ProcId{0}, 7, 1, mine[round], round);
    }
  }
  ASSERT_TRUE(job.run({1, 2, 3, 4}, [&] {
    for (int rank = 1; rank < kSize; ++rank) {
      if (!job.user(rank).all_done(kRounds)) return false;
    }
    return true;
  }));
  EXPECT_EQ(job.user(0).window[7], (kSize - 1) * kRounds);
  std::vector<std::uint64_t> all;
  for (const auto& mine : old) all.insert(all.end(), mine.begin(), mine.end());
  std::sort(all.begin() + kRounds, all.end());
  for (std::uint64_t i = 0; i < (kSize - 1) * kRounds; ++i) {
    EXPECT_EQ(all[kRounds + i], i) << "each value is seen by one";
  }
}

TEST(Links, AtomicsOfManyAddUpOverTheNetwork) {
  SimToyJob sim(5, sim_hostile(test_seed()));
  add_up(sim.job);
}

TEST(Links, AtomicsOfManyAddUpInSharedMemory) {
  ToyJob job(5, std::make_shared<SteadyClock>(), open_shm, [] { return false; });
  add_up(job);
}

/// What is posted before there is a connection waits for it.
TEST(Links, PostConnects) {
  SimConfig config = quiet();
  config.connect_ns = 100'000;
  SimToyJob sim(2, config, false);
  std::uint64_t value = 42;
  const Piece piece{&value, kWordBytes, 0};
  Operation op;
  op.kind = OpKind::put;
  op.local = {&piece, 1};
  // Where nothing is registered the address is enough.
  op.remote = {reinterpret_cast<std::uintptr_t>(&sim.job.user(1).window[3]), 0};
  op.cookie = cookie_of(LinkUserId::windows, 9);
  Links& links = sim.job.links(0);
  links.post(links.get(ProcId{1}), {&op, 1});
  EXPECT_TRUE(links.busy());
  ASSERT_TRUE(sim.job.run({0}, [&] { return sim.job.user(0).all_done(1); }));
  EXPECT_EQ(sim.job.user(0).done[9], MPI_SUCCESS);
  EXPECT_EQ(sim.job.user(1).window[3], 42U);
  EXPECT_EQ(sim.job.user(0).introductions, 1);
}

TEST(Links, OperationsOnALostLinkComplete) {
  SimToyJob sim(3, quiet());
  sim.job.introduce(0, 1);
  ToyUser& origin = sim.job.user(0);
  std::vector<std::uint64_t> out(8, 5);
  sim.network().kill(1);
  origin.move(OpKind::put, ProcId{1}, 0, out, 1);
  ASSERT_TRUE(sim.job.run({0}, [&] { return origin.all_done(1) && !origin.lost_peers.empty(); }));
  EXPECT_NE(origin.done[1], MPI_SUCCESS);
  EXPECT_EQ(origin.lost_peers, std::vector<ProcId>{ProcId{1}}) << "it is told once";
  EXPECT_TRUE(sim.job.links(0).lost(ProcId{1}));
  EXPECT_NE(sim.job.links(0).lost_links().explain(ProcId{1}), "");
  origin.move(OpKind::put, ProcId{1}, 0, out, 2);
  ASSERT_TRUE(sim.job.run({0}, [&] { return origin.all_done(2); })) << "one that was posted later";
  EXPECT_NE(origin.done[2], MPI_SUCCESS);

  // Never connected, and lost already: no device has the operation.
  Links& links = sim.job.links(0);
  links.lost_links().add(links.get(ProcId{2}), "for a test");
  Operation op;
  op.kind = OpKind::put;
  op.cookie = cookie_of(LinkUserId::windows, 3);
  links.post(links.get(ProcId{2}), {&op, 1});
  ASSERT_TRUE(sim.job.run({0}, [&] { return origin.all_done(3); }));
  EXPECT_EQ(origin.done[3], MPI_ERR_PROC_ABORTED);
  EXPECT_EQ(links.lost_links().count(), 2U);
}

/// On a device that does not keep the order of sends messages come in the order of sending.
TEST(Links, RestoresTheOrderOfMessages) {
  struct Listener final : LinkUser {
    void connected(Link& /*link*/) override {}
    void introduced(Link& /*link*/, std::uint32_t /*word*/) override {}
    void completed(std::uint64_t /*value*/, int /*status*/) override {}
    void notified(Link& /*link*/, std::uint32_t /*value*/) override {}
    void message(Link& /*link*/, std::span<const std::byte> data) override {
      std::uint32_t number = 0;
      ASSERT_EQ(data.size(), 1 + sizeof number);
      std::memcpy(&number, &data[1], sizeof number);
      got.push_back(number);
    }
    void lost(Link& /*link*/, bool /*left_in_order*/) override {}
    void arrived(LinkDevice& /*device*/, std::span<const Completion> /*events*/) override {}
    std::vector<std::uint32_t> got;
  } listener;
  SimConfig config = sim_hostile(test_seed());
  config.link.jitter_ns = 50'000;
  SimToyJob sim(2, config, true, false);
  sim.job.introduce(0, 1);
  sim.job.links(1).users().set(LinkUserId::files, &listener);
  constexpr std::uint32_t kMessages = 200;
  for (std::uint32_t number = 0; number < kMessages; ++number) {
    std::byte kind{message_kind(LinkUserId::files, 1)};
    const std::array pieces = {Piece{&kind, 1, 0}, Piece{&number, sizeof number, 0}};
    sim.job.links(0).send(sim.job.links(0).get(ProcId{1}), pieces);
  }
  ASSERT_TRUE(sim.job.run({0, 1}, [&] { return listener.got.size() == kMessages; }));
  for (std::uint32_t i = 0; i < kMessages; ++i) EXPECT_EQ(listener.got[i], i);
  // Nobody listens any more: dropped, and counted.
  sim.job.links(1).users().set(LinkUserId::files, nullptr);
  std::byte kind{message_kind(LinkUserId::files, 1)};
  const Piece piece{&kind, 1, 0};
  sim.job.links(0).send(sim.job.links(0).get(ProcId{1}), {&piece, 1});
  ASSERT_TRUE(sim.job.run({0, 1}, [&] { return sim.job.links(1).users().malformed() == 1; }));
}

TEST(Links, KeysNameTheirDevice) {
  SimToyJob sim(2, quiet());
  sim.job.introduce(0, 1);
  Links& links = sim.job.links(0);
  EXPECT_TRUE(remote_address(links.get(ProcId{1}), sim.job.user(0).keys[ProcId{1}]).has_value());
  std::vector<std::byte> of_none(8);
  EXPECT_FALSE(remote_address(links.get(ProcId{1}), of_none).has_value());
  std::vector<std::byte> torn = sim.job.user(0).keys[ProcId{1}];
  torn.resize(torn.size() - 1);
  EXPECT_FALSE(remote_address(links.get(ProcId{1}), torn).has_value());
}

}  // namespace
}  // namespace remit::testing
