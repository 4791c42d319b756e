// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Credits: the rules one by one, and a lender with 1 to 257 peers, whose messages are on their way
// for any time, under random operations.
#include "rdma_btl/common/credit_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "rdma_btl/common/credit_queue.hpp"
#include "rdma_btl/common/due_answers.hpp"
#include "rdma_btl/common/recall_clock.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

CreditPool pool_of(std::size_t units, CreditLimits limits = {}) {
  CreditPool pool(limits);
  pool.grow(units);
  return pool;
}

// --- the rules ---------------------------------------------------------------------------------

TEST(CreditPool, FirstWindowsAreAPartOfWhatIsFree) {
  CreditPool pool = pool_of(64, {.first = 16, .least = 3, .share = 4});
  std::vector<CreditLease> leases(9);
  for (CreditLease& lease : leases) pool.join(lease, 0);
  EXPECT_EQ(pool.lend_first(leases[0]), 16U);
  EXPECT_EQ(pool.lend_first(leases[1]), 12U);
  EXPECT_EQ(pool.lend_first(leases[1]), 12U) << "only once";
  EXPECT_EQ(pool.lend_first(leases[2]), 9U);
  EXPECT_EQ(pool.lend_first(leases[3], 20), 3U) << "20 are kept";
  for (std::size_t i = 4; i < leases.size(); ++i) (void)pool.lend_first(leases[i]);
  EXPECT_EQ(pool.lend_first(leases[8]), 3U);
  EXPECT_EQ(pool.unleased(), 5U);
  CreditLease last;
  EXPECT_EQ(pool.lend_first(last, 3), 0U) << "the least is not there";
}

TEST(CreditPool, NobodyGetsMoreThanThereIs) {
  CreditPool pool = pool_of(10, {.first = 8, .most = 8, .share = 1});
  CreditLease first;
  CreditLease second;
  pool.join(first, 1);
  pool.join(second, 2);
  EXPECT_EQ(pool.lend_first(first), 8U);
  EXPECT_EQ(pool.lend(first, 5), 0U) << "a lease has 8 at most";
  EXPECT_EQ(pool.lend_first(second), 2U);
  EXPECT_EQ(pool.extend(second, 5), 0U);
  EXPECT_FALSE(pool.take(1));
}

TEST(CreditPool, AnAnswerIsDueWhenHalfIsOwedOrThePeerWantsMore) {
  CreditPool pool = pool_of(64);
  CreditLease lease;
  pool.join(lease, 7);
  pool.lend(lease, 5);
  EXPECT_FALSE(lease.used(2));
  EXPECT_TRUE(lease.used(1));
  EXPECT_EQ(pool.settle(lease), Settled::due);
  EXPECT_EQ(pool.take_owed(lease), 3U);
  EXPECT_FALSE(lease.used(1));
  pool.want_more(lease);
  EXPECT_EQ(pool.settle(lease), Settled::due);
  EXPECT_EQ(pool.extend(lease, pool.doubling(lease)), 5U);
  EXPECT_EQ(pool.take_owed(lease), 6U);
  EXPECT_FALSE(lease.wants_more);
  EXPECT_EQ(pool.settle(lease), Settled::nothing);
  EXPECT_FALSE(lease.used(4)) << "of ten now";
  EXPECT_TRUE(lease.used(1));
}

TEST(CreditPool, AMessageThatTakesACreditDoesNotReturnOnlyOne) {
  CreditPool pool = pool_of(64, {.answer = 2});
  CreditLease lease;
  pool.join(lease, 7);
  pool.lend(lease, 3);
  pool.want_more(lease);
  EXPECT_FALSE(lease.used(1));
  EXPECT_FALSE(pool.is_due(lease));
  EXPECT_TRUE(lease.used(1));
  EXPECT_EQ(pool.settle(lease), Settled::due);
}

TEST(CreditPool, WhatAMessageCannotCarryStaysOwed) {
  CreditPool pool = pool_of(64);
  CreditLease lease;
  pool.join(lease, 7);
  pool.lend(lease, 20);
  (void)lease.used(20);
  EXPECT_EQ(pool.take_owed(lease, 15), 15U);
  EXPECT_EQ(lease.owed, 5U);
  pool.put_back(lease, 15);
  EXPECT_EQ(lease.owed, 20U);
  EXPECT_EQ(pool.settle(lease), Settled::due);
  EXPECT_EQ(lease.take_owed(), 20U);
}

TEST(CreditPool, ARecallTakesAllButTheBase) {
  CreditPool pool = pool_of(100);
  CreditLease lease;
  pool.join(lease, 7, 4);
  pool.lend(lease, 20);
  EXPECT_EQ(lease.units, 24U);
  EXPECT_FALSE(lease.used(5));
  EXPECT_EQ(pool.recall(lease), 15U) << "what is owed needs no asking";
  EXPECT_EQ(pool.recall(lease), 0U) << "once";
  EXPECT_EQ(pool.unleased(), 85U);
  EXPECT_EQ(pool.coming(), 15U);
  EXPECT_TRUE(lease.used(2)) << "what is used meanwhile comes back as well";
  EXPECT_EQ(pool.settle(lease), Settled::came_back);
  EXPECT_EQ(pool.coming(), 13U);
  EXPECT_EQ(pool.take_back(lease, 12), Settled::came_back);
  EXPECT_TRUE(lease.used(3));
  EXPECT_EQ(pool.settle(lease), Settled::due) << "of the base, and all else is back";
  EXPECT_FALSE(lease.recalled);
  EXPECT_EQ(lease.units, 4U);
  EXPECT_EQ(lease.owed, 2U);
  EXPECT_EQ(pool.coming(), 0U);
  EXPECT_EQ(pool.unleased(), 100U);
}

TEST(CreditPool, AnAnswerEndsARecallWhateverIsUnderWay) {
  CreditPool pool = pool_of(100);
  CreditLease lease;
  pool.join(lease, 7);
  pool.lend(lease, 10);
  EXPECT_EQ(pool.recall(lease), 10U);
  EXPECT_EQ(pool.answered(lease, 8), Settled::came_back);
  EXPECT_FALSE(lease.recalled);
  EXPECT_EQ(pool.coming(), 0U);
  EXPECT_EQ(lease.units, 2U);
  EXPECT_TRUE(lease.used(1));
  EXPECT_EQ(pool.settle(lease), Settled::due);
}

TEST(CreditPool, MoreThanALeaseHasNeverComesBack) {
  CreditPool pool = pool_of(100);
  CreditLease lease;
  pool.join(lease, 7, 2);
  pool.lend(lease, 10);
  EXPECT_EQ(pool.answered(lease, 1000), Settled::all_back);
  EXPECT_EQ(pool.unleased(), 100U);
  EXPECT_EQ(lease.units, 2U);
  (void)lease.used(1000);
  (void)pool.settle(lease);
  EXPECT_EQ(lease.owed, 2U);
}

TEST(CreditPool, WhatAPeerLeavesIsNobodys) {
  CreditPool pool = pool_of(100);
  CreditLease lease;
  pool.join(lease, 7);
  pool.lend(lease, 10);
  (void)pool.recall(lease);
  pool.park(lease);
  EXPECT_EQ(pool.coming(), 0U);
  EXPECT_EQ(pool.unleased(), 90U);
  EXPECT_EQ(pool.parked(), 10U);
  EXPECT_TRUE(lease.used(3)) << "a message of it was just being read";
  EXPECT_EQ(pool.settle(lease), Settled::nothing);
  pool.unpark();
  EXPECT_EQ(pool.unleased(), 100U);
  EXPECT_EQ(pool.lend_first(lease), 8U) << "it came back";
  pool.release(lease);
  EXPECT_EQ(pool.unleased(), 100U);
}

TEST(RecallClock, WhoWasActiveIsSparedOnce) {
  CreditPool pool = pool_of(100);
  RecallClock clock;
  std::vector<CreditLease> leases(4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    pool.join(leases[i], i);
    clock.add(leases[i]);
    if (i != 1) pool.lend(leases[i], 4);
    leases[i].active = i == 2;
  }
  std::size_t looks = 2 * clock.size();
  std::vector<std::uint32_t> asked;
  while (CreditLease* const lease = clock.next(looks)) {
    asked.push_back(lease->id);
    EXPECT_EQ(pool.recall(*lease), 4U);
  }
  EXPECT_EQ(asked, (std::vector<std::uint32_t>{3, 0, 2})) << "1 has nothing";
  EXPECT_EQ(looks, 0U);
}

TEST(RecallClock, ItLooksAtNoMoreThanItMay) {
  CreditPool pool = pool_of(1000);
  RecallClock clock;
  std::vector<CreditLease> leases(257);
  for (CreditLease& lease : leases) {
    pool.join(lease, 0);
    clock.add(lease);
    pool.lend(lease, 1);
  }
  std::size_t looks = 64;
  EXPECT_EQ(clock.next(looks), nullptr) << "all were active";
  EXPECT_EQ(looks, 0U);
  EXPECT_EQ(std::ranges::count(leases, true, &CreditLease::active), 257 - 64);
}

TEST(CreditQueue, InTurnAndWithPatience) {
  CreditPool pool = pool_of(4, {.least = 3});
  CreditQueue queue;
  std::vector<CreditLease> leases(3);
  for (CreditLease& lease : leases) queue.push(lease, 100);
  queue.push(leases[0], 100);
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_EQ(queue.pop(pool, 110, 2), nullptr) << "two are kept, two are too few";
  EXPECT_FALSE(queue.waited(149, 50));
  EXPECT_TRUE(queue.waited(150, 50));
  EXPECT_FALSE(queue.waited(150, 50));
  EXPECT_EQ(queue.pop(pool, 160), &leases[0]);
  EXPECT_FALSE(leases[0].needy);
  EXPECT_FALSE(queue.waited(209, 50)) << "somebody was served";
  queue.push(leases[0], 170);
  for (const std::size_t next : {1U, 2U, 0U}) EXPECT_EQ(queue.pop(pool, 170), &leases[next]);
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(queue.waited(1000, 50));
}

TEST(DueAnswers, WhatFindsNoRoomIsKept) {
  DueAnswers due;
  std::vector<CreditLease> leases(4);
  for (std::uint32_t i = 0; i < 3; ++i) {
    leases[i].id = i;
    due.note(leases[i]);
    due.note(leases[i]);
  }
  leases[3].id = 3;
  std::vector<std::uint32_t> seen;
  const auto visit = [&](CreditLease& lease) {
    seen.push_back(lease.id);
    if (lease.id == 0 && seen.size() == 1) due.note(leases[3]);
    if (lease.id == 2 && seen.size() == 3) due.note(leases[2]);
    return lease.id == 1 && seen.size() < 4;
  };
  due.for_each(visit);
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{0, 1, 2}));
  seen.resize(4);
  due.for_each(visit);
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 3, 2}));
  EXPECT_TRUE(due.empty());
}

TEST(Credits, ThePeerIsAskedOnceForEachGrant) {
  AskedCredits credits;
  EXPECT_FALSE(credits.allow(1));
  EXPECT_TRUE(credits.ask());
  EXPECT_FALSE(credits.ask());
  credits.grant(0);
  EXPECT_FALSE(credits.ask());
  credits.grant(2);
  EXPECT_TRUE(credits.allow(2));
  EXPECT_FALSE(credits.allow(2, 1)) << "one is kept";
  credits.spend(2);
  credits.unspend(1);
  EXPECT_EQ(credits.count(), 1U);
  credits.told();
  EXPECT_FALSE(credits.ask());
  EXPECT_EQ(credits.give_back(2), 0U);
  EXPECT_EQ(credits.give_back(0), 1U);
  EXPECT_EQ(credits.count(), 0U);
}

// --- a lender and its peers --------------------------------------------------------------------

/// How the users of the pool differ.
struct CreditUser {
  const char* name = nullptr;
  CreditLimits limits;
  std::uint32_t base = 0;  ///< of each lease
  bool strict = false;     ///< a recall is over when everything is back; else with the answer
};

constexpr CreditUser kOfi = {"Ofi", {.first = 8, .least = 1, .most = 64, .share = 4}};
constexpr CreditUser kVerbs = {"Verbs", {.first = 8, .least = 3, .most = 32, .share = 8}, 0, true};
constexpr CreditUser kEngine = {"Engine", {.first = 4, .least = 1, .most = 16, .share = 8}, 2};

/// One lender and everybody to whom it lends. What is on its way between them arrives in order, but
/// at any time.
class CreditWorld {
 public:
  CreditWorld(const CreditUser& kind, std::size_t peers, std::size_t units, std::uint64_t seed)
      : kind_(kind), pool_(kind.limits), random_(seed) {
    pool_.grow(units);
    for (std::uint32_t i = 0; i < peers; ++i) {
      Peer& peer = *peers_.emplace_back(std::make_unique<Peer>());
      pool_.join(peer.lease, i, kind.base);
      clock_.add(peer.lease);
      greet(peer);
    }
  }

  [[nodiscard]] std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }

  void random_step() {
    Peer& peer = any_peer();
    switch (below(10)) {
      case 0:
        peer.waiting += below(5);
        return;
      case 1:
      case 2:
        return send(peer);
      case 3:
      case 4:
        return arrive(peer);
      case 5:
      case 6:
        return have_read(peer);
      case 7:
        return hear(peer);
      case 8:
        return attend();
      default:
        if (below(20) == 0) die(peer);
    }
  }

  /// Everybody does everything once, in some order.
  void round() {
    std::ranges::shuffle(peers_, random_);
    for (const auto& peer : peers_) {
      send(*peer);
      arrive(*peer);
      have_read(*peer);
      hear(*peer);
    }
    attend();
  }

  /// Nobody has anything to send.
  [[nodiscard]] bool done() const {
    return std::ranges::all_of(peers_, [](const auto& peer) { return peer->waiting == 0; });
  }
  void all_want(std::size_t messages) {
    for (const auto& peer : peers_) peer->waiting = peer->computes ? 0 : messages;
  }
  /// So many peers will not answer whatever they are told.
  void let_compute(std::size_t peers) {
    for (std::size_t i = 0; i < peers; ++i) peers_[i]->computes = true;
  }
  [[nodiscard]] std::size_t least_sent() const {
    return (*std::ranges::min_element(peers_, {}, [](const auto& peer) { return peer->sent; }))
        ->sent;
  }
  void grow_when_patience_ends() { grows_ = true; }
  [[nodiscard]] const CreditPool& pool() const { return pool_; }
  [[nodiscard]] std::size_t recalls() const { return recalls_; }

  void check() const {
    std::size_t leased = 0;
    std::size_t coming = 0;
    for (const auto& peer : peers_) {
      const CreditLease& lease = peer->lease;
      std::size_t units = peer->credits.count() + peer->reading + lease.owed;
      for (const ToLender& message : peer->to_lender) units += message.units;
      for (const ToPeer& message : peer->to_peer) units += message.granted;
      ASSERT_EQ(lease.units, units) << "of peer " << lease.id;
      ASSERT_LE(lease.units, std::max(kind_.limits.most, lease.base));
      leased += lease.units - lease.base;
      if (lease.recalled) coming += lease.units - lease.base;
    }
    ASSERT_EQ(pool_.size(), pool_.unleased() + pool_.parked() + leased);
    ASSERT_EQ(pool_.coming(), coming);
  }

 private:
  struct ToLender {
    enum class What : std::uint8_t { data, request, give_back } what = What::data;
    std::uint32_t units = 0;
    bool last_credit = false;
  };
  struct ToPeer {
    std::uint32_t granted = 0;
    bool recall = false;
  };
  struct Peer {
    CreditLease lease;       ///< the lender's
    AskedCredits credits;    ///< the peer's own, as all below
    std::uint32_t base = 0;  ///< of the credits, what is never given back
    std::size_t waiting = 0;
    std::size_t sent = 0;
    bool computes = false;
    std::size_t reading = 0;  ///< messages that the lender reads
    std::deque<ToLender> to_lender;
    std::deque<ToPeer> to_peer;
  };

  Peer& any_peer() { return *peers_[below(peers_.size())]; }

  void greet(Peer& peer) {
    peer.base = peer.lease.base;
    peer.to_peer.push_back({pool_.lend_first(peer.lease), false});
  }

  void send(Peer& peer) {
    if (peer.waiting == 0) return;
    if (!peer.credits.allow(1)) {
      if (peer.credits.ask()) peer.to_lender.push_back({ToLender::What::request});
      return;
    }
    peer.credits.spend(1);
    --peer.waiting;
    ++peer.sent;
    const bool last = peer.credits.count() == 0;
    if (last) peer.credits.told();
    peer.to_lender.push_back({ToLender::What::data, 1, last});
  }

  void arrive(Peer& peer) {
    if (peer.to_lender.empty()) return;
    const ToLender message = peer.to_lender.front();
    peer.to_lender.pop_front();
    switch (message.what) {
      case ToLender::What::data:
        ++peer.reading;
        if (message.last_credit) pool_.want_more(peer.lease);
        return;
      case ToLender::What::request:
        pool_.want_more(peer.lease);
        return answer_request(peer.lease);
      case ToLender::What::give_back:
        return follow(peer.lease, kind_.strict ? pool_.take_back(peer.lease, message.units)
                                               : pool_.answered(peer.lease, message.units));
    }
  }

  void answer_request(CreditLease& lease) {
    if (pool_.is_due(lease) || (pool_.unleased() != 0 && queue_.empty() && !lease.recalled)) {
      give(lease);
    } else {
      queue_if_bare(lease);
    }
  }

  /// Who has nothing that could come back to it waits with the others.
  void queue_if_bare(CreditLease& lease) {
    if (lease.units == 0 && lease.wants_more) queue_.push(lease, now_);
  }

  void have_read(Peer& peer) {
    if (peer.reading == 0) return;
    --peer.reading;
    const bool look = peer.lease.used(1);
    if (!kind_.strict && !queue_.empty() && !peer.lease.needy) {
      return follow(peer.lease, pool_.reclaim_owed(peer.lease));
    }
    if (!look) return;
    follow(peer.lease, pool_.settle(peer.lease));
  }

  void follow(CreditLease& lease, Settled settled) {
    if (settled == Settled::due) due_.note(lease);
    if (settled == Settled::all_back || settled == Settled::came_back) queue_if_bare(lease);
  }

  void hear(Peer& peer) {
    if (peer.to_peer.empty() || peer.computes) return;
    const ToPeer message = peer.to_peer.front();
    peer.to_peer.pop_front();
    peer.credits.grant(message.granted);
    if (!message.recall) return;
    // Who has waited for a credit keeps it, or could lose it each time.
    const std::uint32_t kept = peer.base + (peer.waiting != 0 && !kind_.strict ? 1 : 0);
    peer.to_lender.push_back({ToLender::What::give_back, peer.credits.give_back(kept)});
  }

  void give(CreditLease& lease) {
    if (lease.wants_more && !lease.recalled) {
      const std::size_t more = std::max<std::size_t>(pool_.doubling(lease), 1);
      // With a base nobody is ever bare: who cannot get more makes others give theirs back.
      if (pool_.extend(lease, more) == 0 && lease.owed == 0 && kind_.base != 0) recall_idle();
    }
    const std::uint32_t credits = pool_.take_owed(lease);
    if (credits != 0) peer_of(lease).to_peer.push_back({credits, false});
  }

  void recall_idle() {
    std::size_t looks = 64;
    while (CreditLease* const lease = clock_.next(looks)) recall(*lease);
  }

  void recall(CreditLease& lease) {
    ++recalls_;
    if (pool_.recall(lease) != 0) peer_of(lease).to_peer.push_back({0, true});
    queue_if_bare(lease);
  }

  Peer& peer_of(const CreditLease& lease) {
    return **std::ranges::find_if(peers_, [&](const auto& peer) { return &peer->lease == &lease; });
  }

  /// What a device does after it has read its messages.
  void attend() {
    now_ += 10;
    due_.for_each([&](CreditLease& lease) {
      if (below(4) == 0) return true;  // no room now
      if (pool_.is_due(lease)) give(lease);
      return false;
    });
    while (CreditLease* const lease = queue_.pop(pool_, now_)) {
      if (lease->recalled) {
        queue_.push(*lease, now_);
        break;
      }
      (void)pool_.extend(*lease, kind_.limits.least);
      give(*lease);
    }
    if (queue_.empty()) return;
    if (queue_.waited(now_, 1000) && grows_) pool_.grow(kind_.limits.least);
    std::size_t looks = 2 * clock_.size();
    while (pool_.coming() < kind_.limits.least * queue_.size()) {
      CreditLease* const lease = clock_.next(looks);
      if (lease == nullptr) return;
      recall(*lease);
    }
  }

  /// Dies, and a new connection is made.
  void die(Peer& peer) {
    const bool at_once = below(2) == 0;
    if (at_once) {
      pool_.release(peer.lease);
    } else {
      pool_.park(peer.lease);
    }
    const auto reading = static_cast<std::uint32_t>(peer.reading);
    if (reading != 0 && peer.lease.used(reading)) {
      ASSERT_EQ(pool_.settle(peer.lease), Settled::nothing);
    }
    ASSERT_EQ(peer.lease.owed, 0U);
    peer.reading = 0;
    peer.to_lender.clear();
    peer.to_peer.clear();
    peer.credits = {};
    if (!at_once) pool_.unpark();
    greet(peer);
  }

  const CreditUser kind_;
  CreditPool pool_;
  RecallClock clock_;
  CreditQueue queue_;
  DueAnswers due_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::uint64_t now_ = 0;
  bool grows_ = false;
  std::size_t recalls_ = 0;
};

class CreditsOfManyPeers : public ::testing::TestWithParam<CreditUser> {
 protected:
  /// At least what serves one peer at a time.
  static std::size_t units_for(std::size_t peers, std::mt19937_64& random) {
    return GetParam().limits.least +
           std::uniform_int_distribution<std::size_t>(0, 4 * peers)(random);
  }
  static std::size_t peers_of(std::mt19937_64& random) {
    return std::uniform_int_distribution<std::size_t>(1, 257)(random);
  }
};

/// Whatever happens no credit is made or lost; and when it has happened, everybody who has
/// something to send can send it.
TEST_P(CreditsOfManyPeers, NothingIsLostAndEverybodyIsServed) {
  std::mt19937_64 random(test_seed());
  std::size_t recalls = 0;
  for (int run = 0; run < 40; ++run) {
    const std::size_t peers = run == 0 ? 1 : peers_of(random);
    const std::size_t units = units_for(peers, random);
    CreditWorld world(GetParam(), peers, units, random());
    SCOPED_TRACE(::testing::Message() << peers << " peers, " << units << " units");
    for (std::size_t step = 0; step < 1000 + 40 * peers; ++step) {
      world.random_step();
      if (step % 16 != 0) continue;
      ASSERT_NO_FATAL_FAILURE(world.check());
    }
    for (int round = 0; !world.done(); ++round) {
      ASSERT_LT(round, 60000) << "somebody starves";
      world.round();
    }
    ASSERT_NO_FATAL_FAILURE(world.check());
    recalls += world.recalls();
  }
  EXPECT_GT(recalls, 20U) << "they were to compete";
}

/// With more to send than will ever be sent, nobody is forgotten.
TEST_P(CreditsOfManyPeers, NobodyStarvesWhileAllTalk) {
  std::mt19937_64 random(test_seed() + 1);
  for (const std::size_t peers : {1U, 2U, 3U, 16U, 64U, 256U, 257U}) {
    CreditWorld world(GetParam(), peers, GetParam().limits.least + peers / 4, random());
    world.all_want(1'000'000);
    for (std::size_t round = 0; round < 200 + 40 * peers && world.least_sent() < 3; ++round) {
      world.round();
      if (round % 64 != 0) continue;
      ASSERT_NO_FATAL_FAILURE(world.check());
    }
    EXPECT_GE(world.least_sent(), 3U) << peers << " peers";
  }
}

/// Those that hold all and compute do not answer: after a while there is new memory.
TEST_P(CreditsOfManyPeers, WhoComputesHoldsNobodyUpForEver) {
  std::mt19937_64 random(test_seed() + 2);
  CreditWorld world(GetParam(), 40, GetParam().limits.first, random());
  world.let_compute(20);
  world.grow_when_patience_ends();
  world.all_want(4);
  const std::size_t before = world.pool().size();
  for (int round = 0; round < 6000 && !world.done(); ++round) world.round();
  EXPECT_TRUE(world.done());
  if (GetParam().base == 0) {
    EXPECT_GT(world.pool().size(), before);
  }
  ASSERT_NO_FATAL_FAILURE(world.check());
}

INSTANTIATE_TEST_SUITE_P(Users, CreditsOfManyPeers, ::testing::Values(kOfi, kVerbs, kEngine),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace remit::testing
