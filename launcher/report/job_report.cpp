// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What was seen of the ranks, turned into a table; stacks by gdb.
#include "launcher/report/job_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "launcher/report/wait_graph.hpp"
#include "runtime/clock.hpp"

namespace remit::launcher {
namespace {

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

std::string where_in_mpi(const RankSnapshot& rank) {
  if (rank.pid < 0) return "not started";
  if (!rank.seen && !rank.exited) return "not known";
  if (rank.phase != MpiPhase::inside) return std::string(describe_phase(rank.phase));
  if (!rank.calls.known) return "between MPI_Init and MPI_Finalize";
  return rank.exited ? "in no MPI call that had waited for long" : "in no MPI call that waits";
}

RankLife life_of(const RankSnapshot& rank) {
  if (rank.phase == MpiPhase::finished) return RankLife::finalized;
  if (rank.exited) return RankLife::ended;
  if (!rank.seen && rank.phase == MpiPhase::inside) return RankLife::unknown;
  return rank.phase == MpiPhase::inside ? RankLife::inside : RankLife::before;
}

std::string describe_graph(const std::vector<RankSnapshot>& ranks) {
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
  for (const RankSnapshot& rank : ranks) {
    const ProcessState& process = rank.process;
    const bool gone = process.pid < 0;
    const pid_t pid = gone ? rank.pid : process.pid;
    const double cpu_s = static_cast<double>(process.cpu_ms) / 1000;
    const std::string cpu = gone ? "-" : fmt::format("{:.2f} s", cpu_s);
    const bool is_hidden = rank.pid < 0 || (!rank.seen && !rank.exited);
    const std::string state = is_hidden ? "-" : gone ? "ended" : describe_process(process);
    const std::string shown_pid = rank.pid < 0 ? "-" : std::to_string(pid);
    if (rank.calls.blocked.empty()) {
      text += fmt::format(kRow, rank.rank, rank.host, width, shown_pid, cpu, state, process.name,
                          "-", where_in_mpi(rank));
    }
    for (const BlockedCall& call : rank.calls.blocked) {
      const auto blocked_ns = static_cast<double>(rank.calls.seen_ns - call.since_ns);
      text += fmt::format(
          kRow, rank.rank, rank.host, width, shown_pid, cpu, state, process.name,
          fmt::format("{:.1f} s", std::max(blocked_ns, 0.0) / 1e9),
          (rank.exited ? "was in " : "") + describe_call(call.record, rank.calls.seen_ns));
    }
  }
  return text + describe_graph(ranks);
}

void keep_lasting(std::vector<RankSnapshot>& ranks, const std::vector<RankSnapshot>& before) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    std::erase_if(ranks[i].calls.blocked, [&](const BlockedCall& call) {
      if (i >= before.size()) return true;
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
  const auto end = MonotonicClock::now() + std::chrono::seconds(wish.limit_s);
  std::string text;
  for (const RankSnapshot& rank : ranks) {
    const ProcessState& process = rank.process;
    if (process.pid < 0 || rank.remote) continue;
    if (stop) break;
    if (MonotonicClock::now() > end) return text + "  (no time for the other ranks)\n";
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
