// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory allocation kinds (MPI-5.0, section 11.4.3).
#include "bindings/env/alloc_kinds.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace remit {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    std::string_view part = text.substr(0, end);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.push_back(part);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// A kind and its restrictors, as "mpi:alloc_mem".
bool is_supported(std::string_view kind) {
  constexpr std::string_view kOfMpi[] = {"alloc_mem", "win_allocate", "win_allocate_shared"};
  const std::vector<std::string_view> parts = split(kind, ':');
  if (parts.front() == "system") return parts.size() == 1;
  return parts.front() == "mpi" &&
         std::all_of(parts.begin() + 1, parts.end(), [&](std::string_view restrictor) {
           return std::find(std::begin(kOfMpi), std::end(kOfMpi), restrictor) != std::end(kOfMpi);
         });
}

}  // namespace

std::string supported_alloc_kinds(std::string_view requested) {
  std::vector<std::string_view> kinds{"mpi", "system"};
  for (const std::string_view kind : split(requested, ',')) {
    const bool is_new = std::find(kinds.begin(), kinds.end(), kind) == kinds.end();
    if (is_new && is_supported(kind)) kinds.push_back(kind);
  }
  std::string list;
  for (const std::string_view kind : kinds) list.append(list.empty() ? "" : ",").append(kind);
  return list;
}

}  // namespace remit
