// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The verbs device on a real adapter or Soft-RoCE: the device suite with every ability and without
// each, notifications in great numbers, first contact, ends and bad input. Skipped (77) where there
// is no RDMA device. REMIT_TEST_ROUNDS multiplies the numbers of notifications.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "rdma_btl/eager_path.hpp"
#include "rdma_btl/verbs/verbs_device.hpp"
#include "rdma_btl/verbs/verbs_params.hpp"
#include "tests/unit/rdma_btl/verbs/nodes.hpp"

namespace remit::testing {
namespace {

/// kMask: the words of verbs_mask. kSmall: few receives and send slots, so that all run out.
template <const char* kMask, bool kSmall>
class VerbsWorld : public NetworkWorld<VerbsDevice> {
 public:
  using NetworkWorld::NetworkWorld;

  [[nodiscard]] std::unique_ptr<Device> make(PeerName name) override {
    VerbsConfig config = config_of(name, verbs_mask_from(kMask).value());
    if (kSmall) {
      config.receive_slots = 16;
      config.first_window = config.strict_window = 4;
      config.max_window = 8;
      config.send_slots = 16;
      config.send_depth = 16;
      config.send_budget = 64;
    }
    return known(name, open(config));
  }
  void check() override {
    for (const auto& [name, device] : devices_) {
      EXPECT_EQ(device->counters().rnr, 0U) << "a message found no receive";
    }
  }
};

constexpr char kAll[] = "";
constexpr char kNoSrq[] = "srq";
constexpr char kNoImm[] = "imm";
constexpr char kNoAtomics[] = "atomics";
constexpr char kOnePiece[] = "multi_sge";
constexpr char kNoInline[] = "inline";
constexpr char kIwarp[] = "iwarp";
constexpr char kNothing[] = "srq,imm,atomics,multi_sge,inline,iwarp";

using Full = VerbsWorld<kAll, false>;
using NoSrq = VerbsWorld<kNoSrq, false>;
using NoImm = VerbsWorld<kNoImm, false>;
using NoAtomics = VerbsWorld<kNoAtomics, false>;
using OnePiece = VerbsWorld<kOnePiece, false>;
using NoInline = VerbsWorld<kNoInline, false>;
using Iwarp = VerbsWorld<kIwarp, false>;
using Small = VerbsWorld<kAll, true>;
using Nothing = VerbsWorld<kNothing, true>;

INSTANTIATE_TEST_SUITE_P(Full, DeviceSuite, ::testing::Values(make_world<Full>));
INSTANTIATE_TEST_SUITE_P(NoSrq, DeviceSuite, ::testing::Values(make_world<NoSrq>));
INSTANTIATE_TEST_SUITE_P(NoImm, DeviceSuite, ::testing::Values(make_world<NoImm>));
INSTANTIATE_TEST_SUITE_P(NoAtomics, DeviceSuite, ::testing::Values(make_world<NoAtomics>));
INSTANTIATE_TEST_SUITE_P(OnePiece, DeviceSuite, ::testing::Values(make_world<OnePiece>));
INSTANTIATE_TEST_SUITE_P(NoInline, DeviceSuite, ::testing::Values(make_world<NoInline>));
INSTANTIATE_TEST_SUITE_P(Iwarp, DeviceSuite, ::testing::Values(make_world<Iwarp>));
INSTANTIATE_TEST_SUITE_P(Small, DeviceSuite, ::testing::Values(make_world<Small>));
INSTANTIATE_TEST_SUITE_P(Nothing, DeviceSuite, ::testing::Values(make_world<Nothing>));

// --- devices of one test -----------------------------------------------------------------------

/// `address` with another field set.
Bytes changed(Bytes address, const std::function<void(verbs::Address&)>& change) {
  verbs::Address fields;
  std::memcpy(&fields, address.data(), sizeof fields);
  change(fields);
  std::memcpy(address.data(), &fields, sizeof fields);
  return address;
}

/// So often in an ordinary run; REMIT_TEST_ROUNDS multiplies it.
std::uint32_t rounds(std::uint32_t usual) {
  const char* given = std::getenv("REMIT_TEST_ROUNDS");
  return given != nullptr ? usual * static_cast<std::uint32_t>(std::strtoul(given, nullptr, 0))
                          : usual;
}

// --- no byte is missing when its notification is seen ------------------------------------------

/// Bytes that differ from place to place; none has the highest bit.
const Bytes& sample() {
  static const Bytes bytes = [] {
    Bytes made(std::size_t{1} << 17);
    std::minstd_rand random(1);
    for (std::byte& byte : made) byte = static_cast<std::byte>(random() >> 8 & 0x7f);
    return made;
  }();
  return bytes;
}

/// Two processes, each with its thread. One writes messages of random length, in up to three
/// pieces, into slots; the other looks at every byte as soon as it sees the notification, makes all
/// bytes wrong, and gives the slot back.
class NotifiedPuts {
 public:
  /// In a wrong order the last byte is written behind the notification.
  NotifiedPuts(std::string_view mask, std::uint32_t count, bool wrong_order)
      : count_(count), wrong_order_(wrong_order) {
    for (std::size_t i = 0; i < 2; ++i) {
      devices_[i] = open(config_of(i, verbs_mask_from(mask).value()));
      if (!devices_[i]) return;
      nodes_[i] = std::make_unique<Node>(*devices_[i], i);
      buffers_[i] = std::make_unique<Buffer>(*devices_[i], kSlots * kSlotBytes);
    }
    std::ranges::fill(buffers_[1]->bytes(), kWrong);
    to_reader_ = nodes_[0]->connect(*nodes_[1]);
    to_writer_ = nodes_[1]->connect(*nodes_[0]);
  }

  void run() {
    ASSERT_TRUE(nodes_[1]);
    std::thread reading([this] { read(); });
    write();
    reading.join();
    EXPECT_EQ(seen_, count_);
    EXPECT_EQ(devices_[1]->counters().notifications, count_);
    EXPECT_EQ(devices_[0]->counters().rnr + devices_[1]->counters().rnr, 0U);
  }
  [[nodiscard]] std::size_t bad() const { return bad_; }

 private:
  static constexpr std::uint32_t kSlots = 64;
  static constexpr std::size_t kSlotBytes = 16384;
  static constexpr std::size_t kAnswers = 16;
  static constexpr std::byte kWrong{0xff};

  [[nodiscard]] bool late() const { return std::chrono::steady_clock::now() > end_; }
  /// What message `round` is.
  [[nodiscard]] std::span<const std::byte> message(std::uint32_t round) const {
    std::minstd_rand random(static_cast<std::uint32_t>(seed_ + round * 2654435761U));
    random.discard(2);
    const std::size_t length = 1 + random() % (random() % 16 == 0 ? kSlotBytes : 300);
    return std::span(sample()).subspan(random() % (sample().size() - kSlotBytes), length);
  }

  void write() {
    std::vector<std::uint32_t> rounds(kSlots);
    for (std::uint32_t i = 0; i < kSlots; ++i) rounds[i] = i;
    std::uint32_t acknowledged = 0;
    Node& writer = *nodes_[0];
    while (acknowledged < count_ && !late()) {
      for (const std::uint32_t round : rounds) {
        if (round < count_) put(round);
      }
      rounds.clear();
      if (!writer.progress()) ::sched_yield();
      for (const Node::Receive& receive : writer.receives) {
        const std::size_t count = receive.data.size() / sizeof(std::uint32_t);
        for (std::size_t i = 0; i < count; ++i) {
          std::uint32_t round = 0;
          std::memcpy(&round, receive.data.data() + i * sizeof round, sizeof round);
          rounds.push_back(round + kSlots);
        }
        acknowledged += static_cast<std::uint32_t>(count);
      }
      writer.receives.clear();
    }
  }

  void put(std::uint32_t round) {
    const std::size_t at = round % kSlots * kSlotBytes;
    const std::span<const std::byte> bytes = message(round);
    std::ranges::copy(bytes, buffers_[0]->bytes().begin() + static_cast<long>(at));
    const std::size_t length = bytes.size() - wrong_order_;
    const std::size_t first = length / 2;
    const std::size_t second = round % 3 == 0 ? length - first : (length - first) / 2;
    const std::array<Piece, 3> pieces = {
        buffers_[0]->piece(at, first), buffers_[0]->piece(at + first, second),
        buffers_[0]->piece(at + first + second, length - first - second)};
    nodes_[0]->post(to_reader_, notifying(put_of(pieces, buffers_[1]->remote(at)), round));
    if (!wrong_order_) return;
    const Piece rest = buffers_[0]->piece(at + length, 1);
    nodes_[0]->post(to_reader_, put_of({&rest, 1}, buffers_[1]->remote(at + length)));
  }

  void read() {
    Node& reader = *nodes_[1];
    std::vector<std::uint32_t> answers;
    while (seen_ < count_ && !late()) {
      const bool active = reader.progress();
      for (const auto& [endpoint, round] : reader.notifications) {
        const std::span<std::byte> there =
            buffers_[1]->bytes().subspan(round % kSlots * kSlotBytes, message(round).size());
        bad_ += !std::ranges::equal(there, message(round));
        // A late byte of a wrong order would fall into a later message.
        if (!wrong_order_) std::ranges::fill(there, kWrong);
        answers.push_back(round);
        ++seen_;
      }
      reader.notifications.clear();
      if (!answers.empty() && (answers.size() >= kAnswers || !active || seen_ == count_)) {
        reader.send(to_writer_, std::as_bytes(std::span(answers)));
        answers.clear();
      }
      if (!active) ::sched_yield();
    }
    while ((!reader.pending.empty() || !reader.device.flushed()) && !late()) reader.progress();
  }

  std::uint32_t count_;
  bool wrong_order_;
  std::uint64_t seed_ = test_seed();
  std::chrono::steady_clock::time_point end_ =
      std::chrono::steady_clock::now() + std::chrono::minutes(10);
  std::unique_ptr<VerbsDevice> devices_[2];
  std::unique_ptr<Node> nodes_[2];
  std::unique_ptr<Buffer> buffers_[2];
  EndpointId to_reader_ = 0;
  EndpointId to_writer_ = 0;
  std::uint32_t seen_ = 0;
  std::size_t bad_ = 0;
};

void notify_many(std::string_view mask, std::uint32_t count) {
  NotifiedPuts puts(mask, rounds(count), false);
  puts.run();
  EXPECT_EQ(puts.bad(), 0U) << "notifications seen before their bytes";
}

// Few credits, without an SRQ, make many credit messages: these take longest.
TEST(VerbsNotifications, ByImmediateData) {
  notify_many("", 16000);
}
TEST(VerbsNotifications, ByImmediateDataWithoutSrq) {
  notify_many("srq", 3000);
}
TEST(VerbsNotifications, BySend) {
  notify_many("imm", 8000);
}
TEST(VerbsNotifications, OfManyRequests) {
  notify_many("multi_sge,inline", 12000);
}
TEST(VerbsNotifications, AsOnIwarp) {
  notify_many("iwarp,srq", 3000);
}

/// What the tests above would find if a notification overtook a byte.
TEST(VerbsNotifications, AWrongOrderIsSeen) {
  for (const char* mask : {"", "imm", "iwarp,srq"}) {
    SCOPED_TRACE(mask);
    // The adapter may be quick enough for a while.
    std::size_t bad = 0;
    for (int attempt = 0; attempt < 20 && bad == 0; ++attempt) {
      NotifiedPuts puts(mask, 3000, true);
      puts.run();
      bad = puts.bad();
    }
    EXPECT_GT(bad, 0U);
  }
}

/// Atomics of every kind, each on its word; the notification says which, and the word must have its
/// new value. Word `i` counts up by one each time.
void notify_atomics(std::string_view mask, std::uint32_t count) {
  constexpr std::uint32_t kWords = 24;
  const VerbsMask abilities = verbs_mask_from(mask).value();
  std::unique_ptr<VerbsDevice> devices[2] = {open(config_of(0, abilities)),
                                             open(config_of(1, abilities))};
  ASSERT_TRUE(devices[0] && devices[1]);
  if (!devices[0]->caps().has_atomic) GTEST_SKIP() << "this adapter has no atomics";
  Node origin(*devices[0], 0);
  Node target(*devices[1], 1);
  Buffer words(target.device, kWords * sizeof(std::uint64_t));
  const EndpointId endpoint = origin.connect(target);
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(8);
  std::array<std::uint64_t, kWords> posted{};
  std::uint32_t seen = 0;
  std::size_t bad = 0;
  const auto post = [&](std::uint32_t word) {
    const std::uint64_t old = posted[word]++;
    constexpr std::array kKinds = {AtomicKind::fetch_add, AtomicKind::compare_swap,
                                   AtomicKind::swap};
    const AtomicKind kind = kKinds[word % 3];
    const std::uint64_t operand = kind == AtomicKind::fetch_add ? 1 : old + 1;
    origin.post(
        endpoint,
        notifying(atomic_of(kind, {}, words.remote(word * sizeof old), operand, old), word));
  };
  std::uint32_t started = 0;
  for (; started < std::min(kWords, count); ++started) post(started);
  while (seen < count && std::chrono::steady_clock::now() < end) {
    const bool active = origin.progress();
    if (!target.progress() && !active) ::sched_yield();
    for (const auto& [from, word] : target.notifications) {
      bad += std::atomic_ref(words.word(word)).load() != posted[word];
      ++seen;
      if (started < count) {
        post(word);
        ++started;
      }
    }
    target.notifications.clear();
  }
  EXPECT_EQ(seen, count);
  EXPECT_EQ(bad, 0U) << "notifications seen before their atomics";
}

TEST(VerbsNotifications, OfAtomics) {
  for (const char* mask : {"", "imm", "srq", "srq,imm,inline"}) {
    SCOPED_TRACE(mask);
    notify_atomics(mask, rounds(1000));
  }
}

// --- first contact -----------------------------------------------------------------------------

TEST_F(VerbsTest, OneTalksToItself) {
  for (const char* mask : {"", "srq"}) {
    SCOPED_TRACE(mask);
    add(config_of(0, verbs_mask_from(mask).value()));
    Node& self = *nodes_.back();
    const EndpointId endpoint = self.connect(self);
    for (std::uint32_t i = 0; i < 200; ++i) self.send(endpoint, std::as_bytes(std::span(&i, 1)));
    ASSERT_TRUE(wait_until([&] { return self.receives.size() == 200; }));
    Buffer from(self.device, 5000);
    Buffer to(self.device, 5000);
    fill_pattern(from.bytes(), 3);
    const Piece piece = from.piece();
    self.start(endpoint, notifying(put_of({&piece, 1}, to.remote()), 77));
    ASSERT_TRUE(wait_until([&] { return !self.notifications.empty(); }));
    EXPECT_EQ(self.notifications[0], std::pair(endpoint, 77U));
    EXPECT_EQ(find_mismatch(to.bytes(), 3), -1);
  }
}

TEST_F(VerbsTest, SimultaneousConnectionsAreSettled) {
  std::uint64_t settled = 0;
  for (int round = 0; round < 20; ++round) {
    devices_.clear();
    nodes_.clear();
    add(config_of(0));
    add(config_of(1));
    Node& a = node(0);
    Node& b = node(1);
    const EndpointId ab = a.connect(b);
    const EndpointId ba = b.connect(a);
    a.send(ab, std::as_bytes(std::span("from a")));
    b.send(ba, std::as_bytes(std::span("from b")));
    ASSERT_TRUE(wait_until([&] { return !a.receives.empty() && !b.receives.empty(); })) << round;
    settled += device(0).counters().settled + device(1).counters().settled;
    EXPECT_EQ(device(0).counters().connections, 1U);
    EXPECT_EQ(device(1).counters().connections, 1U);
    EXPECT_TRUE(a.failures.empty() && b.failures.empty());
  }
  EXPECT_GT(settled, 0U) << "none was simultaneous";
}

TEST_F(VerbsTest, StrangersAreRejected) {
  add(config_of(0));
  VerbsConfig foreign = config_of(1);
  foreign.job = config_of(0).job + 1;
  add(foreign);
  Node& stranger = node(1);
  EXPECT_FALSE(device(1).reachable(device(0).local_address())) << "of another job";
  const Bytes forged = changed(device(0).local_address(),
                               [](verbs::Address& address) { address.job = config_of(0).job + 1; });
  const Expected<EndpointId> endpoint = device(1).connect(0, forged);
  ASSERT_TRUE(endpoint.has_value());
  ASSERT_TRUE(wait_until([&] { return !stranger.failures.empty(); }));
  EXPECT_NE(device(1).explain(*endpoint).find("another job"), std::string::npos)
      << device(1).explain(*endpoint);
  EXPECT_EQ(device(0).counters().rejected, 1U);
  EXPECT_NE(lines_.find("stranger"), std::string::npos) << lines_;
}

TEST_F(VerbsTest, WhoHasEndedRefuses) {
  add(config_of(0));
  add(config_of(1));
  const Bytes address = device(1).local_address();
  close(1);
  const EndpointId endpoint = device(0).connect(1, address).value();
  node(0).send(endpoint, std::as_bytes(std::span("anybody?")));
  ASSERT_TRUE(wait_until([&] { return !node(0).failures.empty(); }, std::chrono::seconds(30)));
  const std::string words = device(0).explain(endpoint);
  EXPECT_NE(words.find("process 1"), std::string::npos) << words;
  EXPECT_NE(words.find(device(0).adapter().chosen().device), std::string::npos) << words;
  EXPECT_NE(words.find("has ended"), std::string::npos) << words;
  EXPECT_EQ(node(0).pending.size(), 0U);
}

/// Nobody has the address. Whether the kernel finds that out depends on the network.
TEST_F(VerbsTest, AnUnknownAddressFailsInTime) {
  VerbsConfig config = config_of(0);
  config.connect_timeout_ms = 8000;
  add(config);
  if (device(0).description().find("siw") != std::string::npos) {
    GTEST_SKIP() << "soft-iWARP's kernel module waits for TCP in the call";
  }
  add(config_of(1));
  const Bytes nobody = changed(device(1).local_address(), [](verbs::Address& address) {
    address.ip[address.family == AF_INET ? 3 : 15] ^= 0x55;
  });
  const EndpointId endpoint = device(0).connect(1, nobody).value();
  ASSERT_TRUE(wait_until([&] { return !node(0).failures.empty(); }, std::chrono::seconds(30)));
  const std::string words = device(0).explain(endpoint);
  EXPECT_TRUE(words.find("same network") != std::string::npos ||
              words.find("has not answered for 8 s") != std::string::npos)
      << words;
}

/// Silence is not death: who computes answers late.
TEST_F(VerbsTest, SilenceEndsWithTheConnectTimeout) {
  VerbsConfig config = config_of(0);
  config.connect_timeout_ms = 2000;
  add(config);
  add(config_of(1));
  const EndpointId endpoint = device(0).connect(1, device(1).local_address()).value();
  const std::unique_ptr<Node> silent = std::move(nodes_[1]);
  ASSERT_TRUE(wait_until([&] { return !node(0).failures.empty(); }, std::chrono::seconds(30)));
  EXPECT_NE(device(0).explain(endpoint).find("has not answered for 2 s"), std::string::npos)
      << device(0).explain(endpoint);
}

// --- ends --------------------------------------------------------------------------------------

TEST_F(VerbsTest, LeavingInOrderIsNoFailure) {
  add(config_of(0));
  add(config_of(1));
  talk(0, 1);
  close(1);
  settle();
  EXPECT_TRUE(node(0).failures.empty()) << device(0).explain(0);
  node(0).send(0, std::as_bytes(std::span("too late")));
  ASSERT_TRUE(wait_until([&] { return !node(0).failures.empty(); }));
  EXPECT_NE(device(0).explain(0).find("has finished"), std::string::npos) << device(0).explain(0);
}

/// The end of a send is no event, so nothing wakes who waits for it.
TEST_F(VerbsTest, WhoWaitsForItsLastSendsDoesNotSleepForLong) {
  add(config_of(0));
  add(config_of(1));
  talk(0, 1);
  node(0).send(0, std::as_bytes(std::span("the last")));
  ASSERT_FALSE(device(0).flushed()) << "nobody has been told of its end";
  device(0).arm();
  node(0).progress();
  EXPECT_GE(device(0).max_sleep_ms(), 0);
  device(0).disarm();
  EXPECT_TRUE(wait_until([&] { return device(0).flushed(); }));
}

TEST_F(VerbsTest, DeathIsAFailureEvenIfNobodySpeaks) {
  add(config_of(0));
  add(config_of(1));
  talk(0, 1);
  device(1).abort();
  const std::unique_ptr<Node> dead = std::move(nodes_[1]);
  ASSERT_TRUE(wait_until([&] { return !node(0).failures.empty(); }));
  EXPECT_NE(device(0).explain(0).find("process 1"), std::string::npos) << device(0).explain(0);
}

TEST_F(VerbsTest, AccessToForeignMemoryFailsTheOperation) {
  add(config_of(0));
  add(config_of(1));
  talk(0, 1);
  Buffer local(device(0), 64);
  Buffer remote(device(1), 64);
  const Piece piece = local.piece();
  RemoteAddress wrong = remote.remote();
  wrong.key ^= 0x5a5a00;
  const std::uint64_t cookie = node(0).start(0, put_of({&piece, 1}, wrong));
  ASSERT_TRUE(wait_until([&] { return node(0).done(cookie) && !node(0).failures.empty(); }));
  if (device(0).description().find("iWARP") == std::string::npos) {  // there it proves nothing
    EXPECT_EQ(node(0).completed[cookie], MPI_ERR_RMA_RANGE);
    EXPECT_NE(device(0).explain(0).find("not registered"), std::string::npos);
  }
}

// --- memory ------------------------------------------------------------------------------------

/// Many peers at one process: the receives are leased from one pool, which grows only when all
/// first windows do not fit; a silent receiver does not cost anybody a retransmission.
TEST_F(VerbsTest, ConstantMemoryCanBeRead) {
  static constexpr std::array<std::uint64_t, 600> kConstant = {1, 2, 3};
  add(config_of(0));
  add(config_of(1));
  talk(0, 1);
  const Expected<Region> region = device(1).register_memory(
      const_cast<std::uint64_t*>(kConstant.data()), sizeof kConstant, Access::remote_read);
  ASSERT_TRUE(region.has_value()) << region.error().message;
  Buffer local(device(0), sizeof kConstant);
  const Piece piece = local.piece();
  const std::uint64_t cookie = node(0).start(
      0, get_of({&piece, 1},
                {reinterpret_cast<std::uintptr_t>(kConstant.data()), region->remote_key}));
  ASSERT_TRUE(wait_until([&] { return node(0).done(cookie); }));
  EXPECT_EQ(std::memcmp(local.bytes().data(), kConstant.data(), sizeof kConstant), 0);
  device(1).deregister(*region);
}

/// Small messages by send() arrive with their heads, also where the peer is told only what is new
/// of a head: few heads and many, each way, among messages without one, with few receives.
TEST_F(VerbsTest, HeadsArriveAsSent) {
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE("REMIT_TEST_SEED=" + std::to_string(seed));
  for (const char* mask : {"", "srq", "imm", "inline", "iwarp"}) {
    SCOPED_TRACE(mask);
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t bound) { return random() % bound; };
    const VerbsMask abilities = verbs_mask_from(mask).value();
    const std::size_t first = nodes_.size();
    for (PeerName name = 0; name < 2; ++name) {
      VerbsConfig config = config_of(name, abilities);
      config.send_slots = 32;
      (void)add(config);
    }
    Node* both[2] = {&node(first), &node(first + 1)};
    EndpointId ways[2];
    for (int i = 0; i < 2; ++i) ways[i] = both[i]->connect(*both[1 - i]);
    ASSERT_TRUE(wait_until(
        [&] { return device(first).connected(ways[0]) && device(first + 1).connected(ways[1]); }));
    std::vector<Bytes> sent[2];
    for (int i = 0; i < 3000; ++i) {
      const auto from = below(2);
      const std::uint64_t tags = i < 1500 ? 3 : 40;
      const SendHead head{below(2) << 40 | below(65536) << 16 | 7, below(tags) << 32 | below(2)};
      const std::size_t length = below(8) != 0 ? below(300) : below(2) != 0 ? 4096 : below(8192);
      Bytes bytes(sizeof head + length);
      fill_pattern(bytes, static_cast<std::uint64_t>(i));
      std::memcpy(bytes.data(), &head, sizeof head);
      if (below(16) == 0) {
        both[from]->send(ways[from], bytes);
      } else {
        ASSERT_TRUE(wait_until([&] { return both[from]->pending.empty(ways[from]); }));
        both[from]->device.eager_path()->send(ways[from], head, bytes.data() + sizeof head, length,
                                              both[from]->pending);
      }
      sent[from].push_back(std::move(bytes));
    }
    ASSERT_TRUE(wait_until([&] {
      return both[0]->receives.size() == sent[1].size() &&
             both[1]->receives.size() == sent[0].size();
    }));
    for (int i = 0; i < 2; ++i) {
      for (std::size_t k = 0; k < sent[1 - i].size(); ++k) {
        ASSERT_EQ(both[i]->receives[k].data, sent[1 - i][k]) << "message " << k << " to " << i;
        ASSERT_TRUE(both[i]->receives[k].aligned);
      }
    }
    const std::uint64_t brief = device(first).counters().brief;
    EXPECT_EQ(brief != 0, device(first).caps().notify == NotifyMode::immediate);
    close(first);
    close(first + 1);
  }
}

/// Ends the process: 0 and the words of the error, if there is one.
[[noreturn]] void run_out_of_locked_memory() {
  const std::unique_ptr<VerbsDevice> device = open(config_of(0));
  const rlimit little{64 * 1024, 64 * 1024};
  const bool set = ::setrlimit(RLIMIT_MEMLOCK, &little) == 0 &&
                   (::geteuid() != 0 || ::seteuid(65534) == 0);  // without CAP_IPC_LOCK
  const Expected<std::unique_ptr<VerbsDevice>> refused = VerbsDevice::create(config_of(1));
  if (!refused) std::fprintf(stderr, "%s\n", refused.error().message.c_str());
  std::_Exit(set && !refused ? 0 : 1);
}

/// In a process of its own: who changes its user is treated otherwise from then on.
TEST_F(VerbsTest, LockedMemoryRunsOut) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_out_of_locked_memory(), ::testing::ExitedWithCode(0),
              "RLIMIT_MEMLOCK is 64 kB.*ulimit -l");
}

// --- bad input ---------------------------------------------------------------------------------

TEST_F(VerbsTest, AnUnknownAdapterIsNamedWithThoseThatThereAre) {
  VerbsConfig config = config_of(0);
  config.device = "mlx9_9";
  const Expected<std::unique_ptr<VerbsDevice>> refused = VerbsDevice::create(config);
  ASSERT_FALSE(refused.has_value());
  const Expected<std::string> survey = VerbsDevice::survey(config_of(0));
  ASSERT_TRUE(survey.has_value()) << survey.error().message;
  const std::string there = survey->substr(0, survey->find(' '));
  const std::string& words = refused.error().message;
  EXPECT_NE(words.find("mlx9_9"), std::string::npos) << words;
  EXPECT_NE(words.find(there), std::string::npos) << words;
  config.device = there;
  EXPECT_NE(open(config), nullptr);
  config.device = there + ":1";
  EXPECT_NE(open(config), nullptr);
}

TEST(VerbsParams, MaskWords) {
  EXPECT_TRUE(verbs_mask_from("srq,imm")->imm);
  EXPECT_FALSE(verbs_mask_from("srq,imm")->iwarp);
  EXPECT_FALSE(verbs_mask_from("")->srq);
  EXPECT_FALSE(verbs_mask_from("srq,unknown").has_value());
}

}  // namespace
}  // namespace remit::testing

int main(int argc, char** argv) {
  return remit::testing::run_verbs_tests(argc, argv);
}
