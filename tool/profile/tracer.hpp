// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Writing the trace. Any thread may, also one inside of the library that makes no calls.
#pragma once

#include <cstdint>

#include "tool/profile/record.hpp"
#include "tool/profile/trace.hpp"

namespace remit::profile {

/// What a call says of its messages.
struct Envelope {
  std::int32_t tag = kNoTag;
  std::uint32_t communicator = 0;  ///< its handle; 0: the call has none
};

/// The trace of this process; null: there is none.
extern TraceFile* trace_file;

/// A call that has come back. `thread`: the number of its table.
struct ReturnedCall {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t bytes;
  std::int32_t peer;
  std::uint32_t site;  ///< in the table
  std::uint8_t thread;
};

/// Makes the file beside the record of this path, if REMIT_TRACE is set; where there is no room,
/// says so once on standard error. An empty path: the record is no file, and there is no trace.
void open_trace(const char* record_path);
/// Forgets all entries: those of the measurement of what they cost.
void clear_trace();
/// This is a child of fork(): the trace is its parent's.
void leave_trace();

/// When a wait was over, and how long it was.
struct WaitTime {
  std::uint64_t end_ticks;
  std::uint64_t ns;
};

// While there is a trace.
void trace_call(const ReturnedCall& call, const Envelope& envelope);
void trace_wait(std::uint8_t thread, std::uint32_t site, Cause cause, std::int32_t peer,
                WaitTime time);
/// One end of a message to or from a rank of MPI_COMM_WORLD.
struct MessageEnd {
  TraceKind kind;
  std::int32_t peer;
  std::uint32_t context;
  std::int32_t tag;
  std::int64_t bytes;
  std::uint8_t thread;
  /// False where counting is paused; the message has its number all the same, for the other end
  /// has.
  bool is_shown;
  bool is_unexpected;  ///< it has come before its receive
  std::uint64_t ticks;
};
void trace_message(const MessageEnd& end);

}  // namespace remit::profile
