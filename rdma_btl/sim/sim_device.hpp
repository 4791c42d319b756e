// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The simulated network's device: one per virtual process. The model to copy for a new device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "rdma_btl/common/confirm_queue.hpp"
#include "rdma_btl/host_memory.hpp"
#include "rdma_btl/sim/sim_network.hpp"

namespace remit {

/// A device on a SimNetwork; made by SimNetwork::add_process. Small: a few hundred bytes, and
/// some tens for each endpoint in use.
class SimDevice final : public Device, public HostMemory {
 public:
  ~SimDevice() override;
  SimDevice(const SimDevice&) = delete;
  SimDevice& operator=(const SimDevice&) = delete;

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
  [[nodiscard]] int wait_fd() const override { return wait_fd_; }
  [[nodiscard]] bool flushed() const override;
  [[nodiscard]] std::string explain(EndpointId endpoint) const override;

  [[nodiscard]] int max_sleep_ms() const override { return -1; }
  [[nodiscard]] std::vector<Statistic> statistics() const override;
  /// Where SimConfig::reaches_memory is given.
  [[nodiscard]] HostMemory* host_memory() override;

  // HostMemory (sim_host_memory.cpp)
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
  [[nodiscard]] void* allocate(std::size_t bytes) override;
  [[nodiscard]] Released release(void* memory) override;
  [[nodiscard]] HostFacts facts() const override;
  [[nodiscard]] HostFacts measure_facts() override;
  void learn(const HostFacts& facts) override;
  [[nodiscard]] std::size_t take_lines_to() const override;

  [[nodiscard]] PeerName name() const { return name_; }
  [[nodiscard]] const SimStats& stats() const { return stats_; }
  [[nodiscard]] SimNetwork& network() { return network_; }
  /// When the work that this process has done so far (o for each operation and each receive) is
  /// over, in virtual time: at or after now_ns(). A collective's duration at a process is this.
  [[nodiscard]] std::uint64_t busy_until_ns() const;
  /// Adds `ns` of computation to this process's time.
  void compute(std::uint64_t ns);
  /// Live endpoints, those of incoming connections included.
  [[nodiscard]] std::size_t endpoint_count() const { return endpoints_.size(); }
  /// Bytes that this process's device holds.
  [[nodiscard]] std::size_t memory_in_use() const;

 private:
  friend class SimNetwork;
  struct Endpoint {
    std::uint32_t peer = 0;              ///< index in the network
    std::uint32_t remote = kNoEndpoint;  ///< the peer's endpoint to this process
    std::uint32_t in_flight = 0;
    bool failed = false;
    bool refused = false;        ///< post() said no: make the process ready when it may say yes
    std::uint64_t ready_ns = 0;  ///< connected from then on
    std::uint64_t last_arrival_ns = 0;  ///< of a send, for the order of sends
  };
  struct Registration {
    std::uint64_t key = 0;
    std::uintptr_t begin = 0;
    std::size_t length = 0;
    Access access = Access::local;
  };
  struct Lent {
    std::unique_ptr<std::byte[]> data;
    std::size_t length = 0;
  };
  /// What few processes have, so that most do not pay for it.
  struct Rare {
    std::unordered_map<std::uint32_t, EndpointId> endpoint_of;  ///< once there are many
    std::unordered_map<std::uint64_t, Registration> registrations;
    std::size_t registered = 0;  ///< bytes
    std::unordered_map<EndpointId, std::string> failures;
    std::unordered_map<EndpointId, ConfirmQueue> confirms;  ///< of endpoints with puts or atomics
    std::vector<std::function<bool()>> notices_in_use;      ///< by index; null: handed out
    std::unordered_map<void*, std::unique_ptr<std::byte[]>> allocated;
    HostFacts facts;
  };
  static constexpr std::uint32_t kNoEndpoint = ~std::uint32_t{0};
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kLinearSearch = 16;

  SimDevice(SimNetwork& network, PeerName name, std::uint32_t index);
  [[nodiscard]] EndpointId endpoint_to(std::uint32_t peer);
  [[nodiscard]] EndpointId find_endpoint(std::uint32_t peer) const;
  [[nodiscard]] std::size_t room(Endpoint& endpoint, std::size_t wanted);
  void accept(EndpointId endpoint, const Operation& operation);
  [[nodiscard]] const char* check(const Operation& operation, std::size_t bytes) const;
  [[nodiscard]] const char* check_notify(const Operation& operation) const;
  [[nodiscard]] const char* check_local(std::span<const Piece> pieces) const;
  [[nodiscard]] bool registered(std::uint64_t key, std::uint64_t address, std::size_t length,
                                Access access) const;
  /// Puts a completion into the list for poll().
  void push(std::uint32_t flight);
  void hand_over(Completion& out, SimFlight& flight);
  void wake();
  [[nodiscard]] Rare& rare();

  SimNetwork& network_;
  PeerName name_;
  std::uint32_t index_;
  std::uint32_t in_flight_ = 0;
  std::vector<Endpoint> endpoints_;
  std::uint32_t unread_head_ = kNone;  ///< completions that are due: a list of flights
  std::uint32_t unread_tail_ = kNone;
  std::uint32_t unread_ = 0;
  int wait_fd_ = -1;
  mutable bool flush_wanted_ = false;  ///< flushed() said no: make ready when it would say yes
  bool dead_ = false;
  bool armed_ = false;
  bool ready_ = false;  ///< is in the network's ready list
  std::uint64_t processor_free_ns_ = 0;
  std::uint64_t adapter_free_ns_ = 0;
  std::uint64_t receive_free_ns_ = 0;
  std::vector<Lent> lent_;  ///< receives of the last poll
  std::unique_ptr<Rare> rare_;
  SimStats stats_;
};

}  // namespace remit
