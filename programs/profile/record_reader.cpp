// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "programs/profile/record_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string_view>
#include <system_error>

#include "programs/profile/mapped_file.hpp"
#include "programs/profile/record_time.hpp"
#include "tool/profile/functions.hpp"

namespace remit::profiles {
namespace {

using profile::Record;

// Times beyond these are of no clock; sums of some below them fit their type.
constexpr std::uint64_t kLastRealtimeNs = std::uint64_t{1} << 62U;
constexpr std::uint64_t kLastMonotonicNs = std::uint64_t{1} << 60U;

// What is wrong with a record; empty: nothing. Its counts are what other tables are read by.
std::string fault_of(const Record& record) {
  if (record.magic != profile::kMagic) return "is no record of a process, or was never begun";
  if (record.version != profile::kVersion || record.bytes != sizeof(Record) ||
      record.function_hash != profile::kFunctionHash) {
    return "is of another version of Remit: use its remit_profile";
  }
  const bool fits =
      record.module_count <= profile::kModules && record.phase_count <= profile::kPhases &&
      record.peer_count <= profile::kPeers && record.setting_count <= profile::kSettings &&
      record.counter_count <= profile::kCounters && record.last.ticks > record.first.ticks &&
      record.last.monotonic_ns > record.first.monotonic_ns &&
      record.last.monotonic_ns < kLastMonotonicNs && record.realtime_ns < kLastRealtimeNs;
  if (!fits) return "is damaged";
  for (const profile::ThreadTable& table : record.threads) {
    if (table.threads == 0) continue;  // nobody reads more of it
    const auto sites =
        std::span(table.sites).first(std::min<std::size_t>(table.site_count, profile::kSites));
    if (table.site_count > profile::kSites || table.long_wait_count > profile::kLongWaits ||
        table.column_shift >= 64 || table.current.site > profile::kSites ||
        std::ranges::any_of(sites, [](const profile::SiteRecord& site) {
          return site.function >= profile::kFunctions || site.module > profile::kModules;
        })) {
      return "is damaged";
    }
  }
  return {};
}

}  // namespace

Expected<RecordView> read_record(const std::string& path) {
  // The recorder of a process that still runs stores no number beyond its tables; nobody else may
  // write to the file while it is read.
  Expected<RecordView> view = map_as<Record>(path, "record");
  if (!view) return view;
  if (const std::string fault = fault_of(**view); !fault.empty()) {
    return fail(MPI_ERR_OTHER, "{} {}", path, fault);
  }
  return view;
}

const MeasuredClock* Records::clock_of(std::size_t index) const {
  if (index >= paths.size()) return nullptr;
  const auto found = clocks.find(paths[index]);
  return found == clocks.end() ? nullptr : &found->second;
}

std::string Records::folder_of(std::size_t index) const {
  return index < paths.size() ? std::filesystem::path(paths[index]).parent_path().string() : "";
}

namespace {

constexpr std::int64_t kFarthestNs = std::int64_t{1} << 60U;
constexpr double kMostDrift = 1e-2;

// What two clocks of working hosts can be.
bool is_sound(const MeasuredClock& clock) {
  for (const ClockReading& each : {clock.first, clock.last}) {
    if (std::min(each.at_ns, each.ahead_ns) < -kFarthestNs || each.within_ns < 0 ||
        std::max({each.at_ns, each.ahead_ns, each.within_ns}) > kFarthestNs) {
      return false;
    }
  }
  const std::int64_t apart = clock.last.at_ns - clock.first.at_ns;
  if (apart < HostClock::kShortestForDriftNs) return apart >= 0;
  const auto change = static_cast<double>(clock.last.ahead_ns - clock.first.ahead_ns);
  return std::abs(change) <= kMostDrift * static_cast<double>(apart);
}

// A line of mpirun's file: two samples, and the record's name. One that is none is left out, and
// its record has no clock but its own.
void read_clock(const std::string& line, const std::filesystem::path& folder, Records& records) {
  std::istringstream words(line);
  MeasuredClock clock;
  words >> clock.node;
  for (ClockReading* each : {&clock.first, &clock.last}) {
    words >> each->at_ns >> each->ahead_ns >> each->within_ns;
  }
  std::string name;
  std::getline(words >> std::ws, name);
  if (words && is_sound(clock)) records.clocks[(folder / name).string()] = clock;
}

void read_clocks(const std::filesystem::path& folder, Records& records) {
  const std::filesystem::path path = folder / profile::kClocksName;
  std::ifstream file(path);
  if (!file) return;
  std::string line;
  std::getline(file, line);
  MainClock own;
  const std::string_view title = profile::kClocksTitle;
  std::istringstream head(line.starts_with(title) ? line.substr(title.size()) : "");
  head >> own.epoch_ns >> own.host;
  if (!head || own.epoch_ns < 0 || own.epoch_ns > static_cast<std::int64_t>(kLastRealtimeNs)) {
    records.notes.push_back(path.string() + " does not tell of clocks of hosts");
    return;
  }
  records.main_clocks[folder.string()] = own;
  while (std::getline(file, line)) read_clock(line, folder, records);
}

}  // namespace

Expected<Records> read_folders(const std::vector<std::string>& folders) {
  Records records;
  for (const std::string& folder : folders) {
    std::error_code error;
    std::vector<std::string> paths;
    for (std::filesystem::directory_iterator each(folder, error), end; !error && each != end;
         each.increment(error)) {
      if (each->path().extension() == profile::kSuffix) paths.push_back(each->path().string());
    }
    if (error) return fail(MPI_ERR_OTHER, "{}: {}", folder, error.message());
    read_clocks(folder, records);
    std::ranges::sort(paths);
    for (const std::string& path : paths) {
      Expected<RecordView> record = read_record(path);
      if (record) {
        records.all.push_back(std::move(*record));
        records.paths.push_back(path);
      } else {
        records.notes.push_back(record.error().message);
      }
    }
  }
  if (!records.all.empty()) return records;
  if (!records.notes.empty()) return fail(MPI_ERR_OTHER, "{}", records.notes.front());
  return fail(MPI_ERR_OTHER,
              "{} has no record of a process: did the program call MPI, and was "
              "libremit_profile.so preloaded?",
              fmt::join(folders, ", "));
}

}  // namespace remit::profiles
