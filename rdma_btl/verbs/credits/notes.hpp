// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Notes: what a process says to a peer without using one of its receives.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma_btl/verbs/adapter/registered_memory.hpp"
#include "rdma_btl/verbs/agenda.hpp"
#include "rdma_btl/verbs/endpoints.hpp"
#include "rdma_btl/verbs/messages/work_queue.hpp"

namespace remit::verbs {

/// Gives each endpoint a place for the peer's note and one for ours, and writes ours to the peer.
/// Writes of one note may not pass each other. An iWARP adapter may place them in any order until
/// something behind them is delivered: there a note waits until the one before it has been read
/// back. One thread.
class Notes {
 public:
  Notes(const OpenedAdapter& adapter, const VerbsConfig& config, RegisteredMemory& memory,
        Endpoints& endpoints, Agenda& agenda, WorkQueue& work)
      : adapter_(adapter),
        config_(config),
        memory_(memory),
        endpoints_(endpoints),
        agenda_(agenda),
        work_(work) {}

  /// Places for an endpoint that has none yet.
  [[nodiscard]] Expected<> make(Endpoint& endpoint);
  /// Sends NoteBox::said as soon as there is room: until then nothing else is posted to the peer,
  /// which would overtake it.
  void write(Endpoint& endpoint);
  /// Posts a read of the peer's copy of our note, which is awaited. What a read brings back has
  /// been placed (RFC 5040, 5.5), and somebody has answered; with iWARP the end of a write proves
  /// neither. `cookie` completes with it.
  void read_back(Endpoint& endpoint, RecordKind kind, std::uint64_t cookie = kNoCompletion);

  /// Whether notes wait for room, and another attempt for these.
  [[nodiscard]] bool due() const { return !due_.empty(); }
  void write_due();

  /// Whether the peer has left in order without a credit to say so. This may overtake messages, so
  /// it is asked for only when the connection has ended.
  [[nodiscard]] static bool said_farewell(const Endpoint& endpoint);

 private:
  /// For the notes of an endpoint: the peer's, behind it ours, and where the peer's is read into
  /// to prove that it is there.
  struct Place {
    Note* notes = nullptr;
    std::uint32_t lkey = 0;
    std::uint32_t rkey = 0;
  };

  const OpenedAdapter& adapter_;
  const VerbsConfig& config_;
  RegisteredMemory& memory_;
  Endpoints& endpoints_;
  Agenda& agenda_;
  WorkQueue& work_;
  std::vector<Place> free_;
  std::vector<EndpointId> due_;  ///< to be written when there is room
};

/// The peer's note as it is now, read as one word.
[[nodiscard]] Note read_note(const Note* note);

}  // namespace remit::verbs
