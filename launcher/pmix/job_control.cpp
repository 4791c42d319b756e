// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Whom a signal is for, and the form on a connection.
#include "launcher/pmix/job_control.hpp"

#include <algorithm>
#include <csignal>

#include "launcher/tree/wire.hpp"

namespace remit::launcher {

bool JobControl::sends(int signal, int process) const {
  return std::ranges::count(signals, signal) != 0 && is_for(process);
}

std::string write_control(const JobControl& control) {
  WireWriter writer;
  writer.number(control.asker);
  write_runs(control.processes, &writer);
  writer.numbers(control.signals);
  return writer.bytes();
}

std::optional<JobControl> read_control(const std::string& bytes, int processes) {
  WireReader reader(bytes);
  JobControl control;
  control.asker = reader.integer();
  control.processes = read_runs(&reader);
  control.signals = reader.numbers();
  bool good = reader.complete() && control.asker >= 0 && control.asker < processes &&
              are_sound(control.processes, processes) && !control.signals.empty();
  good = good && std::ranges::all_of(control.signals,
                                     [](int signal) { return signal > 0 && signal <= SIGRTMAX; });
  return good ? std::optional(std::move(control)) : std::nullopt;
}

}  // namespace remit::launcher
