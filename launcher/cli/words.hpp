// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Text as command lines and their files hold it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/error.hpp"

namespace remit::launcher {

/// The pieces between separators; at least one, which may be empty.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

/// A decimal number, nothing else around it.
[[nodiscard]] std::optional<int> whole_number(std::string_view text);

/// The words of one line as a shell would take them: quotes of both kinds, backslashes, and '#' at
/// the beginning of a word for a comment. Nothing is expanded. An open quote is an error.
[[nodiscard]] Expected<std::vector<std::string>> words_of_line(std::string_view line);

/// Up to three of `known` that `word` may have meant, nearest first.
[[nodiscard]] std::vector<std::string> near_words(std::string_view word,
                                                  const std::vector<std::string>& known);

/// What exec() takes, with the null pointer at its end; into `strings`, which must stay.
[[nodiscard]] std::vector<char*> pointers_to(const std::vector<std::string>& strings);

}  // namespace remit::launcher
