// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Elements of one predefined type in buffers of any layout, as arithmetic wants them: as arrays.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "datatype/datatype.hpp"

namespace remit {

/// Bytes of a batch: elements that are taken through a buffer together.
inline constexpr std::size_t kBatchBytes = 16384;

/// Runs of memory that a batch has at most.
inline constexpr std::size_t kBatchRuns = 64;

/// How elements lie in an array: an extent apart. Pairs have gaps then, in which a program may keep
/// something else: nothing writes there.
class ElementArray {
 public:
  /// `element` is a predefined type and outlives this.
  explicit ElementArray(const Datatype& element);

  [[nodiscard]] const Layout& layout() const { return *layout_; }
  [[nodiscard]] std::size_t size() const { return size_; }      ///< packed bytes of an element
  [[nodiscard]] std::size_t extent() const { return extent_; }  ///< from one to the next
  /// From the first byte of the first element to the last one of the last; at least one element.
  [[nodiscard]] std::size_t reach(std::size_t elements) const {
    return (elements - 1) * extent_ + reach_;
  }
  [[nodiscard]] bool has_gaps() const { return size_ != extent_; }

  /// Whether the elements of the view, or as packed bytes their like, lie as in an array that
  /// begins at view.data().
  [[nodiscard]] bool is(const View& view) const;

  /// From one array to another one, without the gaps; they do not overlap.
  void copy(std::byte* to, const std::byte* from, std::size_t elements) const;

 private:
  const Layout* layout_;
  std::size_t size_;
  std::size_t extent_;
  std::size_t reach_;
};

/// A view's elements in their order, batch by batch as arrays: in the view's memory if they lie so
/// there, else in a buffer. For the side that is read.
class ElementReader {
 public:
  /// `view` may be null: no elements.
  ElementReader(const View* view, const ElementArray& array);

  /// Whether batches may be of any size.
  [[nodiscard]] bool is_direct() const { return direct_; }
  /// The next elements; kBatchBytes at most, unless is_direct(). They stay until the next call.
  [[nodiscard]] const std::byte* next(std::size_t elements);

 private:
  const View* view_;
  const ElementArray& array_;
  const std::byte* at_ = nullptr;  ///< where direct
  std::size_t offset_ = 0;         ///< packed
  bool direct_ = true;
  std::array<std::byte, kBatchBytes> buffer_;  ///< only what next() has filled is read
};

/// The same for the side that is written.
class ElementWriter {
 public:
  ElementWriter(const View* view, const ElementArray& array);

  [[nodiscard]] bool is_direct() const { return direct_; }
  /// Room for the next elements; null if there is no view.
  [[nodiscard]] std::byte* room(std::size_t elements);
  /// The elements in the last room() are complete: brings them to their place.
  void put_back(std::size_t elements);

 private:
  const View* view_;
  const ElementArray& array_;
  std::byte* at_ = nullptr;
  std::size_t offset_ = 0;
  bool direct_ = true;
  std::array<std::byte, kBatchBytes> buffer_;  ///< only what room() was filled with is read
};

/// Elements of a target that lie as in an array.
struct ElementRun {
  std::uint64_t address = 0;  ///< of the first one, in the member's process
  std::size_t elements = 0;   ///< at least one
};

/// Where the elements of a target lie, in the order of the type map. Touches no memory there.
class TargetWalk {
 public:
  TargetWalk(const View& target, const ElementArray& array);

  /// The next elements, `most` at most; empty at the end.
  [[nodiscard]] std::span<const ElementRun> next(std::size_t most);

 private:
  void add(std::uint64_t address, std::size_t elements);
  void add_blocks(std::size_t most);
  void add_one_by_one(std::size_t most);

  const View& target_;
  const ElementArray& array_;
  bool is_array_;
  std::size_t total_;
  std::size_t done_ = 0;  ///< elements
  std::array<ElementRun, kBatchRuns> runs_;
  std::size_t used_ = 0;
};

}  // namespace remit
