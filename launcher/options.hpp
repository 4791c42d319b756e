// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The command line of mpirun as a value. Pure: touches neither the environment nor the system.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/error.hpp"

namespace remit::launcher {

/// What a rank may run on. `share`: the allowed cores are divided evenly and in order among the
/// ranks of the host; with more ranks than cores nothing is bound.
enum class BindTo { share, none, hwthread, core, l3, numa, socket };

/// One environment variable for the ranks; without a value it is copied from mpirun's own
/// environment (and is an error there if it is not set).
struct EnvSetting {
  std::string name;
  std::optional<std::string> value;

  bool operator==(const EnvSetting&) const = default;
};

/// One part of an MPMD command line, between two ':'.
struct AppSpec {
  int ranks = 1;
  std::vector<std::string> command;  ///< program and arguments; never empty
  std::string wdir;                  ///< working directory; empty: mpirun's own
  std::vector<EnvSetting> env;       ///< in order of appearance
};

enum class Action { run, help, version };

struct Options {
  Action action = Action::run;
  std::vector<AppSpec> apps;
  std::vector<EnvSetting> global_env;                       ///< -genv: for every app
  std::vector<std::pair<std::string, std::string>> params;  ///< --param: lower-case name, value
  BindTo bind_to = BindTo::share;
  bool tag_output = false;
  bool report_bindings = false;
  bool display_map = false;
  double timeout_s = 0;  ///< seconds the job may take; 0: any
  double grace_s = 2;    ///< seconds between SIGTERM and SIGKILL

  [[nodiscard]] int total_ranks() const;
};

/// Reads the words behind "mpirun". Options end at the first word that is none; a lone ':' starts
/// the next app. Long options may be written with one or two dashes. Errors name what was wrong
/// and, for an unknown option, the nearest known ones.
[[nodiscard]] Expected<Options> parse_options(std::span<const std::string> words);

/// The text of --help.
[[nodiscard]] std::string help_text();

/// The word of `--bind-to` for a value.
[[nodiscard]] std::string_view bind_name(BindTo bind_to);

}  // namespace remit::launcher
