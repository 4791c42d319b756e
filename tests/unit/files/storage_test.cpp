// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Whole transfers over calls that are short, interrupted and fail; locks of ranges.
#include "files/storage/storage.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/files/faulty_calls.hpp"
#include "tests/unit/files/temporary_file.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

using Bytes = std::vector<std::byte>;
using Pieces = std::vector<Layout::Piece>;

/// Cuts memory into pieces, some of them empty, in order.
Pieces cut(std::mt19937_64& random, Bytes& memory, std::size_t most) {
  Pieces pieces;
  for (std::size_t at = 0; at < memory.size();) {
    const std::size_t length = std::min(memory.size() - at, random() % (most + 1));
    pieces.push_back({memory.data() + at, length});
    at += length;
  }
  return pieces;
}

TEST(Storage, WholeTransfersOutOfShortOnes) {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round != 200; ++round) {
    FaultyCalls calls(random(), {400, 200, 50, 10});
    Bytes model = random_bytes_of(random, random() % 5000);
    const TemporaryFile file(model);
    const Storage::Limits limits{1 + random() % 600, 1 + random() % 9};
    const auto storage = opened(calls, file, limits);
    Bytes given = random_bytes_of(random, random() % 6000);
    const std::size_t offset = random() % 5000;
    const Transferred written =
        storage->write(static_cast<std::int64_t>(offset), cut(random, given, 200));
    EXPECT_EQ(written, (Transferred{std::ssize(given), 0, 0}));
    if (!given.empty()) {
      model.resize(std::max(model.size(), offset + given.size()));
      std::memcpy(model.data() + offset, given.data(), given.size());
    }
    ASSERT_EQ(file.bytes(), model) << "round " << round;

    Bytes taken(random() % 8000, std::byte{0x55});
    const std::size_t from = random() % 6000;
    const Transferred read =
        storage->read(static_cast<std::int64_t>(from), cut(random, taken, 300));
    const std::size_t there = from < model.size() ? std::min(taken.size(), model.size() - from) : 0;
    EXPECT_EQ(read, (Transferred{static_cast<std::int64_t>(there), 0, 0}));
    Bytes expected(taken.size(), std::byte{0x55});
    if (there != 0) std::memcpy(expected.data(), model.data() + from, there);
    ASSERT_EQ(taken, expected) << "round " << round;
    EXPECT_LE(calls.most_bytes(), limits.bytes);
    EXPECT_LE(calls.most_pieces(), limits.pieces);
  }
}

TEST(Storage, TellsHowFarItCameAndWhy) {
  std::mt19937_64 random(test_seed());
  for (const int error_number : {ENOSPC, EDQUOT, EIO}) {
    FaultyCalls calls(random(), {300, 100, 0, 0});
    const Bytes before(1000, std::byte{1});
    const TemporaryFile file(before);
    const auto storage = opened(calls, file);
    const Bytes given(900, std::byte{2});
    if (error_number == EIO)
      calls.break_byte(400, EIO);
    else
      calls.leave_room(300, error_number);
    const Transferred written = storage->write(100, given);
    EXPECT_EQ(written, (Transferred{300, error_number, 400}));
    Bytes model = before;
    std::fill_n(model.begin() + 100, 300, std::byte{2});
    EXPECT_EQ(file.bytes(), model);
    EXPECT_EQ(error_of(written, FileMove::write, "f", 900).code, class_of_errno(error_number));
    calls.mend();
    EXPECT_EQ(storage->write(100, given), (Transferred{900, 0, 0}));
  }
  FaultyCalls calls;
  const TemporaryFile file(Bytes(1000, std::byte{1}));
  const auto storage = opened(calls, file);
  calls.break_byte(10, EIO);
  Bytes taken(100);
  EXPECT_EQ(storage->read(0, taken), (Transferred{10, EIO, 10}));
}

TEST(Storage, WaitsForLater) {
  FaultyCalls calls(test_seed(), {0, 0, 700, 0});
  const TemporaryFile file;
  const auto storage = opened(calls, file);
  for (int i = 0; i != 20; ++i) EXPECT_EQ(storage->write(0, Bytes(100)), (Transferred{100, 0, 0}));
}

TEST(Storage, OpenSaysWhy) {
  FaultyCalls calls;
  const TemporaryFile file;
  const auto missing = Storage::open(calls, file.path() + ".no", O_RDWR, 0);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, MPI_ERR_NO_SUCH_FILE);
  EXPECT_EQ(missing.error().message,
            file.path() +
                ".no: cannot open: No such file or directory (MPI_MODE_CREATE makes a "
                "file that is missing)");
  const auto there = Storage::open(calls, file.path(), O_RDWR | O_CREAT | O_EXCL, 0600);
  ASSERT_FALSE(there.has_value());
  EXPECT_EQ(there.error().code, MPI_ERR_FILE_EXISTS);
  const auto folder = Storage::open(calls, "/", O_RDONLY, 0);
  ASSERT_FALSE(folder.has_value());
  EXPECT_EQ(folder.error().code, MPI_ERR_BAD_FILE);
  for (const int error_number : {EACCES, EROFS, ETXTBSY, EMFILE, ENOSPC}) {
    calls.fail(FaultyCalls::Call::open, error_number);
    const auto failed = Storage::open(calls, file.path(), O_RDWR, 0);
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().code, class_of_errno(error_number));
  }
  calls.fail(FaultyCalls::Call::open, EINTR, 3);
  EXPECT_TRUE(Storage::open(calls, file.path(), O_RDWR, 0).has_value());
}

TEST(Storage, OneFileUnderTwoNamesIsKnown) {
  FaultyCalls calls;
  const TemporaryFile file;
  const TemporaryFile other;
  const std::string second = file.path() + ".link";
  ASSERT_EQ(::link(file.path().c_str(), second.c_str()), 0);
  const auto one = opened(calls, file);
  const auto same = Storage::open(calls, second, O_RDONLY, 0).value();
  EXPECT_EQ(one->identity(), same->identity());
  EXPECT_FALSE(one->identity() == opened(calls, other)->identity());
  EXPECT_TRUE(delete_file(calls, second).has_value());
  const Expected<> again = delete_file(calls, second);
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code, MPI_ERR_NO_SUCH_FILE);
}

TEST(Storage, SyncAndCloseTellErrors) {
  FaultyCalls calls;
  const TemporaryFile file;
  auto storage = opened(calls, file);
  calls.fail(FaultyCalls::Call::sync, EIO);
  const Expected<> synced = storage->sync();
  ASSERT_FALSE(synced.has_value());
  EXPECT_EQ(synced.error().code, MPI_ERR_IO);
  EXPECT_EQ(synced.error().message,
            file.path() + ": cannot write it back to storage: Input/output error");
  EXPECT_TRUE(storage->sync().has_value());
  calls.fail(FaultyCalls::Call::sync, EDQUOT);
  EXPECT_FALSE(storage->renew().has_value());
  calls.fail(FaultyCalls::Call::sync, EINTR, 2);
  EXPECT_TRUE(storage->data_sync().has_value());
  calls.fail(FaultyCalls::Call::close, EDQUOT);
  const Expected<> closed = storage->close();
  ASSERT_FALSE(closed.has_value());
  EXPECT_EQ(closed.error().code, MPI_ERR_QUOTA);
  EXPECT_TRUE(storage->close().has_value());
  auto interrupted = opened(calls, file);
  calls.fail(FaultyCalls::Call::close, EINTR);
  EXPECT_TRUE(interrupted->close().has_value());
}

TEST(Storage, Sizes) {
  FaultyCalls calls(test_seed(), {0, 300, 0, 0});
  const TemporaryFile file(Bytes(100, std::byte{7}));
  const auto storage = opened(calls, file);
  EXPECT_EQ(storage->size().value(), 100);
  EXPECT_TRUE(storage->truncate(50).has_value());
  EXPECT_TRUE(storage->truncate(80).has_value());
  Bytes model(80);
  std::fill_n(model.begin(), 50, std::byte{7});
  EXPECT_EQ(file.bytes(), model);
  calls.fail(FaultyCalls::Call::truncate, ENOSPC);
  EXPECT_EQ(storage->truncate(1000).error().code, MPI_ERR_NO_SPACE);
  EXPECT_TRUE(storage->preallocate(60).has_value());
  EXPECT_EQ(file.bytes(), model) << "nothing becomes shorter";
  EXPECT_TRUE(storage->preallocate(200).has_value());
  model.resize(200);
  EXPECT_EQ(file.bytes(), model);
  calls.fail(FaultyCalls::Call::allocate, ENOSPC);
  EXPECT_EQ(storage->preallocate(1000).error().code, MPI_ERR_NO_SPACE);
}

/// Bytes of storage that a file takes.
std::int64_t taken_by(const TemporaryFile& file) {
  struct stat what = {};
  EXPECT_EQ(::stat(file.path().c_str(), &what), 0);
  return std::int64_t{what.st_blocks} * 512;
}

TEST(Storage, PreallocatesWhereTheFileSystemCannot) {
  const std::int64_t mib = std::int64_t{1} << 20;
  for (const bool knows_holes : {true, false}) {
    FaultyCalls calls;
    const TemporaryFile file;
    const auto storage = opened(calls, file);
    // Data, a hole of 2 MiB, data, a hole of 1 MiB.
    const Bytes data(4096, std::byte{9});
    ASSERT_EQ(storage->write(0, data).error_number, 0);
    ASSERT_EQ(storage->write(2 * mib, data).error_number, 0);
    ASSERT_TRUE(storage->truncate(3 * mib).has_value());
    Bytes model = file.bytes();
    calls.fail(FaultyCalls::Call::allocate, EOPNOTSUPP);
    if (!knows_holes) calls.fail(FaultyCalls::Call::seek, EINVAL, 1000);
    EXPECT_TRUE(storage->preallocate(4 * mib).has_value());
    model.resize(static_cast<std::size_t>(4 * mib));
    EXPECT_TRUE(file.bytes() == model);
    if (knows_holes) {
      EXPECT_GE(taken_by(file), 4 * mib);
    }
    // What is shorter than the file asks for its first part only.
    calls.fail(FaultyCalls::Call::allocate, EOPNOTSUPP);
    const int writes = calls.writes();
    EXPECT_TRUE(storage->preallocate(mib).has_value());
    EXPECT_TRUE(file.bytes() == model);
    if (knows_holes) {
      EXPECT_EQ(calls.writes(), writes) << "there were no holes any more";
    }
  }
}

TEST(Storage, LocksExcludeOtherDescriptions) {
  FaultyCalls calls(test_seed(), {0, 300, 0, 0});
  const TemporaryFile file;
  const auto mine = opened(calls, file);
  const auto theirs = opened(calls, file);
  for (Storage* other : {theirs.get(), mine.get()}) {
    std::atomic<bool> is_given_up = false;
    std::atomic<bool> was_early = false;
    std::thread waits;
    {
      const auto lock = mine->lock(100, 100, true);
      ASSERT_TRUE(lock.has_value());
      EXPECT_TRUE(other->lock(0, 100, true).has_value()) << "beside it";
      EXPECT_TRUE(other->lock(200, 0, true).has_value()) << "behind it";
      waits = std::thread([&] {
        const auto second = other->lock(150, 10, true);
        was_early = !is_given_up;
        EXPECT_TRUE(second.has_value());
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      is_given_up = true;
    }
    waits.join();
    EXPECT_FALSE(was_early);
  }
  const auto shared = mine->lock(0, 10, false);
  EXPECT_TRUE(theirs->lock(0, 10, false).has_value());
  calls.fail(FaultyCalls::Call::lock, ENOLCK);
  const auto refused = mine->lock(50, 10, true);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, MPI_ERR_IO);
  EXPECT_TRUE(mine->lock(50, 10, true).has_value()) << "what failed keeps nothing";
}

TEST(Storage, NoChangeUnderLocksIsLost) {
  FaultyCalls calls(test_seed(), {200, 200, 0, 20});
  const TemporaryFile file(Bytes(64));
  const auto first = opened(calls, file);
  const auto second = opened(calls, file);
  constexpr std::uint64_t kChanges = 100;
  std::vector<std::thread> threads;
  for (Storage* storage : {first.get(), first.get(), second.get(), second.get()}) {
    threads.emplace_back([storage] {
      for (std::uint64_t i = 0; i != kChanges; ++i) {
        const auto lock = storage->lock(8, 8, true);
        std::uint64_t value = 0;
        static_cast<void>(storage->read(8, std::as_writable_bytes(std::span(&value, 1))));
        ++value;
        static_cast<void>(storage->write(8, std::as_bytes(std::span(&value, 1))));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::uint64_t value = 0;
  std::memcpy(&value, file.bytes().data() + 8, sizeof value);
  EXPECT_EQ(value, 4 * kChanges);
}

}  // namespace
}  // namespace remit::testing
