// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "launcher/pmix/pmi1_space.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "launcher/tree/wire.hpp"

namespace remit::launcher {
namespace {

// Lengths with the end of a string, as other launchers have them: programs have lines of 1024
// bytes.
constexpr std::size_t kMostSpaceName = 256;
constexpr std::size_t kMostKey = 64;
constexpr std::size_t kMostValue = 1024;
constexpr std::string_view kMapping = "PMI_process_mapping";

// The value of a word; empty if there is none.
std::string_view word(std::string_view line, std::string_view name) {
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view each = line.substr(0, end);
    if (each.size() > name.size() && each.starts_with(name) && each[name.size()] == '=') {
      return each.substr(name.size() + 1);
    }
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return {};
}

std::string refusal(std::string_view command, std::string_view why) {
  return fmt::format("cmd={}_result rc=-1 msg={}\n", command, why);
}

// Ranks one behind the other on one host.
struct Run {
  int host;
  int count;
};

std::vector<Run> runs_of(const Job& job) {
  std::vector<Run> runs;
  for (const Rank& rank : job.ranks) {
    if (runs.empty() || runs.back().host != rank.host) runs.push_back({rank.host, 0});
    ++runs.back().count;
  }
  return runs;
}

}  // namespace

std::string process_mapping(const Job& job) {
  const std::vector<Run> runs = runs_of(job);
  std::string text = "(vector";
  for (std::size_t i = 0; i < runs.size();) {
    std::size_t next = i + 1;
    while (next < runs.size() && runs[next].count == runs[i].count &&
           runs[next].host == runs[next - 1].host + 1) {
      ++next;
    }
    text += fmt::format(",({},{},{})", runs[i].host, next - i, runs[i].count);
    i = next;
  }
  return text + ")";
}

Pmi1Space::Pmi1Space(const Job& job, int node, Callbacks callbacks)
    : callbacks_(std::move(callbacks)),
      name_(job.nspace),
      universe_(std::max(job.universe, static_cast<int>(job.ranks.size()))),
      here_(job.hosts[static_cast<std::size_t>(job.host_of(node))].ranks.size()) {
  for (const Rank& rank : job.ranks) app_of_.push_back(rank.app);
  // Where it is too long for a line the ranks tell each other where they are.
  constexpr std::size_t kRestOfLine = 64;
  if (std::string map = process_mapping(job); map.size() < kMostValue - kRestOfLine)
    values_.emplace(kMapping, std::move(map));
}

bool Pmi1Space::take(int rank, std::string_view line) {
  if (const std::string_view many = word(line, "mcmd"); !many.empty()) {
    asks_for_more_ = true;
    return true;
  }
  if (std::exchange(asks_for_more_, asks_for_more_ && line != "endcmd")) {
    if (line == "endcmd")
      callbacks_.answer(rank, refusal("spawn", "Remit's_mpirun_spawns_by_PMIx_only"));
    return true;
  }
  const std::string_view command = word(line, "cmd");
  if (command.empty()) return false;
  if (command == "barrier_in") {
    enter_barrier(rank);
  } else {
    callbacks_.answer(rank, answer_to(rank, command, line));
  }
  return true;
}

std::string Pmi1Space::answer_to(int rank, std::string_view command, std::string_view line) {
  if (command == "init") {
    callbacks_.connected(rank);
    const bool known = word(line, "pmi_version") == "1";
    return fmt::format("cmd=response_to_init rc={} pmi_version=1 pmi_subversion=1\n",
                       known ? 0 : -1);
  }
  if (command == "get_maxes") {
    return fmt::format("cmd=maxes rc=0 kvsname_max={} keylen_max={} vallen_max={}\n",
                       kMostSpaceName, kMostKey, kMostValue);
  }
  if (command == "get_appnum") {
    return fmt::format("cmd=appnum rc=0 appnum={}\n", app_of_[static_cast<std::size_t>(rank)]);
  }
  if (command == "get_my_kvsname") return fmt::format("cmd=my_kvsname rc=0 kvsname={}\n", name_);
  if (command == "get_universe_size")
    return fmt::format("cmd=universe_size rc=0 size={}\n", universe_);
  if (command == "put") return put(line);
  if (command == "get") return get(line);
  if (command == "abort") {
    int status = 1;
    const std::string_view code = word(line, "exitcode");
    std::from_chars(code.data(), code.data() + code.size(), status);
    callbacks_.aborted(rank, status, std::string(word(line, "message")));
    return {};
  }
  if (command == "finalize") {
    callbacks_.finalized(rank);
    return "cmd=finalize_ack rc=0\n";
  }
  return refusal(command, "not_supported");
}

std::string Pmi1Space::put(std::string_view line) {
  constexpr std::string_view kValue = " value=";
  const std::string_view key = word(line, "key");
  const std::size_t at = line.find(kValue);
  if (key.empty() || at == std::string_view::npos) return refusal("put", "no_key_or_value");
  const std::string_view value = line.substr(at + kValue.size());
  if (key.size() >= kMostKey || value.size() >= kMostValue) return refusal("put", "too_long");
  values_.insert_or_assign(std::string(key), std::string(value));
  fresh_.emplace_back(key);
  fresh_.emplace_back(value);
  return "cmd=put_result rc=0 msg=success\n";
}

std::string Pmi1Space::get(std::string_view line) const {
  const auto found = values_.find(word(line, "key"));
  if (found == values_.end()) return "cmd=get_result rc=-1 msg=key_not_found value=unknown\n";
  return fmt::format("cmd=get_result rc=0 msg=success value={}\n", found->second);
}

void Pmi1Space::enter_barrier(int rank) {
  if (std::ranges::find(waiting_, rank) != waiting_.end()) return;
  waiting_.push_back(rank);
  if (waiting_.size() < here_) return;
  WireWriter writer;
  writer.texts(std::exchange(fresh_, {}));
  callbacks_.all_entered(writer.bytes());
}

bool Pmi1Space::leave_barrier(std::string_view put) {
  WireReader reader(put);
  while (!reader.complete()) {
    const std::vector<std::string> items = reader.texts();
    if (!reader.good() || items.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < items.size(); i += 2)
      values_.insert_or_assign(items[i], items[i + 1]);
  }
  for (const int rank : std::exchange(waiting_, {}))
    callbacks_.answer(rank, "cmd=barrier_out rc=0\n");
  return true;
}

}  // namespace remit::launcher
