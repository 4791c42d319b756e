// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What goes wrong at one process while a communicator is made is told to all whom it concerns:
// nobody waits for ever. Memory runs out where a test wants it to.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "communicators/bridge.hpp"
#include "communicators/group_encoding.hpp"
#include "communicators/intercomm.hpp"
#include "communicators/ports.hpp"
#include "communicators/root_outcome.hpp"
#include "communicators/spawn.hpp"
#include "communicators/split.hpp"
#include "tests/unit/communicators/calling_ranks.hpp"
#include "tests/unit/process_ids.hpp"

namespace {

// Of this thread: allocations of so many bytes fail, but for the first ones; 0: none does.
thread_local std::size_t failing_bytes = 0;
thread_local int granted = 0;
thread_local int failures = 0;

}  // namespace

// Out of line: a compiler that sees malloc() in one of them and not in the other takes fright.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (bytes != 0 && bytes == failing_bytes && granted-- <= 0) {
    ++failures;
    throw std::bad_alloc();
  }
  void* memory = std::malloc(std::max<std::size_t>(bytes, 1));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// What std::stable_sort() takes, and gives back by the operator below.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return bytes != 0 && bytes == failing_bytes ? nullptr
                                              : std::malloc(std::max<std::size_t>(bytes, 1));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace remit::testing {
namespace {

/// As long as it lives, memory of exactly this size is not to be had by this thread, but so many
/// times. A size that is asked for at one place only makes that place fail.
class NoMemoryFor {
 public:
  explicit NoMemoryFor(std::size_t bytes, int times = 0) {
    failing_bytes = bytes;
    granted = times;
    failures = 0;
  }
  ~NoMemoryFor() {
    EXPECT_GT(failures, 0) << "nobody asked for " << failing_bytes << " bytes";
    failing_bytes = 0;
  }
  NoMemoryFor(const NoMemoryFor&) = delete;
  NoMemoryFor& operator=(const NoMemoryFor&) = delete;
};

constexpr int kAccepting = 2;
constexpr int kSize = 5;

std::size_t passport_bytes(CallingRanks& ranks) {
  return encode(ranks.engine(0).links().passport()).size();
}

/// Two groups, of 2 and 3 processes, meet at a port. What rank `failing`, in the first, cannot
/// have makes the call fail at all; then all meet again.
void meet_without(int failing, const std::function<std::size_t(CallingRanks&)>& bytes) {
  CallingRanks ranks(kSize);
  const std::string name;
  std::string port;
  std::vector<int> codes(kSize, MPI_SUCCESS);
  int over = 0;
  ranks.run_all([&](int rank) {
    const CommCall call = ranks.call(rank);
    const bool accepts = rank < kAccepting;
    auto half = split_comm(call, ranks.world(rank), accepts ? 0 : 1, 0);
    ASSERT_TRUE(half && *half);
    if (rank == 0) port = call.comms.ports().open();
    call.progress().wait([&] { return !port.empty(); });
    const auto meet = [&] {
      return bridge_groups(call, {**half, name}, 0, [&]() -> Expected<std::unique_ptr<Bridge>> {
        Ports& ports = call.comms.ports();
        return accepts ? ports.accept(call, port) : ports.connect(call, port);
      });
    };
    const auto made = [&] {
      if (rank != failing) return meet();
      const NoMemoryFor failure(bytes(ranks));
      return meet();
    }();
    ASSERT_FALSE(made.has_value()) << "rank " << rank;
    codes[static_cast<std::size_t>(rank)] = made.error().code;
    ++over;
    call.progress().wait([&] { return over == kSize; });
    const auto again = meet();
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_EQ(again->remote->size(), accepts ? kSize - kAccepting : kAccepting);
  });
  for (int rank = 0; rank < kSize; ++rank) {
    EXPECT_EQ(codes[static_cast<std::size_t>(rank)],
              rank < kAccepting ? MPI_ERR_NO_MEM : MPI_ERR_OTHER);
  }
}

TEST(NoMemory, ForWhatTheRootGathers) {
  meet_without(0, [](CallingRanks& ranks) {
    return kAccepting * (sizeof(std::uint64_t) + passport_bytes(ranks));
  });
}

TEST(NoMemory, ForWhatTheOtherGroupSays) {
  meet_without(0, [](CallingRanks& ranks) { return (kSize - kAccepting) * passport_bytes(ranks); });
}

/// Not at the root: all others learn of it before anybody goes on.
TEST(NoMemory, AtOneMember) {
  meet_without(1, [](CallingRanks&) { return 4 * sizeof(Passport); });
}

/// The leader of a group of one has got its bridge, and leaves by an exception before it has said a
/// word there: the other leader, who waits for that, learns of it.
TEST(NoMemory, BetweenTheBridgeAndItsFirstWord) {
  CallingRanks ranks(3);
  const std::string name;
  std::string port;
  ranks.run_all([&](int rank) {
    const CommCall call = ranks.call(rank);
    auto half = split_comm(call, ranks.world(rank), rank == 0 ? 0 : 1, 0);
    ASSERT_TRUE(half && *half);
    if (rank == 0) port = call.comms.ports().open();
    call.progress().wait([&] { return !port.empty(); });
    std::optional<NoMemoryFor> failure;
    bool fails = rank == 0;
    const auto meet = [&] {
      return bridge_groups(call, {**half, name}, 0, [&]() -> Expected<std::unique_ptr<Bridge>> {
        Ports& ports = call.comms.ports();
        auto bridge = rank == 0 ? ports.accept(call, port) : ports.connect(call, port);
        // The first is for what it gathers, the second for what it gives to that.
        if (fails) failure.emplace(sizeof(std::uint64_t) + passport_bytes(ranks), 1);
        return bridge;
      });
    };
    if (rank == 0) {
      EXPECT_THROW((void)meet(), std::bad_alloc);
      failure.reset();
      fails = false;
    } else {
      const auto made = meet();
      ASSERT_FALSE(made.has_value());
      EXPECT_EQ(made.error().code, MPI_ERR_OTHER);
    }
    const auto again = meet();
    EXPECT_TRUE(again.has_value());
  });
}

TEST(NoMemory, BeforeThereIsABridge) {
  CallingRanks ranks(3);
  ranks.run_all([&](int rank) {
    const auto open = []() -> Expected<std::unique_ptr<Bridge>> { throw std::bad_alloc(); };
    const auto made = bridge_groups(ranks.call(rank), ranks.world(rank), 1, open);
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code, MPI_ERR_NO_MEM);
    EXPECT_EQ(made.error().message, "no memory is left at the process that leads it");
  });
}

TEST(NoMemory, AtTheRootOfASpawn) {
  CallingRanks ranks(3);
  ranks.run_all([&](int rank) {
    const CommCall call = ranks.call(rank);
    SpawnOrder order{SpawnRequest{}, {1}};
    order.request->programs.emplace_back().processes = 1;
    const auto spawn = [&](SpawnOrder* asked) {
      return spawn_processes(call, ranks.world(rank), 2, asked);
    };
    const SpawnResult result = [&] {
      if (rank != 2) return spawn(nullptr);
      const NoMemoryFor failure(call.comms.ports().open().size() + 1);  // of the next one's name
      return spawn(&order);
    }();
    ASSERT_FALSE(result.comm.has_value());
    EXPECT_EQ(result.comm.error().code, MPI_ERR_NO_MEM);
  });
}

/// Groups of leaders, irregular so that what the leaders say is long. A leader that has no memory
/// fails with its group and with the other one, and a second call with the same tag succeeds.
TEST(NoMemory, AtALeader) {
  constexpr int kAll = 16;
  CallingRanks ranks(kAll);
  const std::string name;
  int over = 0;
  ranks.run_all([&](int rank) {
    const CommCall call = ranks.call(rank);
    const bool is_small = rank == 2 || rank == 5 || rank == 6;
    auto half = split_comm(call, ranks.world(rank), is_small ? 0 : 1, 0);
    ASSERT_TRUE(half && *half);
    const ParentComm local{**half, name};
    const LeaderLink link{ranks.comm(rank), is_small ? 0 : 2};
    const auto create = [&] {
      return create_intercomm_of_leaders(call, local, 0, 9, local.core.rank == 0 ? &link : nullptr);
    };
    // First it cannot say its own words, then not hear the other ones.
    for (const bool says : {true, false}) {
      const auto made = [&] {
        if (rank != (says ? 0 : 2)) return create();
        const std::size_t words =
            encode_group(call.engine(),
                         *Group::of(procs({0, 1, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15})))
                .size() +
            2;
        const NoMemoryFor failure(words * sizeof(std::int64_t));
        return create();
      }();
      ASSERT_FALSE(made.has_value());
      EXPECT_EQ(made.error().code, is_small != says ? MPI_ERR_NO_MEM : MPI_ERR_OTHER);
    }
    ++over;
    call.progress().wait([&] { return over == kAll; });
    const auto again = create();
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_EQ(again->remote->size(), is_small ? 13 : 3);
  });
}

/// A leader whose arguments are wrong leaves the other one waiting, which the right ones satisfy.
TEST(Refusals, TheOtherLeaderWaitsForTheNextCall) {
  CallingRanks ranks(4);
  const std::string name;
  ranks.run_all([&](int rank) {
    const CommCall call = ranks.call(rank);
    const bool is_low = rank < 2;
    auto half = split_comm(call, ranks.world(rank), is_low ? 0 : 1, 0);
    ASSERT_TRUE(half && *half);
    const ParentComm local{**half, name};
    const LeaderLink link{ranks.comm(rank), is_low ? 2 : 0};
    const LeaderLink* own = local.core.rank == 0 ? &link : nullptr;
    if (rank == 0) {
      EXPECT_TRUE(refuse_intercomm(call, local, 0, MPI_ERR_TAG));
    } else if (rank == 1) {
      const auto refused = create_intercomm_of_leaders(call, local, 0, 9, nullptr);
      ASSERT_FALSE(refused.has_value());
      EXPECT_EQ(refused.error().code, MPI_ERR_TAG);
    }
    const auto made = create_intercomm_of_leaders(call, local, 0, 9, own);
    ASSERT_TRUE(made.has_value()) << made.error().message;
    EXPECT_EQ(made->remote->size(), 2);
  });
}

/// A long message, which stays at its sender until it is taken: both ends hear that one of them
/// had no room, or could make nothing of it, and the next exchange is none the worse.
TEST(Bridge, BothEndsFailOrNone) {
  constexpr std::size_t kLong = (std::size_t{1} << 20) + 3;
  CallingRanks ranks(2);
  const std::string port = ranks.call(0).comms.ports().open();
  ranks.run_all([&](int rank) {
    const CommCall call = ranks.call(rank);
    Ports& ports = call.comms.ports();
    auto opened = rank == 0 ? ports.accept(call, port) : ports.connect(call, port);
    ASSERT_TRUE(opened.has_value());
    Bridge& bridge = **opened;
    const Bytes mine(kLong + static_cast<std::size_t>(rank), std::byte{7});
    const auto heard = [&] {
      if (rank == 1) return bridge.exchange(mine);
      const NoMemoryFor failure(kLong + 1);
      return bridge.exchange(mine);
    }();
    ASSERT_FALSE(heard.has_value());
    EXPECT_EQ(heard.error().code, rank == 0 ? MPI_ERR_NO_MEM : MPI_ERR_OTHER);
    const auto taken = bridge.exchange(mine, [rank](const Bytes&) -> Expected<> {
      if (rank == 1) throw std::bad_alloc();
      return {};
    });
    ASSERT_FALSE(taken.has_value());
    EXPECT_EQ(taken.error().code, rank == 1 ? MPI_ERR_NO_MEM : MPI_ERR_OTHER);
    if (rank == 0) {
      bridge.refuse();
    } else {
      const auto refused = bridge.exchange(mine);
      ASSERT_FALSE(refused.has_value());
      EXPECT_EQ(refused.error().message, "the other group could not go on");
    }
    const auto last = bridge.exchange(mine);
    ASSERT_TRUE(last.has_value()) << last.error().message;
    EXPECT_EQ(last->size(), kLong + static_cast<std::size_t>(1 - rank));
  });
}

}  // namespace
}  // namespace remit::testing
