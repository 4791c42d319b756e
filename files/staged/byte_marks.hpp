// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which bytes of some memory are there, a bit for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "files/views/file_view.hpp"

namespace remit {

/// A bit for each byte of a window, in memory of the host. Several members may mark at once; who
/// looks or clears does that between two meetings in which nobody marks those bytes. Runs have
/// offsets from the beginning of the window. A value: copies are the same marks.
class ByteMarks {
 public:
  static constexpr std::int64_t kBits = 64;
  [[nodiscard]] static constexpr std::int64_t words_of(std::int64_t bytes) {
    return (bytes + kBits - 1) / kBits;
  }

  ByteMarks() = default;
  /// Bit i of the words, from the lowest one of the first on, is that of byte i.
  explicit ByteMarks(std::span<std::uint64_t> words) : words_(words) {}

  void mark(FileRun run);
  void clear(FileRun run);
  /// The first run of marked bytes in `within`; of length 0: there is none.
  [[nodiscard]] FileRun next(FileRun within) const;
  [[nodiscard]] std::span<std::uint64_t> words() const { return words_; }

 private:
  /// The first byte in [at, end) that is marked, or not; end: there is none.
  [[nodiscard]] std::int64_t find(std::int64_t at, std::int64_t end, bool marked) const;

  std::span<std::uint64_t> words_;
};

}  // namespace remit
