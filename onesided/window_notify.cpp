// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Notified access: what windows do for notifications and signals.
#include <utility>

#include "onesided/one_sided.hpp"
#include "onesided/window.hpp"

namespace remit {

Expected<> Window::create_notify(const CommCall& call, std::uint32_t count) {
  if (notifications_ != nullptr) {
    return fail(MPI_ERR_RMA_SYNC,
                "the window has counters of notifications already: free them first");
  }
  static const std::string kNoName;
  const ParentComm members{comm_, kNoName};
  auto made = Notifications::make(call, members, manager_, members_, count);
  if (!made) return tl::unexpected(made.error());
  // They are in their place before anybody may notify: a message may come with the agreement.
  notifications_ = std::move(*made);
  auto agreed = Notifications::agree(call, members, notifications_.get());
  if (!agreed) notifications_.reset();
  return agreed;
}

Expected<> Window::free_notify(const CommCall& call) {
  if (notifications_ == nullptr) {
    return fail(MPI_ERR_RMA_SYNC, "the window has no counters of notifications to free");
  }
  if (auto fine = notifications_->check_free(call.function); !fine) return fine;
  auto flushed = end_operations(call, kAllMembers, false);
  auto met = barrier(call);
  notifications_.reset();
  return flushed ? met : flushed;
}

Expected<> Window::check_notify(int rank, int index) const {
  if (notifications_ == nullptr) {
    return fail(MPI_ERR_RMA_SYNC,
                "the window has no counters of notifications: call MPIX_Win_create_notify first");
  }
  if (notifications_->may_have(rank, index)) return {};
  return fail(MPI_ERR_ARG, "notification_idx is {}; rank {} has {} counters", index, rank,
              notifications_->limit(rank));
}

/// An operation that went by messages is not over yet, so what follows it goes the same way.
Expected<> Window::notify(int rank, std::uint32_t index) {
  if (members_.way(rank) == MemoryWay::message) return remote_.notify(rank, index);
  notifications_->notify(rank, index);
  return {};
}

Expected<View> Window::signal_word(int rank, MPI_Aint displacement) {
  auto word = locate({rank, displacement, 1, &predefined(MPI_UINT64_T)});
  if (!word) return word;
  const auto address = reinterpret_cast<std::uint64_t>(word->base);
  if (address % sizeof(std::uint64_t) != 0) {
    return fail(MPI_ERR_DISP,
                "signal_disp is {}: that is address {:#x} of rank {}, and a signal has to be "
                "aligned to 8 bytes",
                displacement, address, rank);
  }
  if (regions_ == nullptr || rank != comm_.rank) return word;
  if (auto fine = regions_->check(address, sizeof(std::uint64_t)); !fine) {
    return tl::unexpected(fine.error());
  }
  return word;
}

void Window::tell_signalled(int rank) {
  if (members_.way(rank) != MemoryWay::message) host_.tell_signalled(rank);
}

}  // namespace remit
