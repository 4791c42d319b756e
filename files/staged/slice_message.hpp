// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What hosts send each other of their parts of a slice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "files/staged/byte_marks.hpp"
#include "files/views/file_view.hpp"

namespace remit {

/// A message that says which bytes of a slice a host has given, or wants, and what they are, one
/// behind the other. Places are a list of runs, or a bit for each byte where that is shorter: so a
/// message is at most an eighth longer than its slice. Between processes of one kind of machine.
/// Slices and runs are places of a window, of less than 4 GiB.
class SliceMessage {
 public:
  /// The longest message about a slice of so many bytes.
  [[nodiscard]] static std::size_t most_bytes(std::int64_t slice, bool with_content);
  /// Makes one about the marked bytes of `slice` in `out`, which is long enough and aligned as
  /// numbers are. `window`: where the bytes are; null: the message has none. Returns its length.
  [[nodiscard]] static std::size_t make(const ByteMarks& marks, FileRun slice,
                                        const std::byte* window, std::span<std::byte> out);
  /// Reads one, which must stay, and be aligned. Nothing: it is none about such a slice.
  [[nodiscard]] static std::optional<SliceMessage> read(std::span<std::byte> message,
                                                        FileRun slice);

  /// How many bytes it is about.
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  /// What they are, if it has them.
  [[nodiscard]] std::span<const std::byte> content() const { return content_; }
  /// Calls `each` with the runs, ascending.
  template <class Each>
  void for_each_run(Each each) const {
    for (const Place& place : list_) each(FileRun{slice_.offset + place.at, place.length});
    if (!list_.empty()) return;
    const std::int64_t first = slice_.offset / ByteMarks::kBits * ByteMarks::kBits;
    FileRun rest{slice_.offset - first, bits_.words().empty() ? 0 : slice_.length};
    while (rest.length > 0) {
      const FileRun run = bits_.next(rest);
      if (run.length == 0) return;
      each(FileRun{first + run.offset, run.length});
      const std::int64_t passed = run.offset + run.length - rest.offset;
      rest = {rest.offset + passed, rest.length - passed};
    }
  }

 private:
  struct Head {
    std::int64_t bytes;
    std::int64_t places;  ///< kAsBits: a bit for each byte
  };
  struct Place {
    std::uint32_t at;  ///< in the slice
    std::uint32_t length;
  };
  static constexpr std::int64_t kAsBits = -1;
  static constexpr std::size_t kHead = sizeof(Head);

  SliceMessage() = default;
  [[nodiscard]] bool is_right() const;

  FileRun slice_;
  std::int64_t bytes_ = 0;
  std::span<const Place> list_;
  ByteMarks bits_;
  std::span<const std::byte> content_;
};

}  // namespace remit
