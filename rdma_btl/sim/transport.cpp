// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/sim/transport.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace remit::sim {

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

/// Moves bytes [begin, end) of a put or get between the two processes' memory, now.
void copy_part(const Flight& f, std::size_t begin, std::size_t end) {
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

}  // namespace

const SimLink& Transport::link(std::uint32_t from, std::uint32_t to) const {
  if (!config_.link_between) return config_.link;
  const SimLink* special = config_.link_between(processes_.name(from), processes_.name(to));
  return special != nullptr ? *special : config_.link;
}

EndpointId Transport::connect(VirtualProcess& process, std::uint32_t peer) {
  const EndpointId found = process.find_endpoint(peer);
  if (found != kNoEndpoint) return found;
  const EndpointId id = process.add_endpoint(peer);
  const std::uint64_t set_up = config_.connect_ns;
  process.endpoints[id].ready_ns =
      queue_.now_ns() + (set_up != 0 ? set_up / 2 + random_.below(set_up) : 0);
  if (VirtualProcess* const other = processes_.living(peer)) {
    const EndpointId remote = connect(*other, process.index);
    process.endpoints[id].remote = remote;
    other->endpoints[remote].remote = id;
  }
  return id;
}

void Transport::deliver(VirtualProcess& process, FlightId completion) {
  process.inbox.push(completion);
  process.stats.max_unread = std::max(process.stats.max_unread, process.inbox.size());
  processes_.wake(process);
}

void Transport::compute(VirtualProcess& process, std::uint64_t ns) const {
  process.processor_free_ns = std::max(process.processor_free_ns, queue_.now_ns()) + ns;
}

// --- on the way --------------------------------------------------------------------------------

/// Puts and gets become visible in parts.
void Transport::split(Flight& f) {
  const bool in_parts = f.kind == OpKind::put || f.kind == OpKind::get;
  if (in_parts && config_.max_chunks > 1 && f.bytes > 1) {
    const std::size_t most = std::min<std::size_t>(config_.max_chunks, f.bytes);
    f.chunks = static_cast<std::uint32_t>(1 + random_.below(most));
  }
  f.chunks_left = f.chunks;
}

/// Schedules the arrival. The processor pays o and is free; the adapter pays max(g, kG); the last
/// byte is there L later. A get's bytes come back, so it takes L twice.
void Transport::launch(FlightId index) {
  Flight& f = flights_[index];
  VirtualProcess& origin = *processes_.at(f.from);
  f.counted = f.kind == OpKind::put || f.kind == OpKind::atomic;
  if (f.counted) f.group = origin.confirms(f.endpoint).begin();
  if (f.kind == OpKind::confirm) {
    origin.confirms(f.endpoint).confirm(index);
    settle_confirms(origin, f.endpoint);
  }
  Endpoint& endpoint = origin.endpoints[f.endpoint];
  const SimLink& link = this->link(f.from, f.to);
  compute(origin, link.overhead_ns);
  const std::uint64_t start = std::max(origin.processor_free_ns, origin.adapter_free_ns);
  const std::uint64_t occupied = occupancy_ns(link, f.kind == OpKind::get ? 0 : f.bytes);
  origin.adapter_free_ns = start + occupied;
  const std::uint64_t wire = occupancy_ns(link, f.bytes);
  const std::uint64_t trips = f.kind == OpKind::get ? 2 : 1;
  std::uint64_t first = std::max(start, endpoint.ready_ns) + trips * link.latency_ns +
                        random_.below(link.jitter_ns + 1);
  if (config_.caps.in_order) first = std::max(first, endpoint.last_arrival_ns);
  std::uint64_t last = first + wire;
  if (config_.caps.in_order) {
    if (f.kind != OpKind::get) endpoint.last_arrival_ns = last + link.jitter_ns;
  } else if (f.kind == OpKind::send) {
    if (config_.caps.ordered) {
      last = std::max(last, endpoint.last_arrival_ns);
      endpoint.last_arrival_ns = last;
    } else {
      last += random_.below(8 * link.latency_ns);  // enough for the next ones to overtake it
    }
  }
  split(f);
  queue_.make_room(f.chunks);
  const std::uint64_t spread = last - first + link.jitter_ns;
  for (std::uint32_t chunk = 0; chunk < f.chunks; ++chunk) {
    queue_.schedule(f.chunks == 1 ? last : first + random_.below(spread + 1), What::arrive, index,
                    chunk);
  }
}

/// One part of a flight reaches the other side; the last one decides.
void Transport::arrive(FlightId index, std::uint32_t chunk) {
  Flight& f = flights_[index];
  VirtualProcess* origin = processes_.at(f.from);
  if (origin == nullptr || origin->dead) {  // its memory may be gone, and nobody waits
    if (--f.chunks_left == 0) flights_.free(index);
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
bool Transport::obstructed(Flight& f) const {
  if (f.error != nullptr) return true;
  const Endpoint& endpoint = processes_.at(f.from)->endpoints[f.endpoint];
  const VirtualProcess* target = processes_.at(f.to);
  if (endpoint.failed) {
    f.error = "its connection has failed";
  } else if (target == nullptr || target->dead || endpoint.remote == kNoEndpoint) {
    f.error = "the peer is gone";
  } else if (target->endpoints[endpoint.remote].failed) {
    f.error = "the peer has closed the connection";
  }
  f.breaks = f.error != nullptr;
  return f.breaks;
}

/// An adapter takes one arrival at a time: true if this one has to wait for others. Arrivals are
/// put off in the order in which they came, so that sends stay in order. Those in parts are not put
/// off, so nothing is where they must not overtake others.
bool Transport::congested(FlightId index) {
  Flight& f = flights_[index];
  if (f.admitted || f.chunks != 1 || config_.caps.in_order) return false;
  f.admitted = true;
  VirtualProcess& taker = *processes_.at(f.kind == OpKind::get ? f.from : f.to);
  const std::uint64_t takes = occupancy_ns(link(f.from, f.to), f.bytes);
  if (taker.receive_free_ns + takes <= queue_.now_ns()) {
    taker.receive_free_ns = queue_.now_ns();
    return false;
  }
  taker.receive_free_ns += takes;
  queue_.schedule(taker.receive_free_ns, What::arrive, index, 0);
  return true;
}

void Transport::count_receive(VirtualProcess& process) const {
  ++process.stats.receives;
  if (config_.receive_depth != 0 && process.inbox.size() >= config_.receive_depth) {
    ++process.stats.receiver_not_ready;
  }
}

void Transport::deliver_send(FlightId index) {
  Flight& f = flights_[index];
  VirtualProcess& target = *processes_.at(f.to);
  const FlightId arrived = flights_.make();
  Flight& completion = flights_[arrived];
  completion.completion = CompletionKind::receive;
  completion.endpoint = processes_.at(f.from)->endpoints[f.endpoint].remote;
  completion.bytes = f.bytes;
  completion.payload = std::move(f.payload);
  count_receive(target);
  deliver(target, arrived);
  finish(index);
}

void Transport::deliver_chunk(FlightId index, std::uint32_t chunk) {
  Flight& f = flights_[index];
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
void Transport::check_memory(Flight& f) {
  if (!config_.caps.needs_registration) return;
  const VirtualProcess& origin = *processes_.at(f.from);
  const VirtualProcess& target = *processes_.at(f.to);
  const char* wrong = nullptr;
  for (const Piece& piece : f.pieces) {
    const auto address = reinterpret_cast<std::uintptr_t>(piece.address);
    if (piece.length == 0 ||
        origin.allows_access(piece.key, address, piece.length, Access::local)) {
      continue;
    }
    wrong = "local memory without a valid registration";
  }
  const std::size_t length = f.kind == OpKind::atomic ? 8 : f.bytes;
  if (length != 0 &&
      !target.allows_access(f.remote.key, f.remote.address, length, access_of(f.kind))) {
    wrong = "remote memory without a valid registration";
  }
  if (wrong == nullptr) return;
  f.error = wrong;
  f.status = MPI_ERR_INTERN;
  trace_.violation(fmt::format("process {} uses {}", processes_.name(f.from), wrong));
}

void Transport::deliver_atomic(FlightId index) {
  Flight& f = flights_[index];
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
void Transport::deliver_confirm(FlightId index) {
  Flight& f = flights_[index];
  f.chunks_left = 0;
  f.arrived = true;
  if (f.due) answer_confirm(index);
}

void Transport::answer_confirm(FlightId index) {
  Flight& f = flights_[index];
  if (obstructed(f)) return finish(index);  // also if it came with an error
  const SimLink& link = this->link(f.from, f.to);
  queue_.schedule(queue_.now_ns() + link.latency_ns + random_.below(link.jitter_ns + 1),
                  What::finish, index);
}

/// Some put, atomic or confirm of the endpoint has begun or ended.
void Transport::settle_confirms(VirtualProcess& origin, EndpointId endpoint) {
  ConfirmQueue& confirms = origin.confirms(endpoint);
  while (const std::optional<std::uint64_t> index = confirms.next_due()) {
    Flight& f = flights_[*index];
    f.due = true;
    if (f.arrived) answer_confirm(static_cast<std::uint32_t>(*index));
  }
}

/// All that a put or an atomic does at its target is done, or it has failed.
void Transport::end_of_effect(Flight& f) {
  if (!std::exchange(f.counted, false)) return;
  VirtualProcess& origin = *processes_.at(f.from);
  origin.confirms(f.endpoint).end(f.group);
  settle_confirms(origin, f.endpoint);
}

/// The effect is visible at the target: tell it, if asked to, and send word to the origin.
void Transport::notify_and_acknowledge(FlightId index) {
  end_of_effect(flights_[index]);
  const SimLink& link = this->link(flights_[index].from, flights_[index].to);
  if (flights_[index].notify) {
    const FlightId told = flights_.make();
    const Flight& f = flights_[index];
    Flight& notification = flights_[told];
    notification.completion = CompletionKind::notification;
    notification.kind = f.kind;
    notification.from = f.from;
    notification.to = f.to;
    notification.endpoint = processes_.at(f.from)->endpoints[f.endpoint].remote;
    notification.notification = f.notification;
    if (config_.caps.in_order) {
      notify(told);
    } else {
      queue_.schedule(queue_.now_ns() + random_.below(link.jitter_ns + 1), What::notify, told);
    }
  }
  const std::uint64_t back = link.latency_ns + random_.below(link.jitter_ns + 1);
  queue_.schedule(queue_.now_ns() + back, What::finish, index);
}

/// The origin learns the outcome; the operation's place in the queue is free again.
void Transport::finish(FlightId index) {
  Flight& f = flights_[index];
  VirtualProcess* origin = processes_.at(f.from);
  if (origin == nullptr || origin->dead) {
    flights_.free(index);
    return;
  }
  if (f.error != nullptr && f.breaks) {
    fail_endpoint(*origin, f.endpoint,
                  fmt::format("process {}: {}", processes_.name(f.to), f.error));
  }
  end_of_effect(f);
  Endpoint& endpoint = origin->endpoints[f.endpoint];
  --endpoint.in_flight;
  --origin->in_flight;
  if (std::exchange(endpoint.refused, false)) processes_.wake(*origin);
  if (origin->in_flight == 0 && std::exchange(origin->flush_wanted, false))
    processes_.wake(*origin);
  if (f.error == nullptr && f.kind == OpKind::atomic && !f.pieces.empty()) {
    std::memcpy(f.pieces.front().address, &f.operand, sizeof f.operand);
  }
  if (f.kind == OpKind::send || f.cookie == kNoCompletion) {
    flights_.free(index);
    return;
  }
  if (f.error != nullptr && f.status == 0) f.status = MPI_ERR_PROC_ABORTED;
  f.completion = CompletionKind::local;
  deliver(*origin, index);
}

// --- events ------------------------------------------------------------------------------------

void Transport::perform(const Event& event) {
  switch (event.what) {
    case What::arrive:
      return arrive(event.subject, event.detail);
    case What::finish:
      if (!held_back(What::finish, event.subject, 0)) finish(event.subject);
      return;
    case What::notify:
      return notify(event.subject);
    case What::wake:
      if (VirtualProcess* process = processes_.at(event.subject)) processes_.wake(*process);
      return;
    case What::fail:
      if (VirtualProcess* process = processes_.at(event.subject)) {
        const PeerName peer = processes_.name(process->endpoints[event.detail].peer);
        fail_endpoint(*process, event.detail, fmt::format("process {} does not answer", peer));
      }
      return;
    case What::link_timeout: {
      const std::uint64_t since = queue_.now_ns() - config_.link_timeout_ns;
      return release(faults_.expire(event.subject, event.detail, since));
    }
  }
}

void Transport::notify(FlightId index) {
  const Flight& f = flights_[index];
  VirtualProcess* const target = processes_.living(f.to);
  if (target == nullptr || target->endpoints[f.endpoint].failed) return flights_.free(index);
  count_receive(*target);
  deliver(*target, index);
}

// --- faults ------------------------------------------------------------------------------------

/// True if the link is down, in which case the event waits there. A link that has timed out fails
/// the flight instead.
bool Transport::held_back(What what, FlightId index, std::uint32_t chunk) {
  Flight& f = flights_[index];
  const FaultPlan::Passage passage = faults_.pass(f.from, f.to, {what, index, chunk});
  if (passage == FaultPlan::Passage::failed) {
    f.error = "the link has been down for too long";
    f.breaks = true;
  }
  return passage == FaultPlan::Passage::parked;
}

void Transport::set_link(std::uint32_t a, std::uint32_t b, bool up) {
  if (up != faults_.is_down(a, b)) return;
  if (up) return release(faults_.bring_up(a, b));
  faults_.take_down(a, b, queue_.now_ns());
  if (config_.link_timeout_ns == 0) return;
  queue_.schedule(queue_.now_ns() + config_.link_timeout_ns, What::link_timeout, a, b);
}

/// Lets go of what a link held, in its order: into the open, or into its failure.
void Transport::release(const std::vector<FaultPlan::Parked>& parked) {
  for (const FaultPlan::Parked& one : parked) {
    if (one.what == What::arrive) {
      arrive(one.flight, one.chunk);
    } else if (!held_back(one.what, one.flight, one.chunk)) {
      finish(one.flight);
    }
  }
}

void Transport::kill(VirtualProcess& victim) {
  victim.dead = true;
  for (const Endpoint& endpoint : victim.endpoints) {
    if (endpoint.peer != victim.index) tell_peer(endpoint);
  }
}

void Transport::tell_peer(const Endpoint& endpoint) {
  if (endpoint.remote == kNoEndpoint || processes_.at(endpoint.peer) == nullptr) return;
  const std::uint64_t delay = config_.detect_ns + random_.below(config_.detect_ns);
  queue_.schedule(queue_.now_ns() + delay, What::fail, endpoint.peer, endpoint.remote);
}

void Transport::fail_endpoint(VirtualProcess& process, EndpointId id, std::string reason) {
  Endpoint& endpoint = process.endpoints[id];
  if (endpoint.failed || process.dead) return;
  endpoint.failed = true;
  process.set_failure(id, std::move(reason));
  const FlightId told = flights_.make();
  Flight& completion = flights_[told];
  completion.completion = CompletionKind::endpoint_failed;
  completion.status = MPI_ERR_PROC_ABORTED;
  completion.endpoint = id;
  deliver(process, told);
  tell_peer(endpoint);
}

}  // namespace remit::sim
