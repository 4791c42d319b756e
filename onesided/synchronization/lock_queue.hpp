// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The lock of a member for those who cannot reach its words: they have their tickets taken here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "links/process_id.hpp"
#include "onesided/synchronization/ticket_lock.hpp"

namespace remit {

/// Takes tickets on behalf of processes of other hosts, and keeps their locks. So they wait in one
/// row with those of this host. Waits for nobody. The thread that drives the links.
class LockQueue {
 public:
  explicit LockQueue(TicketLock& lock) : lock_(lock) {}

  /// `token` is given to whoever is told that the lock is `proc`'s. False: it has it, or waits
  /// for it, already.
  [[nodiscard]] bool ask(ProcId proc, bool exclusive, std::uint64_t token) {
    if (holders_.contains(proc) || waiting(proc) != waiting_.end()) return false;
    waiting_.push_back({proc, exclusive, false, lock_.take_ticket(), token});
    return true;
  }

  /// `proc` gives its lock back. False: it has none.
  [[nodiscard]] bool leave(ProcId proc) {
    const auto held = holders_.find(proc);
    if (held == holders_.end()) return false;
    leave(held->second.exclusive, held->second.ticket);
    holders_.erase(held);
    return true;
  }

  /// What a process had that is gone.
  enum class Forgotten : std::uint8_t { no_lock, shared_lock, exclusive_lock };
  /// The process is gone: a shared lock is given back, a ticket, when it is served. An exclusive
  /// lock stays taken for ever: what its owner was at may be half done.
  Forgotten forget(ProcId proc) {
    if (const auto at = waiting(proc); at != waiting_.end()) at->gone = true;
    const auto held = holders_.find(proc);
    if (held == holders_.end()) return Forgotten::no_lock;
    const bool exclusive = held->second.exclusive;
    if (!exclusive) lock_.reader_leaves();
    holders_.erase(held);
    return exclusive ? Forgotten::exclusive_lock : Forgotten::shared_lock;
  }

  /// Calls granted(proc, exclusive, token) for each whose turn has come; passed_on() where a
  /// process that is gone has had its turn. How many turns there were.
  template <class Granted, class PassedOn>
  int serve(Granted&& granted, PassedOn&& passed_on) {
    int turns = 0;
    while (!waiting_.empty() && is_in(waiting_.front())) {
      const Asker asker = waiting_.front();
      waiting_.pop_front();
      ++turns;
      if (asker.gone) {
        leave(asker.exclusive, asker.ticket);
        passed_on();
      } else {
        holders_[asker.proc] = {asker.exclusive, asker.ticket};
        granted(asker.proc, asker.exclusive, asker.token);
      }
    }
    return turns;
  }
  [[nodiscard]] bool waits() const { return !waiting_.empty(); }
  /// Nobody will be let in any more: calls refused(proc, token) for each who waits. How many there
  /// were.
  template <class Refused>
  int give_up(Refused&& refused) {
    int told = 0;
    for (const Asker& asker : waiting_) {
      if (asker.gone) continue;
      refused(asker.proc, asker.token);
      ++told;
    }
    waiting_.clear();
    return told;
  }

 private:
  struct Asker {
    ProcId proc;
    bool exclusive;
    bool gone;
    TicketLock::Ticket ticket;
    std::uint64_t token;
  };
  struct Holder {
    bool exclusive = false;
    TicketLock::Ticket ticket = 0;
  };

  /// As the tickets were taken in the order of the row, nobody behind the first can be in.
  [[nodiscard]] bool is_in(const Asker& asker) {
    return asker.exclusive ? lock_.writer_is_in(asker.ticket) : lock_.let_reader_in(asker.ticket);
  }
  void leave(bool exclusive, TicketLock::Ticket ticket) {
    if (exclusive) {
      lock_.writer_leaves(ticket);
    } else {
      lock_.reader_leaves();
    }
  }
  [[nodiscard]] std::deque<Asker>::iterator waiting(ProcId proc) {
    return std::find_if(waiting_.begin(), waiting_.end(),
                        [&](const Asker& asker) { return asker.proc == proc && !asker.gone; });
  }

  TicketLock& lock_;
  std::deque<Asker> waiting_;
  std::map<ProcId, Holder> holders_;
};

}  // namespace remit
