// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Reading /proc, and inspections as bytes: each part is written and read by two functions that
// stand together.
#include "launcher/report/rank_inspection.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "launcher/cli/words.hpp"
#include "launcher/tree/wire.hpp"

namespace remit::launcher {
namespace {

constexpr std::size_t kMostLookName = 64;  // of a process, or of a function of the kernel
constexpr std::int64_t kMostCpuMs = std::int64_t{1} << 50;

std::string read_small(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::array<char, 1024> text{};
  const ssize_t size = ::read(file, text.data(), text.size());
  ::close(file);
  return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

double stat_number(const std::string& text) {
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
  found.process.name = line.substr(open + 1, std::min(close - open - 1, kMostLookName));
  found.process.state = fields[kState].empty() ? '?' : fields[kState][0];
  const double ticks = stat_number(fields[kUserTime]) + stat_number(fields[kSystemTime]);
  found.process.cpu_ms = std::llround(ticks * 1000 / static_cast<double>(::sysconf(_SC_CLK_TCK)));
  found.group = static_cast<pid_t>(stat_number(fields[kGroup]));
  return found;
}

std::string kernel_function(const ProcessState& process) {
  if (process.state == 'R') return "";
  std::string name = read_small(fmt::format("/proc/{}/wchan", process.pid));
  name.resize(std::min({name.size(), name.find('.'), kMostLookName}));
  return name == "0" ? "" : name;
}

}  // namespace

ProcessTable::ProcessTable() {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/proc"), &::closedir);
  if (directory == nullptr) return;
  while (const dirent* entry = ::readdir(directory.get())) {
    const pid_t pid = std::atoi(entry->d_name);
    const auto found = pid > 0 ? read_process(pid) : std::nullopt;
    if (!found) continue;
    ProcessState& best = busiest_[found->group];
    const bool first = best.pid < 0 || (best.state == 'Z' && found->process.state != 'Z');
    if (first || found->process.cpu_ms >= best.cpu_ms) best = found->process;
  }
}

ProcessState ProcessTable::busiest_of(pid_t group) const {
  const auto found = busiest_.find(group);
  if (found == busiest_.end()) return {};
  ProcessState process = found->second;
  process.waiting = kernel_function(process);
  return process;
}

namespace {

void write_part(const ProcessState& process, WireWriter* writer) {
  writer->number(process.pid);
  writer->text(process.name);
  writer->number(process.state);
  writer->number(process.cpu_ms);
  writer->text(process.waiting);
}

bool read(WireReader* reader, ProcessState* process) {
  process->pid = reader->integer();
  process->name = reader->text();
  const int state = reader->integer();
  process->state = static_cast<char>(state);
  process->cpu_ms = reader->number();
  process->waiting = reader->text();
  return (process->pid > 0 || process->pid == -1) && process->name.size() <= kMostLookName &&
         state > ' ' && state <= '~' && process->cpu_ms >= 0 && process->cpu_ms <= kMostCpuMs &&
         process->waiting.size() <= kMostLookName;
}

bool read_bool(WireReader* reader, bool* value) {
  const std::int64_t number = reader->number();
  *value = number == 1;
  return number == 0 || number == 1;
}

template <std::size_t N>
bool read_field(WireReader* reader, char (&field)[N]) {
  const std::string text = reader->text();
  set_text(field, text);
  return text == field;  // nothing was cut, and no zero byte is inside
}

// A number of less than 64 bits.
template <class Number>
bool read_number(WireReader* reader, Number* value) {
  const std::int64_t number = reader->number();
  *value = static_cast<Number>(number);
  return number == static_cast<std::int64_t>(*value);
}

void write_part(const RankSet& set, WireWriter* writer) {
  writer->number(set.listed ? 1 : 0);
  writer->number(set.count);
  if (!set.listed) {
    writer->number(set.first);
    writer->number(set.stride);
    return;
  }
  for (std::uint32_t i = 0; i < set.size(); ++i) writer->number(set.list[i]);
}

bool read(WireReader* reader, RankSet* set) {
  bool good = read_bool(reader, &set->listed) && read_number(reader, &set->count);
  if (!set->listed) {
    good = read_number(reader, &set->first) && good;
    set->stride = reader->number();
    return good;
  }
  for (std::uint32_t i = 0; i < set->size() && good; ++i) good = read_number(reader, &set->list[i]);
  return good;
}

void write_part(const CallRecord& call, WireWriter* writer) {
  for (const char* const text : {call.function, call.operation, call.comm, call.type}) {
    writer->text(text);
  }
  writer->number(static_cast<int>(call.kind));
  for (const bool flag : {call.any, call.threads, call.has_peer}) writer->number(flag ? 1 : 0);
  writer->number(call.context);
  writer->number(call.sequence);
  for (const std::int64_t number :
       {std::int64_t{call.peer}, std::int64_t{call.tag}, std::int64_t{call.holder}, call.count,
        std::int64_t{call.pending}, std::int64_t{call.total}}) {
    writer->number(number);
  }
  writer->number(call.polled_ns);
  writer->number(call.held_ns);
  write_part(call.members, writer);
  write_part(call.waits_for, writer);
}

bool read(WireReader* reader, CallRecord* call) {
  bool good = read_field(reader, call->function) && read_field(reader, call->operation) &&
              read_field(reader, call->comm) && read_field(reader, call->type);
  int kind = 0;
  good =
      good && read_number(reader, &kind) && kind >= 0 && kind <= static_cast<int>(CallKind::lock);
  if (!good || call->function[0] == '\0') return false;
  call->kind = static_cast<CallKind>(kind);
  good = read_bool(reader, &call->any) && read_bool(reader, &call->threads) &&
         read_bool(reader, &call->has_peer) && read_number(reader, &call->context) &&
         read_number(reader, &call->sequence) && read_number(reader, &call->peer) &&
         read_number(reader, &call->tag) && read_number(reader, &call->holder);
  call->count = reader->number();
  good = good && read_number(reader, &call->pending) && read_number(reader, &call->total);
  call->polled_ns = reader->number();
  call->held_ns = reader->number();
  return good && read(reader, &call->members) && read(reader, &call->waits_for) && is_sound(*call);
}

void write_part(const RankCalls& calls, WireWriter* writer) {
  writer->number(calls.known ? 1 : 0);
  writer->number(calls.seen_ns);
  writer->number(static_cast<std::int64_t>(calls.blocked.size()));
  for (const BlockedCall& call : calls.blocked) {
    writer->number(call.since_ns);
    write_part(call.record, writer);
  }
}

bool read(WireReader* reader, RankCalls* calls) {
  bool good = read_bool(reader, &calls->known);
  calls->seen_ns = reader->number();
  const std::int64_t count = reader->number();
  const auto most = static_cast<std::int64_t>(calls->known ? kCallSlots : 0);
  good = good && calls->seen_ns >= 0 && count >= 0 && count <= most;
  for (std::int64_t i = 0; i < count && good; ++i) {
    BlockedCall call;
    call.since_ns = reader->number();
    good = call.since_ns >= 0 && read(reader, &call.record) && reader->good();
    calls->blocked.push_back(call);
  }
  return good;
}

}  // namespace

std::string write_inspections(const RankInspections& inspections) {
  WireWriter writer;
  for (const auto& [number, seen] : inspections) {
    writer.number(number);
    write_part(seen.process, &writer);
    write_part(seen.calls, &writer);
  }
  return writer.bytes();
}

std::optional<RankInspections> read_inspections(const std::string& bytes) {
  WireReader reader(bytes);
  RankInspections inspections;
  while (!reader.complete()) {
    const int number = reader.integer();
    const int before = inspections.empty() ? -1 : inspections.rbegin()->first;
    RankInspection seen;
    const bool good = read(&reader, &seen.process) && read(&reader, &seen.calls) && reader.good();
    if (!good || number <= before) return std::nullopt;  // ascending
    inspections.emplace_hint(inspections.end(), number, std::move(seen));
  }
  return inspections;
}

}  // namespace remit::launcher
