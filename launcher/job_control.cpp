// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Who is meant, and the form on a connection.
#include "launcher/job_control.hpp"

#include <algorithm>
#include <csignal>

#include "launcher/wire.hpp"

namespace remit::launcher {

bool JobControl::is_for(int process) const {
  return std::ranges::any_of(processes, [process](const ProcessRun& run) {
    return process >= run.first && process - run.first < run.count;
  });
}

bool JobControl::sends(int signal, int process) const {
  return std::ranges::count(signals, signal) != 0 && is_for(process);
}

std::string write_control(const JobControl& control) {
  std::vector<int> runs;
  for (const ProcessRun& run : control.processes) {
    runs.push_back(run.first);
    runs.push_back(run.count);
  }
  WireWriter writer;
  writer.number(control.asker);
  writer.numbers(runs);
  writer.numbers(control.signals);
  return writer.bytes();
}

std::optional<JobControl> read_control(const std::string& bytes, int processes) {
  WireReader reader(bytes);
  JobControl control;
  control.asker = reader.integer();
  const std::vector<int> runs = reader.numbers();
  control.signals = reader.numbers();
  bool good = reader.complete() && control.asker >= 0 && control.asker < processes &&
              !runs.empty() && runs.size() % 2 == 0 && !control.signals.empty();
  for (std::size_t i = 0; good && i < runs.size(); i += 2) {
    const ProcessRun run = {runs[i], runs[i + 1]};
    good = run.first >= 0 && run.first < processes && run.count > 0 &&
           run.count <= processes - run.first;
    control.processes.push_back(run);
  }
  good = good && std::ranges::all_of(control.signals,
                                     [](int signal) { return signal > 0 && signal <= SIGRTMAX; });
  return good ? std::optional(std::move(control)) : std::nullopt;
}

}  // namespace remit::launcher
