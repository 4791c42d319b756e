// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/peers/peer_health.hpp"

#include <utility>

#include "rdma_btl/shm/copies/target.hpp"
#include "rdma_btl/shm/copies/transfers.hpp"
#include "rdma_btl/shm/peers/first_contact.hpp"
#include "rdma_btl/shm/peers/peer_heaps.hpp"
#include "rdma_btl/shm/rings/receiver.hpp"
#include "rdma_btl/shm/rings/sender.hpp"

namespace remit::shm {

PeerHealth::PeerHealth(const ShmConfig& config, PeerTable& peers, Agenda& agenda,
                       Receiver& receiver, Sender& sender, FirstContact& contact, PeerHeaps& heaps,
                       Transfers& transfers, Target& target, ShmCounters& counters)
    : config_(config),
      peers_(peers),
      agenda_(agenda),
      receiver_(receiver),
      sender_(sender),
      contact_(contact),
      heaps_(heaps),
      transfers_(transfers),
      target_(target),
      counters_(counters),
      checked_ns_(now_ns()) {}

void PeerHealth::fail(Endpoint& endpoint, int status, std::string words) {
  if (endpoint.failed) return;
  endpoint.failed = true;
  endpoint.words = std::move(words);
  if (config_.log != nullptr) config_.log->write(LogLevel::info, "{}", endpoint.words);
  transfers_.fail(endpoint, status);
  if (!endpoint.shut) shut(endpoint);
  agenda_.post(event_of(CompletionKind::endpoint_failed, endpoint.id, status));
}

void PeerHealth::fail_exited(Endpoint& endpoint) {
  fail(endpoint, MPI_ERR_PROC_ABORTED,
       fmt::format("process {:#x} (pid {}) of this host has exited", rank_of_name(endpoint.peer),
                   endpoint.pid));
}

void PeerHealth::violated(Endpoint& endpoint, const char* what) {
  ++counters_.violations;
  fail(endpoint, MPI_ERR_INTERN,
       fmt::format("process {:#x} (pid {}) wrote {} into shared memory",
                   rank_of_name(endpoint.peer), endpoint.pid, what));
}

std::size_t PeerHealth::refuse(Endpoint& endpoint, std::span<const Operation> operations) {
  if (!endpoint.failed) {
    fail(endpoint, MPI_ERR_PROC_ABORTED,
         fmt::format("process {:#x} of this host has finished", rank_of_name(endpoint.peer)));
  }
  for (const Operation& operation : operations) {
    if (operation.kind == OpKind::send || operation.cookie == kNoCompletion) continue;
    agenda_.post(
        event_of(CompletionKind::local, endpoint.id, MPI_ERR_PROC_ABORTED, operation.cookie));
  }
  return operations.size();
}

void PeerHealth::check_peers() {
  gone_.clear();
  for (EndpointId id = 0; id != peers_.size(); ++id) {  // may grow meanwhile
    Endpoint& endpoint = peers_[id];
    if (!endpoint.shut && (endpoint.attached || endpoint.hello_sent)) check(endpoint);
  }
}

void PeerHealth::check_peers_at(std::uint64_t now_ns) {
  if (now_ns - checked_ns_ < config_.liveness_ms * std::uint64_t{1000000} && gone_.empty()) return;
  checked_ns_ = now_ns;
  check_peers();
}

void PeerHealth::check(Endpoint& endpoint) {
  if (!endpoint.gone) endpoint.gone = !socket_exists(endpoint.socket);
  if (!endpoint.gone) return;
  if (!endpoint.attached) contact_.serve();  // its HELLO may have come just before its end
  if (endpoint.attached) {
    if (receiver_.has_unread(endpoint)) {
      gone_.push_back(endpoint.id);
      return;
    }
    const bool in_order = endpoint.home->life.closed.load() != 0;
    if (in_order && endpoint.jobs == 0 && !endpoint.tx.blocked()) return close(endpoint);
  }
  fail_exited(endpoint);
}

void PeerHealth::note_gone(Endpoint& endpoint) {
  endpoint.gone = true;
  gone_.push_back(endpoint.id);
}

/// The peer has left in order.
void PeerHealth::close(Endpoint& endpoint) {
  shut(endpoint);
  endpoint.words = fmt::format("process {:#x} (pid {}) of this host has left already",
                               rank_of_name(endpoint.peer), endpoint.pid);
  agenda_.post(event_of(CompletionKind::endpoint_closed, endpoint.id, MPI_SUCCESS));
}

void PeerHealth::shut(Endpoint& endpoint) {
  endpoint.shut = true;
  endpoint.event.reset();
  sender_.forget(endpoint);
  target_.forget(endpoint);
  contact_.forget(endpoint);
  heaps_.forget(endpoint);
  if (endpoint.attached) receiver_.close(endpoint);
  unmap_due_.push_back(endpoint.id);
  agenda_.add(Agenda::kWork);
}

void PeerHealth::give_memory_back() {
  for (const EndpointId id : unmap_due_) {
    Endpoint& endpoint = peers_[id];
    endpoint.tx_mapping = {};
    endpoint.rx.mapping = {};
    endpoint.tx_memory.reset();
    if (endpoint.stays_mapped) continue;
    endpoint.home_mapping = {};
    endpoint.heap.mapping = {};
    endpoint.home = nullptr;
  }
  unmap_due_.clear();
}

}  // namespace remit::shm
