// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Taking receives.
#include "rdma_btl/verbs/messages/receiver.hpp"

#include <cstring>

#include "rdma_btl/verbs/connections/connections.hpp"
#include "rdma_btl/verbs/credits/borrowing.hpp"
#include "rdma_btl/verbs/credits/lending.hpp"
#include "rdma_btl/verbs/credits/note_reader.hpp"
#include "rdma_btl/verbs/teardown.hpp"

namespace remit::verbs {

/// Whose receive this was; null if there is nothing in it.
Endpoint* Receiver::sender_of(const ibv_wc& work, std::uint32_t slot) {
  if (pool_.stale(work.wr_id)) return nullptr;
  if (work.qp_num != last_qp_num_) {
    Endpoint* const sender = endpoints_.of_queue_pair(work.qp_num);
    if (sender == nullptr) {
      pool_.use(slot, ReceivePool::kNobody);
      return nullptr;
    }
    last_qp_num_ = work.qp_num;
    last_endpoint_ = sender;
  }
  if (work.status == IBV_WC_SUCCESS) [[likely]]
    return last_endpoint_;
  pool_.use(slot, ReceivePool::kNobody);
  if (work.status != IBV_WC_WR_FLUSH_ERR) teardown_.on_failed_work(*last_endpoint_, work);
  return nullptr;
}

bool Receiver::take_message(Endpoint& endpoint, const ibv_wc& work, std::byte* data,
                            Completion& out) {
  Header header;
  if (work.byte_len < sizeof header) [[unlikely]] {
    teardown_.fail_endpoint(endpoint,
                            fmt::format("{}: a message makes no sense", adapter_.way_to(endpoint)));
    return false;
  }
  std::memcpy(&header, data, sizeof header);
  take_credits(endpoint, header.credits, (header.flags & kStarved) != 0);
  if (header.kind == MessageKind::data) [[likely]] {
    ++counters_.receives;
    if ((header.flags & kHeaded) != 0 && work.byte_len >= sizeof header + sizeof(SendHead)) {
      SendHead head;
      std::memcpy(&head, data + sizeof header, sizeof head);
      endpoint.heard_heads[Heads::place_of(head)] = head;
    }
    out = {CompletionKind::receive,
           MPI_SUCCESS,
           endpoint.id,
           0,
           0,
           std::span(data + sizeof header, work.byte_len - sizeof header)};
    return true;
  }
  return take_own(endpoint, header, work, data, out);
}

/// A message of the device's own.
bool Receiver::take_own(Endpoint& endpoint, const Header& header, const ibv_wc& work,
                        const std::byte* data, Completion& out) {
  switch (header.kind) {
    case MessageKind::notification:
      ++counters_.notifications;
      out = {CompletionKind::notification, MPI_SUCCESS, endpoint.id, header.value, 0, {}};
      return true;
    case MessageKind::open:
      endpoint.host.assign(reinterpret_cast<const char*>(data) + sizeof header,
                           work.byte_len - sizeof header);
      if (endpoint.state == State::accepting) connections_.open_endpoint(endpoint);
      return false;
    case MessageKind::goodbye:
      teardown_.on_goodbye(endpoint);
      out = {CompletionKind::endpoint_closed, MPI_SUCCESS, endpoint.id, 0, 0, {}};
      return true;
    case MessageKind::recall:
      reader_.heed(endpoint);  // a loan that was written before
      borrowing_.on_recall(endpoint);
      return false;
    case MessageKind::give_back:
      if (endpoint.lease.recalled && header.value < endpoint.lease.units) {
        lending_.take_back(endpoint, header.value);
      } else {
        teardown_.fail_endpoint(
            endpoint, fmt::format("{}: a message makes no sense", adapter_.way_to(endpoint)));
      }
      return false;
    case MessageKind::credits:
    case MessageKind::data:
      return false;
  }
  return false;
}

/// A message without header and head: puts its head before it.
bool Receiver::take_brief(Endpoint& endpoint, const ibv_wc& work, std::byte* data,
                          Completion& out) {
  const std::uint32_t said = ntohl(work.imm_data);
  take_credits(endpoint, said % (kMostBriefCredits + 1), (said & kBriefStarved) != 0);
  SendHead head = endpoint.heard_heads[said >> kBriefPlace];
  head.first = (head.first & ~std::uint64_t{kVaries}) | (said & kVaries);
  data -= sizeof head;
  std::memcpy(data, &head, sizeof head);
  ++counters_.receives;
  out = {CompletionKind::receive,
         MPI_SUCCESS,
         endpoint.id,
         0,
         0,
         std::span(data, sizeof head + work.byte_len)};
  return true;
}

/// What came back with a message.
inline void Receiver::take_credits(Endpoint& endpoint, std::uint32_t credits, bool starved) {
  endpoint.borrowed.credits.grant(credits);
  // A note has overtaken this message: these are to be given back, too.
  if (endpoint.borrowed.dry && credits != 0) [[unlikely]] {
    endpoint.borrowed.dry = false;
    borrowing_.on_recall(endpoint);
  }
  if (starved) lending_.want_more(endpoint);
}

void Receiver::release() {
  const int error = pool_.repost([&](EndpointId id) {
    const State state = endpoints_[id].state;
    return state == State::open || state == State::accepting;
  });
  if (error != 0) {
    teardown_.fail_all(fmt::format("{}: a receive was refused: {}", adapter_.chosen().device,
                                   std::strerror(error)));
  }
  for (const ReceivePool::Used& used : pool_.used()) {
    if (used.endpoint == ReceivePool::kNobody) continue;
    Endpoint& endpoint = endpoints_[used.endpoint];
    if (endpoint.state == State::open) lending_.owe(endpoint);
  }
  pool_.forget_used();
}

}  // namespace remit::verbs
