// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Who is meant, and the form on a connection.
#include "launcher/plan/process_runs.hpp"

#include <algorithm>
#include <cstdint>

namespace remit::launcher {

bool are_sound(const ProcessRuns& runs, int processes) {
  int end = -1;  // of the run before: the next one does not touch it
  for (const ProcessRun& run : runs) {
    if (run.first <= end || run.count < 1 || run.first >= processes) return false;
    if (run.count > processes - run.first) return false;
    end = run.first + run.count;
  }
  return !runs.empty();
}

bool contains(const ProcessRuns& runs, int process) {
  return std::ranges::any_of(runs, [process](const ProcessRun& run) {
    return process >= run.first && process - run.first < run.count;
  });
}

void write_runs(const ProcessRuns& runs, WireWriter* writer) {
  writer->number(static_cast<std::int64_t>(runs.size()));
  for (const ProcessRun& run : runs) {
    writer->number(run.first);
    writer->number(run.count);
  }
}

ProcessRuns read_runs(WireReader* reader) {
  ProcessRuns runs;
  for (std::int64_t count = reader->number(); count > 0 && reader->good(); --count) {
    ProcessRun run;
    run.first = reader->integer();
    run.count = reader->integer();
    runs.push_back(run);
  }
  return runs;
}

}  // namespace remit::launcher
