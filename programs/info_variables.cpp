// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "programs/info_variables.hpp"

#include <fmt/format.h>

#include "bindings/tool/event_table.hpp"
#include "bindings/tool/pvar_table.hpp"
#include "programs/info_report.hpp"

namespace remit {

namespace {

const char* name_of_bind(int bind) {
  switch (bind) {
    case MPI_T_BIND_MPI_COMM:
      return "communicator";
    case MPI_T_BIND_MPI_WIN:
      return "window";
    case MPI_T_BIND_MPI_FILE:
      return "file";
    default:
      return "";
  }
}

}  // namespace

std::vector<VariableInfo> performance_variable_info() {
  std::vector<VariableInfo> all;
  for (const PvarDecl& decl : kPvars) {
    all.push_back(
        {decl.name, pvar_class_name(decl.var_class), name_of_bind(decl.bind), decl.reason});
  }
  return all;
}

std::vector<VariableInfo> event_info() {
  std::vector<VariableInfo> all;
  for (const ToolEventDecl& decl : kToolEventDecls) {
    const EventDecl& event = event_of(decl);
    std::string elements;
    for (std::size_t i = 0; i < event.size(); ++i) {
      elements += fmt::format("{}{}", i == 0 ? "" : ", ", event.elements[i].name);
    }
    all.push_back({name_of(decl), elements, name_of_bind(decl.bind), event.reason});
  }
  return all;
}

void append_variables(std::string& out, const std::vector<VariableInfo>& all) {
  for (const VariableInfo& one : all) {
    const std::string of = one.bound.empty() ? "" : fmt::format("; of a {}", one.bound);
    out += fmt::format("  {} ({}{})\n{}", one.name, one.kind, of, wrapped(one.reason, 6));
  }
}

}  // namespace remit
