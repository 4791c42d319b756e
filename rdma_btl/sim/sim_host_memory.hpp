// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory that virtual processes of one host share.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "rdma_btl/host_memory.hpp"
#include "rdma_btl/sim/notice_memory.hpp"
#include "rdma_btl/sim/processes.hpp"

namespace remit::sim {

/// The facet of one process. All are one program, so that what one of them stores is there for the
/// others at once; the network's faults do not touch it, deaths do.
class SimHostMemory final : public HostMemory {
 public:
  SimHostMemory(const SimConfig& config, Processes& processes, NoticeMemory& notices,
                const VirtualProcess& self)
      : config_(config), processes_(processes), notices_(notices), self_(self) {}

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
  [[nodiscard]] bool may_map_later(EndpointId /*endpoint*/) const override { return false; }
  [[nodiscard]] void* allocate(std::size_t bytes) override;
  [[nodiscard]] Released release(void* memory) override;
  [[nodiscard]] HostFacts facts() const override;
  [[nodiscard]] HostFacts measure_facts() override;
  void learn(const HostFacts& facts) override;
  [[nodiscard]] std::size_t claim_lines_to() const override;

 private:
  const SimConfig& config_;
  Processes& processes_;
  NoticeMemory& notices_;
  const VirtualProcess& self_;
  std::vector<std::function<bool()>> in_use_;  ///< of notices by index; null: handed out
  std::unordered_map<void*, std::unique_ptr<std::byte[]>> allocated_;
  HostFacts facts_;
};

}  // namespace remit::sim
