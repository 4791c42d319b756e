// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Puts that bring their notification along, over the simulated network with its faults.
#include "onesided/adapter/put_notice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "onesided/adapter/direct_moves.hpp"
#include "onesided/remote/wire.hpp"
#include "tests/unit/onesided/window_ranks.hpp"

namespace remit::testing {
namespace {

constexpr std::uint32_t kWindows = std::uint32_t{1} << kNoticeWindowBits;
constexpr std::uint32_t kIndices = std::uint32_t{1} << kNoticeIndexBits;

TEST(PutNotice, HasRoomForSoManyWindowsAndCounters) {
  EXPECT_EQ(kWindows, 4096U);
  EXPECT_EQ(kIndices, 262144U);
  for (const std::uint32_t window : {0U, 1U, 7U, 2048U, kWindows - 1}) {
    for (const std::uint32_t index : {0U, 1U, 77777U, kIndices - 1}) {
      const PutNotice notice = put_notice(window, index);
      ASSERT_TRUE(notice.has_value());
      EXPECT_LT(*notice, std::uint32_t{1} << kNotificationBits);
      const WindowHead head = head_of_notice(*notice);
      EXPECT_EQ(kind_of(head), WindowMessage::notify);
      EXPECT_EQ(head.window, window);
      EXPECT_EQ(head.value, index);
    }
    EXPECT_FALSE(put_notice(window, kIndices).has_value());
    EXPECT_FALSE(put_notice(window, ~0U).has_value());
  }
  EXPECT_FALSE(put_notice(kWindows, 0).has_value());
  EXPECT_FALSE(put_notice(~0U, kIndices - 1).has_value());
}

SimConfig in_order(SimConfig config) {
  config.caps.in_order = true;
  return config;
}
SimConfig silent(SimConfig config) {
  config.caps.notify = NotifyMode::none;
  return config;
}
/// Long puts take several operations.
SimConfig in_pieces(SimConfig config) {
  config.caps.max_message = AdapterPort::kLarge;
  return config;
}

/// A device that takes one operation at a time seldom has room for a whole put: then each
/// notification may go alone, as with one seed in a hundred.
SimConfig with_room(SimConfig config) {
  config.queue_depth = std::max(config.queue_depth, 4U);
  return config;
}

/// Each rank puts to slots of the next one, as many as there are counters, which looks at a slot in
/// the moment in which it is told of it.
class NotifyingRanks {
 public:
  static constexpr int kSize = 3;
  static constexpr std::size_t kSlot = 40000;
  static constexpr std::uint32_t kPuts = 120;
  static constexpr std::uint32_t kSlots = WindowRanks::kCounters;

  explicit NotifyingRanks(SimConfig config, bool with_vectors = true)
      : with_vectors_(with_vectors), ranks_(kSize, kSlots * kSlot, in_pieces(std::move(config))) {
    for (Target& target : targets_) target.expected.resize(kSlots * kSlot);
    ranks_.watch([this](int rank, std::uint32_t index) { look(rank, index); });
  }

  void play() {
    ranks_.run_served([&](int rank) {
      const int to = (rank + 1) % kSize;
      Target& target = targets_[static_cast<std::size_t>(to)];
      Random random(test_seed() + static_cast<std::uint64_t>(rank));
      for (std::uint32_t i = 0; i < kPuts && !::testing::Test::HasFailure(); ++i) {
        const auto slot = static_cast<std::uint32_t>(below(random, kSlots));
        // Bytes of a slot stay until it has been looked at.
        ranks_.process(rank).progress().wait(
            [&] { return target.seen[slot] == target.started[slot]; });
        put(rank, to, slot, random);
        if (below(random, 20) == 0) flush(rank, to);
      }
      flush(rank, to);
    });
  }
  /// Notifications that went with their puts, and alone.
  [[nodiscard]] int together() const { return together_; }
  [[nodiscard]] int alone() const { return alone_; }
  [[nodiscard]] std::uint64_t short_ones() const { return short_; }

 private:
  struct Target {
    std::vector<std::byte> expected;
    std::array<std::uint32_t, kSlots> started{}, seen{};
  };

  void look(int rank, std::uint32_t slot) {
    Target& target = targets_[static_cast<std::size_t>(rank)];
    ++target.seen[slot];
    EXPECT_EQ(target.seen[slot], target.started[slot]);
    const std::size_t at = slot * kSlot;
    EXPECT_EQ(std::memcmp(ranks_.memory(rank) + at, target.expected.data() + at, kSlot), 0)
        << "slot " << slot << " of rank " << rank << ", put " << target.seen[slot];
  }

  /// Behind a flush the target has been told of all.
  void flush(int rank, int to) {
    expect_ok(ranks_.access(rank).targets().flush(to, false, nullptr));
    const Target& target = targets_[static_cast<std::size_t>(to)];
    EXPECT_EQ(target.seen, target.started);
  }

  /// Bytes one behind the other, of any length, or a vector.
  void put(int rank, int to, std::uint32_t slot, Random& random) {
    RemoteAccess& access = ranks_.access(rank);
    Target& target = targets_[static_cast<std::size_t>(to)];
    std::byte* const there = ranks_.memory(to) + slot * kSlot;
    std::byte* const expected = target.expected.data() + slot * kSlot;
    const std::array<std::size_t, 4> most = {8, 600, kDirectFrom + 100, kSlot};
    const std::size_t bytes = 1 + below(random, most[below(random, most.size())]);
    const auto value = static_cast<std::byte>(random());
    // It is free on return, unless it is so long that it goes from where it is.
    std::vector<std::byte>& out = kept_.emplace_back(bytes, value);
    ++target.started[slot];
    if (with_vectors_ && below(random, 3) == 0) {
      const auto blocks = static_cast<MPI_Count>(1 + below(random, 600));
      const auto stride = static_cast<MPI_Count>(kSlot / static_cast<std::size_t>(blocks));
      const auto each = static_cast<MPI_Count>(1 + below(random, 8));
      const Ref<Datatype> type = *make_vector(blocks, each, stride, predefined(MPI_BYTE));
      out.assign(static_cast<std::size_t>(blocks * each), value);
      for (MPI_Count i = 0; i < blocks; ++i) {
        std::memset(expected + i * stride, std::to_integer<int>(value),
                    static_cast<std::size_t>(each));
      }
      const View scattered{there, 1, &type->layout()};
      return told(rank, to, slot,
                  access.put_notified(to, view(out.data(), out.size()), scattered, slot));
    }
    std::memset(expected, std::to_integer<int>(value), bytes);
    if (below(random, 2) == 0 &&
        access.try_put_notified(to, slot * kSlot, out.data(), bytes, slot)) {
      ++short_;
      return told(rank, to, slot, true);
    }
    told(rank, to, slot,
         access.put_notified(to, view(out.data(), bytes), view(there, bytes), slot));
  }
  void told(int rank, int to, std::uint32_t slot, const Expected<bool>& together) {
    ASSERT_TRUE(together.has_value()) << together.error().message;
    (*together ? together_ : alone_) += 1;
    if (!*together) expect_ok(ranks_.access(rank).notify(to, slot));
  }

  const bool with_vectors_;
  std::deque<std::vector<std::byte>> kept_;
  WindowRanks ranks_;
  std::array<Target, kSize> targets_;
  int together_ = 0;
  int alone_ = 0;
  std::uint64_t short_ = 0;
};

TEST(PutNotice, GoesWithPutsOfAPassiveDevice) {
  NotifyingRanks ranks(in_order(passive(sim_hostile(test_seed()))));
  ranks.play();
  EXPECT_GT(ranks.together(), 0);
  EXPECT_GT(ranks.alone(), 0);  // the first ones
  EXPECT_GT(ranks.short_ones(), 0U);
}
/// On a network without faults all puts bring their notification along, once keys are known, but
/// for those of more operations than the device takes at once, and those behind them.
TEST(PutNotice, GoesWithAllPutsOnAQuietNetwork) {
  NotifyingRanks ranks(in_order(passive(quiet(test_seed()))), false);
  ranks.play();
  EXPECT_GT(ranks.together(), 9 * ranks.alone());
}
/// Only long puts go by such a device.
TEST(PutNotice, GoesWithPutsOfADeviceThatIsNotPassive) {
  NotifyingRanks ranks(in_order(with_room(registering(sim_hostile(test_seed())))));
  ranks.play();
  EXPECT_GT(ranks.together(), 0);
  EXPECT_GT(ranks.alone(), 0);
  EXPECT_EQ(ranks.short_ones(), 0U);
}
TEST(PutNotice, IsNoneWhereDevicesKeepNoOrder) {
  NotifyingRanks ranks(passive(sim_hostile(test_seed())));
  ranks.play();
  EXPECT_EQ(ranks.together(), 0);
}
TEST(PutNotice, IsNoneWhereMessagesHaveNoOrderEither) {
  NotifyingRanks ranks(unordered(passive(sim_hostile(test_seed()))));
  ranks.play();
  EXPECT_EQ(ranks.together(), 0);
}
TEST(PutNotice, IsNoneWhereDevicesDoNotNotify) {
  NotifyingRanks ranks(silent(in_order(passive(sim_hostile(test_seed())))));
  ranks.play();
  EXPECT_EQ(ranks.together(), 0);
}

/// A put with its notification, as soon as they go together.
void put_together(WindowRanks& ranks, std::byte& value, std::uint32_t index) {
  RemoteAccess& access = ranks.access(0);
  while (!access.try_put_notified(1, 0, &value, 1, index)) {
    expect_ok(access.put(1, view(&value, 1), view(ranks.memory(1), 1), nullptr));
    expect_ok(access.targets().flush(1, false, nullptr));
  }
}
void expect_refusal(WindowRanks& ranks, int code, const char* words) {
  const Expected<> refused = ranks.access(0).targets().flush(1, false, nullptr);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, code);
  EXPECT_NE(refused.error().message.find(words), std::string::npos) << refused.error().message;
  expect_ok(ranks.access(0).targets().flush(1, false, nullptr));
}

/// The origin hears of it with the next flush, as of a message.
TEST(PutNotice, OfWhatIsNotThereIsRefused) {
  WindowRanks ranks(2, 64, in_order(passive(sim_hostile(test_seed()))));
  ranks.run_served([&](int rank) {
    if (rank != 0) return;
    RemoteAccess& access = ranks.access(0);
    std::byte value{3};
    put_together(ranks, value, 2);
    EXPECT_TRUE(access.targets().busy());
    expect_ok(access.targets().flush(1, false, nullptr));
    ASSERT_EQ(ranks.notifications(1).size(), 1U);
    EXPECT_EQ(ranks.notifications(1)[0].first, 2U);
    put_together(ranks, value, WindowRanks::kCounters);
    expect_refusal(ranks, MPI_ERR_ARG, "Window 7 (of a test) has no counter 4");
    // The number has no room in a notice.
    EXPECT_FALSE(access.try_put_notified(1, 0, &value, 1, kIndices));
    const auto told = access.put_notified(1, view(&value, 1), view(ranks.memory(1), 1), kIndices);
    ASSERT_TRUE(told.has_value());
    EXPECT_FALSE(*told);
    expect_ok(access.notify(1, kIndices));
    expect_refusal(ranks, MPI_ERR_ARG, "has no counter 262144");
    ranks.remove(1);
    put_together(ranks, value, 0);
    expect_refusal(ranks, MPI_ERR_WIN, "Window 7 (of a test) is not there: it has been freed");
  });
  EXPECT_EQ(ranks.notifications(1).size(), 1U);
}

/// A process that is no member of the window has nothing to tell of it: its link ends.
TEST(PutNotice, OfAStrangerEndsItsLink) {
  WindowRanks ranks(2, 64, in_order(passive(quiet(test_seed()))));
  ranks.run_served([&](int rank) {
    if (rank != 0) return;
    std::byte value{3};
    put_together(ranks, value, 0);
    expect_ok(ranks.access(0).targets().flush(1, false, nullptr));
  });
  Links& links = ranks.engine(0).links();
  constexpr PeerName kOtherJob = PeerName{1} << 40;
  ProcessDirectory& directory = links.directory();
  Link& stranger = links.get(directory.proc_of(directory.name_of(ProcId{0}) ^ kOtherJob));
  const std::uint64_t before = links.users().malformed();
  ranks.manager(0).notified(stranger, *put_notice(WindowRanks::kNumber, 0));
  EXPECT_EQ(links.users().malformed(), before + 1);
  EXPECT_TRUE(stranger.failed);
  EXPECT_TRUE(ranks.notifications(0).empty());
  ranks.manager(0).notified(stranger, *put_notice(WindowRanks::kNumber, 0));  // nothing more
  EXPECT_EQ(links.users().malformed(), before + 1);
}

}  // namespace
}  // namespace remit::testing
