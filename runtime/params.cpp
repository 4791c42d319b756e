// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Parameters: the list of declarations, and reading values from text.
#include "runtime/params.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace remit {

namespace {

constexpr std::string_view kPrefix = "REMIT_";
/// Read by the test programs, not by the library.
constexpr std::string_view kTestPrefix = "REMIT_TEST_";

/// Head of the list that declarations link themselves into before main() (or in dlopen); constant
/// afterwards.
const ParamDecl*& list_head() {
  static constinit const ParamDecl* head = nullptr;
  return head;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        next[j] = std::min(next[j], before[j - 2] + 1);
      }
    }
    before = row;
    row.swap(next);
  }
  return row[b.size()];
}

/// Declared names that a person who typed `name` may have meant, nearest first.
std::vector<std::string> near_names(std::string_view name) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  const std::size_t limit = std::max<std::size_t>(2, name.size() / 3);
  for (const ParamDecl* decl : all_params()) {
    const std::string_view declared = decl->name;
    const bool contains = name.size() >= 3 && (declared.find(name) != std::string_view::npos ||
                                               name.find(declared) != std::string_view::npos);
    const std::size_t distance = contains ? 1 : edit_distance(name, declared);
    if (distance <= limit) ranked.emplace_back(distance, declared);
  }
  std::sort(ranked.begin(), ranked.end());
  if (ranked.size() > 4) ranked.resize(4);
  std::vector<std::string> names;
  names.reserve(ranked.size());
  for (auto& [distance, declared] : ranked) names.push_back(std::move(declared));
  return names;
}

std::optional<bool> parse_flag(std::string_view text) {
  constexpr std::array<std::string_view, 5> kTrue{"1", "true", "yes", "on", "y"};
  constexpr std::array<std::string_view, 5> kFalse{"0", "false", "no", "off", "n"};
  const std::string word = lower(text);
  if (std::find(kTrue.begin(), kTrue.end(), word) != kTrue.end()) return true;
  if (std::find(kFalse.begin(), kFalse.end(), word) != kFalse.end()) return false;
  return std::nullopt;
}

/// The power of two behind a byte suffix: "", "k", "KiB", "M", "GB" ...; all are powers of 1024.
std::optional<int> suffix_shift(std::string_view suffix) {
  const std::string word = lower(suffix);
  if (word.empty() || word == "b") return 0;
  constexpr std::string_view kUnits = "kmgt";
  const std::size_t unit = kUnits.find(word[0]);
  const std::string_view rest = std::string_view(word).substr(1);
  if (unit == std::string_view::npos || !(rest.empty() || rest == "b" || rest == "ib")) {
    return std::nullopt;
  }
  return 10 * (static_cast<int>(unit) + 1);
}

std::optional<std::int64_t> parse_integer(std::string_view text, bool bytes) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view suffix = text.substr(static_cast<std::size_t>(end - text.data()));
  if (!bytes) return suffix.empty() ? std::optional(number) : std::nullopt;
  const std::optional<int> shift = suffix_shift(suffix);
  if (!shift || number < 0 || number > (std::numeric_limits<std::int64_t>::max() >> *shift)) {
    return std::nullopt;
  }
  return number << *shift;
}

/// "4 KiB" for bytes where that is exact, else the plain number.
std::string readable(std::int64_t value, bool bytes) {
  constexpr std::array<const char*, 5> kUnits{"bytes", "KiB", "MiB", "GiB", "TiB"};
  if (!bytes) return fmt::format("{}", value);
  std::size_t unit = 0;
  while (value != 0 && value % 1024 == 0 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", value, kUnits[unit]);
}

Expected<ParamValue> check_range(const ParamDecl& decl, std::string_view text, std::int64_t value) {
  const ParamRange& range = decl.range;
  const bool power =
      !range.power_of_two || (value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value)));
  if (value >= range.least && value <= range.most && power) return ParamValue(value);
  const bool bytes = std::string_view(decl.unit) == "bytes";
  std::string bounds = fmt::format("at least {}", readable(range.least, bytes));
  if (range.most != std::numeric_limits<std::int64_t>::max()) {
    bounds = fmt::format("{} to {}", readable(range.least, bytes), readable(range.most, bytes));
  }
  return fail(MPI_ERR_ARG, "parameter {}: '{}' is not allowed; use {}{}", decl.name, text, bounds,
              range.power_of_two ? ", a power of two" : "");
}

Expected<ParamValue> parse(const ParamDecl& decl, std::string_view text) {
  if (std::holds_alternative<bool>(decl.default_value)) {
    if (const auto flag = parse_flag(text)) return ParamValue(*flag);
    return fail(MPI_ERR_ARG, "parameter {}: '{}' is not a truth value; use 1 or 0, yes or no",
                decl.name, text);
  }
  if (std::holds_alternative<std::int64_t>(decl.default_value)) {
    const bool bytes = std::string_view(decl.unit) == "bytes";
    if (const auto number = parse_integer(text, bytes)) {
      return check_range(decl, text, *number);
    }
    return fail(
        MPI_ERR_ARG, "parameter {}: '{}' is not {}", decl.name, text,
        bytes ? "a number of bytes; use for example 65536, 64k, 2M or 1G" : "a whole number");
  }
  if (decl.choices.empty()) return ParamValue(std::string(text));
  const std::string word = lower(text);
  if (std::find(decl.choices.begin(), decl.choices.end(), word) != decl.choices.end()) {
    return ParamValue(word);
  }
  return fail(MPI_ERR_ARG, "parameter {}: '{}' is not one of {}", decl.name, text,
              fmt::join(decl.choices, ", "));
}

const ParamDecl* find_param(std::string_view name) {
  const ParamDecl* found = nullptr;
  for (const ParamDecl* decl : all_params()) {
    if (decl->name == name) found = decl;
  }
  return found;
}

template <class T>
const T& value_of(const std::map<const ParamDecl*, ParamValue>& values, const ParamDecl& decl) {
  const auto it = values.find(&decl);
  return std::get<T>(it == values.end() ? decl.default_value : it->second);
}

}  // namespace

ParamDecl::ParamDecl(const char* param_name, ParamValue value, const char* param_unit,
                     const char* why, std::vector<std::string> words)
    : name(param_name),
      default_value(std::move(value)),
      unit(param_unit),
      reason(why),
      choices(std::move(words)),
      next_(std::exchange(list_head(), this)) {}

ParamDecl::ParamDecl(const char* param_name, std::int64_t value, const char* param_unit,
                     const char* why, ParamRange allowed)
    : ParamDecl(param_name, ParamValue(value), param_unit, why) {
  range = allowed;
}

std::vector<const ParamDecl*> all_params() {
  std::vector<const ParamDecl*> all;
  for (const ParamDecl* decl = list_head(); decl != nullptr; decl = decl->next_) {
    all.push_back(decl);
  }
  std::sort(all.begin(), all.end(), [](const ParamDecl* a, const ParamDecl* b) {
    return std::string_view(a->name) < std::string_view(b->name);
  });
  return all;
}

std::string environment_name(const ParamDecl& decl) {
  std::string name(kPrefix);
  for (const char* c = decl.name; *c != '\0'; ++c) {
    name.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(*c))));
  }
  return name;
}

Expected<Params> Params::from_environment(char** environment, UnknownNames unknown) {
  Params params;
  for (char** entry = environment; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with(kPrefix) || text.starts_with(kTestPrefix)) continue;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string name = lower(text.substr(kPrefix.size(), equals - kPrefix.size()));
    if (unknown == UnknownNames::ignore && find_param(name) == nullptr) continue;
    if (auto set = params.set(name, text.substr(equals + 1)); !set) {
      return fail(set.error().code, "environment variable {}: {}", text.substr(0, equals),
                  set.error().message);
    }
  }
  return params;
}

Expected<> Params::set(std::string_view name, std::string_view text) {
  const ParamDecl* decl = find_param(name);
  if (decl == nullptr) {
    const std::vector<std::string> near = near_names(name);
    return fail(MPI_ERR_ARG, "there is no parameter '{}'; {}remit_info lists all", name,
                near.empty() ? "" : fmt::format("near names: {}; ", fmt::join(near, ", ")));
  }
  auto value = parse(*decl, text);
  if (!value) return tl::unexpected(value.error());
  values_[decl] = std::move(*value);
  return {};
}

std::int64_t Params::integer(const ParamDecl& decl) const {
  return value_of<std::int64_t>(values_, decl);
}
bool Params::flag(const ParamDecl& decl) const {
  return value_of<bool>(values_, decl);
}
const std::string& Params::text(const ParamDecl& decl) const {
  return value_of<std::string>(values_, decl);
}

}  // namespace remit
