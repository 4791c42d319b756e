// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The ofi device: operations are given to libfabric.
#include <algorithm>
#include <array>
#include <cstring>

#include "rdma_btl/ofi/endpoint.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {}  // namespace

std::size_t OfiDevice::post(EndpointId id, std::span<const Operation> operations) {
  Endpoint& endpoint = *endpoints_[id];
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (endpoint.state != State::open) [[unlikely]]
      return i + post_closed(endpoint, operations.subspan(i));
    if (!post_one(endpoint, operations[i])) return i;
  }
  return operations.size();
}

/// A failed endpoint takes everything; one that is not connected yet takes nothing.
std::size_t OfiDevice::post_closed(Endpoint& endpoint, std::span<const Operation> operations) {
  if (endpoint.state == State::gone) {
    fail_endpoint(endpoint, fmt::format("{} has finished", way_to(endpoint)));
  }
  if (endpoint.state != State::failed) return 0;
  for (const Operation& operation : operations) {
    if (operation.kind != OpKind::send) complete(endpoint, operation.cookie, MPI_ERR_PROC_ABORTED);
  }
  return operations.size();
}

bool OfiDevice::post_one(Endpoint& endpoint, const Operation& operation) {
  switch (operation.kind) {
    case OpKind::send:
      return post_send(endpoint, operation);
    case OpKind::put:
      return post_put(endpoint, operation);
    case OpKind::get:
      return post_get(endpoint, operation);
    case OpKind::atomic:
      complete(endpoint, operation.cookie, MPI_ERR_UNSUPPORTED_OPERATION);
      return true;
  }
  return true;
}

void OfiDevice::event(CompletionKind kind, EndpointId endpoint, int status, std::uint64_t cookie) {
  ready_.push_back({kind, status, endpoint, 0, cookie, {}});
}

/// Tells poll() that an operation is complete. It may be called by post().
void OfiDevice::complete(const Endpoint& endpoint, std::uint64_t cookie, int status) {
  if (cookie != kNoCompletion) event(CompletionKind::local, endpoint.id, status, cookie);
}

bool OfiDevice::has_credit(Endpoint& endpoint) {
  if (endpoint.credits != 0) [[likely]]
    return true;
  wish(endpoint);
  return false;
}

// --- messages ----------------------------------------------------------------------------------

bool OfiDevice::post_send(Endpoint& endpoint, const Operation& operation) {
  if (!has_credit(endpoint) || !send_message(endpoint, {}, operation.local)) return false;
  ++counters_.sends;
  counters_.sent_bytes += total_length(operation.local);
  return true;
}

bool OfiDevice::send_notification(Endpoint& endpoint, std::uint32_t value) {
  ofi::Header header;
  header.kind = ofi::MessageKind::notification;
  header.value = value;
  if (!send_message(endpoint, header, {})) return false;
  ++counters_.notified;
  return true;
}

/// Through a buffer of the device, whatever the length: so a message has left when its buffer is
/// free again. The caller has made sure of a credit.
bool OfiDevice::send_message(Endpoint& endpoint, ofi::Header header,
                             std::span<const Piece> pieces) {
  if (free_sends_.empty()) {
    ++counters_.busy;
    return false;
  }
  Request& request = *free_sends_.back();
  header.endpoint = endpoint.theirs;
  header.secret = endpoint.password;
  if (endpoint.credits == 1) header.flags = ofi::kLastCredit;
  const std::uint32_t owed = take_owed(endpoint);
  header.credits = static_cast<std::uint16_t>(owed);
  std::byte* out = request.buffer;
  std::memcpy(out, &header, sizeof header);
  out += sizeof header;
  for (const Piece& piece : pieces) {
    if (piece.length == 0) continue;
    copy_bytes(out, piece.address, piece.length);
    out += piece.length;
  }
  request.endpoint = endpoint.id;
  request.forgotten = false;
  request.bytes = static_cast<std::size_t>(out - request.buffer);
  const long result = ::fi_send(endpoint_.get(), request.buffer, request.bytes, request.key,
                                endpoint.to, &request.context);
  if (!took(endpoint, result, &request, "fi_send")) {
    put_back(endpoint, owed);
    return endpoint.state == State::failed;
  }
  free_sends_.pop_back();
  --endpoint.credits;
  ++endpoint.sent;
  endpoint.hungry = false;
  if (endpoint.credits == 0) endpoint.asked = true;
  return true;
}

/// What became of giving a request to libfabric. One that it took is under way.
bool OfiDevice::took(Endpoint& endpoint, long result, Request* request, const char* what) {
  if (result == 0) [[likely]] {
    ++endpoint.under_way;
    ++under_way_;
    return true;
  }
  request->bytes = 0;
  if (result == -FI_EAGAIN) {
    ++counters_.busy;
  } else {
    fail_endpoint(endpoint, fmt::format("{}: {}: {}", way_to(endpoint), what,
                                        api_.strerror(static_cast<int>(-result))));
  }
  return false;
}

// --- memory ------------------------------------------------------------------------------------

/// All of it is registered already, if there are puts and gets.
Expected<Region> OfiDevice::register_memory(void* address, std::size_t length, Access /*access*/) {
  return Region{address, length, 0, all_memory_ ? ::fi_mr_key(all_memory_.get()) : 0, 0};
}

void OfiDevice::deregister(const Region& /*region*/) {}

// --- puts and gets -----------------------------------------------------------------------------

bool OfiDevice::post_put(Endpoint& endpoint, const Operation& operation) {
  const bool notify = operation.notify;
  if (notify && !has_credit(endpoint)) return false;
  const std::size_t bytes = total_length(operation.local);
  if (bytes == 0) {
    if (notify && !send_notification(endpoint, operation.notification)) return false;
    complete(endpoint, operation.cookie, MPI_SUCCESS);
    return true;
  }
  if (!caps_.has_put) {
    complete(endpoint, operation.cookie, MPI_ERR_UNSUPPORTED_OPERATION);
    return true;
  }
  if (!transfer(endpoint, operation, notify && remote_data_)) return false;
  ++counters_.puts;
  counters_.put_bytes += bytes;
  if (!notify) return true;
  endpoint.hungry = false;
  --endpoint.credits;  // also of a notification that follows when the write is done
  if (!remote_data_) return true;
  ++endpoint.sent;
  ++counters_.notified;
  return true;
}

bool OfiDevice::post_get(Endpoint& endpoint, const Operation& operation) {
  const std::size_t bytes = total_length(operation.local);
  if (bytes == 0 || !caps_.has_get) {
    complete(endpoint, operation.cookie, bytes == 0 ? MPI_SUCCESS : MPI_ERR_UNSUPPORTED_OPERATION);
    return true;
  }
  if (!transfer(endpoint, operation, false)) return false;
  ++counters_.gets;
  counters_.got_bytes += bytes;
  return true;
}

/// A notification that is a message of its own is sent when the write is complete at the target: so
/// such a write says that it wants to know.
bool OfiDevice::transfer(Endpoint& endpoint, const Operation& operation, bool remote_data) {
  if (free_transfers_.empty()) {
    ++counters_.busy;
    return false;
  }
  Request& request = *free_transfers_.back();
  const bool put = operation.kind == OpKind::put;
  request.kind = put ? Request::Kind::put : Request::Kind::get;
  request.notify = put && operation.notify && !remote_data;
  request.forgotten = false;
  request.endpoint = endpoint.id;
  request.notification = operation.notification;
  request.cookie = operation.cookie;
  request.bytes = total_length(operation.local);
  std::array<iovec, kMostPieces> pieces;
  std::size_t count = 0;
  for (const Piece& piece : operation.local) {
    if (piece.length != 0) pieces[count++] = {piece.address, piece.length};
  }
  const fi_rma_iov remote = {operation.remote.address, request.bytes, operation.remote.key};
  fi_msg_rma message = {};
  message.msg_iov = pieces.data();
  message.iov_count = count;
  message.addr = endpoint.to;
  message.rma_iov = &remote;
  message.rma_iov_count = 1;
  message.context = &request.context;
  message.data = ofi::notice_of(endpoint.theirs, operation.notification);
  const std::uint64_t flags = FI_COMPLETION | (remote_data ? FI_REMOTE_CQ_DATA : 0) |
                              (request.notify ? FI_DELIVERY_COMPLETE : 0);
  const long result = put ? ::fi_writemsg(endpoint_.get(), &message, flags)
                          : ::fi_readmsg(endpoint_.get(), &message, FI_COMPLETION);
  if (!took(endpoint, result, &request, put ? "fi_writemsg" : "fi_readmsg")) return false;
  free_transfers_.pop_back();
  return true;
}

}  // namespace remit
