// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/copies/transfers.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>

#include "rdma_btl/change_word.hpp"
#include "rdma_btl/shm/copies/assist.hpp"
#include "rdma_btl/shm/copies/peer_copier.hpp"
#include "rdma_btl/shm/peers/peer_health.hpp"
#include "rdma_btl/shm/peers/peer_heaps.hpp"
#include "rdma_btl/shm/peers/region_table.hpp"
#include "rdma_btl/shm/rings/receiver.hpp"
#include "rdma_btl/shm/rings/sender.hpp"
#include "runtime/copy.hpp"

namespace remit::shm {

namespace {

constexpr std::uint32_t kMaxJobs = 64;  ///< transfers under way to one peer

/// Transfers of so many bytes wait for the next poll, which may have others to copy with them.
constexpr std::size_t kBatchFrom = 16 * 1024;

/// Of several transfers under way each side copies a half, from so many bytes on. Shorter ones are
/// in the first cache as a whole, and one side copies a batch of them nearly as fast as both.
constexpr std::size_t kStreamFrom = 32 * 1024;

/// Transfers at most that both sides share before one of them is waited for. The target may then
/// be late by so many: neither takes the other's halves, which are in the other's cache.
constexpr int kMaxShared = 8;

/// The first phase of a put or get that cannot be copied directly.
Phase streaming_phase(const Job& job) {
  return job.kind == OpKind::put ? Phase::streaming : Phase::requesting;
}

Access needed_access(OpKind kind) {
  if (kind == OpKind::put) return Access::remote_write;
  return kind == OpKind::get ? Access::remote_read : Access::remote_atomic;
}

/// Of an atomic, if it is wanted.
void take_old_value(const Job& job, std::uint64_t value) {
  if (job.pieces.empty() || job.pieces[0].length < sizeof value) return;
  std::memcpy(job.pieces[0].address, &value, sizeof value);
}

}  // namespace

Transfers::Transfers(const ShmConfig& config, const PeerTable& peers, Agenda& agenda,
                     Sender& sender, Receiver& receiver, PeerCopier& copier, PeerHeaps& heaps,
                     PeerHealth& health, ShmCounters& counters)
    : choice_(config, copier.kernel()),
      config_(config),
      peers_(peers),
      agenda_(agenda),
      sender_(sender),
      receiver_(receiver),
      copier_(copier),
      heaps_(heaps),
      health_(health),
      counters_(counters) {}

// --- beginning and ending ----------------------------------------------------------------------

bool Transfers::start(Endpoint& endpoint, const Operation& operation) {
  if (operation.kind == OpKind::confirm) {
    assert(operation.cookie != kNoCompletion);
    endpoint.confirms.confirm(operation.cookie);
    settle_confirms(endpoint);
    return true;
  }
  if (endpoint.jobs >= kMaxJobs) return false;
  Job& job = jobs_.add(endpoint.id, operation);
  ++endpoint.jobs;
  if (job.kind != OpKind::get) {
    ++pending_puts_;
    job.group = endpoint.confirms.begin();
  }
  if (endpoint.attached) begin(job);
  return true;
}

void Transfers::begin_waiting(Endpoint& endpoint) {
  for (std::uint32_t index = 0; index != jobs_.size(); ++index) {
    Job& job = jobs_[index];
    if (job.phase == Phase::connecting && job.endpoint == endpoint.id) begin(job);
  }
  sender_.wake(endpoint);
}

/// Chooses how, now that the peer is known, and takes the first step.
void Transfers::begin(Job& job) {
  Endpoint& endpoint = peers_[job.endpoint];
  const Access needed = needed_access(job.kind);
  const std::size_t length = job.kind == OpKind::atomic ? sizeof(std::uint64_t) : job.total;
  const bool aligned = job.kind != OpKind::atomic || job.remote.address % length == 0;
  if (!aligned || (length != 0 && !published(*endpoint.home, job.remote, length, needed))) {
    endpoint.words =
        fmt::format("{} bytes at {:#x} of process {:#x} are not in the region of key {:#x}", length,
                    job.remote.address, rank_of_name(endpoint.peer), job.remote.key);
    finish(job, MPI_ERR_RMA_RANGE);
    return;
  }
  if (job.kind == OpKind::atomic) {
    std::byte* const word =
        checked_here(job.remote) ? heaps_.mapped(endpoint, job.remote.address, length) : nullptr;
    job.phase = word != nullptr ? Phase::notifying : Phase::requesting;
    if (word != nullptr) change_in_place(job, word);
  } else if (endpoint.cma || heaps_.mapped(endpoint, job.remote.address, length) != nullptr) {
    job.phase = Phase::queued;
    active_.push_back(job.index);
    agenda_.add(Agenda::kWork);
    // A longer one waits for the next poll: there may be others to be copied with it.
    if (active_.size() == 1 && job.total < kBatchFrom) progress();
    return;
  } else {
    job.phase = streaming_phase(job);
  }
  Batch none;
  if (advance(job, none) == Step::blocked) {
    active_.push_back(job.index);
    agenda_.add(Agenda::kWork);
  }
}

void Transfers::change_in_place(Job& job, std::byte* word) {
  ++counters_.atomics_in_place;
  take_old_value(job, change_word(word, job.atomic, job.operand, job.compare));
}

void Transfers::finish(Job& job, int status) {
  Endpoint& endpoint = peers_[job.endpoint];
  if (job.phase == Phase::sharing || job.phase == Phase::joining) {
    release_assist(job, endpoint);
    assist_of(job, endpoint)
        .claims.store((job.claim_generation + 1U) & 0xffffU, std::memory_order_release);
  }
  if (status == MPI_SUCCESS) choice_.record(job);
  std::erase(active_, job.index);
  if (job.cookie != kNoCompletion) {
    agenda_.post(event_of(CompletionKind::local, job.endpoint, status, job.cookie));
  } else if (status != MPI_SUCCESS && config_.log != nullptr) {
    config_.log->write(LogLevel::warning, "shared memory: {}", endpoint.words);
  }
  const bool changes = job.kind != OpKind::get;
  const ConfirmQueue::Group group = job.group;
  --endpoint.jobs;
  jobs_.remove(job);
  if (!changes) return;
  --pending_puts_;
  endpoint.confirms.end(group);
  settle_confirms(endpoint);
}

/// What a put or atomic does is visible once its job is over: this side has done it, or the target
/// has said so.
void Transfers::settle_confirms(Endpoint& endpoint) {
  const int status = endpoint.failed ? MPI_ERR_PROC_ABORTED : MPI_SUCCESS;
  while (const std::optional<std::uint64_t> cookie = endpoint.confirms.next_due()) {
    agenda_.post(event_of(CompletionKind::local, endpoint.id, status, *cookie));
  }
}

void Transfers::fail(Endpoint& endpoint, int status) {
  for (std::uint32_t index = 0; index != jobs_.size(); ++index) {
    Job& job = jobs_[index];
    if (job.phase != Phase::unused && job.endpoint == endpoint.id) finish(job, status);
  }
}

bool Transfers::any_to_copy() const {
  return std::any_of(active_.begin(), active_.end(), [&](std::uint32_t index) {
    const Phase phase = jobs_[index].phase;
    return phase == Phase::queued || phase == Phase::copying || phase == Phase::sharing;
  });
}

// --- steps -------------------------------------------------------------------------------------

/// First what is certainly this side's to copy; what the target
/// could copy as well only when there is nothing else.
void Transfers::progress() {
  Batch batch;
  visit_active(batch);
  if (batch.count == 0 && !active_.empty()) {
    batch.patient = false;
    visit_active(batch);
  }
  if (batch.count != 0) copy(batch);
}

/// The oldest first, until the batch takes no more.
void Transfers::visit_active(Batch& batch) {
  for (std::size_t i = 0; i < active_.size() && !batch.closed;) {
    const std::uint32_t index = active_[i];
    const Step step = advance(jobs_[index], batch);
    if (step == Step::waiting) std::erase(active_, index);  // a finished one has been erased
    if (step == Step::gathered || step == Step::blocked) ++i;
  }
}

/// How a transfer that may go directly begins.
Phase Transfers::direct_phase(Job& job, Endpoint& endpoint) {
  const bool stream = endpoint.jobs > 1;
  choice_.choose(job, !stream && heaps_.mapped(endpoint, job.remote.address, job.total) == nullptr);
  if (job.method == CopyMethod::ring) return streaming_phase(job);
  const bool shared = job.method == CopyMethod::together || (stream && job.total >= kStreamFrom);
  if (shared && offer_assist(job, endpoint)) return Phase::sharing;
  job.method = CopyMethod::alone;
  return Phase::copying;
}

Step Transfers::advance(Job& job, Batch& batch) {
  Endpoint& endpoint = peers_[job.endpoint];
  switch (job.phase) {
    case Phase::queued:
      if (batch.patient && std::popcount(endpoint.assists_used) >= kMaxShared) return Step::blocked;
      if (endpoint.cma) {
        job.phase = direct_phase(job, endpoint);
      } else {
        const bool direct = heaps_.mapped(endpoint, job.remote.address, job.total) != nullptr;
        job.phase = direct ? Phase::copying : streaming_phase(job);
      }
      return advance(job, batch);
    case Phase::copying:
      return gather_rest(job, endpoint, batch);
    case Phase::sharing:
      return gather_chunk(job, endpoint, batch);
    case Phase::joining:
      return join_step(job, endpoint);
    case Phase::streaming:
      return stream_step(job, endpoint);
    case Phase::requesting:
      return request_step(job, endpoint);
    case Phase::notifying:
      return copied(job);
    case Phase::unused:
    case Phase::connecting:
    case Phase::waiting:
      break;
  }
  return Step::waiting;
}

/// The next bytes of a transfer that this side copies alone; of one among several, all of them.
Step Transfers::gather_rest(Job& job, Endpoint& endpoint, Batch& batch) {
  const std::size_t left = job.total - job.done;
  if (left == 0) return copied(job);
  if (!batch.takes(job, endpoint, left)) return Step::blocked;
  const std::uint64_t address = job.remote.address + job.done;
  const bool visible = heaps_.mapped(endpoint, address, left) != nullptr;
  if (visible && batch.count != 0) return Step::blocked;

  const std::size_t piece = job.piece;
  const std::size_t offset = job.piece_offset;
  const std::size_t done = job.done;
  std::size_t bytes = 0;
  while (batch.pieces != Batch::kMaxPieces && bytes < config_.cma_piece) {
    const std::span<std::byte> part = job.next_piece(config_.cma_piece - bytes);
    if (part.empty()) break;
    batch.local[batch.pieces++] = {part.data(), part.size()};
    bytes += part.size();
    job.move(part.size());
  }
  job.piece = piece;  // until they are copied
  job.piece_offset = offset;
  job.done = done;
  batch.closed = visible || bytes != left;
  batch.add(job, endpoint, address, bytes);
  return Step::gathered;
}

/// Copies. Of transfers behind one that stops it, nobody knows whether they could be copied: they
/// come again, with it as the first.
void Transfers::copy(Batch& batch) {
  Endpoint& endpoint = *batch.endpoint;
  ssize_t moved = -1;
  do {
    moved = copier_.copy(endpoint, batch.to_peer, std::span(batch.local).first(batch.pieces),
                         std::span(batch.remote).first(batch.count));
  } while (moved < 0 && errno == EINTR);
  const int error = moved < 0 ? errno : EFAULT;
  std::size_t left = moved < 0 ? 0 : static_cast<std::size_t>(moved);
  for (std::size_t i = 0; i != batch.count; ++i) {
    const Batch::Part& part = batch.parts[i];
    Job& job = *part.job;
    if (job.generation != part.generation) continue;  // its peer has failed
    const std::size_t bytes = std::min(left, part.bytes);
    left -= bytes;
    if (job.phase == Phase::sharing) {
      if (bytes != part.bytes && error == ESRCH) return copy_failed(job, endpoint, error);
      if (bytes != part.bytes) {
        give_up_assist(job, endpoint);
        job.phase = Phase::joining;
      }
      continue;
    }
    job.move(bytes);
    if (job.done == job.total) {
      (void)copied(job);  // or its notification finds no room yet, and it stays active
    } else if (i == 0 && bytes == 0) {
      copy_failed(job, endpoint, error);
    }
  }
}

void Transfers::copy_failed(Job& job, Endpoint& endpoint, int error) {
  if (error == ESRCH) {
    if (endpoint.failed) return finish(job, MPI_ERR_PROC_ABORTED);
    return health_.fail_exited(endpoint);
  }
  if ((error == EPERM || error == ENOSYS) && config_.copy == ShmCopy::automatic) {
    // Allowed before, forbidden now (a seccomp filter, another user): through the ring.
    endpoint.cma = false;
    job.phase = streaming_phase(job);
    return;
  }
  endpoint.words = fmt::format(
      "copying {} bytes {} address {:#x} of process {:#x} (pid {}) stopped after {}: {}", job.total,
      job.kind == OpKind::put ? "to" : "from", job.remote.address, rank_of_name(endpoint.peer),
      endpoint.pid, job.done, std::strerror(error));
  finish(job, MPI_ERR_OTHER);
}

/// The peer's memory is as it was to be: notify the target, then complete.
Step Transfers::copied(Job& job) {
  Endpoint& endpoint = peers_[job.endpoint];
  if (job.notify && job.kind != OpKind::get) {
    job.phase = Phase::notifying;
    if (!endpoint.tx.push(CellKind::notification, job.notification)) return Step::blocked;
    sender_.wake(endpoint);
  }
  finish(job, MPI_SUCCESS);
  return Step::finished;
}

/// A put through the data area. The answer to the last piece completes it.
Step Transfers::stream_step(Job& job, Endpoint& endpoint) {
  const std::size_t most = std::min(config_.area_bytes / 8, kStreamChunk);
  while (endpoint.tx.has_room()) {
    PutData cell;
    const std::size_t bytes = std::min(most, job.total - job.done);
    std::byte* to = endpoint.tx.reserve(bytes, cell.area);
    if (to == nullptr) break;
    cell.job = JobTable::name_of(job);
    cell.address = job.remote.address + job.done;
    cell.key = job.remote.key;
    for (std::size_t left = bytes; left != 0;) {
      const std::span<std::byte> part = job.next_piece(left);
      copy_bytes(to, part.data(), part.size());
      to += part.size();
      left -= part.size();
      job.move(part.size());
    }
    const bool last = job.done == job.total;
    if (last) cell.flags = kLast | (job.notify ? kNotify : 0);
    cell.notification = job.notification;
    std::memcpy(endpoint.tx.next().payload, &cell, sizeof cell);
    endpoint.tx.publish(CellKind::put_data, sizeof cell);
    sender_.wake(endpoint);
    if (last) {
      job.phase = Phase::waiting;
      return Step::waiting;
    }
  }
  return Step::blocked;
}

Step Transfers::request_step(Job& job, Endpoint& endpoint) {
  bool pushed = false;
  if (job.kind == OpKind::get) {
    const GetRequest request{JobTable::name_of(job), job.remote.address + job.done, job.remote.key,
                             job.total - job.done};
    pushed = endpoint.tx.push(CellKind::get_request, request);
  } else {
    AtomicRequest request;
    request.job = JobTable::name_of(job);
    request.address = job.remote.address;
    request.key = job.remote.key;
    request.operand = job.operand;
    request.compare = job.compare;
    request.notification = job.notification;
    request.kind = static_cast<std::uint8_t>(job.atomic);
    request.flags = job.notify ? kNotify : 0;
    pushed = endpoint.tx.push(CellKind::atomic_request, request);
  }
  if (!pushed) return Step::blocked;
  sender_.wake(endpoint);
  job.phase = Phase::waiting;
  return Step::waiting;
}

// --- both sides at once ------------------------------------------------------------------------

/// The next chunk from the front; with patience, only of the first half.
Step Transfers::gather_chunk(Job& job, Endpoint& endpoint, Batch& batch) {
  if (!batch.takes(job, endpoint, job.chunk)) return Step::blocked;
  if (batch.patient && leaves_rest_to_target(job, endpoint)) return Step::blocked;
  const auto number =
      claim_chunk(assist_of(job, endpoint), job.claim_generation, job.chunks, AssistEnd::front);
  if (!number) {
    job.phase = Phase::joining;
    return join_step(job, endpoint);
  }
  const std::size_t at = std::size_t{*number} * job.chunk;
  const std::size_t bytes = std::min<std::size_t>(job.total - at, job.chunk);
  batch.local[batch.pieces++] = {static_cast<std::byte*>(job.pieces[0].address) + at, bytes};
  batch.closed = !batch.patient;  // the target may come yet
  batch.add(job, endpoint, job.remote.address + at, bytes);
  return Step::gathered;
}

/// All chunks are taken. Waits for the target's; copies everything again if one failed.
Step Transfers::join_step(Job& job, Endpoint& endpoint) {
  if (!target_is_done(job, endpoint)) return Step::blocked;
  release_assist(job, endpoint);
  job.phase = Phase::copying;
  if (assist_failed(job, endpoint)) return Step::blocked;
  job.done = job.total;
  return copied(job);
}

// --- answers -----------------------------------------------------------------------------------

void Transfers::on_put_done(Endpoint& endpoint, const PutDone& done) {
  Job* job = jobs_.find(done.job, endpoint.id);
  if (job == nullptr || job->kind != OpKind::put) return;
  if (done.status != MPI_SUCCESS) {
    endpoint.words = fmt::format("process {:#x} refused a put of {} bytes to {:#x}",
                                 rank_of_name(endpoint.peer), job->total, job->remote.address);
  }
  finish(*job, done.status);
}

void Transfers::on_get_data(Endpoint& endpoint, const GetData& got) {
  Job* job = jobs_.find(got.job, endpoint.id);
  if (job != nullptr && job->kind != OpKind::get) job = nullptr;
  if (got.status != MPI_SUCCESS) {
    if (job == nullptr) return;
    endpoint.words = fmt::format("process {:#x} refused a get of {} bytes from {:#x}",
                                 rank_of_name(endpoint.peer), job->total, job->remote.address);
    finish(*job, got.status);
    return;
  }
  std::byte* data = receiver_.area_bytes(endpoint, got.area);
  if (data == nullptr || job == nullptr) return;
  for (std::size_t left = got.area.length; left != 0;) {
    const std::span<std::byte> part = job->next_piece(left);
    if (part.empty()) return health_.violated(endpoint, "more bytes than were asked for");
    receiver_.copy_out(part.data(), data, part.size());
    data += part.size();
    left -= part.size();
    job->move(part.size());
  }
  if ((got.flags & kLast) == 0) return;
  finish(*job, job->done == job->total ? MPI_SUCCESS : MPI_ERR_OTHER);
}

void Transfers::on_atomic_reply(Endpoint& endpoint, const AtomicReply& reply) {
  Job* job = jobs_.find(reply.job, endpoint.id);
  if (job == nullptr || job->kind != OpKind::atomic) return;
  if (reply.status != MPI_SUCCESS) {
    endpoint.words = fmt::format("process {:#x} refused an atomic at {:#x}",
                                 rank_of_name(endpoint.peer), job->remote.address);
  } else {
    take_old_value(*job, reply.old_value);
  }
  finish(*job, reply.status);
}

}  // namespace remit::shm
