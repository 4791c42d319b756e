// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What kind of processor this is. Not by __builtin_cpu_supports or __builtin_cpu_is: they bring a
// constructor that asks about everything in every process, and in a virtual machine each question
// is one to the hypervisor (86 us in all).
#pragma once

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace remit {

/// Bytes of the widest vectors that programs may use, which the processor has and whose registers
/// the system keeps: 32 with AVX2; 64 with AVX-512 of a processor that does not lower its clock
/// rate for it, one with the extensions of Ice Lake and Zen 4; else 16. Asks the processor: keep
/// the answer.
[[nodiscard]] inline unsigned widest_vector_bytes() {
#ifdef __x86_64__
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kSavesRegisters = bit_OSXSAVE | bit_AVX;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kSavesRegisters) != kSavesRegisters) return 16;
  unsigned saved = 0, rest = 0;
  asm("xgetbv" : "=a"(saved), "=d"(rest) : "c"(0));
  constexpr unsigned kVectors = 0x06;      // the registers of SSE and AVX
  constexpr unsigned kWideVectors = 0xe6;  // and of AVX-512
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return 16;
  const bool wide = (saved & kWideVectors) == kWideVectors && (b & bit_AVX512F) != 0 &&
                    (c & bit_AVX512VBMI2) != 0;
  if (wide) return 64;
  return (saved & kVectors) == kVectors && (b & bit_AVX2) != 0 ? 32 : 16;
#else
  return 16;
#endif
}

}  // namespace remit
