// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// /proc and gdb, turned into a table.
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
#include <memory>
#include <optional>
#include <string_view>

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

ProcessState busiest_of_group(pid_t group) {
  ProcessState busiest;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/proc"), &::closedir);
  if (directory == nullptr) return busiest;
  while (const dirent* entry = ::readdir(directory.get())) {
    const pid_t pid = std::atoi(entry->d_name);
    const auto found = pid > 0 ? read_process(pid) : std::nullopt;
    if (!found || found->group != group) continue;
    const bool first = busiest.pid < 0 || (busiest.state == 'Z' && found->process.state != 'Z');
    if (first || found->process.cpu_s >= busiest.cpu_s) busiest = found->process;
  }
  if (busiest.pid > 0 && busiest.state != 'R') {
    busiest.waiting = read_small(fmt::format("/proc/{}/wchan", busiest.pid));
    busiest.waiting.resize(std::min(busiest.waiting.size(), busiest.waiting.find('.')));
    if (busiest.waiting == "0") busiest.waiting.clear();
  }
  return busiest;
}

std::string describe_ranks(const std::vector<RankSnapshot>& ranks, double elapsed_s) {
  constexpr const char* kRow = "  {:>6} {:>9}  {:<34} {:>9}  {:<28} {}\n";
  std::string text = fmt::format("After {:.1f} s the ranks are here:\n", elapsed_s);
  text += fmt::format(kRow, "rank", "pid", "in MPI", "CPU time", "process", "program");
  for (const RankSnapshot& rank : ranks) {
    if (rank.pid < 0) {
      text +=
          fmt::format(kRow, rank.rank, "-", describe_phase(MpiPhase::not_started), "-", "-", "");
      continue;
    }
    const ProcessState process = rank.exited ? ProcessState{} : busiest_of_group(rank.pid);
    const bool gone = process.pid < 0;
    text += fmt::format(kRow, rank.rank, gone ? rank.pid : process.pid, describe_phase(rank.phase),
                        gone ? "-" : fmt::format("{:.2f} s", process.cpu_s),
                        gone ? "ended" : describe_process(process), process.name);
  }
  return text;
}

std::string mpi_call_of(std::string_view stack) {
  // "#7  0x00007f... in MPI_Recv (buf=...) at recv.cpp:7", "#0  MPI_Recv () from libmpi_abi.so.1".
  for (std::size_t at = stack.rfind("MPI_"); at != std::string_view::npos && at > 0;
       at = stack.rfind("MPI_", at - 1)) {
    const std::size_t end = stack.find(' ', at);
    if (end == std::string_view::npos || stack.substr(end, 2) != " (") continue;
    const std::string_view before = stack.substr(0, stack[at - 1] == 'P' ? at - 1 : at);
    if (!before.ends_with(" in ") && !before.ends_with("  ")) continue;
    const std::string_view rest = stack.substr(at, stack.find('\n', at) - at);
    const std::size_t close = std::min(rest.find(") at "), rest.find(") from "));
    const bool has_arguments = close != std::string_view::npos && rest[close - 1] != '(';
    return std::string(has_arguments ? rest.substr(0, close + 1) : stack.substr(at, end - at));
  }
  return "";
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
    return wish.whole ? "For the stacks of the ranks install gdb (--get-stack-traces).\n" : "";
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(wish.limit_s);
  std::string text;
  for (const RankSnapshot& rank : ranks) {
    const ProcessState process =
        rank.exited || rank.pid < 0 ? ProcessState{} : busiest_of_group(rank.pid);
    // Without PMIx there is no MPI call to find.
    if (process.pid < 0 || (!wish.whole && rank.phase != MpiPhase::inside)) continue;
    if (stop) break;
    if (std::chrono::steady_clock::now() > end) return text + "  (no time for the other ranks)\n";
    const std::string stack =
        stack_of(process.pid, wish.rank_limit_s, fmt::format("[{}] ", rank.rank));
    if (stack.find("#0 ") == std::string::npos) {
      text += fmt::format("  rank {}: gdb cannot see its stack\n", rank.rank);
    } else {
      const std::string call = mpi_call_of(stack);
      text += fmt::format("  rank {} is in {}\n", rank.rank, call.empty() ? "no MPI call" : call);
    }
    if (wish.whole) text += stack;
  }
  return text;
}

}  // namespace remit::launcher
