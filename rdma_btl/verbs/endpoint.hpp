// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The verbs device's private state: connections and work requests under way.
#pragma once

#include <time.h>

#include <string>
#include <vector>

#include "rdma_btl/verbs/verbs_device.hpp"

namespace remit {

enum class VerbsDevice::State : std::uint8_t {
  idle,        ///< known; a first post connects
  resolving,   ///< the peer's address
  routing,     ///< the way to it
  connecting,  ///< our request is under way
  waiting,     ///< for the next attempt, or for the peer's request, which wins
  accepting,   ///< the peer's request was accepted; its first message opens the endpoint
  open,
  gone,    ///< left in order: fails when it is spoken to
  failed,  ///< accepts everything, completes it with an error
};

enum class VerbsDevice::RecordKind : std::uint8_t {
  plain,
  buffered,  ///< `resource` is a send slot
  swap,      ///< `resource` is a SwapJob
  proof,     ///< with iWARP: the note before it is where it belongs
};

/// A work request under way.
struct VerbsDevice::Record {
  std::uint64_t cookie = kNoCompletion;
  std::uint32_t resource = 0;
  RecordKind kind = RecordKind::plain;
  bool awaited = false;  ///< what completes behind it says nothing about it
};

/// A swap, made of compare-and-swaps until one finds the value that it guessed.
struct VerbsDevice::SwapJob {
  std::uint32_t index = 0;
  EndpointId endpoint = 0;
  bool live = false;
  bool swapped = false;  ///< only the notification is missing
  bool notify = false;
  std::uint32_t notification = 0;
  std::uint32_t slot = 0;  ///< send slot that gets the old value
  std::uint64_t guess = 0;
  std::uint64_t operand = 0;
  std::uint64_t cookie = kNoCompletion;
  RemoteAddress remote;
  void* result = nullptr;
};

/// One peer. What a send touches comes first.
struct VerbsDevice::Endpoint {
  State state = State::idle;
  bool immediate = false;  ///< notifications travel as immediate data
  bool starving = false;   ///< something waits for a credit
  bool credit_due = false;
  bool note_due = false;          ///< is in notes_due_: nothing may be posted before it
  bool note_flies = false;        ///< with iWARP: the last one may still be placed behind a next
  bool recalled = false;          ///< we want back what is lent to it: what it uses is not owed
  bool spoke = false;             ///< has sent a message since its last loan by note
  bool lively = false;            ///< has sent a message since recall() last came by
  std::uint32_t credits = 0;      ///< receives of the peer that we may use
  std::uint32_t owed = 0;         ///< receives of ours that the peer may use again, not told yet
  std::uint32_t lease = 0;        ///< receives of ours for this peer, wherever they are
  std::uint32_t posted = 0;       ///< work requests so far; wraps
  std::uint32_t retired = 0;      ///< of those, finished and with them all before; wraps
  std::uint32_t finished = 0;     ///< up to here all are, but those that are awaited; wraps
  std::uint32_t unsignalled = 0;  ///< since the last one that will give a completion
  ibv_qp* qp = nullptr;
  EndpointId id = 0;
  std::vector<Record> records;  ///< a ring over posted - retired
  verbs::Heads sent_heads;
  verbs::Heads heard_heads;

  PeerName peer = 0;
  std::uint32_t qp_num = 0;
  bool wants_more = false;       ///< the peer said that it starves
  bool dry = false;              ///< the peer has its credits back: it speaks to us by its note
  bool wished = false;           ///< and has been asked for new ones
  bool recall_due = false;       ///< is in recalls_due_
  bool listening = false;        ///< is in listening_
  verbs::Note* heard = nullptr;  ///< where the peer writes its note
  verbs::Note* said = nullptr;   ///< what we last wrote, or will write as soon as there is room
  verbs::Note heeded;            ///< of `heard`, what was acted upon
  std::uint32_t note_lkey = 0;   ///< of `said`
  std::uint32_t note_rkey = 0;   ///< of `heard`
  RemoteAddress peer_note;       ///< where `said` goes
  bool leaving = false;          ///< is in leaving_
  bool timed = false;            ///< is in connecting_
  bool has_address = false;      ///< else only the peer can connect
  bool knocking = false;         ///< work request `knock` asks whether the peer's host is there
  std::uint32_t knock = 0;
  std::uint32_t knock_retired = 0;  ///< `retired` when it last advanced meanwhile
  std::uint64_t knock_ns = 0;       ///< and that time
  unsigned attempts = 0;
  unsigned unresolved = 0;       ///< attempts in a row whose address or route was not found
  std::uint64_t timer_ns = 0;    ///< next attempt, or end of waiting
  std::uint64_t give_up_ns = 0;  ///< of a row of attempts
  rdma_cm_id* active = nullptr;
  rdma_cm_id* passive = nullptr;
  rdma_cm_id* question = nullptr;  ///< asks the peer's host whether it is there
  std::uint64_t ask_ns = 0;        ///< when it is to be asked
  std::uint64_t asked_ns = 0;      ///< since when it has not answered; 0: it has
  sockaddr_storage address = {};
  std::string where;  ///< "10.0.0.2:4711"
  std::string host;   ///< its name
  std::string words;  ///< behind the last failure or trouble

  [[nodiscard]] std::uint32_t under_way() const { return posted - retired; }
};

/// A peer has used one of its receives, which is free again.
inline void VerbsDevice::owe(Endpoint& endpoint) {
  endpoint.spoke = endpoint.lively = true;
  if (endpoint.recalled) [[unlikely]]
    return take_back(endpoint, 1);
  ++endpoint.owed;
  if (endpoint.credit_due || (2 * endpoint.owed < endpoint.lease && !endpoint.wants_more)) return;
  endpoint.credit_due = chores_ = true;
  credit_due_.push_back(endpoint.id);
}

namespace verbs {

/// Kept of the credits for a message that returns credits.
inline constexpr std::uint32_t kReservedCredits = 1;
/// Receives that are lent to a peer at once, at least. Of two, one message that returns a credit
/// would be half, and so be answered by another, for ever.
inline constexpr std::uint32_t kLeastLease = 3;
/// Kept of a connection's work requests, of the completion queue and of the send slots for the
/// device's own messages.
inline constexpr std::uint32_t kSpare = 2;
inline constexpr std::size_t kSpareSlots = 8;
/// At least every so many work requests of a connection give a completion.
inline constexpr std::uint32_t kSignalEvery = 16;

/// More than this is not asked for: descriptors take room for it whether it is used or not.
inline constexpr std::uint32_t kMostInline = 256;

inline constexpr std::uint64_t kReceiveBit = std::uint64_t{1} << 63;

inline std::uint64_t now_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

inline std::uint64_t ms(std::uint64_t count) {
  return count * 1'000'000;
}

/// An event made by software.
inline Completion event_of(CompletionKind kind, EndpointId endpoint, int status,
                           std::uint64_t cookie = 0) {
  return {kind, status, endpoint, 0, cookie, {}};
}

}  // namespace verbs

}  // namespace remit
