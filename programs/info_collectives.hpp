// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What remit_info --collectives asks about a communicator and a call, and the answers.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "programs/info_report.hpp"

namespace remit {

struct CollectivesQuestion {
  int ranks = 0;          ///< 0: as many as there are processors
  int hosts = 0;          ///< 0: one, or with CostClass::network one a rank
  std::string place;      ///< empty: as hosts and processors say
  std::string reduction;  ///< one of kReductions
  bool in_place = false;
  bool inter = false;
  std::vector<std::size_t> bytes;
};

/// Adds --collectives, which is returned, and the options that need it.
CLI::Option* add_collectives_options(CLI::App& app, CollectivesQuestion& question);

/// An error says which options contradict each other, or ask for more than can be worked out.
[[nodiscard]] Expected<> ask_collectives(const Params& params, const CollectivesQuestion& question,
                                         CollectivesInfo& info);

}  // namespace remit
