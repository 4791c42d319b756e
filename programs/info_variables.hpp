// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What tools can read and hear of by MPI_T, for remit_info.
#pragma once

#include <string>
#include <vector>

namespace remit {

/// A performance variable or an event.
struct VariableInfo {
  std::string name;
  std::string kind;    ///< "counter"; of events the names of their elements
  std::string bound;   ///< "communicator", "window", "file", or empty: to no object
  std::string reason;  ///< what it counts, or when it is raised
};

[[nodiscard]] std::vector<VariableInfo> performance_variable_info();
[[nodiscard]] std::vector<VariableInfo> event_info();

/// Two lines for each: its name, kind and object, and what it is.
void append_variables(std::string& out, const std::vector<VariableInfo>& all);

}  // namespace remit
