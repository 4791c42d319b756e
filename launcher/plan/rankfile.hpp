// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A rankfile: the host and the cores of each rank, one a line. Pure.
#pragma once

#include <string>
#include <vector>

#include "launcher/plan/hosts.hpp"
#include "launcher/plan/mapping.hpp"

namespace remit::launcher {

/// One line: "rank 3=host slot=1:0-2".
struct RankLine {
  int rank = 0;
  HostWord host;
  std::string slot;  ///< "0,2-3" (cores), "1:0-2" (cores of socket 1), "1:*"; empty: not bound
  int line = 0;      ///< its number in the file
};

struct Rankfile {
  std::string path;
  std::vector<RankLine> ranks;  ///< index: rank
};

/// Reads it. Every rank from 0 on must have one line.
[[nodiscard]] Expected<Rankfile> read_rankfile(const std::string& path, const std::string& text);

/// The processors that a line means on its host; cores are counted in hwloc's logical order.
[[nodiscard]] tl::expected<Binding, LaunchError> bind_line(const Processors& processors,
                                                           const std::string& path,
                                                           const RankLine& line);

}  // namespace remit::launcher
