// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Where the bytes of a datatype lie, in a small normalized form, and how to move them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>

#include "mpi.h"
#include "runtime/copy.hpp"

namespace remit {

struct LayoutNode;

/// A normalized part of a type map put at a displacement (bytes): a node, or, where `node` is null,
/// one block of `length` contiguous bytes (the common case, which needs no memory).
struct PlacedLayout {
  std::int64_t displacement = 0;
  std::int64_t length = 0;                 ///< packed bytes
  std::shared_ptr<const LayoutNode> node;  ///< may be a non-owning pointer to a constant
};

/// Where the bytes of one element lie, in bytes from its origin, and in which order.
struct LayoutOrder {
  std::int64_t low = 0;       ///< the lowest byte
  std::int64_t high = 0;      ///< behind the highest byte
  bool nondecreasing = true;  ///< no entry begins below the one before it
  bool ascending = true;      ///< each byte lies above the one before it, so none is there twice
};

/// The layout of one element of a datatype: a normalized tree of blocks, strided loops and lists,
/// and the extent at which elements follow one another. Immutable and cheap to copy.
///
/// "Packed" means the bytes of `count` elements in the order of the type map without gaps; a
/// packed offset counts from the first of them. Every function may start at any packed offset
/// and finds it in O(depth of the tree), O(log n) for a list of n blocks: a message can be moved
/// in pieces, in any order. Memory is touched through memcpy only: nothing need be aligned, and
/// `base` may be null (MPI_BOTTOM) where the displacements are addresses. All functions are pure:
/// any thread may use a layout.
class Layout {
 public:
  /// A run of memory of a scatter/gather list.
  struct Piece {
    void* address = nullptr;
    std::size_t length = 0;  ///< bytes

    friend bool operator==(const Piece&, const Piece&) = default;
  };
  /// What pieces() filled in.
  struct Gathered {
    std::size_t pieces = 0;
    std::size_t bytes = 0;  ///< add it to the offset to continue
  };

  constexpr Layout() = default;
  /// One element is `root`; the next one lies `extent` bytes further.
  Layout(PlacedLayout root, std::int64_t extent);
  /// For predefined datatypes: `root` is a constant that outlives everything, or null, which
  /// `is_block` repeats (the sanitizers' GCC cannot compare it at compile time), for `size`
  /// contiguous bytes at displacement 0.
  constexpr Layout(const LayoutNode* root, bool is_block, std::int64_t size, std::int64_t extent)
      : size_(size),
        extent_(extent),
        root_(root),
        single_block_(is_block),
        contiguous_(is_block && size == extent) {}

  /// True if any number of elements is one run of memory, which starts at `base + displacement()`.
  [[nodiscard]] bool is_contiguous() const { return contiguous_; }
  /// True if one element is one run of memory.
  [[nodiscard]] bool is_single_block() const { return single_block_; }
  /// Packed bytes of one element.
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::int64_t extent() const { return extent_; }
  /// Where the first (in type map order) byte lies relative to the element's origin.
  [[nodiscard]] std::int64_t displacement() const { return displacement_; }
  /// For composition into the layout of a larger type.
  [[nodiscard]] PlacedLayout placed() const;

  /// Copies packed bytes [offset, offset + out.size()) of `count` elements at `base` into `out`;
  /// stops at the last element's end. Returns the bytes copied.
  std::size_t pack(const void* base, MPI_Count count, std::size_t offset,
                   std::span<std::byte> out) const;

  /// The inverse: bytes of `in` are packed bytes from `offset` on. Returns the bytes copied.
  std::size_t unpack(void* base, MPI_Count count, std::size_t offset,
                     std::span<const std::byte> in) const;

  /// Memory runs from packed offset `offset` on, in packed order, neighbours merged, at most
  /// `limit` bytes in all, as many as fit `out`.
  [[nodiscard]] Gathered pieces(void* base, MPI_Count count, std::size_t offset, std::size_t limit,
                                std::span<Piece> out) const;

  /// The memory between the first and the last byte, by address, of the first `bytes` packed bytes.
  [[nodiscard]] Piece span(void* base, MPI_Count count, std::size_t bytes) const;

  /// The order of the entries of one element, all of which have `entry` bytes; 0 where they have
  /// different sizes: entries of one run of memory then count as one. Each node is looked at once.
  [[nodiscard]] LayoutOrder order(std::int64_t entry) const;
  /// Where a packed byte of any number of elements lies, in bytes from the first one's origin.
  [[nodiscard]] std::int64_t displacement_at(std::int64_t offset) const;
  /// How many packed bytes of `count` elements lie below a displacement from the first one's
  /// origin. Only where all bytes of these elements ascend. In O(depth + log n).
  [[nodiscard]] std::int64_t packed_at(std::int64_t displacement, MPI_Count count) const;
  /// The displacement of a byte with which no whole element of `unit` begins or goes on: nullopt
  /// if an element of this layout is made of such units, whose origins lie at multiples of the
  /// unit's extent. `unit` has bytes and a positive extent. Loops are not followed.
  [[nodiscard]] std::optional<std::int64_t> misfit(const Layout& unit) const;

  /// Memory runs of one element, i.e. how scattered it is.
  [[nodiscard]] std::int64_t blocks() const;
  /// Mean length of these runs in bytes; for choosing pack or scatter/gather.
  [[nodiscard]] std::size_t mean_run() const {
    return size_ == 0 ? 0 : static_cast<std::size_t>(size_ / blocks());
  }

 private:
  template <class Sink>
  void walk(std::uintptr_t base, MPI_Count count, std::int64_t from, std::int64_t to,
            Sink& sink) const;

  std::int64_t size_ = 0;
  std::int64_t extent_ = 0;
  std::int64_t displacement_ = 0;
  const LayoutNode* root_ = nullptr;  ///< null: one block of size_ bytes
  std::shared_ptr<const LayoutNode> owner_;
  bool single_block_ = true;
  bool contiguous_ = true;
};

/// A message buffer as the layers above know it: `count` elements of a layout at `base`. The
/// layout must outlive it (hold the Datatype).
struct View {
  void* base = nullptr;
  MPI_Count count = 0;
  const Layout* layout = nullptr;

  /// Packed bytes.
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(count) * static_cast<std::size_t>(layout->size());
  }
  /// True if the packed bytes are the memory [data(), data() + size()).
  [[nodiscard]] bool is_contiguous() const {
    return layout->is_contiguous() || (count == 1 && layout->is_single_block());
  }
  /// Only for contiguous views.
  [[nodiscard]] std::byte* data() const {
    // In integers, for base may be MPI_BOTTOM.
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base) +
                                        static_cast<std::uintptr_t>(layout->displacement()));
  }
  /// See Layout::pack.
  std::size_t pack(std::size_t offset, std::span<std::byte> out) const {
    if (is_contiguous()) {
      const std::size_t bytes = rest(offset, out.size());
      if (bytes != 0) copy_bytes(out.data(), data() + offset, bytes);
      return bytes;
    }
    return layout->pack(base, count, offset, out);
  }
  /// See Layout::unpack.
  std::size_t unpack(std::size_t offset, std::span<const std::byte> in) const {
    if (is_contiguous()) {
      const std::size_t bytes = rest(offset, in.size());
      if (bytes != 0) copy_bytes(data() + offset, in.data(), bytes);
      return bytes;
    }
    return layout->unpack(base, count, offset, in);
  }
  /// See Layout::pieces.
  [[nodiscard]] Layout::Gathered pieces(std::size_t offset, std::size_t limit,
                                        std::span<Layout::Piece> out) const {
    return layout->pieces(base, count, offset, limit, out);
  }
  /// See Layout::span.
  [[nodiscard]] Layout::Piece span(std::size_t bytes) const {
    return layout->span(base, count, bytes);
  }

 private:
  /// Packed bytes from `offset` on, `most` at most.
  [[nodiscard]] std::size_t rest(std::size_t offset, std::size_t most) const {
    const std::size_t room = size();
    return offset < room ? std::min(most, room - offset) : 0;
  }
};

}  // namespace remit
