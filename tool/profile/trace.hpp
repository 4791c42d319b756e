// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The trace of a process under `mpirun --trace`: a file beside its record, mapped and written to as
// that is, with one entry a call, wait or end of a message. The entries are a ring: when it is full
// the oldest go, and what the record has counted of them stays.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace remit::profile {

inline constexpr std::array<char, 8> kTraceMagic{'R', 'E', 'M', 'I', 'T', 'T', 'R', 'C'};
inline constexpr std::uint32_t kTraceVersion = 1;
/// What the names of traces end with, where their records have kSuffix.
inline constexpr const char* kTraceSuffix = ".trace";
inline constexpr std::size_t kTraceEntries = 349'504;
/// So many a thread takes at once.
inline constexpr std::size_t kTraceEntriesTaken = 16;
static_assert(kTraceEntries % kTraceEntriesTaken == 0);

/// The tag of a call that has none.
inline constexpr std::int32_t kNoTag = -0x7FFFFFFF;

enum class TraceKind : std::uint8_t {
  none,
  call,      ///< an MPI function was entered, and came back
  wait,      ///< inside of a call; ends where the entry says
  sent,      ///< a message began to leave
  received,  ///< a receive took a message
};

struct TraceEntry {
  std::uint64_t begin;  ///< ticks; of a wait: the nanoseconds that it took
  std::uint64_t end;    ///< ticks; of a message the only moment
  std::uint64_t bytes;  ///< of a receive that is a call: of its buffer
  std::int32_t peer;    ///< of a call: as the call names it; else a rank of MPI_COMM_WORLD
  std::int32_t tag;
  std::uint32_t context;  ///< of a call: its communicator's handle; else that of MPI_T's events
  /// Of a call or wait: its site in the table `thread` of the record, plus 1. Of a message: how
  /// many of its direction, peer, context and tag there were so far, itself among them; 0: not
  /// known.
  std::uint32_t place;
  std::uint32_t sequence;  ///< number of the entry, from 1: written when all else is
  TraceKind kind;
  std::uint8_t thread;  ///< a table of the record; kThreads: none of them
  std::uint8_t cause;   ///< of a wait
  std::uint8_t pad;
};
static_assert(sizeof(TraceEntry) == 48);

struct TraceFile {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t bytes;              ///< of this structure
  std::uint64_t unnumbered;         ///< messages whose place is 0
  std::uint64_t without_room;       ///< entries that the file system had no room for
  alignas(64) std::uint64_t begun;  ///< entries that were taken, of which the last of each thread
                                    ///< may never be written
  alignas(64) std::array<TraceEntry, kTraceEntries> entries;
};
static_assert(std::is_trivially_copyable_v<TraceFile>);
static_assert(sizeof(TraceFile) <= 16U << 20U, "a rank's trace has at most 16 MB");

}  // namespace remit::profile
