// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The record of a process under `mpirun --profile`: a file that it has mapped and writes to as to
// memory, so that whatever ends the process leaves what was counted until then. The preloaded
// library writes it, remit_profile reads it; both are built from this header. The file is sparse:
// what is not used takes no room.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace remit::profile {

inline constexpr std::array<char, 8> kMagic{'R', 'E', 'M', 'I', 'T', 'P', 'R', 'F'};
inline constexpr std::uint32_t kVersion = 4;
/// What the names of records end with.
inline constexpr const char* kSuffix = ".record";

/// Beside records that came from other hosts: how mpirun saw the clocks of these. The first line is
/// the title, what mpirun's CLOCK_MONOTONIC is behind the time since the epoch, and its host; then
/// there is a line a record: the number of its host, two samples of three numbers, the record.
inline constexpr const char* kClocksName = "remit-clocks";
inline constexpr const char* kClocksTitle = "remit-clocks 1";

inline constexpr std::size_t kThreads = 8;    ///< tables; the last is shared by all threads beyond
inline constexpr std::size_t kSites = 768;    ///< of a table; the last takes all calls beyond
inline constexpr std::size_t kColumns = 400;  ///< of the strip; at least half of them are in use
inline constexpr std::size_t kBuckets = 48;   ///< of sizes: bucket b has those below 2^b
inline constexpr std::size_t kPeers = 2048;   ///< the last takes all peers beyond
inline constexpr std::size_t kModules = 48;
inline constexpr std::size_t kPhases = 32;
inline constexpr std::size_t kBlamed = 4;       ///< of a call site
inline constexpr std::size_t kLongWaits = 256;  ///< of a thread
inline constexpr std::size_t kSettings = 16;
inline constexpr std::size_t kCounters = 160;
inline constexpr std::size_t kFrames = 8192;      ///< of all call sites' stacks
inline constexpr std::size_t kDeepestStack = 32;  ///< frames of a call site

/// What a call waited for.
enum class Cause : std::uint32_t {
  late_sender,    ///< a message that was not sent yet
  late_receiver,  ///< a receive that was not posted yet
  others,         ///< members that had not come to a collective operation yet
  lock,           ///< a lock, or an epoch, of a window
  starved,        ///< room at the receiver for one more message
  other,
};
inline constexpr std::size_t kCauses = 6;

/// What moves data, as the histogram of sizes tells it apart.
enum class Traffic : std::uint32_t { none, send, receive, collective, one_sided, file };
inline constexpr std::size_t kTraffics = 6;

/// Bits of Record::tells, what the library tells from inside: for whom calls wait, the last member
/// of collective operations, each message; and how long the rank copied, by a counter of this name,
/// in nanoseconds.
inline constexpr std::uint32_t kTellsWaits = 1;
inline constexpr std::uint32_t kTellsCollectives = 2;
inline constexpr std::uint32_t kTellsMessages = 4;
inline constexpr std::uint32_t kTellsCopies = 8;
inline constexpr std::string_view kCopiedCounter = "waiting_copied_ns";

/// Peers that are no rank of MPI_COMM_WORLD, or not known to be one.
inline constexpr std::int32_t kUnknownPeer = -1;

struct Blame {
  std::int32_t peer;  ///< plus 1; 0: the place is free
  std::uint32_t waits;
  std::uint64_t ns;
};

/// The calls of one function from one place of the program.
struct SiteRecord {
  std::uint64_t address;  ///< where the call returns to; 0: the place for all beyond the table
  std::uint32_t function;
  std::uint32_t module;  ///< in Record::modules; kModules: none is known
  std::uint64_t calls;   ///< that have begun
  std::uint64_t ticks;   ///< of those that have ended
  std::uint64_t max_ticks;
  std::uint64_t bytes;
  std::array<std::uint64_t, kCauses> waited_ns;
  std::array<Blame, kBlamed> blamed;
  std::uint32_t caller;  ///< in Record::frames, plus 1: of the function that calls; 0: not known
  std::uint32_t pad;
};

/// A frame behind call sites. Stacks that begin alike share these frames.
struct FrameRecord {
  std::uint64_t address;  ///< where it is returned to
  std::uint32_t module;   ///< as of a call site
  std::uint32_t caller;   ///< an earlier one, plus 1; 0: the stack ends here, or is cut off
};

/// A call that has begun and not ended.
struct CurrentCall {
  std::uint32_t site;  ///< in the table, plus 1; 0: the thread is outside of MPI
  std::int32_t peer;   ///< as the call names it, in its communicator
  std::uint64_t since_ticks;
};

struct SizeRow {
  std::uint64_t count;
  std::uint64_t bytes;
};

/// One of the longest waits of a thread for a process that is known.
struct LongWait {
  std::uint64_t end_ticks;
  std::uint64_t ns;
  std::int32_t peer;   ///< in MPI_COMM_WORLD
  std::uint32_t site;  ///< in the table
};

/// What a thread has done. One thread at a time writes it.
struct ThreadTable {
  std::uint64_t threads;  ///< that have used it, one after the other; of the last table: at once
  std::uint64_t first_ticks;  ///< its first call
  std::uint64_t last_ticks;   ///< the last call began or ended
  std::uint64_t mpi_ticks;    ///< in calls, those inside of calls not counted again
  std::uint64_t nested_calls;
  std::array<std::uint64_t, kCauses> waited_ns;
  CurrentCall current;
  std::uint64_t column_shift;  ///< a column of the strip is 2^shift ticks
  std::array<std::uint64_t, kColumns> column_mpi;
  std::array<std::uint64_t, kColumns> column_waited;
  std::array<std::uint64_t, kColumns> column_paused;
  std::array<std::array<SizeRow, kBuckets>, kTraffics> sizes;
  std::uint64_t long_wait_count;
  std::array<LongWait, kLongWaits> long_waits;  ///< in no order
  std::uint64_t site_count;
  std::array<SiteRecord, kSites> sites;
};

/// What has been sent to, or put into the memory of, one process; and how long it was waited for.
struct PeerRecord {
  std::int32_t rank;  ///< in MPI_COMM_WORLD, plus 1; 0: the place is free, or that for all beyond
  std::uint32_t pad;
  std::uint64_t messages;
  std::uint64_t bytes;
  std::uint64_t waits;
  std::uint64_t waited_ns;
};

/// A file that code was loaded from.
struct ModuleRecord {
  std::uint64_t bias;  ///< what its own addresses were loaded at
  std::uint64_t begin;
  std::uint64_t end;
  std::uint32_t build_id_bytes;
  std::array<unsigned char, 20> build_id;
  std::array<char, 464> path;
};

/// Between MPI_Pcontrol(level) and MPI_Pcontrol(-level), level > 2.
struct PhaseRecord {
  std::int32_t level;  ///< 0: the place is free
  std::uint32_t times;
  std::uint64_t since_ticks;  ///< 0: not in it
  std::uint64_t ticks;
  std::uint64_t mpi_ticks;
  std::uint64_t waited_ns;
};

/// A variable of the environment that sets a parameter of Remit.
struct SettingRecord {
  std::array<char, 40> name;
  std::array<char, 88> value;
};

/// A performance variable of MPI_T, as it was at the end.
struct CounterRecord {
  std::array<char, 54> name;
  std::uint16_t is_peak;  ///< of several processes the highest counts, not the sum
  std::uint64_t value;
};

/// How far the process has come.
enum class Stage : std::uint32_t { loaded, running, finalized, exited };

/// A moment on both clocks.
struct ClockPair {
  std::uint64_t ticks;
  std::uint64_t monotonic_ns;
};

/// What the kernel says of the process.
struct ProcessUse {
  std::uint64_t peak_memory_kb;
  std::uint64_t user_ns;  ///< processor time
  std::uint64_t system_ns;
  std::uint64_t preempted;   ///< involuntary context switches
  std::uint64_t processors;  ///< the first that it may run on, and how many: first << 32 | count
};

/// MPI functions that the program itself defines.
struct OwnTool {
  std::uint64_t functions;
  std::array<char, 40> first;  ///< of them
};

/// Between MPI_Pcontrol(0) and MPI_Pcontrol(1).
struct Pause {
  std::uint64_t ticks;
  std::uint64_t since;  ///< 0: not in it
};

struct Record {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t bytes;          ///< of this structure
  std::uint64_t function_hash;  ///< of the names that SiteRecord::function numbers
  Stage stage;
  std::int32_t pid;
  std::int32_t rank;   ///< in MPI_COMM_WORLD; before that is known, what the launcher said; -1
  std::int32_t ranks;  ///< of MPI_COMM_WORLD; 0: not known
  std::int32_t thread_level;
  std::int32_t abort_code;
  std::uint32_t aborted;
  std::uint32_t uses_tsc;       ///< 0: clock_gettime(), which takes longer
  std::uint32_t without_names;  ///< call sites beyond the tables
  std::array<char, 256> job;    ///< the launcher's name for it; empty: there was none
  std::array<char, 72> host;
  std::array<char, 464> program;
  std::array<char, 104> library;  ///< MPI_Get_library_version(), its beginning
  OwnTool tool;
  std::uint64_t realtime_ns;  ///< when `first` was taken
  ClockPair first;
  ClockPair last;                ///< the newest that was taken, a millisecond later or more
  std::uint64_t init_ticks;      ///< the first call of MPI began
  std::uint64_t finalize_ticks;  ///< MPI_Finalize ended; 0: it has not
  Pause paused;
  ProcessUse use;
  std::uint64_t taken;       ///< messages that receives have taken; only a trace counts them
  std::uint64_t unexpected;  ///< of these, that were here before their receives were
  std::uint64_t cost_ticks;  ///< of an empty call of the recorder, measured at the start, in 1/16
  std::uint32_t tells;       ///< kTellsWaits and its like
  std::uint32_t counter_count;
  std::uint32_t module_count;
  std::uint32_t phase_count;
  std::uint32_t peer_count;
  std::uint32_t setting_count;
  std::array<ModuleRecord, kModules> modules;
  std::array<PhaseRecord, kPhases> phases;
  std::array<SettingRecord, kSettings> settings;
  std::array<CounterRecord, kCounters> counters;
  std::array<PeerRecord, kPeers> peers;
  std::array<ThreadTable, kThreads> threads;
  std::uint64_t has_stacks;  ///< not 0: more frames than one were asked for
  std::uint64_t frame_count;
  std::array<FrameRecord, kFrames> frames;
};

static_assert(std::is_trivially_copyable_v<Record>);
static_assert(sizeof(Record) <= 2U << 20U, "a rank's record has at most 2 MB");

/// The number of the bucket for so many bytes.
[[nodiscard]] constexpr std::size_t bucket_of(std::uint64_t bytes) {
  return std::min(static_cast<std::size_t>(std::bit_width(bytes)), kBuckets - 1);
}

}  // namespace remit::profile
