// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What is said about the ways of a window.
#include "onesided/window_report.hpp"

#include <gtest/gtest.h>

#include "mpi.h"

namespace remit {
namespace {

using Reasons = std::vector<std::string>;

SomeMembers some(int count, int first) {
  return {count, first};
}

TEST(WindowReport, SomeMembersKnowTheFirst) {
  SomeMembers members;
  members.add(3);
  members.add(5);
  EXPECT_EQ(members.count, 2);
  EXPECT_EQ(members.first, 3);
}

TEST(WindowReport, NothingIsFasterThanMapped) {
  WindowReport report;
  report.number = 12;
  report.flavor = MPI_WIN_FLAVOR_ALLOCATE;
  report.members = 4;
  report.mapped = some(4, 0);
  EXPECT_EQ(why_not_faster(report), Reasons{});
  EXPECT_EQ(describe(report),
            "window 12: MPI_Win_allocate, 4 members: 4 mapped; passive; atomic by the processor");
  report.counts.waited_locks = 2;
  EXPECT_EQ(describe(report, "halo"),
            "window 12 (halo): MPI_Win_allocate, 4 members: 4 mapped; passive; atomic by the "
            "processor; locks that were not free 2");
}

TEST(WindowReport, AReasonForEachSlowerWay) {
  WindowReport report;
  report.flavor = MPI_WIN_FLAVOR_CREATE;
  report.members = 15;
  report.mapped = some(1, 0);
  report.kernel = some(1, 1);
  report.untried = some(2, 2);
  report.refused = some(2, 4);
  report.refusal = "the kernel does not want to";
  report.unshared = some(1, 6);
  report.not_sharing = "REMIT_SHM_ALLOC=no";
  report.elsewhere = some(8, 7);
  report.serving = WindowServing::thread;
  const Reasons reasons = why_not_faster(report);
  ASSERT_EQ(reasons.size(), 4U);
  EXPECT_EQ(reasons[0],
            "memory of MPI_Win_create is not shared, so that the kernel copies it: "
            "MPI_Win_allocate is faster");
  EXPECT_EQ(reasons[1],
            "rank 4 and 1 other are reached by messages: memory of MPI_Win_create is not shared, "
            "and the kernel does not want to");
  EXPECT_EQ(reasons[2],
            "rank 6 is reached by messages: memory of this host is not shared: "
            "REMIT_SHM_ALLOC=no");
  EXPECT_EQ(reasons[3], "rank 7 and 7 others are on other hosts");
  report.device = "tcp";
  EXPECT_EQ(why_not_faster(report)[3], "rank 7 and 7 others are on other hosts, reached by tcp");
  report.counts = {5, 6, 7, 0};
  const std::string line = describe(report);
  EXPECT_NE(line.find("15 members: 1 mapped, 1 by kernel copies, 2 by kernel copies not tried yet, "
                      "11 by messages; served by the progress thread; "),
            std::string::npos)
      << line;
  EXPECT_NE(line.find("; kernel copies 5, device puts and gets 6, messages 7; "), std::string::npos)
      << line;
  for (const std::string& reason : reasons) EXPECT_NE(line.find(reason), std::string::npos) << line;
}

TEST(WindowReport, AttachedMemoryIsNamedSo) {
  WindowReport report;
  report.flavor = MPI_WIN_FLAVOR_DYNAMIC;
  report.kernel = some(1, 1);
  ASSERT_EQ(why_not_faster(report).size(), 1U);
  EXPECT_TRUE(why_not_faster(report)[0].starts_with("attached memory is not shared"));
  report.serving = WindowServing::in_calls;
  EXPECT_NE(describe(report).find("served only while"), std::string::npos);
}

TEST(WindowReport, EachFlavorHasItsMaker) {
  EXPECT_STREQ(maker_of(MPI_WIN_FLAVOR_CREATE), "MPI_Win_create");
  EXPECT_STREQ(maker_of(MPI_WIN_FLAVOR_ALLOCATE), "MPI_Win_allocate");
  EXPECT_STREQ(maker_of(MPI_WIN_FLAVOR_SHARED), "MPI_Win_allocate_shared");
  EXPECT_STREQ(maker_of(MPI_WIN_FLAVOR_DYNAMIC), "MPI_Win_create_dynamic");
}

}  // namespace
}  // namespace remit
