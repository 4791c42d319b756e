// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Ports, bridges and sockets, by virtual ranks that make the calls together.
#include "communicators/ports.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

#include "communicators/bridge.hpp"
#include "communicators/split.hpp"
#include "tests/unit/communicators/calling_ranks.hpp"

namespace remit::testing {
namespace {

/// Two groups of a world meet at a port, and are one inter-communicator; then again.
TEST(Ports, GroupsMeet) {
  CallingRanks ranks(5, sim_hostile(test_seed()));
  const std::string name;
  std::string port;
  std::vector<ContextId> contexts;
  ranks.run_all([&](int rank) {
    const CommCall call = ranks.call(rank);
    const bool accepts = rank < 2;
    auto half = split_comm(call, ranks.world(rank), accepts ? 0 : 1, 0);
    ASSERT_TRUE(half && *half);
    if (rank == 1) port = call.comms.ports().open();
    call.progress().wait([&] { return !port.empty(); });
    const auto open = [&]() -> Expected<std::unique_ptr<Bridge>> {
      Ports& ports = call.comms.ports();
      return accepts ? ports.accept(call, port) : ports.connect(call, port);
    };
    for (int i = 0; i < 2; ++i) {
      const auto made = bridge_groups(call, {**half, name}, 1, open);
      ASSERT_TRUE(made.has_value()) << made.error().message;
      EXPECT_EQ(made->rank, accepts ? rank : rank - 2);
      EXPECT_EQ(made->remote->size(), accepts ? 3 : 2);
      EXPECT_EQ(made->remote->proc(0), ProcId{accepts ? 2U : 0U});
      contexts.push_back(made->context);
    }
  });
  std::sort(contexts.begin(), contexts.end());
  ASSERT_EQ(contexts.size(), 10U);
  EXPECT_EQ(contexts[0], contexts[4]);
  EXPECT_EQ(contexts[5], contexts[9]);
  EXPECT_NE(contexts[0], contexts[5]);
}

/// Who asks at a port that is closed meanwhile, or was closed before, is refused.
TEST(Ports, ClosedOnesRefuse) {
  CallingRanks ranks(2);
  const std::string port = ranks.call(0).comms.ports().open();
  int refused = 0;
  ranks.run_all([&](int rank) {
    const CommCall call = ranks.call(rank);
    if (rank == 0) {
      for (int i = 0; i < 100; ++i) ranks.process(0).progress().poll();
      EXPECT_TRUE(call.comms.ports().close(port));
      EXPECT_FALSE(call.comms.ports().close(port));
      call.progress().wait([&] { return refused == 2; });
      return;
    }
    for (; refused < 2; ++refused) {
      const auto bridge = call.comms.ports().connect(call, port);
      ASSERT_FALSE(bridge.has_value());
      EXPECT_EQ(bridge.error().code, MPI_ERR_PORT);
      EXPECT_EQ(bridge.error().message, "rank 0 (host virtual0) has closed the port");
    }
  });
}

TEST(Ports, NamesThatAreNone) {
  CallingRanks ranks(2);
  const std::string port = ranks.call(0).comms.ports().open();
  for (const std::string& name : {std::string("nonsense"), std::string("remit:"),
                                  std::string("remit:1:zz"), port.substr(0, port.size() - 1)}) {
    const auto bridge = ranks.call(1).comms.ports().connect(ranks.call(1), name);
    ASSERT_FALSE(bridge.has_value());
    EXPECT_EQ(bridge.error().code, MPI_ERR_PORT);
    EXPECT_NE(bridge.error().message.find("is not the name of a port"), std::string::npos);
  }
  const auto elsewhere = ranks.call(1).comms.ports().accept(ranks.call(1), port);
  ASSERT_FALSE(elsewhere.has_value());
  EXPECT_EQ(elsewhere.error().message, "the port is not open at this process, the root");
}

/// The leader's words reach those who do not lead.
TEST(Ports, ErrorsOfTheRootReachAll) {
  CallingRanks ranks(3);
  ranks.run_all([&](int rank) {
    const CommCall call = ranks.call(rank);
    const auto open = [&] { return call.comms.ports().accept(call, "nonsense"); };
    const auto made = bridge_groups(call, ranks.world(rank), 2, open);
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code, MPI_ERR_PORT);
    EXPECT_EQ(made.error().message, "'nonsense' is not the name of a port (see MPI_Open_port)");
  });
}

TEST(Ports, SocketsBecomeBridges) {
  CallingRanks ranks(2);
  std::array<int, 2> sockets{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
  ranks.run_all([&](int rank) {
    const CommCall call = ranks.call(rank);
    const auto bridge = call.comms.ports().join(call, sockets[static_cast<std::size_t>(rank)]);
    ASSERT_TRUE(bridge.has_value()) << bridge.error().message;
    ASSERT_NE(*bridge, nullptr);
    const std::array mine{std::byte{static_cast<unsigned char>(rank + 1)}};
    const auto theirs = (*bridge)->exchange(mine);
    ASSERT_TRUE(theirs.has_value());
    EXPECT_EQ(*theirs, Bytes{std::byte{static_cast<unsigned char>(2 - rank)}});
  });
  ::close(sockets[0]);
  const auto closed = ranks.call(1).comms.ports().join(ranks.call(1), sockets[1]);
  ASSERT_FALSE(closed.has_value());
  EXPECT_EQ(closed.error().code, MPI_ERR_OTHER);
  ::close(sockets[1]);
  const auto none = ranks.call(1).comms.ports().join(ranks.call(1), -1);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, MPI_ERR_ARG);
}

}  // namespace
}  // namespace remit::testing
