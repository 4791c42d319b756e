// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Operations that are parts of others.
#include "collectives/algorithms.hpp"
#include "collectives/choice/decision.hpp"

namespace remit {

Task<int> run_part(CollCtx& c, CollectiveArgs a) {
  learn_costs(c.engine(), c.comm());
  const CollectiveShape shape = shape_of(c.comm(), a);
  if (is_for_one(shape, a)) {
    do_alone(shape.size, a);
    co_return c.error();
  }
  const Algorithm& row = choose_algorithm(a.kind, shape, c.engine().process().params());
  Task<int> algorithm = row.run(c, a);
  co_await algorithm;
  co_return c.error();
}

const Algorithm& algorithm_of_part(CollCtx& c, const CollectiveArgs& a) {
  learn_costs(c.engine(), c.comm());
  return choose_algorithm(a.kind, shape_of(c.comm(), a), c.engine().process().params());
}

}  // namespace remit
