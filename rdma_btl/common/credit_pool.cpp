// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Receive memory of one fixed size, leased to any number of peers.
#include "rdma_btl/common/credit_pool.hpp"

#include <algorithm>

namespace remit {

void CreditPool::grow(std::size_t units) {
  size_ += units;
  unleased_ += units;
}

bool CreditPool::take(std::size_t units) {
  if (units > unleased_) return false;
  unleased_ -= units;
  return true;
}

/// Keeps `due_at` true.
void CreditPool::refresh(CreditLease& lease) const {
  if (lease.recalled) {
    lease.due_at = 1;
  } else if (lease.wants_more) {
    lease.due_at = limits_.answer;
  } else {
    lease.due_at = std::max(limits_.answer, lease.units / 2 + lease.units % 2);
  }
}

// --- lending -----------------------------------------------------------------------------------

void CreditPool::join(CreditLease& lease, std::uint32_t id, std::uint32_t base) const {
  lease.id = id;
  lease.units = lease.base = base;
  refresh(lease);
}

std::uint32_t CreditPool::first_window(std::size_t kept) const {
  const std::size_t free = free_beside(kept);
  if (free < limits_.least) return 0;
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(free / limits_.share, limits_.least, limits_.first));
}

std::uint32_t CreditPool::lend_first(CreditLease& lease, std::size_t kept) {
  if (lease.units == 0) lend(lease, first_window(kept), kept);
  return lease.units;
}

std::uint32_t CreditPool::lend(CreditLease& lease, std::size_t wanted, std::size_t kept) {
  const std::size_t room = limits_.most > lease.units ? limits_.most - lease.units : 0;
  const auto lent = static_cast<std::uint32_t>(std::min({wanted, room, free_beside(kept)}));
  if (lent == 0) return 0;
  lease.units += lent;
  lease.active = true;
  unleased_ -= lent;
  if (lease.recalled) coming_ += lent;
  refresh(lease);
  return lent;
}

std::uint32_t CreditPool::extend(CreditLease& lease, std::size_t wanted, std::size_t kept) {
  const std::uint32_t lent = lend(lease, wanted, kept);
  lease.owed += lent;
  return lent;
}

std::size_t CreditPool::doubling(const CreditLease& lease, std::size_t kept) const {
  return std::min<std::size_t>(lease.units, free_beside(kept) / 2);
}

// --- returning what was used -------------------------------------------------------------------

Settled CreditPool::settle(CreditLease& lease) {
  if (lease.units == 0) {  // it was released while the message was read
    lease.owed = 0;
    return Settled::nothing;
  }
  lease.owed = std::min(lease.owed, lease.units);
  if (lease.recalled) return reclaim_owed(lease);
  return is_due(lease) ? Settled::due : Settled::nothing;
}

void CreditPool::want_more(CreditLease& lease) const {
  lease.wants_more = true;
  refresh(lease);
}

bool CreditPool::is_due(const CreditLease& lease) const {
  if (lease.recalled || lease.owed < limits_.answer) return false;
  return lease.wants_more || lease.owed >= lease.units / 2 + lease.units % 2;
}

void CreditPool::put_back(CreditLease& lease, std::uint32_t credits) const {
  if (credits == 0 || lease.units == 0) return;
  lease.owed += credits;
  want_more(lease);
}

Settled CreditPool::reclaim_owed(CreditLease& lease) {
  const std::uint32_t back = std::min(lease.owed, lease.units - lease.base);
  lease.owed -= back;
  return take_back(lease, back);
}

// --- recalling ---------------------------------------------------------------------------------

std::uint32_t CreditPool::recall(CreditLease& lease) {
  if (lease.recalled) return 0;
  (void)reclaim_owed(lease);
  const std::uint32_t coming = lease.units - lease.base;
  if (coming == 0) return 0;
  lease.recalled = true;
  coming_ += coming;
  refresh(lease);
  return coming;
}

void CreditPool::end_recall(CreditLease& lease) {
  if (lease.recalled) coming_ -= lease.units - lease.base;
  lease.recalled = false;
  refresh(lease);
}

Settled CreditPool::take_back(CreditLease& lease, std::uint32_t units) {
  const std::uint32_t back = std::min(units, lease.units - lease.base);
  if (lease.recalled) coming_ -= back;
  lease.units -= back;
  lease.owed = std::min(lease.owed, lease.units);
  unleased_ += back;
  if (lease.units != lease.base) {
    refresh(lease);
    return is_due(lease) ? Settled::due : Settled::came_back;
  }
  end_recall(lease);
  return is_due(lease) ? Settled::due : Settled::all_back;
}

Settled CreditPool::answered(CreditLease& lease, std::uint32_t units) {
  const Settled settled = take_back(lease, units);
  end_recall(lease);
  return is_due(lease) ? Settled::due : settled;
}

// --- ends --------------------------------------------------------------------------------------

/// Returns the units above the base, which are the caller's now. Nobody looks for the lease in the
/// lists that it may be in: at the end of a job all are cleared, and the lists are long.
std::uint32_t CreditPool::clear(CreditLease& lease) {
  end_recall(lease);
  const std::uint32_t units = lease.units - lease.base;
  lease.units = lease.base = lease.owed = 0;
  lease.wants_more = lease.active = false;
  refresh(lease);
  return units;
}

void CreditPool::release(CreditLease& lease) {
  unleased_ += clear(lease);
}

void CreditPool::park(CreditLease& lease) {
  parked_ += clear(lease);
}

void CreditPool::unpark() {
  unleased_ += parked_;
  parked_ = 0;
}

}  // namespace remit
