// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/adapter/adapter_peers.hpp"

#include <cstring>
#include <utility>

namespace remit {

Operation fetch_add_of(RemoteAddress word, std::uint64_t addend, std::span<const Piece> result) {
  Operation operation;
  operation.kind = OpKind::atomic;
  operation.atomic = AtomicKind::fetch_add;
  operation.remote = word;
  operation.operand = addend;
  operation.local = result;
  return operation;
}

Operation swap_of(RemoteAddress word, std::uint64_t compare, std::uint64_t value,
                  std::span<const Piece> result) {
  Operation operation = fetch_add_of(word, value, result);
  operation.atomic = AtomicKind::compare_swap;
  operation.compare = compare;
  return operation;
}

Operation move_of(OpKind kind, RemoteAddress remote, const Piece& local) {
  Operation operation;
  operation.kind = kind;
  operation.remote = remote;
  operation.local = {&local, 1};
  return operation;
}

const char* AdapterPeers::device_name() const {
  return own_->adapter().device->caps().name.data();
}

Error AdapterPeers::words_of_loss(int rank) const {
  return manager_.traffic().words_of_loss(members_.proc(rank));
}

void AdapterPeers::ask(AdapterPeer& peer, Link& link) {
  peer.asked = true;
  WindowHead head = window_head(WindowMessage::keys, window_);
  head.token = kAdapterKeys;
  manager_.traffic().send(link.id, head);
}

Expected<AdapterPeer*> AdapterPeers::reach_first(int rank) {
  Links& links = manager_.links();
  const ProcId proc = members_.proc(rank);
  if (links.lost(proc)) return tl::unexpected(words_of_loss(rank));
  AdapterPeer& peer = peers_[rank];
  peer.rank = rank;
  Link& link = links.get(proc);
  LinkDevice& adapter = own_->adapter();
  if (rank == members_.rank()) {
    peer.keys = own_->keys();
    peer.known = true;
  } else if (!peer.asked) {
    ask(peer, link);  // connects
  }
  const SidePath* aside = nullptr;
  const auto settled = [&] {
    if (link.failed) return true;
    if (rank != members_.rank() && link.device == nullptr) return false;
    if (link.device == &adapter) {
      peer.way = {&adapter, link.endpoint};
    } else if (peer.way.device == nullptr) {
      aside = &links.connect_aside(link, adapter);
      if (!aside->settled()) return false;
      if (aside->device != nullptr) peer.way = {aside->device, aside->endpoint};
    }
    return peer.known || peer.refused;
  };
  progress().wait(settled);
  if (link.failed) return tl::unexpected(words_of_loss(rank));
  if (peer.way.device == nullptr || peer.refused) {
    return fail(MPI_ERR_OTHER, "rank {} cannot be reached by an adapter, as all members agreed: {}",
                rank, aside != nullptr ? aside->words : "it has no such memory");
  }
  peer.is_reached = true;
  return &peer;
}

bool AdapterPeers::take_keys(ProcId from, std::span<const std::byte> body) {
  for (auto& [rank, peer] : peers_) {
    if (members_.proc(rank) != from || !peer.asked || peer.known) continue;
    if (body.size() == sizeof peer.keys) {
      std::memcpy(&peer.keys, body.data(), sizeof peer.keys);
      peer.known = true;
    } else {
      peer.refused = true;
    }
    return true;
  }
  return false;
}

void AdapterPeers::start(AdapterPeer& peer, std::span<Operation> operations, Ending finish) {
  constexpr std::uint64_t kMostUnderWayThere = 1024;
  Tally& tally = *peer.tally;
  if (tally.under_way >= kMostUnderWayThere) [[unlikely]] {
    progress().wait([&] { return tally.under_way < kMostUnderWayThere / 2; });
  }
  if (!std::exchange(peer.used, true)) ++used_;
  ++started_;
  for (const Operation& operation : operations) {
    peer.unconfirmed = peer.unconfirmed || operation.kind == OpKind::put;
  }
  port().start(peer.way, operations, std::move(finish), &tally);
}

Expected<> AdapterPeers::run(AdapterPeer& peer, std::span<Operation> operations) {
  ++started_;
  const int status = port().run(peer.way, operations);
  if (status == MPI_SUCCESS) return {};
  Error error = words_of_loss(peer.rank);
  error.code = status;
  return tl::unexpected(std::move(error));
}

Expected<> AdapterPeers::put(AdapterPeer& peer, std::span<Operation> puts,
                             const std::shared_ptr<HeldBuffer>& buffer) {
  if (is_in_order(peer)) {
    start(peer, puts, [buffer](int /*status*/) {});
    return {};
  }
  if (auto done = run(peer, puts); !done) return done;
  Operation confirm;
  confirm.kind = OpKind::confirm;
  return run(peer, {&confirm, 1});
}

Expected<> AdapterPeers::order(AdapterPeer& peer) {
  if (is_in_order(peer) || !peer.used) return {};
  return settle(peer, nullptr);
}

Expected<> AdapterPeers::settle(AdapterPeer& peer, const WaitSubject* subject) {
  Tally& tally = *peer.tally;
  if (std::exchange(peer.unconfirmed, false) && !is_in_order(peer)) {
    Operation confirm;
    confirm.kind = OpKind::confirm;
    start(peer, {&confirm, 1});
  }
  progress().wait([&] { return tally.under_way == 0; }, subject);
  if (std::exchange(peer.used, false)) --used_;
  const int status = std::exchange(tally.status, MPI_SUCCESS);
  if (status == MPI_SUCCESS) return {};
  Error error = words_of_loss(peer.rank);
  error.code = status;
  return tl::unexpected(std::move(error));
}

bool AdapterPeers::try_settle(int rank, const WaitSubject& subject) {
  AdapterPeer* const peer = find(rank);
  if (peer == nullptr || !peer->used) return true;
  if (!is_in_order(*peer)) return false;
  const Tally& tally = *peer->tally;
  progress().wait([&] { return tally.under_way == 0; }, &subject);
  if (tally.status != MPI_SUCCESS) [[unlikely]]
    return false;
  peer->unconfirmed = false;
  if (std::exchange(peer->used, false)) --used_;
  return true;
}

Expected<> AdapterPeers::flush(int rank, const WaitSubject* subject) {
  if (rank >= 0) {
    AdapterPeer* const peer = find(rank);
    return peer != nullptr && peer->used ? settle(*peer, subject) : Expected<>();
  }
  Expected<> outcome;
  for (auto& [number, peer] : peers_) {
    if (!peer.used) continue;
    Expected<> one = settle(peer, subject);
    if (outcome && !one) outcome = std::move(one);
  }
  return outcome;
}

bool AdapterPeers::is_lost(int rank) {
  if (rank < 0 || rank >= members_.size() || rank == members_.rank()) return false;
  const ProcId proc = members_.proc(rank);
  if (spoken_to_.insert(rank).second) {
    manager_.traffic().send(proc, window_head(WindowMessage::nudge, 0));
  }
  return manager_.links().lost(proc);
}

}  // namespace remit
