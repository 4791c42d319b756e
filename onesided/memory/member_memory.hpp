// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A member's memory as this process reaches it by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "onesided/memory/control.hpp"

namespace remit {

class HolderWatch;
class ProcessMemory;

/// Addresses in it are those of the member's own process, here and in everything that is told to
/// others: granules are numbered by them.
struct MemberMemory {
  std::byte* here = nullptr;           ///< where `base` is mapped in this process; null: nowhere
  std::uint64_t base = 0;              ///< address in the member's process
  ProcessMemory* process = nullptr;    ///< if it is not mapped: how to copy
  std::span<GranuleLock> granules;     ///< MemberControl::granules of the member
  std::uint32_t self = 0;              ///< 1 + the index of this process among those of the host
  const HolderWatch* watch = nullptr;  ///< of those who hold a granule; null: nobody knows

  [[nodiscard]] std::byte* mapped(std::uint64_t address) const { return here + (address - base); }
};

}  // namespace remit
