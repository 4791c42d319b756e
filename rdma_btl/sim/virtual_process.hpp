// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the simulated network knows of one process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "rdma_btl/common/confirm_queue.hpp"
#include "rdma_btl/sim/flight.hpp"
#include "rdma_btl/sim/registrations.hpp"
#include "rdma_btl/sim/sim_config.hpp"

namespace remit::sim {

inline constexpr EndpointId kNoEndpoint = ~EndpointId{0};

/// A process's end of a connection.
struct Endpoint {
  std::uint32_t peer = 0;           ///< index in the network
  EndpointId remote = kNoEndpoint;  ///< the peer's endpoint to this process
  std::uint32_t in_flight = 0;
  bool failed = false;
  bool refused = false;        ///< post() said no: make the process ready when it may say yes
  std::uint64_t ready_ns = 0;  ///< connected from then on
  std::uint64_t last_arrival_ns = 0;  ///< of a send, or of anything if order is kept
};

/// A process: owned by its device, and known to its network while that exists. Small, for there may
/// be very many.
class VirtualProcess {
 public:
  VirtualProcess(PeerName its_name, std::uint32_t its_index, FlightPool& flights)
      : name(its_name), index(its_index), inbox(flights) {}

  /// The endpoint to the peer of that index; kNoEndpoint: there is none.
  [[nodiscard]] EndpointId find_endpoint(std::uint32_t peer) const;
  [[nodiscard]] EndpointId add_endpoint(std::uint32_t peer);

  /// Its confirms, which wait for its puts and atomics.
  [[nodiscard]] ConfirmQueue& confirms(EndpointId endpoint) { return rare().confirms[endpoint]; }
  /// Why an endpoint has failed; empty: it has not.
  [[nodiscard]] std::string failure(EndpointId endpoint) const;
  void set_failure(EndpointId endpoint, std::string words);
  [[nodiscard]] Registrations& registrations() { return rare().registrations; }
  /// Whether a key of this process allows that.
  [[nodiscard]] bool allows_access(std::uint64_t key, std::uint64_t address, std::size_t length,
                                   Access access) const;

  [[nodiscard]] std::size_t memory_in_use() const;

  PeerName name;
  std::uint32_t index;
  bool dead = false;
  bool ready = false;                 ///< is in the network's ready list
  bool armed = false;                 ///< an event is to be written to wait_fd
  mutable bool flush_wanted = false;  ///< flushed() said no: make ready when it would say yes
  int wait_fd = -1;
  std::uint32_t in_flight = 0;
  Inbox inbox;
  std::vector<Endpoint> endpoints;
  std::uint64_t processor_free_ns = 0;
  std::uint64_t adapter_free_ns = 0;
  std::uint64_t receive_free_ns = 0;
  SimStats stats;

 private:
  /// What few processes have, so that most do not pay for it.
  struct Rare {
    std::unordered_map<std::uint32_t, EndpointId> endpoint_of;  ///< once there are many
    std::unordered_map<EndpointId, std::string> failures;
    std::unordered_map<EndpointId, ConfirmQueue> confirms;  ///< of endpoints with puts or atomics
    Registrations registrations;
  };
  static constexpr std::size_t kLinearSearch = 16;

  [[nodiscard]] Rare& rare();

  std::unique_ptr<Rare> rare_;
};

}  // namespace remit::sim
