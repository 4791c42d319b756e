// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What collectives/driver.cpp has for algorithms that are made of others, and of the board what the
// algorithms in peers' memory would ask, which need no machine: there is none here.
#include <cstdlib>

#include "collectives/algorithms.hpp"
#include "collectives/algorithms/direct.hpp"
#include "collectives/board/board.hpp"

namespace remit {

void CollCtx::broken_off(int error) {
  fail(error);
}

Task<int> run_part(CollCtx& c, CollectiveArgs a) {
  learn_place(c.engine(), c.comm());
  const CollectiveShape shape = shape_of(c.comm(), a);
  if (shape.size < 2) co_return c.error();
  Task<int> part = choose_algorithm(a.kind, shape, c.engine().process().params()).run(c, a);
  co_await part;
  co_return c.error();
}

void Direct::meet_at_board(CollCtx& /*c*/, const CollectiveArgs* /*a*/) {
  std::abort();
}

int Board::leave(int /*error*/) {
  std::abort();
}

int Board::part(int /*error*/, int /*hub*/, bool /*hub_works*/) {
  std::abort();
}

}  // namespace remit
