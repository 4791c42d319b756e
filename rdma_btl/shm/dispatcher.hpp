// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Whose each cell of a peer is.
#pragma once

#include "rdma_btl/device.hpp"
#include "rdma_btl/shm/peers/endpoint.hpp"
#include "rdma_btl/shm/rings/layout.hpp"

namespace remit::shm {

class PeerHeaps;
class PeerHealth;
class Target;
class Transfers;

/// Gives each cell that is no message to the part of the device that it is for. One thread.
class Dispatcher {
 public:
  Dispatcher(Transfers& transfers, Target& target, PeerHeaps& heaps, PeerHealth& health)
      : transfers_(transfers), target_(target), heaps_(heaps), health_(health) {}

  /// True if the caller is to be told: `out` is filled.
  [[nodiscard]] bool handle(Endpoint& endpoint, const Cell& cell, CellKind kind, Completion& out);

 private:
  Transfers& transfers_;
  Target& target_;
  PeerHeaps& heaps_;
  PeerHealth& health_;
};

}  // namespace remit::shm
