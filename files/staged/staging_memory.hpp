// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What is where in the memory through which the members of a host move data.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "files/staged/byte_marks.hpp"
#include "files/staged/host_meeting.hpp"

namespace remit {

/// What one owner and the members say to each other about its slice. In shared memory; zeros at
/// first.
struct SliceWord {
  static constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max();

  alignas(64) std::atomic<std::int64_t> given;  ///< bytes that members have put into the slice
  /// The first byte of the file that was not moved, for an error or the end of the file.
  std::atomic<std::int64_t> stopped;
  std::atomic<std::int64_t> failed;  ///< not 0: for an error
};

/// Memory of one host: two windows, used in turn, a few words for each slice of them and for each
/// member, and a mark for each byte where other hosts want to know. Windows, words and marks are
/// numbered by cycles, from the first access of the file on. Between two meetings of the members
/// each byte has one writer, or several whose program lets them write the same byte. The same at
/// all members of a host, but for where it is.
class StagingMemory {
 public:
  static constexpr std::uint64_t kWindows = 2;
  static constexpr std::uint64_t kWordSets = 3;

  StagingMemory() = default;
  /// Sizes of what is not there yet: windows of `window` bytes, a multiple of kFilePage, of so many
  /// slices at most, for so many members.
  StagingMemory(std::size_t window, std::size_t slices, std::size_t members, bool has_marks);

  /// How many bytes it takes, and how many of them, from the beginning on, are zeros at first.
  [[nodiscard]] std::size_t bytes() const { return heads_ + kWindows * window_; }
  [[nodiscard]] std::size_t zeros() const { return heads_; }
  /// It begins there; null: nowhere. `owned` stays as long as this.
  void put_at(std::byte* begin, std::shared_ptr<void> owned = nullptr) {
    begin_ = begin;
    owned_ = std::move(owned);
  }
  [[nodiscard]] bool is_there() const { return begin_ != nullptr; }
  /// What it stays as long as; null: another member's.
  [[nodiscard]] const std::shared_ptr<void>& owner() const { return owned_; }

  /// Slices of a plan follow each other.
  [[nodiscard]] std::byte* window(std::uint64_t cycle) const {
    return begin_ + heads_ + cycle % kWindows * window_;
  }
  /// Which bytes of it are there, for other hosts; zeros when it is not in use.
  [[nodiscard]] ByteMarks marks(std::uint64_t cycle) const;
  /// Where the members meet.
  [[nodiscard]] std::span<MeetingLine> lines() const {
    return {reinterpret_cast<MeetingLine*>(begin_ + words_), members_};
  }
  [[nodiscard]] SliceWord& word(std::uint64_t cycle, int slice) const {
    const std::size_t set = cycle % kWordSets * slices_;
    return reinterpret_cast<SliceWord*>(begin_)[set + static_cast<std::size_t>(slice)];
  }

 private:
  std::size_t window_ = 0;
  std::size_t slices_ = 0;
  std::size_t members_ = 0;
  std::size_t words_ = 0;  ///< bytes of all words of slices
  std::size_t lines_ = 0;  ///< bytes of these and of the members' lines
  std::size_t heads_ = 0;  ///< bytes of these and of marks
  std::byte* begin_ = nullptr;
  std::shared_ptr<void> owned_;
};

}  // namespace remit
