// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The records of a folder, as they are on disk.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/error.hpp"
#include "tool/profile/record.hpp"

namespace remit::profiles {

/// A record that is mapped as long as somebody has it.
using RecordView = std::shared_ptr<const profile::Record>;

/// A moment on mpirun's CLOCK_MONOTONIC, and what another host's was ahead then.
struct ClockReading {
  std::int64_t at_ns = 0;
  std::int64_t ahead_ns = 0;
  std::int64_t within_ns = 0;  ///< so far it may be off
};

/// The clock of another host, as mpirun and the daemon there have compared it with mpirun's.
struct MeasuredClock {
  int node = 0;  ///< number of the host among those of the folder
  ClockReading first;
  ClockReading last;
};

/// mpirun's own clock.
struct MainClock {
  std::string host;
  std::int64_t epoch_ns = 0;  ///< what CLOCK_MONOTONIC is behind the time since the epoch
};

struct Records {
  std::vector<RecordView> all;
  std::vector<std::string> paths;                ///< of these; empty where they are no files
  std::map<std::string, MeasuredClock> clocks;   ///< by path; of those from other hosts
  std::map<std::string, MainClock> main_clocks;  ///< by folder; of each with measured clocks
  std::vector<std::string> notes;                ///< files that are none, in words

  /// Null: it was not measured.
  [[nodiscard]] const MeasuredClock* clock_of(std::size_t index) const;
  /// Empty: the record is no file.
  [[nodiscard]] std::string folder_of(std::size_t index) const;
};

/// Maps a file and checks that it is a record whose numbers stay within its tables. The file may
/// have been written to until its process was killed.
[[nodiscard]] Expected<RecordView> read_record(const std::string& path);

/// All records of these folders; an error if there is none.
[[nodiscard]] Expected<Records> read_folders(const std::vector<std::string>& folders);

}  // namespace remit::profiles
