// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The rules of access modes, over all of them.
#include "files/access_mode.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace remit::testing {
namespace {

/// As section 14.2.1 has it, in its own words.
bool is_allowed(int amode) {
  const bool reads = (amode & MPI_MODE_RDONLY) != 0;
  const bool writes = (amode & MPI_MODE_WRONLY) != 0;
  const bool both = (amode & MPI_MODE_RDWR) != 0;
  if (int{reads} + int{writes} + int{both} != 1) return false;
  if (reads && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0) return false;
  return !both || (amode & MPI_MODE_SEQUENTIAL) == 0;
}

TEST(AccessMode, AllCombinations) {
  for (int amode = 0; amode < 512; ++amode) {
    const auto mode = AccessMode::make(amode);
    ASSERT_EQ(mode.has_value(), is_allowed(amode)) << amode;
    if (!mode) {
      EXPECT_EQ(mode.error().code, MPI_ERR_AMODE);
      continue;
    }
    EXPECT_EQ(mode->value(), amode);
    EXPECT_EQ(mode->writes(), (amode & MPI_MODE_RDONLY) == 0);
    EXPECT_EQ(mode->reads(), (amode & MPI_MODE_WRONLY) == 0);
    // Only who opens first makes the file or finds that it is there.
    EXPECT_EQ(mode->open_flags(false) & (O_CREAT | O_EXCL | O_TRUNC | O_APPEND), 0);
    const bool creates = (amode & MPI_MODE_CREATE) != 0;
    EXPECT_EQ((mode->open_flags(true) & O_CREAT) != 0, creates);
    EXPECT_EQ((mode->open_flags(true) & O_EXCL) != 0, creates && (amode & MPI_MODE_EXCL) != 0);
  }
  EXPECT_FALSE(AccessMode::make(MPI_MODE_RDWR | 512));
  EXPECT_FALSE(AccessMode::make(-1));
}

}  // namespace
}  // namespace remit::testing
