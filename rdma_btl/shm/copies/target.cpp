// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/copies/target.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "rdma_btl/change_word.hpp"
#include "rdma_btl/shm/copies/assist.hpp"
#include "rdma_btl/shm/copies/batch.hpp"
#include "rdma_btl/shm/copies/peer_copier.hpp"
#include "rdma_btl/shm/rings/receiver.hpp"
#include "rdma_btl/shm/rings/sender.hpp"
#include "runtime/copy.hpp"

namespace remit::shm {

void Target::refuse(Endpoint& endpoint, const char* what, std::uint64_t address,
                    std::uint64_t length) {
  ++counters_.violations;
  if (config_.log == nullptr) return;
  config_.log->write(LogLevel::warning,
                     "shared memory: {} of process {:#x} was refused: {} bytes at {:#x} are not in "
                     "the region that it names",
                     what, rank_of_name(endpoint.peer), length, address);
}

// --- through the ring --------------------------------------------------------------------------

bool Target::on_put_data(Endpoint& endpoint, const PutData& put, Completion& out) {
  std::byte* data = receiver_.area_bytes(endpoint, put.area);
  if (data == nullptr) return false;
  if (!regions_.allowed(put.key, put.address, put.area.length, Access::remote_write)) {
    refuse(endpoint, "a put", put.address, put.area.length);
    const PutDone done{put.job, MPI_ERR_RMA_RANGE};
    sender_.send_cell(endpoint, CellKind::put_done, &done, sizeof done);
    return false;
  }
  if (put.area.length != 0) {
    receiver_.copy_out(reinterpret_cast<void*>(put.address), data, put.area.length);
  }
  if ((put.flags & kLast) == 0) return false;
  const PutDone done{put.job, MPI_SUCCESS};
  sender_.send_cell(endpoint, CellKind::put_done, &done, sizeof done);
  if ((put.flags & kNotify) == 0) return false;
  out = event_of(CompletionKind::notification, endpoint.id, MPI_SUCCESS, 0, put.notification);
  return true;
}

void Target::on_get_request(Endpoint& endpoint, const GetRequest& request) {
  if (!regions_.allowed(request.key, request.address, request.length, Access::remote_read)) {
    refuse(endpoint, "a get", request.address, request.length);
    GetData refusal;
    refusal.area.end = 0;
    refusal.job = request.job;
    refusal.flags = kLast;
    refusal.status = MPI_ERR_RMA_RANGE;
    sender_.send_cell(endpoint, CellKind::get_data, &refusal, sizeof refusal);
    return;
  }
  replies_.push_back({endpoint.id, request.job, reinterpret_cast<const std::byte*>(request.address),
                      request.length});
  agenda_.add(Agenda::kWork);
  progress_replies();
}

bool Target::on_atomic_request(Endpoint& endpoint, const AtomicRequest& request, Completion& out) {
  AtomicReply reply{request.job, 0, MPI_SUCCESS};
  const bool valid =
      request.address % sizeof(std::uint64_t) == 0 &&
      request.kind <= static_cast<std::uint8_t>(AtomicKind::swap) &&
      regions_.allowed(request.key, request.address, sizeof(std::uint64_t), Access::remote_atomic);
  if (!valid) {
    refuse(endpoint, "an atomic", request.address, sizeof(std::uint64_t));
    reply.status = MPI_ERR_RMA_RANGE;
    sender_.send_cell(endpoint, CellKind::atomic_reply, &reply, sizeof reply);
    return false;
  }
  reply.old_value =
      change_word(reinterpret_cast<std::byte*>(request.address),
                  static_cast<AtomicKind>(request.kind), request.operand, request.compare);
  sender_.send_cell(endpoint, CellKind::atomic_reply, &reply, sizeof reply);
  if ((request.flags & kNotify) == 0) return false;
  out = event_of(CompletionKind::notification, endpoint.id, MPI_SUCCESS, 0, request.notification);
  return true;
}

void Target::on_assist(Endpoint& endpoint, const AssistRequest& request) {
  if (!endpoint.cma) return;
  const Access needed = request.is_put != 0 ? Access::remote_write : Access::remote_read;
  if (request.slot >= kAssists || request.chunk < 4096 ||
      !regions_.allowed(request.key, request.target_address, request.length, needed)) {
    return refuse(endpoint, "a shared transfer", request.target_address, request.length);
  }
  helping_.push_back({endpoint.id, request});
  agenda_.add(Agenda::kWork);
}

void Target::progress_replies() {
  for (std::size_t waiting = replies_.size(); waiting != 0; --waiting) {
    Reply reply = replies_.front();
    replies_.pop_front();
    if (!continue_reply(reply)) replies_.push_back(reply);
  }
}

/// As far as there is room. True if that was the rest.
bool Target::continue_reply(Reply& reply) {
  const std::size_t most = std::min(config_.area_bytes / 8, kStreamChunk);
  Endpoint& endpoint = peers_[reply.endpoint];
  while (endpoint.tx.has_room()) {
    GetData cell;
    const std::size_t bytes = std::min(most, reply.left);
    std::byte* to = endpoint.tx.reserve(bytes, cell.area);
    if (to == nullptr) return false;
    if (bytes != 0) copy_bytes(to, reply.from, bytes);
    reply.from += bytes;
    reply.left -= bytes;
    const bool last = reply.left == 0;
    cell.job = reply.job;
    cell.flags = last ? kLast : 0;
    std::memcpy(endpoint.tx.next().payload, &cell, sizeof cell);
    endpoint.tx.publish(CellKind::get_data, sizeof cell);
    sender_.wake(endpoint);
    if (last) return true;
  }
  return false;
}

// --- both sides at once ------------------------------------------------------------------------

/// What this process copies with one system call for transfers of one peer.
struct Target::Chunks {
  Helping first = {};
  std::size_t count = 0;
  std::size_t bytes = 0;
  std::array<iovec, Batch::kMaxParts> local;
  std::array<iovec, Batch::kMaxParts> remote;
  std::array<Assist*, Batch::kMaxParts> assists;
};

Target::Chunks Target::claim_chunks() {
  Chunks taken;
  for (auto next = helping_.begin(); next != helping_.end() && taken.count != Batch::kMaxParts;) {
    const AssistRequest& request = next->request;
    const Helping& first = taken.first;
    const bool fits = next->endpoint == first.endpoint && request.is_put == first.request.is_put &&
                      taken.bytes + request.chunk <= Batch::kMaxBytes;
    if (taken.count != 0 && !fits) break;
    Assist& assist = peers_[next->endpoint].rx.control->assists[request.slot];
    const auto chunks =
        static_cast<std::uint32_t>((request.length + request.chunk - 1) / request.chunk);
    const auto number = claim_chunk(assist, static_cast<std::uint16_t>(request.generation), chunks,
                                    AssistEnd::back);
    if (!number || *number >= chunks) {
      next = helping_.erase(next);
      continue;
    }
    if (taken.count == 0) taken.first = *next;
    const std::size_t at = std::size_t{chunks - 1 - *number} * request.chunk;
    const std::size_t length = std::min<std::size_t>(request.chunk, request.length - at);
    taken.local[taken.count] = {reinterpret_cast<void*>(request.target_address + at), length};
    taken.remote[taken.count] = {reinterpret_cast<void*>(request.initiator_address + at), length};
    taken.assists[taken.count++] = &assist;
    taken.bytes += length;
    ++next;
  }
  return taken;
}

void Target::progress_helping() {
  const Chunks taken = claim_chunks();
  if (taken.count == 0) return;
  Endpoint& endpoint = peers_[taken.first.endpoint];
  const ssize_t moved = copier_.copy(endpoint, taken.first.request.is_put == 0,
                                     std::span(taken.local).first(taken.count),
                                     std::span(taken.remote).first(taken.count));
  std::size_t left = moved < 0 ? 0 : static_cast<std::size_t>(moved);
  for (std::size_t i = 0; i != taken.count; ++i) {
    const std::size_t length = taken.local[i].iov_len;
    if (left < length) taken.assists[i]->failed.fetch_or(1, std::memory_order_relaxed);
    left -= std::min(left, length);
    taken.assists[i]->finished.fetch_add(1, std::memory_order_release);
  }
  counters_.assisted += taken.count;
  sender_.wake(endpoint);
}

void Target::forget(const Endpoint& endpoint) {
  const auto of_it = [&](const auto& item) { return item.endpoint == endpoint.id; };
  std::erase_if(replies_, of_it);
  std::erase_if(helping_, of_it);
}

}  // namespace remit::shm
