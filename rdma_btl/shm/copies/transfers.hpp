// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Puts, gets and atomics of this process: how each crosses, step by step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "rdma_btl/device.hpp"
#include "rdma_btl/shm/agenda.hpp"
#include "rdma_btl/shm/copies/batch.hpp"
#include "rdma_btl/shm/copies/copy_choice.hpp"
#include "rdma_btl/shm/copies/job.hpp"
#include "rdma_btl/shm/peers/peer_table.hpp"
#include "rdma_btl/shm/shm_config.hpp"

namespace remit::shm {

class PeerHeaps;
class PeerCopier;
class PeerHealth;
class Receiver;
class Sender;

/// The initiator's side: directly through the kernel or a mapping, by both sides at once, or
/// through the ring. Access is checked in the peer's published regions before anything is copied;
/// what the target serves it checks itself. Atomics change memory that is mapped here in its place,
/// and all other memory is changed by the target, with the same instructions. One thread.
class Transfers {
 public:
  Transfers(const ShmConfig& config, const PeerTable& peers, Agenda& agenda, Sender& sender,
            Receiver& receiver, PeerCopier& copier, PeerHeaps& heaps, PeerHealth& health,
            ShmCounters& counters);

  /// False: too many are under way to this peer.
  [[nodiscard]] bool start(Endpoint& endpoint, const Operation& operation);
  /// The peer's HELLO came: what waited for it goes on.
  void begin_waiting(Endpoint& endpoint);
  /// Each job that can move once, and one system call.
  void progress();
  /// The peer has ended: all of its jobs complete so.
  void fail(Endpoint& endpoint, int status);

  // What the target answers.
  void on_put_done(Endpoint& endpoint, const PutDone& done);
  void on_get_data(Endpoint& endpoint, const GetData& got);
  void on_atomic_reply(Endpoint& endpoint, const AtomicReply& reply);

  /// Some job can move.
  [[nodiscard]] bool any_active() const { return !active_.empty(); }
  /// Some job would be copied by the next progress(): no time to sleep.
  [[nodiscard]] bool any_to_copy() const;
  /// Nothing that changes a peer's memory is under way.
  [[nodiscard]] bool puts_done() const { return pending_puts_ == 0; }

 private:
  void begin(Job& job);
  void change_in_place(Job& job, std::byte* word);
  void finish(Job& job, int status);
  void settle_confirms(Endpoint& endpoint);
  void visit_active(Batch& batch);
  [[nodiscard]] Step advance(Job& job, Batch& batch);
  [[nodiscard]] Phase direct_phase(Job& job, Endpoint& endpoint);
  [[nodiscard]] Step gather_rest(Job& job, Endpoint& endpoint, Batch& batch);
  [[nodiscard]] Step gather_chunk(Job& job, Endpoint& endpoint, Batch& batch);
  void copy(Batch& batch);
  void copy_failed(Job& job, Endpoint& endpoint, int error);
  [[nodiscard]] Step copied(Job& job);
  [[nodiscard]] Step join_step(Job& job, Endpoint& endpoint);
  [[nodiscard]] Step stream_step(Job& job, Endpoint& endpoint);
  [[nodiscard]] Step request_step(Job& job, Endpoint& endpoint);

  JobTable jobs_;
  std::deque<std::uint32_t> active_;  ///< jobs that can move without a cell from the peer
  std::size_t pending_puts_ = 0;
  CopyChoice choice_;
  const ShmConfig& config_;
  const PeerTable& peers_;
  Agenda& agenda_;
  Sender& sender_;
  Receiver& receiver_;
  PeerCopier& copier_;
  PeerHeaps& heaps_;
  PeerHealth& health_;
  ShmCounters& counters_;
};

}  // namespace remit::shm
