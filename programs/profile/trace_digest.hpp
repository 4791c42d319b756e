// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What of a job's traces is drawn: of few events all, of many those that can be seen, so that the
// page has a bounded size. Times are nanoseconds since the job began.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "programs/profile/message_join.hpp"
#include "programs/profile/trace.hpp"

namespace remit::profiles {

/// A call; or several short ones, one after the other, as one.
struct DrawnCall {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  int site = -1;  ///< of several: the one that took longest
  std::int32_t peer = 0;
  std::uint64_t bytes = 0;
  std::uint64_t calls = 1;
  std::int64_t inside = 0;  ///< time in these calls
};

struct DrawnWait {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  int peer = -1;
  profile::Cause cause{};
};

/// A thread of a rank.
struct DrawnRow {
  int rank = 0;
  int thread = 0;
  std::vector<DrawnCall> calls;
  std::vector<DrawnWait> waits;
};

struct TraceDigest {
  std::vector<DrawnRow> rows;
  std::vector<JoinedMessage> arrows;
  std::uint64_t calls = 0;  ///< what the traces have
  std::uint64_t waits = 0;
  std::uint64_t messages = 0;  ///< both of whose ends they have
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t overwritten = 0;   ///< entries that are gone
  std::uint64_t moved = 0;         ///< messages: see JoinedMessages
  std::int64_t within_ns = 0;      ///< so far clocks of hosts may differ; HostClock::kUnknown
  std::int64_t end = 0;            ///< the last moment
  std::vector<std::string> notes;  ///< what the reader should know, sentences
};

/// How much may be drawn.
struct DrawnLimits {
  std::size_t calls = 120'000;
  std::size_t waits = 40'000;
  std::size_t arrows = 40'000;
};

/// Sets clocks right (join_messages()), and reads each trace.
[[nodiscard]] TraceDigest digest_traces(std::vector<TraceSource>& sources,
                                        const DrawnLimits& limits = {});

}  // namespace remit::profiles
