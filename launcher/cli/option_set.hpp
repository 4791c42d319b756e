// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// mpirun's options, as CLI11 describes them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "launcher/cli/option_values.hpp"
#include "launcher/cli/options.hpp"

namespace remit::launcher {

/// All options of one part of the command line, bound to the values that they fill.
class OptionSet {
 public:
  /// Both outlive it.
  OptionSet(Options* options, AppSpec* app_spec);
  OptionSet(const OptionSet&) = delete;
  OptionSet& operator=(const OptionSet&) = delete;

  /// Fills the values.
  [[nodiscard]] CLI::App& cli() { return cli_; }
  /// Those that are texts still.
  [[nodiscard]] OptionTexts& texts() { return texts_; }

  /// The option that a word (without "=value") names, and the spelling that CLI11 knows it by;
  /// null: there is none.
  [[nodiscard]] const CLI::Option* find(const std::string& word, std::string* canonical) const;
  /// Names near to that of a word, "--name, --other"; empty: none is.
  [[nodiscard]] std::string nearest(const std::string& word) const;
  /// Other mpiruns have it, and it does nothing here.
  [[nodiscard]] bool is_foreign(const CLI::Option* option) const;
  /// It may be given once a part.
  [[nodiscard]] static bool is_for_one_program(const CLI::Option* option);

  /// The number of ranks was said.
  [[nodiscard]] bool gives_count() const { return count_->count() > 0; }
  [[nodiscard]] bool wants_help() const { return help_; }
  [[nodiscard]] bool wants_version() const { return version_; }
  /// The text of --help.
  [[nodiscard]] std::string help() const { return cli_.help(); }

 private:
  void declare_program_options();
  void declare_job_options();
  void declare_place_options();
  void declare_stream_options();
  void declare_foreign_options();
  CLI::Option* add_list(const char* names, std::vector<std::string>* values, const char* text);

  Options* options_;
  AppSpec* app_spec_;
  CLI::App cli_{"Starts an MPI job.", "mpirun"};
  bool help_ = false;
  bool version_ = false;
  bool nothing_ = false;
  OptionTexts texts_;
  CLI::Option* count_ = nullptr;
  std::vector<CLI::Option*> foreign_;
  std::vector<std::string> foreign_values_;
};

}  // namespace remit::launcher
