// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Work requests: posted to the adapter, counted, and retired.
#pragma once

#include <infiniband/verbs.h>

#include <cerrno>
#include <cstdint>

#include "rdma_btl/verbs/adapter/opened_adapter.hpp"
#include "rdma_btl/verbs/agenda.hpp"
#include "rdma_btl/verbs/endpoints.hpp"
#include "rdma_btl/verbs/messages/send_slots.hpp"

namespace remit::verbs {

class Swaps;
class Teardown;

/// The send queues of all connections. Every work request is counted against the completion queue
/// before it is posted, so that it cannot overflow. What a request held (a send slot, a swap) is
/// given back when it is retired. One thread.
class WorkQueue {
 public:
  WorkQueue(const OpenedAdapter& adapter, VerbsCounters& counters, Endpoints& endpoints,
            Agenda& agenda, Swaps& swaps, Teardown& teardown)
      : adapter_(adapter),
        counters_(counters),
        endpoints_(endpoints),
        agenda_(agenda),
        swaps_(swaps),
        teardown_(teardown) {}

  /// Once, when the adapter is open. `depth`: requests of a connection, a power of two.
  void open(const Limits& limits, std::uint32_t depth) {
    max_inline_ = limits.max_inline;
    budget_ = limits.budget;
    depth_ = depth;
  }

  /// Bytes that fit a descriptor.
  [[nodiscard]] std::uint32_t max_inline() const { return max_inline_; }
  /// Requests under way of all connections.
  [[nodiscard]] std::uint32_t outstanding() const { return outstanding_; }
  /// Requests of a connection.
  [[nodiscard]] std::uint32_t depth() const { return depth_; }
  [[nodiscard]] SendSlots& slots() { return slots_; }

  /// Room for so many requests of the layer above. Some is kept for the device's own.
  [[nodiscard]] bool has_room(const Endpoint& endpoint, std::uint32_t requests) const {
    return !endpoint.note.due && spare_room(endpoint, requests + kSpare);
  }
  /// has_room(), and if there is none, does what brings it.
  [[nodiscard]] bool room(Endpoint& endpoint, std::uint32_t requests);
  /// Room for so many of the device's own.
  [[nodiscard]] bool spare_room(const Endpoint& endpoint, std::uint32_t requests = 1) const {
    return endpoint.work.under_way() + requests <= depth_ && outstanding_ + requests <= budget_;
  }
  /// Whether a message that is not inline has a place. If not, does what brings it.
  [[nodiscard]] bool slot_room();
  /// Whether a message of the device's own, which is but a header, has a place. If not, does what
  /// brings it.
  [[nodiscard]] bool message_room() { return max_inline_ >= sizeof(Header) || slot_room(); }

  /// A send of one piece of a send slot or of what is inline, for the next submit(): one descriptor
  /// for all, so that nobody clears 128 bytes for each.
  [[nodiscard]] ibv_send_wr& message(const void* data, std::size_t bytes, unsigned flags) {
    message_part_ = {reinterpret_cast<std::uintptr_t>(data), static_cast<std::uint32_t>(bytes),
                     slots_.lkey()};
    message_.opcode = IBV_WR_SEND;
    message_.sg_list = &message_part_;
    message_.num_sge = 1;
    message_.send_flags = flags;
    return message_;
  }
  /// The same of a write or a read of one piece of registered memory.
  [[nodiscard]] ibv_send_wr& move(const Piece& piece, const RemoteAddress& remote) {
    move_part_ = {reinterpret_cast<std::uintptr_t>(piece.address),
                  static_cast<std::uint32_t>(piece.length), static_cast<std::uint32_t>(piece.key)};
    move_.wr.rdma = {remote.address, static_cast<std::uint32_t>(remote.key)};
    move_.sg_list = &move_part_;
    move_.num_sge = 1;
    return move_;
  }
  /// Posts a request, for which there is room; with `signal` it gives a completion. If the adapter
  /// refuses it the endpoint fails, and the operation completes with that.
  void submit(Endpoint& endpoint, ibv_send_wr& request, const Record& record, bool signal);
  /// submit(), for the functions through which most messages and moves go.
  void hand_over(Endpoint& endpoint, ibv_send_wr& request, const Record& record, bool signal);

  /// A work request is finished, and with it those before it on its connection. With iWARP not the
  /// gets among these: an adapter may report a send while a get before it waits for its data. True:
  /// `out` tells the layer above.
  [[nodiscard]] bool retire(const ibv_wc& work, Completion& out);
  /// The requests of an endpoint whose queue pairs are destroyed: none will complete.
  void abandon(Endpoint& endpoint);

  /// Makes the last requests, of which nobody wanted to hear, give a completion: an empty write
  /// behind them does.
  void flush_tail(Endpoint& endpoint);
  void flush_tails();

 private:
  /// At least every so many work requests of a connection give a completion.
  static constexpr std::uint32_t kSignalEvery = 16;

  void on_refusal(Endpoint& endpoint, const Record& record, int error);
  void release(Endpoint& endpoint, const Record& record, int status);

  std::uint32_t outstanding_ = 0;
  std::uint32_t budget_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t max_inline_ = 0;
  ibv_sge message_part_ = {};
  ibv_send_wr message_ = {};
  ibv_sge move_part_ = {};
  ibv_send_wr move_ = {};
  SendSlots slots_;
  const OpenedAdapter& adapter_;
  VerbsCounters& counters_;
  Endpoints& endpoints_;
  Agenda& agenda_;
  Swaps& swaps_;
  Teardown& teardown_;
};

[[gnu::always_inline]] inline void WorkQueue::hand_over(Endpoint& endpoint, ibv_send_wr& request,
                                                        const Record& record, bool signal) {
  // What runs short must come back.
  signal = signal || outstanding_ + 2 * kSpare >= budget_;
  if (endpoint.work.signals(signal, kSignalEvery)) {
    request.send_flags |= IBV_SEND_SIGNALED;
    ++counters_.signalled;
  }
  request.wr_id = std::uint64_t{endpoint.id} << 32 | endpoint.work.posted();
  endpoint.work.stage(record);
  ibv_send_wr* bad = nullptr;
  const int error = endpoint.state == State::open || endpoint.state == State::gone
                        ? ibv_post_send(endpoint.qp, &request, &bad)
                        : EIO;
  if (error == 0) [[likely]] {
    endpoint.work.commit();
    ++outstanding_;
    return;
  }
  on_refusal(endpoint, record, error);
}

}  // namespace remit::verbs
