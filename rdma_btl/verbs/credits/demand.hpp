// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Who waits for receives, and since when.
#pragma once

#include <cstddef>
#include <cstdint>

namespace remit::verbs {

/// Peers that have asked for credits, and new peers that were told to try again, which come back or
/// do not. It only keeps times: `now_ns` is never 0. One thread.
class Demand {
 public:
  /// A new peer was admitted, or was told to try again.
  void on_newcomer(bool admitted, std::uint64_t now_ns) {
    newcomer_ns_ = admitted ? 0 : now_ns;
    // Somebody begins to wait; or somebody waited, and not in vain.
    if (admitted == any()) since_ns_ = now_ns;
  }
  /// A peer has asked.
  void on_request(std::uint64_t now_ns) {
    if (!any()) since_ns_ = now_ns;
  }
  /// One that had asked was served.
  void on_loan(std::uint64_t now_ns) { since_ns_ = now_ns; }

  /// Whether somebody waits, as far as is known without waiting().
  [[nodiscard]] bool any() const { return since_ns_ != 0; }
  /// Whether a new peer is expected to try again.
  [[nodiscard]] bool newcomer() const { return newcomer_ns_ != 0; }
  /// How many wait, of whom `requests` have asked. A new peer that does not come back is forgotten.
  [[nodiscard]] std::size_t waiting(std::size_t requests, std::uint64_t now_ns) {
    constexpr std::uint64_t kNewcomerNs = 1'000'000'000;
    if (newcomer() && now_ns - newcomer_ns_ >= kNewcomerNs) newcomer_ns_ = 0;
    const std::size_t all = requests + (newcomer() ? 1 : 0);
    if (all == 0) since_ns_ = 0;
    return all;
  }
  /// Whether nobody was served for so long. True once in that time.
  [[nodiscard]] bool in_vain(std::uint64_t now_ns, std::uint64_t patience_ns) {
    if (now_ns - since_ns_ < patience_ns) return false;
    since_ns_ = now_ns;
    return true;
  }

 private:
  std::uint64_t since_ns_ = 0;     ///< since when somebody waits in vain; 0: nobody waits
  std::uint64_t newcomer_ns_ = 0;  ///< when a new peer was told to try again; 0: not lately
};

}  // namespace remit::verbs
