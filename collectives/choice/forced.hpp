// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Algorithms that the user wants, whatever they cost: the parameter coll_algorithms.
#pragma once

#include <string_view>

#include "runtime/error.hpp"
#include "runtime/params.hpp"

namespace remit {

/// The algorithm that the parameter names for an operation, or empty.
[[nodiscard]] std::string_view forced_algorithm(const Params& params, std::string_view operation);

/// Whether every pair in the parameter coll_algorithms is a row of the table; else what there is.
[[nodiscard]] Expected<> check_forced_algorithms(const Params& params);

}  // namespace remit
