// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared-memory device as the target of its peers' puts, gets and atomics, and the answers to
// its own. Everything a peer wrote into a cell is checked here before it is used.
#include <atomic>
#include <cstring>

#include "rdma_btl/shm/endpoint.hpp"
#include "rdma_btl/shm/shm_device.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

template <class Payload>
Payload payload_of(const shm::Cell& cell) {
  Payload payload;
  std::memcpy(&payload, cell.payload, sizeof payload);
  return payload;
}

}  // namespace

bool ShmDevice::allowed(std::uint64_t key, std::uint64_t address, std::uint64_t length,
                        Access access) const {
  const auto index = static_cast<std::uint32_t>(key);
  if (length == 0) return true;
  if (index >= regions_.size()) return false;
  const RegionSlot& slot = regions_[index];
  return slot.live && slot.generation == key >> 32 &&
         (static_cast<unsigned>(slot.access) & static_cast<unsigned>(access)) != 0 &&
         address >= slot.address && address - slot.address <= slot.length &&
         length <= slot.length - (address - slot.address);
}

void ShmDevice::violation(Endpoint& endpoint, const char* what, std::uint64_t address,
                          std::uint64_t length) {
  ++counters_.violations;
  if (config_.log == nullptr) return;
  config_.log->write(LogLevel::warning,
                     "shared memory: {} of process {:#x} was refused: {} bytes at {:#x} are not in "
                     "the region that it names",
                     what, rank_of_name(endpoint.peer), length, address);
}

/// A control cell to a peer, now or when its ring has room.
void ShmDevice::send_cell(Endpoint& endpoint, shm::CellKind kind, const void* payload,
                          std::size_t length) {
  if (endpoint.shut) return;
  if (endpoint.tx.has_room()) {
    if (length != 0) std::memcpy(endpoint.tx.next().payload, payload, length);
    endpoint.tx.publish(kind, length);
    wake(endpoint);
    return;
  }
  Outgoing cell{endpoint.id, kind, static_cast<std::uint8_t>(length), {}};
  if (length != 0) std::memcpy(cell.payload.data(), payload, length);
  outgoing_.push_back(cell);
  attention_ |= kWork;
}

void ShmDevice::progress_replies() {
  for (std::size_t left = outgoing_.size(); left != 0; --left) {
    const Outgoing cell = outgoing_.front();
    outgoing_.pop_front();
    send_cell(*endpoints_[cell.endpoint], cell.kind, cell.payload.data(), cell.length);
  }
  const std::size_t most = std::min(config_.area_bytes / 8, kStreamChunk);
  for (std::size_t waiting = replies_.size(); waiting != 0; --waiting) {
    Reply reply = replies_.front();
    replies_.pop_front();
    Endpoint& endpoint = *endpoints_[reply.endpoint];
    bool last = false;
    while (!last && endpoint.tx.has_room()) {
      shm::GetData cell;
      const std::size_t bytes = std::min(most, reply.left);
      std::byte* to = endpoint.tx.reserve(bytes, cell.area);
      if (to == nullptr) break;
      if (bytes != 0) copy_bytes(to, reply.from, bytes);
      reply.from += bytes;
      reply.left -= bytes;
      last = reply.left == 0;
      cell.job = reply.job;
      cell.flags = last ? shm::kLast : 0;
      std::memcpy(endpoint.tx.next().payload, &cell, sizeof cell);
      endpoint.tx.publish(shm::CellKind::get_data, sizeof cell);
      wake(endpoint);
    }
    if (!last) replies_.push_back(reply);
  }
}

bool ShmDevice::on_put_data(Endpoint& endpoint, const shm::Cell& cell, Completion& out) {
  const auto put = payload_of<shm::PutData>(cell);
  std::byte* data = area_bytes(endpoint, put.area);
  if (data == nullptr) return false;
  if (!allowed(put.key, put.address, put.area.length, Access::remote_write)) {
    violation(endpoint, "a put", put.address, put.area.length);
    const shm::PutDone done{put.job, MPI_ERR_RMA_RANGE};
    send_cell(endpoint, shm::CellKind::put_done, &done, sizeof done);
    return false;
  }
  if (put.area.length != 0) {
    copy_out(reinterpret_cast<void*>(put.address), data, put.area.length);
  }
  if ((put.flags & shm::kLast) == 0) return false;
  const shm::PutDone done{put.job, MPI_SUCCESS};
  send_cell(endpoint, shm::CellKind::put_done, &done, sizeof done);
  if ((put.flags & shm::kNotify) == 0) return false;
  out = event_of(CompletionKind::notification, endpoint.id, MPI_SUCCESS, 0, put.notification);
  return true;
}

void ShmDevice::on_put_done(Endpoint& endpoint, const shm::Cell& cell) {
  const auto done = payload_of<shm::PutDone>(cell);
  Job* job = find_job(done.job, endpoint.id);
  if (job == nullptr || job->kind != OpKind::put) return;
  if (done.status != MPI_SUCCESS) {
    endpoint.words = fmt::format("process {:#x} refused a put of {} bytes to {:#x}",
                                 rank_of_name(endpoint.peer), job->total, job->remote.address);
  }
  finish(*job, done.status);
}

void ShmDevice::on_get_request(Endpoint& endpoint, const shm::Cell& cell) {
  const auto request = payload_of<shm::GetRequest>(cell);
  if (!allowed(request.key, request.address, request.length, Access::remote_read)) {
    violation(endpoint, "a get", request.address, request.length);
    shm::GetData refusal;
    refusal.area.end = 0;
    refusal.job = request.job;
    refusal.flags = shm::kLast;
    refusal.status = MPI_ERR_RMA_RANGE;
    send_cell(endpoint, shm::CellKind::get_data, &refusal, sizeof refusal);
    return;
  }
  replies_.push_back({endpoint.id, request.job, reinterpret_cast<const std::byte*>(request.address),
                      request.length});
  attention_ |= kWork;
  progress_replies();
}

void ShmDevice::on_get_data(Endpoint& endpoint, const shm::Cell& cell) {
  const auto got = payload_of<shm::GetData>(cell);
  Job* job = find_job(got.job, endpoint.id);
  if (job != nullptr && job->kind != OpKind::get) job = nullptr;
  if (got.status != MPI_SUCCESS) {
    if (job == nullptr) return;
    endpoint.words = fmt::format("process {:#x} refused a get of {} bytes from {:#x}",
                                 rank_of_name(endpoint.peer), job->total, job->remote.address);
    finish(*job, got.status);
    return;
  }
  std::byte* data = area_bytes(endpoint, got.area);
  if (data == nullptr || job == nullptr) return;
  for (std::size_t left = got.area.length; left != 0;) {
    const std::span<std::byte> part = job->next_piece(left);
    if (part.empty()) return bad_cell(endpoint, "more bytes than were asked for");
    copy_out(part.data(), data, part.size());
    data += part.size();
    left -= part.size();
    job->move(part.size());
  }
  if ((got.flags & shm::kLast) == 0) return;
  finish(*job, job->done == job->total ? MPI_SUCCESS : MPI_ERR_OTHER);
}

bool ShmDevice::on_atomic_request(Endpoint& endpoint, const shm::Cell& cell, Completion& out) {
  const auto request = payload_of<shm::AtomicRequest>(cell);
  shm::AtomicReply reply{request.job, 0, MPI_SUCCESS};
  const bool valid =
      request.address % sizeof(std::uint64_t) == 0 &&
      request.kind <= static_cast<std::uint8_t>(AtomicKind::swap) &&
      allowed(request.key, request.address, sizeof(std::uint64_t), Access::remote_atomic);
  if (!valid) {
    violation(endpoint, "an atomic", request.address, sizeof(std::uint64_t));
    reply.status = MPI_ERR_RMA_RANGE;
    send_cell(endpoint, shm::CellKind::atomic_reply, &reply, sizeof reply);
    return false;
  }
  std::atomic_ref<std::uint64_t> word(*reinterpret_cast<std::uint64_t*>(request.address));
  switch (static_cast<AtomicKind>(request.kind)) {
    case AtomicKind::fetch_add:
      reply.old_value = word.fetch_add(request.operand);
      break;
    case AtomicKind::compare_swap:
      reply.old_value = request.compare;
      word.compare_exchange_strong(reply.old_value, request.operand);
      break;
    case AtomicKind::swap:
      reply.old_value = word.exchange(request.operand);
      break;
  }
  send_cell(endpoint, shm::CellKind::atomic_reply, &reply, sizeof reply);
  if ((request.flags & shm::kNotify) == 0) return false;
  out = event_of(CompletionKind::notification, endpoint.id, MPI_SUCCESS, 0, request.notification);
  return true;
}

void ShmDevice::on_atomic_reply(Endpoint& endpoint, const shm::Cell& cell) {
  const auto reply = payload_of<shm::AtomicReply>(cell);
  Job* job = find_job(reply.job, endpoint.id);
  if (job == nullptr || job->kind != OpKind::atomic) return;
  if (reply.status != MPI_SUCCESS) {
    endpoint.words = fmt::format("process {:#x} refused an atomic at {:#x}",
                                 rank_of_name(endpoint.peer), job->remote.address);
  } else if (!job->pieces.empty() && job->pieces[0].length >= sizeof reply.old_value) {
    std::memcpy(job->pieces[0].address, &reply.old_value, sizeof reply.old_value);
  }
  finish(*job, reply.status);
}

void ShmDevice::on_assist(Endpoint& endpoint, const shm::Cell& cell) {
  const auto request = payload_of<shm::AssistRequest>(cell);
  if (!endpoint.cma) return;
  const Access needed = request.is_put != 0 ? Access::remote_write : Access::remote_read;
  if (request.slot >= shm::kAssists || request.chunk < 4096 ||
      !allowed(request.key, request.target_address, request.length, needed)) {
    return violation(endpoint, "a shared transfer", request.target_address, request.length);
  }
  helping_.push_back({endpoint.id, request});
  attention_ |= kWork;
}

}  // namespace remit
