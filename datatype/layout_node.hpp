// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The tree behind Layout and the functions that build it in normalized form. For datatype/ alone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "datatype/layout.hpp"

namespace remit {

/// A block of a list of blocks. `start` is the packed offset within the node.
struct LayoutBlock {
  std::int64_t displacement = 0;
  std::int64_t length = 0;
  std::int64_t start = 0;
};

/// A part of a type map that is more than one block. Its first byte (in type map order) lies at
/// displacement 0: whoever refers to it says where that is. Nothing in it is empty.
struct LayoutNode {
  enum class Kind : std::uint8_t {
    loop,     ///< `count` times `child`, `stride` bytes apart
    blocks,   ///< `runs`
    offsets,  ///< `equal_length` bytes at each of `offsets`
    list,     ///< `items`
  };
  struct Item {
    PlacedLayout part;
    std::int64_t start = 0;  ///< packed offset within the node
  };

  constexpr LayoutNode() = default;
  /// Over constant runs (predefined pairs).
  constexpr LayoutNode(std::span<const LayoutBlock> constant_runs, std::int64_t bytes)
      : size(bytes), blocks(static_cast<std::int64_t>(constant_runs.size())), runs(constant_runs) {}

  Kind kind = Kind::blocks;
  std::int64_t size = 0;    ///< packed bytes
  std::int64_t blocks = 0;  ///< memory runs
  std::int64_t count = 0;
  std::int64_t stride = 0;
  PlacedLayout child;  ///< its displacement is 0
  std::span<const LayoutBlock> runs;
  std::vector<LayoutBlock> run_storage;
  std::vector<std::int64_t> offsets;
  std::int64_t equal_length = 0;
  std::vector<Item> items;
};

/// Address arithmetic wraps like addresses do; displacements of real types never reach the ends.
[[nodiscard]] constexpr std::int64_t wrap_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
[[nodiscard]] constexpr std::int64_t wrap_multiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// `part` moved by `bytes`.
[[nodiscard]] inline PlacedLayout shifted(PlacedLayout part, std::int64_t bytes) {
  if (part.length != 0) part.displacement = wrap_add(part.displacement, bytes);
  return part;
}

/// Memory runs of `part`.
[[nodiscard]] inline std::int64_t count_blocks(const PlacedLayout& part) {
  return part.node ? part.node->blocks : (part.length != 0 ? 1 : 0);
}

/// `count` times `child`, `stride` bytes apart: a block where it is one, nested loops fused.
[[nodiscard]] PlacedLayout make_loop(std::int64_t count, std::int64_t stride, PlacedLayout child);

/// Collects parts in type map order and makes the smallest form of them: neighbours merged, equal
/// parts at equal distances a loop, blocks a list of blocks.
class LayoutBuilder {
 public:
  void reserve(std::size_t parts) { parts_.reserve(parts); }
  void add(PlacedLayout part);
  [[nodiscard]] PlacedLayout finish() &&;

 private:
  void append(PlacedLayout part);
  [[nodiscard]] bool merge_into_last(const PlacedLayout& part);

  std::vector<PlacedLayout> parts_;
};

}  // namespace remit
