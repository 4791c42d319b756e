// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What an ofi device gives to libfabric, and the buffers of messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "rdma_btl/common/confirm_queue.hpp"
#include "rdma_btl/device.hpp"
#include "rdma_btl/ofi/fabric.hpp"

namespace remit::ofi {

/// Something that libfabric has: its `context` is what libfabric calls it.
struct Request {
  enum class Kind : std::uint8_t { receive, send, put, get };
  fi_context2 context = {};  ///< the first, so that a pointer to it is one to the request
  Kind kind = Kind::receive;
  bool notify = false;     ///< a put: a message follows it
  bool owes = false;       ///< a receive: its credit goes back when it is posted again
  bool forgotten = false;  ///< its operation is complete already, with an error
  EndpointId endpoint = 0;
  std::uint32_t notification = 0;
  bool counted = false;  ///< in Endpoint::confirms, as one of `group`
  ConfirmQueue::Group group = 0;
  std::uint64_t proof = 0;  ///< where a proof is read to
  std::uint64_t cookie = kNoCompletion;
  std::size_t bytes = 0;  ///< of a send, put or get under way; else 0
  std::byte* buffer = nullptr;
  void* key = nullptr;  ///< of the buffer
};

/// All requests of a device. A send has a buffer, a put or get has none; a receive has a buffer and
/// is always with libfabric, but from its completion to the next repost(), while the layer above
/// reads what has come. Their addresses do not change. One thread.
class RequestPool {
 public:
  explicit RequestPool(Fabric& fabric) : fabric_(fabric) {}

  /// Bytes of each buffer made from now on, the header included.
  void set_message_bytes(std::size_t bytes) { message_bytes_ = bytes; }
  /// More receives, which are given to libfabric at once; no other is, for the layer above may be
  /// reading it.
  [[nodiscard]] Expected<> add_receives(std::size_t count);
  [[nodiscard]] Expected<> add_sends(std::size_t count);
  void add_transfers(std::size_t count);
  /// Receives in all.
  [[nodiscard]] std::size_t receives() const { return receives_; }

  /// A request that is free, which start() takes; null: all are under way.
  [[nodiscard]] Request* free_send() const {
    return free_sends_.empty() ? nullptr : free_sends_.back();
  }
  [[nodiscard]] Request* free_transfer() const {
    return free_transfers_.empty() ? nullptr : free_transfers_.back();
  }
  /// libfabric has taken the one that free_send() or free_transfer() named.
  void start(const Request& request) {
    (request.kind == Request::Kind::send ? free_sends_ : free_transfers_).pop_back();
    ++under_way_;
  }
  /// A send or transfer is over.
  void finish(Request& request) {
    if (!request.forgotten) --under_way_;
    request.bytes = 0;
    (request.kind == Request::Kind::send ? free_sends_ : free_transfers_).push_back(&request);
  }
  /// Sends and transfers under way, without forgotten ones.
  [[nodiscard]] std::size_t under_way() const { return under_way_; }

  /// What libfabric has of an endpoint is not waited for any more: calls visit(Request&) for each.
  template <class Visit>
  void forget(EndpointId endpoint, Visit&& visit) {
    for (Request& request : requests_) {
      const bool under_way = request.kind != Request::Kind::receive && request.bytes != 0;
      if (!under_way || request.endpoint != endpoint || request.forgotten) continue;
      request.forgotten = true;
      --under_way_;
      visit(request);
    }
  }

  /// A receive is complete: it is posted again by a later repost().
  void used(Request& receive) { to_repost_.push_back(&receive); }
  /// Gives receives back to libfabric, and calls visit(Request&) for each that it took.
  template <class Visit>
  void repost(Visit&& visit) {
    if (to_repost_.empty()) return;
    std::vector<Request*> receives;
    receives.swap(to_repost_);
    for (std::size_t i = 0; i < receives.size(); ++i) {
      if (!post(*receives[i])) {
        to_repost_.insert(to_repost_.end(), receives.begin() + static_cast<std::ptrdiff_t>(i),
                          receives.end());
        return;
      }
      visit(*receives[i]);
    }
  }

 private:
  [[nodiscard]] Expected<> add_buffers(std::size_t count, Request::Kind kind);
  [[nodiscard]] bool post(Request& receive);

  Fabric& fabric_;
  std::vector<Request*> free_sends_;
  std::vector<Request*> free_transfers_;
  std::vector<Request*> to_repost_;
  std::size_t under_way_ = 0;
  std::size_t receives_ = 0;
  std::size_t message_bytes_ = 0;
  std::deque<Request> requests_;
  std::vector<std::unique_ptr<std::byte[]>> buffers_;
};

}  // namespace remit::ofi
