// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The loops that move bytes between a packed buffer and memory. For datatype/ alone.
//
// Blocks of common short lengths have loops of their own, which need no call for a block. Arrays of
// small structures and matrices read across their rows are moved field by field, a tile at a time,
// so that these loops are long and each cache line is met once. Entries that overlap, which MPI
// forbids to receivers, may therefore be written in another order than that of the type map.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "datatype/layout_node.hpp"
#include "runtime/copy.hpp"

namespace remit {

using Address = std::uintptr_t;

[[nodiscard, gnu::always_inline]] inline Address moved(Address at, std::int64_t bytes) {
  return at + static_cast<Address>(bytes);
}

template <bool kPack>
[[gnu::always_inline]] inline void copy(std::byte* packed, Address at, std::size_t length) {
  void* const memory = reinterpret_cast<void*>(at);
  if constexpr (kPack) {
    std::memcpy(packed, memory, length);
  } else {
    std::memcpy(memory, packed, length);
  }
}

/// The same for blocks of any length that are not short.
template <bool kPack>
void copy_long_block(std::byte* packed, Address at, std::size_t length) {
  void* const memory = reinterpret_cast<void*>(at);
  if constexpr (kPack) {
    copy_bytes(packed, memory, length);
  } else {
    copy_bytes(memory, packed, length);
  }
}

/// Copies a block of any length; short ones (two overlapping moves) without a call.
template <bool kPack>
[[gnu::always_inline]] inline void copy_block(std::byte* packed, Address at, std::size_t length) {
  const auto ends = [&]<std::size_t kHalf>() {
    std::byte head[kHalf];
    std::byte tail[kHalf];
    const std::size_t rest = length - kHalf;
    std::byte* const memory = reinterpret_cast<std::byte*>(at);
    const std::byte* const from = kPack ? memory : packed;
    std::byte* const to = kPack ? packed : memory;
    std::memcpy(head, from, kHalf);
    std::memcpy(tail, from + rest, kHalf);
    std::memcpy(to, head, kHalf);
    std::memcpy(to + rest, tail, kHalf);
  };
  if (length > 32) {
    copy_long_block<kPack>(packed, at, length);
  } else if (length >= 16) {
    ends.template operator()<16>();
  } else if (length >= 8) {
    ends.template operator()<8>();
  } else if (length >= 4) {
    ends.template operator()<4>();
  } else if (length >= 2) {
    ends.template operator()<2>();
  } else {
    copy<kPack>(packed, at, 1);
  }
}

/// `count` blocks of `length` bytes, each side with its stride.
using StridedCopy = void (*)(std::byte* packed, std::int64_t packed_stride, Address at,
                             std::int64_t stride, std::int64_t count, std::size_t length);

/// Every second word of memory, one side of an array of pairs, with vectors that hold the words
/// between, too. Returns how many words it took; never the last one, behind which no memory need
/// be.
template <class Word>
[[nodiscard]] std::int64_t gather_every_second(std::byte* packed, Address at, std::int64_t count) {
  using Vector [[gnu::vector_size(16)]] = Word;
  constexpr std::int64_t kWords = sizeof(Vector) / sizeof(Word);
  std::int64_t taken = 0;
  for (; count - taken > kWords; taken += kWords) {
    const auto* const from = reinterpret_cast<const std::byte*>(at) + taken * 2 * sizeof(Word);
    Vector low;
    Vector high;
    std::memcpy(&low, from, sizeof low);
    std::memcpy(&high, from + sizeof low, sizeof high);
    Vector words;
    if constexpr (kWords == 4) {
      words = __builtin_shufflevector(low, high, 0, 2, 4, 6);
    } else {
      words = __builtin_shufflevector(low, high, 0, 2);
    }
    std::memcpy(packed + taken * sizeof(Word), &words, sizeof words);
  }
  return taken;
}

template <bool kPack, std::size_t kLength>
void copy_strided(std::byte* packed, std::int64_t packed_stride, Address at, std::int64_t stride,
                  std::int64_t count, std::size_t) {
  if constexpr (kPack && (kLength == 4 || kLength == 8)) {
    using Word = std::conditional_t<kLength == 4, std::uint32_t, std::uint64_t>;
    if (packed_stride == kLength && stride == 2 * kLength) {
      const std::int64_t taken = gather_every_second<Word>(packed, at, count);
      packed += taken * packed_stride;
      at = moved(at, taken * stride);
      count -= taken;
    }
  }
  for (; count >= 4; count -= 4) {
    copy<kPack>(packed, at, kLength);
    copy<kPack>(packed + packed_stride, moved(at, stride), kLength);
    packed += 2 * packed_stride;
    at = moved(moved(at, stride), stride);
    copy<kPack>(packed, at, kLength);
    copy<kPack>(packed + packed_stride, moved(at, stride), kLength);
    packed += 2 * packed_stride;
    at = moved(moved(at, stride), stride);
  }
  for (; count > 0; --count) {
    copy<kPack>(packed, at, kLength);
    packed += packed_stride;
    at = moved(at, stride);
  }
}

template <bool kPack>
void copy_strided_any(std::byte* packed, std::int64_t packed_stride, Address at,
                      std::int64_t stride, std::int64_t count, std::size_t length) {
  for (; count > 0; --count) {
    copy_block<kPack>(packed, at, length);
    packed += packed_stride;
    at = moved(at, stride);
  }
}

/// The loop for blocks of a length.
template <bool kPack>
[[nodiscard]] StridedCopy strided_copy(std::int64_t length) {
  switch (length) {
    case 1:
      return copy_strided<kPack, 1>;
    case 2:
      return copy_strided<kPack, 2>;
    case 3:
      return copy_strided<kPack, 3>;
    case 4:
      return copy_strided<kPack, 4>;
    case 8:
      return copy_strided<kPack, 8>;
    case 12:
      return copy_strided<kPack, 12>;
    case 16:
      return copy_strided<kPack, 16>;
    case 24:
      return copy_strided<kPack, 24>;
    case 32:
      return copy_strided<kPack, 32>;
    case 40:
      return copy_strided<kPack, 40>;
    case 48:
      return copy_strided<kPack, 48>;
    case 64:
      return copy_strided<kPack, 64>;
    default:
      return copy_strided_any<kPack>;
  }
}

template <bool kPack, std::size_t kLength>
void copy_offsets(std::byte* packed, Address at, std::span<const std::int64_t> offsets) {
  const std::int64_t* offset = offsets.data();
  std::size_t n = offsets.size();
  for (; n >= 4; n -= 4, offset += 4, packed += 4 * kLength) {
    copy<kPack>(packed, moved(at, offset[0]), kLength);
    copy<kPack>(packed + kLength, moved(at, offset[1]), kLength);
    copy<kPack>(packed + 2 * kLength, moved(at, offset[2]), kLength);
    copy<kPack>(packed + 3 * kLength, moved(at, offset[3]), kLength);
  }
  for (; n > 0; --n, ++offset, packed += kLength) copy<kPack>(packed, moved(at, *offset), kLength);
}

/// Blocks of one length anywhere.
template <bool kPack>
void copy_scattered(std::byte* packed, Address at, std::span<const std::int64_t> offsets,
                    std::size_t length) {
  switch (length) {
    case 1:
      return copy_offsets<kPack, 1>(packed, at, offsets);
    case 2:
      return copy_offsets<kPack, 2>(packed, at, offsets);
    case 4:
      return copy_offsets<kPack, 4>(packed, at, offsets);
    case 8:
      return copy_offsets<kPack, 8>(packed, at, offsets);
    case 12:
      return copy_offsets<kPack, 12>(packed, at, offsets);
    case 16:
      return copy_offsets<kPack, 16>(packed, at, offsets);
    case 24:
      return copy_offsets<kPack, 24>(packed, at, offsets);
    case 32:
      return copy_offsets<kPack, 32>(packed, at, offsets);
    default:
      for (const std::int64_t offset : offsets) {
        copy_block<kPack>(packed, moved(at, offset), length);
        packed += length;
      }
  }
}

/// Longer blocks gain nothing from loops over many of them.
inline constexpr std::int64_t kLongBlock = 64;
inline constexpr std::size_t kMostFields = 16;

/// Elements of a tile: what they span stays in the first-level cache from field to field.
[[nodiscard]] inline std::int64_t tile_of(std::int64_t stride) {
  const std::int64_t span = stride < 0 ? -stride : stride;
  return std::clamp<std::int64_t>(8192 / std::max<std::int64_t>(span, 1), 8, 256);
}

/// Whether copy_structs() takes a list of blocks.
[[nodiscard]] inline bool is_struct_of_shorts(std::span<const LayoutBlock> fields) {
  return !fields.empty() && fields.size() <= kMostFields &&
         std::ranges::all_of(fields, [](const LayoutBlock& f) { return f.length <= kLongBlock; });
}

/// An array of `count` structures of short blocks, `stride` bytes apart; packed ones are `size`
/// bytes. Requires is_struct_of_shorts().
template <bool kPack>
void copy_structs(std::byte* packed, std::int64_t size, Address at, std::int64_t stride,
                  std::int64_t count, std::span<const LayoutBlock> fields) {
  std::array<StridedCopy, kMostFields> loops;
  for (std::size_t f = 0; f < fields.size(); ++f) loops[f] = strided_copy<kPack>(fields[f].length);
  const std::int64_t tile = tile_of(stride);
  while (count > 0) {
    const std::int64_t n = std::min(count, tile);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      loops[f](packed + fields[f].start, size, moved(at, fields[f].displacement), stride, n,
               static_cast<std::size_t>(fields[f].length));
    }
    packed += n * size;
    at = moved(at, wrap_multiply(n, stride));
    count -= n;
  }
}

/// A loop of loops of one block.
struct Plane {
  std::int64_t rows;
  std::int64_t row_stride;  ///< bytes in memory
  std::int64_t columns;     ///< blocks of a row
  std::int64_t column_stride;
  std::int64_t length;  ///< bytes of a block
};

template <bool kPack>
void copy_plane(std::byte* packed, Address at, const Plane& plane) {
  const StridedCopy loop = strided_copy<kPack>(plane.length);
  const auto length = static_cast<std::size_t>(plane.length);
  const std::int64_t row = plane.columns * plane.length;
  const auto span = [](std::int64_t stride) { return stride < 0 ? -stride : stride; };
  const bool crosswise = span(plane.row_stride) < span(plane.column_stride);
  if (plane.length > kLongBlock || (!crosswise && plane.columns >= 8)) {
    for (std::int64_t r = 0; r < plane.rows; ++r) {
      loop(packed, plane.length, at, plane.column_stride, plane.columns, length);
      packed += row;
      at = moved(at, plane.row_stride);
    }
    return;
  }
  // Neighbours in memory are of different rows: as many rows at a time as share a cache line.
  const std::int64_t in_line =
      std::int64_t{kCacheLine} / std::max<std::int64_t>(span(plane.row_stride), 1);
  const std::int64_t tile = crosswise && plane.columns >= 8 ? std::max<std::int64_t>(in_line, 8)
                                                            : tile_of(plane.row_stride);
  for (std::int64_t left = plane.rows; left > 0; left -= tile) {
    const std::int64_t n = std::min(left, tile);
    for (std::int64_t c = 0; c < plane.columns; ++c) {
      loop(packed + c * plane.length, row, moved(at, wrap_multiply(c, plane.column_stride)),
           plane.row_stride, n, length);
    }
    packed += n * row;
    at = moved(at, wrap_multiply(n, plane.row_stride));
  }
}

}  // namespace remit
