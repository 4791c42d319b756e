// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Independent transfers of random views against a model of the file, byte by byte.
#include "files/storage/transfers.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "datatype/datatype.hpp"
#include "files/storage/mapped_stores.hpp"
#include "files/storage/storage.hpp"
#include "files/views/file_view.hpp"
#include "tests/unit/files/faulty_calls.hpp"
#include "tests/unit/files/temporary_file.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

using Bytes = std::vector<std::byte>;
using Random = std::mt19937_64;

std::int64_t pick(Random& random, std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}

std::size_t index_of(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

/// Blocks of bytes, at ascending displacements, that repeat.
struct Blocks {
  std::vector<MPI_Count> lengths;
  std::vector<MPI_Count> displacements;
  MPI_Count extent = 0;

  [[nodiscard]] MPI_Count size() const {
    return std::accumulate(lengths.begin(), lengths.end(), MPI_Count{0});
  }
  /// Where a byte of the repetition lies.
  [[nodiscard]] std::int64_t offset(std::int64_t byte) const {
    const std::int64_t tile = byte / size();
    std::int64_t rest = byte % size();
    std::size_t block = 0;
    while (rest >= lengths[block]) rest -= lengths[block++];
    return tile * extent + displacements[block] + rest;
  }
  [[nodiscard]] Ref<Datatype> type() const {
    const Ref<Datatype> list = make_hindexed(lengths, displacements, predefined(MPI_BYTE)).value();
    Ref<Datatype> type = make_resized(*list, 0, extent).value();
    type->commit();
    return type;
  }
};

Blocks random_blocks(Random& random, std::int64_t most_length, std::int64_t most_hole) {
  Blocks blocks;
  std::int64_t at = pick(random, 0, most_hole);
  for (std::int64_t count = pick(random, 1, 6); count != 0; --count) {
    blocks.displacements.push_back(at);
    blocks.lengths.push_back(pick(random, 1, most_length));
    at += blocks.lengths.back() + pick(random, 0, most_hole);
  }
  blocks.extent = at;
  return blocks;
}

/// Two blocks that are far from each other: the next tile lies between them.
Blocks interleaved_blocks(Random& random) {
  const std::int64_t length = pick(random, 1, 40);
  return {{length, length}, {0, 5000}, length};
}

/// A view and what the model knows of it.
struct ModelView {
  Blocks blocks;
  std::int64_t displacement = 0;
  FileView view;

  ModelView(Blocks from, std::int64_t at)
      : blocks(std::move(from)),
        displacement(at),
        view(FileView::make(at, predefined(MPI_BYTE), *blocks.type(), true).value()) {}
  [[nodiscard]] std::int64_t offset(std::int64_t byte) const {
    return displacement + blocks.offset(byte);
  }
};

ModelView random_view(Random& random) {
  const std::int64_t displacement = pick(random, 0, 300);
  switch (pick(random, 0, 4)) {
    case 0:  // one run
      return {{{10}, {0}, 10}, displacement};
    case 1:
      return {interleaved_blocks(random), displacement};
    case 2:  // many small pieces near each other
      return {{{4}, {pick(random, 0, 4)}, pick(random, 8, 30)}, displacement};
    case 3:
      return {random_blocks(random, 3000, 12000), displacement};
    default:
      return {random_blocks(random, 100, 200), displacement};
  }
}

/// The program's memory: packed bytes at places of their own.
struct ModelMemory {
  Blocks blocks;
  std::int64_t bytes = 0;
  Ref<Datatype> type;
  Bytes memory;

  ModelMemory(Random& random, std::int64_t about) {
    switch (pick(random, 0, 2)) {
      case 0:
        blocks = {{1}, {0}, 1};
        break;
      case 1:
        blocks = random_blocks(random, 8, 8);
        break;
      default:
        blocks = random_blocks(random, 3000, 50);
    }
    type = blocks.type();
    const std::int64_t count = std::max<std::int64_t>(1, about / blocks.size());
    bytes = count * blocks.size();
    memory = random_bytes_of(random, index_of(count * blocks.extent));
  }
  [[nodiscard]] View view() {
    return {memory.data(), static_cast<MPI_Count>(bytes / blocks.size()), &type->layout()};
  }
  [[nodiscard]] std::byte& at(std::int64_t byte) { return memory[index_of(blocks.offset(byte))]; }
};

TransferHints random_hints(Random& random, FileCounters& counters) {
  TransferHints hints;
  hints.sieve = pick(random, 0, 1) != 0;
  hints.map = pick(random, 0, 1) != 0;
  hints.read_modify_write = pick(random, 0, 2) == 0;
  hints.read_buffer = random() % 2 == 0 ? 1 + random() % 2000 : std::size_t{256} << 10;
  hints.write_buffer = random() % 2 == 0 ? 1 + random() % 2000 : std::size_t{512} << 10;
  hints.counters = &counters;
  return hints;
}

/// The file after bytes [0, bytes) of the transfer were written.
Bytes written(Bytes model, const ModelView& view, std::int64_t from, ModelMemory& memory,
              std::int64_t bytes) {
  for (std::int64_t i = 0; i != bytes; ++i) {
    const std::size_t at = index_of(view.offset(from + i));
    if (at >= model.size()) model.resize(at + 1);
    model[at] = memory.at(i);
  }
  return model;
}

TEST(Transfers, RandomViewsAgainstAModel) {
  Random random(test_seed());
  for (int round = 0; round != 400; ++round) {
    SCOPED_TRACE(round);
    FaultyCalls calls(random(), {100, 50, 5, 0});
    FileCounters counters;
    const ModelView view = random_view(random);
    ModelMemory memory(random, pick(random, 1, 20000));
    const std::int64_t from = pick(random, 0, 3000);
    Bytes model = random_bytes_of(random, random() % 40000);
    const TemporaryFile file(model);
    const Storage::Limits limits{1 + random() % 100000, 1 + random() % 50};
    const auto storage = opened(calls, file, limits);
    const TransferHints hints = random_hints(random, counters);

    const Transferred wrote = write_view(*storage, view.view, from, memory.view(), hints);
    EXPECT_EQ(wrote, (Transferred{memory.bytes, 0, 0}));
    model = written(std::move(model), view, from, memory, memory.bytes);
    ASSERT_TRUE(file.bytes() == model);
    EXPECT_EQ(counters.direct_written.value() + counters.staged_written.value() +
                  counters.mapped_written.value() + counters.rmw_written.value(),
              memory.bytes);
    if (!hints.read_modify_write) {
      EXPECT_EQ(counters.rmw_written.value(), 0);
      EXPECT_EQ(counters.locks.value(), 0);
    }

    ModelMemory other(random, pick(random, 1, 30000));
    const std::int64_t start = pick(random, 0, 4000);
    std::int64_t there = 0;
    while (there != other.bytes && view.offset(start + there) < std::ssize(model)) ++there;
    ModelMemory expected = other;
    for (std::int64_t i = 0; i != there; ++i)
      expected.at(i) = model[index_of(view.offset(start + i))];
    const Transferred read = read_view(*storage, view.view, start, other.view(), hints);
    EXPECT_EQ(read, (Transferred{there, 0, 0}));
    ASSERT_TRUE(other.memory == expected.memory);
    EXPECT_EQ(counters.direct_read.value() + counters.sieved_read.value(), there);
  }
}

/// A part of a write moves its own bytes and no others; all parts together are the whole.
TEST(Transfers, PartsAreThoseOfTheWhole) {
  Random random(test_seed());
  for (int round = 0; round != 200; ++round) {
    SCOPED_TRACE(round);
    FaultyCalls calls(random(), {50, 20, 0, 0});
    FileCounters counters;
    const ModelView view = random_view(random);
    ModelMemory memory(random, pick(random, 1, 20000));
    const std::int64_t from = pick(random, 0, 3000);
    Bytes model = random_bytes_of(random, random() % 40000);
    const TemporaryFile file(model);
    const auto storage = opened(calls, file);
    const TransferHints hints = random_hints(random, counters);
    const std::int64_t first = pick(random, 0, memory.bytes);
    const std::int64_t second = pick(random, first, memory.bytes);
    // Of a byte that the view has twice the last one counts.
    const auto write_part = [&](std::int64_t at, std::int64_t end) {
      const TransferPart part{at, end - at};
      const Transferred wrote =
          write_view_part(*storage, view.view, from, memory.view(), part, hints);
      EXPECT_EQ(wrote, (Transferred{end - at, 0, 0}));
      for (std::int64_t i = at; i != end; ++i) {
        const std::size_t place = index_of(view.offset(from + i));
        if (place >= model.size()) model.resize(place + 1);
        model[place] = memory.at(i);
      }
      EXPECT_TRUE(file.bytes() == model);
    };
    write_part(first, second);
    write_part(second, memory.bytes);
    write_part(0, first);
  }
}

/// After a write that failed: what it says was written is there, nothing outside of the view has
/// changed, and within it is nothing but what was there or was given.
void check_failed_write(const Bytes& before, const Bytes& now, const ModelView& view,
                        std::int64_t from, ModelMemory& memory, const Transferred& wrote) {
  Bytes all = written(before, view, from, memory, memory.bytes);
  Bytes least = written(before, view, from, memory, wrote.bytes);
  ASSERT_LE(now.size(), std::max(all.size(), before.size()));
  ASSERT_GE(now.size(), std::max(least.size(), before.size()));
  Bytes old = before;
  old.resize(now.size());
  least.resize(now.size());
  all.resize(now.size());
  for (std::size_t i = 0; i != now.size(); ++i) {
    const bool is_surely_written = least[i] != old[i];
    if (is_surely_written)
      ASSERT_EQ(now[i], least[i]) << i;
    else
      ASSERT_TRUE(now[i] == old[i] || now[i] == all[i]) << i;
  }
}

TEST(Transfers, FailingStorage) {
  Random random(test_seed());
  int failures = 0;
  for (int round = 0; round != 400; ++round) {
    SCOPED_TRACE(round);
    FaultyCalls calls(random(), {100, 50, 0, 0});
    FileCounters counters;
    const ModelView view = random_view(random);
    ModelMemory memory(random, pick(random, 1, 20000));
    const std::int64_t from = pick(random, 0, 3000);
    const Bytes before = random_bytes_of(random, random() % 40000);
    const TemporaryFile file(before);
    const auto storage = opened(calls, file);
    TransferHints hints = random_hints(random, counters);
    const int errors[] = {ENOSPC, EDQUOT, EIO};
    const int error_number = errors[random() % 3];
    if (error_number == EIO)
      calls.break_byte(view.offset(from + pick(random, 0, memory.bytes - 1)), EIO);
    else
      calls.leave_room(pick(random, 0, memory.bytes), error_number);
    if (pick(random, 0, 1) != 0) hints.map = false;
    const Transferred wrote = write_view(*storage, view.view, from, memory.view(), hints);
    if (wrote.error_number == 0) {
      EXPECT_EQ(wrote.bytes, memory.bytes);
    } else {
      ++failures;
      EXPECT_EQ(wrote.error_number, error_number);
      EXPECT_LT(wrote.bytes, memory.bytes);
      if (error_number != EIO && !hints.read_modify_write) {
        EXPECT_EQ(wrote.offset, view.offset(from + wrote.bytes));
      }
    }
    check_failed_write(before, file.bytes(), view, from, memory, wrote);
    if (HasFatalFailure()) return;

    // A read that fails has moved what it says, and nothing else. A mapping knows of no such
    // faults.
    calls.mend();
    hints.map = false;
    const Bytes now = file.bytes();
    const std::int64_t broken = view.offset(from + pick(random, 0, memory.bytes - 1));
    calls.break_byte(broken, EIO);
    ModelMemory expected = memory;
    std::fill(memory.memory.begin(), memory.memory.end(), std::byte{0x11});
    expected.memory = memory.memory;
    const Transferred read = read_view(*storage, view.view, from, memory.view(), hints);
    if (broken < std::ssize(now) && view.view.is_ordered()) {
      EXPECT_EQ(read.error_number, EIO);
      EXPECT_EQ(read.offset, broken);
      EXPECT_EQ(view.offset(from + read.bytes), broken);
    }
    for (std::int64_t i = 0; i != read.bytes; ++i)
      expected.at(i) = now[index_of(view.offset(from + i))];
    ASSERT_TRUE(memory.memory == expected.memory);
  }
  EXPECT_GT(failures, 100);
}

TEST(Transfers, RefusedLocksEndReadModifyWrite) {
  FaultyCalls calls;
  Random random(test_seed());
  const ModelView view({{4}, {0}, 16}, 0);
  const Bytes before = random_bytes_of(random, 16000);
  const TemporaryFile file(before);
  const auto storage = opened(calls, file);
  ModelMemory memory(random, 3000);
  FileCounters counters;
  TransferHints hints;
  hints.read_modify_write = true;
  hints.counters = &counters;
  calls.fail(FaultyCalls::Call::lock, ENOLCK);
  EXPECT_EQ(write_view(*storage, view.view, 0, memory.view(), hints), (Transferred{0, ENOLCK, 0}));
  EXPECT_TRUE(file.bytes() == before);
  EXPECT_EQ(write_view(*storage, view.view, 0, memory.view(), hints),
            (Transferred{memory.bytes, 0, 0}));
  EXPECT_EQ(counters.rmw_written.value(), memory.bytes);
  EXPECT_GT(counters.locks.value(), 0);
}

/// 64 bytes of 256, two megabytes of them.
struct Fine {
  ModelView view{{{64}, {0}, 256}, 100};
  Bytes before;
  TemporaryFile file;
  Bytes data;
  FileCounters counters;
  TransferHints hints;

  explicit Fine(Random& random)
      : before(random_bytes_of(random, 3 << 20)),
        file(before),
        data(random_bytes_of(random, 2 << 20)) {
    hints.counters = &counters;
  }
  Transferred write(Storage& storage) {
    return write_view(storage, view.view, 0, bytes_view(data.data(), data.size()), hints);
  }
  [[nodiscard]] Bytes expected() const {
    Bytes model = before;
    model.resize(std::max(model.size(), index_of(view.offset(std::ssize(data) - 1) + 1)));
    for (std::int64_t i = 0; i != std::ssize(data); ++i)
      model[index_of(view.offset(i))] = data[index_of(i)];
    return model;
  }
};

TEST(Transfers, SmallPiecesGoThroughAMapping) {
  Random random(test_seed());
  FaultyCalls calls(random(), {50, 50, 0, 0});
  Fine fine(random);
  const auto storage = opened(calls, fine.file);
  if (!storage->traits().maps) GTEST_SKIP() << "the folder of temporary files cannot be mapped";
  EXPECT_EQ(fine.write(*storage), (Transferred{std::ssize(fine.data), 0, 0}));
  EXPECT_TRUE(fine.file.bytes() == fine.expected());
  EXPECT_EQ(fine.counters.mapped_written.value(), std::ssize(fine.data));
}

// A mapping stays from one transfer to the next, whatever becomes of the file meanwhile.
TEST(Transfers, AMappingIsKeptUntilTheFileIsClosed) {
  Random random(test_seed());
  FaultyCalls calls;
  Fine fine(random);
  const auto storage = opened(calls, fine.file);
  if (!storage->traits().maps) GTEST_SKIP() << "the folder of temporary files cannot be mapped";
  const auto is_mapped = [&] {
    std::ifstream maps("/proc/self/maps");
    const std::string text{std::istreambuf_iterator<char>(maps), {}};
    return text.find(fine.file.path()) != std::string::npos;
  };
  const char* const path = fine.file.path().c_str();
  for (const off_t left : {3 << 20, 1 << 20, 100, 0}) {
    ASSERT_EQ(::truncate(path, left), 0);
    fine.before.assign(static_cast<std::size_t>(left), std::byte{1});
    const int fd = ::open(path, O_WRONLY);
    ASSERT_EQ(::pwrite(fd, fine.before.data(), fine.before.size(), 0), left);
    const timespec long_ago[2] = {{1, 0}, {1, 0}};
    ASSERT_EQ(::futimens(fd, long_ago), 0);
    ::close(fd);
    fine.data = random_bytes_of(random, 2 << 20);
    EXPECT_EQ(fine.write(*storage), (Transferred{std::ssize(fine.data), 0, 0}));
    EXPECT_TRUE(fine.file.bytes() == fine.expected()) << left;
    struct stat now = {};
    ASSERT_EQ(::stat(path, &now), 0);
    EXPECT_GT(now.st_mtim.tv_sec, 1) << "a store alone does not tell";
    EXPECT_TRUE(is_mapped());
  }
  EXPECT_EQ(fine.counters.direct_written.value(), 0);
  EXPECT_TRUE(storage->close());
  EXPECT_FALSE(is_mapped());
}

// More of the file than is kept, with pieces across the ends of what is mapped at once.
TEST(Transfers, LargeFilesTakeOneMappingAfterTheOther) {
  Random random(test_seed());
  FaultyCalls calls;
  ModelView view{{{64}, {0}, 2000}, 100};
  const TemporaryFile file;
  const Bytes data = random_bytes_of(random, 10 << 20);
  FileCounters counters;
  TransferHints hints;
  hints.counters = &counters;
  const auto storage = opened(calls, file);
  if (!storage->traits().maps) GTEST_SKIP() << "the folder of temporary files cannot be mapped";
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(write_view(*storage, view.view, 0,
                         bytes_view(const_cast<std::byte*>(data.data()), data.size()), hints),
              (Transferred{std::ssize(data), 0, 0}));
  }
  EXPECT_GT(counters.mapped_written.value(), std::ssize(data));
  const Bytes bytes = file.bytes();
  ASSERT_EQ(std::ssize(bytes), view.offset(std::ssize(data) - 1) + 1);
  Bytes model(bytes.size());
  for (std::int64_t i = 0; i != std::ssize(data); ++i) {
    model[index_of(view.offset(i))] = data[index_of(i)];
  }
  EXPECT_TRUE(bytes == model);
}

/// A file that somebody makes shorter when it has been made as long as it is to be.
struct ShrinkingCalls final : FaultyCalls {
  int fallocate(int fd, std::int64_t offset, std::int64_t bytes) override {
    const int result = FaultyCalls::fallocate(fd, offset, bytes);
    if (std::exchange(shrinks, false)) {
      EXPECT_EQ(::ftruncate(fd, 1 << 19), 0);
    }
    return result;
  }
  bool shrinks = false;  ///< next time
};

TEST(Transfers, AFileThatShrinksUnderStoresEndsNobody) {
  Random random(test_seed());
  ShrinkingCalls calls;
  Fine fine(random);
  const auto storage = opened(calls, fine.file);
  if (!storage->traits().maps) GTEST_SKIP() << "the folder of temporary files cannot be mapped";
  struct sigaction before = {};
  struct sigaction after = {};
  ::sigaction(SIGBUS, nullptr, &before);
  calls.shrinks = true;
  EXPECT_EQ(fine.write(*storage), (Transferred{std::ssize(fine.data), 0, 0}));
  EXPECT_FALSE(calls.shrinks);
  EXPECT_GT(fine.counters.mapped_written.value(), 0);
  EXPECT_GT(fine.counters.direct_written.value(), 0) << "what could not be stored was written";
  // All of the data are there, whatever was cut off between them.
  Bytes back(fine.data.size());
  EXPECT_EQ(
      read_view(*storage, fine.view.view, 0, bytes_view(back.data(), back.size()), fine.hints),
      (Transferred{std::ssize(back), 0, 0}));
  EXPECT_TRUE(back == fine.data);
  ::sigaction(SIGBUS, nullptr, &after);
  EXPECT_EQ(before.sa_sigaction, after.sa_sigaction) << "the handler is the program's again";
}

/// One that somebody makes shorter when its size has been asked for.
struct SizeCalls final : FaultyCalls {
  int fstat(int fd, struct stat& out) override {
    const int result = FaultyCalls::fstat(fd, out);
    if (shrinking != nullptr) {
      EXPECT_EQ(::truncate(std::exchange(shrinking, nullptr), to), 0);
    }
    return result;
  }
  const char* shrinking = nullptr;  ///< next time
  std::int64_t to = 0;              ///< so many bytes
};

TEST(Transfers, ShortPiecesAreReadOutOfAMappingUpToTheEndOfTheFile) {
  Random random(test_seed());
  SizeCalls calls;
  Fine fine(random);
  const auto storage = opened(calls, fine.file, {}, O_RDONLY);
  if (!storage->traits().maps) GTEST_SKIP() << "the folder of temporary files cannot be mapped";
  const auto whole = std::ssize(fine.before);
  // Within the last page of what is read at a time, where a load meets zeros and no signal; and
  // before it.
  for (const std::int64_t end : {whole, std::int64_t{1048434}, std::int64_t{1} << 19}) {
    calls.shrinking = end != whole ? fine.file.path().c_str() : nullptr;
    calls.to = end;
    Bytes model(fine.data.size());
    std::int64_t there = 0;
    while (fine.view.offset(there) < end) {
      model[index_of(there)] = fine.before[index_of(fine.view.offset(there))];
      ++there;
    }
    Bytes back(fine.data.size());
    EXPECT_EQ(
        read_view(*storage, fine.view.view, 0, bytes_view(back.data(), back.size()), fine.hints),
        (Transferred{there, 0, 0}));
    back.resize(index_of(there));
    model.resize(index_of(there));
    EXPECT_TRUE(back == model);
    EXPECT_GT(fine.counters.direct_read.value(), 0) << "out of the mapping";
  }
}

// Loads would give a file in memory the blocks of its holes, for good.
TEST(Transfers, ReadingASparseFileGivesItNoBlocks) {
  constexpr std::int64_t kLong = std::int64_t{1} << 24;
  Random random(test_seed());
  FaultyCalls calls;
  Fine fine(random);
  ASSERT_EQ(::truncate(fine.file.path().c_str(), 0), 0);
  ASSERT_EQ(::truncate(fine.file.path().c_str(), kLong), 0);
  const auto storage = opened(calls, fine.file, {}, O_RDONLY);
  Bytes back(fine.data.size(), std::byte{1});
  EXPECT_EQ(
      read_view(*storage, fine.view.view, 0, bytes_view(back.data(), back.size()), fine.hints),
      (Transferred{std::ssize(back), 0, 0}));
  EXPECT_TRUE(back == Bytes(back.size()));
  struct stat now = {};
  ASSERT_EQ(::stat(fine.file.path().c_str(), &now), 0);
  EXPECT_EQ(now.st_blocks, 0);
}

sigjmp_buf elsewhere;
void go_elsewhere(int /*number*/) {
  siglongjmp(elsewhere, 1);
}

TEST(MappedStores, FaultsElsewhereGoToTheProgram) {
  struct sigaction own = {};
  struct sigaction before = {};
  struct sigaction now = {};
  own.sa_handler = go_elsewhere;
  own.sa_flags = SA_NODEFER;
  ASSERT_EQ(::sigaction(SIGBUS, &own, &before), 0);
  const TemporaryFile file;  // it has no page
  const int fd = ::open(file.path().c_str(), O_RDWR);
  void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ASSERT_NE(page, MAP_FAILED);
  volatile bool came = false;
  {
    const MappedStores stores;
    const std::byte byte{1};
    const iovec target{page, 1};
    const std::span<const std::byte> mapping(static_cast<std::byte*>(page), 4096);
    EXPECT_FALSE(stores.copy(mapping, {&target, 1}, &byte));
    if (sigsetjmp(elsewhere, 1) == 0) {
      *static_cast<volatile char*>(page) = 1;
    } else {
      came = true;
    }
  }
  EXPECT_TRUE(came);
  ::sigaction(SIGBUS, &before, &now);
  EXPECT_EQ(now.sa_handler, go_elsewhere);
  ::munmap(page, 4096);
  ::close(fd);
}

struct sigaction passes_to;
volatile std::sig_atomic_t passed = 0;
void pass_to_the_one_before(int number, siginfo_t* info, void* context) {
  passed = passed + 1;
  passes_to.sa_sigaction(number, info, context);
}

/// A store where there is no page, by the program itself. Whether go_elsewhere() had the fault.
bool faults_elsewhere(void* page) {
  if (sigsetjmp(elsewhere, 1) != 0) return true;
  *static_cast<volatile char*>(page) = 1;
  return false;
}

// A handler that is set while this library handles the signal passes on to the library what is none
// of its own. That must not come back to it.
TEST(MappedStores, AHandlerThatWasSetMeanwhileMayPassFaultsOn) {
  struct sigaction own = {};
  struct sigaction usual = {};
  struct sigaction now = {};
  own.sa_handler = go_elsewhere;
  own.sa_flags = SA_NODEFER;
  ASSERT_EQ(::sigaction(SIGBUS, &own, &usual), 0);
  const TemporaryFile file;  // it has no page
  const int fd = ::open(file.path().c_str(), O_RDWR);
  void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ASSERT_NE(page, MAP_FAILED);
  {
    const MappedStores stores;
    struct sigaction passing = {};
    passing.sa_sigaction = pass_to_the_one_before;
    passing.sa_flags = SA_SIGINFO | SA_NODEFER;
    ASSERT_EQ(::sigaction(SIGBUS, &passing, &passes_to), 0);
    EXPECT_TRUE(faults_elsewhere(page));
    EXPECT_EQ(passed, 1);
  }
  EXPECT_TRUE(faults_elsewhere(page));
  EXPECT_EQ(passed, 2);
  for (int times = 0; times < 3; ++times) {
    passed = 0;
    const MappedStores stores;
    EXPECT_TRUE(faults_elsewhere(page));
    EXPECT_EQ(passed, 1);
  }
  ::sigaction(SIGBUS, &usual, &now);
  EXPECT_EQ(now.sa_sigaction, pass_to_the_one_before) << "it stays";
  ::munmap(page, 4096);
  ::close(fd);
}

TEST(Transfers, WhatCannotBeMappedIsWritten) {
  Random random(test_seed());
  FaultyCalls calls;
  Fine write_only(random);
  const auto for_writing = opened(calls, write_only.file, {}, O_WRONLY);
  EXPECT_EQ(write_only.write(*for_writing), (Transferred{std::ssize(write_only.data), 0, 0}));
  EXPECT_TRUE(write_only.file.bytes() == write_only.expected());
  EXPECT_EQ(write_only.counters.mapped_written.value(), 0);
}

TEST(Transfers, ReadModifyWriteIsSieved) {
  Random random(test_seed());
  FaultyCalls calls(random(), {50, 50, 0, 0});
  Fine fine(random);
  fine.hints.read_modify_write = true;
  const auto storage = opened(calls, fine.file);
  EXPECT_EQ(fine.write(*storage), (Transferred{std::ssize(fine.data), 0, 0}));
  EXPECT_TRUE(fine.file.bytes() == fine.expected());
  EXPECT_EQ(fine.counters.rmw_written.value(), std::ssize(fine.data));
  EXPECT_LT(calls.writes(), 1000);
  fine.hints.map = false;
  Bytes back(fine.data.size());
  const int reads = calls.reads();
  EXPECT_EQ(
      read_view(*storage, fine.view.view, 0, bytes_view(back.data(), back.size()), fine.hints),
      (Transferred{std::ssize(back), 0, 0}));
  EXPECT_TRUE(back == fine.data);
  EXPECT_LT(calls.reads() - reads, 1000);
  EXPECT_EQ(fine.counters.sieved_read.value(), std::ssize(back));
  EXPECT_GT(fine.counters.sieved_bytes.value(), std::ssize(back));
}

/// Writers of pieces between each other's, over and over.
void check_writers_in_gaps(const TransferHints& hints, std::int64_t length, std::int64_t count) {
  constexpr int kWriters = 3;
  Random random(test_seed());
  FaultyCalls calls(random(), {100, 0, 0, 5});
  const TemporaryFile file;
  std::vector<std::unique_ptr<Storage>> storages;
  std::vector<ModelView> views;
  // Two of them are threads of one handle.
  for (int writer = 0; writer != kWriters; ++writer) {
    if (writer != 1) storages.push_back(opened(calls, file));
    views.emplace_back(Blocks{{length}, {writer * length}, kWriters * length}, 0);
  }
  for (int round = 1; round != 6; ++round) {
    std::vector<std::thread> threads;
    for (int writer = 0; writer != kWriters; ++writer) {
      threads.emplace_back([&, writer, round] {
        const Bytes data(index_of(length * count), static_cast<std::byte>(16 * round + writer));
        const ModelView& view = views[static_cast<std::size_t>(writer)];
        Storage& storage = *storages[writer == 2 ? 1 : 0];
        const Transferred wrote =
            write_view(storage, view.view, 0, bytes_view(data.data(), data.size()), hints);
        EXPECT_EQ(wrote, (Transferred{std::ssize(data), 0, 0}));
      });
    }
    for (std::thread& thread : threads) thread.join();
    const Bytes now = file.bytes();
    ASSERT_EQ(std::ssize(now), kWriters * length * count);
    for (std::int64_t i = 0; i != std::ssize(now); ++i) {
      ASSERT_EQ(static_cast<int>(now[index_of(i)]),
                16 * round + static_cast<int>(i / length % kWriters))
          << "round " << round << ", byte " << i;
    }
  }
}

TEST(Transfers, WritersInEachOthersGapsLoseNothing) {
  TransferHints hints;
  check_writers_in_gaps(hints, 64, 3000);
  hints.map = false;
  check_writers_in_gaps(hints, 64, 300);
  check_writers_in_gaps(hints, 5000, 30);
  hints.read_modify_write = true;
  hints.write_buffer = 4096;
  check_writers_in_gaps(hints, 64, 3000);
  check_writers_in_gaps(hints, 5000, 30);
}

TEST(Transfers, NothingIsNothing) {
  FaultyCalls calls;
  const TemporaryFile file;
  const auto storage = opened(calls, file);
  const ModelView view({{4}, {0}, 16}, 0);
  EXPECT_EQ(write_view(*storage, view.view, 0, bytes_view(nullptr, 0), {}), Transferred{});
  EXPECT_EQ(read_view(*storage, view.view, 0, bytes_view(nullptr, 0), {}), Transferred{});
  EXPECT_EQ(calls.writes() + calls.reads(), 0);
}

}  // namespace
}  // namespace remit::testing
