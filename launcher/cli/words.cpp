// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Splitting, numbers, quotes and near words.
#include "launcher/cli/words.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

namespace remit::launcher {
namespace {

constexpr std::size_t kMostNear = 3;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      row[j + 1] = std::min({changed, above + 1, row[j] + 1});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  while (true) {
    const std::size_t end = text.find(separator);
    pieces.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

Expected<std::vector<std::string>> words_of_line(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char letter = line[i];
    const bool has_next = i + 1 < line.size();
    if (quote != 0) {
      if (letter == quote) {
        quote = 0;
      } else if (letter == '\\' && quote == '"' && has_next &&
                 (line[i + 1] == '"' || line[i + 1] == '\\')) {
        word += line[++i];
      } else {
        word += letter;
      }
    } else if (letter == '"' || letter == '\'') {
      quote = letter;
      in_word = true;
    } else if (letter == '\\' && has_next) {
      word += line[++i];
      in_word = true;
    } else if (letter == ' ' || letter == '\t' || letter == '\r') {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else if (letter == '#' && !in_word) {
      break;
    } else {
      word += letter;
      in_word = true;
    }
  }
  if (quote != 0) return fail(MPI_ERR_ARG, "the quote {} is not closed", quote);
  if (in_word) words.push_back(std::move(word));
  return words;
}

std::vector<std::string> near_words(std::string_view word, const std::vector<std::string>& known) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : known) {
    const bool is_part = word.size() > 2 && candidate.find(word) != std::string::npos;
    const std::size_t distance = is_part ? 1 : edit_distance(word, candidate);
    if (distance <= 1 + word.size() / 3) near.emplace_back(distance, candidate);
  }
  std::ranges::sort(near);
  if (near.size() > kMostNear) near.resize(kMostNear);
  std::vector<std::string> words;
  words.reserve(near.size());
  for (auto& [distance, candidate] : near) words.push_back(std::move(candidate));
  return words;
}

std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  list.reserve(strings.size() + 1);
  for (const std::string& text : strings) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

}  // namespace remit::launcher
