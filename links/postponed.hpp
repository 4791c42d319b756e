// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Operations that no device has.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "links/link.hpp"
#include "links/link_users.hpp"
#include "links/process_id.hpp"
#include "rdma_btl/device.hpp"
#include "rdma_btl/pending.hpp"

namespace remit {

/// Operations of links that are not connected yet wait here for their device; those of links that
/// are lost wait for their turn to complete, for who posts is not told from inside its own call.
/// Local memory stays in use until completion. One thread.
class PostponedOperations {
 public:
  /// `users`, which must outlive it, are told of completions.
  explicit PostponedOperations(LinkUsers& users) : users_(users) {}

  /// Of a link without a connection: they wait for it.
  void keep(const Link& link, std::span<const Operation> operations);
  /// Of a link that is lost: they complete with MPI_ERR_PROC_ABORTED.
  void refuse(std::span<const Operation> operations);
  /// The link has been connected: offers what has waited for it to its device.
  void hand_over(Link& link);
  /// The link is lost: what has waited for it is refused.
  void drop(const Link& link);

  /// Operations wait to complete.
  [[nodiscard]] bool refused() const { return !refused_.empty(); }
  /// Completes these, and says how many they were.
  int complete();
  /// Nothing waits for a connection.
  [[nodiscard]] bool empty() const { return unconnected_.empty(); }

 private:
  LinkUsers& users_;
  std::map<ProcId, PendingQueue> unconnected_;
  std::vector<std::uint64_t> refused_;  // cookies
};

}  // namespace remit
