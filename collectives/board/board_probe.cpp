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
  read_.of_short = copy(0, kShort);
  read_.of_long = copy(kShort, kLong);
}

void PageTimer::write_again(Way way) {
  const CopiesGo copies(way.pieces);
  const Here here;
  std::byte* const page = own_.pages[0];
  const auto copy = [&](std::size_t at, std::size_t bytes) {
    return ns_of([&] { copy_bytes(page + at, here.bytes.data() + at, bytes); });
  };
  const std::uint64_t of_short = copy(0, kShort);
  const std::uint64_t of_long = copy(kShort, kLong);
  if (!read_.known()) return;
  Cost& best = lowest_[index_of(way)];
  best.of_short = std::min(best.of_short, read_.of_short + of_short);
  best.of_long = std::min(best.of_long, read_.of_long + of_long);
}

PageTimer::Cost PageTimer::lowest(bool taken) const {
  const Cost& string = lowest_[index_of({taken, false})];
  const Cost& pieces = lowest_[index_of({taken, true})];
  return {std::min(string.of_short, pieces.of_short), std::min(string.of_long, pieces.of_long)};
}

PageTimer::Cost PageTimer::lowest_in(bool pieces) const {
  const Cost& left = lowest_[index_of({false, pieces})];
  const Cost& taken = lowest_[index_of({true, pieces})];
  return {std::min(left.of_short, taken.of_short), std::min(left.of_long, taken.of_long)};
}

std::uint32_t PageTimer::page_ns(bool taken) const {
  const Cost cost = lowest(taken);
  if (!cost.known()) return 0;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, cost.of_short + cost.of_long));
}

/// One side more works then.
std::size_t PageTimer::claim_lines_to() const {
  const Cost left = lowest(false);
  const Cost taken = lowest(true);
  if (gains(taken.of_long, left.of_long)) return kUnlimited;
  return gains(taken.of_short, left.of_short) ? kClaimShortTo : 0;
}

std::size_t PageTimer::pieces_to() const {
  const Cost string = lowest_in(false);
  const Cost pieces = lowest_in(true);
  if (gains(string.of_short, pieces.of_short)) return kShort / 2;
  return gains(pieces.of_long, string.of_long) ? BoardSegment::kPageBytes : CopyLoops{}.pieces_to;
}

}  // namespace remit
