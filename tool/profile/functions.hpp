// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The functions that have wrappers, numbered in the order of their names. The list is made from
// abi/functions.tsv (generate.py).
#pragma once

#include <array>
#include <cstdint>

#include "tool/profile/record.hpp"

namespace remit::profile {

/// A function as the report needs to know it.
struct FunctionRow {
  const char* name;
  const char* chapter;  ///< "pt2pt", "coll", ...: the class of abi/functions.tsv
};

#include "tool/generated/functions.inc"

}  // namespace remit::profile
