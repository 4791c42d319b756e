// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Values of options that are more than a number or a word. Pure but for the files they name.
#pragma once

#include <string>
#include <vector>

#include "launcher/cli/options.hpp"

namespace remit::launcher {

/// Values as one part of a command line gives them; empty: not given.
struct OptionTexts {
  std::vector<std::string> env;
  std::vector<std::string> env_pairs;
  std::vector<std::string> genv_pairs;
  std::vector<std::string> params;
  std::vector<std::string> mca;
  std::string envlist;
  std::string genvlist;
  std::string initial_errhandler;
  std::string memory_alloc_kinds;
  bool envall = false;
  bool envnone = false;
  bool genvall = false;
  bool genvnone = false;
  std::string bind_to;
  std::string map_by;
  std::string rank_by;
  int cores_per_rank = 0;
  std::string display;
  std::string hosts;
  std::string hostfile;
  std::string rankfile;
  std::string agent;
  std::string output;
  std::string output_filename;
  std::string input;
  std::string file;
};

/// Puts them where they belong. Errors name the option, the value and what may stand there.
[[nodiscard]] Expected<> convert_texts(const OptionTexts& texts, Options* options, AppSpec* app);

}  // namespace remit::launcher
