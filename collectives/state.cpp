// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What collectives keep of a communicator.
#include "collectives/state.hpp"

namespace remit {

CollectiveState& collective_state(const CommCore& comm) {
  if (comm.collectives == nullptr) comm.collectives = std::make_shared<CollectiveState>();
  return *comm.collectives;
}

const CollectiveState& known_state(const CommCore& comm) {
  static const CollectiveState kNothing;
  return comm.collectives == nullptr ? kNothing : *comm.collectives;
}

void refuse_set_up(const CommCore& comm) {
  CollectiveState& state = collective_state(comm);
  state.board_uses = state.hierarchy_uses = ~std::uint32_t{0};
}

}  // namespace remit
