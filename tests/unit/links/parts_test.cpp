// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The parts of links, each by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "links/link_users.hpp"
#include "links/lost_links.hpp"
#include "links/message_order.hpp"
#include "links/postponed.hpp"
#include "links/process_directory.hpp"
#include "runtime/bootstrap/memory_bootstrap.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

/// Writes down what it is told.
class Diary : public LinkUser {
 public:
  void connected(Link& link) override {
    entries.push_back("connected " + std::to_string(number_of(link.id)));
    if (gives_up) link.failed = true;
  }
  void introduced(Link& link, std::uint32_t word) override {
    entries.push_back("introduced " + std::to_string(number_of(link.id)) + " " +
                      std::to_string(word));
  }
  void completed(std::uint64_t value, int status) override {
    entries.push_back("completed " + std::to_string(value) + " " + std::to_string(status));
  }
  void notified(Link& link, std::uint32_t value) override {
    entries.push_back("notified " + std::to_string(number_of(link.id)) + " " +
                      std::to_string(value));
  }
  void message(Link& link, std::span<const std::byte> data) override {
    entries.push_back("message " + std::to_string(number_of(link.id)) + " " +
                      std::to_string(data.size()));
  }
  void lost(Link& link, bool left_in_order) override {
    entries.push_back("lost " + std::to_string(number_of(link.id)) +
                      (left_in_order ? " in order" : ""));
  }
  void arrived(LinkDevice& /*device*/, std::span<const Completion> /*events*/) override {}

  std::vector<std::string> entries;
  bool gives_up = false;
};

using Entries = std::vector<std::string>;

/// Messages of one sender, in any order, come out in the order of sending, each once.
TEST(MessageOrder, RestoresAnyPermutation) {
  std::mt19937_64 random(test_seed());
  for (std::uint32_t count = 1; count <= 64; ++count) {
    MessageOrder sender, receiver;
    std::vector<std::vector<std::byte>> messages;
    for (std::uint32_t i = 0; i < count; ++i) {
      const SequenceHeader header = sender.stamp();
      sender.sent();
      std::vector<std::byte>& message = messages.emplace_back(sizeof header + 1);
      std::memcpy(message.data(), &header, sizeof header);
      message.back() = static_cast<std::byte>(i);
    }
    std::shuffle(messages.begin(), messages.end(), random);
    std::vector<std::uint32_t> got;
    const auto deliver = [&](std::span<const std::byte> data) {
      ASSERT_EQ(data.size(), 1U) << "the header is gone";
      got.push_back(static_cast<std::uint32_t>(data[0]));
    };
    for (const auto& message : messages) EXPECT_TRUE(receiver.restore(message, deliver));
    std::vector<std::uint32_t> expected(count);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(got, expected);
  }
}

TEST(MessageOrder, RefusesWhatHasNoHeader) {
  MessageOrder order;
  const std::vector<std::byte> torn(sizeof(SequenceHeader) - 1);
  EXPECT_FALSE(order.restore(torn, [](std::span<const std::byte>) { FAIL(); }));
}

// Each message is refused once: by whoever takes it, behind what came too early for it.
TEST(MessageOrder, GivesAgainWhatWasNotTaken) {
  constexpr std::uint32_t kCount = 4;
  MessageOrder sender, receiver;
  std::vector<std::vector<std::byte>> messages;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const SequenceHeader header = sender.stamp();
    sender.sent();
    std::vector<std::byte>& message = messages.emplace_back(sizeof header + 1);
    std::memcpy(message.data(), &header, sizeof header);
    message.back() = static_cast<std::byte>(i);
  }
  EXPECT_EQ(sender.stamp().sequence, kCount) << "what has not left has no number yet";
  EXPECT_EQ(sender.stamp().sequence, kCount);
  std::vector<std::uint32_t> got;
  bool refuses = true;
  const auto deliver = [&](std::span<const std::byte> data) {
    refuses = !refuses;
    if (!refuses) throw std::bad_alloc();
    got.push_back(static_cast<std::uint32_t>(data[0]));
  };
  for (std::uint32_t i = kCount; i-- > 1;) EXPECT_TRUE(receiver.restore(messages[i], deliver));
  for (std::uint32_t i = 0; i < kCount; ++i) {
    EXPECT_THROW((void)receiver.restore(messages[0], deliver), std::bad_alloc);
  }
  EXPECT_TRUE(receiver.restore(messages[0], deliver));
  EXPECT_EQ(got, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(LinkUsers, EachIsToldOfItsOwn) {
  LinkUsers users;
  Diary windows, files;
  users.set(LinkUserId::windows, &windows);
  users.set(LinkUserId::files, &files);
  EXPECT_EQ(users.matching(), nullptr);
  Link link(ProcId{7});
  users.introduced(link, 3);
  users.completed(cookie_of(LinkUserId::windows, 11), MPI_SUCCESS);
  users.notified(link, notification_for(LinkUserId::files, 12));
  const std::vector<std::byte> data(5, std::byte{message_kind(LinkUserId::windows, 9)});
  users.message(link, data);
  EXPECT_EQ(windows.entries, (Entries{"introduced 7 3", "completed 11 0", "message 7 5"}));
  EXPECT_EQ(files.entries, (Entries{"introduced 7 3", "notified 7 12"}));
  EXPECT_EQ(users.malformed(), 0U);
}

// The matching user is told again of what it had no memory for; for others that is too late.
TEST(LinkUsers, WhoHasNoMemory) {
  struct Forgetful final : Diary {
    void completed(std::uint64_t /*value*/, int /*status*/) override { throw std::bad_alloc(); }
  };
  LinkUsers users;
  Forgetful matching, windows;
  users.set(LinkUserId::matching, &matching);
  users.set(LinkUserId::windows, &windows);
  EXPECT_THROW(users.completed(cookie_of(LinkUserId::matching, 1), MPI_SUCCESS), std::bad_alloc);
  EXPECT_FALSE(users.take_shortage());
  users.completed(cookie_of(LinkUserId::windows, 1), MPI_SUCCESS);
  EXPECT_TRUE(users.take_shortage());
  EXPECT_FALSE(users.take_shortage());
}

TEST(LinkUsers, WhatIsForNobodyIsCounted) {
  LinkUsers users;
  Link link(ProcId{7});
  users.message(link, {});
  const std::vector<std::byte> data(5, std::byte{message_kind(LinkUserId::extra, 9)});
  users.message(link, data);
  users.notified(link, notification_for(LinkUserId::extra, 12));
  EXPECT_EQ(users.malformed(), 3U);
  users.completed(cookie_of(LinkUserId::extra, 1), MPI_SUCCESS);
  EXPECT_EQ(users.malformed(), 3U) << "its user went away meanwhile, which is no fault";
}

/// Who is told second of a link that the first gave up is not told at all.
TEST(LinkUsers, NobodyHearsOfALinkThatIsGivenUp) {
  LinkUsers users;
  Diary first, second;
  first.gives_up = true;
  users.set(LinkUserId::windows, &first);
  users.set(LinkUserId::files, &second);
  Link link(ProcId{1});
  users.connected(link);
  EXPECT_EQ(first.entries.size(), 1U);
  EXPECT_TRUE(second.entries.empty());
}

class OneProcess : public ::testing::Test {
 protected:
  MemoryJob job{4, {.has_key = true}};
  Process process{job.join(1), std::make_shared<SteadyClock>(), Params{}, test_seed()};
  LinkTable table{4, [](ProcId id) { return std::make_unique<Link>(id); }};
  ProcessDirectory directory{process, table};
  LinkUsers users;
  PostponedOperations postponed{users};
  LostLinks lost{process.log(), directory, table, postponed, users};
  Diary diary;

  static Operation put(std::uint64_t value) {
    Operation op;
    op.kind = OpKind::put;
    op.cookie = cookie_of(LinkUserId::windows, value);
    return op;
  }
};

/// What waits for a connection that does not come completes with an error, once, and not from
/// inside the call that gives it up.
TEST_F(OneProcess, PostponedOperationsOfALostLinkComplete) {
  users.set(LinkUserId::windows, &diary);
  Link& link = table.get(ProcId{2});
  Link& other = table.get(ProcId{3});
  const std::array ops = {put(1), put(2)};
  postponed.keep(link, ops);
  postponed.keep(other, {ops.data(), 1});
  EXPECT_FALSE(postponed.empty());
  EXPECT_FALSE(postponed.refused());
  lost.add(link, "for a test");
  EXPECT_EQ(diary.entries, Entries{"lost 2"});
  EXPECT_TRUE(postponed.refused());
  EXPECT_EQ(postponed.complete(), 2);
  const std::string error = std::to_string(MPI_ERR_PROC_ABORTED);
  EXPECT_EQ(diary.entries, (Entries{"lost 2", "completed 1 " + error, "completed 2 " + error}));
  EXPECT_FALSE(postponed.refused());
  EXPECT_FALSE(postponed.empty()) << "the other link's still wait";
  Operation silent = put(0);
  silent.cookie = kNoCompletion;
  postponed.refuse({&silent, 1});
  EXPECT_EQ(postponed.complete(), 1);
  EXPECT_EQ(diary.entries.size(), 3U) << "nobody waits for it";
}

TEST_F(OneProcess, ALinkIsLostOnce) {
  users.set(LinkUserId::windows, &diary);
  Link& link = table.get(ProcId{2});
  lost.note(link, "a first trouble");
  EXPECT_EQ(lost.explain(ProcId{2}), "a first trouble");
  EXPECT_EQ(lost.count(), 0U);
  lost.add(link, "the end", true);
  lost.add(link, "once more");
  EXPECT_TRUE(link.failed);
  EXPECT_EQ(lost.count(), 1U);
  EXPECT_EQ(lost.words_of(ProcId{2}), "the end");
  EXPECT_EQ(lost.words_of(ProcId{3}), "");
  EXPECT_EQ(lost.explain(ProcId{3}), "") << "never spoken to";
  EXPECT_EQ(diary.entries, Entries{"lost 2 in order"});
}

TEST_F(OneProcess, TheDirectoryNumbersStrangersBehindItsJob) {
  EXPECT_FALSE(directory.is_foreign(ProcId{3}));
  EXPECT_TRUE(directory.is_foreign(ProcId{4}));
  EXPECT_EQ(directory.proc_of(directory.name_of(ProcId{3})), ProcId{3});
  EXPECT_EQ(directory.proc_of(process.name_of(3) + 1), kAnyProc) << "no such rank";
  EXPECT_EQ(directory.words_of(ProcId{3}), "rank 3");

  Passport passport{"another job", 300, "far", std::vector<std::byte>(9)};
  const PeerName name = passport.name();
  const ProcId unheard = directory.proc_of(name);
  EXPECT_EQ(unheard, ProcId{4});
  EXPECT_EQ(directory.words_of(unheard), "rank 300 of job (not introduced)");
  EXPECT_TRUE(directory.passport_of(unheard).address.empty());
  const Expected<ProcId> proc = directory.introduce(passport);
  ASSERT_TRUE(proc.has_value());
  EXPECT_EQ(*proc, unheard) << "it has its number for good";
  EXPECT_EQ(directory.name_of(*proc), name);
  EXPECT_EQ(directory.words_of(*proc), "rank 300 of job another job");
  EXPECT_EQ(table.get(*proc).id, *proc) << "there is room for its link";
  passport.job = process.identity().job;
  EXPECT_FALSE(directory.introduce(passport).has_value()) << "this job has no rank 300";
}

}  // namespace
}  // namespace remit::testing
