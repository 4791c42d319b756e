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
  /// The time for matched(), if that will be asked for; else 0.
  [[nodiscard]] std::int64_t arrived(ProcId peer, const MatchKey& key, std::size_t bytes,
                                     bool expected) {
    events_.raise(EventKind::message_arrived, peer_number(peer), key.context, key.tag, bytes,
                  expected ? 1 : 0);
    return events_.wanted(EventKind::message_matched) ? monotonic_ns() : 0;
  }
  /// A message that has just arrived has found its receive.
  void expected(ProcId peer, const MatchKey& key, std::size_t bytes, Request& request) {
    request.proc = peer;
    (void)arrived(peer, key, bytes, true);
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

  /// The peer of the message of a collective operation that was complete last, if that is the
  /// operation with this tag on the communicator of this context; else kAnyProc. Known while
  /// EventKind::collective_ended is wanted.
  [[nodiscard]] ProcId last_of_collective(ContextId context, int tag) const {
    const bool same = last_key_.context - context < kContextsEach && last_key_.tag == tag;
    return same ? last_peer_ : kAnyProc;
  }

  /// Of any process: -1.
  [[nodiscard]] static std::int64_t peer_number(ProcId proc) {
    return static_cast<std::int32_t>(number_of(proc));
  }

 private:
  void tell_posted(const Request& request);
  void tell_completed(const Request& request);

  Events& events_;
  Progress& progress_;
  MatchKey last_key_;  // see last_of_collective()
  ProcId last_peer_ = kAnyProc;
};

}  // namespace remit
