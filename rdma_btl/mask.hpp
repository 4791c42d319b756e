// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Abilities of an adapter that a parameter takes away, for tests.
#pragma once

#include <initializer_list>
#include <string_view>

#include "runtime/error.hpp"

namespace remit {

/// What a word of the parameter sets.
struct MaskWord {
  std::string_view word;
  bool& flag;
};

/// Sets the flags of the words in `list`, which commas separate; empty ones count for nothing. An
/// unknown one is an error that names `variable`, the word and all that there are.
[[nodiscard]] Expected<> set_mask(std::string_view variable, std::string_view list,
                                  std::initializer_list<MaskWord> known);

}  // namespace remit
