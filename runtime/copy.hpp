// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How bytes are copied between buffers of programs and memory that processes share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace remit {

/// Bytes that cores hand to each other at once.
inline constexpr std::size_t kCacheLine = 64;

/// Bytes from which the distance of a copy matters. Shorter ones no C library makes by the
/// processor's string instruction.
inline constexpr std::size_t kTrapFrom = 1024;

/// Whether the destination runs 1 to 31 bytes ahead of the source modulo 4096. There the string
/// instruction (rep movsb), by which the kernel copies always and C libraries from some 2 KB on,
/// takes 15 to 30 times as long on some processors (Zen 3). Malloc's large blocks begin 16 bytes
/// behind a page, mapped memory with it.
[[nodiscard]] inline bool in_copy_trap(std::uintptr_t to, std::uintptr_t from) {
  constexpr std::uintptr_t kPage = 4096;
  constexpr std::uintptr_t kWidth = 31;
  return (to - from - 1) % kPage < kWidth;
}

/// copy_bytes() from kTrapFrom bytes on.
void copy_long(void* to, const void* from, std::size_t n);

/// As memcpy, and never by the string instruction at a distance at which it may be slow. All copies
/// between buffers of programs and shared memory, whose lengths are not known when they are
/// compiled, go this way. Any thread.
inline void copy_bytes(void* to, const void* from, std::size_t n) {
  if (n < kTrapFrom) {
    std::memcpy(to, from, n);
  } else {
    copy_long(to, from, n);
  }
}

/// As memmove: the ranges may overlap.
void move_bytes(void* to, const void* from, std::size_t n);

// --- what depends on the processor ---------------------------------------------------------------

/// Which loops copies are made by. Of the machine, not of an MPI process: every thread copies by
/// it.
struct CopyLoops {
  /// Bytes of the vectors that copy in the trap: 16, 32 or 64.
  unsigned vector_bytes = 16;
  /// Outside of the trap data of so many bytes and fewer are copied in pieces, by vectors; longer
  /// ones by the C library. Its string instruction takes long to start where the lines are in
  /// another core's cache.
  std::size_t pieces_to = 8192;
};

/// Those in use: at first what the processor's features suggest.
[[nodiscard]] CopyLoops copy_loops();
/// What measuring has shown. Vectors wider than the processor has stay as they are.
void use_copy_loops(const CopyLoops& loops);
/// copy_long() by vectors of so many bytes, or as the processor has, whatever the distance:
/// for who measures.
void copy_by_vectors(unsigned vector_bytes, void* to, const void* from, std::size_t n);

}  // namespace remit
