// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What members of a board measure of their processors: between two threads, and nothing else
// changes by it.
#include <gtest/gtest.h>

#include <barrier>
#include <limits>
#include <memory>
#include <thread>

#include "collectives/board/board_probe.hpp"
#include "runtime/copy.hpp"

namespace remit {
namespace {

/// Both write, read the other's page and write again, in every way.
void time_both(std::array<PageTimer*, 2> timers, std::array<BoardSegment*, 2> places) {
  std::barrier step(2);
  const auto run = [&](std::size_t i) {
    for (int round = 0; round < 3; ++round) {
      for (const bool taken : {false, true}) {
        const PageTimer::Way way{taken, round % 2 == 0};
        timers[i]->write_first(way);
        step.arrive_and_wait();
        timers[i]->read(*places[1 - i], way);
        step.arrive_and_wait();
        timers[i]->write_again(way);
        step.arrive_and_wait();
      }
    }
  };
  std::thread other(run, 1);
  run(0);
  other.join();
}

TEST(PageTimer, KnowsNothingBeforeItHasMeasured) {
  const auto place = std::make_unique<BoardSegment>();
  PageTimer timer(*place);
  timer.write_first({});
  EXPECT_EQ(timer.page_ns(false), 0U);
  EXPECT_EQ(timer.page_ns(true), 0U);
}

TEST(PageTimer, Measures) {
  const CopyLoops before = copy_loops();
  std::array<std::unique_ptr<BoardSegment>, 2> places = {std::make_unique<BoardSegment>(),
                                                         std::make_unique<BoardSegment>()};
  PageTimer first(*places[0]);
  PageTimer second(*places[1]);
  time_both({&first, &second}, {places[0].get(), places[1].get()});
  for (const PageTimer* timer : {&first, &second}) {
    EXPECT_GT(timer->page_ns(false), 0U);
    EXPECT_GT(timer->page_ns(true), 0U);
    const std::size_t lines = timer->claim_lines_to();
    EXPECT_TRUE(lines == 0 || lines == 12288 || lines == std::numeric_limits<std::size_t>::max());
    const std::size_t pieces = timer->pieces_to();
    EXPECT_TRUE(pieces == 0 || pieces == 4096 || pieces == 8192 ||
                pieces == BoardSegment::kPageBytes);
  }
  use_copy_loops(before);
}

}  // namespace
}  // namespace remit
