// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared-memory device's counters by name.
#include "rdma_btl/shm/endpoint.hpp"

namespace remit {

/// Cells are numbered as they are written, so that counting them costs a message nothing.
std::vector<Statistic> ShmDevice::statistics() const {
  std::uint64_t sent = 0;
  for (const auto& endpoint : endpoints_) sent += endpoint->tx.published();
  const ShmCounters& c = counters_;
  return {{"cells_sent", sent},
          {"wakes", c.wakes},
          {"refused", c.refused},
          {"violations", c.violations},
          {"direct_copies", c.cma_calls},
          {"mapped_copies", c.mapped_copies},
          {"assisted", c.assisted},
          {"detours", kernel_copy_.detours()},
          {"connections", c.hellos_accepted}};
}

}  // namespace remit
