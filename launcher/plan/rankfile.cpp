// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Reading rankfiles, and finding the cores that they name.
#include "launcher/plan/rankfile.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "launcher/cli/words.hpp"

namespace remit::launcher {
namespace {

constexpr int kMostNumber = 1 << 20;
constexpr std::size_t kMostListedCores = std::size_t{1} << 16;  // that one list may name

std::optional<int> core_number(std::string_view text) {
  const std::optional<int> number = whole_number(text);
  return number && *number >= 0 && *number < kMostNumber ? number : std::nullopt;
}

// "0,2-3": the numbers it names, ascending; nullopt if it is no such list.
std::optional<std::vector<int>> numbers_of(const std::string& text) {
  std::vector<int> numbers;
  for (const std::string& part : split(text, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = core_number(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : core_number(part.substr(dash + 1));
    if (!first || !last || *first > *last) return std::nullopt;
    const auto more = static_cast<std::size_t>(*last - *first) + 1;
    if (numbers.size() + more > kMostListedCores) return std::nullopt;
    for (int i = *first; i <= *last; ++i) numbers.push_back(i);
  }
  std::ranges::sort(numbers);
  const auto rest = std::ranges::unique(numbers);
  numbers.erase(rest.begin(), rest.end());
  return numbers;
}

struct SlotList {
  std::optional<int> socket;
  std::optional<std::vector<int>> cores;  // nullopt: all of the socket
};

std::optional<SlotList> read_slot(const std::string& text) {
  const std::size_t colon = text.find(':');
  SlotList list;
  if (colon != std::string::npos) {
    list.socket = core_number(text.substr(0, colon));
    if (!list.socket) return std::nullopt;
  }
  const std::string cores = colon == std::string::npos ? text : text.substr(colon + 1);
  if (list.socket && cores == "*") return list;
  list.cores = numbers_of(cores);
  return list.cores ? std::optional(list) : std::nullopt;
}

Expected<RankLine> read_line(const std::string& where, std::vector<std::string> words) {
  constexpr const char* kForm = "write 'rank N=HOST slot=CORES'";
  if (words.size() < 2 || words[0] != "rank") return fail(MPI_ERR_ARG, "{}: {}", where, kForm);
  if (words.size() > 3 || (words.size() == 3 && !words[2].starts_with("slot="))) {
    return fail(MPI_ERR_ARG, "{}: '{}' is not known; {}", where, words.back(), kForm);
  }
  const std::size_t equals = words[1].find('=');
  const auto rank = core_number(words[1].substr(0, equals));
  if (equals == std::string::npos || !rank) return fail(MPI_ERR_ARG, "{}: {}", where, kForm);
  Expected<std::vector<HostWord>> host = read_host_words(words[1].substr(equals + 1));
  if (!host || host->size() != 1 || host->front().kind == HostWord::Kind::empty ||
      host->front().host.said) {
    return fail(MPI_ERR_ARG, "{}: '{}' is no host", where, words[1].substr(equals + 1));
  }
  RankLine line{*rank, std::move(host->front()), "", 0};
  if (words.size() == 3) {
    line.slot = words[2].substr(5);
    if (!read_slot(line.slot)) {
      return fail(MPI_ERR_ARG, "{}: slot={}: write cores (0,2-3), or SOCKET:CORES, or SOCKET:*",
                  where, line.slot);
    }
  }
  return line;
}

}  // namespace

Expected<Rankfile> read_rankfile(const std::string& path, const std::string& text) {
  Rankfile file{path, {}};
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    const std::string where = fmt::format("--rankfile {} line {}", path, ++number);
    Expected<std::vector<std::string>> words = words_of_line(line);
    if (!words) return fail(MPI_ERR_ARG, "{}: {}", where, words.error().message);
    if (words->empty()) continue;
    Expected<RankLine> rank = read_line(where, std::move(*words));
    if (!rank) return tl::unexpected(rank.error());
    rank->line = number;
    file.ranks.push_back(std::move(*rank));
  }
  std::ranges::stable_sort(file.ranks, {}, &RankLine::rank);
  for (std::size_t i = 0; i < file.ranks.size(); ++i) {
    if (file.ranks[i].rank == static_cast<int>(i)) continue;
    if (i > 0 && file.ranks[i].rank == file.ranks[i - 1].rank) {
      return fail(MPI_ERR_ARG, "--rankfile {} line {}: rank {} has a line already", path,
                  file.ranks[i].line, file.ranks[i].rank);
    }
    return fail(MPI_ERR_ARG, "--rankfile {}: rank {} is missing", path, i);
  }
  if (file.ranks.empty()) return fail(MPI_ERR_ARG, "--rankfile {} names no rank", path);
  return file;
}

tl::expected<Binding, LaunchError> bind_line(const Processors& processors, const std::string& path,
                                             const RankLine& line) {
  if (line.slot.empty()) return Binding{};
  const SlotList list = read_slot(line.slot).value_or(SlotList{});
  auto binding = bind_cores(processors, list.socket, list.cores);
  if (binding) return std::move(*binding);
  return tl::unexpected(LaunchError{2, fmt::format("--rankfile {} line {}: slot={}: {}", path,
                                                   line.line, line.slot, binding.error().message)});
}

}  // namespace remit::launcher
