// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/staged/byte_marks.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

namespace remit {

namespace {

constexpr std::uint64_t kAllBits = ~std::uint64_t{0};

/// Bits [from, to) of a word.
std::uint64_t bits_between(std::int64_t from, std::int64_t to) {
  const std::uint64_t below = to == ByteMarks::kBits ? kAllBits : (std::uint64_t{1} << to) - 1;
  return below & (kAllBits << from);
}

/// Calls `change` with each word of a run, and the bits of it that belong to the run.
template <class Change>
void for_each_word(std::span<std::uint64_t> words, FileRun run, Change change) {
  std::int64_t at = run.offset;
  const std::int64_t end = run.offset + run.length;
  while (at < end) {
    const std::int64_t bit = at % ByteMarks::kBits;
    const std::int64_t to = std::min(ByteMarks::kBits, bit + end - at);
    change(words[static_cast<std::size_t>(at / ByteMarks::kBits)], bits_between(bit, to));
    at += to - bit;
  }
}

}  // namespace

void ByteMarks::mark(FileRun run) {
  for_each_word(words_, run, [](std::uint64_t& word, std::uint64_t bits) {
    std::atomic_ref<std::uint64_t> shared(word);
    if (bits == kAllBits) {
      shared.store(bits, std::memory_order_relaxed);
    } else {
      shared.fetch_or(bits, std::memory_order_relaxed);
    }
  });
}

void ByteMarks::clear(FileRun run) {
  // Another member may clear what lies beside it.
  for_each_word(words_, run, [](std::uint64_t& word, std::uint64_t bits) {
    std::atomic_ref<std::uint64_t>(word).fetch_and(~bits, std::memory_order_relaxed);
  });
}

std::int64_t ByteMarks::find(std::int64_t at, std::int64_t end, bool marked) const {
  while (at < end) {
    const std::uint64_t word = words_[static_cast<std::size_t>(at / kBits)];
    const std::uint64_t looked_for = (marked ? word : ~word) & (kAllBits << (at % kBits));
    const std::int64_t first = at / kBits * kBits;
    if (looked_for != 0) return std::min(end, first + std::countr_zero(looked_for));
    at = first + kBits;
  }
  return end;
}

FileRun ByteMarks::next(FileRun within) const {
  const std::int64_t end = within.offset + within.length;
  const std::int64_t first = find(within.offset, end, true);
  return {first, find(first, end, false) - first};
}

}  // namespace remit
