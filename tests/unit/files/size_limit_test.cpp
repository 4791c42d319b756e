// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A process that may not write so much: it is told, not ended.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <vector>

#include "files/storage/storage.hpp"
#include "tests/unit/files/temporary_file.hpp"

namespace remit::testing {
namespace {

TEST(SizeLimit, IsAnErrorAndNoSignal) {
  const TemporaryFile file;
  // What the test itself writes must not meet the limit.
  const rlimit limit{1000, RLIM_INFINITY};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto storage = Storage::open(kernel_file_calls(), file.path(), O_RDWR, 0).value();
  const std::vector<std::byte> data(800, std::byte{1});
  EXPECT_EQ(storage->write(0, data), (Transferred{800, 0, 0}));
  EXPECT_EQ(storage->write(800, data), (Transferred{200, EFBIG, 1000}));
  EXPECT_EQ(storage->write(5000, data), (Transferred{0, EFBIG, 5000}));
  EXPECT_EQ(storage->size().value(), 1000);
  EXPECT_FALSE(storage->truncate(2000).has_value());
  EXPECT_FALSE(storage->preallocate(2000).has_value());
  EXPECT_EQ(storage->size().value(), 1000);
  EXPECT_TRUE(storage->truncate(10).has_value());
}

}  // namespace
}  // namespace remit::testing
