// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Peers that have asked for credits when there were none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "rdma_btl/common/credit_pool.hpp"

namespace remit {

/// Peers wait in turn, so that everybody who asks is served: what comes back to the pool goes to
/// the first of them, and who asks again stands behind the others.
class CreditQueue {
 public:
  /// The peer has asked for credits, and nothing that it is owed answers that. One that waits
  /// already keeps its place.
  void push(CreditLease& lease, std::uint64_t now_ns) {
    if (lease.needy) return;
    lease.needy = true;
    if (waiting_.empty()) since_ns_ = now_ns;
    waiting_.push_back(&lease);
  }

  [[nodiscard]] bool empty() const { return waiting_.empty(); }
  [[nodiscard]] std::size_t size() const { return waiting_.size(); }

  /// Takes the first one out, if the pool has the least that somebody is served with, beside `kept`
  /// units. The caller lends to it and tells it, unless its peer is gone meanwhile. Null: nobody
  /// waits, or there is nothing.
  [[nodiscard]] CreditLease* pop(const CreditPool& pool, std::uint64_t now_ns,
                                 std::size_t kept = 0) {
    if (waiting_.empty() || pool.unleased() < kept + pool.limits().least) return nullptr;
    CreditLease* const lease = waiting_.front();
    waiting_.pop_front();
    lease->needy = false;
    since_ns_ = now_ns;
    return lease;
  }

  /// The peer is gone: nobody is to be asked for credits on its account.
  void remove(CreditLease& lease) {
    if (!lease.needy) return;
    lease.needy = false;
    std::erase(waiting_, &lease);
  }

  /// Whether nobody was served for so long: those who hold the credits compute and do not answer,
  /// so new memory should be made. True once in that time.
  [[nodiscard]] bool waited(std::uint64_t now_ns, std::uint64_t patience_ns) {
    if (waiting_.empty() || now_ns < since_ns_ + patience_ns) return false;
    since_ns_ = now_ns;
    return true;
  }

 private:
  std::deque<CreditLease*> waiting_;
  std::uint64_t since_ns_ = 0;  ///< since when they wait in vain
};

}  // namespace remit
