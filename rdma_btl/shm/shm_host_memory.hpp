// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The host-memory facet of the shared-memory device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "rdma_btl/host_memory.hpp"
#include "rdma_btl/shm/copies/peer_copier.hpp"
#include "rdma_btl/shm/peers/home_segment.hpp"
#include "rdma_btl/shm/peers/known_facts.hpp"
#include "rdma_btl/shm/peers/notice_pool.hpp"
#include "rdma_btl/shm/peers/peer_heaps.hpp"
#include "rdma_btl/shm/peers/peer_table.hpp"
#include "rdma_btl/shm/rings/receiver.hpp"
#include "rdma_btl/shm/rings/sender.hpp"
#include "rdma_btl/shm/shm_config.hpp"

namespace remit::shm {

/// What peers of the host reach by themselves: notices behind the home segments, shared heaps, and
/// any memory by the kernel. Owns what is known of the host. One thread.
class ShmHostMemory final : public HostMemory {
 public:
  ShmHostMemory(const ShmConfig& config, const PeerTable& peers, Receiver& receiver, Sender& sender,
                const HomeSegment& home, PeerHeaps& heaps, PeerCopier& copier)
      : peers_(peers),
        receiver_(receiver),
        sender_(sender),
        home_(home),
        heaps_(heaps),
        copier_(copier),
        facts_(config, copier.kernel(), receiver) {}

  [[nodiscard]] Notices take_notices() override;
  void return_notices(std::uint32_t index, std::function<bool()> in_use) override;
  [[nodiscard]] std::byte* notices_of(EndpointId endpoint, std::uint32_t index) const override;
  void nudge(EndpointId endpoint) override;

  [[nodiscard]] bool reaches_memory(EndpointId endpoint) const override;
  [[nodiscard]] bool read_memory(EndpointId endpoint, std::uint64_t address, void* to,
                                 std::size_t bytes) override;
  [[nodiscard]] bool write_memory(EndpointId endpoint, std::uint64_t address, const void* from,
                                  std::size_t bytes) override;
  [[nodiscard]] std::byte* map_memory(EndpointId endpoint, std::uint64_t address,
                                      std::size_t bytes) override;
  [[nodiscard]] bool may_map_later(EndpointId endpoint) const override;

  [[nodiscard]] void* allocate(std::size_t bytes) override { return heaps_.allocate(bytes); }
  [[nodiscard]] Released release(void* memory) override;

  [[nodiscard]] HostFacts facts() const override { return facts_.facts(); }
  [[nodiscard]] HostFacts measure_facts() override { return facts_.measure(); }
  void learn(const HostFacts& facts) override { facts_.learn(facts); }
  [[nodiscard]] std::size_t claim_lines_to() const override { return receiver_.claim_lines_to(); }

 private:
  const PeerTable& peers_;
  const Receiver& receiver_;
  Sender& sender_;
  const HomeSegment& home_;
  PeerHeaps& heaps_;
  PeerCopier& copier_;
  NoticePool notices_{kNoticeBoards};
  KnownFacts facts_;
};

}  // namespace remit::shm
