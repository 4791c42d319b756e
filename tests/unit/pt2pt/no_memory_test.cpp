// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A send or a receive that finds no memory has not begun, and may be begun again; what comes while
// there is none is kept. So nothing is lost, nothing comes twice, and nothing is overtaken. Each
// allocation fails once. A program of its own, for its operator new.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "pt2pt/matching.hpp"
#include "rdma_btl/tcp/tcp_device.hpp"
#include "tests/unit/allocated_bytes.hpp"
#include "tests/unit/pt2pt/world.hpp"

namespace remit::testing {
namespace {

constexpr int kTag = 7;
constexpr int kFirstTag = 6;
constexpr std::size_t kMessages = 3;
constexpr int kMostAllocations = 500;
constexpr int kEach = 40;  // so many are tried one by one, and behind them one in so many

/// Two ranks over TCP, on the loopback.
class TcpRanks {
 public:
  explicit TcpRanks(const ParamTexts& params) : job_(2) {
    for (int rank = 0; rank < 2; ++rank) {
      TcpConfig config;
      config.name = static_cast<PeerName>(rank);
      config.job = test_seed();
      config.interface = "lo";
      config.message_bytes = 8192;
      auto device = TcpDevice::create(config);
      EXPECT_TRUE(device.has_value()) << (device ? "" : device.error().message);
      Params values;
      for (const auto& [name, text] : params) EXPECT_TRUE(values.set(name, text).has_value());
      Rank& r = ranks_[static_cast<std::size_t>(rank)];
      r.process = std::make_unique<Process>(job_.join(rank), std::make_shared<SteadyClock>(),
                                            std::move(values), 1);
      std::vector<std::unique_ptr<Device>> devices;
      devices.push_back(std::move(*device));
      r.engine = std::make_unique<Engine>(*r.process, std::move(devices));
      r.comm.rank = rank;
      r.comm.local = Group::regular(ProcId{0}, 1, 2);
    }
  }

  /// Moves by itself.
  struct Network {
    static bool step() { return true; }
  };
  Network network() { return {}; }
  Process& process(int rank) { return *ranks_[static_cast<std::size_t>(rank)].process; }
  Engine& engine(int rank) { return *ranks_[static_cast<std::size_t>(rank)].engine; }
  CommCore& comm(int rank) { return ranks_[static_cast<std::size_t>(rank)].comm; }
  template <class Done>
  [[nodiscard]] bool run(Done done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!done()) {
      if (std::chrono::steady_clock::now() > end) return false;
      for (Rank& rank : ranks_) rank.process->progress().poll();
    }
    return true;
  }
  void settle() {
    for (int i = 0; i < 200; ++i) {
      for (Rank& rank : ranks_) rank.process->progress().poll();
    }
  }

 private:
  struct Rank {
    std::unique_ptr<Process> process;
    std::unique_ptr<Engine> engine;
    CommCore comm;
  };
  MemoryJob job_;
  std::array<Rank, 2> ranks_;
};

struct Trial {
  std::size_t bytes = 0;
  SendMode mode = SendMode::standard;
  bool posted = false;     ///< receives are, before the sends
  bool connected = false;  ///< something was sent before
  bool to_self = false;
};

std::string words_of(const Trial& trial) {
  return fmt::format("{} bytes, mode {}, posted {}, connected {}, to self {}", trial.bytes,
                     static_cast<int>(trial.mode), trial.posted, trial.connected, trial.to_self);
}

/// Messages of one trial between ranks of a job, of which rank 0 sends.
template <class Ranks>
class Messages {
 public:
  Messages(Ranks& ranks, const Trial& trial)
      : ranks_(ranks), trial_(trial), receiver_(trial.to_self ? 0 : 1) {
    for (std::size_t i = 0; i < kMessages; ++i) {
      out_[i].resize(trial.bytes);
      for (std::size_t at = 0; at < trial.bytes; ++at) out_[i][at] = pattern(i + 1, at);
      in_[i].resize(trial.bytes + 8, std::byte{0xee});
    }
    if (trial.connected) connect();
  }
  ~Messages() {
    Engine& sender = ranks_.engine(0);
    Engine& receiver = ranks_.engine(receiver_);
    ranks_.settle();
    EXPECT_EQ(receiver.receiver().unexpected_messages(), 0U);
    EXPECT_EQ(receiver.receiver().unexpected().bytes(), 0U);
    EXPECT_EQ(sender.rendezvous().transfers().live() + receiver.rendezvous().transfers().live(),
              0U);
    EXPECT_TRUE(sender.flushed());
    EXPECT_FALSE(receiver.busy());
  }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  void send(std::size_t i) {
    ranks_.engine(0).isend(sends_[i], view(out_[i].data(), trial_.bytes), receiver_, kTag,
                           ranks_.comm(0), trial_.mode);
  }
  void receive(std::size_t i) {
    ranks_.engine(receiver_).irecv(receives_[i], view(in_[i].data(), in_[i].size()), 0, kTag,
                                   ranks_.comm(receiver_));
  }
  /// Begins it without memory for its allocation `number`, and again. Whether it asked for so many.
  template <class Begin>
  [[nodiscard]] bool begin_twice(int number, const Request& request, Begin begin) {
    const auto before = credits();
    bool threw = false;
    {
      const FailingAllocations failing(number);
      try {
        begin();
      } catch (const std::bad_alloc&) {
        threw = true;
      }
    }
    if (threw) {
      EXPECT_FALSE(request.complete);
      EXPECT_EQ(request.place, RequestPlace::nowhere);
      EXPECT_EQ(credits(), before);
      begin();
    }
    return FailingAllocations::have_failed();
  }
  [[nodiscard]] std::size_t waiting() {
    return ranks_.engine(receiver_).receiver().unexpected_messages();
  }
  [[nodiscard]] bool all_wait() {
    return ranks_.run([this] { return waiting() == kMessages; });
  }
  /// Polls until `done()`; `rank` has no memory for its allocation `number` of those that it makes
  /// then, which is counted down. Whether it asked for so many.
  template <class Done>
  [[nodiscard]] bool poll_without(int rank, int& number, Done done) {
    bool failed = false;
    for (int round = 0; round < 10000 && !done(); ++round) {
      for (const int polled : {0, 1}) {
        if (polled != rank || failed) {
          (void)ranks_.process(polled).progress().poll();
          continue;
        }
        const FailingAllocations failing(number);
        try {
          (void)ranks_.process(polled).progress().poll();
        } catch (const std::bad_alloc&) {
        }
        failed = FailingAllocations::have_failed();
        number = FailingAllocations::left();
      }
      (void)ranks_.network().step();
    }
    return failed;
  }
  [[nodiscard]] bool is_done() {
    for (std::size_t i = 0; i < kMessages; ++i) {
      if (!sends_[i].complete || !receives_[i].complete) return false;
    }
    return true;
  }
  void check() {
    ASSERT_TRUE(ranks_.run([this] { return is_done(); }));
    for (std::size_t i = 0; i < kMessages; ++i) {
      EXPECT_EQ(sends_[i].status.error, MPI_SUCCESS);
      EXPECT_EQ(receives_[i].status.error, MPI_SUCCESS);
      ASSERT_EQ(receives_[i].status.bytes, static_cast<MPI_Count>(trial_.bytes));
      EXPECT_TRUE(std::equal(out_[i].begin(), out_[i].end(), in_[i].begin()));
      EXPECT_EQ(in_[i][trial_.bytes], std::byte{0xee});
    }
  }

  std::array<Request, kMessages> sends_ = {Request(RequestKind::send), Request(RequestKind::send),
                                           Request(RequestKind::send)};
  std::array<Request, kMessages> receives_ = {
      Request(RequestKind::receive), Request(RequestKind::receive), Request(RequestKind::receive)};

 private:
  void connect() {
    char byte = 'x';
    for (const int from : {0, receiver_}) {
      const int to = receiver_ - from;
      Request send(RequestKind::send), receive(RequestKind::receive);
      ranks_.engine(to).irecv(receive, view(&byte, 1), from, kFirstTag, ranks_.comm(to));
      ranks_.engine(from).isend(send, view(&byte, 1), to, kFirstTag, ranks_.comm(from));
      ASSERT_TRUE(ranks_.run([&] { return send.complete && receive.complete; }));
    }
    ranks_.settle();
  }
  /// What rank 0 and its peer have of each other's memory, and owe.
  [[nodiscard]] std::array<std::uint32_t, 4> credits() {
    std::array<std::uint32_t, 4> all = {};
    for (const int rank : {0, 1}) {
      const auto* peer =
          static_cast<const Peer*>(ranks_.engine(rank).links().find(ProcId(1 - rank)));
      if (peer == nullptr) continue;
      all[static_cast<std::size_t>(2 * rank)] = peer->credits.count();
      all[static_cast<std::size_t>(2 * rank + 1)] = peer->lease.owed;
    }
    return all;
  }

  Ranks& ranks_;
  const Trial trial_;
  const int receiver_;
  std::array<std::vector<std::byte>, kMessages> out_;
  std::array<std::vector<std::byte>, kMessages> in_;
};

/// The second send of three finds no memory.
template <class Ranks>
bool try_send_without(Ranks& ranks, const Trial& trial, int number) {
  Messages<Ranks> all(ranks, trial);
  for (std::size_t i = 0; trial.posted && i < kMessages; ++i) all.receive(i);
  // The first one, where nothing is connected: else that is begun already.
  const std::size_t failing = trial.connected ? 1 : 0;
  bool failed = false;
  for (std::size_t i = 0; i < kMessages; ++i) {
    if (i == failing) {
      failed = all.begin_twice(number, all.sends_[i], [&] { all.send(i); });
    } else {
      all.send(i);
    }
  }
  if (!trial.posted) {
    EXPECT_TRUE(all.all_wait());
    for (std::size_t i = 0; i < kMessages; ++i) all.receive(i);
  }
  all.check();
  return failed;
}

/// The first receive of three does, before or behind the messages.
template <class Ranks>
bool try_receive_without(Ranks& ranks, const Trial& trial, int number) {
  Messages<Ranks> all(ranks, trial);
  const auto send_all = [&] {
    for (std::size_t i = 0; i < kMessages; ++i) all.send(i);
  };
  if (!trial.posted) {
    send_all();
    EXPECT_TRUE(all.all_wait());
  }
  const bool failed = all.begin_twice(number, all.receives_[0], [&] { all.receive(0); });
  for (std::size_t i = 1; i < kMessages; ++i) all.receive(i);
  if (trial.posted) send_all();
  all.check();
  return failed;
}

/// A rank finds no memory for what comes.
template <int kRank, class Ranks>
bool try_polls_without(Ranks& ranks, const Trial& trial, int number) {
  Messages<Ranks> all(ranks, trial);
  for (std::size_t i = 0; trial.posted && i < kMessages; ++i) all.receive(i);
  for (std::size_t i = 0; i < kMessages; ++i) all.send(i);
  bool failed = false;
  if (!trial.posted) {
    const auto waiting = [&] { return all.waiting() == kMessages; };
    failed = all.poll_without(kRank, number, waiting);
    EXPECT_TRUE(all.all_wait());
    for (std::size_t i = 0; i < kMessages; ++i) all.receive(i);
  }
  const auto done = [&] { return all.is_done(); };
  if (!failed) failed = all.poll_without(kRank, number, done);
  all.check();
  return failed;
}

/// Makes ranks anew for each allocation of each trial; says how many were tried.
template <class Make>
int fail_each_allocation(Make make) {
  int tried = 0;
  const auto fail_each = [&](const Trial& trial, auto attempt, const char* what) {
    for (int number = 1; number < kMostAllocations; number += number < kEach ? 1 : kEach) {
      SCOPED_TRACE(fmt::format("{}: allocation {} of {}", words_of(trial), number, what));
      const auto ranks = make();
      if (!attempt(*ranks, trial, number)) return;
      ++tried;
      if (::testing::Test::HasFailure()) return;
    }
    ADD_FAILURE() << "no end: " << words_of(trial);
  };
  using Ranks = typename decltype(make())::element_type;
  for (const std::size_t bytes : {0UL, 8UL, 1000UL, 30000UL, 100000UL}) {
    for (const SendMode mode : {SendMode::standard, SendMode::synchronous}) {
      for (const bool posted : {false, true}) {
        for (const int way : {0, 1, 2}) {
          const Trial trial{bytes, mode, posted, way == 1, way == 2};
          fail_each(trial, try_send_without<Ranks>, "a send");
          fail_each(trial, try_receive_without<Ranks>, "a receive");
          if (!trial.connected) continue;
          fail_each(trial, try_polls_without<0, Ranks>, "the sender's polls");
          fail_each(trial, try_polls_without<1, Ranks>, "the receiver's polls");
        }
      }
    }
  }
  return tried;
}

/// What the devices of a test leave out, and how much may come unexpectedly.
struct Setting {
  const char* name;
  bool get, put, ordered, registration;
  std::size_t max_pieces, max_send;
  const char* pool;
};
constexpr std::array kSettings = {
    Setting{"all", true, true, true, true, 8, 8192, "4M"},
    Setting{"put", false, true, true, true, 4, 8192, "4M"},
    Setting{"sends", false, false, true, false, 1, 8192, "4M"},
    Setting{"unordered", true, true, false, false, 3, 8192, "4M"},
    Setting{"starved", true, true, true, false, 8, 8192, "0"},
    Setting{"pulled", true, true, true, false, 8, 8192, "64k"},
};

class NoMemory : public ::testing::TestWithParam<int> {};

TEST_P(NoMemory, IsNoBeginning) {
  const Setting& setting = kSettings[static_cast<std::size_t>(GetParam())];
  const auto make = [&] {
    SimConfig config = quiet(test_seed());
    Caps& caps = config.caps;
    caps.has_get = setting.get;
    caps.has_put = setting.put;
    caps.ordered = setting.ordered;
    caps.needs_registration = setting.registration;
    caps.max_pieces = setting.max_pieces;
    caps.max_send = setting.max_send;
    caps.max_message = 100000;
    config.queue_depth = 2;  // so that something waits
    return std::make_unique<World>(2, std::move(config), ParamTexts{{"eager_pool", setting.pool}});
  };
  const int tried = fail_each_allocation(make);
  EXPECT_GT(tried, 100);
  RecordProperty("allocations", tried);
}

INSTANTIATE_TEST_SUITE_P(Devices, NoMemory, ::testing::Range(0, static_cast<int>(kSettings.size())),
                         [](const auto& info) {
                           return std::string(kSettings[static_cast<std::size_t>(info.param)].name);
                         });

TEST(NoMemoryTcp, IsNoBeginning) {
  const auto make = [] { return std::make_unique<TcpRanks>(ParamTexts{}); };
  EXPECT_GT(fail_each_allocation(make), 100);
}

TEST(NoMemoryMatching, OnlyTakesLonger) {
  constexpr int kKeys = 300;
  Matcher matcher;
  std::vector<PostedLink> receives(kKeys);
  std::vector<UnexpectedLinks> messages(kKeys);
  for (int i = 0; i < kKeys; ++i) {
    const auto at = static_cast<std::size_t>(i);
    receives[at].key = {1, i % 2 == 0 ? MPI_ANY_SOURCE : i, i};
    messages[at].links[0].key = {2, i, i};
  }
  const FailingAllocations failing(1, FailingAllocations::kAll);
  for (PostedLink& receive : receives) matcher.post(receive);
  for (UnexpectedLinks& message : messages) matcher.add(message);
  bool all = true;
  for (int i = kKeys; i-- > 0;) {
    const auto at = static_cast<std::size_t>(i);
    all = all && matcher.take_posted({1, i, i}) == &receives[at];
    UnexpectedLinks* const found = matcher.find({2, i % 3 == 0 ? MPI_ANY_SOURCE : i, i});
    all = all && found == &messages[at];
    if (found != nullptr) matcher.remove(*found);
  }
  EXPECT_TRUE(FailingAllocations::have_failed());
  EXPECT_TRUE(all);
  EXPECT_TRUE(matcher.empty());
}

}  // namespace
}  // namespace remit::testing
