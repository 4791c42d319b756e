// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Views against a list of where each of their bytes lies in the file.
#include "files/views/file_view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "files/views/data_representation.hpp"
#include "tests/unit/files/random_types.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
using Places = std::vector<std::int64_t>;

const Datatype& kByte = predefined(MPI_BYTE);
const Datatype& kInt = predefined(MPI_INT);
const Datatype& kDouble = predefined(MPI_DOUBLE);

Ref<Datatype> committed(const Expected<Ref<Datatype>>& made) {
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  (*made)->commit();
  return *made;
}

/// Where the first bytes of a view lie.
Places places_of(const TypeMap& tile, std::int64_t displacement, std::int64_t tiles) {
  Places places = tile.bytes(tiles);
  for (std::int64_t& place : places) place += displacement;
  return places;
}

struct Drawn {
  SampleType etype;
  SampleType filetype;
  std::int64_t displacement = 0;
  std::optional<FileView> view;
  Places places;  ///< of some tiles
};

/// A filetype of etypes; its extent may leave a hole, or let tiles interleave.
Drawn draw(std::mt19937_64& random) {
  RandomTypes types(random);
  Drawn drawn;
  drawn.etype = types.etype();
  drawn.filetype = types.nested(drawn.etype, static_cast<int>(types.pick(0, 3)), 60);
  const std::int64_t unit = drawn.etype.memory.extent();
  if (types.pick(0, 2) == 0) {
    const std::int64_t all = drawn.filetype.memory.true_ub() / unit;
    drawn.filetype =
        types.resized(drawn.filetype, types.pick(-1, 1) * unit, types.pick(1, all + 4) * unit);
  }
  drawn.displacement = types.pick(0, 1) == 0 ? 0 : types.pick(0, 50);
  auto view = FileView::make(drawn.displacement, *drawn.etype.type, *drawn.filetype.type, true);
  EXPECT_TRUE(view) << view.error().message;
  if (view) drawn.view = *view;
  drawn.places = places_of(drawn.filetype.memory, drawn.displacement, types.pick(1, 5));
  return drawn;
}

constexpr int kRounds = 2000;

template <class Check>
void for_random_views(Check check) {
  std::mt19937_64 random(test_seed());
  int with_holes = 0;
  int unordered = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Drawn drawn = draw(random);
    ASSERT_TRUE(drawn.view);
    with_holes += drawn.view->is_ordered() && !drawn.view->is_contiguous() ? 1 : 0;
    unordered += drawn.view->is_ordered() ? 0 : 1;
    check(random, drawn);
    if (::testing::Test::HasFatalFailure()) {
      FAIL() << "round " << round;
    }
  }
  // The test is about these.
  EXPECT_GT(with_holes, kRounds / 10);
  EXPECT_GT(unordered, kRounds / 50);
}

TEST(FileView, KnowsWhereItsBytesLie) {
  for_random_views([](std::mt19937_64&, const Drawn& d) {
    const FileView& view = *d.view;
    ASSERT_EQ(view.is_empty(), d.places.empty());
    ASSERT_EQ(view.displacement(), d.displacement);
    ASSERT_EQ(&view.etype(), d.etype.type.get());
    ASSERT_EQ(&view.filetype(), d.filetype.type.get());
    ASSERT_EQ(view.etype_size(), d.etype.memory.size());
    for (std::size_t i = 0; i < d.places.size(); ++i) {
      ASSERT_EQ(view.file_offset(static_cast<std::int64_t>(i)), d.places[i]);
    }
    if (d.places.empty()) {
      ASSERT_EQ(view.file_offset(0), d.displacement);
    }
  });
}

TEST(FileView, KnowsWhatItIs) {
  for_random_views([](std::mt19937_64&, const Drawn& d) {
    // Two tiles tell how all follow one another; tiles further apart interleave less.
    const Places places = places_of(d.filetype.memory, d.displacement, 2);
    const bool ordered = std::ranges::is_sorted(places, std::ranges::less_equal());
    ASSERT_EQ(d.view->is_ordered(), ordered);
    if (places.empty()) {
      ASSERT_FALSE(d.view->is_contiguous());
      return;
    }
    const bool one_run = ordered && places.back() - places.front() + 1 == std::ssize(places);
    ASSERT_EQ(d.view->is_contiguous(), one_run);
  });
}

TEST(FileView, CountsItsBytesBelowAnOffset) {
  for_random_views([](std::mt19937_64& random, const Drawn& d) {
    if (!d.view->is_ordered()) return;
    RandomTypes pick(random);
    const std::int64_t end = d.places.empty() ? 40 : d.places.back() + 1;
    for (int i = 0; i < 200; ++i) {
      const std::int64_t at = pick.pick(0, end);
      const auto below = std::ranges::lower_bound(d.places, at) - d.places.begin();
      ASSERT_EQ(d.view->bytes_below(at), below);
    }
  });
}

// The first etype, in the order of the view, that begins at or behind the end of the file.
TEST(FileView, SeeksTheEndByHoles) {
  for_random_views([](std::mt19937_64& random, const Drawn& d) {
    RandomTypes pick(random);
    const std::int64_t size = d.etype.memory.size();
    const std::int64_t end = d.places.empty() ? 40 : *std::ranges::max_element(d.places);
    for (int i = 0; i < 50; ++i) {
      const std::int64_t file_size = pick.pick(0, end);
      std::int64_t expected = 0;
      while (!d.places.empty() && d.places[static_cast<std::size_t>(expected * size)] < file_size) {
        ++expected;
        if (expected * size >= std::ssize(d.places)) break;
      }
      // Behind all tiles that are looked at: of the next one nothing is known.
      if (expected * size >= std::ssize(d.places) && !d.places.empty()) continue;
      ASSERT_EQ(d.view->seek_end(file_size), expected) << "file of " << file_size << " bytes";
    }
  });
}

TEST(FileView, ListsRuns) {
  for_random_views([](std::mt19937_64& random, const Drawn& d) {
    const auto total = std::ssize(d.places);
    RandomTypes pick(random);
    std::int64_t from = pick.pick(0, total);
    const std::int64_t to = pick.pick(from, total);
    std::vector<FileRun> room(static_cast<std::size_t>(pick.pick(1, 150)));
    while (from < to) {
      std::int64_t taken = 0;
      const std::size_t runs = d.view->runs(from, to - from, room, &taken);
      ASSERT_GE(runs, 1U);
      ASSERT_LE(runs, room.size());
      ASSERT_TRUE(from + taken == to || runs == room.size());
      std::int64_t at = from;
      for (std::size_t r = 0; r < runs; ++r) {
        if (r > 0) {
          ASSERT_NE(room[r].offset, room[r - 1].offset + room[r - 1].length);
        }
        for (std::int64_t b = 0; b < room[r].length; ++b, ++at) {
          ASSERT_LT(at, to);
          ASSERT_EQ(room[r].offset + b, d.places[static_cast<std::size_t>(at)]);
        }
      }
      ASSERT_EQ(at, from + taken);
      from = at;
    }
    std::int64_t taken = -1;
    ASSERT_EQ(d.view->runs(from, 0, room, &taken), 0U);
    ASSERT_EQ(taken, 0);
  });
}

TEST(FileView, SpansFromTheLowestToTheHighest) {
  for_random_views([](std::mt19937_64& random, const Drawn& d) {
    const auto total = std::ssize(d.places);
    RandomTypes pick(random);
    for (int i = 0; i < 10; ++i) {
      const std::int64_t from = pick.pick(0, total);
      const std::int64_t to = pick.pick(from, total);
      const FileRun span = d.view->span(from, to - from);
      if (from == to) {
        ASSERT_EQ(span.length, 0);
        continue;
      }
      const auto [low, high] = std::minmax_element(d.places.begin() + from, d.places.begin() + to);
      ASSERT_EQ(span, (FileRun{*low, *high - *low + 1}));
    }
  });
}

// A window of the file in memory: the view's bytes go to their places, and nothing else changes.
TEST(FileView, IsAMessageBuffer) {
  for_random_views([](std::mt19937_64& random, const Drawn& d) {
    if (d.places.empty()) return;
    RandomTypes pick(random);
    const std::int64_t from = pick.pick(0, std::ssize(d.places) - 1);
    const std::int64_t bytes = pick.pick(1, std::ssize(d.places) - from);
    const FileRun part = d.view->span(from, bytes);
    std::vector<std::byte> window(static_cast<std::size_t>(part.length));
    std::vector<std::byte> expected(window.size());
    for (std::byte& byte : expected) byte = static_cast<std::byte>(random());
    window = expected;
    std::vector<std::byte> data(static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < data.size(); ++i) {
      data[i] = static_cast<std::byte>(random());
      const std::int64_t place = d.places[static_cast<std::size_t>(from) + i];
      expected[static_cast<std::size_t>(place - part.offset)] = data[i];
    }
    // Where tiles lie on each other no byte is the right one.
    Places used(d.places.begin() + from, d.places.begin() + from + bytes);
    std::ranges::sort(used);
    if (std::ranges::adjacent_find(used) != used.end()) return;
    const View file = d.view->in_memory(reinterpret_cast<std::uintptr_t>(window.data()) -
                                        static_cast<std::uintptr_t>(part.offset));
    const auto offset = static_cast<std::size_t>(from);
    ASSERT_EQ(file.unpack(offset, data), data.size());
    ASSERT_EQ(window, expected);
    std::vector<std::byte> back(data.size());
    ASSERT_EQ(file.pack(offset, back), back.size());
    ASSERT_EQ(back, data);
  });
}

TEST(FileView, IsBytesAtFirst) {
  const FileView view;
  EXPECT_TRUE(view.is_contiguous());
  EXPECT_TRUE(view.is_ordered());
  EXPECT_FALSE(view.is_empty());
  EXPECT_EQ(view.etype().handle(), MPI_BYTE);
  EXPECT_EQ(view.filetype().handle(), MPI_BYTE);
  EXPECT_EQ(view.displacement(), 0);
  EXPECT_EQ(view.file_offset(std::int64_t{1} << 60), std::int64_t{1} << 60);
  EXPECT_EQ(view.seek_end(12345), 12345);
  EXPECT_EQ(view.bytes_below(kFar - 1), kFar - 1);
  std::vector<FileRun> runs(3);
  std::int64_t taken = 0;
  EXPECT_EQ(view.runs(5, std::int64_t{1} << 40, runs, &taken), 1U);
  EXPECT_EQ(runs[0], (FileRun{5, std::int64_t{1} << 40}));
}

// The example of MPI-5.0, 14.3: int every 16 bytes from 4 on, in a file of 40 bytes.
TEST(FileView, SeeksTheEndOfTheExample) {
  const auto tile = committed(make_resized(kInt, 0, 16));
  const auto view = FileView::make(4, kInt, *tile, true);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->seek_end(40), 3);
  EXPECT_EQ(view->seek_end(36), 2);
  EXPECT_EQ(view->seek_end(37), 3);
  EXPECT_EQ(view->seek_end(0), 0);
}

// An extent below the true extent: tiles of bytes 0, 8 that begin 4 bytes apart.
TEST(FileView, InterleavesTiles) {
  const auto pair = committed(make_hvector(2, 4, 8, kByte));
  const auto tile = committed(make_resized(*pair, 0, 4));
  const auto view = FileView::make(100, kByte, *tile, true);
  ASSERT_TRUE(view);
  EXPECT_FALSE(view->is_ordered());
  std::vector<FileRun> runs(6);
  std::int64_t taken = 0;
  ASSERT_EQ(view->runs(2, 20, runs, &taken), 6U);
  EXPECT_EQ(runs,
            (std::vector<FileRun>{{102, 2}, {108, 4}, {104, 4}, {112, 4}, {108, 4}, {116, 2}}));
  EXPECT_EQ(view->span(2, 20), (FileRun{102, 16}));
  EXPECT_EQ(view->span(4, 8), (FileRun{104, 8}));
  // Of the bytes of the first tile only the last four lie at 108 or behind, from view byte 4 on.
  EXPECT_EQ(view->seek_end(105), 4);
  EXPECT_EQ(view->seek_end(111), 7);
  EXPECT_EQ(view->seek_end(112), 12);
}

TEST(FileView, MayHaveNoBytes) {
  const auto none = committed(make_contiguous(0, kInt));
  const auto hole = committed(make_resized(*none, 0, 64));
  for (const Datatype* filetype :
       {static_cast<const Datatype*>(none.get()), static_cast<const Datatype*>(hole.get())}) {
    for (const Datatype* etype : {&kInt, static_cast<const Datatype*>(none.get())}) {
      const auto view = FileView::make(8, *etype, *filetype, true);
      ASSERT_TRUE(view) << view.error().message;
      EXPECT_TRUE(view->is_empty());
      EXPECT_FALSE(view->is_contiguous());
      EXPECT_GE(view->etype_size(), 1);
      EXPECT_EQ(view->bytes(), 0);
      EXPECT_EQ(view->file_offset(0), 8);
      EXPECT_EQ(view->bytes_below(1000), 0);
      EXPECT_EQ(view->seek_end(1000), 0);
      EXPECT_EQ(view->span(0, 0).length, 0);
      EXPECT_EQ(view->in_memory(0).size(), 0U);
      EXPECT_TRUE(view->require(0, 0));
      EXPECT_EQ(view->require(0, 1).error().code, MPI_ERR_ARG);
      EXPECT_EQ(view->byte_of(0).value(), 0);
      EXPECT_EQ(view->byte_of(1).error().code, MPI_ERR_ARG);
    }
  }
}

void expect_refusal(std::int64_t displacement, const Datatype& etype, const Datatype& filetype,
                    int code, const std::string& words, bool writable = true) {
  const auto view = FileView::make(displacement, etype, filetype, writable);
  ASSERT_FALSE(view) << words;
  EXPECT_EQ(view.error().code, code) << view.error().message;
  EXPECT_NE(view.error().message.find(words), std::string::npos) << view.error().message;
}

TEST(FileView, RefusesWhatTheStandardForbids) {
  const Datatype& null = predefined(MPI_DATATYPE_NULL);
  expect_refusal(-4, kInt, kInt, MPI_ERR_ARG, "disp is -4");
  expect_refusal(0, null, kInt, MPI_ERR_TYPE, "etype is no datatype");
  expect_refusal(0, kInt, null, MPI_ERR_TYPE, "filetype is no datatype");
  const auto fresh = make_contiguous(2, kInt);
  expect_refusal(0, kInt, **fresh, MPI_ERR_TYPE, "filetype is not committed");
  expect_refusal(0, **fresh, kInt, MPI_ERR_TYPE, "etype is not committed");
  const auto below = committed(make_hindexed(Counts{1, 1}, Counts{-8, 0}, kInt));
  expect_refusal(0, kInt, *below, MPI_ERR_TYPE, "lowest byte of filetype lies at -8");
  expect_refusal(0, *below, *below, MPI_ERR_TYPE, "lowest byte of etype lies at -8");
  const auto down = committed(make_hindexed(Counts{1, 1, 1}, Counts{0, 16, 8}, kInt));
  expect_refusal(0, kInt, *down, MPI_ERR_TYPE, "displacements of filetype decrease");
  expect_refusal(0, kInt, *down, MPI_ERR_TYPE, "displacements of filetype decrease", false);
  const auto backwards = committed(make_hvector(3, 1, -8, kInt));
  const auto moved = committed(make_hindexed(Counts{1}, Counts{16}, *backwards));
  expect_refusal(0, kInt, *moved, MPI_ERR_TYPE, "displacements of filetype decrease");
  const auto twice = committed(make_hindexed(Counts{2, 1}, Counts{0, 4}, kInt));
  expect_refusal(0, kInt, *twice, MPI_ERR_TYPE, "filetype has bytes twice");
  // Runs of memory alone would not show that the third int lies below the second.
  const auto inside = committed(make_hindexed(Counts{2, 1}, Counts{0, 0}, kInt));
  expect_refusal(0, kInt, *inside, MPI_ERR_TYPE, "displacements of filetype decrease", false);
  const auto nowhere = committed(make_resized(kInt, 0, 0));
  expect_refusal(0, kInt, *nowhere, MPI_ERR_TYPE, "extent of filetype is 0");
  const auto negative = committed(make_resized(kInt, 0, -8));
  expect_refusal(0, kInt, *negative, MPI_ERR_TYPE, "extent of filetype is -8");
  expect_refusal(0, *negative, kInt, MPI_ERR_TYPE, "extent of etype is -8");
}

TEST(FileView, RefusesFiletypesThatAreNotMadeOfEtypes) {
  const auto none = committed(make_contiguous(0, kInt));
  expect_refusal(0, *none, kInt, MPI_ERR_TYPE, "etype has no bytes");
  expect_refusal(0, kDouble, kInt, MPI_ERR_TYPE, "filetype has 4 bytes, etype 8");
  const auto odd = committed(make_hindexed(Counts{1, 1}, Counts{0, 6}, kInt));
  expect_refusal(0, kInt, *odd, MPI_ERR_TYPE, "byte 6 of filetype");
  const auto shifted_tile = committed(make_hindexed(Counts{1}, Counts{2}, kInt));
  expect_refusal(0, kInt, *shifted_tile, MPI_ERR_TYPE, "byte 2 of filetype");
  const auto vector = committed(make_hvector(1000, 2, 10, kInt));
  expect_refusal(0, kInt, *vector, MPI_ERR_TYPE, "byte 10 of filetype");
  const auto tail = committed(make_resized(kInt, 0, 6));
  expect_refusal(0, kInt, *tail, MPI_ERR_TYPE, "extent of filetype, 6 bytes");
  // Ints with holes are etypes of their own: without the holes it is another type.
  const auto sparse = committed(make_resized(kInt, 0, 8));
  const auto ints = committed(make_contiguous(6, kInt));
  expect_refusal(0, *sparse, *ints, MPI_ERR_TYPE, "byte 4 of filetype");
  const auto many = committed(make_contiguous(6, *sparse));
  EXPECT_TRUE(FileView::make(0, *sparse, *many, true));
  // Bytes go with everything.
  for (const Datatype* type : {odd.get(), shifted_tile.get(), vector.get(), tail.get()}) {
    EXPECT_TRUE(FileView::make(3, kByte, *type, true));
  }
}

TEST(FileView, ReadsBytesTwiceWhereNobodyWrites) {
  const auto twice = committed(make_hindexed(Counts{2, 2}, Counts{0, 4}, kInt));
  const auto view = FileView::make(10, kInt, *twice, false);
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_FALSE(view->is_ordered());
  const Places expected = {10, 14, 14, 18, 22, 26, 26, 30};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(view->file_offset(static_cast<std::int64_t>(4 * i)), expected[i]);
  }
  const FileRun span = view->span(0, 32);
  EXPECT_EQ(span.offset, 10);
  EXPECT_GE(span.length, 24);
}

TEST(FileView, OfManyBlocksIsSmall) {
  constexpr MPI_Count kBlocks = 16 << 20;
  const auto vector = committed(make_vector(kBlocks, 8, 64, kByte));
  const auto tile = committed(make_resized(*vector, 0, kBlocks * 64));
  const auto view = FileView::make(512, kByte, *tile, true);
  ASSERT_TRUE(view);
  EXPECT_TRUE(view->is_ordered());
  EXPECT_EQ(view->file_offset(8 * kBlocks - 1), 512 + (kBlocks - 1) * 64 + 7);
  EXPECT_EQ(view->file_offset(8 * kBlocks), 512 + kBlocks * 64);
  EXPECT_EQ(view->file_offset(8 * kBlocks * 4096 + 9), 512 + kBlocks * 64 * 4096 + 64 + 1);
  EXPECT_EQ(view->bytes_below(512 + kBlocks * 64 * 4096 + 64 + 1), 8 * kBlocks * 4096 + 9);
  EXPECT_EQ(view->seek_end(512 + 5 * 64 + 8), 48);
}

TEST(FileView, EndsWhereOffsetsDo) {
  // Whole gigabytes with gaps: 2^62 bytes of the file are 2^61 bytes of the view.
  const auto block = committed(make_contiguous(std::int64_t{1} << 30, kByte));
  const auto tile = committed(make_resized(*block, 0, std::int64_t{1} << 31));
  const auto view = FileView::make(1000, kByte, *tile, true);
  ASSERT_TRUE(view);
  const std::int64_t last = view->bytes() - 1;
  EXPECT_GE(view->bytes(), (std::int64_t{1} << 62) - (std::int64_t{1} << 32));
  EXPECT_GT(view->file_offset(last), std::int64_t{1} << 62);
  EXPECT_EQ(view->bytes_below(view->file_offset(last)), last);
  EXPECT_EQ(view->bytes_below(kFar), view->bytes());
  EXPECT_EQ(view->file_offset(last + 1), kFar);
  EXPECT_TRUE(view->require(last, 1));
  EXPECT_TRUE(view->require(kFar, 0));
  EXPECT_EQ(view->require(last, 2).error().code, MPI_ERR_ARG);
  EXPECT_EQ(view->require(1, kFar).error().code, MPI_ERR_ARG);
  EXPECT_EQ(view->require(-1, 1).error().code, MPI_ERR_ARG);
  EXPECT_EQ(view->byte_of(last).value(), last);
  EXPECT_EQ(view->byte_of(last + 1).error().code, MPI_ERR_ARG);
  EXPECT_EQ(view->byte_of(-1).error().code, MPI_ERR_ARG);
  EXPECT_EQ(view->seek_end(kFar), view->bytes());

  const auto ints = FileView::make(kFar - 4, kInt, kInt, true);
  ASSERT_TRUE(ints) << ints.error().message;
  EXPECT_EQ(ints->byte_of(0).value(), 0);
  EXPECT_EQ(ints->byte_of(1).error().code, MPI_ERR_ARG);
  EXPECT_EQ(ints->byte_of(kFar).error().code, MPI_ERR_ARG);
  expect_refusal(kFar - 3, kInt, kInt, MPI_ERR_ARG, "disp is 9223372036854775804");
  const auto doubles = FileView::make(0, kDouble, kDouble, true);
  EXPECT_EQ(doubles->byte_of(std::int64_t{1} << 60).error().code, MPI_ERR_ARG);
  EXPECT_EQ(doubles->byte_of((std::int64_t{1} << 60) - 3).value(), kFar - 23);
}

TEST(FileView, OutlivesTheTypesHandles) {
  auto tile = committed(make_resized(kInt, 0, 16));
  auto view = FileView::make(0, kInt, *tile, true);
  tile = nullptr;
  const FileView copy = *view;
  const View file = copy.in_memory(0);
  view = FileView();
  EXPECT_EQ(copy.filetype().extent(), 16);
  EXPECT_EQ(file.layout->extent(), 16);
  EXPECT_EQ(view->file_offset(7), 7);
}

}  // namespace
}  // namespace remit::testing
