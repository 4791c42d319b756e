// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// /proc and what ranks say of themselves, turned into a table; stacks by gdb.
#include "launcher/job_report.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "launcher/wait_graph.hpp"
#include "launcher/words.hpp"

namespace remit::launcher {
namespace {

std::string read_small(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::array<char, 1024> text{};
  const ssize_t size = ::read(file, text.data(), text.size());
  ::close(file);
  return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

double number_of(const std::string& text) {
  return std::strtod(text.c_str(), nullptr);
}

struct ProcessAndGroup {
  ProcessState process;
  pid_t group = -1;
};

std::optional<ProcessAndGroup> read_process(pid_t pid) {
  // "pid (name) state ppid pgrp ...": the name may hold anything, also ')'.
  const std::string line = read_small(fmt::format("/proc/{}/stat", pid));
  const std::size_t open = line.find('(');
  const std::size_t close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close + 2 > line.size()) {
    return std::nullopt;
  }
  const std::vector<std::string> fields = split(std::string_view(line).substr(close + 2), ' ');
  constexpr std::size_t kState = 0;
  constexpr std::size_t kGroup = 2;
  constexpr std::size_t kUserTime = 11;
  constexpr std::size_t kSystemTime = 12;
  if (fields.size() <= kSystemTime) return std::nullopt;
  ProcessAndGroup found;
  found.process.pid = pid;
  found.process.name = line.substr(open + 1, close - open - 1);
  found.process.state = fields[kState].empty() ? '?' : fields[kState][0];
  found.process.cpu_s = (number_of(fields[kUserTime]) + number_of(fields[kSystemTime])) /
                        static_cast<double>(::sysconf(_SC_CLK_TCK));
  found.group = static_cast<pid_t>(number_of(fields[kGroup]));
  return found;
}

std::string describe_process(const ProcessState& process) {
  const std::string where = process.waiting.empty() ? "" : " in " + process.waiting;
  switch (process.state) {
    case 'R':
      return "running";
    case 'S':
      return "asleep" + where;
    case 'D':
      return "waiting for a device" + where;
    case 'T':
      return "stopped";
    case 't':
      return "held by a debugger";
    case 'Z':
      return "ended";
    default:
      return "in state " + std::string(1, process.state);
  }
}

std::string_view describe_phase(MpiPhase phase) {
  switch (phase) {
    case MpiPhase::not_started:
      return "not started";
    case MpiPhase::outside:
      return "before MPI_Init, or without MPI";
    case MpiPhase::inside:
      return "between MPI_Init and MPI_Finalize";
    case MpiPhase::finished:
      return "after MPI_Finalize";
  }
  return "?";
}

}  // namespace

namespace {

/// Of each process group that which has used most processor time: not the shell that started it.
std::map<pid_t, ProcessState> busiest_of_groups() {
  std::map<pid_t, ProcessState> busiest;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/proc"), &::closedir);
  if (directory == nullptr) return busiest;
  while (const dirent* entry = ::readdir(directory.get())) {
    const pid_t pid = std::atoi(entry->d_name);
    const auto found = pid > 0 ? read_process(pid) : std::nullopt;
    if (!found) continue;
    ProcessState& best = busiest[found->group];
    const bool first = best.pid < 0 || (best.state == 'Z' && found->process.state != 'Z');
    if (first || found->process.cpu_s >= best.cpu_s) best = found->process;
  }
  return busiest;
}

ProcessState process_of(const RankSnapshot& rank, const std::map<pid_t, ProcessState>& all) {
  const auto found = rank.exited || rank.remote || rank.pid < 0 ? all.end() : all.find(rank.pid);
  return found == all.end() ? ProcessState{} : found->second;
}

std::string kernel_function(const ProcessState& process) {
  if (process.pid <= 0 || process.state == 'R') return "";
  std::string name = read_small(fmt::format("/proc/{}/wchan", process.pid));
  name.resize(std::min(name.size(), name.find('.')));
  return name == "0" ? "" : name;
}

std::string where_in_mpi(const RankSnapshot& rank) {
  if (rank.phase != MpiPhase::inside) return std::string(describe_phase(rank.phase));
  if (!rank.calls.known) return "between MPI_Init and MPI_Finalize";
  return rank.exited ? "in no MPI call that had waited for long" : "in no MPI call that waits";
}

RankLife life_of(const RankSnapshot& rank) {
  if (rank.phase == MpiPhase::finished) return RankLife::finalized;
  if (rank.exited) return RankLife::ended;
  return rank.phase == MpiPhase::inside ? RankLife::inside : RankLife::before;
}

std::string describe_graph(const std::vector<RankSnapshot>& ranks) {
  // A rank whose calls are not seen would look like one that waits in none.
  if (std::ranges::any_of(ranks, &RankSnapshot::remote)) {
    return "Who waits for whom is not known: the calls of ranks on other hosts are not seen "
           "here.\n";
  }
  std::vector<RankWait> waits;
  for (const RankSnapshot& rank : ranks) {
    RankWait wait{life_of(rank), {}};
    for (const BlockedCall& call : rank.calls.blocked) wait.calls.push_back(call.record);
    waits.push_back(std::move(wait));
  }
  std::string text;
  for (const std::string& line : describe_waits(waits)) text += "  " + line + "\n";
  return text.empty() ? "" : "Who waits for whom:\n" + text;
}

}  // namespace

std::string describe_ranks(const std::vector<RankSnapshot>& ranks, double elapsed_s) {
  constexpr const char* kRow = "  {:>5}  {:<{}} {:>8} {:>9}  {:<33} {:<15} {:>9}  {}\n";
  std::size_t width = 4;
  for (const RankSnapshot& rank : ranks) width = std::max(width, rank.host.size());
  std::string text = fmt::format("After {:.1f} s the ranks are here:\n", elapsed_s);
  text += fmt::format(kRow, "rank", "host", width, "pid", "CPU time", "process", "program", "for",
                      "MPI call");
  const std::map<pid_t, ProcessState> processes = busiest_of_groups();
  const std::int64_t now = monotonic_ns();
  for (const RankSnapshot& rank : ranks) {
    ProcessState process = process_of(rank, processes);
    process.waiting = kernel_function(process);
    const bool gone = process.pid < 0;
    const pid_t pid = gone ? rank.pid : process.pid;
    const std::string cpu = gone ? "-" : fmt::format("{:.2f} s", process.cpu_s);
    const bool is_far = rank.pid < 0 || (rank.remote && !rank.exited);
    const std::string state = is_far ? "-" : gone ? "ended" : describe_process(process);
    const std::string shown_pid = rank.pid < 0 ? "-" : std::to_string(pid);
    if (rank.calls.blocked.empty()) {
      text += fmt::format(kRow, rank.rank, rank.host, width, shown_pid, cpu, state, process.name,
                          "-", rank.pid < 0 ? "not started" : where_in_mpi(rank));
    }
    for (const BlockedCall& call : rank.calls.blocked) {
      const double blocked_s = static_cast<double>(now - call.since_ns) / 1e9;
      text += fmt::format(kRow, rank.rank, rank.host, width, shown_pid, cpu, state, process.name,
                          fmt::format("{:.1f} s", blocked_s),
                          (rank.exited ? "was in " : "") + describe_call(call.record));
    }
  }
  return text + describe_graph(ranks);
}

void keep_lasting(std::vector<RankSnapshot>& ranks, const std::vector<RankSnapshot>& before) {
  for (std::size_t i = 0; i < ranks.size() && i < before.size(); ++i) {
    std::erase_if(ranks[i].calls.blocked, [&](const BlockedCall& call) {
      return std::ranges::none_of(before[i].calls.blocked, [&](const BlockedCall& earlier) {
        return earlier.since_ns == call.since_ns;
      });
    });
  }
}

namespace {

// gdb's words on one process, each line behind `prefix`; empty if gdb does not run.
std::string stack_of(pid_t pid, int limit_s, const std::string& prefix) {
  const std::string command = fmt::format(
      "timeout -s KILL {} gdb -nx -batch -iex 'set debuginfod enabled off' -p {} -ex 'set width 0' "
      "-ex 'set print entry-values no' "
      "-ex 'thread apply all backtrace 40' 2>&1 </dev/null",
      limit_s, pid);
  const std::unique_ptr<FILE, int (*)(FILE*)> output(::popen(command.c_str(), "re"), &::pclose);
  std::string text;
  std::array<char, 4096> line{};
  while (output != nullptr && std::fgets(line.data(), line.size(), output.get()) != nullptr) {
    text += prefix + line.data();
  }
  return text;
}

}  // namespace

std::string describe_stacks(const std::vector<RankSnapshot>& ranks, const StackWish& wish,
                            const std::atomic<bool>& stop) {
  if (std::system("command -v gdb >/dev/null 2>&1") != 0) {
    return "For the stacks of the ranks install gdb (--get-stack-traces).\n";
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(wish.limit_s);
  const std::map<pid_t, ProcessState> processes = busiest_of_groups();
  std::string text;
  for (const RankSnapshot& rank : ranks) {
    const ProcessState process = process_of(rank, processes);
    if (process.pid < 0) continue;
    if (stop) break;
    if (std::chrono::steady_clock::now() > end) return text + "  (no time for the other ranks)\n";
    const std::string stack =
        stack_of(process.pid, wish.rank_limit_s, fmt::format("[{}] ", rank.rank));
    if (stack.find("#0 ") == std::string::npos) {
      text += fmt::format("  rank {}: gdb cannot see its stack\n", rank.rank);
    }
    text += stack;
  }
  return text;
}

}  // namespace remit::launcher
