// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What leaves an ofi device through libfabric.
#include "rdma_btl/ofi/sender.hpp"

#include <sys/uio.h>

#include <array>
#include <cassert>
#include <cstring>

#include "rdma_btl/ofi/confirms.hpp"
#include "runtime/copy.hpp"

namespace remit::ofi {

std::size_t Sender::post(Endpoint& endpoint, std::span<const Operation> operations) {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (endpoint.state != State::open) [[unlikely]]
      return i + lifecycle_.post_closed(endpoint, operations.subspan(i));
    if (!post_one(endpoint, operations[i])) return i;
  }
  return operations.size();
}

bool Sender::post_one(Endpoint& endpoint, const Operation& operation) {
  switch (operation.kind) {
    case OpKind::send:
      return post_send(endpoint, operation);
    case OpKind::put:
      return post_put(endpoint, operation);
    case OpKind::get:
      return post_get(endpoint, operation);
    case OpKind::atomic:
      return unsupported(endpoint, operation);
    case OpKind::confirm:
      return post_confirm(endpoint, operation);
  }
  return true;
}

/// It is accepted all the same.
bool Sender::unsupported(const Endpoint& endpoint, const Operation& operation) {
  own_.complete(endpoint.id, operation.cookie, MPI_ERR_UNSUPPORTED_OPERATION);
  return true;
}

// --- messages ----------------------------------------------------------------------------------

bool Sender::post_send(Endpoint& endpoint, const Operation& operation) {
  if (!lender_.has_credit(endpoint) || !send_message(endpoint, {}, operation.local)) return false;
  ++counters_.sends;
  counters_.sent_bytes += total_length(operation.local);
  return true;
}

bool Sender::send_open(Endpoint& endpoint) {
  Header header;
  header.kind = MessageKind::open;
  return lender_.has_credit(endpoint) && send_message(endpoint, header, {});
}

bool Sender::send_notification(Endpoint& endpoint, std::uint32_t value) {
  Header header;
  header.kind = MessageKind::notification;
  header.value = value;
  if (!send_message(endpoint, header, {})) return false;
  ++counters_.notified;
  return true;
}

/// The caller has made sure of a credit. True also if the endpoint has failed meanwhile.
bool Sender::send_message(Endpoint& endpoint, Header header, std::span<const Piece> pieces) {
  Request* const request = requests_.free_send();
  if (request == nullptr) {
    ++counters_.busy;
    return false;
  }
  header.endpoint = endpoint.theirs;
  header.secret = endpoint.password;
  if (endpoint.credits.count() == 1) header.flags = kLastCredit;
  const std::uint32_t owed = lender_.take_owed(endpoint);
  header.credits = static_cast<std::uint16_t>(owed);
  std::byte* out = request->buffer;
  std::memcpy(out, &header, sizeof header);
  out += sizeof header;
  for (const Piece& piece : pieces) {
    if (piece.length == 0) continue;
    copy_bytes(out, piece.address, piece.length);
    out += piece.length;
  }
  request->endpoint = endpoint.id;
  request->forgotten = false;
  request->bytes = static_cast<std::size_t>(out - request->buffer);
  const long result = ::fi_send(fabric_.endpoint(), request->buffer, request->bytes, request->key,
                                endpoint.to, &request->context);
  if (!took(endpoint, result, *request, "fi_send")) {
    lender_.put_back(endpoint, owed);
    return endpoint.state == State::failed;
  }
  Lender::spent(endpoint);
  if (endpoint.credits.count() == 0) endpoint.credits.told();  // by this message
  ++endpoint.sent;
  return true;
}

/// What became of giving a request to libfabric. One that it took is under way.
bool Sender::took(Endpoint& endpoint, long result, Request& request, const char* what) {
  if (result == 0) [[likely]] {
    ++endpoint.under_way;
    requests_.start(request);
    return true;
  }
  request.bytes = 0;
  if (result == -FI_EAGAIN) {
    ++counters_.busy;
  } else {
    lifecycle_.fail(endpoint, fmt::format("{}: {}: {}", lifecycle_.way_to(endpoint), what,
                                          fabric_.words_of(result)));
  }
  return false;
}

void Sender::flush(Endpoints& endpoints) {
  for (std::size_t i = due_.size(); i != 0; --i) {
    const auto [id, value] = due_.front();
    due_.pop_front();
    Endpoint& endpoint = endpoints[id];
    if (endpoint.state != State::open) continue;
    endpoint.credits.unspend(1);
    if (!send_notification(endpoint, value)) {
      endpoint.credits.spend(1);
      due_.emplace_back(id, value);
    }
  }
}

// --- puts and gets -----------------------------------------------------------------------------

bool Sender::post_put(Endpoint& endpoint, const Operation& operation) {
  const bool notifies = operation.notify;
  if (notifies && !lender_.has_credit(endpoint)) return false;
  const std::size_t bytes = total_length(operation.local);
  if (bytes == 0) {
    if (notifies && !send_notification(endpoint, operation.notification)) return false;
    own_.complete(endpoint.id, operation.cookie, MPI_SUCCESS);
    return true;
  }
  if (!fabric_.rma()) return unsupported(endpoint, operation);
  const bool remote_data = fabric_.remote_data();
  if (!transfer(endpoint, operation, notifies && remote_data)) return false;
  ++counters_.puts;
  counters_.put_bytes += bytes;
  if (!notifies) return true;
  Lender::spent(endpoint);  // also of a notification that follows when the write is done
  if (!remote_data) return true;
  ++endpoint.sent;
  ++counters_.notified;
  return true;
}

bool Sender::post_get(Endpoint& endpoint, const Operation& operation) {
  const std::size_t bytes = total_length(operation.local);
  if (bytes == 0) {
    own_.complete(endpoint.id, operation.cookie, MPI_SUCCESS);
    return true;
  }
  if (!fabric_.rma()) return unsupported(endpoint, operation);
  if (!transfer(endpoint, operation, false)) return false;
  ++counters_.gets;
  counters_.got_bytes += bytes;
  return true;
}

bool Sender::post_confirm(Endpoint& endpoint, const Operation& operation) {
  assert(operation.cookie != kNoCompletion);
  if (endpoint.unproven && !read_proof(endpoint)) return false;
  endpoint.confirms.confirm(operation.cookie);
  settle_confirms(endpoint, own_);
  return true;
}

/// Behind writes of one stream: when it comes back they are at their target.
bool Sender::read_proof(Endpoint& endpoint) {
  Request* const request = requests_.free_transfer();
  if (request == nullptr) {
    ++counters_.busy;
    return false;
  }
  request->kind = Request::Kind::get;
  request->notify = false;
  request->forgotten = false;
  request->endpoint = endpoint.id;
  request->cookie = kNoCompletion;
  request->bytes = sizeof request->proof;
  const long result =
      ::fi_read(fabric_.endpoint(), &request->proof, sizeof request->proof, nullptr, endpoint.to,
                endpoint.proof.address, endpoint.proof.key, &request->context);
  if (!took(endpoint, result, *request, "fi_read")) return false;
  count_for_confirms(endpoint, *request);
  endpoint.unproven = false;
  return true;
}

/// A notification that is a message of its own is sent when the write is complete at the target:
/// so such a write says that it wants to know, and each does where only that can confirm it.
bool Sender::transfer(Endpoint& endpoint, const Operation& operation, bool remote_data) {
  Request* const request = requests_.free_transfer();
  if (request == nullptr) {
    ++counters_.busy;
    return false;
  }
  const bool put = operation.kind == OpKind::put;
  request->kind = put ? Request::Kind::put : Request::Kind::get;
  request->notify = put && operation.notify && !remote_data;
  request->forgotten = false;
  request->endpoint = endpoint.id;
  request->notification = operation.notification;
  request->cookie = operation.cookie;
  request->bytes = total_length(operation.local);
  std::array<iovec, kMostPieces> pieces;
  std::size_t count = 0;
  for (const Piece& piece : operation.local) {
    if (piece.length != 0) pieces[count++] = {piece.address, piece.length};
  }
  const fi_rma_iov remote = {operation.remote.address, request->bytes, operation.remote.key};
  fi_msg_rma message = {};
  message.msg_iov = pieces.data();
  message.iov_count = count;
  message.addr = endpoint.to;
  message.rma_iov = &remote;
  message.rma_iov_count = 1;
  message.context = &request->context;
  message.data = notice_of(endpoint.theirs, operation.notification);
  const bool delivered = request->notify || !fabric_.in_one_stream();
  const std::uint64_t flags = FI_COMPLETION | (delivered ? FI_DELIVERY_COMPLETE : 0) |
                              (remote_data ? FI_REMOTE_CQ_DATA : 0);
  const long result = put ? ::fi_writemsg(fabric_.endpoint(), &message, flags)
                          : ::fi_readmsg(fabric_.endpoint(), &message, FI_COMPLETION);
  if (!took(endpoint, result, *request, put ? "fi_writemsg" : "fi_readmsg")) return false;
  if (put && delivered) count_for_confirms(endpoint, *request);
  if (put && !delivered) endpoint.unproven = true;
  return true;
}

}  // namespace remit::ofi
