// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What an engine tells of its messages and requests to who wants to know.
#pragma once

#include <cstddef>
#include <cstdint>

#include "links/process_id.hpp"
#include "pt2pt/communicator.hpp"
#include "pt2pt/matching.hpp"
#include "pt2pt/request.hpp"
#include "runtime/clock.hpp"
#include "runtime/events.hpp"
#include "runtime/progress.hpp"

namespace remit {

/// Raises the events of messages, and completes requests of sends and receives, which is one of
/// them. Where messages take a short way no events are raised: Engine closes those ways while any
/// of kOfMessages is wanted. One thread.
class MessageEvents {
 public:
  /// Events that must not be missed by short ways.
  static constexpr Events::Mask kOfMessages =
      Events::bit(EventKind::message_arrived) | Events::bit(EventKind::message_matched) |
      Events::bit(EventKind::request_posted) | Events::bit(EventKind::request_completed) |
      Events::bit(EventKind::protocol_chosen) | Events::bit(EventKind::wait_ended) |
      Events::bit(EventKind::collective_ended);

  /// Both outlive it.
  MessageEvents(Events& events, Progress& progress) : events_(events), progress_(progress) {}

  [[nodiscard]] Events& events() { return events_; }

  void posted(const Request& request) {
    if (events_.wanted(EventKind::request_posted)) [[unlikely]]
      tell_posted(request);
  }
  /// A message has come before its receive. The time for matched(), if that will be asked for; else
  /// 0.
  [[nodiscard]] std::int64_t unexpected(ProcId peer, const MatchKey& key, std::size_t bytes) {
    tell_arrived(peer, key, bytes, false);
    return events_.wanted(EventKind::message_matched) ? monotonic_ns() : 0;
  }
  /// A message that has just arrived has found its receive.
  void expected(ProcId peer, const MatchKey& key, std::size_t bytes, Request& request) {
    request.proc = peer;
    tell_arrived(peer, key, bytes, true);
    events_.raise(EventKind::message_matched, peer_number(peer), key.context, key.tag, bytes, 0);
  }
  /// A receive takes a message that arrived at this time, which 0 says is not known.
  void matched(ProcId peer, const MatchKey& key, std::size_t bytes, std::int64_t arrived_ns,
               Request& request) {
    request.proc = peer;
    if (!events_.wanted(EventKind::message_matched)) [[likely]]
      return;
    const std::int64_t waited = arrived_ns == 0 ? -1 : monotonic_ns() - arrived_ns;
    events_.raise(EventKind::message_matched, peer_number(peer), key.context, key.tag, bytes,
                  waited);
  }
  void protocol(const Request& request, std::size_t bytes, ProtocolEvent protocol) {
    events_.raise(EventKind::protocol_chosen, peer_number(request.proc), request.key.context,
                  request.key.tag, bytes, protocol);
  }

  // As the functions of pt2pt/request.hpp.

  void complete(Request& request) {
    constexpr Events::Mask kToTell =
        Events::bit(EventKind::request_completed) | Events::bit(EventKind::collective_ended);
    if (events_.any_of(kToTell)) [[unlikely]]
      tell_completed(request);
    complete_request(request, progress_);
  }
  void fail(Request& request, int error) {
    request.place = RequestPlace::nowhere;
    request.status.error = error;
    complete(request);
  }
  void cancel(Request& request) {
    request.place = RequestPlace::nowhere;
    request.status.cancelled = true;
    complete(request);
  }

  /// The messages of the collective operation with this tag on the communicator of this context are
  /// waited for from now on, and for nothing else.
  void await_collective(ContextId context, int tag) {
    awaited_ = {context, tag, kAnyProc, monotonic_ns(), -1};
  }
  /// Whom a collective operation has waited for: of one that was awaited the peer of the message
  /// whose completion took longest since the one before, for all others may have come late because
  /// of that one; else the peer of the message that was complete last. kAnyProc: not known, as it
  /// is while EventKind::collective_ended is not wanted, and of any operation but the last one.
  [[nodiscard]] ProcId peer_of_collective(ContextId context, int tag) const {
    if (awaited_.context == context && awaited_.tag == tag && awaited_.longest_ns >= 0) {
      return awaited_.peer;
    }
    return is_of(last_key_, context, tag) ? last_peer_ : kAnyProc;
  }

  /// Of any process: -1.
  [[nodiscard]] static std::int64_t peer_number(ProcId proc) {
    return static_cast<std::int32_t>(number_of(proc));
  }

 private:
  void tell_arrived(ProcId peer, const MatchKey& key, std::size_t bytes, bool expected) {
    events_.raise(EventKind::message_arrived, peer_number(peer), key.context, key.tag, bytes,
                  expected ? 1 : 0);
  }
  /// Each communicator has several contexts, from one number on.
  [[nodiscard]] static bool is_of(const MatchKey& key, ContextId context, int tag) {
    return key.context - context < kContextsEach && key.tag == tag;
  }
  void tell_posted(const Request& request);
  void tell_completed(const Request& request);
  void note_of_collective(const Request& request);

  Events& events_;
  Progress& progress_;
  // See peer_of_collective().
  struct Awaited {
    ContextId context = 0;
    int tag = -1;
    ProcId peer = kAnyProc;
    std::int64_t since_ns = 0;  // when it began, or a message was complete
    std::int64_t longest_ns = -1;
  };
  MatchKey last_key_;
  ProcId last_peer_ = kAnyProc;
  Awaited awaited_;
};

}  // namespace remit
