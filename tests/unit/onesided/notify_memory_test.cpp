// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What counters of notifications take, however many processes may add to them. Counts what is
// allocated, so it is a program of its own.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "onesided/notified/notify.hpp"
#include "onesided/window_core.hpp"
#include "tests/unit/allocated_bytes.hpp"
#include "tests/unit/communicators/calling_ranks.hpp"

namespace remit::testing {
namespace {

constexpr std::uint32_t kCounters = 5;

/// The member 0 of a window whose other members, so many in all, are on other hosts: they agree
/// with it about everything, and each notifies it.
class ManyPeers {
 public:
  explicit ManyPeers(int members)
      : manager_(ranks_.process(0), ranks_.engine(0).links()),
        lines_(HostSegment::head_bytes(1, static_cast<std::size_t>(members)) / kControlLine + 1) {
    comm_.rank = 0;
    comm_.local = Group::regular(ProcId{0}, 1, members);
    HostSegment segment(reinterpret_cast<std::byte*>(lines_.data()), nullptr, 1, 0,
                        static_cast<std::size_t>(members));
    MemberEntry* const table = segment.table();
    for (int rank = 0; rank < members; ++rank) table[rank] = MemberEntry{};
    table[0].local_index = 0;
    members_ = std::make_unique<WindowMembers>(comm_, std::move(segment), manager_.kernel(),
                                               manager_.links());
  }

  /// Bytes that were allocated for counters to which all peers add, twice, while requests wait.
  [[nodiscard]] std::size_t bytes_of_notifications() {
    std::size_t bytes = 0;
    ranks_.run_all([&](int /*rank*/) {
      const std::size_t before = allocated_bytes();
      auto made =
          Notifications::make(ranks_.call(0), ranks_.world(0), manager_, *members_, kCounters);
      ASSERT_TRUE(made.has_value());
      ASSERT_NE(*made, nullptr);
      notify(**made);
      bytes = allocated_bytes() - before;
    });
    return bytes;
  }

 private:
  struct alignas(kControlLine) Line {
    std::byte bytes[kControlLine];
  };

  void notify(Notifications& notifications) {
    const auto peers = static_cast<std::uint64_t>(members_->size() - 1);
    Request all(RequestKind::receive);
    Request again(RequestKind::receive);
    notifications.waits().start(all, {0, peers, true});
    notifications.waits().start(again, {0, peers, true});
    for (int time = 0; time < 2; ++time) {
      EXPECT_EQ(all.complete, time == 1);
      for (int peer = 1; peer < members_->size(); ++peer) {
        if (!notifications.may_have(peer, 0) || !notifications.arrived(0)) ADD_FAILURE() << peer;
      }
      ranks_.process(0).progress().poll();
    }
    EXPECT_TRUE(again.complete);
    EXPECT_EQ(notifications.value(0), 2 * peers);
  }

  CallingRanks ranks_{1};
  OneSided manager_;
  CommCore comm_;
  std::vector<Line> lines_;
  std::unique_ptr<WindowMembers> members_;
};

TEST(Notifications, TakeTheSameForTwoMembersAndForAMillion) {
  const std::size_t of_two = ManyPeers(2).bytes_of_notifications();
  EXPECT_GT(of_two, NotifyCounters::bytes(kCounters));
  for (const int members : {3, 1000, 1'000'000}) {
    EXPECT_EQ(ManyPeers(members).bytes_of_notifications(), of_two) << members << " members";
  }
}

}  // namespace
}  // namespace remit::testing
