// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The loops that copy long data.
#include "runtime/copy.hpp"

#include <algorithm>
#include <atomic>

#include "runtime/copy_time.hpp"
#include "runtime/processor.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace remit {

namespace {

/// All of a block, or half of one by the narrowest vectors, is loaded before any of it is stored:
/// where a load follows a store to the same place modulo 4096, the processor takes it for one that
/// must wait.
constexpr std::size_t kBlock = 256;
/// The destination of the blocks begins with a line.
constexpr std::size_t kLine = 64;

using BlockLoop = void (*)(std::byte* to, const std::byte* from, std::size_t blocks);

void copy_blocks_of_16(std::byte* to, const std::byte* from, std::size_t blocks) {
  using Vector [[gnu::vector_size(16), gnu::may_alias]] = long long;
  constexpr std::size_t kVectors = kBlock / 2 / sizeof(Vector);  // as many as there are registers
  for (blocks *= 2; blocks != 0; --blocks, to += kBlock / 2, from += kBlock / 2) {
    Vector v[kVectors];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kVectors; ++i) {
      std::memcpy(&v[i], from + i * sizeof(Vector), sizeof(Vector));
    }
    asm volatile("" : : : "memory");  // else the compiler may make a call of memcpy of the loop
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kVectors; ++i) {
      *reinterpret_cast<Vector*>(to + i * sizeof(Vector)) = v[i];
    }
  }
}

#ifdef __x86_64__
[[gnu::target("avx2")]] void copy_blocks_of_32(std::byte* to, const std::byte* from,
                                               std::size_t blocks) {
  constexpr std::size_t kVectors = kBlock / sizeof(__m256i);
  for (; blocks != 0; --blocks, to += kBlock, from += kBlock) {
    __m256i v[kVectors];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kVectors; ++i) {
      v[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from) + i);
    }
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kVectors; ++i) {
      _mm256_store_si256(reinterpret_cast<__m256i*>(to) + i, v[i]);
    }
  }
}

[[gnu::target("avx512f")]] void copy_blocks_of_64(std::byte* to, const std::byte* from,
                                                  std::size_t blocks) {
  constexpr std::size_t kVectors = kBlock / sizeof(__m512i);
  for (; blocks != 0; --blocks, to += kBlock, from += kBlock) {
    __m512i v[kVectors];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kVectors; ++i) {
      v[i] = _mm512_loadu_si512(from + i * sizeof(__m512i));
    }
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kVectors; ++i) {
      _mm512_store_si512(to + i * sizeof(__m512i), v[i]);
    }
  }
}

BlockLoop loop_of(unsigned vector_bytes) {
  return vector_bytes >= 64   ? copy_blocks_of_64
         : vector_bytes >= 32 ? copy_blocks_of_32
                              : copy_blocks_of_16;
}
#else
BlockLoop loop_of(unsigned /*vector_bytes*/) {
  return copy_blocks_of_16;
}
#endif

/// Those that this processor has, asked once.
unsigned widest() {
  static const unsigned bytes = widest_vector_bytes();
  return bytes;
}

void choose_and_copy(std::byte* to, const std::byte* from, std::size_t blocks);

std::atomic<BlockLoop> block_loop = choose_and_copy;
std::atomic<std::size_t> pieces_to = CopyLoops{}.pieces_to;

/// Until something was measured: the widest vectors.
void choose_and_copy(std::byte* to, const std::byte* from, std::size_t blocks) {
  const BlockLoop loop = loop_of(widest());
  block_loop.store(loop, std::memory_order_relaxed);
  loop(to, from, blocks);
}

/// At least kLine bytes. Some are copied twice.
void copy_in_blocks(BlockLoop loop, std::byte* to, const std::byte* from, std::size_t n) {
  std::memcpy(to, from, kLine);
  const std::size_t head = kLine - reinterpret_cast<std::uintptr_t>(to) % kLine;
  to += head;
  from += head;
  n -= head;
  loop(to, from, n / kBlock);
  const std::size_t done = n / kBlock * kBlock;
  std::memcpy(to + done, from + done, n - done);
}

/// Bytes that C libraries copy by vectors.
constexpr std::size_t kPiece = 2048;

/// By the C library, piece after piece.
void copy_in_pieces(std::byte* to, const std::byte* from, std::size_t n) {
  std::size_t piece = kPiece;
  asm("" : "+r"(piece));  // a length that it knows the compiler copies by the string instruction
  for (; n > kPiece; n -= kPiece, to += kPiece, from += kPiece) std::memcpy(to, from, piece);
  std::memcpy(to, from, n);
}

/// Whether the destination runs 1 to 31 bytes ahead of the source or behind it, modulo 4096. Ahead
/// is the trap of the string instruction; behind, each load of the C library's loops seems to need
/// what one of the stores before it has written.
bool close_in_page(std::uintptr_t to, std::uintptr_t from) {
  return in_copy_trap(to, from) || in_copy_trap(from, to);
}

}  // namespace

namespace {

[[gnu::always_inline]] inline void choose_copy(std::byte* to, const std::byte* from,
                                               std::size_t n) {
  if (close_in_page(reinterpret_cast<std::uintptr_t>(to), reinterpret_cast<std::uintptr_t>(from))) {
    copy_in_blocks(block_loop.load(std::memory_order_relaxed), to, from, n);
  } else if (n > kPiece && n <= pieces_to.load(std::memory_order_relaxed)) {
    copy_in_pieces(to, from, n);
  } else {
    std::memcpy(to, from, n);
  }
}

[[gnu::noinline]] void copy_timed(std::byte* to, const std::byte* from, std::size_t n) {
  const TimedCopy time(n);
  choose_copy(to, from, n);
}

}  // namespace

void copy_long(void* to_any, const void* from_any, std::size_t n) {
  auto* const to = static_cast<std::byte*>(to_any);
  const auto* const from = static_cast<const std::byte*>(from_any);
  if (n >= CopyTime::kFromBytes && CopyTime::is_wanted()) [[unlikely]]
    return copy_timed(to, from, n);
  choose_copy(to, from, n);
}

void move_bytes(void* to, const void* from, std::size_t n) {
  const std::uintptr_t ahead =
      reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
  if (ahead < n || -ahead < n) {
    std::memmove(to, from, n);
  } else {
    copy_bytes(to, from, n);
  }
}

CopyLoops copy_loops() {
  const BlockLoop loop = block_loop.load(std::memory_order_relaxed);
  CopyLoops loops{widest(), pieces_to.load(std::memory_order_relaxed)};
  for (unsigned bytes = 16; loop != choose_and_copy && bytes <= widest(); bytes *= 2) {
    if (loop == loop_of(bytes)) loops.vector_bytes = bytes;
  }
  return loops;
}

void use_copy_loops(const CopyLoops& loops) {
  block_loop.store(loop_of(std::min(loops.vector_bytes, widest())), std::memory_order_relaxed);
  pieces_to.store(loops.pieces_to, std::memory_order_relaxed);
}

void copy_by_vectors(unsigned vector_bytes, void* to, const void* from, std::size_t n) {
  if (n < kLine) {
    std::memcpy(to, from, n);
  } else {
    copy_in_blocks(loop_of(std::min(vector_bytes, widest())), static_cast<std::byte*>(to),
                   static_cast<const std::byte*>(from), n);
  }
}

}  // namespace remit
