// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Marks of bytes, messages about slices, and who owns slices: random ones against simple models.
#include "files/staged/slice_message.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "files/staged/byte_marks.hpp"
#include "files/staged/host_owners.hpp"
#include "files/staged/staging_memory.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

using Draw = std::mt19937_64;

std::int64_t draw(Draw& random, std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}

constexpr std::int64_t kWindowBytes = 8192;

/// Marks and a model of them, and the bytes themselves.
struct Window {
  Window() : words(kWindowBytes / ByteMarks::kBits), model(kWindowBytes), bytes(kWindowBytes) {}
  void mark(FileRun run) {
    ByteMarks(words).mark(run);
    for (std::int64_t i = 0; i < run.length; ++i) {
      model[static_cast<std::size_t>(run.offset + i)] = true;
    }
  }
  [[nodiscard]] bool has(std::int64_t at) const { return model[static_cast<std::size_t>(at)]; }

  std::vector<std::uint64_t> words;
  std::vector<bool> model;
  std::vector<std::byte> bytes;
};

FileRun draw_run(Draw& random, std::int64_t most) {
  const std::int64_t at = draw(random, 0, kWindowBytes - 1);
  return {at, std::min(draw(random, 0, most), kWindowBytes - at)};
}

TEST(ByteMarks, TellRunsOfMarkedBytes) {
  Draw random(test_seed());
  for (int round = 0; round < 300; ++round) {
    Window window;
    for (std::int64_t i = draw(random, 0, 60); i > 0; --i) {
      window.mark(draw_run(random, round % 2 == 0 ? 30 : 300));
    }
    if (round % 3 == 0) {
      const FileRun gone = draw_run(random, 500);
      ByteMarks(window.words).clear(gone);
      for (std::int64_t i = 0; i < gone.length; ++i) {
        window.model[static_cast<std::size_t>(gone.offset + i)] = false;
      }
    }
    const FileRun within = draw_run(random, kWindowBytes);
    const std::int64_t end = within.offset + within.length;
    std::int64_t at = within.offset;
    while (true) {
      const FileRun run = ByteMarks(window.words).next({at, end - at});
      for (; at < run.offset; ++at) ASSERT_FALSE(window.has(at));
      if (run.length == 0) break;
      for (; at < run.offset + run.length; ++at) ASSERT_TRUE(window.has(at));
      ASSERT_TRUE(at == end || !window.has(at));
    }
    ASSERT_EQ(at, end);
  }
}

/// From one window to another one.
TEST(SliceMessage, BringsWhatWasMarked) {
  Draw random(test_seed() + 1);
  int as_bits = 0;
  for (int round = 0; round < 600; ++round) {
    Window from;
    Window to;
    for (std::byte& byte : from.bytes) byte = static_cast<std::byte>(random());
    const std::int64_t longest = round % 2 == 0 ? 3 : 200;
    for (std::int64_t i = draw(random, 0, round % 2 == 0 ? 3000 : 40); i > 0; --i) {
      from.mark(draw_run(random, longest));
    }
    const FileRun slice = draw_run(random, kWindowBytes);
    const bool has_content = round % 5 != 0;
    const std::size_t most = SliceMessage::most_bytes(slice.length, has_content);
    std::vector<std::uint64_t> aligned(most / 8 + 1);
    const std::span<std::byte> room = std::as_writable_bytes(std::span(aligned)).first(most);
    const std::size_t length = SliceMessage::make(ByteMarks(from.words), slice,
                                                  has_content ? from.bytes.data() : nullptr, room);
    ASSERT_LE(length, most);
    const auto message = SliceMessage::read(room.first(length), slice);
    ASSERT_TRUE(message.has_value());
    std::int64_t bytes = 0;
    const std::byte* content = message->content().data();
    message->for_each_run([&](FileRun run) {
      to.mark(run);
      bytes += run.length;
      if (!has_content) return;
      std::copy_n(content, run.length, to.bytes.data() + run.offset);
      content += run.length;
    });
    EXPECT_EQ(bytes, message->bytes());
    EXPECT_EQ(message->content().size(), has_content ? static_cast<std::size_t>(bytes) : 0);
    if (length < 16 + 8 * static_cast<std::size_t>(bytes)) ++as_bits;
    for (std::int64_t at = 0; at < kWindowBytes; ++at) {
      const bool inside = at >= slice.offset && at < slice.offset + slice.length;
      ASSERT_EQ(to.has(at), inside && from.has(at));
      if (!to.has(at) || !has_content) continue;
      ASSERT_EQ(to.bytes[static_cast<std::size_t>(at)], from.bytes[static_cast<std::size_t>(at)]);
    }
    // Cut short, or about another slice, it is none or has other bytes, but is never read beyond.
    for (std::size_t cut = 0; cut < std::min<std::size_t>(length, 40); ++cut) {
      const auto part = SliceMessage::read(room.first(cut), slice);
      EXPECT_TRUE(!part || part->content().empty());
    }
  }
  EXPECT_GT(as_bits, 0);
}

TEST(HostOwners, EachSliceHasOneOwnerAndEachHostOneSender) {
  Draw random(test_seed() + 2);
  for (int round = 0; round < 300; ++round) {
    const auto hosts = draw(random, 1, 6);
    const auto size = draw(random, 1, 30);
    const auto wished = static_cast<int>(draw(random, 1, 5));
    std::vector<std::int64_t> colors;
    for (std::int64_t rank = 0; rank < size; ++rank) {
      colors.push_back(1000 - 7 * draw(random, 1, hosts));
    }
    const HostOwners owners(colors, wished);
    EXPECT_EQ(static_cast<std::size_t>(owners.hosts()),
              std::set<std::int64_t>(colors.begin(), colors.end()).size());
    std::size_t all = 0;
    std::size_t fewest = 1000;
    for (int host = 0; host < owners.hosts(); ++host) {
      const std::vector<int>& members = owners.members(host);
      const std::vector<int>& own = owners.owners(host);
      EXPECT_TRUE(std::is_sorted(members.begin(), members.end()));
      EXPECT_EQ(own.size(), std::min(members.size(), static_cast<std::size_t>(wished)));
      EXPECT_EQ(std::set<int>(own.begin(), own.end()).size(), own.size());
      for (const int rank : members) {
        EXPECT_EQ(owners.host_of(rank), host);
        EXPECT_EQ(colors[static_cast<std::size_t>(rank)],
                  colors[static_cast<std::size_t>(members[0])]);
      }
      for (const int rank : own) EXPECT_EQ(owners.host_of(rank), host);
      for (int slice = 0; slice < 20; ++slice) {
        EXPECT_EQ(owners.host_of(owners.sender(host, slice)), host);
      }
      all += own.size();
      fewest = std::min(fewest, own.size());
    }
    ASSERT_EQ(static_cast<std::size_t>(owners.in_turn()), all);
    EXPECT_EQ(static_cast<std::size_t>(owners.fewest()), fewest);
    std::set<int> ranks;
    for (int slice = 0; slice < owners.in_turn(); ++slice) {
      EXPECT_EQ(owners.host_of(owners.in_turn(slice).rank), owners.in_turn(slice).host);
      ranks.insert(owners.in_turn(slice).rank);
      if (slice < owners.hosts()) {
        EXPECT_EQ(owners.in_turn(slice).host, slice);
      }
    }
    EXPECT_EQ(ranks.size(), all);
  }
}

/// Nothing lies on anything else.
TEST(StagingMemory, PartsDoNotOverlap) {
  for (const bool has_marks : {false, true}) {
    StagingMemory memory(3 * 4096, 5, 3, has_marks);
    EXPECT_FALSE(memory.is_there());
    struct alignas(64) Line {
      std::byte bytes[64];
    };
    std::vector<Line> lines(memory.bytes() / sizeof(Line));
    std::byte* const begin = lines.data()->bytes;
    memory.put_at(begin);
    EXPECT_TRUE(memory.is_there());
    const auto fill = [](void* from, std::size_t count) {
      auto* const first = static_cast<std::byte*>(from);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(first[i], std::byte{0});
        first[i] = std::byte{1};
      }
    };
    for (std::uint64_t cycle = 0; cycle < StagingMemory::kWordSets; ++cycle) {
      for (int slice = 0; slice < 5; ++slice) fill(&memory.word(cycle, slice), sizeof(SliceWord));
    }
    ASSERT_EQ(memory.lines().size(), 3U);
    for (MeetingLine& line : memory.lines()) fill(&line, sizeof line);
    for (std::uint64_t cycle = 0; cycle < StagingMemory::kWindows; ++cycle) {
      fill(memory.window(cycle), 3 * 4096);
      if (!has_marks) continue;
      const std::span<std::uint64_t> words = memory.marks(cycle).words();
      EXPECT_EQ(words.size() * 64, std::size_t{3 * 4096});
      fill(words.data(), words.size_bytes());
    }
    EXPECT_EQ(memory.window(0), memory.window(2));
    EXPECT_LE(begin + memory.zeros(), memory.window(0));
  }
}

}  // namespace
}  // namespace remit::testing
