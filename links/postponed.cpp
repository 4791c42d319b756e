// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "links/postponed.hpp"

#include <utility>

#include "links/device_set.hpp"

namespace remit {

void PostponedOperations::keep(const Link& link, std::span<const Operation> operations) {
  PendingQueue& waiting = unconnected_[link.id];
  for (const Operation& operation : operations) waiting.push(0, operation);
}

void PostponedOperations::refuse(std::span<const Operation> operations) {
  for (const Operation& operation : operations) refused_.push_back(operation.cookie);
}

void PostponedOperations::hand_over(Link& link) {
  const auto waiting = unconnected_.find(link.id);
  if (waiting == unconnected_.end()) return;
  LinkDevice& slot = *link.device;
  waiting->second.move_all(slot.pending, link.endpoint);
  unconnected_.erase(waiting);
  slot.pending.flush(*slot.device);
}

void PostponedOperations::drop(const Link& link) {
  const auto waiting = unconnected_.find(link.id);
  if (waiting == unconnected_.end()) return;
  waiting->second.for_each(
      [this](const Operation& operation) { refused_.push_back(operation.cookie); });
  unconnected_.erase(waiting);
}

int PostponedOperations::complete() {
  const std::vector<std::uint64_t> cookies = std::exchange(refused_, {});
  for (const std::uint64_t cookie : cookies) {
    if (cookie != kNoCompletion) users_.completed(cookie, MPI_ERR_PROC_ABORTED);
  }
  return static_cast<int>(cookies.size());
}

}  // namespace remit
