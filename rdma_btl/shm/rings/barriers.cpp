// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/rings/barriers.hpp"

#include <system_error>

#include "runtime/os/os.hpp"
#include "runtime/signals_blocked.hpp"

namespace remit::shm {

void Barriers::open(bool wanted, bool registered) {
  usable_ = wanted && barrier_everywhere();
  if (!usable_) return;
  if (registered || has_one_thread()) {
    registered_ = registered || register_for_barriers();
    return;
  }
  const SignalsBlocked blocked;
  try {
    registrar_ = std::thread([this] {
      registering_.store(register_for_barriers() ? 1 : -1, std::memory_order_release);
    });
  } catch (const std::system_error&) {
    // No thread to be had: fences it is.
  }
}

bool Barriers::has_become_registered() {
  if (registered_ || registering_.load(std::memory_order_acquire) != 1) return false;
  registered_ = true;
  return true;
}

void Barriers::run() const {
  if (usable_) (void)barrier_everywhere();
}

}  // namespace remit::shm
