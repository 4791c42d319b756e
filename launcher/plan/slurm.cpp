// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Reading Slurm's variables, and writing srun's options.
#include "launcher/plan/slurm.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "launcher/cli/words.hpp"
#include "launcher/plan/job.hpp"

namespace remit::launcher {
namespace {

constexpr std::size_t kMostHosts = std::size_t{1} << 16;  // of a list; what is beyond is an error
constexpr std::size_t kMostLetters = 255;                 // of a host's name
constexpr int kMostTasks = 1 << 20;

std::optional<std::uint64_t> digits(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const bool good = error == std::errc{} && rest == end;
  return good ? std::optional(number) : std::nullopt;
}

// "1-3,07": the numbers as they are written, with the zeros in front. False: it is no such list.
bool expand_ranges(std::string_view text, std::vector<std::string>* numbers) {
  for (const std::string& range : split(text, ',')) {
    const std::size_t dash = range.find('-');
    const std::string low = range.substr(0, dash);
    const auto first = digits(low);
    const auto last = dash == std::string::npos ? first : digits(range.substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first >= kMostHosts) return false;
    if (low.size() > kMostLetters) return false;
    // Counted down from their number: nothing is behind the largest one.
    for (std::uint64_t left = *last - *first + 1; left > 0; --left) {
      numbers->push_back(fmt::format("{:0{}}", *last - (left - 1), low.size()));
    }
    if (numbers->size() > kMostHosts) return false;
  }
  return true;
}

// One name, with any number of brackets. False: a bracket is wrong, or there are too many.
bool expand_name(std::string_view text, std::vector<std::string>* names) {
  std::vector<std::string> done{""};
  while (true) {
    const std::size_t open = text.find('[');
    const std::string_view plain = text.substr(0, open);
    if (plain.find(']') != std::string_view::npos) return false;
    const auto fits = [&](const std::string& name) {
      return name.size() + plain.size() <= kMostLetters;
    };
    if (!std::ranges::all_of(done, fits)) return false;
    for (std::string& name : done) name += plain;
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find(']', open);
    if (close == std::string_view::npos) return false;
    std::vector<std::string> numbers;
    if (!expand_ranges(text.substr(open + 1, close - open - 1), &numbers)) return false;
    if (done.size() * numbers.size() > kMostHosts) return false;
    std::vector<std::string> longer;
    for (const std::string& name : done) {
      for (const std::string& number : numbers) longer.push_back(name + number);
    }
    done = std::move(longer);
    text.remove_prefix(close + 1);
  }
  if (done.front().empty() || done.front().starts_with('-')) return false;
  std::ranges::move(done, std::back_inserter(*names));
  return names->size() <= kMostHosts;
}

// The parts between the commas outside of brackets.
std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == ']') inside = text[i] == '[';
    if (text[i] != ',' || inside) continue;
    parts.push_back(text.substr(start, i - start));
    start = i + 1;
  }
  parts.push_back(text.substr(start));
  return parts;
}

// How many ranks each host is meant to have, from the first variable that fits the hosts.
std::optional<std::vector<int>> find_slots(const std::vector<std::string>& environment,
                                           std::size_t hosts) {
  for (const char* const name : {"SLURM_TASKS_PER_NODE", "SLURM_JOB_CPUS_PER_NODE"}) {
    const char* const text = get_env(environment, name);
    if (text == nullptr) continue;
    std::optional<std::vector<int>> counts = expand_counts(text);
    if (counts && counts->size() == hosts) return counts;
  }
  return std::nullopt;
}

}  // namespace

Expected<std::vector<std::string>> expand_host_list(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view part : split_list(text)) {
    if (!expand_name(part, &names)) {
      return fail(MPI_ERR_ARG, "'{}' is no list of hosts such as a[1-3,07],b", text);
    }
  }
  return names;
}

std::optional<std::vector<int>> expand_counts(std::string_view text) {
  std::vector<int> counts;
  for (const std::string& part : split(text, ',')) {
    const std::size_t open = part.find("(x");
    const std::optional<int> count = whole_number(part.substr(0, open));
    std::optional<int> times = 1;
    if (open != std::string::npos) {
      if (!part.ends_with(')')) return std::nullopt;
      times = whole_number(part.substr(open + 2, part.size() - open - 3));
    }
    if (!count || *count < 1 || *count > kMostTasks || !times || *times < 1) return std::nullopt;
    if (counts.size() + static_cast<std::size_t>(*times) > kMostHosts) return std::nullopt;
    counts.insert(counts.end(), static_cast<std::size_t>(*times), *count);
  }
  return counts;
}

Expected<std::optional<Allocation>> find_allocation(const std::vector<std::string>& environment) {
  const char* const job = get_env(environment, "SLURM_JOB_ID");
  const char* const nodes = get_env(environment, "SLURM_JOB_NODELIST");
  if (job == nullptr || nodes == nullptr || *nodes == 0) return std::nullopt;
  const Expected<std::vector<std::string>> names = expand_host_list(nodes);
  if (!names) {
    return fail(MPI_ERR_ARG, "SLURM_JOB_NODELIST: {} (without SLURM_JOB_ID it is not looked at)",
                names.error().message);
  }
  Allocation allocation{job, {}, ""};
  if (const char* const own = get_env(environment, "SLURMD_NODENAME")) allocation.own_name = own;
  const auto slots = find_slots(environment, names->size());
  for (std::size_t i = 0; i < names->size(); ++i) {
    const int count = slots ? (*slots)[i] : HostSpec::kAllCores;
    allocation.hosts.push_back({(*names)[i], count, slots.has_value(), 0});
  }
  return allocation;
}

Expected<> use_allocation(const Allocation& allocation, const OwnNames& own, Options* options) {
  // Gives a host that the user named the name that it has in the allocation.
  const auto identify = [&](const std::string& where, HostSpec* host) -> Expected<> {
    const std::string name = host->name.substr(host->name.find('@') + 1);
    const auto found = std::ranges::find_if(allocation.hosts, [&](const HostSpec& each) {
      return each.name == name || (own.contains(name) && own.contains(each.name));
    });
    if (found == allocation.hosts.end()) {
      std::vector<std::string> names;
      names.reserve(allocation.hosts.size());
      for (const HostSpec& each : allocation.hosts) names.push_back(each.name);
      return fail(MPI_ERR_ARG,
                  "{}: host {} is not in the allocation of Slurm's job {}, which is {}", where,
                  name, allocation.job, fmt::join(names, ","));
    }
    host->name = found->name;
    if (!host->said && host->slots == HostSpec::kAllCores) {
      host->slots = found->slots;
      host->said = found->said;
    }
    return {};
  };
  for (HostSpec& host : options->hostfile) {
    if (auto done = identify("--hostfile", &host); !done) return done;
  }
  if (options->hostfile.empty()) options->hostfile = allocation.hosts;
  for (AppSpec& app : options->apps) {
    for (HostWord& word : app.hosts) {
      if (word.kind != HostWord::Kind::name) continue;
      if (auto done = identify("--host", &word.host); !done) return done;
    }
  }
  if (!options->rankfile) return {};
  for (RankLine& line : options->rankfile->ranks) {
    if (line.host.kind != HostWord::Kind::name) continue;
    const auto where = fmt::format("--rankfile {} line {}", options->rankfile->path, line.line);
    if (auto done = identify(where, &line.host.host); !done) return done;
  }
  return {};
}

bool is_srun(const std::vector<std::string>& agent) {
  return !agent.empty() && agent[0].substr(agent[0].rfind('/') + 1) == "srun";  // npos + 1 is 0
}

std::vector<std::string> srun_command(const std::vector<std::string>& agent,
                                      const std::vector<std::string>& hosts,
                                      const std::vector<std::string>& command) {
  std::vector<std::string> words = agent;
  words.push_back(fmt::format("--nodes={}", hosts.size()));
  words.push_back(fmt::format("--ntasks={}", hosts.size()));
  words.emplace_back("--ntasks-per-node=1");
  words.push_back(fmt::format("--nodelist={}", fmt::join(hosts, ",")));
  // Takes nothing away from other steps, and what they have is no reason to wait.
  words.emplace_back("--overlap");
  words.emplace_back("--mpi=none");
  words.emplace_back("--export=ALL");
  words.emplace_back("--input=all");
  words.emplace_back("--kill-on-bad-exit=1");  // a daemon that cannot start is told at once
  words.emplace_back("--quiet");
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

std::vector<std::string> srun_environment(std::vector<std::string> environment) {
  constexpr std::array kKept{
      "SLURM_JOB_ID=",          "SLURM_CONF=", "SLURM_CONF_SERVER=", "SLURM_CLUSTER_NAME=",
      "SLURM_WORKING_CLUSTER=", "SLURM_JWT=",  "SLURM_SACK_SOCKET=", "SLURM_SACK_KEY="};
  std::erase_if(environment, [&](const std::string& setting) {
    // A daemon would take ssh's for the address of its parent.
    if (setting.starts_with("SSH_CONNECTION=")) return true;
    return setting.starts_with("SLURM_") &&
           std::ranges::none_of(kKept, [&](const char* name) { return setting.starts_with(name); });
  });
  return environment;
}

}  // namespace remit::launcher
