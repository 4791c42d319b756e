// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Posting operations.
#include "rdma_btl/verbs/operations.hpp"

#include <arpa/inet.h>

#include <cassert>

#include "rdma_btl/verbs/credits/borrowing.hpp"
#include "rdma_btl/verbs/credits/notes.hpp"
#include "rdma_btl/verbs/messages/gather.hpp"
#include "rdma_btl/verbs/messages/messages.hpp"
#include "rdma_btl/verbs/messages/swaps.hpp"
#include "rdma_btl/verbs/messages/work_queue.hpp"

namespace remit::verbs {

bool Operations::post_other(Endpoint& endpoint, const Operation& operation) {
  switch (operation.kind) {
    case OpKind::send:
      return send(endpoint, operation);
    case OpKind::put:
      return put(endpoint, operation);
    case OpKind::get:
      return get(endpoint, operation);
    case OpKind::atomic:
      return atomic(endpoint, operation);
    case OpKind::confirm:
      return confirm(endpoint, operation);
  }
  return true;
}

bool Operations::send(Endpoint& endpoint, const Operation& operation) {
  if (!Borrowing::can_send(endpoint)) [[unlikely]]
    return borrowing_.starve(endpoint);
  if (!work_.room(endpoint, 1)) return false;
  const std::size_t total = total_length(operation.local);
  const bool inlined = total + sizeof(Header) <= work_.max_inline();
  if (!inlined && !work_.slot_room()) return false;
  ++counters_.sends;
  counters_.inlined += inlined;
  counters_.sent_bytes += total;
  messages_.post_message(endpoint, MessageKind::data, 0, operation.local, total, false);
  return true;
}

bool Operations::move_plain(Endpoint& endpoint, const Operation& operation) {
  if (!work_.room(endpoint, 1)) [[unlikely]]
    return false;
  const Piece& piece = operation.local[0];
  ibv_send_wr& request = work_.move(piece, operation.remote);
  if (operation.kind == OpKind::put) {
    request.opcode = IBV_WR_RDMA_WRITE;
    request.send_flags = piece.length <= work_.max_inline() ? IBV_SEND_INLINE : 0;
    ++counters_.puts;
    counters_.put_bytes += piece.length;
  } else {
    request.opcode = IBV_WR_RDMA_READ;
    request.send_flags = 0;
    ++counters_.gets;
    counters_.got_bytes += piece.length;
  }
  Record record;
  record.cookie = operation.cookie;
  work_.hand_over(endpoint, request, record, record.cookie != kNoCompletion);
  return true;
}

bool Operations::put(Endpoint& endpoint, const Operation& operation) {
  if (operation.notify && !Borrowing::can_send(endpoint)) return borrowing_.starve(endpoint);
  const bool inlined = total_length(operation.local) <= work_.max_inline();
  Gather gather(operation, Source::local, adapter_.limits().max_sge,
                config_.mask.iwarp && !inlined);
  if (gather.done()) {  // no byte, so nothing but the notification
    if (operation.notify && (!work_.room(endpoint, 1) || !work_.message_room())) return false;
    if (operation.notify) messages_.post_signal(endpoint, operation.notification);
    agenda_.complete(endpoint.id, operation.cookie, MPI_SUCCESS);
    return true;
  }
  const bool immediate = operation.notify && endpoint.immediate;
  const bool message = operation.notify && !endpoint.immediate;
  if (!work_.room(endpoint, gather.requests() + message)) return false;
  if (message && !work_.message_room()) return false;
  std::uint64_t remote = operation.remote.address;
  ++counters_.puts;
  while (!gather.done()) {
    ibv_send_wr request = {};
    const std::size_t bytes = gather.next(request);
    const bool last = gather.done();
    request.opcode = last && immediate ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE;
    request.imm_data = htonl(operation.notification);
    request.send_flags = inlined ? IBV_SEND_INLINE : 0;
    request.wr.rdma = {remote, static_cast<std::uint32_t>(operation.remote.key)};
    remote += bytes;
    counters_.put_bytes += bytes;
    Record record;
    if (last) record.cookie = operation.cookie;
    work_.submit(endpoint, request, record, record.cookie != kNoCompletion);
  }
  if (immediate) {
    endpoint.borrowed.credits.spend(1);
    ++counters_.notified;
  } else if (message && endpoint.state == State::open) {
    messages_.post_signal(endpoint, operation.notification);
  }
  return true;
}

bool Operations::get(Endpoint& endpoint, const Operation& operation) {
  Gather gather(operation, Source::remote, adapter_.limits().max_sge_read, config_.mask.iwarp);
  if (gather.done()) {
    agenda_.complete(endpoint.id, operation.cookie, MPI_SUCCESS);
    return true;
  }
  if (!work_.room(endpoint, gather.requests())) return false;
  std::uint64_t remote = operation.remote.address;
  ++counters_.gets;
  while (!gather.done()) {
    ibv_send_wr request = {};
    const std::size_t bytes = gather.next(request);
    request.opcode = IBV_WR_RDMA_READ;
    request.wr.rdma = {remote, static_cast<std::uint32_t>(operation.remote.key)};
    remote += bytes;
    counters_.got_bytes += bytes;
    Record record;
    if (gather.done()) record.cookie = operation.cookie;
    record.awaited = config_.mask.iwarp && record.cookie != kNoCompletion;
    work_.submit(endpoint, request, record, record.cookie != kNoCompletion);
  }
  return true;
}

/// What a read brings back was there behind all writes and atomics before it (also with iWARP: RFC
/// 5040, 5.5). A swap is not over until its last attempt is.
bool Operations::confirm(Endpoint& endpoint, const Operation& operation) {
  assert(operation.cookie != kNoCompletion);
  if (swaps_.any_of(endpoint.id) || !work_.room(endpoint, 1)) return false;
  notes_.read_back(endpoint, RecordKind::plain, operation.cookie);
  return true;
}

bool Operations::atomic(Endpoint& endpoint, const Operation& operation) {
  if (!adapter_.caps().has_atomic) {
    agenda_.complete(endpoint.id, operation.cookie, MPI_ERR_UNSUPPORTED_OPERATION);
    return true;
  }
  if (operation.notify && !Borrowing::can_send(endpoint)) return borrowing_.starve(endpoint);
  if (!work_.room(endpoint, 2) || (operation.notify && !work_.message_room())) return false;
  if (operation.atomic == AtomicKind::swap) return swaps_.start(endpoint, operation);
  const bool wanted = !operation.local.empty() && operation.local[0].length != 0;
  ibv_sge result = {
      reinterpret_cast<std::uintptr_t>(wanted ? operation.local[0].address : work_.slots().trash()),
      8, wanted ? static_cast<std::uint32_t>(operation.local[0].key) : work_.slots().lkey()};
  const bool adds = operation.atomic == AtomicKind::fetch_add;
  ibv_send_wr request = {};
  request.opcode = adds ? IBV_WR_ATOMIC_FETCH_AND_ADD : IBV_WR_ATOMIC_CMP_AND_SWP;
  request.sg_list = &result;
  request.num_sge = 1;
  request.wr.atomic = {operation.remote.address, adds ? operation.operand : operation.compare,
                       operation.operand, static_cast<std::uint32_t>(operation.remote.key)};
  Record record;
  record.cookie = operation.cookie;
  ++counters_.atomics;
  work_.submit(endpoint, request, record, record.cookie != kNoCompletion);
  if (operation.notify && endpoint.state == State::open) {
    messages_.post_signal(endpoint, operation.notification);
  }
  return true;
}

}  // namespace remit::verbs
