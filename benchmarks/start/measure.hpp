// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the parts of a start cost on this machine, in the launcher's own code.
#pragma once

#include "benchmarks/start/daemons.hpp"

namespace remit::start {

/// Fills in `message` and `per_byte` (of a connection through the loopback interface), and
/// `prepare` (a job of `shape`). PMIx's threads run afterwards: the process ends by _exit().
struct Measured {
  Costs costs;
  double prepare_bytes = 0;  ///< of memory, for each rank
};
[[nodiscard]] Measured measure(const Shape& shape);

}  // namespace remit::start
