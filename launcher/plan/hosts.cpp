// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Reading and joining lists of hosts.
#include "launcher/plan/hosts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "launcher/cli/words.hpp"

namespace remit::launcher {
namespace {

constexpr int kMostSlots = 1 << 20;

std::optional<int> slots_of(std::string_view text) {
  const std::optional<int> slots = whole_number(text);
  return slots && *slots >= 1 && *slots <= kMostSlots ? slots : std::nullopt;
}

// "a:4", "a", "[::1]:4", "::1": a name and what stands behind its colon.
std::pair<std::string, std::string> split_name(const std::string& text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    const std::string name = text.substr(1, end == std::string::npos ? end : end - 1);
    const std::size_t colon = text.find(':', std::min(end, text.size()));
    return {name, colon == std::string::npos ? "" : text.substr(colon + 1)};
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || text.find(':', colon + 1) != std::string::npos) {
    return {text, ""};
  }
  return {text.substr(0, colon), text.substr(colon + 1)};
}

Expected<HostSpec> read_name(const std::string& where, const std::string& text) {
  const auto [name, count] = split_name(text);
  if (name.empty() || name.starts_with('-')) {  // ssh would take it for an option
    return fail(MPI_ERR_ARG, "{}: a host's name is missing", where);
  }
  HostSpec host{name, 1, false, 0};
  if (count.empty()) return host;
  host.said = true;
  if (count == "*" || count == "-1") {
    host.slots = HostSpec::kAllCores;
    return host;
  }
  const std::optional<int> slots = slots_of(count);
  if (!slots) return fail(MPI_ERR_ARG, "{}: '{}' is no number of ranks", where, count);
  host.slots = *slots;
  return host;
}

// "+n1", "+e", "+e:2".
Expected<HostWord> read_relative(const std::string& where, const std::string& text) {
  HostWord word;
  if (text.starts_with("+n") || text.starts_with("+N")) {
    word.kind = HostWord::Kind::nth;
    word.number = whole_number(text.substr(2)).value_or(-1);
    if (word.number >= 0) return word;
  } else if (text == "+e" || text == "+E") {
    word.kind = HostWord::Kind::empty;
    return word;
  } else if (text.starts_with("+e:") || text.starts_with("+E:")) {
    word.kind = HostWord::Kind::empty;
    word.number = slots_of(text.substr(3)).value_or(-1);
    if (word.number > 0) return word;
  }
  return fail(MPI_ERR_ARG,
              "{}: '{}': write +nI for the host number I (from 0), +e or +e:N for hosts "
              "without ranks",
              where, text);
}

// What stands behind the name in a line of a hostfile.
Expected<> read_fields(const std::string& where, std::span<const std::string> words,
                       HostSpec* host) {
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    const bool is_most = name == "max_slots" || name == "max-slots";
    if (!is_most && name != "slots" && name != "cpus" && name != "cpu" && name != "count") {
      return fail(MPI_ERR_ARG, "{}: '{}' is not known; write NAME slots=N max_slots=N, or NAME:N",
                  where, word);
    }
    const std::optional<int> number = slots_of(value);
    if (!number) return fail(MPI_ERR_ARG, "{}: '{}' is no number of ranks", where, value);
    (is_most ? host->max_slots : host->slots) = *number;
    host->said = host->said || !is_most;
  }
  if (host->max_slots > 0 && host->said && host->slots > host->max_slots) {
    return fail(MPI_ERR_ARG, "{}: slots={} is more than max_slots={}", where, host->slots,
                host->max_slots);
  }
  return {};
}

// Two counts of slots of one host together.
void add_slots(const HostSpec& more, HostSpec* host) {
  const bool all = host->slots == HostSpec::kAllCores || more.slots == HostSpec::kAllCores;
  host->slots = all ? HostSpec::kAllCores : std::min(host->slots + more.slots, kMostSlots);
  host->said = host->said || more.said;
  host->max_slots = host->max_slots == 0 || more.max_slots == 0
                        ? 0
                        : std::min(host->max_slots + more.max_slots, kMostSlots);
}

auto find_host(std::vector<HostSpec>& hosts, const std::string& name) {
  return std::ranges::find(hosts, name, &HostSpec::name);
}

void add_host(HostSpec host, std::vector<HostSpec>* hosts) {
  const auto found = find_host(*hosts, host.name);
  if (found == hosts->end()) {
    hosts->push_back(std::move(host));
  } else {
    add_slots(host, &*found);
  }
}

std::vector<HostSpec> with_own_name(std::span<const HostSpec> hosts, const OwnNames& own) {
  std::vector<HostSpec> named;
  for (HostSpec host : hosts) {
    if (own.contains(host.name)) host.name = own.name;
    add_host(std::move(host), &named);
  }
  return named;
}

// Chooses by words among the hosts of a file, or of the words themselves.
class Chooser {
 public:
  Chooser(std::span<const HostSpec> file, const OwnNames& own)
      : own_(own), file_(with_own_name(file, own)), has_file_(!file.empty()) {}

  Expected<std::vector<HostSpec>> choose(std::span<const HostWord> words) {
    for (const HostWord& word : words) {
      if (word.kind == HostWord::Kind::empty) continue;
      if (auto done = word.kind == HostWord::Kind::nth ? take_nth(word.number) : take(word.host);
          !done) {
        return tl::unexpected(done.error());
      }
    }
    // Those that no word names are known only now.
    for (const HostWord& word : words) {
      if (word.kind != HostWord::Kind::empty) continue;
      if (auto done = take_empty(word.number); !done) return tl::unexpected(done.error());
    }
    return std::move(chosen_);
  }

 private:
  Expected<> take(HostSpec host) {
    if (own_.contains(host.name)) host.name = own_.name;
    if (has_file_) {
      const auto found = find_host(file_, host.name);
      if (found == file_.end()) {
        return fail(MPI_ERR_ARG, "--host {}: the hostfile has no such host", host.name);
      }
      if (!host.said) return take_once(*found);
      host.max_slots = found->max_slots;
    }
    add_host(std::move(host), &chosen_);
    return {};
  }

  Expected<> take_once(const HostSpec& host) {
    if (find_host(chosen_, host.name) == chosen_.end()) chosen_.push_back(host);
    return {};
  }

  Expected<> take_nth(int number) {
    if (static_cast<std::size_t>(number) >= file_.size()) {
      return fail(MPI_ERR_ARG, "--host +n{}: there are {} hosts, counted from 0", number,
                  file_.size());
    }
    return take_once(file_[static_cast<std::size_t>(number)]);
  }

  Expected<> take_empty(int number) {
    int taken = 0;
    for (const HostSpec& host : file_) {
      if (taken == number || find_host(chosen_, host.name) != chosen_.end()) continue;
      chosen_.push_back(host);
      ++taken;
    }
    if (taken < std::max(number, 1)) {
      return fail(MPI_ERR_ARG, "--host +e: there are {} hosts that nothing else names", taken);
    }
    return {};
  }

  const OwnNames& own_;
  std::vector<HostSpec> file_;
  bool has_file_;
  std::vector<HostSpec> chosen_;
};

}  // namespace

Expected<std::vector<HostWord>> read_host_words(const std::string& text) {
  std::vector<HostWord> words;
  const std::string where = "--host " + text;
  for (const std::string& part : split(text, ',')) {
    if (part.starts_with('+')) {
      Expected<HostWord> word = read_relative(where, part);
      if (!word) return tl::unexpected(word.error());
      words.push_back(std::move(*word));
      continue;
    }
    Expected<HostSpec> host = read_name(where, part);
    if (!host) return tl::unexpected(host.error());
    words.push_back({HostWord::Kind::name, std::move(*host), -1});
  }
  return words;
}

Expected<std::vector<HostSpec>> read_hostfile(const std::string& path, const std::string& text) {
  std::vector<HostSpec> hosts;
  std::map<std::string, int> lines;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    const std::string where = fmt::format("--hostfile {} line {}", path, ++number);
    const Expected<std::vector<std::string>> words = words_of_line(line);
    if (!words) return fail(MPI_ERR_ARG, "{}: {}", where, words.error().message);
    if (words->empty()) continue;
    Expected<HostSpec> host = read_name(where, words->front());
    if (!host) return tl::unexpected(host.error());
    if (auto done = read_fields(where, std::span(*words).subspan(1), &*host); !done) {
      return tl::unexpected(done.error());
    }
    ++lines[host->name];
    add_host(std::move(*host), &hosts);
  }
  for (HostSpec& host : hosts) {
    if (!host.said && lines[host.name] == 1) host.slots = HostSpec::kAllCores;
  }
  return hosts;
}

bool OwnNames::contains(const std::string& host) const {
  const std::string bare = host.substr(host.find('@') + 1);  // npos + 1 is 0
  const std::string brief = name.substr(0, name.find('.'));
  return bare == name || bare == brief || bare == "localhost" || bare.starts_with("127.") ||
         bare == "::1" || std::ranges::find(addresses, bare) != addresses.end();
}

Expected<std::vector<HostSpec>> resolve_hosts(std::span<const HostWord> words,
                                              std::span<const HostSpec> file, const OwnNames& own) {
  if (words.empty()) return with_own_name(file, own);
  return Chooser(file, own).choose(words);
}

void join_hosts(std::span<const HostSpec> more, std::vector<HostSpec>* hosts) {
  for (const HostSpec& host : more) {
    const auto found = find_host(*hosts, host.name);
    if (found == hosts->end()) {
      hosts->push_back(host);
    } else if (found->slots != HostSpec::kAllCores &&
               (host.slots == HostSpec::kAllCores || host.slots > found->slots)) {
      found->slots = host.slots;
      found->said = host.said;
    }
  }
}

}  // namespace remit::launcher
