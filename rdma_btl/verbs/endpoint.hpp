// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the verbs device keeps of one peer: a part for each of the device's own parts.
#pragma once

#include <rdma/rdma_cma.h>

#include <cstdint>
#include <string>

#include "rdma_btl/common/credits.hpp"
#include "rdma_btl/verbs/messages/work_ring.hpp"
#include "rdma_btl/verbs/wire.hpp"

namespace remit::verbs {

enum class State : std::uint8_t {
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

/// What the peer has lent to us; the state of Borrowing.
struct Borrowed {
  AskedCredits credits;     ///< receives of the peer
  bool starving = false;    ///< something waits for a credit
  bool dry = false;         ///< the peer has its credits back: it speaks to us by its note
  bool recall_due = false;  ///< it wants its credits back, and has not got them yet
};

/// Notes from and to the peer; the state of Notes and NoteReader.
struct NoteBox {
  Note* heard = nullptr;   ///< where the peer writes its note
  Note* said = nullptr;    ///< what we last wrote, or will write as soon as there is room
  Note heeded;             ///< of `heard`, what was acted upon
  std::uint32_t lkey = 0;  ///< of `said`
  std::uint32_t rkey = 0;  ///< of `heard`
  RemoteAddress there;     ///< where `said` goes
  bool due = false;        ///< it waits for room: nothing may be posted before it
  bool flies = false;      ///< with iWARP: the last one may still be placed behind a next
  bool listening = false;  ///< `heard` is looked at
  bool spoke = false;      ///< the peer has sent a message since its last loan by note
};

/// How the peer is connected; the state of Connections.
struct Contact {
  rdma_cm_id* active = nullptr;
  rdma_cm_id* passive = nullptr;
  std::uint64_t timer_ns = 0;    ///< next attempt, end of waiting, or of the work of who has failed
  std::uint64_t give_up_ns = 0;  ///< of a row of attempts
  unsigned attempts = 0;
  unsigned unresolved = 0;   ///< attempts in a row whose address or route was not found
  bool timed = false;        ///< a timer of Connections is for it
  bool has_address = false;  ///< else only the peer can connect
  sockaddr_storage address = {};
};

/// Whether the peer's host answers while its process does not; the state of HostQuestions.
struct Question {
  rdma_cm_id* id = nullptr;    ///< of the question under way
  std::uint64_t ask_ns = 0;    ///< when it is to be asked
  std::uint64_t asked_ns = 0;  ///< since when it has not answered; 0: it has
};

/// The last question whether a connected peer's host is there; the state of Keepalive.
struct KeepaliveProbe {
  std::uint64_t since_ns = 0;  ///< when `retired` last advanced
  std::uint32_t sequence = 0;  ///< the number of its work request
  std::uint32_t retired = 0;   ///< WorkRing::retired() at `since_ns`
  bool under_way = false;
};

/// One peer. What a send touches comes first. Owned by Endpoints, and never moved.
struct Endpoint {
  State state = State::idle;
  bool immediate = false;  ///< notifications travel as immediate data
  bool leaving = false;    ///< disconnected: Teardown settles it
  EndpointId id = 0;
  ibv_qp* qp = nullptr;
  Borrowed borrowed;
  CreditLease lease;  ///< receives of ours for the peer; the state of Lending
  WorkRing work;
  NoteBox note;
  Heads sent_heads;
  Heads heard_heads;

  PeerName peer = 0;
  Contact contact;
  Question question;
  KeepaliveProbe keepalive;
  std::string where;  ///< "10.0.0.2:4711"
  std::string host;   ///< its name
  std::string words;  ///< behind the last failure or trouble
};

}  // namespace remit::verbs
