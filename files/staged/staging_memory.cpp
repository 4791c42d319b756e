// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/staged/staging_memory.hpp"

#include "files/storage/file_system.hpp"

namespace remit {

namespace {

constexpr std::size_t kByteBits = 8;

std::size_t whole_pages(std::size_t bytes) {
  constexpr auto kPage = static_cast<std::size_t>(kFilePage);
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

StagingMemory::StagingMemory(std::size_t window, std::size_t slices, std::size_t members,
                             bool has_marks)
    : window_(window),
      slices_(slices),
      members_(members),
      words_(kWordSets * slices * sizeof(SliceWord)),
      lines_(whole_pages(words_ + members * sizeof(MeetingLine))),
      heads_(lines_ + (has_marks ? whole_pages(kWindows * window / kByteBits) : 0)) {}

ByteMarks StagingMemory::marks(std::uint64_t cycle) const {
  const std::size_t words = window_ / static_cast<std::size_t>(ByteMarks::kBits);
  auto* const first = reinterpret_cast<std::uint64_t*>(begin_ + lines_);
  return ByteMarks({first + cycle % kWindows * words, words});
}

}  // namespace remit
