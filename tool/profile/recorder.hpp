// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a wrapper does before and after the call that it passes on. A thread that is outside of MPI
// has its table at hand (`Local::free`); every other case, the first call, a call inside of another
// one, more threads than tables, finds nothing there and goes the long way.
#pragma once

#include <atomic>
#include <cstdint>

#include "mpi.h"
#include "tool/profile/call_stack.hpp"
#include "tool/profile/clock.hpp"
#include "tool/profile/record.hpp"
#include "tool/profile/tracer.hpp"

namespace remit::profile {

/// The number of a function among those that have wrappers.
using FunctionId = std::uint32_t;

inline constexpr unsigned kIndexBits = 11;

/// What belongs to a table and need not be in the record. In private memory.
struct ThreadState {
  ThreadTable* table;
  std::uint8_t number;      ///< of the table
  std::uint64_t next_sync;  ///< ticks; then more is written down than calls
  std::array<std::uint16_t, 1U << kIndexBits> index;  ///< by hash of the key: a site, plus 1
  std::array<std::uint64_t, kSites> keys;             ///< of the sites
};

/// What a thread knows of itself.
struct Local {
  static constexpr std::size_t kTypes = 64;
  struct TypeSize {
    std::uintptr_t type;
    std::uint32_t generation;
    std::int64_t bytes;
  };

  ThreadState* free;  ///< its table, while it is outside of MPI and may be recorded
  ThreadState* state;
  SiteRecord* site;  ///< where it is in MPI
  std::uint32_t depth;
  bool is_paused;
  bool is_gone;  ///< the thread ends
  std::array<TypeSize, kTypes> types;
  /// The last process that a message went to.
  struct LastPeer {
    std::uintptr_t communicator;
    int rank;  ///< there
    std::uint32_t generation;
    PeerRecord* row;
  } last_peer;
};

/// The library is preloaded, so that its threads' memory is there from the start.
extern constinit thread_local Local local_state [[gnu::tls_model("initial-exec")]];

/// A call that has begun.
struct Call {
  ThreadState* state;  ///< null: the long way back
  SiteRecord* site;    ///< null: it is not recorded
  std::uint64_t begin;
};

/// What a call has moved.
struct Moved {
  Traffic traffic = Traffic::none;
  std::uint64_t bytes = 0;
};

// The key of a call site is the address that the call returns to. Where stacks are recorded it is
// made of the addresses of all frames.

[[nodiscard]] inline std::size_t index_slot(std::uint64_t key) {
  return (key * 0x9E3779B97F4A7C15U) >> (64U - kIndexBits);
}

/// The place of these calls in a table; makes one.
[[nodiscard]] SiteRecord* add_site(ThreadState& state, FunctionId function, std::uint64_t key);

[[nodiscard]] inline SiteRecord* find_site(ThreadState& state, FunctionId function,
                                           std::uint64_t key) {
  for (std::size_t slot = index_slot(key);; slot = (slot + 1) % state.index.size()) {
    const std::uint16_t at = state.index[slot];
    if (at == 0) return add_site(state, function, key);
    SiteRecord& site = state.table->sites[at - 1U];
    if (state.keys[at - 1U] == key && site.function == function) return &site;
  }
}

[[nodiscard]] Call enter_long(FunctionId function, std::uint64_t key);
void leave_long(const Call& call, std::uint64_t end, const Moved& moved, const Envelope& envelope);
/// Writes down what changes slowly: clocks, memory, processor time.
void sync(ThreadState& state, std::uint64_t now);
/// Time in MPI that does not lie in one column of the strip.
void spread(ThreadTable& table, std::uint64_t begin, std::uint64_t end);

/// The first moment of the record.
extern std::uint64_t start_ticks;

[[nodiscard, gnu::always_inline]] inline Call enter_at(FunctionId function, std::uint64_t key,
                                                       int peer) {
  Local& local = local_state;
  ThreadState* const state = local.free;
  if (state == nullptr) [[unlikely]] {
    return enter_long(function, key);
  }
  local.free = nullptr;
  SiteRecord* const site = find_site(*state, function, key);
  ++site->calls;
  local.site = site;
  ThreadTable& table = *state->table;
  const std::uint64_t now = ticks();
  table.current.since_ticks = now;
  table.current.peer = peer;
  table.current.site = static_cast<std::uint32_t>(site - table.sites.data()) + 1;
  // Whoever reads the record of a process that was killed here finds the call.
  std::atomic_signal_fence(std::memory_order_release);
  return {state, site, now};
}

/// `frame`: the wrapper's own. `peer`: as the call names it.
[[nodiscard, gnu::always_inline]] inline Call enter(FunctionId function, void* returns_to,
                                                    const void* frame, int peer = kUnknownPeer) {
  auto key = reinterpret_cast<std::uint64_t>(returns_to);
  if (key - looked_behind.begin < looked_behind.bytes) [[unlikely]] {
    key = key_behind(key, frame);
  }
  return enter_at(function, key, peer);
}

[[gnu::always_inline]] inline void add_time(ThreadTable& table, SiteRecord& site,
                                            std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t took = end - begin;
  site.ticks += took;
  if (took > site.max_ticks) site.max_ticks = took;
  table.mpi_ticks += took;
  table.last_ticks = end;
  const std::uint64_t column = (end - start_ticks) >> table.column_shift;
  if (column < kColumns && column == (begin - start_ticks) >> table.column_shift) [[likely]] {
    table.column_mpi[column] += took;
  } else {
    spread(table, begin, end);
  }
}

[[gnu::always_inline]] inline void add_moved(ThreadTable& table, SiteRecord& site,
                                             const Moved& moved) {
  if (moved.traffic == Traffic::none) return;
  site.bytes += moved.bytes;
  SizeRow& row = table.sizes[static_cast<std::size_t>(moved.traffic)][bucket_of(moved.bytes)];
  ++row.count;
  row.bytes += moved.bytes;
}

[[nodiscard]] inline std::uint32_t number_in(const ThreadTable& table, const SiteRecord& site) {
  return static_cast<std::uint32_t>(&site - table.sites.data());
}

/// `end`: when the call came back; what it has moved was found out afterwards.
[[gnu::always_inline]] inline void leave(const Call& call, std::uint64_t end, const Moved& moved,
                                         const Envelope& envelope = {}) {
  ThreadState* const state = call.state;
  if (state == nullptr) [[unlikely]] {
    return leave_long(call, end, moved, envelope);
  }
  ThreadTable& table = *state->table;
  add_time(table, *call.site, call.begin, end);
  add_moved(table, *call.site, moved);
  if (end >= state->next_sync) [[unlikely]] {
    sync(*state, end);
  }
  if (trace_file != nullptr) [[unlikely]] {
    trace_call(
        {call.begin, end, moved.bytes, table.current.peer, table.current.site - 1, state->number},
        envelope);
  }
  table.current.site = 0;
  Local& local = local_state;
  local.site = nullptr;
  local.free = state;
}

/// The next definition of a function: that of another tool, or of the library.
[[nodiscard]] void* find_next(FunctionId function);
extern std::array<void*, 1024> next_functions;

template <class Function>
[[nodiscard, gnu::always_inline]] inline Function* next_of(FunctionId function) {
  void* found = next_functions[function];
  if (found == nullptr) [[unlikely]] {
    found = find_next(function);
  }
  return reinterpret_cast<Function*>(found);
}

/// A function of the library that no tool wraps, by its PMPI_ name; null: it has none.
[[nodiscard]] void* library_function(const char* name);
template <class Function>
[[nodiscard]] Function* library(const char* name) {
  return reinterpret_cast<Function*>(library_function(name));
}

/// The record; opened by the first call. Without a file it is private memory.
[[nodiscard]] Record& record();
/// Whether several threads may write what belongs to the process.
extern std::atomic<bool> is_shared;

/// The program's own tool makes all calls: what the library tells of waiting is written down
/// without call sites.
void record_without_calls();

/// MPI_Finalize has ended, the job is aborted, MPI_Pcontrol was called.
void finalized(std::uint64_t now);
void aborting(int code);
void control(int level);

/// The call that this thread is in has waited; for whom, as far as that is known. The wait has been
/// over for `over_ns`. Called from inside of the call.
void add_wait(Cause cause, std::int32_t world_rank, std::uint64_t ns, std::uint64_t over_ns);

}  // namespace remit::profile
