// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The eager path of the shared-memory device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma_btl/eager_path.hpp"
#include "rdma_btl/shm/peers/peer_table.hpp"
#include "rdma_btl/shm/rings/receiver.hpp"
#include "rdma_btl/shm/rings/sender.hpp"
#include "rdma_btl/shm/shm_config.hpp"

namespace remit::shm {

/// A small message is one cache line that changes owner. Owns what a message touches, so that it
/// is found without a detour: the peers, the rings that are read, and who writes. One thread.
class ShmEagerPath final : public EagerPath {
 public:
  /// `device`: which takes what is no small message.
  ShmEagerPath(Device& device, const ShmConfig& config, PeerHealth& health, Dispatcher& dispatcher,
               const ContactSocket& socket, ShmCounters& counters);

  void send(EndpointId endpoint, SendHead head, const void* data, std::size_t length,
            PendingQueue& refused) override;
  [[nodiscard]] std::size_t long_send() const override { return std::size_t{8} * 1024 + 1; }
  [[nodiscard]] bool takes_now(EndpointId endpoint, std::size_t bytes) override;
  [[nodiscard]] std::ptrdiff_t receive(EndpointId endpoint, SendHead head, SendHead mask, void* to,
                                       std::size_t room, bool awaits, SendHead& found) override;
  void have_read() override;

  [[nodiscard]] PeerTable& peers() { return peers_; }
  [[nodiscard]] const PeerTable& peers() const { return peers_; }
  [[nodiscard]] Receiver& receiver() { return receiver_; }
  [[nodiscard]] Sender& sender() { return sender_; }

  /// Bytes of the longest send.
  [[nodiscard]] static std::size_t max_send(const ShmConfig& config) {
    return config.area_bytes / 4;
  }

 private:
  PeerTable peers_;
  Receiver receiver_;
  Sender sender_;
  Device& device_;
};

}  // namespace remit::shm
