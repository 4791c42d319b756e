// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Receives: where messages of peers arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma_btl/verbs/adapter/registered_memory.hpp"

namespace remit::verbs {

/// Slots of registered memory, each of which is one receive. With a shared receive queue they are
/// all posted there; else each connection gets some posted to its own queue, and what is posted
/// nowhere is free. Whose a receive is, is known to others (Lending). One thread.
class ReceivePool {
 public:
  /// Set in the number of every receive, so that it differs from those of other work requests.
  static constexpr std::uint64_t kReceiveBit = std::uint64_t{1} << 63;
  static constexpr EndpointId kNobody = ~EndpointId{0};

  /// A receive that has completed; `endpoint` gets the credit back, if it is not kNobody.
  struct Used {
    std::uint32_t slot = 0;
    EndpointId endpoint = 0;
  };

  ReceivePool(const OpenedAdapter& adapter, const VerbsConfig& config, RegisteredMemory& memory,
              VerbsCounters& counters)
      : adapter_(adapter), config_(config), memory_(memory), counters_(counters) {}

  /// All receives, wherever they are.
  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  /// Whether there is a shared receive queue.
  [[nodiscard]] bool shared() const { return shared_; }
  /// Adds so many, or as many as the adapter has room for: posted to the shared queue, or free.
  /// Returns how many. An error if there are none.
  [[nodiscard]] Expected<std::size_t> grow(std::size_t slots);

  /// Where the message of a receive begins.
  [[nodiscard]] std::byte* data(std::uint32_t slot) const { return slots_[slot].data; }
  /// Whether a completion is of a post before the last one of its slot: left over of a connection
  /// that was dropped, so that the slot may be in use elsewhere, even on a queue pair of the same
  /// number.
  [[nodiscard]] bool stale(std::uint64_t wr_id) const {
    return !shared_ &&
           (wr_id & ~kReceiveBit) >> 32 != slots_[static_cast<std::uint32_t>(wr_id)].turn;
  }

  /// A receive has completed: it is posted again by the next repost().
  void use(std::uint32_t slot, EndpointId endpoint) { used_.push_back({slot, endpoint}); }
  [[nodiscard]] std::span<const Used> used() const { return used_; }
  /// Posts what is used() again; without a shared queue only where live(endpoint). Returns what
  /// the adapter says of the shared queue: 0, or an error number.
  template <class Live>
  [[nodiscard]] int repost(Live&& live) {
    chain_.clear();
    for (const Used& used : used_) {
      if (shared_) {
        chain_.push_back(used.slot);
      } else if (slots_[used.slot].qp == nullptr || used.endpoint == kNobody ||
                 !live(used.endpoint) || !post_to(slots_[used.slot].qp, {&used.slot, 1})) {
        set_free(used.slot);
      }
    }
    return chain_.empty() ? 0 : post_shared(chain_);
  }
  /// Nobody needs to know any more whose they were.
  void forget_used() { used_.clear(); }

  /// Without a shared queue: posts VerbsConfig::strict_window receives to a new connection.
  [[nodiscard]] Expected<> post_window(ibv_qp* qp);
  /// A connection is dropped. What was just seen to have ended on it, repost() frees.
  void reclaim(std::uint32_t qp_num);

 private:
  struct Slot {
    std::byte* data = nullptr;
    std::uint32_t lkey = 0;
    std::uint32_t qp_num = 0;  ///< without SRQ: where it is posted; 0: nowhere
    std::uint32_t turn = 0;    ///< without SRQ: of what comes back only this was posted last
    ibv_qp* qp = nullptr;
  };

  [[nodiscard]] ibv_sge part(const Slot& slot) const;
  [[nodiscard]] int post_shared(std::span<const std::uint32_t> slots);
  [[nodiscard]] bool post_to(ibv_qp* qp, std::span<const std::uint32_t> slots);
  void set_free(std::uint32_t slot);

  std::vector<Slot> slots_;
  std::vector<Used> used_;
  bool shared_ = false;
  std::vector<std::uint32_t> chain_;
  std::vector<std::uint32_t> free_;  ///< without SRQ: posted nowhere
  const OpenedAdapter& adapter_;
  const VerbsConfig& config_;
  RegisteredMemory& memory_;
  VerbsCounters& counters_;
};

}  // namespace remit::verbs
