// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Giving the core to others over and over.
#pragma once

namespace remit {

/// Gives the core to whoever else wants it. Now and then the thread sleeps for a moment instead: on
/// Linux 6.18 each sched_yield() puts its virtual time a slice ahead, and a thread that yields for
/// seconds without a sleep has kept another process from the core for as long as it went on (seen
/// with groups of processes, two on each of two cores). Any thread.
void yield_core();

}  // namespace remit
