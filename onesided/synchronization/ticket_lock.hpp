// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The lock of a window's member: fair, for one writer or many readers, in memory that processes
// share. J. Mellor-Crummey, M. Scott: "Scalable Reader-Writer Synchronization for Shared-Memory
// Multiprocessors" (PPoPP 1991), the fair lock with tickets.
#pragma once

#include <atomic>
#include <cstdint>

namespace remit {

/// Zeros are a free lock. Whoever wants it takes a ticket and is let in when its turn has come, in
/// the order of the tickets; readers that follow each other are in together. The functions never
/// wait: a ticket is taken once, and the caller asks until it is served. Any process that has the
/// memory.
class TicketLock {
 public:
  using Ticket = std::uint32_t;  // counts round

  [[nodiscard]] Ticket take_ticket() { return next_.fetch_add(1, std::memory_order_acq_rel); }

  /// Whether the writer with this ticket has the lock.
  [[nodiscard]] bool writer_is_in(Ticket ticket) const {
    return served_.load(std::memory_order_acquire) == both(ticket);
  }
  /// Whether the reader with this ticket has the lock; true once, for that lets the next one in.
  [[nodiscard]] bool let_reader_in(Ticket ticket) {
    if (static_cast<Ticket>(served_.load(std::memory_order_acquire)) != ticket) return false;
    // The lower half has to count round without a carry.
    const std::uint64_t step = ticket + 1 == 0 ? 1 - kFinished : 1;
    served_.fetch_add(step, std::memory_order_acq_rel);
    return true;
  }

  /// Takes the lock if nobody has it or waits for it. False: nothing was done.
  [[nodiscard]] bool try_writer(Ticket& ticket) {
    ticket = next_.load(std::memory_order_relaxed);
    return served_.load(std::memory_order_acquire) == both(ticket) &&
           next_.compare_exchange_strong(ticket, ticket + 1, std::memory_order_acq_rel);
  }
  /// The same beside other readers.
  [[nodiscard]] bool try_reader() {
    Ticket ticket = next_.load(std::memory_order_relaxed);
    if (static_cast<Ticket>(served_.load(std::memory_order_acquire)) != ticket ||
        !next_.compare_exchange_strong(ticket, ticket + 1, std::memory_order_acq_rel)) {
      return false;
    }
    return let_reader_in(ticket);
  }

  void writer_leaves(Ticket ticket) { served_.store(both(ticket + 1), std::memory_order_release); }
  void reader_leaves() { served_.fetch_add(kFinished, std::memory_order_acq_rel); }

  /// Whether a writer has the lock; also when somebody's turn has just come, who has not seen it
  /// yet.
  [[nodiscard]] bool written() const {
    const std::uint64_t served = served_.load(std::memory_order_acquire);
    const auto left = static_cast<Ticket>(served >> 32);
    return left == static_cast<Ticket>(served) && left != next_.load(std::memory_order_acquire);
  }
  /// Another number whenever somebody has been let in or has left.
  [[nodiscard]] std::uint64_t turn() const { return served_.load(std::memory_order_acquire); }
  /// Whether anybody has the lock or waits for it.
  [[nodiscard]] bool in_use() const {
    const std::uint64_t served = served_.load(std::memory_order_acquire);
    return static_cast<Ticket>(served >> 32) != next_.load(std::memory_order_acquire);
  }
  /// For tests: a free lock whose next ticket is this one.
  void begin_at(Ticket ticket) {
    next_.store(ticket, std::memory_order_relaxed);
    served_.store(both(ticket), std::memory_order_release);
  }

 private:
  static constexpr std::uint64_t kFinished = std::uint64_t{1} << 32;
  static constexpr std::uint64_t both(Ticket ticket) { return ticket * (kFinished + 1); }

  std::atomic<Ticket> next_{0};
  /// Lower half: tickets that may come in as readers; upper half: tickets whose owners have left.
  /// A writer comes in when both have reached its ticket.
  std::atomic<std::uint64_t> served_{0};
};

}  // namespace remit
