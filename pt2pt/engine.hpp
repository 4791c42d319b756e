// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Point-to-point messages of one process: matching, protocols, flow control, over any devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "datatype/datatype.hpp"
#include "links/links.hpp"
#include "pt2pt/communicator.hpp"
#include "pt2pt/counters.hpp"
#include "pt2pt/flow_control.hpp"
#include "pt2pt/message_dispatch.hpp"
#include "pt2pt/message_events.hpp"
#include "pt2pt/messenger.hpp"
#include "pt2pt/peer.hpp"
#include "pt2pt/receiver.hpp"
#include "pt2pt/rendezvous.hpp"
#include "pt2pt/request.hpp"
#include "pt2pt/sender.hpp"
#include "pt2pt/wire.hpp"
#include "runtime/process.hpp"

namespace remit {

/// The messages of one process: what the program calls, for the parts that do the work, which it
/// owns. What links tell goes to these by a MessageDispatch. All calls by the thread that holds the
/// process; none blocks and none allocates in steady state. What isend(), irecv() and imrecv() have
/// no memory for throws std::bad_alloc: then it has not begun, and may be begun again. A send that
/// has no memory when its peer is connected completes with MPI_ERR_NO_MEM. Arguments were checked
/// by the caller: ranks are valid ranks of `comm` (not MPI_PROC_NULL), tags in range, views of
/// committed types.
class Engine final : private EventSwitch {
 public:
  /// Opens links over `devices`, uses them, and publishes their addresses. `process` must outlive
  /// it. Throws std::runtime_error if that fails.
  Engine(Process& process, std::vector<std::unique_ptr<Device>> devices);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Starts a send on `comm` (on its collective context if `collective`). `request` completes when
  /// the buffer may be reused (synchronous: when it has been matched, too). Often it is complete on
  /// return.
  void isend(Request& request, const View& buffer, int dest, int tag, const CommCore& comm,
             SendMode mode = SendMode::standard, bool collective = false) {
    sender_.isend(request, buffer, dest, tag, comm, mode, collective);
  }

  /// The fast path of a standard send of contiguous bytes: true if the message left completely
  /// without a request; false if nothing was done and isend must be used.
  [[nodiscard, gnu::always_inline]] bool try_send(const void* data, std::size_t bytes, int dest,
                                                  int tag, const CommCore& comm) {
    auto* peer = static_cast<Peer*>(links_.find(comm.peers().proc(dest)));
    if (peer == nullptr || bytes >= peer->fast_below) [[unlikely]]
      return false;
    const std::uint32_t units = units_of(bytes);
    LinkDevice& slot = *peer->device;
    if (!peer->credits.allow(units) || !slot.pending.empty()) [[unlikely]]
      return false;
    peer->credits.spend(units);
    const SendHead head = eager_head(peer->lease.owed, comm.context, comm.rank, tag);
    (void)peer->lease.take_owed();  // behind its use: before it, compilers need two moves more
    ++counters_.eager;
    slot.eager->send(peer->endpoint, head, data, bytes, slot.pending);
    return true;
  }

  /// Starts a receive; source may be MPI_ANY_SOURCE and tag MPI_ANY_TAG. A message longer than the
  /// view is truncated: the view is filled, the rest dropped, status.error = MPI_ERR_TRUNCATE.
  void irecv(Request& request, const View& buffer, int source, int tag, const CommCore& comm,
             bool collective = false) {
    receiver_.irecv(request, buffer, source, tag, comm, collective);
  }

  /// The fast path of a receive that waits for nothing, or for `looks` looks: true if the message
  /// was the next one of its source, and is in [to, to + room); `status` says the rest. False:
  /// nothing was received, though with many looks `to` may be written. Polls nothing, so after some
  /// messages it takes none until progress() was called.
  [[nodiscard, gnu::always_inline]] bool try_receive(void* to, std::size_t room, int source,
                                                     int tag, const CommCore& comm,
                                                     OpStatus& status, int looks = 1) {
    constexpr int kLooksPerRelax = 8;
    if (source < 0 || !receiver_.matcher().empty() || links_.unpolled == Links::kPollAfter)
        [[unlikely]]
      return false;
    auto* peer = static_cast<Peer*>(links_.find(comm.peers().proc(source)));
    if (peer == nullptr || peer->device == nullptr) [[unlikely]]
      return false;
    SendHead head = eager_head(0, comm.context, source, tag);
    SendHead mask = kHeadMask;
    if (tag == MPI_ANY_TAG) mask.second = std::numeric_limits<std::uint32_t>::max();
    const bool awaits = looks > 1;  // the caller blocks
    SendHead found;
    EagerPath& path = *peer->device->eager;
    std::ptrdiff_t bytes = path.receive(peer->endpoint, head, mask, to, room, awaits, found);
    while (bytes < 0) {
      if (bytes == EagerPath::kSomethingElse || --looks == 0) return false;
      if (looks % kLooksPerRelax == 0) cpu_relax();
      bytes = path.receive(peer->endpoint, head, mask, to, room, awaits, found);
    }
    ++links_.unpolled;
    peer->credits.grant(credits_in(found));
    flow_.return_units(*peer, units_of(static_cast<std::size_t>(bytes)));
    status = {source, tag_in(found), MPI_SUCCESS, false, bytes};
    return true;
  }

  /// The fast path of a receive: true if it was posted, or is complete, for its message was there;
  /// false if nothing was done and irecv must be used (something waits to be received, or a peer
  /// was lost). The request's view is set, and contiguous.
  [[nodiscard, gnu::always_inline]] bool try_post(Request& request, int source, int tag,
                                                  const CommCore& comm) {
    if (receiver_.matcher().unexpected() != 0 || links_.lost_links().count() != 0) [[unlikely]]
      return false;
    request.complete =
        try_receive(request.view.base, request.view.size(), source, tag, comm, request.status);
    if (request.complete) return true;
    request.status = OpStatus{};
    request.key = {comm.context, source, tag};
    request.proc = source == MPI_ANY_SOURCE ? kAnyProc : comm.peers().proc(source);
    request.place = RequestPlace::posted;
    receiver_.matcher().post(request);
    return true;
  }

  /// Looks for a message without receiving it. Does not poll; call after progress.
  [[nodiscard]] std::optional<ProbeResult> iprobe(int source, int tag, const CommCore& comm) {
    return receiver_.iprobe(source, tag, comm);
  }
  /// As iprobe, and takes the message out of matching: no other receive can match it any more.
  [[nodiscard]] MatchedMessage* improbe(int source, int tag, const CommCore& comm,
                                        ProbeResult& result) {
    return receiver_.improbe(source, tag, comm, result);
  }
  /// Receives a message that improbe() found; uses it up.
  void imrecv(Request& request, const View& buffer, MatchedMessage* message) {
    receiver_.imrecv(request, buffer, message);
  }

  /// Cancels a receive that is not matched yet, or a send whose message has not been matched
  /// (a send that left eagerly is not cancelled). The request completes either way.
  void cancel(Request& request);

  /// True if nothing that was sent is still in this process. Cheap enough to poll.
  [[nodiscard]] bool flushed() const;
  /// True if an operation is under way or something that was sent is still in this process: then
  /// progress() may have something to do. Cheap.
  [[nodiscard]] bool busy() const;
  int progress() { return links_.progress(); }

  /// The ways that its messages take; others may use them, too.
  [[nodiscard]] Links& links() { return links_; }
  [[nodiscard]] const Links& links() const { return links_; }
  [[nodiscard]] Process& process() const { return process_; }

  // For reports (engine_report.hpp), tests and tools.
  [[nodiscard]] const MessageCounters& counters() const { return counters_; }
  [[nodiscard]] const Rendezvous& rendezvous() const { return rendezvous_; }
  [[nodiscard]] const Receiver& receiver() const { return receiver_; }
  [[nodiscard]] const Sender& sender() const { return sender_; }
  [[nodiscard]] MessageEvents& message_events() { return events_; }
  /// UnexpectedStore::recent_peak() is of what comes from now on.
  void restart_unexpected_peak() { receiver_.unexpected().restart_peak(); }

 private:
  void wanted_events_changed() override;

  Process& process_;
  Links links_;
  MessageCounters counters_;
  MessageEvents events_;
  Messenger messenger_;
  FlowControl flow_;
  Rendezvous rendezvous_;
  Receiver receiver_;
  Sender sender_;
  // One of them is the matching user of links.
  MessageDispatch dispatch_;  ///< while somebody wants to hear of every message
  ShortDispatch short_dispatch_;
};

}  // namespace remit
