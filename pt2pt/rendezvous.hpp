// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages that are announced, and wait at their sender until they are asked for: read by the
// receiver, written by the sender, or sent in fragments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "links/links.hpp"
#include "pt2pt/counters.hpp"
#include "pt2pt/message_events.hpp"
#include "pt2pt/messenger.hpp"
#include "pt2pt/peer.hpp"
#include "pt2pt/request.hpp"
#include "pt2pt/transfer.hpp"
#include "pt2pt/transfer_memory.hpp"
#include "pt2pt/transfer_table.hpp"
#include "pt2pt/wire.hpp"
#include "runtime/process.hpp"

namespace remit {

/// Moves the data of messages that need more than one step, at both ends; docs/architecture.md has
/// the steps. Matching is not its business: whoever matched an announcement calls start(), and
/// whoever wants one before it is matched calls fetch() and gets it back when it is whole. One
/// thread; nothing blocks.
class Rendezvous {
 public:
  /// All must outlive it.
  Rendezvous(Process& process, Links& links, Messenger& messenger, MessageCounters& counters,
             MessageEvents& events)
      : process_(process),
        links_(links),
        messenger_(messenger),
        counters_(counters),
        events_(events),
        memory_(counters) {}

  // At the sender.

  // What a request begins here throws std::bad_alloc, and the request is in no transfer then.

  /// Tells the peer that a message of `bytes` waits here; `starved`: for it found no credit. The
  /// request completes when the receiver has the data.
  void announce(Peer& peer, Request& request, std::size_t bytes, bool starved);
  /// Sends a message eagerly whose request completes when the receiver has matched it.
  void send_synchronous(Peer& peer, Request& request, const EagerHeader& header,
                        std::span<const std::byte> data);
  /// The receiver has matched it, and says how it wants the data.
  void clear_to_send(Peer& peer, const CtsHeader& header);
  /// The receiver answers about a send: it has the data, more fragments may leave, or it gives the
  /// message back.
  void answer(Peer& peer, const HandleHeader& header);
  /// Asks the receiver for a message that it may not have matched yet.
  void cancel(const Request& request);

  // At the receiver.

  /// A receive has matched an announcement; its status is filled in, and says how many bytes will
  /// move. Throws std::bad_alloc, and has told the peer nothing then.
  void start(Peer& peer, Request& request, const Announcement& announced);
  /// Fetches an announced message into its block of the pool, for no receive. Throws
  /// std::bad_alloc, and has told the peer nothing then.
  void fetch(Peer& peer, Unexpected& message, SlabHandle sender);
  /// A fragment has come. The transfer if it is whole now, for the caller to end; else null.
  [[nodiscard]] Transfer* fragment(Peer& peer, const FragmentHeader& header,
                                   std::span<const std::byte> data);
  /// A put of the sender's is visible here.
  void notified(Peer& peer, std::uint32_t handle);

  // At both. What comes for a transfer that has no memory to go on throws std::bad_alloc, and is to
  // come again, before anything else for it does.

  /// A get or put of this process's is done; `value` is its cookie.
  void completed(std::uint64_t value, int status);
  /// The transfer ends, and its request completes.
  void finish(Transfer& transfer, int error);
  /// Its peer is lost: it ends as soon as no device uses its memory any more.
  void lost(Transfer& transfer);

  [[nodiscard]] TransferTable& transfers() { return transfers_; }
  [[nodiscard]] const TransferTable& transfers() const { return transfers_; }

 private:
  void abandon(Transfer& transfer);
  void offer(Transfer& transfer, RtsHeader& header);
  [[nodiscard]] bool start_get(Transfer& transfer, const Announcement& announced);
  [[nodiscard]] bool start_put_target(Transfer& transfer, const Announcement& announced);
  void start_fragment_target(Transfer& transfer);
  void pump(Transfer& transfer);
  void pump_contiguous(Transfer& transfer, OpKind kind);
  void pump_lists(Transfer& transfer, OpKind kind);
  void pump_staged_get(Transfer& transfer);
  void pump_fragments(Transfer& transfer);
  [[nodiscard]] bool post(Transfer& transfer, Operation& operation, std::size_t bytes,
                          std::uint32_t part = 0);
  void take_completed(Transfer& transfer, std::uint32_t part, int status);
  void go_on(Transfer& transfer);
  void end_failed(Transfer& transfer);
  template <class Step>
  static void or_stall(Transfer& transfer, Step&& step);
  void no_memory(Transfer& transfer);
  void raise_answered(const Transfer& transfer);

  Process& process_;
  Links& links_;
  Messenger& messenger_;
  MessageCounters& counters_;
  MessageEvents& events_;
  TransferTable transfers_;
  TransferMemory memory_;
};

}  // namespace remit
