// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/synchronization/held_locks.hpp"

#include <algorithm>

namespace remit {

const HeldLock* HeldLocks::look_up(int rank) const {
  const auto found = std::find_if(held_.begin(), held_.end(),
                                  [rank](const HeldLock& held) { return held.rank == rank; });
  if (found == held_.end()) return nullptr;
  return &*found;
}

HeldLock HeldLocks::remove(const HeldLock* held) {
  const HeldLock removed = *held;
  held_.erase(held_.begin() + (held - held_.data()));
  return removed;
}

void HeldLocks::prepare_marks() {
  marks_.resize((static_cast<std::size_t>(members_) + kBits - 1) / kBits);
}

void HeldLocks::add_marked(const HeldLock& held) {
  held_.push_back(held);
  const auto index = static_cast<unsigned>(held.rank);
  marks_[index / kBits] |= std::uint64_t{1} << index % kBits;
}

/// In as many steps as there are locks, not members.
void HeldLocks::clear_marked() {
  for (const HeldLock& held : held_) marks_[static_cast<unsigned>(held.rank) / kBits] = 0;
  held_.clear();
}

}  // namespace remit
