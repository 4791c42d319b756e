// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What each rank says about its messages and devices at the end.
#include "bindings/env/statistics.hpp"

#include "bindings/io/open_files.hpp"
#include "bindings/rma/open_windows.hpp"
#include "pt2pt/engine_report.hpp"
#include "runtime/waiting/wait_policy.hpp"

namespace remit {

void report_statistics(Instance& instance) {
  Process& process = *instance.process;
  if (!process.params().flag(statistics_param)) return;
  for (const StatisticGroup& group : engine_statistics(*instance.engine)) {
    std::string line;
    for (const Statistic& value : group.values) {
      line += fmt::format("{}{} {}", line.empty() ? "" : ", ", value.name, value.value);
    }
    // Who asked for it gets it, however quiet the log is.
    process.log().write(LogLevel::error, "statistics: {}: {}", group.name, line);
  }
  const Progress::Counters& waits = process.progress().counters();
  process.log().write(
      LogLevel::error,
      "statistics: waiting: yields {}, sleeps {}, late wake-ups {}, crowded {}; a rank {}",
      waits.yields, waits.sleeps, waits.late, waits.crowded, describe(process.progress().policy()));
  if (instance.windows != nullptr) {
    for (const std::string& line : instance.windows->reports()) {
      process.log().write(LogLevel::error, "statistics: {}", line);
    }
  }
  if (instance.files != nullptr) {
    for (const std::string& line : instance.files->reports()) {
      process.log().write(LogLevel::error, "statistics: {}", line);
    }
  }
  const std::string monitor = instance.engine->links().devices().memory_monitor();
  if (!monitor.empty()) {
    process.log().write(LogLevel::error, "statistics: memory monitor: {}", monitor);
  }
}

}  // namespace remit
