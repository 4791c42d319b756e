// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The messages under way that need more than one step, by the handles that travel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "links/link_user.hpp"
#include "pt2pt/request.hpp"
#include "pt2pt/transfer.hpp"
#include "runtime/pool.hpp"

namespace remit {

/// Owns the records. A handle fits a notification. One that has come from a peer reaches a record
/// of that peer only, whatever value it has. One thread.
class TransferTable {
 public:
  /// Of a send, which holds it as its place from now on.
  Transfer& begin_send(Peer& peer, Request& request, TransferKind kind) {
    Transfer& transfer = begin(peer, &request);
    transfer.kind = kind;
    transfer.is_send = true;
    ++sends_;
    return transfer;
  }
  /// Of a receive, in the same way, or of a message that nobody has asked for yet.
  [[nodiscard]] Transfer& begin_receive(Peer& peer, Request* request, SlabHandle sender) {
    Transfer& transfer = begin(peer, request);
    transfer.remote_handle = sender;
    return transfer;
  }
  /// A receive takes what came for nobody.
  static void adopt(Transfer& transfer, Request& request) {
    transfer.request = &request;
    request.place = RequestPlace::transfer;
    request.transfer = handle_of(transfer);
  }
  void end(Transfer& transfer) {
    if (transfer.is_send) --sends_;
    records_.free(&transfer);
  }

  [[nodiscard]] static SlabHandle handle_of(const Transfer& transfer) {
    return decltype(records_)::handle_of(&transfer);
  }
  /// Null: it has ended.
  [[nodiscard]] Transfer* get(SlabHandle handle) { return records_.get(handle); }
  /// The same; null also if it is not of this peer.
  [[nodiscard]] Transfer* find(const Peer& peer, SlabHandle handle) {
    Transfer* transfer = get(handle);
    return transfer != nullptr && transfer->peer == &peer ? transfer : nullptr;
  }
  /// All, in no useful order; visit may end the one it is given.
  template <class Visit>
  void for_each(Visit&& visit) {
    records_.for_each(visit);
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    records_.for_each(visit);
  }

  [[nodiscard]] std::size_t live() const { return records_.live(); }
  /// Of sends.
  [[nodiscard]] std::uint32_t sends() const { return sends_; }

 private:
  Transfer& begin(Peer& peer, Request* request) {
    Transfer& transfer = *records_.allocate();
    transfer.peer = &peer;
    if (request != nullptr) adopt(transfer, *request);
    return transfer;
  }

  Slab<Transfer, 20, kNotificationBits> records_;
  std::uint32_t sends_ = 0;
};

}  // namespace remit
