// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What libfabric brings to an ofi device.
#include "rdma_btl/ofi/receiver.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "rdma_btl/ofi/confirms.hpp"

namespace remit::ofi {

namespace {

/// Completions that are read at a time.
constexpr std::size_t kOfiBatch = 16;

}  // namespace

std::size_t Receiver::read(std::span<Completion> out) {
  if (!fabric_) return 0;
  std::array<fi_cq_data_entry, kOfiBatch> entries;
  std::size_t count = 0;
  while (count < out.size()) {
    const std::size_t room = std::min(out.size() - count, kOfiBatch);
    const ssize_t got = ::fi_cq_read(fabric_.queue(), entries.data(), room);
    if (got == -FI_EAVAIL) {
      on_failure();
      continue;
    }
    if (got <= 0) break;
    for (const fi_cq_data_entry& entry : std::span(entries).first(static_cast<std::size_t>(got))) {
      if (on_completion(entry, out[count])) ++count;
    }
    if (static_cast<std::size_t>(got) < room) break;
  }
  return count;
}

/// True if it is one to tell.
bool Receiver::on_completion(const fi_cq_data_entry& entry, Completion& out) {
  if ((entry.flags & FI_REMOTE_CQ_DATA) != 0) return on_remote_data(entry.data, out);
  auto* const request = static_cast<Request*>(entry.op_context);
  if (request == nullptr) return false;
  if (request->kind == Request::Kind::receive) return on_message(*request, entry.len, out);
  on_done(*request, MPI_SUCCESS, {});
  return false;
}

/// Whose message is in `slot`, with its header; null: a stranger's.
Endpoint* Receiver::sender_of(const Request& slot, std::size_t bytes, Header& header) {
  if (bytes < sizeof header) return nullptr;
  std::memcpy(&header, slot.buffer, sizeof header);
  if (!endpoints_.has(header.endpoint)) return nullptr;
  Endpoint& endpoint = endpoints_[header.endpoint];
  const bool known = endpoint.secret == header.secret && endpoint.state != State::idle;
  return known ? &endpoint : nullptr;
}

/// A message in `slot`, which belongs to the layer above until the next repost().
bool Receiver::on_message(Request& slot, std::size_t bytes, Completion& out) {
  requests_.used(slot);
  slot.owes = false;
  Header header;
  Endpoint* const sender = sender_of(slot, bytes, header);
  if (sender == nullptr) {
    ++counters_.rejected;
    return false;
  }
  Endpoint& endpoint = *sender;
  if (endpoint.state == State::failed || endpoint.state == State::gone) return false;
  endpoint.credits.grant(header.credits);
  ++endpoint.received;
  if ((header.flags & kLastCredit) != 0) lender_.want_more(endpoint);
  slot.owes = true;
  slot.endpoint = endpoint.id;
  if (header.kind == MessageKind::open) {
    contacts_.on_open(endpoint);
    return false;
  }
  const bool data = header.kind == MessageKind::data;
  out = {data ? CompletionKind::receive : CompletionKind::notification,
         MPI_SUCCESS,
         endpoint.id,
         header.value,
         0,
         {}};
  if (data) {
    out.data = {slot.buffer + sizeof header, bytes - sizeof header};
    ++counters_.receives;
  } else {
    ++counters_.notifications;
  }
  if (endpoint.leaving) lifecycle_.see_goodbye(endpoint);
  return true;
}

bool Receiver::on_remote_data(std::uint64_t data, Completion& out) {
  const auto id = static_cast<EndpointId>(data >> 32);
  if (!endpoints_.has(id) || endpoints_[id].state != State::open) {
    ++counters_.rejected;
    return false;
  }
  Endpoint& endpoint = endpoints_[id];
  ++endpoint.received;
  ++counters_.notifications;
  lender_.used(endpoint);
  out = {CompletionKind::notification, MPI_SUCCESS, id, static_cast<std::uint32_t>(data), 0, {}};
  if (endpoint.leaving) lifecycle_.see_goodbye(endpoint);
  return true;
}

/// A send, put or get is over.
void Receiver::on_done(Request& request, int status, const std::string& words) {
  Endpoint& endpoint = endpoints_[request.endpoint];
  --endpoint.under_way;
  const bool transfer = request.kind != Request::Kind::send;
  const bool forgotten = request.forgotten;
  requests_.finish(request);
  if (status != MPI_SUCCESS && endpoint.state != State::gone) {
    lifecycle_.fail(endpoint, fmt::format("{}: {}", lifecycle_.way_to(endpoint), words));
  }
  if (!transfer || forgotten) return;
  own_.complete(endpoint.id, request.cookie, status);
  end_counted(endpoint, request, own_);
  if (request.notify && status == MPI_SUCCESS && endpoint.state == State::open) {
    sender_.notify(endpoint.id, request.notification);
  }
}

void Receiver::on_failure() {
  const Failure failure = fabric_.take_failure();
  auto* const request = static_cast<Request*>(failure.context);
  if (request == nullptr) return;
  if (request->kind == Request::Kind::receive) {  // its sender died in the middle
    request->owes = false;
    requests_.used(*request);
    return;
  }
  on_done(*request, failure.status, failure.words);
}

}  // namespace remit::ofi
