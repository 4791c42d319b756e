// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared-memory device: processes of one host. A small send is one cache line that changes
// owner; large transfers are copied by the kernel where that is allowed.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rdma_btl/device.hpp"
#include "rdma_btl/shm/copies/peer_copier.hpp"
#include "rdma_btl/shm/copies/target.hpp"
#include "rdma_btl/shm/copies/transfers.hpp"
#include "rdma_btl/shm/dispatcher.hpp"
#include "rdma_btl/shm/peers/contact_socket.hpp"
#include "rdma_btl/shm/peers/first_contact.hpp"
#include "rdma_btl/shm/peers/home_segment.hpp"
#include "rdma_btl/shm/peers/peer_health.hpp"
#include "rdma_btl/shm/peers/peer_heaps.hpp"
#include "rdma_btl/shm/peers/region_table.hpp"
#include "rdma_btl/shm/shm_config.hpp"
#include "rdma_btl/shm/shm_eager_path.hpp"
#include "rdma_btl/shm/shm_host_memory.hpp"
#include "rdma_btl/shm/sleep.hpp"
#include "rdma_btl/shm/upkeep.hpp"

namespace remit {

/// Peers talk through one ring a direction, made at the first connect() or HELLO and seen by the
/// two of them only; memory of a pair is touched as it is used. One thread.
///
/// Puts and gets name registered regions of the peer. An access outside of them fails with
/// MPI_ERR_RMA_RANGE. When the bytes are copied directly it is the initiator that checks this, in
/// the target's published table; the kernel only checks that both belong to one user.
///
/// Owns its parts and wires them; each has one idea and says which.
class ShmDevice final : public Device {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<ShmDevice>> create(const ShmConfig& config);

  [[nodiscard]] const Caps& caps() const override { return caps_; }
  [[nodiscard]] std::vector<std::byte> local_address() const override { return socket_.address(); }
  [[nodiscard]] bool reachable(std::span<const std::byte> address) const override;
  [[nodiscard]] Expected<EndpointId> connect(PeerName peer,
                                             std::span<const std::byte> address) override;
  [[nodiscard]] PeerName peer(EndpointId endpoint) const override;
  [[nodiscard]] Expected<Region> register_memory(void* address, std::size_t length,
                                                 Access access) override;
  void deregister(const Region& region) override { regions_.remove(region); }
  [[nodiscard]] std::size_t post(EndpointId endpoint,
                                 std::span<const Operation> operations) override;
  [[nodiscard]] std::size_t poll(std::span<Completion> out) override;
  void arm() override { sleep_.arm(); }
  void disarm() override { sleep_.disarm(); }
  [[nodiscard]] int wait_fd() const override { return sleep_.wait_fd(); }
  [[nodiscard]] int max_sleep_ms() const override;
  [[nodiscard]] bool flushed() const override { return upkeep_.flushed(); }
  [[nodiscard]] std::string explain(EndpointId endpoint) const override;
  [[nodiscard]] std::vector<Statistic> statistics() const override;
  [[nodiscard]] EagerPath* eager_path() override { return &eager_; }
  [[nodiscard]] HostMemory* host_memory() override { return &host_memory_; }

  [[nodiscard]] const ShmCounters& counters() const { return counters_; }
  /// What is known of each peer.
  [[nodiscard]] const shm::PeerTable& peers() const { return eager_.peers(); }

 private:
  explicit ShmDevice(const ShmConfig& config);
  [[nodiscard]] Expected<> open();

  // Hot members first.
  shm::ShmEagerPath eager_;
  shm::Upkeep upkeep_;
  const ShmConfig config_;
  Caps caps_;
  ShmCounters counters_;
  shm::ContactSocket socket_;  // peers look whether it is there, and then how the home was left
  shm::HomeSegment home_;
  shm::Sleep sleep_;
  shm::RegionTable regions_;
  shm::PeerHeaps heaps_;
  shm::PeerCopier copier_;
  shm::Transfers transfers_;
  shm::Target target_;
  shm::FirstContact contact_;
  shm::PeerHealth health_;
  shm::Dispatcher dispatcher_;
  shm::ShmHostMemory host_memory_;
};

}  // namespace remit
