// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Writing notes.
#include "rdma_btl/verbs/credits/notes.hpp"

#include <bit>

namespace remit::verbs {

Note read_note(const Note* note) {
  return std::bit_cast<Note>(
      __atomic_load_n(reinterpret_cast<const std::uint64_t*>(note), __ATOMIC_ACQUIRE));
}

/// A place for the peer's note, and one for ours.
Expected<> Notes::make(Endpoint& endpoint) {
  if (endpoint.note.heard != nullptr) return {};
  constexpr std::size_t kAtOnce = 256;
  constexpr std::size_t kEach = 3;
  if (free_.empty()) {
    const auto block = memory_.make_block(
        kAtOnce * kEach * sizeof(Note),
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
        "memory for notes of peers");
    if (!block) return tl::unexpected<Error>(block.error());
    auto* const notes = static_cast<Note*>(block->base);
    for (std::size_t i = 0; i < kAtOnce * kEach; i += kEach) {
      free_.push_back({notes + i, block->mr->lkey, block->mr->rkey});
    }
  }
  const Place place = free_.back();
  free_.pop_back();
  endpoint.note.heard = place.notes;
  endpoint.note.said = place.notes + 1;
  endpoint.note.lkey = place.lkey;
  endpoint.note.rkey = place.rkey;
  return {};
}

/// As soon as there is room: until then nothing else is posted, which would overtake it.
void Notes::write(Endpoint& endpoint) {
  const bool room = work_.spare_room(endpoint, config_.mask.iwarp ? 2 : 1);
  if (!room) work_.flush_tails();
  if (!room || endpoint.note.flies) {
    if (!endpoint.note.due) due_.push_back(endpoint.id);
    endpoint.note.due = agenda_.attention = true;
    return;
  }
  ibv_sge part = {reinterpret_cast<std::uintptr_t>(endpoint.note.said), sizeof(Note),
                  endpoint.note.lkey};
  ibv_send_wr request = {};
  request.opcode = IBV_WR_RDMA_WRITE;
  request.sg_list = &part;
  request.num_sge = 1;
  request.send_flags = sizeof(Note) <= adapter_.limits().max_inline ? IBV_SEND_INLINE : 0;
  request.wr.rdma = {endpoint.note.there.address,
                     static_cast<std::uint32_t>(endpoint.note.there.key)};
  work_.submit(endpoint, request, Record{}, endpoint.note.said->farewell != 0);
  if (config_.mask.iwarp && endpoint.state == State::open) {
    endpoint.note.flies = true;
    read_back(endpoint, RecordKind::proof);
  }
}

/// With iWARP. What a read brings back has been placed (RFC 5040, 5.5), and somebody has answered;
/// the end of a write proves neither.
void Notes::read_back(Endpoint& endpoint, RecordKind kind, std::uint64_t cookie) {
  ibv_sge part = {reinterpret_cast<std::uintptr_t>(endpoint.note.said + 1), sizeof(Note),
                  endpoint.note.lkey};
  ibv_send_wr request = {};
  request.opcode = IBV_WR_RDMA_READ;
  request.sg_list = &part;
  request.num_sge = 1;
  request.wr.rdma = {endpoint.note.there.address,
                     static_cast<std::uint32_t>(endpoint.note.there.key)};
  Record record;
  record.kind = kind;
  record.cookie = cookie;
  record.awaited = true;
  work_.submit(endpoint, request, record, true);
}

void Notes::write_due() {
  std::vector<EndpointId> due;
  due.swap(due_);
  for (const EndpointId id : due) {
    Endpoint& endpoint = endpoints_[id];
    endpoint.note.due = false;  // or again
    if (endpoint.state == State::open) write(endpoint);
  }
}

/// It may overtake messages, so it is asked for only when the connection has ended.
bool Notes::said_farewell(const Endpoint& endpoint) {
  return endpoint.note.heard != nullptr && read_note(endpoint.note.heard).farewell != 0;
}

}  // namespace remit::verbs
