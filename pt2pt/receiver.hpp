// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The receiving half of the engine: receives that wait for messages, and messages that wait for
// receives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "links/links.hpp"
#include "pt2pt/communicator.hpp"
#include "pt2pt/counters.hpp"
#include "pt2pt/flow_control.hpp"
#include "pt2pt/matching.hpp"
#include "pt2pt/message_events.hpp"
#include "pt2pt/messenger.hpp"
#include "pt2pt/peer.hpp"
#include "pt2pt/rendezvous.hpp"
#include "pt2pt/request.hpp"
#include "pt2pt/transfer.hpp"
#include "pt2pt/unexpected_store.hpp"
#include "pt2pt/wire.hpp"

namespace remit {

/// Envelope of a message that waits to be received.
struct ProbeResult {
  int source = 0;
  int tag = 0;
  MPI_Count bytes = 0;
};

/// Matches what arrives with what was asked for, and keeps whichever came first. A small message
/// that found no credit at its sender is *pulled*: fetched into the pool before anybody has asked
/// for it. One thread; nothing blocks.
class Receiver {
 public:
  /// What it works with; all of it outlives it.
  struct Parts {
    Links& links;
    Messenger& messenger;
    FlowControl& flow;
    Rendezvous& rendezvous;
    MessageCounters& counters;
    Progress& progress;
    MessageEvents& events;
  };
  /// `self`: this process. `pool_bytes`: memory for messages that wait, to which `parts.flow` keeps
  /// peers.
  Receiver(const Parts& parts, ProcId self, std::size_t pool_bytes)
      : self_(self), parts_(parts), store_(pool_bytes) {}
  ~Receiver() { matcher_.arrivals().clear(); }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  // What the program asks for: see Engine.

  void irecv(Request& request, const View& buffer, int source, int tag, const CommCore& comm,
             bool collective);
  [[nodiscard]] std::optional<ProbeResult> iprobe(int source, int tag, const CommCore& comm);
  [[nodiscard]] MatchedMessage* improbe(int source, int tag, const CommCore& comm,
                                        ProbeResult& result);
  void imrecv(Request& request, const View& buffer, MatchedMessage* message);
  /// A receive that is posted.
  void cancel_posted(Request& request);
  /// A send to this process that waits here.
  void cancel_from_self(Request& send);

  // What arrives. Each throws std::bad_alloc where it has no memory for that, and has done nothing
  // then, so that the same may arrive again.

  /// What arrives most often: an eager message without flags, for a receive that is posted. False:
  /// it is something else, and nothing was done. Inline, in receiver_deliver.hpp.
  [[nodiscard]] bool deliver(Peer& peer, std::span<const std::byte> message);
  /// An eager message; with `sender`, which waits for an answer, a synchronous one.
  void eager(Peer& peer, const EagerHeader& header, SlabHandle sender,
             std::span<const std::byte> data);
  void announced(Peer& peer, const RtsHeader& header);
  /// A message of this process to itself.
  void from_self(Request& send);
  /// A sender wants its message back: possible as long as no receive has taken it.
  void cancel_of(Peer& peer, SlabHandle sender);

  /// A pulled message is whole: from now on it is as an eager one.
  void end_pull(Transfer& transfer);
  /// The sender of a pulled message is lost: a receive that finds it gets an error.
  void fail_pull(Transfer& transfer);
  /// While somebody wants to hear of every message, the fast paths of receives are closed by a
  /// message that none of them can take: those that look first whether anything waits.
  void close_fast_paths(bool closed);

  /// Receives from the peer end with an error; so do those from any source, for they might wait for
  /// it for ever, unless it left in order. Eager messages that are here can still be received.
  void lost(const Peer& peer, bool left_in_order);

  [[nodiscard]] Matcher& matcher() { return matcher_; }
  [[nodiscard]] const Matcher& matcher() const { return matcher_; }
  /// Messages that wait to be received.
  [[nodiscard]] std::size_t unexpected_messages() const {
    return matcher_.unexpected() - (fast_paths_closed_ ? 1 : 0);
  }
  [[nodiscard]] const UnexpectedStore& unexpected() const { return store_; }
  [[nodiscard]] UnexpectedStore& unexpected() { return store_; }

 private:
  void fill(Peer& peer, Request& request, const MatchKey& key, std::span<const std::byte> data);
  void consume(Unexpected& message, Request& request);
  void hand_over(Unexpected& message, Request& request);
  void forget(Unexpected& message);
  template <class Step>
  void take_or_put_back(Request& request, Step&& step);
  void start_pull(Unexpected& message);

  [[nodiscard]] ProcId sender_of(const Unexpected& message) const {
    return message.peer != nullptr ? message.peer->id : self_;
  }

  Unexpected nobodys_;  // see close_fast_paths(); outlives `matcher_`
  bool fast_paths_closed_ = false;
  Matcher matcher_;
  const ProcId self_;
  const Parts parts_;
  UnexpectedStore store_;
};

/// The status of a receive that a message of `bytes` has matched.
inline void set_received(Request& request, const MatchKey& key, std::size_t bytes) {
  const std::size_t room = request.view.size();
  request.place = RequestPlace::nowhere;
  request.status.source = key.source;
  request.status.tag = key.tag;
  request.status.bytes = static_cast<MPI_Count>(std::min(bytes, room));
  if (bytes > room) request.status.error = MPI_ERR_TRUNCATE;
}

}  // namespace remit
