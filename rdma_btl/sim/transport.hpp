// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The life of an operation on a simulated network, from its acceptance to its completion.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rdma_btl/sim/event_queue.hpp"
#include "rdma_btl/sim/fault_plan.hpp"
#include "rdma_btl/sim/flight.hpp"
#include "rdma_btl/sim/processes.hpp"
#include "rdma_btl/sim/random_source.hpp"
#include "rdma_btl/sim/sim_config.hpp"
#include "rdma_btl/sim/trace.hpp"

namespace remit::sim {

/// Moves operations between processes in virtual time, by the LogGP model, through the faults of
/// the plan; keeps what waits at down links, and tells both ends of a broken connection.
class Transport {
 public:
  Transport(const SimConfig& config, RandomSource& random, EventQueue& queue, Trace& trace,
            Processes& processes, FlightPool& flights, FaultPlan& faults)
      : config_(config),
        random_(random),
        queue_(queue),
        trace_(trace),
        processes_(processes),
        flights_(flights),
        faults_(faults) {}

  [[nodiscard]] const SimLink& link(std::uint32_t from, std::uint32_t to) const;
  /// The endpoint to a peer; both sides get theirs at once, and what takes time is until operations
  /// can travel.
  [[nodiscard]] EndpointId connect(VirtualProcess& process, std::uint32_t peer);
  /// Sends an accepted operation on its way.
  void launch(FlightId flight);
  /// An event's time has come.
  void perform(const Event& event);
  /// A completion is due: the process is told by its next poll.
  void deliver(VirtualProcess& process, FlightId completion);
  /// So much more of the processor's time is used.
  void compute(VirtualProcess& process, std::uint64_t ns) const;

  /// The process stops: its peers learn it later.
  void kill(VirtualProcess& victim);
  /// The link went up or down.
  void set_link(std::uint32_t a, std::uint32_t b, bool up);
  /// The peer's side, if it lives, learns it a little later.
  void fail_endpoint(VirtualProcess& process, EndpointId endpoint, std::string reason);

 private:
  void split(Flight& flight);
  void arrive(FlightId id, std::uint32_t chunk);
  [[nodiscard]] bool obstructed(Flight& flight) const;
  [[nodiscard]] bool held_back(What what, FlightId id, std::uint32_t chunk);
  [[nodiscard]] bool congested(FlightId id);
  void deliver_send(FlightId id);
  void deliver_chunk(FlightId id, std::uint32_t chunk);
  void deliver_atomic(FlightId id);
  void deliver_confirm(FlightId id);
  void answer_confirm(FlightId id);
  void settle_confirms(VirtualProcess& origin, EndpointId endpoint);
  void end_of_effect(Flight& flight);
  void check_memory(Flight& flight);
  void notify_and_acknowledge(FlightId id);
  void notify(FlightId id);
  void finish(FlightId id);
  void tell_peer(const Endpoint& endpoint);
  void release(const std::vector<FaultPlan::Parked>& parked);
  void count_receive(VirtualProcess& process) const;

  const SimConfig& config_;
  RandomSource& random_;
  EventQueue& queue_;
  Trace& trace_;
  Processes& processes_;
  FlightPool& flights_;
  FaultPlan& faults_;
};

}  // namespace remit::sim
