// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The simulated network: processes, time, readiness, faults. What happens to an operation on its
// way is in sim_flight.cpp.
#include "rdma_btl/sim/sim_network.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "rdma_btl/sim/sim_device.hpp"
#include "rdma_btl/sim/sim_flight.hpp"

namespace remit {
namespace {

std::uint64_t link_key(std::uint32_t a, std::uint32_t b) {
  return (std::uint64_t{std::min(a, b)} << 32) | std::max(a, b);
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccd;
}

}  // namespace

Caps SimConfig::default_caps() {
  Caps caps;
  caps.name = "sim";
  caps.max_inline = 32;
  caps.max_send = 8192;
  caps.max_message = std::size_t{1} << 30;
  caps.max_pieces = 8;
  caps.has_put = caps.has_get = caps.has_atomic = caps.atomic_with_cpu = true;
  caps.notify = NotifyMode::native;
  return caps;
}

SimConfig sim_hostile(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  SimConfig config;
  config.seed = seed;
  config.link.jitter_ns = 1 + random() % 20000;
  config.queue_depth = static_cast<std::uint32_t>(1 + random() % 16);
  config.partial_accept = static_cast<double>(random() % 60) / 100;
  config.max_chunks = static_cast<std::uint32_t>(2 + random() % 7);
  config.connect_ns = random() % 100000;
  config.shuffle_ready = true;
  return config;
}

SimNetwork::SimNetwork(SimConfig config) : config_(std::move(config)), random_(config_.seed) {
  Caps& caps = config_.caps;
  const SimLink& link = config_.link;
  const double latency = static_cast<double>(link.latency_ns + 2 * link.overhead_ns);
  if (caps.latency_ns == 0) caps.latency_ns = latency;
  if (caps.bandwidth == 0) caps.bandwidth = link.bytes_per_ns * 1e9;
  if (caps.overhead_ns == 0) caps.overhead_ns = latency + static_cast<double>(link.latency_ns);
  config_.queue_depth = std::max(config_.queue_depth, 1U);
  config_.max_chunks = std::max(config_.max_chunks, 1U);
}

SimNetwork::~SimNetwork() = default;

std::unique_ptr<SimDevice> SimNetwork::add_process(PeerName name) {
  const auto index = static_cast<std::uint32_t>(devices_.size());
  const bool known = (name < names_.size() && names_[name] == name) || odd_names_.contains(name);
  if (known) throw std::invalid_argument("the simulated network has this process already");
  if (name != index) odd_names_.emplace(name, index);
  std::unique_ptr<SimDevice> device(new SimDevice(*this, name, index));
  devices_.push_back(device.get());
  names_.push_back(name);
  return device;
}

std::uint32_t SimNetwork::index_of(PeerName name) const {
  if (name < names_.size() && names_[name] == name) return static_cast<std::uint32_t>(name);
  const auto found = odd_names_.find(name);
  if (found == odd_names_.end()) {
    throw std::invalid_argument("the simulated network has no such process");
  }
  return found->second;
}

SimDevice& SimNetwork::device(PeerName name) const {
  SimDevice* device = devices_[index_of(name)];
  if (device == nullptr) throw std::invalid_argument("the simulated process has left");
  return *device;
}

const SimLink& SimNetwork::link(std::uint32_t from, std::uint32_t to) const {
  if (!config_.link_between) return config_.link;
  const SimLink* special = config_.link_between(names_[from], names_[to]);
  return special ? *special : config_.link;
}

bool SimNetwork::chance(double probability) {
  constexpr double kScale = 1.0 / static_cast<double>(std::uint64_t{1} << 53);
  return probability > 0 && static_cast<double>(random_() >> 11) * kScale < probability;
}

std::uint32_t SimNetwork::new_flight() {
  if (free_flights_.empty()) {
    flights_.emplace_back();
    return static_cast<std::uint32_t>(flights_.size() - 1);
  }
  const std::uint32_t index = free_flights_.back();
  free_flights_.pop_back();
  return index;
}

void SimNetwork::free_flight(std::uint32_t index) {
  flights_[index] = SimFlight{};
  free_flights_.push_back(index);
}

SimFlight& SimNetwork::flight(std::uint32_t index) {
  return flights_[index];
}

void SimNetwork::schedule(std::uint64_t time_ns, What what, std::uint32_t subject,
                          std::uint32_t detail) {
  heap_.push_back({time_ns, sequence_++, subject, detail, what});
  std::push_heap(heap_.begin(), heap_.end());
}

bool SimNetwork::step() {
  if (heap_.empty()) return false;
  std::pop_heap(heap_.begin(), heap_.end());
  const Event event = heap_.back();
  heap_.pop_back();
  clock_.advance_to(event.time_ns);
  ++events_;
  record(event);
  perform(event);
  return true;
}

/// Only what is the same in each run goes into the hash: no address, no time of the real clock.
void SimNetwork::record(const Event& event) {
  trace_hash_ = mix(trace_hash_, event.time_ns);
  trace_hash_ =
      mix(trace_hash_, (std::uint64_t{event.detail} << 8) | static_cast<std::uint64_t>(event.what));
  const bool about_flight =
      event.what == What::arrive || event.what == What::notify || event.what == What::finish;
  if (about_flight) {
    const SimFlight& f = flights_[event.subject];
    trace_hash_ = mix(trace_hash_, (std::uint64_t{f.from} << 32) | f.to);
    trace_hash_ = mix(trace_hash_, f.bytes * 8 + static_cast<std::uint64_t>(f.kind));
    for (std::size_t i = 0; f.payload && i < f.bytes; ++i) {
      trace_hash_ = (trace_hash_ ^ static_cast<std::uint64_t>(f.payload[i])) * 0x100000001b3;
    }
  } else {
    trace_hash_ = mix(trace_hash_, event.subject);
  }
  if (!trace_) return;
  static constexpr const char* kWhat[] = {"arrive", "notify", "finish",
                                          "wake",   "fail",   "link_timeout"};
  static constexpr const char* kKind[] = {"send", "put", "get", "atomic", "confirm"};
  const char* what = kWhat[static_cast<std::size_t>(event.what)];
  if (about_flight) {
    const SimFlight& f = flights_[event.subject];
    trace_(fmt::format("{} ns: {} {} {} -> {}, {} bytes, part {} of {}", event.time_ns, what,
                       kKind[static_cast<std::size_t>(f.kind)], names_[f.from], names_[f.to],
                       f.bytes, event.detail, f.chunks));
  } else {
    trace_(fmt::format("{} ns: {} {} {}", event.time_ns, what, event.subject, event.detail));
  }
}

void SimNetwork::make_ready(SimDevice& device) {
  if (device.ready_ || device.dead_) return;
  device.ready_ = true;
  ready_.push_back(device.index_);
}

std::optional<PeerName> SimNetwork::pop_ready() {
  while (ready_head_ < ready_.size()) {
    if (config_.shuffle_ready) {
      std::swap(ready_[ready_head_], ready_[ready_head_ + below(ready_.size() - ready_head_)]);
    }
    const std::uint32_t index = ready_[ready_head_++];
    SimDevice* device = devices_[index];
    if (device == nullptr) continue;
    device->ready_ = false;
    if (!device->dead_) return device->name_;
  }
  ready_.clear();
  ready_head_ = 0;
  return std::nullopt;
}

void SimNetwork::wake(PeerName name) {
  device(name).wake();
}

void SimNetwork::wake_at(PeerName name, std::uint64_t time_ns) {
  schedule(std::max(time_ns, now_ns()), What::wake, index_of(name));
}

void SimNetwork::kill(PeerName name) {
  SimDevice* victim = devices_[index_of(name)];
  if (victim == nullptr || victim->dead_) return;
  victim->dead_ = true;
  for (const SimDevice::Endpoint& endpoint : victim->endpoints_) {
    if (endpoint.remote == SimDevice::kNoEndpoint || endpoint.peer == victim->index_) continue;
    const std::uint64_t delay = config_.detect_ns + below(config_.detect_ns);
    schedule(now_ns() + delay, What::fail, endpoint.peer, endpoint.remote);
  }
}

bool SimNetwork::alive(PeerName name) const {
  const SimDevice* device = devices_[index_of(name)];
  return device != nullptr && !device->dead_;
}

void SimNetwork::set_link(PeerName a, PeerName b, bool up) {
  const std::uint32_t i = index_of(a);
  const std::uint32_t j = index_of(b);
  const std::uint64_t key = link_key(i, j);
  const auto found = down_links_.find(key);
  if (up == (found == down_links_.end())) return;
  if (up) {
    const std::unique_ptr<LinkState> state = std::move(found->second);
    down_links_.erase(found);
    release(*state);
    return;
  }
  auto state = std::make_unique<LinkState>();
  state->since_ns = now_ns();
  down_links_.emplace(key, std::move(state));
  if (config_.link_timeout_ns != 0) {
    schedule(now_ns() + config_.link_timeout_ns, What::link_timeout, i, j);
  }
}

/// The timeout of an earlier interruption finds none, or a younger one.
void SimNetwork::link_timeout(std::uint32_t a, std::uint32_t b) {
  const auto found = down_links_.find(link_key(a, b));
  if (found == down_links_.end()) return;
  LinkState& state = *found->second;
  if (now_ns() < state.since_ns + config_.link_timeout_ns) return;
  state.expired = true;
  release(state);
}

/// Lets go of what a link held, in its order: into the open, or into its failure.
void SimNetwork::release(LinkState& state) {
  const std::vector<LinkState::Parked> parked = std::exchange(state.parked, {});
  for (const LinkState::Parked& p : parked) {
    if (p.what == What::arrive) {
      arrive(p.flight, p.chunk);
    } else if (!held_back(p.what, p.flight, p.chunk)) {
      finish(p.flight);
    }
  }
}

/// True if the link is down, in which case the event waits there. A link that has timed out fails
/// the flight instead.
bool SimNetwork::held_back(What what, std::uint32_t index, std::uint32_t chunk) {
  if (down_links_.empty()) return false;
  SimFlight& f = flights_[index];
  const auto found = down_links_.find(link_key(f.from, f.to));
  if (found == down_links_.end()) return false;
  if (found->second->expired) {
    f.error = "the link has been down for too long";
    f.breaks = true;
    return false;
  }
  found->second->parked.push_back({what, index, chunk});
  return true;
}

void SimNetwork::break_connection(PeerName a, PeerName b) {
  SimDevice& one = device(a);
  const EndpointId endpoint = one.find_endpoint(index_of(b));
  if (endpoint == SimDevice::kNoEndpoint) return;
  fail_endpoint(one, endpoint, fmt::format("the connection to process {} broke", b));
}

void SimNetwork::inject_error(PeerName from, PeerName to) {
  injected_errors_.emplace_back(index_of(from), index_of(to));
}

bool SimNetwork::is_doomed(std::uint32_t from, std::uint32_t to) {
  const auto found =
      std::find(injected_errors_.begin(), injected_errors_.end(), std::pair(from, to));
  if (found == injected_errors_.end()) return chance(config_.error_rate);
  injected_errors_.erase(found);
  return true;
}

void SimNetwork::violation(std::string message) {
  ++violations_;
  last_violation_ = std::move(message);
}

const SimStats& SimNetwork::stats(PeerName name) const {
  return device(name).stats_;
}

std::size_t SimNetwork::memory_in_use() const {
  return heap_.capacity() * sizeof(Event) + flights_.size() * sizeof(SimFlight) +
         free_flights_.capacity() * sizeof(std::uint32_t) +
         devices_.capacity() * sizeof(SimDevice*) + names_.capacity() * sizeof(PeerName) +
         ready_.capacity() * sizeof(std::uint32_t);
}

/// The orderly end of a process. Events of its flights find it gone.
void SimNetwork::forget(SimDevice& device) {
  if (!device.dead_) lost_at_exit_ += device.in_flight_;
  while (device.unread_head_ != SimDevice::kNone) {
    const std::uint32_t index = device.unread_head_;
    device.unread_head_ = flights_[index].next;
    free_flight(index);
  }
  devices_[device.index_] = nullptr;
}

}  // namespace remit
