// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Registered memory of a process of the host, as its owner and its peers see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rdma_btl/device.hpp"
#include "rdma_btl/shm/rings/layout.hpp"

namespace remit::shm {

/// The regions of this process. A key is {index, generation}: one that was removed names nothing
/// any more, also when its place is used again. The first kSharedRegions are published to peers,
/// which check against them what they copy themselves. Nothing is pinned. One thread.
class RegionTable {
 public:
  /// Where regions are published; null: nowhere.
  void publish_in(Home* home) { home_ = home; }

  [[nodiscard]] Region add(void* address, std::size_t length, Access access);
  /// Nothing happens if it has been removed already.
  void remove(const Region& region);
  /// Whether a peer may access so many bytes in this way; it may always access none.
  [[nodiscard]] bool allowed(std::uint64_t key, std::uint64_t address, std::uint64_t length,
                             Access access) const;

 private:
  struct Slot {
    std::uint32_t generation = 0;
    Access access = Access::local;
    bool live = false;
    std::uint64_t address = 0;
    std::uint64_t length = 0;
  };
  Home* home_ = nullptr;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

/// Whether the region is one of those that its owner publishes, so that the initiator can check
/// what is done there; others are the target's to check.
[[nodiscard]] inline bool checked_here(const RemoteAddress& remote) {
  return static_cast<std::uint32_t>(remote.key) < kSharedRegions;
}

/// Whether the owner of the home has published that region for such an access. Regions beyond the
/// published ones pass.
[[nodiscard]] bool published(const Home& home, const RemoteAddress& remote, std::size_t length,
                             Access needed);

}  // namespace remit::shm
