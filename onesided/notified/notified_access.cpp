// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/notified/notified_access.hpp"

#include <utility>

namespace remit {

Expected<> NotifiedAccess::create(const CommCall& call, std::uint32_t count) {
  if (counters_ != nullptr) {
    return fail(MPI_ERR_RMA_SYNC,
                "the window has counters of notifications already: free them first");
  }
  const ParentComm members = window_comm(window_);
  auto made = Notifications::make(call, members, window_.manager, window_.members, count);
  if (!made) return tl::unexpected(made.error());
  // They are in their place before anybody may notify: a message may come with the agreement.
  counters_ = std::move(*made);
  auto agreed = Notifications::agree(call, members, counters_.get());
  if (!agreed) counters_.reset();
  return agreed;
}

Expected<> NotifiedAccess::free(const CommCall& call) {
  if (counters_ == nullptr) {
    return fail(MPI_ERR_RMA_SYNC, "the window has no counters of notifications to free");
  }
  if (auto fine = counters_->check_free(call.function); !fine) return fine;
  auto flushed = end_operations(call, window_, kAllMembers, false);
  auto met = meet_members(call, window_);
  counters_.reset();
  return flushed ? met : flushed;
}

Expected<> NotifiedAccess::check_free(const char* function) const {
  return counters_ != nullptr ? counters_->check_free(function) : Expected<>{};
}

Expected<> NotifiedAccess::check(int rank, int index) const {
  if (counters_ == nullptr) {
    return fail(MPI_ERR_RMA_SYNC,
                "the window has no counters of notifications: call MPIX_Win_create_notify first");
  }
  if (counters_->may_have(rank, index)) return {};
  return fail(MPI_ERR_ARG, "notification_idx is {}; rank {} has {} counters", index, rank,
              counters_->limit(rank));
}

/// An operation that went by messages is not over yet, so what follows it goes the same way.
Expected<> NotifiedAccess::notify(int rank, std::uint32_t index) {
  // What an adapter changes is seen by whoever is told of it.
  if (window_.adapter != nullptr) {
    if (auto there = window_.adapter->peers().flush(rank, nullptr); !there) return there;
  }
  if (window_.members.way(rank) == MemoryWay::message) return window_.remote.notify(rank, index);
  counters_->notify(rank, index);
  return {};
}

bool NotifiedAccess::arrived(std::uint32_t index) {
  return counters_ != nullptr && counters_->arrived(index);
}

}  // namespace remit
