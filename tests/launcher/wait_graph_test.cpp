// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Who waits for whom: the findings of mpirun's report, from made-up calls.
#include "launcher/report/wait_graph.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "mpi.h"
#include "runtime/call_status.hpp"

namespace remit::launcher {
namespace {

using Lines = std::vector<std::string>;

CallRecord receive_from(std::vector<std::uint32_t> peers, bool any = false) {
  CallRecord call;
  set_text(call.function, "MPI_Recv");
  call.kind = CallKind::receive;
  call.any = any;
  for (const std::uint32_t peer : peers) call.waits_for.add(peer);
  return call;
}

CallRecord collective(const char* name, std::uint32_t ranks, std::uint32_t sequence,
                      std::vector<std::uint32_t> peers = {}) {
  CallRecord call = receive_from(std::move(peers));
  set_text(call.function, std::string("MPI_") + name);
  set_text(call.operation, name);
  set_text(call.comm, "W");
  call.kind = CallKind::collective;
  call.sequence = sequence;
  call.members.count = ranks;
  call.members.stride = 1;
  return call;
}

RankWait inside(std::vector<CallRecord> calls = {}) {
  return {RankLife::inside, std::move(calls)};
}

TEST(WaitGraph, NobodyWaits) {
  EXPECT_EQ(describe_waits({inside(), inside(), {}}), Lines{});
}

TEST(WaitGraph, CirclesAndWhoIsBehindThem) {
  EXPECT_EQ(describe_waits({inside({receive_from({1})}), inside({receive_from({2})}),
                            inside({receive_from({1})})}),
            (Lines{"deadlock: 1 -> 2 -> 1", "rank 0 is stuck behind it"}));
  EXPECT_EQ(describe_waits({inside({receive_from({1})}), inside({receive_from({0})}),
                            inside({receive_from({3})}), inside({receive_from({2})})}),
            (Lines{"deadlock: 0 -> 1 -> 0", "deadlock: 2 -> 3 -> 2"}));
}

TEST(WaitGraph, AnyIsStuckOnlyIfAllAre) {
  const CallRecord any = receive_from({0, 1, 2}, true);
  EXPECT_EQ(describe_waits({inside({any}), inside({receive_from({0})}), inside()}), Lines{});
  EXPECT_EQ(
      describe_waits({inside({any}), inside({receive_from({0})}), inside({receive_from({1})})}),
      Lines{"deadlock: 0 -> 1 -> 0"});
}

TEST(WaitGraph, ThoseWhoAreGone) {
  EXPECT_EQ(describe_waits({inside({receive_from({1})}), {RankLife::ended, {}}}),
            Lines{"rank 0 waits for rank 1, which has ended"});
  EXPECT_EQ(describe_waits({inside({receive_from({1})}), {RankLife::finalized, {}}}),
            Lines{"rank 0 waits for rank 1, which has called MPI_Finalize"});
  EXPECT_EQ(describe_waits({inside({receive_from({1})}), {RankLife::before, {}}}),
            Lines{"rank 0 waits for rank 1, which has not called MPI_Init yet"});
}

TEST(WaitGraph, AnotherThreadMayHelp) {
  // The second thread of rank 1 waits for rank 2, which moves.
  EXPECT_EQ(describe_waits({inside({receive_from({1})}),
                            inside({receive_from({0}), receive_from({2})}), inside()}),
            Lines{"rank 1 waits for rank 2, which waits in no MPI call"});
}

TEST(WaitGraph, MembersThatAreMissing) {
  const CallRecord barrier = collective("barrier", 4, 3, {0});
  EXPECT_EQ(describe_waits({inside({barrier}), inside({barrier}), inside(), inside()}),
            (Lines{"MPI_barrier on W: ranks 2, 3 have not arrived",
                   "ranks 0, 1 wait for rank 2, which waits in no MPI call",
                   "ranks 0, 1 wait for rank 3, which waits in no MPI call"}));
  // One that is in an earlier operation has not arrived.
  EXPECT_EQ(describe_waits({inside({collective("barrier", 2, 4)}),
                            inside({collective("barrier", 2, 3, {0})})}),
            (Lines{"MPI_barrier on W: rank 0 has not arrived",
                   "MPI_barrier on W: rank 1 has not arrived", "deadlock: 0 -> 1 -> 0"}));
}

TEST(WaitGraph, LeavingEarlyIsNotMissing) {
  // Rank 2 waits for 1, which waits for the root; rank 3 has its data already.
  EXPECT_EQ(describe_waits({inside(), inside({collective("bcast", 4, 0, {0})}),
                            inside({collective("bcast", 4, 0, {1})}), inside()}),
            (Lines{"MPI_bcast on W: rank 0 has not arrived",
                   "ranks 1, 2 wait for rank 0, which waits in no MPI call"}));
}

TEST(WaitGraph, CollectivesThatDoNotMatch) {
  EXPECT_EQ(describe_waits(
                {inside({collective("barrier", 2, 5)}), inside({collective("allreduce", 2, 5)})}),
            (Lines{"collective calls on W do not match: rank 1 in allreduce, rank 0 in barrier",
                   "deadlock: 0 -> 1 -> 0"}));
}

TEST(WaitGraph, WhatIsNotKnownIsNoDeadlock) {
  CallRecord many = receive_from({}, true);
  for (std::uint32_t i = 0; i < 2 * RankSet::kMostListed; ++i) many.waits_for.add(0);
  EXPECT_EQ(describe_waits({inside({many}), inside({receive_from({0})})}), Lines{});
  // A rank that the job does not have, from a page that was overwritten.
  EXPECT_EQ(describe_waits({inside({receive_from({7})})}), Lines{});
}

TEST(WaitGraph, RanksOfSilentHostsMayDoAnything) {
  const RankWait unknown{RankLife::unknown, {}};
  EXPECT_EQ(describe_waits({inside({receive_from({1})}), unknown, inside({receive_from({0})})}),
            Lines{"rank 0 waits for rank 1, which is on a host that does not answer"});
  EXPECT_EQ(describe_waits({inside({receive_from({2})}), unknown, inside({receive_from({0})})}),
            Lines{"deadlock: 0 -> 2 -> 0"});
  const CallRecord barrier = collective("barrier", 3, 1);
  EXPECT_EQ(describe_waits({inside({barrier}), unknown, inside({barrier})}), Lines{});
  EXPECT_EQ(describe_waits({inside({barrier}), unknown, inside()}),
            (Lines{"MPI_barrier on W: rank 2 has not arrived",
                   "rank 0 waits for rank 2, which waits in no MPI call"}));
}

TEST(WaitGraph, RankLists) {
  EXPECT_EQ(rank_list({}), "");
  EXPECT_EQ(rank_list({0, 1, 2, 5, 7, 8}), "0-2, 5, 7, 8");
}

TEST(WaitGraph, WordsOfACall) {
  CallRecord call = receive_from({3});
  call.has_peer = true;
  call.peer = 1;
  call.tag = MPI_ANY_TAG;
  set_text(call.comm, "rows");
  EXPECT_EQ(describe_call(call), "MPI_Recv from 1 (rank 3 of MPI_COMM_WORLD), any tag, on rows");
  call.peer = MPI_ANY_SOURCE;
  EXPECT_EQ(describe_call(call), "MPI_Recv from anybody, any tag, on rows");
}

TEST(WaitGraph, LocksAndWhoHasThem) {
  CallRecord call;
  set_text(call.function, "MPI_Win_lock");
  set_text(call.operation, "exclusive lock");
  set_text(call.comm, "window 12");
  call.kind = CallKind::lock;
  call.has_peer = true;
  call.peer = 0;
  EXPECT_EQ(describe_call(call), "MPI_Win_lock: exclusive lock of rank 0, on window 12");
  call.holder = kHeldByReaders;
  EXPECT_EQ(describe_call(call),
            "MPI_Win_lock: exclusive lock of rank 0, held by readers, on window 12");
  call.holder = 1;
  call.waits_for.add(1);
  EXPECT_EQ(describe_call(call),
            "MPI_Win_lock: exclusive lock of rank 0, held by rank 1, on window 12");
  EXPECT_EQ(describe_waits({inside({call}), inside()}),
            Lines{"rank 0 waits for rank 1, which waits in no MPI call"});
  EXPECT_EQ(describe_waits({inside({call}), inside({receive_from({0})})}),
            Lines{"deadlock: 0 -> 1 -> 0"});
  call.held_ns = 1'000'000'000;
  EXPECT_EQ(
      describe_call(call, 5'200'000'000),
      "MPI_Win_lock: exclusive lock of rank 0, held by rank 1 since 4.2 s or longer, on window "
      "12");
  call.holder = 2;  // rank 1 of the world
  EXPECT_EQ(describe_call(call),
            "MPI_Win_lock: exclusive lock of rank 0, held by rank 2 (rank 1 of MPI_COMM_WORLD), "
            "on window 12");
}

TEST(WaitGraph, SetsOfAnySizeTakeNoTime) {
  CallRecord call = collective("barrier", 0xffffffffU, 1);  // of all ranks that there can be
  EXPECT_EQ(describe_waits({inside({call}), inside()}),
            (Lines{"MPI_barrier on W: rank 1 has not arrived",
                   "rank 0 waits for rank 1, which waits in no MPI call"}));
  call.members.first = 0xffffffffU;  // and down
  call.members.stride = -1;
  EXPECT_EQ(describe_waits({inside({call}), inside()}).size(), 2U);
}

TEST(RankSet, ThoseBelow) {
  const auto below = [](const RankSet& set, std::uint32_t most) {
    std::vector<std::uint32_t> ranks;
    set.each_below(most, [&](std::uint32_t rank) { ranks.push_back(rank); });
    return ranks;
  };
  using Ranks = std::vector<std::uint32_t>;
  RankSet set;
  set.count = 5;
  set.first = 1;
  set.stride = 3;  // 1 4 7 10 13
  EXPECT_EQ(below(set, 8), (Ranks{1, 4, 7}));
  EXPECT_EQ(below(set, 1), Ranks{});
  EXPECT_EQ(below(set, 100), (Ranks{1, 4, 7, 10, 13}));
  set.first = 13;
  set.stride = -3;  // 13 10 7 4 1
  EXPECT_EQ(below(set, 14), (Ranks{13, 10, 7, 4, 1}));
  EXPECT_EQ(below(set, 13), (Ranks{10, 7, 4, 1}));
  EXPECT_EQ(below(set, 8), (Ranks{7, 4, 1}));
  EXPECT_EQ(below(set, 1), Ranks{});
  RankSet list;
  for (const std::uint32_t rank : {9U, 2U, 5U}) list.add(rank);
  EXPECT_EQ(below(list, 6), (Ranks{2, 5}));
}

// Of a rank's page; any program of the job may write there.
TEST(CallStatusPage, OtherBytesAreNoRecord) {
  CallRecord good = receive_from({1});
  good.members.count = 3;
  good.members.stride = 2;
  const auto reads = [](const CallRecord& record, std::int64_t since = 1) {
    CallSlot slot;
    slot.used = 1;
    slot.since_ns = since;
    slot.record = record;
    CallRecord read;
    std::int64_t since_read = 0;
    return read_slot(slot, read, since_read);
  };
  EXPECT_TRUE(reads(good));
  EXPECT_FALSE(reads(good, -1));
  CallRecord bad = good;
  bad.polled_ns = std::numeric_limits<std::int64_t>::min();
  EXPECT_FALSE(reads(bad));
  for (bool CallRecord::*flag : {&CallRecord::any, &CallRecord::threads, &CallRecord::has_peer}) {
    bad = good;
    std::memset(&(bad.*flag), 7, 1);
    EXPECT_FALSE(reads(bad));
  }
  bad = good;
  std::memset(&bad.waits_for.listed, 0xff, 1);
  EXPECT_FALSE(reads(bad));
  bad = good;
  bad.members.stride = 0;
  EXPECT_FALSE(reads(bad));
  bad.members.stride = std::numeric_limits<std::int64_t>::min();
  EXPECT_FALSE(reads(bad));
  bad.members.count = 1;
  EXPECT_FALSE(reads(bad));  // nobody computes with it, nor may
  bad.members.count = 3;
  bad.members.stride = -1;
  EXPECT_FALSE(reads(bad));  // below rank 0
  bad.members.first = 2;
  EXPECT_TRUE(reads(bad));
  bad.members.count = 0xffffffffU;
  bad.members.stride = 0xffffffff;
  EXPECT_FALSE(reads(bad));
}

TEST(CallStatusPage, TextsAreCut) {
  CallRecord call;
  set_text(call.type, std::string(1000, 'x'));
  EXPECT_EQ(std::string(call.type), std::string(sizeof call.type - 1, 'x'));
}

}  // namespace
}  // namespace remit::launcher
