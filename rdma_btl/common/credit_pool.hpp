// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Receive memory of one fixed size, leased to any number of peers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "rdma_btl/common/credits.hpp"

namespace remit {

/// How much a pool lends.
struct CreditLimits {
  std::uint32_t first = 8;   ///< units of a first window, at most
  std::uint32_t least = 1;   ///< ... and at least; nobody is served with less
  std::uint32_t most = 64;   ///< units of one lease, at most
  std::uint32_t share = 8;   ///< a first window is this part of what is free (1/8)
  std::uint32_t answer = 1;  ///< units owed that are worth a message. 2 where that message takes a
                             ///< credit itself: else two peers could answer each other for ever
};

/// What is to be done after units have come back.
enum class Settled : std::uint8_t {
  nothing,    ///< some are owed, and the peer need not be told yet
  due,        ///< some are owed, and a message of their own should say so if no other does
  came_back,  ///< of a recalled lease: they are in the pool again, for those who wait
  all_back,   ///< ... and with them all that was recalled: the recall is over. If the peer wants
              ///< more, it belongs into the CreditQueue now: nothing else will come back from it
};

/// The accounts of receive memory that is leased to peers as credits. A pool has a fixed size
/// however many peers there are: each begins with a small window, those that talk get more while
/// there is some, silent ones are asked for theirs.
///
/// It only counts. Nothing is sent and no clock is read here: functions return what is to be said
/// and to whom (CreditLease::id), and the caller says it in messages of its own. So the same rules
/// serve queue pairs, libfabric and the matching engine, and are tested without any of them. One
/// thread.
///
/// size() = unleased() + parked() + of each lease, units - base + what take() gave. Nothing here
/// creates or loses a unit, whatever peers say: more than a lease holds never comes back from it.
///
/// In the life of a lease its owner calls
///  - join() when the peer becomes known;
///  - lend_first() when a hello is sent, which says how many: the first window;
///  - used() (of the CreditLease) for each message that was read, and settle() if that says so;
///  - take_owed() when a message leaves: the credits that it carries, put_back() if it does not;
///  - extend() before that, for a peer that talks a lot;
///  - recall() for those that a RecallClock names, and answered() or take_back() at the answer;
///  - release() when the peer is gone, or park() if its messages may still need their receives.
///
/// Beside the pool: DueAnswers for peers that no message has told what they are owed, CreditQueue
/// for those that have asked and got nothing.
class CreditPool {
 public:
  explicit CreditPool(const CreditLimits& limits = {}) : limits_(limits) {}

  [[nodiscard]] const CreditLimits& limits() const { return limits_; }
  /// New memory: so many units more.
  void grow(std::size_t units);
  /// Units in all, without the bases of leases.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Units that are promised to nobody.
  [[nodiscard]] std::size_t unleased() const { return unleased_; }
  /// Units for a use beside all leases; false if there are not so many. put() returns them.
  [[nodiscard]] bool take(std::size_t units);
  void put(std::size_t units) { unleased_ += units; }

  // --- lending ---------------------------------------------------------------------------------
  // `kept` are unleased units that the caller keeps from it: for who comes later, or because they
  // are still being read.

  /// A peer, by the name that `id` is for the caller. Its `base` is given to it for good; whoever
  /// made the pool has set it aside.
  void join(CreditLease& lease, std::uint32_t id, std::uint32_t base = 0) const;

  /// What somebody gets who has nothing: a part of what is free, less and less, so that the first
  /// do not take all. 0 if the least is not there: less than that might never be worth an answer.
  [[nodiscard]] std::uint32_t first_window(std::size_t kept = 0) const;
  /// Lends it, unless the lease has something already; returns the units of the lease, for the
  /// message that tells the peer. With 0 the peer has to ask.
  std::uint32_t lend_first(CreditLease& lease, std::size_t kept = 0);
  /// Lends up to `wanted`, and no more than is free or a lease may have; returns how many. The
  /// caller tells the peer itself.
  std::uint32_t lend(CreditLease& lease, std::size_t wanted, std::size_t kept = 0);
  /// The same, as units that are owed: they reach the peer with the next message.
  std::uint32_t extend(CreditLease& lease, std::size_t wanted, std::size_t kept = 0);
  /// What a peer should get that used half of its lease before anything was sent back to it: as
  /// much again as it has, and at most half of what is free.
  [[nodiscard]] std::size_t doubling(const CreditLease& lease, std::size_t kept = 0) const;
  /// What is free, divided by the `waiting` peers that have asked for it and one more.
  [[nodiscard]] std::size_t fair_share(std::size_t waiting) const {
    return (unleased_ + waiting) / (waiting + 1);
  }

  // --- returning what was used -----------------------------------------------------------------

  /// What to do about what is owed: after CreditLease::used() has said so, or want_more().
  [[nodiscard]] Settled settle(CreditLease& lease);
  /// The peer says that it has used its last credit: what is owed to it is due at once.
  void want_more(CreditLease& lease) const;
  /// Whether a message of its own should tell the peer what it is owed.
  [[nodiscard]] bool is_due(const CreditLease& lease) const;
  /// The credits that a message to the peer carries, `most` at most; they are the peer's from now
  /// on.
  [[nodiscard]] std::uint32_t take_owed(CreditLease& lease, std::uint32_t most = 0xffff) const {
    const std::uint32_t credits = std::min(lease.owed, most);
    lease.owed -= credits;
    if (lease.wants_more && credits != 0) [[unlikely]] {
      lease.wants_more = false;
      refresh(lease);
    }
    return credits;
  }
  /// Owes again what take_owed() gave to a message that did not leave. The peer may have starved
  /// meanwhile, so it is due at once.
  void put_back(CreditLease& lease, std::uint32_t credits) const;
  /// Takes back what is owed above the base, which the peer need not be asked for: for others that
  /// wait.
  Settled reclaim_owed(CreditLease& lease);

  // --- recalling -------------------------------------------------------------------------------

  /// Starts a recall. What is owed comes back at once; returns how many units will come: 0 means
  /// that the peer holds none, and need be told only where both must know that. From now on what
  /// the peer uses comes back, too, until the recall is over.
  std::uint32_t recall(CreditLease& lease);
  /// Units that were recalled and are not here yet.
  [[nodiscard]] std::size_t coming() const { return coming_; }
  /// Units of a recalled lease come back. The recall is over when all above the base are here. Of
  /// more than the lease has the excess is ignored.
  Settled take_back(CreditLease& lease, std::uint32_t units);
  /// The peer's answer: the same, and the recall is over whatever is still under way, which is owed
  /// as before.
  Settled answered(CreditLease& lease, std::uint32_t units);

  // --- ends ------------------------------------------------------------------------------------

  /// The peer is gone, or its connection has come to nothing: its lease is nobody's again, and has
  /// no base any more. Should the peer come back, lend_first() lends to it.
  void release(CreditLease& lease);
  /// The same, but what it may still have under way keeps its receives until unpark().
  void park(CreditLease& lease);
  void unpark();
  [[nodiscard]] std::size_t parked() const { return parked_; }

 private:
  void refresh(CreditLease& lease) const;
  void end_recall(CreditLease& lease);
  [[nodiscard]] std::uint32_t clear(CreditLease& lease);
  [[nodiscard]] std::size_t free_beside(std::size_t kept) const {
    return unleased_ > kept ? unleased_ - kept : 0;
  }

  CreditLimits limits_;
  std::size_t size_ = 0;
  std::size_t unleased_ = 0;
  std::size_t coming_ = 0;
  std::size_t parked_ = 0;
};

}  // namespace remit
