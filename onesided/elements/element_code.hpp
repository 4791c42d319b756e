// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Predefined types as numbers that mean the same in every process.
#pragma once

#include <cstdint>
#include <optional>

#include "datatype/datatype.hpp"
#include "datatype/unnamed_types.hpp"

namespace remit {

/// A predefined type: the ABI's value of a constant's handle. A type without a constant is named by
/// one that does the same, and a pair without one by those of its value and its index.
struct ElementCode {
  std::uint16_t element = 0;
  std::uint16_t index = 0;  ///< 0: not such a pair
};

/// None: no constant does the same.
[[nodiscard]] std::optional<ElementCode> code_of(const Datatype& element);

/// The type, or null: what a peer has sent names none that may be used. What has no constant is
/// made in `unnamed`, at most once for each pair of constants.
[[nodiscard]] const Datatype* element_of(const ElementCode& code, UnnamedTypes& unnamed);

}  // namespace remit
