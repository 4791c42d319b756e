// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared-memory device's puts, gets and atomics, at their initiator: directly through the
// kernel, by both sides at once, or through the ring.
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "rdma_btl/shm/endpoint.hpp"
#include "rdma_btl/shm/shm_device.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

constexpr std::uint32_t kMaxJobs = 64;  ///< transfers under way to one peer
constexpr std::size_t kMaxPieces = 64;  ///< local pieces of one system call
constexpr std::size_t kMaxParts = 8;    ///< transfers of which one system call copies
constexpr std::size_t kPage = 4096;

/// A system call for several transfers saves what it costs to enter the kernel and to find the
/// peer: 0.3 us each, as much as copying 10 KB. Bytes, so that messages need not wait for long.
constexpr std::size_t kBatchBytes = 128 * 1024;

/// Transfers of so many bytes wait for the next poll, which may have others to copy with them.
constexpr std::size_t kBatchFrom = 16 * 1024;

/// Of several transfers under way each side copies a half, from so many bytes on. Shorter ones are
/// in the first cache as a whole, and one side copies a batch of them nearly as fast as both.
constexpr std::size_t kStreamFrom = 32 * 1024;

/// Chunks of a shared transfer: two if it is not long.
constexpr std::size_t kMaxChunk = 256 * 1024;

/// Transfers at most that both sides share before one of them is waited for. The target may then
/// be late by so many: neither takes the other's halves, which are in the other's cache.
constexpr int kMaxShared = 8;

/// Whether the peer's published table has this region; those beyond the table pass.
bool published(const shm::Home& home, const RemoteAddress& remote, std::size_t length,
               Access needed) {
  const auto index = static_cast<std::uint32_t>(remote.key);
  if (index >= shm::kSharedRegions) return true;
  const shm::RegionEntry& entry = home.regions[index];
  const std::uint64_t stamp = entry.stamp.load(std::memory_order_acquire);
  const std::uint64_t address = entry.address.load(std::memory_order_acquire);
  const std::uint64_t bytes = entry.length.load(std::memory_order_acquire);
  return stamp >> 8 == remote.key >> 32 && stamp >> 8 != 0 &&
         (stamp & static_cast<std::uint64_t>(needed)) != 0 && remote.address >= address &&
         remote.address - address <= bytes && length <= bytes - (remote.address - address) &&
         entry.stamp.load(std::memory_order_acquire) == stamp;
}

}  // namespace

/// What one system call copies between this process and one peer: of each transfer some bytes that
/// are in one piece there.
struct ShmDevice::Batch {
  struct Part {
    Job* job;
    std::uint32_t generation;
    std::size_t bytes;
  };

  Endpoint* endpoint = nullptr;
  bool to_peer = false;
  bool patient = true;  ///< nothing that the target may still take
  bool closed = false;  ///< takes no more
  std::size_t bytes = 0;
  std::size_t pieces = 0;
  std::size_t count = 0;
  std::array<iovec, kMaxPieces> local;
  std::array<iovec, kMaxParts> remote;
  std::array<Part, kMaxParts> parts;

  /// Whether bytes of this transfer may come to those that are here.
  [[nodiscard]] bool takes(const Job& job, const Endpoint& of, std::size_t more) const {
    if (count == 0) return true;
    return !closed && endpoint == &of && to_peer == (job.kind == OpKind::put) &&
           bytes + more <= kBatchBytes && pieces + job.pieces.size() <= kMaxPieces;
  }
  /// The local pieces are in already.
  void add(Job& job, Endpoint& of, std::uint64_t address, std::size_t more) {
    endpoint = &of;
    to_peer = job.kind == OpKind::put;
    parts[count] = {&job, job.generation, more};
    remote[count++] = {reinterpret_cast<void*>(address), more};
    bytes += more;
    closed = closed || count == kMaxParts || bytes >= kBatchBytes;
  }
};

// --- beginning and ending ----------------------------------------------------------------------

bool ShmDevice::start(Endpoint& endpoint, const Operation& operation) {
  if (endpoint.jobs >= kMaxJobs) return false;
  if (free_jobs_.empty()) {
    free_jobs_.push_back(static_cast<std::uint32_t>(jobs_.size()));
    jobs_.push_back(std::make_unique<Job>());
    jobs_.back()->index = free_jobs_.back();
  }
  Job& job = *jobs_[free_jobs_.back()];
  free_jobs_.pop_back();
  job.kind = operation.kind;
  job.phase = Phase::connecting;
  job.atomic = operation.atomic;
  job.notify = operation.notify;
  job.notification = operation.notification;
  job.endpoint = endpoint.id;
  job.cookie = operation.cookie;
  job.remote = operation.remote;
  job.operand = operation.operand;
  job.compare = operation.compare;
  job.begun_ns = 0;
  job.total = job.done = job.piece = job.piece_offset = 0;
  job.pieces.assign(operation.local.begin(), operation.local.end());
  for (const Piece& piece : job.pieces) job.total += piece.length;
  ++endpoint.jobs;
  if (job.kind != OpKind::get) ++pending_puts_;
  if (endpoint.attached) begin(job.index);
  return true;
}

/// The peer's HELLO came: what waited for it goes on.
void ShmDevice::begin_waiting(Endpoint& endpoint) {
  for (std::uint32_t index = 0; index != jobs_.size(); ++index) {
    const Job& job = *jobs_[index];
    if (job.phase == Phase::connecting && job.endpoint == endpoint.id) begin(index);
  }
  wake(endpoint);
}

/// Chooses how, now that the peer is known, and takes the first step.
void ShmDevice::begin(std::uint32_t index) {
  Job& job = *jobs_[index];
  Endpoint& endpoint = *endpoints_[job.endpoint];
  const Access needed = job.kind == OpKind::put   ? Access::remote_write
                        : job.kind == OpKind::get ? Access::remote_read
                                                  : Access::remote_atomic;
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
    job.phase = Phase::requesting;
  } else if (endpoint.cma || mapped(endpoint, job.remote.address, length) != nullptr) {
    job.phase = Phase::queued;
    active_.push_back(index);
    attention_ |= kWork;
    // A longer one waits for the next poll: there may be others to be copied with it.
    if (active_.size() == 1 && job.total < kBatchFrom) progress_transfers();
    return;
  } else {
    job.phase = streaming_phase(job);
  }
  Batch none;
  if (advance(job, none) == Step::blocked) {
    active_.push_back(index);
    attention_ |= kWork;
  }
}

void ShmDevice::finish(Job& job, int status) {
  Endpoint& endpoint = *endpoints_[job.endpoint];
  if (job.phase == Phase::sharing || job.phase == Phase::joining) {
    endpoint.assists_used &= static_cast<std::uint16_t>(~(1U << job.slot));
    shm::Assist& assist = endpoint.tx.control().assists[job.slot];
    assist.claims.store((job.claim_generation + 1U) & 0xffffU, std::memory_order_release);
  }
  if (job.begun_ns != 0 && status == MPI_SUCCESS) {
    copies_measured_ |=
        copies_.record({job.total, trapped(job)}, job.method, shm::now_ns() - job.begun_ns);
  }
  std::erase(active_, job.index);
  if (job.cookie != kNoCompletion) {
    ready_.push_back(event_of(CompletionKind::local, job.endpoint, status, job.cookie));
    attention_ |= kWork;
  } else if (status != MPI_SUCCESS && config_.log != nullptr) {
    config_.log->write(LogLevel::warning, "shared memory: {}", endpoint.words);
  }
  if (job.kind != OpKind::get) --pending_puts_;
  --endpoint.jobs;
  job.phase = Phase::unused;
  ++job.generation;
  free_jobs_.push_back(job.index);
}

shm::JobName ShmDevice::job_name(const Job& job) const {
  return std::uint64_t{job.generation} << 32 | job.index;
}

/// Null for what is over already: an answer that comes late.
ShmDevice::Job* ShmDevice::find_job(shm::JobName name, EndpointId endpoint) {
  const auto index = static_cast<std::uint32_t>(name);
  if (index >= jobs_.size()) return nullptr;
  Job& job = *jobs_[index];
  return job.phase != Phase::unused && job.generation == name >> 32 && job.endpoint == endpoint
             ? &job
             : nullptr;
}

// --- steps -------------------------------------------------------------------------------------

/// Each job once, and one system call. First what is certainly this side's to copy; what the target
/// could copy as well only when there is nothing else.
void ShmDevice::progress_transfers() {
  Batch batch;
  visit_active(batch);
  if (batch.count == 0 && !active_.empty()) {
    batch.patient = false;
    visit_active(batch);
  }
  if (batch.count != 0) copy(batch);
}

/// The oldest first, until the batch takes no more.
void ShmDevice::visit_active(Batch& batch) {
  for (std::size_t i = 0; i < active_.size() && !batch.closed;) {
    const std::uint32_t index = active_[i];
    const Step step = advance(*jobs_[index], batch);
    if (step == Step::waiting) std::erase(active_, index);  // a finished one has been erased
    if (step == Step::gathered || step == Step::blocked) ++i;
  }
}

/// The first phase of a put or get that cannot be copied directly.
ShmDevice::Phase ShmDevice::streaming_phase(const Job& job) {
  return job.kind == OpKind::put ? Phase::streaming : Phase::requesting;
}

/// Whether the kernel cannot copy it without a detour, nor the target.
bool ShmDevice::trapped(const Job& job) const {
  if (job.pieces.empty() || !kernel_copy_.takes_detours()) return false;
  const auto local = reinterpret_cast<std::uintptr_t>(job.pieces[0].address);
  return job.kind == OpKind::put ? in_copy_trap(job.remote.address, local)
                                 : in_copy_trap(local, job.remote.address);
}

/// How a transfer that may go directly begins.
ShmDevice::Phase ShmDevice::direct_phase(Job& job, Endpoint& endpoint) {
  if (!copies_loaded_ && !config_.copy_table.empty() && job.total >= shm::CopyTable::kSmallest) {
    shm::load_copy_table(config_.copy_table, copies_);
    copies_loaded_ = true;
  }
  const bool stream = endpoint.jobs > 1;
  const bool measurable = config_.measure_copies && copies_loaded_ && !stream &&
                          job.pieces.size() == 1 && job.total >= shm::CopyTable::kSmallest &&
                          mapped(endpoint, job.remote.address, job.total) == nullptr;
  const shm::Transfer transfer{job.total, trapped(job)};
  const auto [method, timed] =
      measurable ? copies_.next(transfer) : shm::CopyTable::Choice{copies_.best(transfer), false};
  job.method = method;
  if (timed) job.begun_ns = shm::now_ns();
  if (job.method == shm::CopyMethod::ring) return streaming_phase(job);
  const bool shared =
      job.method == shm::CopyMethod::together || (stream && job.total >= kStreamFrom);
  if (shared && offer_assist(job, endpoint)) return Phase::sharing;
  job.method = shm::CopyMethod::alone;
  return Phase::copying;
}

ShmDevice::Step ShmDevice::advance(Job& job, Batch& batch) {
  Endpoint& endpoint = *endpoints_[job.endpoint];
  switch (job.phase) {
    case Phase::queued:
      if (batch.patient && std::popcount(endpoint.assists_used) >= kMaxShared) return Step::blocked;
      if (endpoint.cma) {
        job.phase = direct_phase(job, endpoint);
      } else {
        const bool direct = mapped(endpoint, job.remote.address, job.total) != nullptr;
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
ShmDevice::Step ShmDevice::gather_rest(Job& job, Endpoint& endpoint, Batch& batch) {
  const std::size_t left = job.total - job.done;
  if (left == 0) return copied(job);
  if (!batch.takes(job, endpoint, left)) return Step::blocked;
  const std::uint64_t address = job.remote.address + job.done;
  const bool visible = mapped(endpoint, address, left) != nullptr;
  if (visible && batch.count != 0) return Step::blocked;

  const std::size_t piece = job.piece;
  const std::size_t offset = job.piece_offset;
  const std::size_t done = job.done;
  std::size_t bytes = 0;
  while (batch.pieces != kMaxPieces && bytes < config_.cma_piece) {
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
void ShmDevice::copy(Batch& batch) {
  Endpoint& endpoint = *batch.endpoint;
  ssize_t moved = -1;
  do {
    moved = copy_across(endpoint, batch.to_peer, std::span(batch.local).first(batch.pieces),
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
      if (bytes != part.bytes && error == ESRCH) return copy_error(job, endpoint, error);
      if (bytes != part.bytes) give_up_sharing(job, endpoint);
      continue;
    }
    job.move(bytes);
    if (job.done == job.total) {
      (void)copied(job);  // or its notification finds no room yet, and it stays active
    } else if (i == 0 && bytes == 0) {
      copy_error(job, endpoint, error);
    }
  }
}

void ShmDevice::copy_error(Job& job, Endpoint& endpoint, int error) {
  if (error == ESRCH) {
    return fail_endpoint(endpoint, MPI_ERR_PROC_ABORTED, exit_words(endpoint));
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

/// The bytes are there: notify the target, then complete.
ShmDevice::Step ShmDevice::copied(Job& job) {
  Endpoint& endpoint = *endpoints_[job.endpoint];
  if (job.kind == OpKind::put && job.notify) {
    job.phase = Phase::notifying;
    if (!endpoint.tx.push(shm::CellKind::notification, job.notification)) return Step::blocked;
    wake(endpoint);
  }
  finish(job, MPI_SUCCESS);
  return Step::finished;
}

/// A put through the data area. The answer to the last piece completes it.
ShmDevice::Step ShmDevice::stream_step(Job& job, Endpoint& endpoint) {
  const std::size_t most = std::min(config_.area_bytes / 8, kStreamChunk);
  while (endpoint.tx.has_room()) {
    shm::PutData cell;
    const std::size_t bytes = std::min(most, job.total - job.done);
    std::byte* to = endpoint.tx.reserve(bytes, cell.area);
    if (to == nullptr) break;
    cell.job = job_name(job);
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
    if (last) cell.flags = shm::kLast | (job.notify ? shm::kNotify : 0);
    cell.notification = job.notification;
    std::memcpy(endpoint.tx.next().payload, &cell, sizeof cell);
    endpoint.tx.publish(shm::CellKind::put_data, sizeof cell);
    wake(endpoint);
    if (last) {
      job.phase = Phase::waiting;
      return Step::waiting;
    }
  }
  return Step::blocked;
}

ShmDevice::Step ShmDevice::request_step(Job& job, Endpoint& endpoint) {
  bool pushed = false;
  if (job.kind == OpKind::get) {
    const shm::GetRequest request{job_name(job), job.remote.address + job.done, job.remote.key,
                                  job.total - job.done};
    pushed = endpoint.tx.push(shm::CellKind::get_request, request);
  } else {
    shm::AtomicRequest request;
    request.job = job_name(job);
    request.address = job.remote.address;
    request.key = job.remote.key;
    request.operand = job.operand;
    request.compare = job.compare;
    request.notification = job.notification;
    request.kind = static_cast<std::uint8_t>(job.atomic);
    request.flags = job.notify ? shm::kNotify : 0;
    pushed = endpoint.tx.push(shm::CellKind::atomic_request, request);
  }
  if (!pushed) return Step::blocked;
  wake(endpoint);
  job.phase = Phase::waiting;
  return Step::waiting;
}

// --- both sides at once ------------------------------------------------------------------------

namespace {

constexpr std::uint64_t kFrontOne = std::uint64_t{1} << 16;
constexpr std::uint64_t kBackOne = std::uint64_t{1} << 40;
constexpr std::uint32_t kNoChunk = ~std::uint32_t{0};

std::uint32_t front_of(std::uint64_t claims) {
  return claims >> 16 & 0xffffffU;
}
std::uint32_t back_of(std::uint64_t claims) {
  return static_cast<std::uint32_t>(claims >> 40);
}

/// Takes the next chunk of one end: its number from that end, or kNoChunk. The very first is left
/// to the initiator: of a transfer of two chunks each side copies the same one every time.
std::uint32_t claim(shm::Assist& assist, std::uint16_t generation, std::uint32_t chunks,
                    bool front) {
  std::uint64_t claims = assist.claims.load(std::memory_order_acquire);
  while ((claims & 0xffffU) == generation && front_of(claims) + back_of(claims) < chunks &&
         (front || back_of(claims) + 1 < chunks)) {
    if (assist.claims.compare_exchange_weak(claims, claims + (front ? kFrontOne : kBackOne),
                                            std::memory_order_acq_rel)) {
      return front ? front_of(claims) : back_of(claims);
    }
  }
  return kNoChunk;
}

}  // namespace

/// Asks the target to copy along, if it can. It is not woken for that: a sleeper has no core.
bool ShmDevice::offer_assist(Job& job, Endpoint& endpoint) {
  if (job.pieces.size() != 1 ||
      endpoint.rx->producer.can_copy.load(std::memory_order_relaxed) == 0) {
    return false;
  }
  job.slot = static_cast<std::uint16_t>(std::countr_one(endpoint.assists_used));
  if (job.slot >= shm::kAssists || !endpoint.tx.has_room()) return false;
  endpoint.assists_used |= static_cast<std::uint16_t>(1U << job.slot);
  shm::Assist& assist = endpoint.tx.control().assists[job.slot];
  job.claim_generation = static_cast<std::uint16_t>(assist.claims.load() + 1);
  const std::size_t half = (job.total / 2 + kPage - 1) / kPage * kPage;
  job.chunk = static_cast<std::uint32_t>(std::clamp(half, kPage, kMaxChunk));
  job.chunks = static_cast<std::uint32_t>((job.total + job.chunk - 1) / job.chunk);
  assist.finished.store(0, std::memory_order_relaxed);
  assist.failed.store(0, std::memory_order_relaxed);
  assist.claims.store(job.claim_generation, std::memory_order_release);
  shm::AssistRequest request;
  request.initiator_address = reinterpret_cast<std::uint64_t>(job.pieces[0].address);
  request.target_address = job.remote.address;
  request.length = job.total;
  request.key = job.remote.key;
  request.chunk = job.chunk;
  request.slot = job.slot;
  request.is_put = job.kind == OpKind::put ? 1 : 0;
  request.generation = job.claim_generation;
  return endpoint.tx.push(shm::CellKind::assist, request);
}

/// The next chunk from the front; with patience, only of the first half.
ShmDevice::Step ShmDevice::gather_chunk(Job& job, Endpoint& endpoint, Batch& batch) {
  if (!batch.takes(job, endpoint, job.chunk)) return Step::blocked;
  shm::Assist& assist = endpoint.tx.control().assists[job.slot];
  const std::uint64_t claims = assist.claims.load(std::memory_order_acquire);
  const bool left = front_of(claims) + back_of(claims) < job.chunks;
  if (left && batch.patient && front_of(claims) >= (job.chunks + 1) / 2) return Step::blocked;
  const std::uint32_t number = claim(assist, job.claim_generation, job.chunks, true);
  if (number == kNoChunk) {
    job.phase = Phase::joining;
    return join_step(job, endpoint);
  }
  const std::size_t at = std::size_t{number} * job.chunk;
  const std::size_t bytes = std::min<std::size_t>(job.total - at, job.chunk);
  batch.local[batch.pieces++] = {static_cast<std::byte*>(job.pieces[0].address) + at, bytes};
  batch.closed = !batch.patient;  // the target may come yet
  batch.add(job, endpoint, job.remote.address + at, bytes);
  return Step::gathered;
}

/// A chunk could not be copied. The rest is copied alone, which reports what is wrong; the target
/// finishes first what it took.
void ShmDevice::give_up_sharing(Job& job, Endpoint& endpoint) {
  shm::Assist& assist = endpoint.tx.control().assists[job.slot];
  assist.failed.fetch_or(1U << 31, std::memory_order_relaxed);
  while (claim(assist, job.claim_generation, job.chunks, true) != kNoChunk) {
  }
  job.phase = Phase::joining;
}

/// All chunks are taken. Waits for the target's; copies everything again if one failed.
ShmDevice::Step ShmDevice::join_step(Job& job, Endpoint& endpoint) {
  shm::Assist& assist = endpoint.tx.control().assists[job.slot];
  const std::uint32_t taken = back_of(assist.claims.load(std::memory_order_acquire));
  if (assist.finished.load(std::memory_order_acquire) < taken) return Step::blocked;
  endpoint.assists_used &= static_cast<std::uint16_t>(~(1U << job.slot));
  if (assist.failed.load(std::memory_order_relaxed) != 0) {
    job.phase = Phase::copying;
    return Step::blocked;
  }
  job.done = job.total;
  job.phase = Phase::copying;
  return copied(job);
}

/// The target's part: a chunk of each of the oldest transfers, one system call. The first chunk is
/// the initiator's.
void ShmDevice::progress_helping() {
  std::array<iovec, kMaxParts> local;
  std::array<iovec, kMaxParts> remote;
  std::array<shm::Assist*, kMaxParts> assists;
  std::size_t count = 0;
  std::size_t bytes = 0;
  Helping first = {};
  for (auto next = helping_.begin(); next != helping_.end() && count != kMaxParts;) {
    const shm::AssistRequest& request = next->request;
    const bool fits = next->endpoint == first.endpoint && request.is_put == first.request.is_put &&
                      bytes + request.chunk <= kBatchBytes;
    if (count != 0 && !fits) break;
    shm::Assist& assist = endpoints_[next->endpoint]->rx->assists[request.slot];
    const auto chunks =
        static_cast<std::uint32_t>((request.length + request.chunk - 1) / request.chunk);
    const std::uint32_t number =
        claim(assist, static_cast<std::uint16_t>(request.generation), chunks, false);
    if (number == kNoChunk || number >= chunks) {
      next = helping_.erase(next);
      continue;
    }
    if (count == 0) first = *next;
    const std::size_t at = std::size_t{chunks - 1 - number} * request.chunk;
    const std::size_t length = std::min<std::size_t>(request.chunk, request.length - at);
    local[count] = {reinterpret_cast<void*>(request.target_address + at), length};
    remote[count] = {reinterpret_cast<void*>(request.initiator_address + at), length};
    assists[count++] = &assist;
    bytes += length;
    ++next;
  }
  if (count == 0) return;
  Endpoint& endpoint = *endpoints_[first.endpoint];
  const ssize_t moved = copy_across(endpoint, first.request.is_put == 0,
                                    std::span(local).first(count), std::span(remote).first(count));
  std::size_t left = moved < 0 ? 0 : static_cast<std::size_t>(moved);
  for (std::size_t i = 0; i != count; ++i) {
    if (left < local[i].iov_len) assists[i]->failed.fetch_or(1, std::memory_order_relaxed);
    left -= std::min(left, local[i].iov_len);
    assists[i]->finished.fetch_add(1, std::memory_order_release);
  }
  counters_.assisted += count;
  wake(endpoint);
}

}  // namespace remit
