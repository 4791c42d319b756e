// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The words of a member that an adapter's atomics change: an agreement between processes of all
// hosts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "onesided/memory/control.hpp"

namespace remit {

/// In windows of the adapter domain, in place of the words that processors of a host change. They
/// are registered memory, zeros at first, and from then on nobody changes them but by atomics of
/// the member's adapter, the member itself too: an adapter may write back what it has read when a
/// comparison fails, and would undo a store or a put that came between. `takers` alone is put.
struct AdapterWords {
  static constexpr std::size_t kTakers = 64;

  /// The lock of MPI_Win_lock, with the tickets of TicketLock.
  struct Lock {
    std::uint64_t next = 0;    ///< its lower half is the next ticket
    std::uint64_t served = 0;  ///< as TicketLock's
    /// By ticket: that in the upper half, 1 + the rank that has taken it in the lower one. Told
    /// behind the taking, so that who waits for long finds out whom for.
    std::array<std::uint64_t, kTakers> takers{};
  };
  struct Granule {
    std::uint64_t holder = 0;  ///< 0: free; else 1 + the holder's rank
    std::array<std::uint64_t, 7> unused{};
  };

  alignas(kControlLine) Lock lock;
  alignas(kControlLine) std::array<Granule, MemberControl::kGranuleLocks> granules;
};

/// What others need to reach a member by its adapter. In messages.
struct AdapterKeys {
  std::uint64_t words_address = 0;
  std::uint64_t words_key = 0;
  std::uint64_t memory_key = 0;  ///< of the window's memory; 0: it has none
};

}  // namespace remit
