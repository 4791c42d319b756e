// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Posting messages.
#include "rdma_btl/verbs/messages/messages.hpp"

#include <arpa/inet.h>

#include <array>
#include <cstring>

#include "runtime/copy.hpp"

namespace remit::verbs {

/// One that does not fit the descriptor: brief if the peer knows its head. It is open and has a
/// credit.
bool Messages::send_headed(Endpoint& endpoint, SendHead head, const void* data,
                           std::size_t length) {
  const std::uint32_t place = Heads::place_of(head);
  SendHead& kept = endpoint.sent_heads[place];
  const bool known =
      kept.second == head.second && ((kept.first ^ head.first) & ~std::uint64_t{kVaries}) == 0;
  const bool brief = known && endpoint.immediate && endpoint.lease.owed <= kMostBriefCredits;
  if (!work_.room(endpoint, 1) || !work_.slot_room()) return false;
  ++counters_.sends;
  counters_.brief += brief;
  counters_.sent_bytes += sizeof head + length;
  const std::size_t before = brief ? 0 : sizeof(Header) + sizeof head;
  Record record;
  bool signal = false;
  std::byte* const out = take_slot(record, signal);
  if (length != 0) copy_bytes(out + before, data, length);
  ibv_send_wr& request = work_.message(out, before + length, 0);
  Header header = take_header(endpoint, MessageKind::data, 0);
  if (brief) {
    request.opcode = IBV_WR_SEND_WITH_IMM;
    request.num_sge = length != 0;
    request.imm_data = htonl((static_cast<std::uint32_t>(head.first) & kVaries) | header.credits |
                             place << kBriefPlace | (header.flags != 0 ? kBriefStarved : 0));
  } else {
    if (endpoint.immediate) {
      header.flags |= kHeaded;
      kept = head;
    }
    std::memcpy(out, &header, sizeof header);
    std::memcpy(out + sizeof header, &head, sizeof head);
  }
  work_.submit(endpoint, request, record, signal);
  return true;
}

bool Messages::can_control(const Endpoint& endpoint) {
  if (endpoint.borrowed.credits.count() == 0 || endpoint.note.due || !work_.spare_room(endpoint)) {
    return false;
  }
  if (work_.max_inline() < sizeof(Header) && work_.slots().exhausted()) {
    work_.flush_tails();
    return false;
  }
  return true;
}

bool Messages::post_control(Endpoint& endpoint, MessageKind kind, std::uint32_t value,
                            bool signal) {
  if (!can_control(endpoint)) return false;
  post_message(endpoint, kind, value, {}, 0, signal);
  return true;
}

/// For a message that is not inline. When half of them are in use they have to come back.
std::byte* Messages::take_slot(Record& record, bool& signal) {
  record.kind = RecordKind::buffered;
  record.resource = work_.slots().take();
  signal = signal || work_.slots().runs_short();
  return work_.slots()[record.resource];
}

/// Room, a credit and, where the message is not inline, a send slot are there.
void Messages::post_message(Endpoint& endpoint, MessageKind kind, std::uint32_t value,
                            std::span<const Piece> pieces, std::size_t total, bool signal) {
  const std::size_t bytes = sizeof(Header) + total;
  std::array<std::byte, kMostInline> small;
  Record record;
  std::byte* data = small.data();
  const bool inlined = bytes <= work_.max_inline();
  if (!inlined) {
    data = take_slot(record, signal);
  }
  const Header header = take_header(endpoint, kind, value);
  std::memcpy(data, &header, sizeof header);
  std::byte* out = data + sizeof header;
  for (const Piece& piece : pieces) {
    if (piece.length == 0) continue;
    copy_bytes(out, piece.address, piece.length);
    out += piece.length;
  }
  work_.submit(endpoint, work_.message(data, bytes, inlined ? IBV_SEND_INLINE : 0), record, signal);
}

/// A notification behind everything that was posted so far. Room and a credit are there.
void Messages::post_signal(Endpoint& endpoint, std::uint32_t notification) {
  ++counters_.notified;
  if (!endpoint.immediate) {
    post_message(endpoint, MessageKind::notification, notification, {}, 0, false);
    return;
  }
  ibv_send_wr request = {};
  request.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
  request.imm_data = htonl(notification);
  endpoint.borrowed.credits.spend(1);
  work_.submit(endpoint, request, Record{}, false);
}

}  // namespace remit::verbs
