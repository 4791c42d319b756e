// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A window of the adapter domain: all locks and accumulates of all members, on whatever host, go by
// the targets' adapters.
#pragma once

#include <cstdint>
#include <memory>

#include "onesided/adapter/adapter_changes.hpp"
#include "onesided/adapter/adapter_locks.hpp"
#include "onesided/adapter/adapter_peers.hpp"

namespace remit {

/// Chosen when the window is made, by all members together: what adapters change is in general not
/// atomic with what processors change, so there is one of both. The thread that holds the process.
class AdapterAccess {
 public:
  AdapterAccess(OneSided& manager, std::uint32_t window, const WindowMembers& members,
                std::unique_ptr<AdapterMemory> own, std::uint64_t& used)
      : peers_(manager, window, members, std::move(own), used) {}

  [[nodiscard]] AdapterPeers& peers() { return peers_; }
  [[nodiscard]] const AdapterPeers& peers() const { return peers_; }
  [[nodiscard]] AdapterLocks& locks() { return locks_; }
  [[nodiscard]] const AdapterLocks& locks() const { return locks_; }
  [[nodiscard]] AdapterChanges& changes() { return changes_; }
  [[nodiscard]] const AdapterChanges& changes() const { return changes_; }

 private:
  AdapterPeers peers_;
  AdapterLocks locks_{peers_};
  AdapterChanges changes_{peers_};
};

}  // namespace remit
