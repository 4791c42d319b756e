// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Posting receives.
#include "rdma_btl/verbs/credits/receive_pool.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace remit::verbs {

namespace {

/// Receives that are added at a time, at least, for connections with queues of their own.
constexpr std::size_t kWindowGrowth = 64;
constexpr std::size_t kChain = 16;
/// Of the posts of one receive: what fits between its number and kReceiveBit.
constexpr std::uint32_t kTurns = 0x7fffffff;

}  // namespace

Expected<std::size_t> ReceivePool::grow(std::size_t slots) {
  shared_ = adapter_.queues().shared_receives() != nullptr;
  slots = std::min(slots, adapter_.limits().max_slots - slots_.size());
  if (slots == 0) {
    return fail(MPI_ERR_NO_MEM, "{} receives are all in use: too many peers for one process",
                slots_.size());
  }
  const auto block = memory_.make_block(slots * config_.message_bytes, IBV_ACCESS_LOCAL_WRITE,
                                        "memory for receives");
  if (!block) return tl::unexpected<Error>(block.error());
  if (!slots_.empty()) counters_.grown += slots;
  std::vector<std::uint32_t> fresh;
  for (std::size_t i = 0; i < slots; ++i) {
    fresh.push_back(static_cast<std::uint32_t>(slots_.size()));
    auto* const data = static_cast<std::byte*>(block->base) + i * config_.message_bytes + kHeadRoom;
    slots_.push_back({data, block->mr->lkey});
  }
  if (!shared_) {
    free_.insert(free_.end(), fresh.begin(), fresh.end());
  } else if (const int error = post_shared(fresh); error != 0) {
    return fail(MPI_ERR_OTHER, "a receive was refused: {}", std::strerror(error));
  }
  return slots;
}

Expected<> ReceivePool::post_window(ibv_qp* qp) {
  const std::uint32_t window = config_.strict_window;
  if (free_.size() < window) {
    const Expected<std::size_t> grown = grow(std::max<std::size_t>(kWindowGrowth, window));
    if (!grown) return tl::unexpected<Error>(grown.error());
  }
  const std::vector<std::uint32_t> slots(free_.end() - window, free_.end());
  free_.resize(free_.size() - window);
  if (!post_to(qp, slots)) return fail(MPI_ERR_OTHER, "posting its receives");
  return {};
}

ibv_sge ReceivePool::part(const Slot& slot) const {
  return {reinterpret_cast<std::uintptr_t>(slot.data),
          static_cast<std::uint32_t>(config_.message_bytes - kHeadRoom), slot.lkey};
}

/// To the shared queue, many at once.
int ReceivePool::post_shared(std::span<const std::uint32_t> slots) {
  std::array<ibv_recv_wr, kChain> requests;
  std::array<ibv_sge, kChain> parts;
  while (!slots.empty()) {
    const std::size_t count = std::min(slots.size(), requests.size());
    for (std::size_t i = 0; i < count; ++i) {
      parts[i] = part(slots_[slots[i]]);
      requests[i] = {kReceiveBit | slots[i], i + 1 == count ? nullptr : &requests[i + 1], &parts[i],
                     1};
    }
    ibv_recv_wr* bad = nullptr;
    if (const int error =
            ibv_post_srq_recv(adapter_.queues().shared_receives(), requests.data(), &bad);
        error != 0) {
      return error;
    }
    slots = slots.subspan(count);
  }
  return 0;
}

/// To a connection's own queue.
bool ReceivePool::post_to(ibv_qp* qp, std::span<const std::uint32_t> slots) {
  for (const std::uint32_t index : slots) {
    Slot& slot = slots_[index];
    ibv_sge one = part(slot);
    slot.turn = (slot.turn + 1) & kTurns;
    ibv_recv_wr request = {kReceiveBit | std::uint64_t{slot.turn} << 32 | index, nullptr, &one, 1};
    ibv_recv_wr* bad = nullptr;
    if (ibv_post_recv(qp, &request, &bad) != 0) return false;
    slot.qp = qp;
    slot.qp_num = qp->qp_num;
  }
  return true;
}

void ReceivePool::set_free(std::uint32_t slot) {
  slots_[slot].qp_num = 0;
  slots_[slot].qp = nullptr;
  free_.push_back(slot);
}

void ReceivePool::reclaim(std::uint32_t qp_num) {
  if (shared_) return;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].qp_num != qp_num) continue;
    slots_[i].qp_num = 0;
    slots_[i].qp = nullptr;
    slots_[i].turn = (slots_[i].turn + 1) & kTurns;
    if (std::ranges::find(used_, i, &Used::slot) == used_.end()) free_.push_back(i);
  }
}

}  // namespace remit::verbs
