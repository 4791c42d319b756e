// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What kind of processor this is. Not by __builtin_cpu_supports or __builtin_cpu_is: they bring a
// constructor that asks about everything in every process, and in a virtual machine each question
// is one to the hypervisor (86 us in all).
#pragma once

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace remit {

/// The family of a processor that AMD made, else 0: 25 (Zen 3 and 4, EPYC of the 3rd and 4th
/// generation), 26 (Zen 5, 5th generation); CPUID Fn0000_0001_EAX, base plus extended family. Asks
/// the processor: keep the answer.
[[nodiscard]] inline unsigned amd_family() {
#ifdef __x86_64__
  unsigned a = 0, b = 0, c = 0, d = 0;
  __cpuid(0, a, b, c, d);  // __get_cpuid() asks this before anything else, each time
  if (a == 0 || b != signature_AMD_ebx || c != signature_AMD_ecx || d != signature_AMD_edx) {
    return 0;
  }
  __cpuid(1, a, b, c, d);
  return (a >> 8 & 0xfU) + (a >> 20 & 0xffU);
#else
  return 0;
#endif
}

/// Whether programs may use AVX2: the processor has it, and the system keeps its registers. Asks
/// the processor: keep the answer.
[[nodiscard]] inline bool processor_has_avx2() {
#ifdef __x86_64__
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kSavesRegisters = bit_OSXSAVE | bit_AVX;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kSavesRegisters) != kSavesRegisters) return false;
  unsigned saved = 0, rest = 0;
  asm("xgetbv" : "=a"(saved), "=d"(rest) : "c"(0));
  constexpr unsigned kVectors = 6;  // the registers of SSE and AVX
  return (saved & kVectors) == kVectors && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
         (b & bit_AVX2) != 0;
#else
  return false;
#endif
}

}  // namespace remit
