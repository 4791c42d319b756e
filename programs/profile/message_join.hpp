// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The two ends of messages, which traces of different ranks have, brought together; and by what
// they say of each other, clocks of hosts corrected.
#pragma once

#include <cstdint>
#include <vector>

#include "programs/profile/trace.hpp"

namespace remit::profiles {

struct JoinedMessage {
  int from = 0;  ///< indices of ranks
  int to = 0;
  int from_thread = 0;
  int to_thread = 0;
  std::int64_t sent = 0;
  std::int64_t received = 0;  ///< a receive took it; never before it was sent
  std::uint64_t bytes = 0;
  std::int32_t tag = 0;
};

/// All messages of a job, and what became of those that are not among them.
struct JoinedMessages {
  std::vector<JoinedMessage> all;  ///< in the order in which they were sent
  std::uint64_t sent = 0;          ///< ends of messages that left
  std::uint64_t received = 0;      ///< that were taken
  std::uint64_t alone = 0;         ///< ends whose other end no trace has, or has any more
  std::uint64_t left_out = 0;      ///< ends that there were too many of to look at
  int shifted = 0;                 ///< clocks that were set by what messages say
  std::int64_t largest_shift = 0;  ///< of these
  std::uint64_t moved = 0;         ///< messages that seemed to arrive before they left all the same
  std::int64_t largest_move = 0;   ///< of these
  std::uint64_t moved_too_far = 0;  ///< of these: further than their clocks are known
};

/// `most`: ends of messages that are looked at; of more, the newest of each rank. Sets shift_ns and
/// moved of the sources: each clock is moved within what is known of it, so that no message arrives
/// before it has left; what does even then is taken when it was sent.
[[nodiscard]] JoinedMessages join_messages(std::vector<TraceSource>& sources,
                                           std::size_t most = 4'000'000);

}  // namespace remit::profiles
