// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What all devices do the same about endpoints: who wins when two ask at once, the table, what is
// posted to an endpoint that has failed.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <random>
#include <vector>

#include "rdma_btl/common/endpoint_table.hpp"
#include "rdma_btl/common/first_contact.hpp"
#include "rdma_btl/common/own_completions.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

/// What each device does by its own states: the phase that the answer to our own request leads to.
/// mine_wins is for nobody who is asking no more: the peer's request may have come first, and have
/// been accepted.
[[nodiscard]] constexpr ContactPhase after_answer(ContactPhase phase, ContactAnswer answer) {
  if (phase != ContactPhase::asking) return phase;
  switch (answer) {
    case ContactAnswer::accept:
      return ContactPhase::agreed;
    case ContactAnswer::mine_wins:
      return ContactPhase::yielding;
    case ContactAnswer::refuse:
      break;
  }
  return ContactPhase::over;
}

// --- first contact -----------------------------------------------------------------------------

/// What two processes have sent to each other and is not there yet, in order for each connection:
/// one that was asked for by the first, one by the second.
struct ContactMessage {
  std::size_t from = 0;
  std::size_t connection = 0;  ///< whose request made it
  bool is_request = false;
  ContactAnswer answer = ContactAnswer::accept;
};

/// Two processes, of which each asks at a random time or not at all, and whose messages take any
/// time. Returns which connections each of them holds at last.
class TwoAsk {
 public:
  TwoAsk(PeerName first, PeerName second, std::uint64_t seed)
      : names_{first, second}, random_(seed) {}

  void run(bool first_asks, bool second_asks) {
    std::array<bool, 2> to_ask = {first_asks, second_asks};
    while (to_ask[0] || to_ask[1] || !on_the_way_.empty()) {
      const std::size_t who = random_() % 2;
      if (random_() % 3 == 0) {
        if (to_ask[who] && phases[who] == ContactPhase::none) ask(who);
        to_ask[who] = false;
      } else if (!on_the_way_.empty()) {
        const std::size_t at = random_() % on_the_way_.size();
        const ContactMessage message = on_the_way_[at];
        on_the_way_.erase(on_the_way_.begin() + static_cast<std::ptrdiff_t>(at));
        message.is_request ? on_request(message) : on_answer(message);
      }
    }
  }

  std::array<ContactPhase, 2> phases = {ContactPhase::none, ContactPhase::none};
  std::array<int, 2> connection = {-1, -1};  ///< that each holds

 private:
  void ask(std::size_t who) {
    phases[who] = ContactPhase::asking;
    on_the_way_.push_back({who, who, true});
  }
  void on_request(const ContactMessage& message) {
    const std::size_t self = 1 - message.from;
    const ContactAnswer answer = answer_contact(names_[self], names_[message.from], phases[self]);
    if (answer == ContactAnswer::accept) {
      phases[self] = ContactPhase::agreed;
      connection[self] = static_cast<int>(message.connection);
    }
    on_the_way_.push_back({self, message.connection, false, answer});
  }
  void on_answer(const ContactMessage& message) {
    const std::size_t self = 1 - message.from;
    if (phases[self] != ContactPhase::asking) return;  // of a request that was dropped
    phases[self] = after_answer(phases[self], message.answer);
    if (phases[self] == ContactPhase::agreed) connection[self] = static_cast<int>(self);
  }

  const std::array<PeerName, 2> names_;
  std::deque<ContactMessage> on_the_way_;
  std::mt19937_64 random_;
};

TEST(FirstContact, OneConnectionStaysWhateverOvertakesWhat) {
  std::mt19937_64 random(test_seed());
  for (PeerName peers = 2; peers <= 257; ++peers) {
    for (int run = 0; run < 40; ++run) {
      const PeerName first = random() % peers;
      const PeerName second = (first + 1 + random() % (peers - 1)) % peers;
      const bool both = random() % 4 != 0;
      TwoAsk two(first, second, random());
      two.run(true, both);
      for (const ContactPhase phase : two.phases) ASSERT_EQ(phase, ContactPhase::agreed);
      ASSERT_EQ(two.connection[0], two.connection[1]) << first << " and " << second;
      ASSERT_GE(two.connection[0], 0);
    }
  }
}

TEST(FirstContact, TheLowerNameWins) {
  EXPECT_EQ(answer_contact(3, 5, ContactPhase::asking), ContactAnswer::mine_wins);
  EXPECT_EQ(answer_contact(5, 3, ContactPhase::asking), ContactAnswer::accept);
  EXPECT_EQ(answer_contact(3, 5, ContactPhase::agreed), ContactAnswer::mine_wins)
      << "it was asked before ours was accepted";
  EXPECT_EQ(answer_contact(5, 3, ContactPhase::agreed), ContactAnswer::refuse);
  EXPECT_EQ(answer_contact(5, 3, ContactPhase::yielding), ContactAnswer::accept);
  EXPECT_EQ(answer_contact(3, 5, ContactPhase::over), ContactAnswer::refuse);
  EXPECT_EQ(after_answer(ContactPhase::asking, ContactAnswer::refuse), ContactPhase::over);
  EXPECT_EQ(after_answer(ContactPhase::agreed, ContactAnswer::mine_wins), ContactPhase::agreed);
}

// --- the table ---------------------------------------------------------------------------------

struct TableEntry {
  explicit TableEntry(int given) : value(given) {}
  EndpointId id = 0;
  PeerName peer = 0;
  int value = 0;
};

TEST(EndpointTable, ByNumberAndByName) {
  for (std::uint32_t peers = 1; peers <= 257; ++peers) {
    EndpointTable<TableEntry> table;
    std::vector<const TableEntry*> addresses;
    for (std::uint32_t i = 0; i < peers; ++i) {
      const PeerName name = PeerName{7} << 32 | (peers - i);
      EXPECT_EQ(table.find(name), nullptr);
      const auto [entry, is_new] = table.find_or_add(name, static_cast<int>(i));
      EXPECT_TRUE(is_new);
      addresses.push_back(&entry);
      const auto [again, once_more] = table.find_or_add(name, -1);
      EXPECT_FALSE(once_more);
      EXPECT_EQ(&again, &entry);
    }
    EXPECT_EQ(table.size(), peers);
    EXPECT_TRUE(table.has(peers - 1));
    EXPECT_FALSE(table.has(peers));
    std::uint32_t next = 0;
    for (const TableEntry& entry : table) {
      EXPECT_EQ(&entry, addresses[next]);
      EXPECT_EQ(&entry, &table[next]);
      EXPECT_EQ(&entry, table.find(entry.peer));
      EXPECT_EQ(entry.id, next);
      EXPECT_EQ(entry.value, static_cast<int>(next++));
    }
    EXPECT_EQ(next, peers);
  }
}

// --- own completions ---------------------------------------------------------------------------

TEST(OwnCompletions, InOrderAndAsManyAsThereIsRoomFor) {
  OwnCompletions own;
  EXPECT_TRUE(own.empty());
  own.complete(4, kNoCompletion, MPI_SUCCESS);
  EXPECT_TRUE(own.empty()) << "nobody waits for it";
  own.complete(4, 11, MPI_SUCCESS);
  own.closed(5);
  own.failed(6);
  std::array<Completion, 2> out;
  EXPECT_EQ(own.take(std::span(out).first(0)), 0U);
  ASSERT_EQ(own.take(out), 2U);
  EXPECT_EQ(out[0].kind, CompletionKind::local);
  EXPECT_EQ(out[0].endpoint, 4U);
  EXPECT_EQ(out[0].cookie, 11U);
  EXPECT_EQ(out[1].kind, CompletionKind::endpoint_closed);
  EXPECT_EQ(out[1].status, MPI_SUCCESS);
  ASSERT_EQ(own.take(out), 1U);
  EXPECT_EQ(out[0].kind, CompletionKind::endpoint_failed);
  EXPECT_EQ(out[0].endpoint, 6U);
  EXPECT_EQ(out[0].status, MPI_ERR_PROC_ABORTED);
  EXPECT_TRUE(own.empty());
}

TEST(OwnCompletions, AFailedEndpointAcceptsEverything) {
  OwnCompletions own;
  std::array<Operation, 4> operations;
  operations[0].kind = OpKind::send;
  operations[0].cookie = 1;
  operations[1].kind = OpKind::put;
  operations[1].cookie = 2;
  operations[2].kind = OpKind::get;
  operations[3].kind = OpKind::atomic;
  operations[3].cookie = 3;
  EXPECT_EQ(own.refuse(9, operations), 4U);
  std::array<Completion, 4> out;
  ASSERT_EQ(own.take(out), 2U) << "not of a send, nor of what nobody waits for";
  EXPECT_EQ(out[0].cookie, 2U);
  EXPECT_EQ(out[1].cookie, 3U);
  EXPECT_EQ(out[1].status, MPI_ERR_PROC_ABORTED);
}

}  // namespace
}  // namespace remit::testing
