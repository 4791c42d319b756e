// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Receives that have completed: whose they are and what is in them.
#pragma once

#include <arpa/inet.h>

#include <cstdint>

#include "rdma_btl/verbs/credits/receive_pool.hpp"
#include "rdma_btl/verbs/endpoints.hpp"

namespace remit::verbs {

class Borrowing;
class Connections;
class Lending;
class NoteReader;
class Teardown;

/// Finds the sender of each receive, acts upon messages of the device's own, and tells of the
/// others. Owns the receives. One thread.
class Receiver {
 public:
  Receiver(const OpenedAdapter& adapter, const VerbsConfig& config, VerbsCounters& counters,
           RegisteredMemory& memory, Endpoints& endpoints, Lending& lending, Borrowing& borrowing,
           NoteReader& reader, Connections& connections, Teardown& teardown)
      : pool_(adapter, config, memory, counters),
        adapter_(adapter),
        endpoints_(endpoints),
        lending_(lending),
        borrowing_(borrowing),
        reader_(reader),
        connections_(connections),
        teardown_(teardown) {}

  [[nodiscard]] ReceivePool& pool() { return pool_; }
  /// True: `out` tells the layer above. Small, for each message goes through it.
  [[nodiscard]] bool take(const ibv_wc& work, Completion& out);
  /// Whether release() has something to do.
  [[nodiscard]] bool has_used() const { return !pool_.used().empty(); }
  /// The receives of the last poll() may be used again.
  void release();
  /// A queue pair is destroyed.
  void forget(std::uint32_t qp_num) {
    if (last_qp_num_ == qp_num) last_qp_num_ = 0;
  }
  [[nodiscard]] const ReceiveCounters& counters() const { return counters_; }

 private:
  [[nodiscard]] Endpoint* sender_of(const ibv_wc& work, std::uint32_t slot);
  [[nodiscard]] bool take_message(Endpoint& endpoint, const ibv_wc& work, std::byte* data,
                                  Completion& out);
  [[nodiscard]] bool take_own(Endpoint& endpoint, const Header& header, const ibv_wc& work,
                              const std::byte* data, Completion& out);
  [[nodiscard]] bool take_brief(Endpoint& endpoint, const ibv_wc& work, std::byte* data,
                                Completion& out);
  void take_credits(Endpoint& endpoint, std::uint32_t credits, bool starved);

  std::uint32_t last_qp_num_ = 0;  ///< with a shared queue; 0: none
  Endpoint* last_endpoint_ = nullptr;
  ReceiveCounters counters_;
  ReceivePool pool_;
  const OpenedAdapter& adapter_;
  Endpoints& endpoints_;
  Lending& lending_;
  Borrowing& borrowing_;
  NoteReader& reader_;
  Connections& connections_;
  Teardown& teardown_;
};

inline bool Receiver::take(const ibv_wc& work, Completion& out) {
  const auto slot = static_cast<std::uint32_t>(work.wr_id);
  const bool known = work.qp_num == last_qp_num_ && pool_.shared();
  Endpoint* const endpoint =
      known && work.status == IBV_WC_SUCCESS ? last_endpoint_ : sender_of(work, slot);
  if (endpoint == nullptr) [[unlikely]]
    return false;
  pool_.use(slot, endpoint->id);
  if (work.opcode != IBV_WC_RECV) [[unlikely]] {
    ++counters_.notifications;
    out = {CompletionKind::notification, MPI_SUCCESS, endpoint->id, ntohl(work.imm_data), 0, {}};
    return true;
  }
  std::byte* const data = pool_.data(slot);
  if ((work.wc_flags & IBV_WC_WITH_IMM) != 0) return take_brief(*endpoint, work, data, out);
  return take_message(*endpoint, work, data, out);
}

}  // namespace remit::verbs
