// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Looking at the notes of peers.
#include "rdma_btl/verbs/credits/note_reader.hpp"

#include "rdma_btl/verbs/credits/borrowing.hpp"
#include "rdma_btl/verbs/credits/lending.hpp"
#include "rdma_btl/verbs/credits/notes.hpp"

namespace remit::verbs {

void NoteReader::listen_to(Endpoint& endpoint) {
  if (endpoint.note.listening) return;
  endpoint.note.listening = true;
  listening_.push_back(endpoint.id);
}

/// Looks at the notes of those who may have written one.
void NoteReader::listen() {
  std::erase_if(listening_, [&](EndpointId id) {
    Endpoint& endpoint = endpoints_[id];
    // Whatever the peer wrote before that message is there.
    const bool talks = endpoint.lease.units != 0 && !endpoint.borrowed.dry && endpoint.note.spoke;
    if (endpoint.state == State::open) heed(endpoint);
    if (endpoint.borrowed.starving) agenda_.attention = true;
    if (endpoint.state == State::open && !talks) return false;
    endpoint.note.listening = false;
    return true;
  });
  if (lending_.has_requests()) lending_.find_receives();
}

/// Acts upon what is new in the peer's note.
void NoteReader::heed(Endpoint& endpoint) {
  if (endpoint.note.heard == nullptr) return;
  const Note note = read_note(endpoint.note.heard);
  Note& heeded = endpoint.note.heeded;
  const std::uint32_t lent = note.lent - heeded.lent;
  // An adapter may write it byte by byte. No loan is as large as what a half-written sum looks
  // like.
  constexpr std::uint32_t kLargestLoan = 255;
  if (note == heeded || lent > kLargestLoan) return;
  if (lent != 0) {
    heeded.lent = note.lent;
    Borrowing::on_loan(endpoint, lent);
  }
  // It follows a loan, so who is dry has not seen that yet.
  if (note.recalls != heeded.recalls && !endpoint.borrowed.dry) {
    heeded.recalls = note.recalls;
    borrowing_.on_recall(endpoint);
  }
  if (note.requests != heeded.requests) {
    heeded.requests = note.requests;
    lending_.on_request(endpoint);
  }
}

}  // namespace remit::verbs
