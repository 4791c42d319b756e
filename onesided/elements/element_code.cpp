// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/elements/element_code.hpp"

namespace remit {

namespace {

[[nodiscard]] std::uint16_t number_of(const Datatype& constant) {
  return static_cast<std::uint16_t>(reinterpret_cast<std::uintptr_t>(constant.handle()));
}

/// A constant of the same kind, on which the same operations are defined; 0: there is none.
[[nodiscard]] std::uint16_t constant_like(const Datatype& type) {
  if (type.is_predefined()) return number_of(type);
  for (const Datatype* constant : kPredefinedDatatypes) {
    if (constant == nullptr || !constant->is_usable()) continue;
    const TypeSignature& signature = constant->signature();
    if (signature.kind == type.signature().kind && signature.group == type.signature().group &&
        signature.kind != BasicKind::pair && constant->extent() == type.extent()) {
      return number_of(*constant);
    }
  }
  return 0;
}

[[nodiscard]] const Datatype* usable(std::uint16_t number) {
  const Datatype* const constant = predefined(std::uintptr_t{number});
  const bool is_one = constant != nullptr && constant->is_usable() && constant->size() > 0;
  return is_one ? constant : nullptr;
}

}  // namespace

std::optional<ElementCode> code_of(const Datatype& element) {
  ElementCode code;
  if (element.contents().combiner == MPI_COMBINER_VALUE_INDEX) {
    const auto& parts = element.contents().datatypes;
    code = {constant_like(*parts[0]), constant_like(*parts[1])};
    if (code.index == 0) return std::nullopt;
  } else {
    code.element = constant_like(element);
  }
  if (code.element == 0) return std::nullopt;
  return code;
}

const Datatype* element_of(const ElementCode& code, UnnamedTypes& unnamed) {
  const Datatype* const element = usable(code.element);
  if (element == nullptr || code.index == 0) return element;
  const Datatype* const index = usable(code.index);
  return index != nullptr ? unnamed.value_index(*element, *index) : nullptr;
}

}  // namespace remit
