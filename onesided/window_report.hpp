// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which ways a window has to its members' memory, and why not faster ones, for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace remit {

class OneSided;

/// Some members of a window: how many, and which is the first.
struct SomeMembers {
  int count = 0;
  int first = -1;  ///< rank in the window

  void add(int rank) {
    if (count++ == 0) first = rank;
  }
};

/// What this process did in a window otherwise than by loads and stores. Those are not counted.
struct WindowCounts {
  std::uint64_t kernel = 0;        ///< operations, or parts of them, by copies of the kernel
  std::uint64_t moves = 0;         ///< puts and gets by a device
  std::uint64_t messages = 0;      ///< operations, notifications and locks that the target served
  std::uint64_t waited_locks = 0;  ///< locks that were not free
  /// Operations, or parts of long ones, that polling targets of this host did.
  std::uint64_t handed_over = 0;
  std::uint64_t adapter = 0;  ///< operations of adapters, for locks and accumulates
};

/// Who does what messages of a window ask for.
enum class WindowServing : std::uint8_t {
  nobody,   ///< no member needs messages to reach another one's memory
  thread,   ///< the progress thread
  in_calls  ///< its target, while it is in a call of MPI
};

/// What one process knows of one of its windows. Nothing was tried to find it out.
struct WindowReport {
  std::uint32_t number = 0;  ///< the same at all members
  int flavor = 0;            ///< MPI_WIN_FLAVOR_...
  int members = 0;
  WindowServing serving = WindowServing::nobody;
  WindowCounts counts;

  // Each member is one of these. By loads and stores:
  SomeMembers mapped;
  // On this host, by the kernel's copies, which do work, or have not been tried:
  SomeMembers kernel, untried;
  // By messages: the kernel refuses; this host's memory is not shared; on another host.
  SomeMembers refused, unshared, elsewhere;

  std::string refusal;      ///< the kernel's words, of `refused`
  std::string not_sharing;  ///< why memory is not shared, of `unshared`
  std::string adapter;      ///< whose atomics change elements and locks; empty: processors do
  std::string device;       ///< by which members on other hosts are reached; empty: none was yet
};

/// "MPI_Win_allocate" for MPI_WIN_FLAVOR_ALLOCATE.
[[nodiscard]] const char* maker_of(int flavor);

/// Between which operations an element changes as a whole.
inline constexpr const char* kAtomicityWords =
    "of the processor: each element under a lock of the target's host, taken by a processor there; "
    "where members are on several hosts and each has an adapter with atomics, of the adapter";

/// Why members of one host do not share what Remit allocates.
[[nodiscard]] std::string why_not_shared(OneSided& manager);

/// Why some members are not reached by loads and stores, a sentence for each reason; empty: all
/// are.
[[nodiscard]] std::vector<std::string> why_not_faster(const WindowReport& report);

/// All of it in a line, without `name`, which is the program's and may be empty: "window 12 (halo):
/// MPI_Win_allocate, 4 members: 4 mapped; ...".
[[nodiscard]] std::string describe(const WindowReport& report, const std::string& name = {});

}  // namespace remit
