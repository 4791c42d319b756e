// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// MPI_Win_lock in windows whose locks an adapter takes.
#pragma once

#include <cstdint>

#include "onesided/adapter/adapter_peers.hpp"
#include "onesided/synchronization/ticket_lock.hpp"

namespace remit {

/// The fair lock of tickets (TicketLock) in a member's registered words, changed by its adapter's
/// atomics alone: the member does nothing for it. The thread that holds the process.
class AdapterLocks {
 public:
  explicit AdapterLocks(AdapterPeers& peers) : peers_(peers) {}

  /// Takes the lock in the order of those who want it, and waits: two operations that go together
  /// if nobody stands before this process, else a read now and then. An error: the member, or a
  /// process that stands before this one, has ended.
  [[nodiscard]] Expected<> lock(int rank, bool exclusive, TicketLock::Ticket& ticket,
                                const WaitSubject* subject);
  /// Behind operations that are visible at the member. A flush waits for it.
  void unlock(int rank, bool exclusive, TicketLock::Ticket ticket);

  /// Locks that were not free when this process wanted them.
  [[nodiscard]] std::uint64_t waits() const { return waits_; }
  /// Who stood before this process when it looked last, for reports; < 0: not known.
  [[nodiscard]] int last_holder() const { return last_holder_; }

 private:
  [[nodiscard]] Expected<> wait(AdapterPeer& peer, bool exclusive, TicketLock::Ticket ticket,
                                const WaitSubject* subject);
  /// The rank of one who has ended and may stand between the lock and this ticket; < 0: none is
  /// known. `ask_all`: all members are asked for, if the words do not tell who that may be.
  [[nodiscard]] int find_lost(const AdapterWords::Lock& lock, TicketLock::Ticket ticket,
                              bool ask_all);

  AdapterPeers& peers_;
  std::uint64_t waits_ = 0;
  int last_holder_ = -1;
};

}  // namespace remit
