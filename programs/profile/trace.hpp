// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The traces of a job's ranks (mpirun --trace): read one rank at a time, so that those of many fit
// into memory. All times are nanoseconds since the job began, on one clock.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "programs/profile/record_time.hpp"
#include "tool/profile/record.hpp"
#include "tool/profile/trace.hpp"

namespace remit::profiles {

/// A trace that is mapped as long as somebody has it.
using TraceView = std::shared_ptr<const profile::TraceFile>;

/// Maps a file and checks that it is a trace. Its entries may be anything.
[[nodiscard]] Expected<TraceView> read_trace(const std::string& path);

/// Where the trace of a rank is, and what its entries mean.
struct TraceSource {
  int rank = 0;  ///< index into Profile::ranks
  TraceView file;
  RecordView record;
  Timeline time;
  std::uint64_t begin_ns = 0;                     ///< of the job, since the epoch
  std::uint64_t end_ticks = 0;                    ///< of the rank
  std::map<std::uint32_t, int> sites;             ///< site_key() to an index into Profile::sites
  std::shared_ptr<const std::vector<int>> ranks;  ///< indices of the ranks of its job
  std::int64_t shift_ns = 0;                      ///< what join_messages() adds to its times
  std::map<std::uint64_t, std::int64_t> moved;    ///< entries that it gave other times, by number

  [[nodiscard]] static std::uint32_t site_key(std::size_t thread, std::size_t site) {
    return static_cast<std::uint32_t>(thread * profile::kSites + site);
  }
};

/// The threads beyond the tables share this one: of calls there one may begin in the midst of
/// another. The formats of other tools have one call of a thread at a time, and leave those out.
inline constexpr int kSharedTable = static_cast<int>(profile::kThreads) - 1;

struct TracedCall {
  int site = -1;  ///< index into Profile::sites; -1: not known
  int thread = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int32_t peer = 0;  ///< as the call names it; profile::kUnknownPeer: it names none
  std::int32_t tag = 0;   ///< profile::kNoTag: it has none
  std::uint32_t communicator = 0;
  std::uint64_t bytes = 0;
  bool is_open = false;  ///< it never came back
};

struct TracedWait {
  int site = -1;
  int thread = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  int peer = -1;  ///< index into Profile::ranks
  profile::Cause cause{};
};

struct MessageEnd {
  std::uint64_t entry = 0;  ///< its number in the trace
  bool is_sent = false;
  int thread = 0;
  std::int64_t at = 0;
  int peer = -1;  ///< index into Profile::ranks; -1: a process that has none
  std::uint32_t context = 0;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint32_t number = 0;  ///< among those of this peer, context and tag; 0: not known
};

/// What one rank's trace tells, each list in the order of its times. Whatever the file has, calls
/// and waits are of one of the record's tables, ends of messages of one or of kThreads, none of
/// them; nothing ends before it begins, and indices are those of something, or -1.
struct RankTrace {
  std::vector<TracedCall> calls;
  std::vector<TracedWait> waits;
  std::vector<MessageEnd> ends;
  std::uint64_t overwritten = 0;   ///< entries that newer ones have taken the place of
  std::uint64_t without_room = 0;  ///< that were never written
  std::uint64_t damaged = 0;       ///< that no process can have written; they are in no list
};

[[nodiscard]] RankTrace load_trace(const TraceSource& source);

}  // namespace remit::profiles
