// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/synchronization/epochs.hpp"

#include <utility>

namespace remit {

const char* Epochs::name_of_access() const {
  switch (access_) {
    case Access::none:
      break;
    case Access::fence:
      return "MPI_Win_fence";
    case Access::start:
      return "MPI_Win_start";
    case Access::locks:
      return "MPI_Win_lock";
    case Access::lock_all:
      return "MPI_Win_lock_all";
  }
  return "nothing";
}

Error Epochs::refusal(int rank) const {
  switch (access_) {
    case Access::start:
      return {MPI_ERR_RMA_SYNC,
              fmt::format("rank {} is not in the group that MPI_Win_start was called with", rank)};
    case Access::locks:
      return {MPI_ERR_RMA_SYNC,
              fmt::format("rank {} is not locked, but {} other ranks are: call MPI_Win_lock first",
                          rank, locks_.all().size())};
    default:
      return {MPI_ERR_RMA_SYNC,
              fmt::format("no access epoch is open to rank {}: call MPI_Win_fence, MPI_Win_start, "
                          "MPI_Win_lock or MPI_Win_lock_all first",
                          rank)};
  }
}

/// A fence begins an epoch only if operations follow it.
Expected<> Epochs::check_none(const char* call) const {
  if (access_ == Access::none || (access_ == Access::fence && !fence_used_)) return {};
  return fail(MPI_ERR_RMA_SYNC, "{} while the access epoch of {} is open: end that first", call,
              name_of_access());
}

// --- active target -----------------------------------------------------------------------------

Expected<> Epochs::fence(bool ends) {
  if (access_ != Access::none && access_ != Access::fence) {
    return fail(MPI_ERR_RMA_SYNC,
                "MPI_Win_fence while the access epoch of {} is open: end that first",
                name_of_access());
  }
  if (exposed_) {
    return fail(MPI_ERR_RMA_SYNC,
                "MPI_Win_fence between MPI_Win_post and MPI_Win_wait: wait first");
  }
  access_ = ends ? Access::none : Access::fence;
  fence_used_ = false;
  return {};
}

Expected<> Epochs::check_start() const {
  return check_none("MPI_Win_start");
}

void Epochs::start(std::vector<int> ranks) {
  started_ = std::move(ranks);
  std::sort(started_.begin(), started_.end());
  access_ = Access::start;
}

Expected<std::vector<int>> Epochs::complete() {
  if (access_ != Access::start) {
    return fail(MPI_ERR_RMA_SYNC,
                "MPI_Win_complete without MPI_Win_start: the access epoch is of {}",
                name_of_access());
  }
  access_ = Access::none;
  return std::exchange(started_, {});
}

Expected<> Epochs::post() {
  if (exposed_) {
    return fail(MPI_ERR_RMA_SYNC,
                "MPI_Win_post twice: the exposure of the first one has not been ended by "
                "MPI_Win_wait or MPI_Win_test");
  }
  if (access_ == Access::fence && fence_used_) {
    return fail(MPI_ERR_RMA_SYNC,
                "MPI_Win_post while the epoch of MPI_Win_fence is open: end that "
                "by another MPI_Win_fence");
  }
  exposed_ = true;
  return {};
}

Expected<> Epochs::check_wait() const {
  if (exposed_) return {};
  return fail(MPI_ERR_RMA_SYNC, "nothing is exposed: call MPI_Win_post first");
}

// --- passive target ----------------------------------------------------------------------------

Expected<> Epochs::check_lock(int rank) const {
  if (access_ != Access::locks) return check_none("MPI_Win_lock");
  if (locks_.find(rank) == nullptr) return {};
  return fail(MPI_ERR_RMA_SYNC, "MPI_Win_lock of rank {}, which this process has locked already",
              rank);
}

Expected<HeldLock> Epochs::unlock(int rank) {
  const HeldLock* const found = access_ == Access::locks ? locks_.find(rank) : nullptr;
  if (found == nullptr) {
    return fail(MPI_ERR_RMA_SYNC, "MPI_Win_unlock of rank {}, which is not locked{}", rank,
                access_ == Access::lock_all ? ": MPI_Win_unlock_all ends MPI_Win_lock_all" : "");
  }
  const HeldLock held = locks_.remove(found);
  if (locks_.all().empty()) access_ = Access::none;
  return held;
}

Expected<> Epochs::lock_all(bool checks) {
  if (auto fine = check_none("MPI_Win_lock_all"); !fine) return fine;
  access_ = Access::lock_all;
  checks_ = checks;
  if (checks) locks_.prepare_marks();
  return {};
}

Expected<> Epochs::check_unlock_all() const {
  if (access_ == Access::lock_all) return {};
  return fail(MPI_ERR_RMA_SYNC,
              "MPI_Win_unlock_all without MPI_Win_lock_all: the access epoch is of {}",
              name_of_access());
}

Expected<> Epochs::check_flush(int rank) const {
  if (!is_passive()) {
    return fail(MPI_ERR_RMA_SYNC,
                "a flush outside of a passive epoch: call MPI_Win_lock or MPI_Win_lock_all first");
  }
  if (access_ == Access::locks && rank >= 0 && locks_.find(rank) == nullptr) {
    return fail(MPI_ERR_RMA_SYNC, "a flush of rank {}, which is not locked", rank);
  }
  return {};
}

Expected<> Epochs::check_free() const {
  if (exposed_) {
    return fail(MPI_ERR_RMA_SYNC, "MPI_Win_free between MPI_Win_post and MPI_Win_wait: wait first");
  }
  return check_none("MPI_Win_free");
}

}  // namespace remit
