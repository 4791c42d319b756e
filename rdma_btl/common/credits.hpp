// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The two ends of a loan of receive memory: what a peer may use here, what we may use there.
#pragma once

#include <cstdint>
#include <utility>

namespace remit {

/// What one peer may use of this process's receive memory. A unit is what its user says: a receive
/// (verbs, ofi), or some bytes of a pool (pt2pt).
///
/// units = credits that the peer holds + what it has under way or what is being read here + owed.
///
/// A plain value that lies in the endpoint of the peer, where the path of every message touches it:
/// used() is called for each; all else is done by the CreditPool and the lists beside it, which
/// alone write the members. Its address must not change once it has joined a pool.
struct CreditLease {
  std::uint32_t owed = 0;    ///< used by the peer and free again; the peer has not been told yet
  std::uint32_t due_at = 0;  ///< with so much owed CreditPool::settle() has something to do
  bool active = false;       ///< has used something since the RecallClock last came by
  // Every message touches what stands above, so that an endpoint can have it in its first line.
  bool wants_more = false;  ///< the peer has used its last credit, or has asked for more
  bool recalled = false;    ///< the peer has been asked for what it holds
  bool needy = false;       ///< waits in a CreditQueue
  bool due = false;         ///< is in DueAnswers
  std::uint32_t units = 0;  ///< all that are the peer's, `base` and `owed` included
  std::uint32_t base = 0;   ///< of `units`, those that are never recalled
  std::uint32_t id = 0;     ///< what its user calls the peer: an EndpointId, a ProcId

  /// The peer has used `count` units, which are free again. True: call CreditPool::settle() now.
  [[nodiscard]] bool used(std::uint32_t count) {
    active = true;
    owed += count;
    return owed >= due_at;
  }

  /// All that is owed, for a message that leaves now; for users that never call
  /// CreditPool::want_more(). Others call CreditPool::take_owed().
  [[nodiscard]] std::uint32_t take_owed() { return std::exchange(owed, 0); }
};

/// What we may use of a peer's receive memory: the other end of the CreditLease that the peer keeps
/// for us. A plain value, in the endpoint of the peer.
class Credits {
 public:
  /// Units that may be used now.
  [[nodiscard]] std::uint32_t count() const { return count_; }

  /// Whether so many may be used, if `reserve` are kept: verbs keeps its last one for messages of
  /// the device itself, which return credits, so that two that have used all never wait for each
  /// other.
  [[nodiscard]] bool allow(std::uint32_t units, std::uint32_t reserve = 0) const {
    return count_ >= units + reserve;
  }

  /// Uses units that allow() has granted.
  void spend(std::uint32_t units) { count_ -= units; }
  /// Gives back what spend() took for a message that did not leave.
  void unspend(std::uint32_t units) { count_ += units; }

  /// The peer grants so many.
  void grant(std::uint32_t units) { count_ += units; }

  /// The peer recalls what it has lent. Returns how many credits go back with the answer: all but
  /// `kept`, the part that is never recalled, or what a message waits for that would be starved if
  /// it lost its credit each time.
  [[nodiscard]] std::uint32_t give_back(std::uint32_t kept) {
    const std::uint32_t back = count_ > kept ? count_ - kept : 0;
    count_ -= back;
    return back;
  }

 private:
  std::uint32_t count_ = 0;
};

/// Credits that are asked for when there are none: once for each grant.
class AskedCredits : private Credits {
 public:
  using Credits::allow;
  using Credits::count;
  using Credits::give_back;
  using Credits::spend;
  using Credits::unspend;

  /// The peer grants so many. A request that was answered so may be made again.
  void grant(std::uint32_t units) {
    Credits::grant(units);
    if (units != 0) asked_ = false;
  }

  /// Something waits for a credit. True: the peer has to be asked.
  [[nodiscard]] bool ask() {
    const bool first = !asked_;
    asked_ = true;
    return first;
  }
  /// The peer knows already that we have none: the message that took the last one said so.
  void told() { asked_ = true; }

 private:
  bool asked_ = false;  ///< the peer knows that we have none
};

}  // namespace remit
