// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Reading the values of --map-by, --rank-by and --bind-to in the words of Open MPI and of MPICH.
#include "launcher/plan/placement.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "launcher/cli/words.hpp"

namespace remit::launcher {
namespace {

constexpr int kMostCoresPerRank = 1 << 20;

// What several words name has its first word in messages.
constexpr std::array<std::pair<std::string_view, Level>, 12> kLevelWords{
    {{"node", Level::host},
     {"host", Level::host},
     {"machine", Level::host},
     {"socket", Level::socket},
     {"package", Level::socket},
     {"numa", Level::numa},
     {"l3cache", Level::l3},
     {"l2cache", Level::l2},
     {"core", Level::core},
     {"slot", Level::core},
     {"rr", Level::core},
     {"hwthread", Level::hwthread}}};

constexpr std::array<std::pair<std::string_view, BindTo>, 10> kBindings{
    {{"share", BindTo::share},
     {"none", BindTo::none},
     {"core", BindTo::core},
     {"hwthread", BindTo::hwthread},
     {"l2cache", BindTo::l2},
     {"l3cache", BindTo::l3},
     {"numa", BindTo::numa},
     {"socket", BindTo::socket},
     {"package", BindTo::socket},
     {"rr", BindTo::core}}};

// Modifiers of other launchers that name what happens here in any case.
constexpr std::array<std::string_view, 5> kNeedless{
    "oversubscribe", "nooversubscribe", "overload-allowed", "no-overload", "if-supported"};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return text;
}

template <class Table>
auto look_up(const Table& table, std::string_view word) {
  const auto found = std::ranges::find(table, word, [](const auto& row) { return row.first; });
  using Value = std::remove_cvref_t<decltype(found->second)>;
  return found == table.end() ? std::optional<Value>{} : std::optional<Value>{found->second};
}

template <class Table>
std::string words_of(const Table& table) {
  std::string text;
  for (const auto& [word, value] : table) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

std::optional<int> count_of(const std::string& text) {
  const std::optional<int> count = whole_number(text);
  return count && *count >= 1 && *count <= kMostCoresPerRank ? count : std::nullopt;
}

// "PE=2,oversubscribe": what stands behind the last ':'.
Expected<> read_modifiers(const std::string& option, const std::string& text,
                          const std::string& modifiers, Placement* placement) {
  for (const std::string& modifier : split(lower(modifiers), ',')) {
    if (modifier.starts_with("pe=")) {
      const std::optional<int> cores = count_of(modifier.substr(3));
      if (!cores) {
        return fail(MPI_ERR_ARG, "{} {}: write PE=N with a number of cores N", option, text);
      }
      placement->cores_per_rank = *cores;
    } else if (modifier == "span") {
      placement->span = true;
    } else if (std::ranges::find(kNeedless, modifier) == kNeedless.end()) {
      return fail(MPI_ERR_ARG,
                  "{} {}: '{}' is no modifier; those that change something: PE=N (N cores a rank), "
                  "span (deal to the objects of all hosts in turn)",
                  option, text, modifier);
    }
  }
  return {};
}

}  // namespace

std::string_view level_name(Level level) {
  const auto found =
      std::ranges::find(kLevelWords, level, [](const auto& row) { return row.second; });
  return found->first;
}

Expected<> read_map_by(const std::string& text, Placement* placement) {
  const std::string option = "--map-by";
  std::vector<std::string> parts = split(lower(text), ':');
  if (parts[0] == "ppr") {
    const std::optional<int> count = parts.size() >= 3 ? count_of(parts[1]) : std::nullopt;
    if (!count) {
      return fail(MPI_ERR_ARG, "{} {}: write ppr:N:OBJECT, N ranks on each object", option, text);
    }
    placement->per_object = *count;
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  if (parts[0].starts_with("pe=")) parts.insert(parts.begin(), "");
  if (parts[0].empty() && placement->per_object == 0) parts[0] = "slot";  // ":PE=2"
  const std::optional<Level> level = look_up(kLevelWords, parts[0]);
  if (!level) {
    return fail(MPI_ERR_ARG, "{} {}: '{}' is no object; choose one of {}, or ppr:N:OBJECT", option,
                text, parts[0], words_of(kLevelWords));
  }
  placement->map_by = *level;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (auto done = read_modifiers(option, text, parts[i], placement); !done) return done;
  }
  return {};
}

Expected<> read_rank_by(const std::string& text, Placement* placement) {
  const std::vector<std::string> parts = split(lower(text), ':');
  const std::string& word = parts[0];
  placement->rank_span = word == "span" || (parts.size() == 2 && parts[1] == "span");
  if (parts.size() > (placement->rank_span && word != "span" ? 2U : 1U)) {
    return fail(MPI_ERR_ARG, "--rank-by {}: the only modifier is span (over all hosts)", text);
  }
  if (word == "slot" || word == "fill") {
    placement->rank_fill = true;
    return {};
  }
  if (word == "span") {
    placement->rank_by = placement->map_by;
    return {};
  }
  placement->rank_by = look_up(kLevelWords, word);
  if (placement->rank_by) return {};
  return fail(MPI_ERR_ARG, "--rank-by {}: choose one of fill, span, {}", text,
              words_of(kLevelWords));
}

Expected<> read_bind_to(const std::string& text, Placement* placement) {
  const std::string option = "--bind-to";
  const std::vector<std::string> parts = split(lower(text), ':');
  const std::optional<BindTo> what = look_up(kBindings, parts[0]);
  if (!what) {
    return fail(MPI_ERR_ARG, "{} {}: choose one of {}", option, text, words_of(kBindings));
  }
  placement->bind_to = *what;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::optional<int> count = count_of(parts[i]);
    if (count && (*what == BindTo::core || *what == BindTo::hwthread)) {
      placement->cores_per_rank = *count;
    } else if (auto done = read_modifiers(option, text, parts[i], placement); !done) {
      return done;
    }
  }
  return {};
}

}  // namespace remit::launcher
