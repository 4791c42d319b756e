// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Who waits for whom: from the calls that ranks are blocked in to deadlocks, collectives that not
// all members have entered or that do not match, and those whom the others wait for. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/call_status.hpp"

namespace remit::launcher {

/// Where a rank is in its life.
enum class RankLife {
  before,     ///< not started, before MPI_Init, or without MPI
  inside,     ///< between MPI_Init and MPI_Finalize
  finalized,  ///< after MPI_Finalize: it will send nothing any more
  ended,      ///< its process is gone
  unknown,    ///< its host does not answer: it may do anything
};

/// What is known of one rank.
struct RankWait {
  RankLife life = RankLife::before;
  std::vector<CallRecord> calls;  ///< one a blocked thread; empty: it waits in no call
};

/// "0-3, 7" of ascending ranks.
[[nodiscard]] std::string rank_list(const std::vector<int>& ranks);

/// The table's cell for one call: "MPI_Recv from 1, tag 7, 4 MPI_INT, on MPI_COMM_WORLD".
/// `seen_ns`: when it was read, by the clock of its host; 0: for how long a lock is held is not
/// said.
[[nodiscard]] std::string describe_call(const CallRecord& call, std::int64_t seen_ns = 0);

/// A line for each finding, none if nobody waits; the ranks are 0, 1, ... of MPI_COMM_WORLD.
[[nodiscard]] std::vector<std::string> describe_waits(const std::vector<RankWait>& ranks);

}  // namespace remit::launcher
