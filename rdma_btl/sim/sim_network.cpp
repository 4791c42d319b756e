// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The simulated network: its parts put together.
#include "rdma_btl/sim/sim_network.hpp"

#include <algorithm>
#include <utility>

#include "rdma_btl/sim/sim_device.hpp"

namespace remit {

SimNetwork::SimNetwork(SimConfig config) : config_(sim_complete(std::move(config))) {}

std::unique_ptr<SimDevice> SimNetwork::add_process(PeerName name) {
  return std::make_unique<SimDevice>(fabric_, name);
}

bool SimNetwork::step() {
  const std::optional<sim::Event> event = queue_.next();
  if (!event) return false;
  if (event->is_about_flight()) {
    const sim::Flight& flight = flights_[event->subject];
    trace_.record(*event, flight, processes_.name(flight.from), processes_.name(flight.to));
  } else {
    trace_.record(*event);
  }
  transport_.perform(*event);
  return true;
}

void SimNetwork::wake(PeerName name) {
  processes_.wake(processes_.of(name));
}

void SimNetwork::wake_at(PeerName name, std::uint64_t time_ns) {
  queue_.schedule(std::max(time_ns, now_ns()), sim::What::wake, processes_.index_of(name));
}

void SimNetwork::kill(PeerName name) {
  sim::VirtualProcess* const victim = processes_.living(processes_.index_of(name));
  if (victim != nullptr) transport_.kill(*victim);
}

bool SimNetwork::alive(PeerName name) const {
  return processes_.living(processes_.index_of(name)) != nullptr;
}

void SimNetwork::set_link(PeerName a, PeerName b, bool up) {
  transport_.set_link(processes_.index_of(a), processes_.index_of(b), up);
}

void SimNetwork::break_connection(PeerName a, PeerName b) {
  sim::VirtualProcess& one = processes_.of(a);
  const EndpointId endpoint = one.find_endpoint(processes_.index_of(b));
  if (endpoint == sim::kNoEndpoint) return;
  transport_.fail_endpoint(one, endpoint, fmt::format("the connection to process {} broke", b));
}

void SimNetwork::inject_error(PeerName from, PeerName to) {
  faults_.inject(processes_.index_of(from), processes_.index_of(to));
}

const SimStats& SimNetwork::stats(PeerName name) const {
  return processes_.of(name).stats;
}

std::size_t SimNetwork::memory_in_use() const {
  return queue_.memory_in_use() + flights_.memory_in_use() + processes_.memory_in_use();
}

}  // namespace remit
