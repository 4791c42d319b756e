// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared board: timing writes and reads of pages.
#include "collectives/board/board_probe.hpp"

#include <algorithm>
#include <limits>

#include "runtime/claim_lines.hpp"
#include "runtime/clock.hpp"
#include "runtime/copy.hpp"
#include "runtime/progress.hpp"

namespace remit {

namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

/// Copies go one way as long as this lives.
class CopiesGo {
 public:
  explicit CopiesGo(bool in_pieces) {
    use_copy_loops({before_.vector_bytes, in_pieces ? kUnlimited : 0});
  }
  ~CopiesGo() { use_copy_loops(before_); }
  CopiesGo(const CopiesGo&) = delete;
  CopiesGo& operator=(const CopiesGo&) = delete;

 private:
  const CopyLoops before_ = copy_loops();
};

template <class Work>
std::uint64_t ns_of(Work work) {
  const std::int64_t start = monotonic_ns();
  work();
  return static_cast<std::uint64_t>(monotonic_ns() - start);
}

/// Only a gain that is larger than the noise counts.
bool gains(std::uint64_t with, std::uint64_t without) {
  constexpr double kGain = 0.92;
  return static_cast<double>(with) < kGain * static_cast<double>(without);
}

/// Memory of this thread, in a cache. It begins with a line, as pages do: at no distance from them
/// at which copies are slow.
struct Here {
  alignas(kCacheLine) std::array<std::byte, BoardSegment::kPageBytes> bytes = {};
};

}  // namespace

void PageTimer::write_first(Way way) {
  read_ = {};
  write_again(way);
  read_ = {};
}

void PageTimer::read(BoardSegment& theirs, Way way) {
  constexpr std::size_t kMapped = 4096;
  std::byte* const page = theirs.pages[0];
  for (std::size_t at = 0; at < BoardSegment::kPageBytes; at += kMapped) {
    static_cast<void>(*static_cast<const volatile std::byte*>(page + at));
  }
  const CopiesGo copies(way.pieces);
  Here here;
  const auto copy = [&](std::size_t at, std::size_t bytes) {
    return ns_of([&] {
      copy_bytes(here.bytes.data() + at, page + at, bytes);
      asm volatile("" : : "r"(here.bytes.data()) : "memory");
      if (way.taken) claim_lines(page + at, bytes);
    });
  };
  read_ = {copy(0, kBrief), copy(kBrief, kShort), copy(kBrief + kShort, kLong)};
}

void PageTimer::write_again(Way way) {
  const CopiesGo copies(way.pieces);
  const Here here;
  std::byte* const page = own_.pages[0];
  const auto copy = [&](std::size_t at, std::size_t bytes) {
    return ns_of([&] { copy_bytes(page + at, here.bytes.data() + at, bytes); });
  };
  const Cost written = {copy(0, kBrief), copy(kBrief, kShort), copy(kBrief + kShort, kLong)};
  if (!read_.known()) return;
  Cost& best = lowest_[index_of(way)];
  best = lower_of(best, {read_.of_brief + written.of_brief, read_.of_short + written.of_short,
                         read_.of_long + written.of_long});
}

PageTimer::Cost PageTimer::lower_of(const Cost& a, const Cost& b) {
  return {std::min(a.of_brief, b.of_brief), std::min(a.of_short, b.of_short),
          std::min(a.of_long, b.of_long)};
}

PageTimer::Cost PageTimer::lowest(bool taken) const {
  return lower_of(lowest_[index_of({taken, false})], lowest_[index_of({taken, true})]);
}

PageTimer::Cost PageTimer::lowest_in(bool pieces) const {
  return lower_of(lowest_[index_of({false, pieces})], lowest_[index_of({true, pieces})]);
}

std::uint32_t PageTimer::page_ns(bool taken) const {
  const Cost cost = lowest(taken);
  if (!cost.known()) return 0;
  return static_cast<std::uint32_t>(
      std::max<std::uint64_t>(1, cost.of_brief + cost.of_short + cost.of_long));
}

/// One side more works then.
std::size_t PageTimer::claim_lines_to() const {
  const Cost left = lowest(false);
  const Cost taken = lowest(true);
  if (gains(taken.of_long, left.of_long)) return kUnlimited;
  return gains(taken.of_short, left.of_short) ? kClaimShortTo : 0;
}

/// Pieces cost what the C library's own loops do more, where its string instruction starts quickly.
std::size_t PageTimer::pieces_to() const {
  const Cost string = lowest_in(false);
  const Cost pieces = lowest_in(true);
  if (gains(pieces.of_long, string.of_long)) return BoardSegment::kPageBytes;
  if (gains(pieces.of_short, string.of_short)) return kShort;
  return gains(pieces.of_brief, string.of_brief) ? kBrief : 0;
}

}  // namespace remit
