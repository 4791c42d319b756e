// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The command line of mpirun as a value. Pure but for the files that the command line names.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/plan/host_map.hpp"
#include "launcher/plan/hosts.hpp"
#include "launcher/plan/placement.hpp"
#include "launcher/plan/rankfile.hpp"
#include "runtime/error.hpp"

namespace remit {
class Params;
}

namespace remit::launcher {

/// One environment variable for the ranks; without a value it is copied from mpirun's own
/// environment (and is an error there if it is not set).
struct EnvSetting {
  std::string name;
  std::optional<std::string> value;

  bool operator==(const EnvSetting&) const = default;
};

/// What ranks inherit of mpirun's environment.
struct Inheritance {
  bool all = true;
  std::vector<std::string> names;  ///< these, if not all
};

/// One part of an MPMD command line, between two ':'.
struct AppSpec {
  int ranks = 1;
  std::vector<std::string> command;  ///< program and arguments; never empty
  std::string wdir;                  ///< working directory; empty: mpirun's own
  std::vector<EnvSetting> env;       ///< in order of appearance
  std::string path = {};             ///< where its program is looked for before PATH
  std::optional<Inheritance> inherit = std::nullopt;  ///< nullopt: as the job
  bool counted = true;                                ///< false: `ranks` was not given
  std::vector<HostWord> hosts = {};                   ///< --host; empty: those of the job
};

enum class Action { run, help, version };

/// Where mpirun's standard input goes: to one rank, to all, to none.
struct InputTo {
  static constexpr int kAll = -1;
  static constexpr int kNone = -2;
  int rank = 0;  ///< or kAll, kNone
};

/// What becomes of the ranks' output.
struct OutputStyle {
  bool tag = false;        ///< "[3] " before each line
  std::string prefix;      ///< instead of that: %r, %h and %% as in output_file(); empty: no prefix
  bool timestamp = false;  ///< the time before each line
  bool merge = false;      ///< standard error goes where standard output goes
  /// A file for each rank; see output_file(). Empty: mpirun's own output.
  std::string out_file;
  std::string err_file;
  bool copy = false;  ///< to mpirun's own output as well
};

struct Options {
  Action action = Action::run;
  std::vector<AppSpec> apps;
  std::vector<EnvSetting> global_env;                       ///< -genv: for every app
  Inheritance inherit;                                      ///< of apps that say nothing
  std::vector<std::pair<std::string, std::string>> params;  ///< --param: lower-case name, value
  Placement placement;
  OutputStyle output;
  InputTo input;
  std::vector<HostSpec> hostfile;  ///< its hosts; empty: none was given
  std::optional<Rankfile> rankfile;
  int ranks_per_host = 0;          ///< -N, -ppn; 0: not said
  std::vector<std::string> agent;  ///< the command that reaches another host; empty: the usual one
  int tree_width = 32;             ///< daemons that one of them starts
  double host_timeout_s = 15;      ///< a host that is silent for so long is lost
  std::string prefix;              ///< where Remit is installed on the other hosts; empty: as here
  bool no_local = false;           ///< mpirun's own host has no ranks
  bool oversubscribe = false;      ///< more ranks than slots are meant to be
  bool report_bindings = false;
  bool display_map = false;
  bool print_exit_codes = false;  ///< of all ranks, at the end
  bool stack_traces = false;      ///< in the report of --timeout
  bool profile = false;           ///< what ranks do in MPI is counted, and reported at the end
  bool profile_stack = false;     ///< by the stacks of call sites
  bool trace = false;             ///< and each call is kept, for a timeline
  std::string profile_dir;        ///< where records and reports are kept; empty: they are not
  /// Where ranks write their records; empty: there is no profile. Known when mpirun's directory is.
  std::string record_dir;
  std::optional<double> timeout_s;  ///< seconds the job may take; nullopt: any
  std::optional<double> grace_s;    ///< seconds between SIGTERM and SIGKILL; nullopt: the default
  bool quiet = false;               ///< no notes
  std::vector<std::string> notes;   ///< what was accepted and does nothing, in words

  static constexpr double kGrace = 2;
  [[nodiscard]] double grace() const { return grace_s.value_or(kGrace); }
  [[nodiscard]] int total_ranks() const;
};

/// Reads a whole text file. The error says why not.
using FileReader = std::function<Expected<std::string>(const std::string& path)>;
[[nodiscard]] Expected<std::string> read_text_file(const std::string& path);

/// Reads the words behind "mpirun". Options end at the first word that is none; a lone ':' starts
/// the next app, as does each line of --configfile and --app. Long options may be written with one
/// or two dashes. Errors name what was wrong and, for an unknown option, the nearest known ones.
[[nodiscard]] Expected<Options> parse_options(std::span<const std::string> words,
                                              const FileReader& read = read_text_file);

/// Takes from parameters (runtime/launch_params.hpp) what the command line leaves open.
[[nodiscard]] Expected<> apply_params(const Params& params, Options* options);

/// Which hosts the job and each of its programs may use.
struct JobRoom {
  std::vector<HostSpec> hosts;
  /// Indices into hosts, for each program. With a rankfile those that --host allows; none without.
  std::vector<std::vector<int>> app_hosts;
  std::vector<std::vector<HostSpec>> app_specs;  ///< the same hosts, with its own slots
  /// Rankfile: the host of each rank.
  std::vector<int> rank_hosts;
};

/// What --host, --hostfile, --rankfile and --nolocal come to on the host with these names. One
/// host, this one, if nothing was said.
[[nodiscard]] Expected<JobRoom> find_room(const Options& options, const OwnNames& own);

/// Gives apps whose number of ranks was not said as many as their hosts, -N or ppr imply, else one.
/// Checks --stdin and the rankfile against the number. `hosts`: those of `room`, with processors.
[[nodiscard]] Expected<> complete_counts(const JobRoom& room, std::span<const HostRoom> hosts,
                                         Options* options);

/// The file of one rank: %r in `pattern` becomes its label (Job::label()), %h the host, %% a
/// percent sign; a pattern without %r gets ".LABEL".
[[nodiscard]] std::string output_file(const std::string& pattern, const std::string& rank,
                                      const std::string& host);

/// What stands before each line of one rank, but for the time.
[[nodiscard]] std::string line_prefix(const OutputStyle& style, const std::string& rank,
                                      const std::string& host);

/// The text of --help.
[[nodiscard]] std::string help_text();

}  // namespace remit::launcher
