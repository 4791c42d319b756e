// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Enumerations of MPI_T (MPI-5.0, section 15.3.5), and how its functions hand out strings.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi.h"
#include "runtime/events.hpp"
#include "runtime/params.hpp"

namespace remit {

/// A name for each of some values. Its handle is its address.
struct ToolEnum {
  std::string name;
  std::vector<std::pair<int, std::string>> items;
};

[[nodiscard]] inline MPI_T_enum handle_of(const ToolEnum* items) {
  return reinterpret_cast<MPI_T_enum>(const_cast<ToolEnum*>(items));
}

/// All enumerations, made once; they stay as they are.
class ToolEnums {
 public:
  ToolEnums();

  /// The items of a parameter: "no" and "yes", or its choices by their place; null: it is no
  /// enumeration.
  [[nodiscard]] const ToolEnum* of(const ParamDecl& decl) const;
  /// Those of an event's elements; null: none is enumerated.
  [[nodiscard]] const ToolEnum* of(EventWords words) const;
  /// Those of a state, a performance variable; null: it is none.
  [[nodiscard]] const ToolEnum* of_state(std::string_view name) const;
  /// The enumeration behind a handle, or null.
  [[nodiscard]] const ToolEnum* find(MPI_T_enum handle) const;

 private:
  const ToolEnum* add(std::string name, std::vector<std::pair<int, std::string>> items);

  std::vector<std::unique_ptr<ToolEnum>> all_;
  const ToolEnum* flag_ = nullptr;
  std::vector<std::pair<const ParamDecl*, const ToolEnum*>> choices_;
  std::vector<std::pair<EventWords, const ToolEnum*>> words_;
};

/// Gives a string to a tool as section 15.3.3 wants: `length` says how much room there is, and how
/// much was needed, terminator included; nothing is written where either is null or there is no
/// room.
void put_tool_text(std::string_view text, char* out, int* length);

/// Sets what a tool wants to know.
template <class T>
void put(T* out, T value) {
  if (out != nullptr) *out = value;
}

}  // namespace remit
