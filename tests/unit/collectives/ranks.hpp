// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Virtual ranks of the simulated network that run collectives, for tests of the table's rows.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectives/algorithms.hpp"
#include "collectives/collectives.hpp"
#include "collectives/hierarchy.hpp"
#include "collectives/state.hpp"
#include "tests/unit/collectives/cases.hpp"
#include "tests/unit/pt2pt/world.hpp"

namespace remit::testing {

/// One a member. What is not complete when it goes (a failed test, a dead process) is left behind,
/// for its engine knows its requests.
struct Operations : std::vector<std::unique_ptr<Collective>> {
  Operations() = default;
  Operations(Operations&&) = default;
  Operations& operator=(Operations&&) = default;
  ~Operations() {
    static auto& left = *new std::vector<Collective*>;  // so that leak checkers see them
    for (auto& operation : *this) {
      if (!operation->request.complete) left.push_back(operation.release());
    }
  }
};

inline std::string text(const Algorithm& row) {
  return fmt::format("{}={}", collective_name(row.kind), row.name);
}

/// What a Case can be: the rows before agreements and inter-communicators, which come last and have
/// tests of their own (collectives_inter_test.cpp).
inline std::span<const Algorithm> rows() {
  const std::span<const Algorithm> all = all_algorithms();
  std::size_t count = 0;
  while (count < all.size() && all[count].kind != CollectiveKind::agree) ++count;
  return all.first(count);
}

/// Everybody reaches everybody's memory, or nobody, or some reach some.
inline void let_reach(SimConfig& config, Random& random) {
  const int kind = below(random, 4);
  const std::uint64_t salt = random();
  if (kind == 0) return;
  config.reaches_memory = [=](PeerName from, PeerName to) {
    return kind != 1 || (from * 2654435761U + to * 40503U + salt) % 5 != 0;
  };
}

/// Virtual ranks of one host that run collectives; costs are per event, not per rank.
class Ranks : public World {
 public:
  Ranks(int size, SimConfig config, const ParamTexts& params = {})
      : Ranks(size, std::move(config), params, size) {}
  Ranks(int size, SimConfig config, const ParamTexts& params, int ranks_per_host)
      : World(size, std::move(config), params, 0, ranks_per_host) {}

  /// Puts the ranks into cells: of one size, of any, or scattered.
  void make_cells(Random& random) {
    const int kind = below(random, 3);
    int length = 1 + below(random, size());
    while (kind == 0 && size() % length != 0) --length;
    std::vector<std::int64_t> cells;
    std::int64_t cell = 7;
    for (int r = 0; r < size(); ++r) {
      if (kind == 0 && r % length == 0) ++cell;
      if (kind == 1 && below(random, length) == 0) ++cell;
      if (kind == 2) cell = below(random, length);
      cells.push_back(cell);
    }
    take_cells(cells);
  }
  void take_cells(const std::vector<std::int64_t>& cells) {
    for (int r = 0; r < size(); ++r) {
      auto hierarchy = std::make_shared<Hierarchy>(comm(r), cells);
      if (hierarchy->useful()) collective_state(comm(r)).hierarchy = std::move(hierarchy);
    }
  }

  Operations make(Case& what) {
    Operations operations;
    for (int r = 0; r < size(); ++r) {
      operations.push_back(std::make_unique<Collective>(engine(r), comm(r), what.at(r).args));
    }
    return operations;
  }
  void start(Collective& operation, int rank) {
    operation.start();
    network().wake(static_cast<PeerName>(rank));
  }
  void start(Operations& operations) {
    for (int r = 0; r < size(); ++r) start(*operations[static_cast<std::size_t>(r)], r);
  }
  /// Polls one rank until it has nothing to do.
  void drive(PeerName name) {
    Progress& progress = process(static_cast<int>(name)).progress();
    for (int idle = 0; idle < 2;) idle = progress.poll() != 0 ? 0 : idle + 1;
  }
  /// False: nothing happens any more though an operation is not complete.
  [[nodiscard]] bool finish(const std::vector<Collective*>& operations) {
    std::size_t next = 0;
    const auto done = [&] {
      while (next < operations.size() && operations[next]->request.complete) ++next;
      return next == operations.size();
    };
    return network().run([this](PeerName name) { drive(name); }, done);
  }
  [[nodiscard]] bool finish(const Operations& operations) {
    std::vector<Collective*> all;
    for (const auto& operation : operations) all.push_back(operation.get());
    return finish(all);
  }
  /// Every message that was sent has been received.
  void expect_nothing_left() {
    for (int r = 0; r < size(); ++r) network().wake(static_cast<PeerName>(r));
    (void)network().run([this](PeerName name) { drive(name); }, [] { return false; });
    for (int r = 0; r < size(); ++r) {
      EXPECT_EQ(engine(r).receiver().unexpected().bytes(), 0U) << "rank " << r;
      EXPECT_EQ(engine(r).rendezvous().transfers().live(), 0U) << "rank " << r;
      EXPECT_TRUE(engine(r).flushed()) << "rank " << r;
    }
  }
};

inline void expect_right(Case& what, const Operations& operations) {
  for (int r = 0; r < what.size; ++r) {
    const Request& request = operations[static_cast<std::size_t>(r)]->request;
    ASSERT_TRUE(request.complete) << "rank " << r;
    ASSERT_EQ(request.status.error, MPI_SUCCESS) << "rank " << r;
    ASSERT_TRUE(what.at(r).right()) << "rank " << r << " has a wrong result";
  }
}

}  // namespace remit::testing
