// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Looking at the notes of peers.
#pragma once

#include <vector>

#include "rdma_btl/verbs/agenda.hpp"
#include "rdma_btl/verbs/endpoints.hpp"

namespace remit::verbs {

class Borrowing;
class Lending;

/// Who is dry, and for whom, is known to both sides, so each knows when the other's note is to be
/// looked at: only then it costs anything. One thread.
class NoteReader {
 public:
  NoteReader(Endpoints& endpoints, Agenda& agenda, Borrowing& borrowing, Lending& lending)
      : endpoints_(endpoints), agenda_(agenda), borrowing_(borrowing), lending_(lending) {}

  /// From now on the peer's note is looked at, until it is not dry and talks.
  void listen_to(Endpoint& endpoint);
  [[nodiscard]] bool listening() const { return !listening_.empty(); }
  /// Looks at the notes of those who may have written one.
  void listen();
  /// Acts upon what is new in the peer's note.
  void heed(Endpoint& endpoint);

 private:
  Endpoints& endpoints_;
  Agenda& agenda_;
  Borrowing& borrowing_;
  Lending& lending_;
  std::vector<EndpointId> listening_;
};

}  // namespace remit::verbs
