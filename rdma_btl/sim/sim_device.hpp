// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The simulated network's device: one per virtual process. The model to copy for a new device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rdma_btl/sim/sim_host_memory.hpp"
#include "rdma_btl/sim/sim_network.hpp"
#include "rdma_btl/sim/virtual_process.hpp"

namespace remit {

/// A device on a SimNetwork; made by SimNetwork::add_process. Small: a few hundred bytes, and
/// some tens for each endpoint in use.
class SimDevice final : public Device {
 public:
  /// Its process joins the network; throws std::invalid_argument if it has one of that name.
  SimDevice(const sim::Fabric& fabric, PeerName name);
  ~SimDevice() override;

  [[nodiscard]] const Caps& caps() const override;
  [[nodiscard]] std::vector<std::byte> local_address() const override;
  [[nodiscard]] bool reachable(std::span<const std::byte> address) const override;
  [[nodiscard]] Expected<EndpointId> connect(PeerName peer,
                                             std::span<const std::byte> address) override;
  [[nodiscard]] PeerName peer(EndpointId endpoint) const override;
  [[nodiscard]] Expected<Region> register_memory(void* address, std::size_t length,
                                                 Access access) override;
  void deregister(const Region& region) override;
  [[nodiscard]] std::size_t post(EndpointId endpoint,
                                 std::span<const Operation> operations) override;
  [[nodiscard]] std::size_t poll(std::span<Completion> out) override;
  void arm() override;
  void disarm() override;
  [[nodiscard]] int wait_fd() const override { return process_.wait_fd; }
  [[nodiscard]] bool flushed() const override;
  [[nodiscard]] std::string explain(EndpointId endpoint) const override;

  [[nodiscard]] int max_sleep_ms() const override { return -1; }
  [[nodiscard]] std::vector<Statistic> statistics() const override;
  /// Where SimConfig::reaches_memory is given.
  [[nodiscard]] HostMemory* host_memory() override;

  [[nodiscard]] PeerName name() const { return process_.name; }
  [[nodiscard]] const SimStats& stats() const { return process_.stats; }
  /// When the work that this process has done so far (o for each operation and each receive) is
  /// over, in virtual time: at or after now_ns(). A collective's duration at a process is this.
  [[nodiscard]] std::uint64_t busy_until_ns() const;
  /// Adds `ns` of computation to this process's time.
  void compute(std::uint64_t ns);
  /// Live endpoints, those of incoming connections included.
  [[nodiscard]] std::size_t endpoint_count() const { return process_.endpoints.size(); }
  /// Bytes that this process's device holds.
  [[nodiscard]] std::size_t memory_in_use() const;

 private:
  struct Lent {
    std::unique_ptr<std::byte[]> data;
    std::size_t length = 0;
  };

  [[nodiscard]] std::size_t room(sim::Endpoint& endpoint, std::size_t wanted);
  void accept(EndpointId endpoint, const Operation& operation);
  void prepare(sim::Flight& flight, EndpointId endpoint, const Operation& operation);
  void refuse(EndpointId endpoint, const Operation& operation);
  void hand_over(Completion& out, sim::Flight& flight);

  const sim::Fabric& fabric_;
  sim::VirtualProcess process_;
  std::vector<Lent> lent_;                           ///< receives of the last poll
  std::unique_ptr<sim::SimHostMemory> host_memory_;  ///< once it is asked for
};

}  // namespace remit
