// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The profile of a job as figures: what the records of its processes come to. All times are
// seconds.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "programs/profile/trace_digest.hpp"
#include "tool/profile/record.hpp"

namespace remit::profiles {

inline constexpr std::size_t kStripColumns = 200;

/// By cause, in the order of profile::Cause.
using Waits = std::array<double, profile::kCauses>;

[[nodiscard]] double sum_of(const Waits& waits);

/// A place in the program that calls an MPI function.
struct Place {
  std::string function;      ///< of MPI
  std::string module;        ///< path of the program or library that calls
  std::uint64_t offset = 0;  ///< there
  std::string symbol;        ///< function of the program; empty: not known
  std::string file;          ///< of the source; empty: not known
  int line = 0;

  /// "solver.c:214", "exchange+0x31", "libsolver.so+0x1234".
  [[nodiscard]] std::string text() const;
  /// "step at solver.c:88": with the function that it is in.
  [[nodiscard]] std::string text_with_symbol() const;
};

/// "step at solver.c:88 < main at main.c:20": the callers of a place.
[[nodiscard]] std::string text_of(const std::vector<Place>& callers);

/// The calls from one place, of all ranks; with stacks, by one way to it.
struct Site {
  Place place;
  std::vector<Place>
      callers;  ///< frames behind the place, from the innermost; mpirun --profile=stack
  std::string chapter;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
  double longest = 0;  ///< call
  Waits waited{};
  std::map<int, double> per_rank;  ///< seconds, by index into Profile::ranks
  std::map<int, double> blamed;    ///< seconds that a rank (an index too) was waited for here
  std::map<int, double> behind;    ///< of these, by who was the last that others waited for
};

/// A call that was begun and never came back.
struct OpenCall {
  int site = -1;     ///< index into Profile::sites; -1: none
  double since = 0;  ///< seconds before the end
  int peer = -1;     ///< as the call named it
};

struct Rank {
  int job = 0;  ///< index into Profile::jobs
  int number = 0;
  std::string label;  ///< "3", or "1.3" in the second job
  std::string host;
  std::string program;
  int pid = 0;
  profile::Stage stage = profile::Stage::loaded;
  bool is_finalized = false;  ///< MPI_Finalize has ended
  bool aborted = false;
  int abort_code = 0;
  double run = 0;  ///< from the first call of MPI to MPI_Finalize, or to the end
  double mpi = 0;  ///< of the thread that started MPI
  double paused = 0;
  Waits waited{};
  double copying = 0;  ///< long data, as far as the library tells
  std::uint64_t calls = 0;
  std::uint64_t threads = 0;
  double other_threads_mpi = 0;
  double cost = 0;  ///< of recording, estimated
  double peak_mb = 0;
  double user = 0;
  double system = 0;
  std::uint64_t preempted = 0;
  int first_processor = 0;
  int processors = 0;
  OpenCall open;
  std::array<double, kStripColumns> strip_mpi{};  ///< share of each column; -1: it did not run
  std::array<double, kStripColumns> strip_waited{};
  std::array<bool, kStripColumns> strip_paused{};

  /// What is known of: without the time in which counting was paused.
  [[nodiscard]] double measured() const { return run - paused; }
  [[nodiscard]] double outside() const { return run - mpi - paused; }
  [[nodiscard]] double waiting() const { return sum_of(waited); }
  // What `mpi` is shared out to. Other threads and times without counting may have copied, too.
  [[nodiscard]] double waited_in_mpi() const { return std::min(waiting(), mpi); }
  [[nodiscard]] double moving() const { return std::min(copying, mpi - waited_in_mpi()); }
  [[nodiscard]] double overhead() const { return mpi - waited_in_mpi() - moving(); }
};

/// What one rank sent to another, and how long it waited for it.
struct Pair {
  int from = 0;  ///< indices into Profile::ranks
  int to = 0;    ///< -1: a process that has no rank here
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  double waited = 0;
};

struct Phase {
  int level = 0;
  std::uint64_t times = 0;
  double seconds = 0;  ///< all ranks
  double mpi = 0;
  double waited = 0;
};

struct Sizes {
  std::array<std::array<profile::SizeRow, profile::kBuckets>, profile::kTraffics> rows{};
};

/// Who is waited for the longest, where, and why; or, if nobody told, who computes the longest.
struct Culprit {
  int rank = -1;  ///< index; -1: there is none
  int site = -1;  ///< where the others waited
  std::string cause;
  double seconds = 0;
  double through = 0;  ///< of these, by way of ranks that waited themselves
};

/// The definitions of the POP centre of excellence. Of 1.
struct Efficiency {
  double load_balance = 1;
  double communication = 1;
  double parallel = 1;
};

struct Profile {
  std::vector<std::string> jobs;
  std::vector<Rank> ranks;  ///< by job and number
  std::vector<Site> sites;  ///< the longest first
  std::vector<Pair> pairs;
  std::vector<Phase> phases;
  std::vector<std::pair<std::string, std::string>> settings;
  Sizes sizes;
  std::map<std::string, std::uint64_t> counters;  ///< performance variables, of all ranks
  bool has_inside = false;                        ///< a library told for whom calls waited
  bool tells_moving = false;                      ///< a library told how long it copied
  bool slow_clock = false;
  std::uint64_t taken = 0;       ///< messages, as far as traces count them
  std::uint64_t unexpected = 0;  ///< of these, that were there before their receives
  int missing = 0;               ///< ranks of the job without a record
  std::string library;
  std::string tool_function;  ///< the program defines this one; empty: none
  std::uint64_t tool_functions = 0;
  std::uint64_t without_names = 0;
  double begin = 0;  ///< seconds since the epoch
  double run = 0;    ///< the longest rank
  Efficiency efficiency;
  Culprit culprit;
  std::vector<TraceSource> traces;  ///< of the ranks that have one
  TraceDigest timeline;             ///< what of them is drawn
  std::vector<std::string> advice;  ///< sentences
  std::vector<std::string> notes;   ///< what the reader should know of the figures
};

[[nodiscard]] const char* name_of(profile::Cause cause);
[[nodiscard]] const char* name_of(profile::Traffic traffic);

}  // namespace remit::profiles
