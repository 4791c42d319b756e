// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What leaves an ofi device through libfabric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>

#include "rdma_btl/ofi/lender.hpp"
#include "rdma_btl/ofi/lifecycle.hpp"

namespace remit::ofi {

/// Gives messages, puts and gets to libfabric. A message goes through a buffer of the device,
/// whatever its length: so it has left when its buffer is free again. One thread.
class Sender {
 public:
  Sender(Fabric& fabric, RequestPool& requests, Lender& lender, Lifecycle& lifecycle,
         OwnCompletions& own, OfiCounters& counters)
      : fabric_(fabric),
        requests_(requests),
        lender_(lender),
        lifecycle_(lifecycle),
        own_(own),
        counters_(counters) {}

  /// Accepts a prefix of the operations, as Device::post().
  [[nodiscard]] std::size_t post(Endpoint& endpoint, std::span<const Operation> operations);
  /// The first message through libfabric, which says that this way works. False: later.
  [[nodiscard]] bool send_open(Endpoint& endpoint);
  /// A put is complete at its target, and the notification can follow: its credit was taken with
  /// the put.
  void notify(EndpointId endpoint, std::uint32_t notification) {
    due_.emplace_back(endpoint, notification);
  }
  /// Notifications wait for room.
  [[nodiscard]] bool any_due() const { return !due_.empty(); }
  void flush(Endpoints& endpoints);

 private:
  [[nodiscard]] bool post_one(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool post_send(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool post_put(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool post_get(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool post_confirm(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool read_proof(Endpoint& endpoint);
  [[nodiscard]] bool send_message(Endpoint& endpoint, Header header, std::span<const Piece> pieces);
  [[nodiscard]] bool send_notification(Endpoint& endpoint, std::uint32_t value);
  [[nodiscard]] bool transfer(Endpoint& endpoint, const Operation& operation, bool remote_data);
  [[nodiscard]] bool took(Endpoint& endpoint, long result, Request& request, const char* what);
  [[nodiscard]] bool unsupported(const Endpoint& endpoint, const Operation& operation);

  Fabric& fabric_;
  RequestPool& requests_;
  Lender& lender_;
  Lifecycle& lifecycle_;
  OwnCompletions& own_;
  OfiCounters& counters_;
  std::deque<std::pair<EndpointId, std::uint32_t>> due_;  ///< notifications
};

}  // namespace remit::ofi
