// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The life of an operation on the simulated network, from its acceptance to its completion.
#include "rdma_btl/sim/sim_flight.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "rdma_btl/sim/sim_device.hpp"

namespace remit {
namespace {

/// How long `bytes` keep an adapter: max(g, kG), and never nothing, so that arrivals stay in order.
std::uint64_t occupancy_ns(const SimLink& link, std::size_t bytes) {
  const auto wire = static_cast<std::uint64_t>(static_cast<double>(bytes) / link.bytes_per_ns);
  return std::max({link.gap_ns, wire, std::uint64_t{1}});
}

Access access_of(OpKind kind) {
  switch (kind) {
    case OpKind::get:
      return Access::remote_read;
    case OpKind::atomic:
      return Access::remote_atomic;
    default:
      return Access::remote_write;
  }
}

}  // namespace

/// Schedules the arrival. The processor pays o and is free; the adapter pays max(g, kG); the last
/// byte is there L later. A get's bytes come back, so it takes L twice.
void SimNetwork::launch(std::uint32_t index) {
  SimFlight& f = flights_[index];
  SimDevice& origin = *devices_[f.from];
  SimDevice::Endpoint& endpoint = origin.endpoints_[f.endpoint];
  const SimLink& link = this->link(f.from, f.to);
  origin.compute(link.overhead_ns);
  const std::uint64_t start = std::max(origin.processor_free_ns_, origin.adapter_free_ns_);
  const std::uint64_t occupied = occupancy_ns(link, f.kind == OpKind::get ? 0 : f.bytes);
  origin.adapter_free_ns_ = start + occupied;
  const std::uint64_t wire = occupancy_ns(link, f.bytes);
  const std::uint64_t trips = f.kind == OpKind::get ? 2 : 1;
  const std::uint64_t first =
      std::max(start, endpoint.ready_ns) + trips * link.latency_ns + below(link.jitter_ns + 1);
  std::uint64_t last = first + wire;
  if (f.kind == OpKind::send) {
    if (config_.caps.ordered) {
      last = std::max(last, endpoint.last_arrival_ns);
      endpoint.last_arrival_ns = last;
    } else {
      last += below(8 * link.latency_ns);  // enough for the next ones to overtake it
    }
  }
  const bool in_parts = f.kind == OpKind::put || f.kind == OpKind::get;
  if (in_parts && config_.max_chunks > 1 && f.bytes > 1) {
    f.chunks =
        static_cast<std::uint32_t>(1 + below(std::min<std::size_t>(config_.max_chunks, f.bytes)));
  }
  f.chunks_left = f.chunks;
  const std::uint64_t spread = last - first + link.jitter_ns;
  for (std::uint32_t chunk = 0; chunk < f.chunks; ++chunk) {
    schedule(f.chunks == 1 ? last : first + below(spread + 1), What::arrive, index, chunk);
  }
}

void SimNetwork::perform(const Event& event) {
  switch (event.what) {
    case What::arrive:
      arrive(event.subject, event.detail);
      break;
    case What::finish:
      if (!held_back(What::finish, event.subject, 0)) finish(event.subject);
      break;
    case What::notify: {
      const SimFlight& f = flights_[event.subject];
      SimDevice* target = devices_[f.to];
      if (target == nullptr || target->dead_ || target->endpoints_[f.endpoint].failed) {
        free_flight(event.subject);
        break;
      }
      count_receive(*target);
      target->push(event.subject);
      break;
    }
    case What::wake:
      if (SimDevice* device = devices_[event.subject]) device->wake();
      break;
    case What::fail:
      if (SimDevice* device = devices_[event.subject]) {
        const PeerName peer = device->peer(event.detail);
        fail_endpoint(*device, event.detail, fmt::format("process {} does not answer", peer));
      }
      break;
    case What::link_timeout:
      link_timeout(event.subject, event.detail);
      break;
  }
}

/// One part of a flight reaches the other side; the last one decides.
void SimNetwork::arrive(std::uint32_t index, std::uint32_t chunk) {
  SimFlight& f = flights_[index];
  SimDevice* origin = devices_[f.from];
  if (origin == nullptr || origin->dead_) {  // its memory may be gone, and nobody waits
    if (--f.chunks_left == 0) free_flight(index);
    return;
  }
  if (!obstructed(f)) {
    // Not once it waits at the receiving adapter: it has passed the link, before those parked
    // there.
    if (!f.admitted && held_back(What::arrive, index, chunk)) return;
    if (f.error == nullptr && congested(index)) return;
  }
  if (f.doomed && f.chunks_left == 1 && f.error == nullptr) {
    f.error = "the adapter reported an error (injected)";
    f.status = MPI_ERR_OTHER;
    f.breaks = true;
  }
  if (f.kind == OpKind::confirm) {
    deliver_confirm(index);
  } else if (f.error != nullptr) {
    if (--f.chunks_left == 0) finish(index);
  } else if (f.kind == OpKind::send) {
    deliver_send(index);
  } else if (f.kind == OpKind::atomic) {
    deliver_atomic(index);
  } else {
    deliver_chunk(index, chunk);
  }
}

/// True, with the error noted, if the flight cannot be delivered because an end of it is gone.
bool SimNetwork::obstructed(SimFlight& f) {
  if (f.error != nullptr) return true;
  const SimDevice::Endpoint& endpoint = devices_[f.from]->endpoints_[f.endpoint];
  const SimDevice* target = devices_[f.to];
  if (endpoint.failed) {
    f.error = "its connection has failed";
  } else if (target == nullptr || target->dead_ || endpoint.remote == SimDevice::kNoEndpoint) {
    f.error = "the peer is gone";
  } else if (target->endpoints_[endpoint.remote].failed) {
    f.error = "the peer has closed the connection";
  }
  f.breaks = f.error != nullptr;
  return f.breaks;
}

/// An adapter takes one arrival at a time: true if this one has to wait for others. Arrivals are
/// put off in the order in which they came, so that sends stay in order.
bool SimNetwork::congested(std::uint32_t index) {
  SimFlight& f = flights_[index];
  if (f.admitted || f.chunks != 1) return false;
  f.admitted = true;
  SimDevice& taker = *devices_[f.kind == OpKind::get ? f.from : f.to];
  const std::uint64_t takes = occupancy_ns(link(f.from, f.to), f.bytes);
  if (taker.receive_free_ns_ + takes <= now_ns()) {
    taker.receive_free_ns_ = now_ns();
    return false;
  }
  taker.receive_free_ns_ += takes;
  schedule(taker.receive_free_ns_, What::arrive, index, 0);
  return true;
}

void SimNetwork::count_receive(SimDevice& device) {
  ++device.stats_.receives;
  if (config_.receive_depth != 0 && device.unread_ >= config_.receive_depth) {
    ++device.stats_.receiver_not_ready;
  }
}

void SimNetwork::deliver_send(std::uint32_t index) {
  SimFlight& f = flights_[index];
  SimDevice& target = *devices_[f.to];
  const std::uint32_t arrived = new_flight();
  SimFlight& completion = flights_[arrived];
  completion.completion = CompletionKind::receive;
  completion.endpoint = devices_[f.from]->endpoints_[f.endpoint].remote;
  completion.bytes = f.bytes;
  completion.payload = std::move(f.payload);
  count_receive(target);
  target.push(arrived);
  finish(index);
}

/// Moves bytes [begin, end) of a put or get between the two processes' memory, now.
void SimNetwork::copy_part(const SimFlight& f, std::size_t begin, std::size_t end) {
  auto* remote = reinterpret_cast<std::byte*>(f.remote.address);
  std::size_t offset = 0;
  for (const Piece& piece : f.pieces) {
    const std::size_t from = std::max(begin, offset);
    const std::size_t to = std::min(end, offset + piece.length);
    if (from < to) {
      std::byte* local = static_cast<std::byte*>(piece.address) + (from - offset);
      if (f.kind == OpKind::put) {
        std::memmove(remote + from, local, to - from);
      } else {
        std::memmove(local, remote + from, to - from);
      }
    }
    offset += piece.length;
  }
}

void SimNetwork::deliver_chunk(std::uint32_t index, std::uint32_t chunk) {
  SimFlight& f = flights_[index];
  const std::size_t begin = f.bytes * chunk / f.chunks;
  const std::size_t end = f.bytes * (chunk + 1) / f.chunks;
  check_memory(f);
  if (f.error == nullptr) copy_part(f, begin, end);
  if (--f.chunks_left != 0) return;
  if (f.error != nullptr || f.kind == OpKind::get) {
    finish(index);
  } else {
    notify_and_acknowledge(index);
  }
}

/// At delivery, not at posting: a region deregistered while an operation uses it is a fault.
void SimNetwork::check_memory(SimFlight& f) {
  const std::size_t length = f.kind == OpKind::atomic ? 8 : f.bytes;
  const char* wrong = devices_[f.from]->check_local(f.pieces);
  if (!devices_[f.to]->registered(f.remote.key, f.remote.address, length, access_of(f.kind))) {
    wrong = "remote memory without a valid registration";
  }
  if (wrong == nullptr) return;
  f.error = wrong;
  f.status = MPI_ERR_INTERN;
  violation(fmt::format("process {} uses {}", names_[f.from], wrong));
}

void SimNetwork::deliver_atomic(std::uint32_t index) {
  SimFlight& f = flights_[index];
  f.chunks_left = 0;
  check_memory(f);
  if (f.error != nullptr) {
    finish(index);
    return;
  }
  auto* word = reinterpret_cast<std::uint64_t*>(f.remote.address);
  const std::uint64_t old = *word;
  switch (f.atomic) {
    case AtomicKind::fetch_add:
      *word = old + f.operand;
      break;
    case AtomicKind::compare_swap:
      if (old == f.compare) *word = f.operand;
      break;
    case AtomicKind::swap:
      *word = f.operand;
      break;
  }
  f.operand = old;
  notify_and_acknowledge(index);
}

/// It waits at the target for what was posted before it and is still on its way; also one that
/// fails, since the queue knows it until then.
void SimNetwork::deliver_confirm(std::uint32_t index) {
  SimFlight& f = flights_[index];
  f.chunks_left = 0;
  f.arrived = true;
  if (f.due) answer_confirm(index);
}

void SimNetwork::answer_confirm(std::uint32_t index) {
  SimFlight& f = flights_[index];
  if (obstructed(f)) return finish(index);  // also if it came with an error
  const SimLink& link = this->link(f.from, f.to);
  schedule(now_ns() + link.latency_ns + below(link.jitter_ns + 1), What::finish, index);
}

/// Some put, atomic or confirm of the endpoint has begun or ended.
void SimNetwork::settle_confirms(SimDevice& origin, EndpointId endpoint) {
  ConfirmQueue& confirms = origin.rare().confirms[endpoint];
  while (const std::optional<std::uint64_t> index = confirms.next_due()) {
    SimFlight& f = flights_[*index];
    f.due = true;
    if (f.arrived) answer_confirm(static_cast<std::uint32_t>(*index));
  }
}

/// All that a put or an atomic does at its target is done, or it has failed.
void SimNetwork::end_of_effect(SimFlight& f) {
  if (!std::exchange(f.counted, false)) return;
  SimDevice& origin = *devices_[f.from];
  origin.rare().confirms[f.endpoint].end(f.group);
  settle_confirms(origin, f.endpoint);
}

/// The effect is visible at the target: tell it, if asked to, and send word to the origin.
void SimNetwork::notify_and_acknowledge(std::uint32_t index) {
  end_of_effect(flights_[index]);
  const SimLink& link = this->link(flights_[index].from, flights_[index].to);
  if (flights_[index].notify) {
    const std::uint32_t told = new_flight();
    const SimFlight& f = flights_[index];
    SimFlight& notification = flights_[told];
    notification.completion = CompletionKind::notification;
    notification.kind = f.kind;
    notification.from = f.from;
    notification.to = f.to;
    notification.endpoint = devices_[f.from]->endpoints_[f.endpoint].remote;
    notification.notification = f.notification;
    schedule(now_ns() + below(link.jitter_ns + 1), What::notify, told);
  }
  const std::uint64_t back = link.latency_ns + below(link.jitter_ns + 1);
  schedule(now_ns() + back, What::finish, index);
}

/// The origin learns the outcome; the operation's place in the queue is free again.
void SimNetwork::finish(std::uint32_t index) {
  SimFlight& f = flights_[index];
  SimDevice* origin = devices_[f.from];
  if (origin == nullptr || origin->dead_) {
    free_flight(index);
    return;
  }
  if (f.error != nullptr && f.breaks) {
    fail_endpoint(*origin, f.endpoint, fmt::format("process {}: {}", names_[f.to], f.error));
  }
  end_of_effect(f);
  SimDevice::Endpoint& endpoint = origin->endpoints_[f.endpoint];
  --endpoint.in_flight;
  --origin->in_flight_;
  if (std::exchange(endpoint.refused, false)) origin->wake();
  if (origin->in_flight_ == 0 && std::exchange(origin->flush_wanted_, false)) origin->wake();
  if (f.error == nullptr && f.kind == OpKind::atomic && !f.pieces.empty()) {
    std::memcpy(f.pieces.front().address, &f.operand, sizeof f.operand);
  }
  if (f.kind == OpKind::send || f.cookie == kNoCompletion) {
    free_flight(index);
    return;
  }
  if (f.error != nullptr && f.status == 0) f.status = MPI_ERR_PROC_ABORTED;
  f.completion = CompletionKind::local;
  origin->push(index);
}

/// The peer's side, if it lives, learns it a little later.
void SimNetwork::fail_endpoint(SimDevice& device, EndpointId id, const std::string& reason) {
  SimDevice::Endpoint& endpoint = device.endpoints_[id];
  if (endpoint.failed || device.dead_) return;
  endpoint.failed = true;
  device.rare().failures[id] = reason;
  const std::uint32_t index = new_flight();
  SimFlight& completion = flights_[index];
  completion.completion = CompletionKind::endpoint_failed;
  completion.status = MPI_ERR_PROC_ABORTED;
  completion.endpoint = id;
  device.push(index);
  if (endpoint.remote != SimDevice::kNoEndpoint && devices_[endpoint.peer] != nullptr) {
    const std::uint64_t delay = config_.detect_ns + below(config_.detect_ns);
    schedule(now_ns() + delay, What::fail, endpoint.peer, endpoint.remote);
  }
}

}  // namespace remit
