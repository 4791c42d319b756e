// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What an engine counts, for tests, tools and the report at the end of a job.
#pragma once

#include <cstdint>

namespace remit {

/// Each part of the engine counts what it does here. Plain numbers: one thread.
struct MessageCounters {
  std::uint64_t eager = 0;          ///< messages sent with their envelope
  std::uint64_t rendezvous = 0;     ///< messages announced first
  std::uint64_t starved = 0;        ///< of those, small ones that found no credit
  std::uint64_t gets = 0;           ///< messages that this process read
  std::uint64_t puts = 0;           ///< messages that this process wrote
  std::uint64_t listed = 0;         ///< of gets and puts, those by lists of memory runs
  std::uint64_t pipelined = 0;      ///< messages that this process sent in fragments
  std::uint64_t pulled = 0;         ///< small messages fetched into the pool before their match
  std::uint64_t recalls = 0;        ///< leases of idle peers asked back
  std::uint64_t malformed = 0;      ///< messages dropped because they made no sense
  std::uint64_t pinned_pieces = 0;  ///< pieces registered while others of their message travelled
  std::uint64_t deferred = 0;       ///< messages that started before anything was registered
  std::uint64_t bounced = 0;        ///< pieces copied because their memory could not be registered
  std::uint64_t on_demand = 0;      ///< uses of the one registration of all memory
};

}  // namespace remit
