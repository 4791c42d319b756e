// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The verbs device: one pool of receives, of one size, for any number of peers. Skipped (77) where
// there is no RDMA device.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <random>

#include "rdma_btl/verbs/verbs_params.hpp"
#include "tests/unit/rdma_btl/verbs/nodes.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

constexpr std::size_t kPeers = 24;
/// "mixed": every second process has no shared receive queue.
constexpr std::array<std::string_view, 5> kMasks = {"", "imm", "iwarp", "multi_sge,inline",
                                                    "mixed"};

/// A process with a pool that is too small for all of its peers.
VerbsConfig poor(PeerName name, std::string_view mask = "", std::size_t receives = 24) {
  if (mask == "mixed") mask = name % 2 == 1 ? "srq" : "";
  VerbsConfig config = config_of(name, verbs_mask_from(mask).value());
  config.receive_slots = receives;
  config.send_slots = 32;
  config.first_window = 8;
  config.patience_ms = 600'000;  // nobody computes, so the pool never has to grow
  return config;
}

class VerbsCredits : public VerbsTest {
 protected:
  /// Process 0 and kPeers others.
  void add_all(std::string_view mask) {
    for (PeerName name = 0; name <= kPeers; ++name) add(poor(name, mask));
  }
  /// What everybody has and does, for the words of a failure.
  [[nodiscard]] std::string state() const {
    std::string text;
    for (const auto& node : nodes_) {
      const auto& counters = static_cast<const VerbsDevice&>(node->device).counters();
      text +=
          fmt::format("{}: {} receives, {} notifications, {} connections, {} recalls, {} loans\n",
                      node->name, node->receives.size(), node->notifications.size(),
                      counters.connections, counters.recalls, counters.loans);
    }
    return text;
  }
  void close_all() {
    nodes_.clear();
    devices_.clear();
    computes_.clear();
  }
  /// Of all processes.
  [[nodiscard]] std::uint64_t sum(std::uint64_t VerbsCounters::*counter) const {
    std::uint64_t all = 0;
    for (const auto& device : devices_) all += device->counters().*counter;
    return all;
  }
  void expect_one_pool() {
    for (std::size_t i = 0; i < devices_.size(); i += 2) {  // others may have no shared queue
      EXPECT_EQ(device(i).counters().grown, 0U);
    }
    EXPECT_EQ(sum(&VerbsCounters::rnr), 0U) << "a message found no receive";
    EXPECT_EQ(lines_, "");
    for (const auto& node : nodes_) EXPECT_TRUE(node->failures.empty());
  }
};

void send_number(Node& from, EndpointId to, std::uint32_t number) {
  from.send(to, std::as_bytes(std::span(&number, 1)));
}

/// The numbers that came through an endpoint, in the order of their arrival.
std::vector<std::uint32_t> numbers_from(const Node& node, EndpointId endpoint) {
  std::vector<std::uint32_t> numbers;
  for (const Node::Receive& receive : node.receives) {
    if (receive.endpoint != endpoint) continue;
    std::memcpy(&numbers.emplace_back(), receive.data.data(), sizeof(std::uint32_t));
  }
  return numbers;
}

std::vector<std::uint32_t> counted(std::uint32_t end) {
  std::vector<std::uint32_t> numbers(end);
  for (std::uint32_t i = 0; i < end; ++i) numbers[i] = i;
  return numbers;
}

TEST_F(VerbsCredits, ManyPeersShareOnePool) {
  constexpr std::uint32_t kEach = 100;
  for (const std::string_view mask : kMasks) {
    SCOPED_TRACE(mask);
    add_all(mask);
    // The first half while they connect. Then all are connected, and the pool has receives for a
    // few: the others have given theirs back, and need new ones for the second half.
    for (const std::uint32_t end : {kEach / 2, kEach}) {
      for (std::size_t i = 1; i <= kPeers; ++i) {
        const EndpointId endpoint = node(i).connect(node(0));
        for (std::uint32_t k = end - kEach / 2; k < end; ++k) send_number(node(i), endpoint, k);
      }
      ASSERT_TRUE(wait_until([&] { return node(0).receives.size() == end * kPeers; })) << state();
    }
    for (EndpointId id = 0; id < kPeers; ++id) EXPECT_EQ(numbers_from(node(0), id), counted(kEach));
    EXPECT_GT(device(0).counters().recalls, 0U);
    EXPECT_GT(device(0).counters().loans, 0U);
    EXPECT_GT(sum(&VerbsCounters::starved), 0U) << "credits limited nobody";
    expect_one_pool();
    close_all();
  }
}

/// Everybody to everybody, by sends, notified puts and swaps, through short send queues: both sides
/// of a connection run dry.
TEST_F(VerbsCredits, EverybodyRunsDry) {
  constexpr std::uint32_t kRounds = 10;
  constexpr std::size_t kAll = 10;
  const std::uint64_t seed = test_seed();
  std::mt19937_64 random(seed);
  for (const std::string_view mask : kMasks) {
    SCOPED_TRACE(mask);
    for (PeerName name = 0; name < kAll; ++name) {
      VerbsConfig config = poor(name, mask, 12);
      config.send_depth = 16;
      config.send_budget = 64;
      add(config);
    }
    const bool swaps = device(0).caps().has_atomic;
    std::vector<std::vector<EndpointId>> way(kAll, std::vector<EndpointId>(kAll));
    std::vector<std::unique_ptr<Buffer>> words;
    for (std::size_t i = 0; i < kAll; ++i) {
      words.push_back(std::make_unique<Buffer>(device(i), 16 * kAll));
      for (std::size_t j = 0; j < kAll; ++j) way[i][j] = node(i).connect(node(j));
    }
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      const std::size_t turn = random();
      for (std::size_t a = 0; a < kAll; ++a) {
        for (std::size_t b = 0; b < kAll; ++b) {
          const std::size_t i = (a + turn) % kAll;
          const std::size_t j = (a + b) % kAll;
          if (random() % 8 == 0) (void)wait_until([n = 0]() mutable { return ++n > 3; });
          send_number(node(i), way[i][j], round);
          const Piece piece = words[i]->piece(0, 8);
          node(i).post(way[i][j], notifying(put_of({&piece, 1}, words[j]->remote(8 * i)), round));
          if (!swaps) continue;
          node(i).post(way[i][j], notifying(atomic_of(AtomicKind::swap, {},
                                                      words[j]->remote(8 * (kAll + i)), round + 1),
                                            round));
        }
      }
    }
    const std::size_t all = kRounds * kAll;
    const std::size_t notified = swaps ? 2 * all : all;
    ASSERT_TRUE(wait_until(
        [&] {
          return std::all_of(nodes_.begin(), nodes_.end(), [&](const auto& node) {
            return node->receives.size() == all && node->notifications.size() == notified;
          });
        },
        std::chrono::seconds(60)))
        << state();
    for (std::size_t i = 0; i < kAll; ++i) {
      for (std::size_t j = 0; j < kAll; ++j) {
        ASSERT_EQ(numbers_from(node(i), way[i][j]), counted(kRounds)) << i << " from " << j;
        if (swaps) {
          EXPECT_NE(words[i]->word(kAll + j), 0U) << i << " from " << j;
        }
      }
    }
    EXPECT_GT(sum(&VerbsCounters::loans), 0U);
    expect_one_pool();
    words.clear();
    close_all();
  }
}

/// Between the devices and the adapter: reads end late, and notes are counted that are posted
/// while the one before, to the same place, may still be on its way. Only sends and notes go
/// through it.
class SlowReads {
 public:
  explicit SlowReads(ibv_context& context) : context_(context), old_(context.ops) {
    current = this;
    context.ops.post_send = post;
    context.ops.poll_cq = poll;
  }
  ~SlowReads() {
    context_.ops = old_;
    current = nullptr;
  }
  SlowReads(const SlowReads&) = delete;
  SlowReads& operator=(const SlowReads&) = delete;

  std::size_t notes = 0;
  std::size_t early = 0;  ///< the one before had not been read back

 private:
  static constexpr std::uint64_t kPolls = 500;
  struct Late {
    ibv_cq* queue = nullptr;
    ibv_wc work = {};
    std::uint64_t due = 0;
  };

  static int post(ibv_qp* qp, ibv_send_wr* request, ibv_send_wr** bad) {
    const bool note = request->opcode == IBV_WR_RDMA_WRITE && request->num_sge == 1 &&
                      request->sg_list->length == sizeof(verbs::Note);
    if (note) {
      ++current->notes;
      bool& flies = current->flies_[qp->qp_num];
      current->early += flies;
      flies = true;
    }
    return current->old_.post_send(qp, request, bad);
  }

  static int poll(ibv_cq* queue, int most, ibv_wc* work) {
    const int got = current->old_.poll_cq(queue, most, work);
    const std::uint64_t now = ++current->polls_;
    int kept = 0;
    for (int i = 0; i < got; ++i) {
      if (work[i].opcode == IBV_WC_RDMA_READ) {
        current->late_.push_back({queue, work[i], now + kPolls});
      } else {
        work[kept++] = work[i];
      }
    }
    std::erase_if(current->late_, [&](const Late& late) {
      if (late.queue != queue || late.due > now || kept == most) return false;
      work[kept++] = late.work;
      current->flies_[late.work.qp_num] = false;
      return true;
    });
    return kept;
  }

  static inline SlowReads* current = nullptr;
  ibv_context& context_;
  ibv_context_ops old_;
  std::uint64_t polls_ = 0;
  std::vector<Late> late_;
  std::map<std::uint32_t, bool> flies_;  ///< by queue pair
};

/// Who is dry returns credits by its note, again and again.
TEST_F(VerbsCredits, IwarpMayPlaceNotesInAnyOrder) {
  constexpr std::uint32_t kEach = 50;
  add_all("iwarp");
  for (std::size_t i = 1; i <= kPeers; ++i) {
    send_number(node(i), node(i).connect(node(0)), 1);
    ASSERT_TRUE(wait_until([&] { return node(0).receives.size() == i; }));
  }
  settle();
  SlowReads adapter(*device(0).adapter().context());
  for (std::uint32_t k = 0; k < kEach; ++k) {
    for (EndpointId id = 0; id < kPeers; ++id) send_number(node(0), id, k);
  }
  for (std::size_t i = 1; i <= kPeers; ++i) {
    ASSERT_TRUE(wait_until([&] { return node(i).receives.size() == kEach; })) << state();
    EXPECT_EQ(numbers_from(node(i), 0), counted(kEach)) << i;
  }
  EXPECT_GT(adapter.notes, kPeers);
  EXPECT_EQ(adapter.early, 0U) << "of " << adapter.notes;
  expect_one_pool();
}

/// A peer without a credit says goodbye, too.
TEST_F(VerbsCredits, WhoIsDryLeavesInOrder) {
  add_all("");
  for (std::size_t i = 1; i <= kPeers; ++i) {
    send_number(node(i), node(i).connect(node(0)), 1);
    ASSERT_TRUE(wait_until([&] { return node(0).receives.size() == i; }));
  }
  EXPECT_GT(device(0).counters().recalls, 0U);
  settle();
  for (std::size_t i = 1; i <= kPeers; ++i) close(i);
  ASSERT_TRUE(wait_until([&] { return node(0).departures.size() == kPeers; }))
      << node(0).departures.size();
  settle();
  EXPECT_TRUE(node(0).failures.empty());
}

/// Peers that hold all receives compute: nobody waits for them for long, and what they send in the
/// end finds its receives.
TEST_F(VerbsCredits, WhoComputesStopsNobody) {
  constexpr std::size_t kComputing = 2;
  constexpr std::uint32_t kEach = 20;
  for (PeerName name = 0; name <= kComputing + 4; ++name) {
    VerbsConfig config = poor(name);
    config.first_window = 4;
    config.receive_slots = 3 * kComputing;
    config.max_window = 3;  // all are lent
    config.patience_ms = 50;
    add(config);
  }
  for (std::size_t i = 1; i <= kComputing; ++i) talk(i, 0);
  for (std::size_t i = 1; i <= kComputing; ++i) compute(i, true);
  for (std::size_t i = kComputing + 1; i < nodes_.size(); ++i) {
    const EndpointId endpoint = node(i).connect(node(0));
    for (std::uint32_t k = 0; k < kEach; ++k) send_number(node(i), endpoint, k);
  }
  ASSERT_TRUE(wait_until([&] { return node(0).receives.size() == 4 * kEach; }));
  EXPECT_GT(device(0).counters().grown, 0U);
  EXPECT_LE(device(0).counters().grown, 256U);
  for (std::size_t i = 1; i <= kComputing; ++i) {
    for (std::uint32_t k = 0; k < kEach; ++k) send_number(node(i), 0, k);
    compute(i, false);
  }
  ASSERT_TRUE(wait_until([&] { return node(0).receives.size() == (kComputing + 4) * kEach; }));
  EXPECT_EQ(sum(&VerbsCounters::rnr), 0U);
}

}  // namespace
}  // namespace remit::testing

int main(int argc, char** argv) {
  return remit::testing::run_verbs_tests(argc, argv);
}
