// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/copies/assist.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

namespace remit::shm {

namespace {

constexpr std::uint64_t kFrontOne = std::uint64_t{1} << 16;
constexpr std::uint64_t kBackOne = std::uint64_t{1} << 40;
constexpr std::size_t kChunkStep = 4096;

/// Chunks of a shared transfer: two if it is not long.
constexpr std::size_t kMaxChunk = 256 * 1024;

}  // namespace

std::uint32_t chunks_taken(std::uint64_t claims, AssistEnd end) {
  return end == AssistEnd::front ? claims >> 16 & 0xffffffU
                                 : static_cast<std::uint32_t>(claims >> 40);
}

std::optional<std::uint32_t> claim_chunk(Assist& assist, std::uint16_t generation,
                                         std::uint32_t chunks, AssistEnd end) {
  std::uint64_t claims = assist.claims.load(std::memory_order_acquire);
  for (;;) {
    const std::uint32_t front = chunks_taken(claims, AssistEnd::front);
    const std::uint32_t back = chunks_taken(claims, AssistEnd::back);
    if ((claims & 0xffffU) != generation || front + back >= chunks) return std::nullopt;
    if (end == AssistEnd::back && back + 1 >= chunks) return std::nullopt;
    const std::uint64_t one = end == AssistEnd::front ? kFrontOne : kBackOne;
    if (assist.claims.compare_exchange_weak(claims, claims + one, std::memory_order_acq_rel)) {
      return end == AssistEnd::front ? front : back;
    }
  }
}

Assist& assist_of(const Job& job, const Endpoint& endpoint) {
  return endpoint.tx.control().assists[job.slot];
}

bool offer_assist(Job& job, Endpoint& endpoint) {
  if (job.pieces.size() != 1 ||
      endpoint.rx.control->producer.can_copy.load(std::memory_order_relaxed) == 0) {
    return false;
  }
  job.slot = static_cast<std::uint16_t>(std::countr_one(endpoint.assists_used));
  if (job.slot >= kAssists || !endpoint.tx.has_room()) return false;
  endpoint.assists_used |= static_cast<std::uint16_t>(1U << job.slot);
  Assist& assist = assist_of(job, endpoint);
  job.claim_generation = static_cast<std::uint16_t>(assist.claims.load() + 1);
  const std::size_t half = (job.total / 2 + kChunkStep - 1) / kChunkStep * kChunkStep;
  job.chunk = static_cast<std::uint32_t>(std::clamp(half, kChunkStep, kMaxChunk));
  job.chunks = static_cast<std::uint32_t>((job.total + job.chunk - 1) / job.chunk);
  assist.finished.store(0, std::memory_order_relaxed);
  assist.failed.store(0, std::memory_order_relaxed);
  assist.claims.store(job.claim_generation, std::memory_order_release);
  AssistRequest request;
  request.initiator_address = reinterpret_cast<std::uint64_t>(job.pieces[0].address);
  request.target_address = job.remote.address;
  request.length = job.total;
  request.key = job.remote.key;
  request.chunk = job.chunk;
  request.slot = job.slot;
  request.is_put = job.kind == OpKind::put ? 1 : 0;
  request.generation = job.claim_generation;
  return endpoint.tx.push(CellKind::assist, request);
}

bool leaves_rest_to_target(const Job& job, const Endpoint& endpoint) {
  const std::uint64_t claims = assist_of(job, endpoint).claims.load(std::memory_order_acquire);
  const std::uint32_t front = chunks_taken(claims, AssistEnd::front);
  const bool left = front + chunks_taken(claims, AssistEnd::back) < job.chunks;
  return left && front >= (job.chunks + 1) / 2;
}

void give_up_assist(const Job& job, const Endpoint& endpoint) {
  Assist& assist = assist_of(job, endpoint);
  assist.failed.fetch_or(1U << 31, std::memory_order_relaxed);
  while (claim_chunk(assist, job.claim_generation, job.chunks, AssistEnd::front)) {
  }
}

bool target_is_done(const Job& job, const Endpoint& endpoint) {
  const Assist& assist = assist_of(job, endpoint);
  const std::uint64_t claims = assist.claims.load(std::memory_order_acquire);
  return assist.finished.load(std::memory_order_acquire) >= chunks_taken(claims, AssistEnd::back);
}

bool assist_failed(const Job& job, const Endpoint& endpoint) {
  return assist_of(job, endpoint).failed.load(std::memory_order_relaxed) != 0;
}

void release_assist(const Job& job, Endpoint& endpoint) {
  endpoint.assists_used &= static_cast<std::uint16_t>(~(1U << job.slot));
}

}  // namespace remit::shm
