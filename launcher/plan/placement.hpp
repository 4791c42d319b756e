// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the user asked about where ranks run: the values of --map-by, --rank-by and --bind-to. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/error.hpp"

namespace remit::launcher {

/// What a rank may run on. `share`: the allowed cores are divided evenly and in order among the
/// ranks of the host; with more ranks than cores nothing is bound.
enum class BindTo { share, none, hwthread, core, l2, l3, numa, socket };

/// Parts of a host, from the largest to the smallest.
enum class Level { host, socket, numa, l3, l2, core, hwthread };
constexpr std::size_t kLevels = 7;

struct Placement {
  /// Objects of this kind are dealt to the ranks in turn; nullopt: no mapping was asked for.
  std::optional<Level> map_by;
  int per_object = 0;      ///< ppr: so many ranks on one object before the next; 0: one in turn
  bool span = false;       ///< the objects of all hosts are dealt in turn, not host by host
  int cores_per_rank = 0;  ///< PE: so many cores for each rank of their own; 0: as bind_to says
  std::optional<Level> rank_by;  ///< ranks are numbered over these in turn
  bool rank_fill = false;        ///< ranks are numbered object by object of the mapping
  bool rank_span = false;        ///< rank_by counts over all hosts, not host by host
  std::optional<BindTo> bind_to;

  [[nodiscard]] BindTo binding() const { return bind_to.value_or(BindTo::share); }
};

/// Reads "socket", "ppr:2:numa", "core:PE=2,oversubscribe" into the fields it concerns. An error
/// names the option, the value and what may stand there.
[[nodiscard]] Expected<> read_map_by(const std::string& text, Placement* placement);
/// "slot", "fill", "span", "core", ...; after read_map_by().
[[nodiscard]] Expected<> read_rank_by(const std::string& text, Placement* placement);
/// "core", "core:2" (two cores a rank), "socket:overload-allowed", ...
[[nodiscard]] Expected<> read_bind_to(const std::string& text, Placement* placement);

/// The word for a level, e.g. "socket".
[[nodiscard]] std::string_view level_name(Level level);

}  // namespace remit::launcher
