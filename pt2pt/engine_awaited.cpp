// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What is not complete, for the report of a job that hangs.
#include "pt2pt/engine.hpp"

namespace remit {

std::vector<Engine::Awaited> Engine::awaited() {
  std::vector<Awaited> all;
  matcher_.for_each_posted([&](PostedLink& link) {
    const auto& request = static_cast<Request&>(link);
    all.push_back({request.key, false, request.proc});
  });
  transfers_.for_each([&](Transfer& transfer) {
    if (transfer.peer == nullptr) return;
    const bool is_receive = !transfer.is_send && transfer.request != nullptr;
    if (!transfer.is_send && !is_receive) return;
    const MatchKey& key = is_receive ? transfer.request->key : transfer.key;
    all.push_back({key, transfer.is_send, transfer.peer->id});
  });
  for (Link* link : links_.table().all()) {
    for (const Request& request : static_cast<Peer*>(link)->waiting) {
      all.push_back({request.key, true, link->id});
    }
  }
  return all;
}

}  // namespace remit
