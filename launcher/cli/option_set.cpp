// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The declarations of all options.
#include "launcher/cli/option_set.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <memory>

#include "launcher/cli/dialects.hpp"
#include "launcher/cli/words.hpp"

namespace remit::launcher {
namespace {

constexpr const char* kFooter =
    "Options end at the first word that is none: the program. Parts separated by ':' start\n"
    "different programs in one MPI_COMM_WORLD; options for one program belong to their part, all\n"
    "others to the job. Long options may be written with one dash or with two. The spellings of\n"
    "Open MPI and of MPICH are both understood; mpirun(1) tells more of each option.\n"
    "\n"
    "Exit status: 0, or the first nonzero one of a rank, 128+N if signal N killed it, the code of\n"
    "MPI_Abort; 124 after --timeout, 126 or 127 if a program cannot be run or is not found, 2 for\n"
    "a wrong command line.\n"
    "\n"
    "Example: mpirun -n 4 -x OMP_NUM_THREADS=2 ./solver input.dat";

constexpr const char* kOneProgram = "For one program";
constexpr const char* kJob = "For the job";
constexpr const char* kPlaces = "Where ranks run";
constexpr const char* kStreams = "Input and output";
constexpr const char* kOthers = "Understood for the sake of other mpiruns";

class UsageFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: mpirun [options] program [arguments] [ : [options] program [arguments] ... ]\n";
  }
};

// A value between two bounds, explained in words: CLI11's own checks print double's bounds in full.
template <class Number>
CLI::Validator number_in(Number least, Number most, const char* use) {
  const auto check = [=](std::string& text) {
    Number number{};
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const bool fits = error == std::errc{} && rest == end && number >= least && number <= most;
    return fits ? std::string() : std::string(use);
  };
  return CLI::Validator(check, "");
}

constexpr double kLongestTime = 1e9;  // seconds
constexpr double kShortestTime = 1e-3;

}  // namespace

OptionSet::OptionSet(Options* options, AppSpec* app_spec) : options_(options), app_spec_(app_spec) {
  cli_.formatter(std::make_shared<UsageFormatter>());
  cli_.footer(kFooter);
  cli_.set_help_flag();
  cli_.add_flag("-h,--help", help_, "Print this text");
  cli_.add_flag("-V,--version", version_, "Print the version");
  declare_program_options();
  declare_job_options();
  declare_place_options();
  declare_stream_options();
  declare_foreign_options();
}

CLI::Option* OptionSet::add_list(const char* names, std::vector<std::string>* values,
                                 const char* text) {
  return cli_.add_option(names, *values, text)->allow_extra_args(false);
}

void OptionSet::declare_program_options() {
  count_ = cli_.add_option("-n,-c,--n,--np", app_spec_->ranks,
                           "Number of ranks of the program; default 1")
               ->check(number_in(1, 1 << 20, "use a whole number from 1 to 1048576"))
               ->type_name("N")
               ->group(kOneProgram);
  add_list("-x", &texts_.env, "Give ranks VAR from mpirun's environment, or with this value")
      ->type_name("VAR[=VALUE]")
      ->group(kOneProgram);
  add_list("--env", &texts_.env_pairs, "Give ranks VAR with this value")
      ->type_name("VAR VALUE")
      ->group(kOneProgram);
  cli_.add_option("--envlist", texts_.envlist, "Ranks inherit these variables only")
      ->type_name("VAR,...")
      ->group(kOneProgram);
  cli_.add_flag("--envall", texts_.envall, "Ranks inherit all variables (the default)")
      ->group(kOneProgram);
  cli_.add_flag("--envnone", texts_.envnone, "Ranks inherit no variable")->group(kOneProgram);
  cli_.add_option("--wdir,--wd", app_spec_->wdir, "Working directory of the ranks")
      ->type_name("DIR")
      ->group(kOneProgram);
  cli_.add_option("--path", app_spec_->path, "Look for the program here before PATH")
      ->type_name("DIR[:...]")
      ->group(kOneProgram);
}

void OptionSet::declare_job_options() {
  add_list("--genv", &texts_.genv_pairs, "Give every rank of every program VAR with this value")
      ->type_name("VAR VALUE")
      ->group(kJob);
  cli_.add_option("--genvlist", texts_.genvlist, "Like -envlist, for every program")
      ->type_name("VAR,...")
      ->group(kJob);
  cli_.add_flag("--genvall", texts_.genvall, "Like -envall, for every program")->group(kJob);
  cli_.add_flag("--genvnone", texts_.genvnone, "Like -envnone, for every program")->group(kJob);
  add_list("--param", &texts_.params, "Set a Remit parameter (remit_info lists them)")
      ->type_name("NAME=VALUE")
      ->group(kJob);
  cli_.add_option("--initial-errhandler", texts_.initial_errhandler,
                  "The error handler that programs start with")
      ->check(CLI::IsMember({"mpi_errors_are_fatal", "mpi_errors_abort", "mpi_errors_return"}))
      ->type_name("NAME")
      ->group(kJob);
  cli_.add_option("--memory-alloc-kinds", texts_.memory_alloc_kinds,
                  "Kinds of memory that programs want to pass to MPI")
      ->type_name("KIND,...")
      ->group(kJob);
  cli_.add_option("--configfile,--app", texts_.file,
                  "Read the rest of the command line from a file, one part a line")
      ->type_name("FILE")
      ->group(kJob);
  cli_.add_option("--timeout", options_->timeout_s,
                  "End the job after so many seconds, and say where each rank was")
      ->check(number_in(kShortestTime, kLongestTime,
                        "use a number of seconds from 0.001 to 1000000000"))
      ->type_name("SECONDS")
      ->group(kJob);
  cli_.add_flag("--get-stack-traces", options_->stack_traces,
                "After --timeout, print the stack of each rank (needs gdb)")
      ->group(kJob);
  cli_.add_flag("--profile", options_->profile,
                "Count what ranks do in MPI; at the end, one line and the page remit-profile.html; "
                "--profile=stack: calls by the functions that lead to them")
      ->group(kJob);
  cli_.add_flag("--trace", options_->trace,
                "The same, and keep each call and message: the page has a timeline")
      ->group(kJob);
  cli_.add_option("--profile-dir", options_->profile_dir,
                  "As --profile, and keep page, JSON, CSV, pictures (PNG needs libpng) and records "
                  "in a folder; with --trace, a trace for Perfetto, too")
      ->type_name("DIR")
      ->group(kJob);
  cli_.add_option("--grace", options_->grace_s,
                  "Time between SIGTERM and SIGKILL when a job is ended; default 2")
      ->check(number_in(0.0, kLongestTime, "use a number of seconds from 0 to 1000000000"))
      ->type_name("SECONDS")
      ->group(kJob);
  cli_.add_flag("--print-all-exitcodes", options_->print_exit_codes,
                "Print on standard error how each rank has ended")
      ->group(kJob);
  cli_.add_flag("-q,--quiet", options_->quiet, "Print no notes about options that do nothing")
      ->group(kJob);
}

void OptionSet::declare_place_options() {
  cli_.add_option("--bind-to", texts_.bind_to,
                  "What each rank is bound to: share (default: an even share of the allowed "
                  "cores; nothing if there are more ranks than cores), core, hwthread, l2cache, "
                  "l3cache, numa, socket, none; core:N for N cores a rank")
      ->type_name("WHAT")
      ->group(kPlaces);
  cli_.add_option("--map-by", texts_.map_by,
                  "Deal ranks in turn to slot (= core), hwthread, l2cache, l3cache, numa, socket, "
                  "node; ppr:N:WHAT for N on each; WHAT:PE=N for N cores a rank")
      ->type_name("WHAT")
      ->group(kPlaces);
  cli_.add_option("--rank-by", texts_.rank_by,
                  "Number the ranks of a mapping: fill (object by object), span, or over core, "
                  "numa, socket, ... in turn")
      ->type_name("WHAT")
      ->group(kPlaces);
  cli_.add_option("--cpus-per-rank,--cpus-per-proc", texts_.cores_per_rank,
                  "Give each rank N cores, as --map-by slot:PE=N")
      ->check(number_in(1, 1 << 20, "use a whole number from 1 to 1048576"))
      ->type_name("N")
      ->group(kPlaces);
  cli_.add_flag("--report-bindings", options_->report_bindings,
                "Print on standard error what each rank is bound to")
      ->group(kPlaces);
  cli_.add_flag("--display-map", options_->display_map,
                "Print on standard error which rank runs which program where")
      ->group(kPlaces);
  cli_.add_option("--display", texts_.display, "map, bind, or both: the two options above")
      ->type_name("WHAT,...")
      ->group(kPlaces);
  cli_.add_option("-H,--host,--hosts", texts_.hosts,
                  "Hosts to run on, each with N ranks; of a hostfile: +nI the host I, +e[:N] hosts "
                  "that nothing else names")
      ->type_name("HOST[:N],...")
      ->group(kPlaces);
  cli_.add_option("-f,--hostfile,--machinefile", texts_.hostfile,
                  "A file of hosts, one a line: NAME slots=N max_slots=N, or NAME:N")
      ->type_name("FILE")
      ->group(kPlaces);
  cli_.add_option("--rankfile,--rf", texts_.rankfile,
                  "A file with the place of each rank: rank N=HOST slot=CORES")
      ->type_name("FILE")
      ->group(kPlaces);
  cli_.add_option(
          "--launcher-exec,--bootstrap-exec,--launch-agent", texts_.agent,
          "The command that reaches another host; default srun in an allocation of Slurm, else ssh")
      ->type_name("COMMAND")
      ->group(kPlaces);
  cli_.add_option("--prefix", options_->prefix, "Where Remit is installed on the other hosts")
      ->type_name("DIR")
      ->group(kPlaces);
  cli_.add_flag("--nolocal", options_->no_local, "No ranks on mpirun's own host")->group(kPlaces);
  cli_.add_option("-N,--npernode,--ppn,--perhost", options_->ranks_per_host,
                  "Ranks on each host; the number of ranks if -n is not given")
      ->check(number_in(1, 1 << 20, "use a whole number from 1 to 1048576"))
      ->type_name("N")
      ->group(kPlaces);
}

void OptionSet::declare_stream_options() {
  OutputStyle& output = options_->output;
  cli_.add_flag("-l,--tag-output,--prepend-rank", output.tag,
                "Start each output line with its [rank]")
      ->group(kStreams);
  cli_.add_option("--prepend-pattern", output.prefix,
                  "Start each output line with this: %r is the rank, %h the host")
      ->type_name("TEXT")
      ->group(kStreams);
  cli_.add_flag("--timestamp,--timestamp-output", output.timestamp,
                "Start each output line with the time")
      ->group(kStreams);
  cli_.add_flag("--merge-stderr-to-stdout", output.merge,
                "Send standard error where standard output goes")
      ->group(kStreams);
  cli_.add_option("--outfile-pattern", output.out_file,
                  "Write each rank's standard output to a file: %r is the rank, %h the host")
      ->type_name("FILE")
      ->group(kStreams);
  cli_.add_option("--errfile-pattern", output.err_file, "The same for standard error")
      ->type_name("FILE")
      ->group(kStreams);
  cli_.add_option("--output-filename", texts_.output_filename,
                  "Also write each rank's output to DIR/rank.N/stdout and stderr; with :nocopy "
                  "only there")
      ->type_name("DIR[:nocopy]")
      ->group(kStreams);
  cli_.add_option("--output", texts_.output,
                  "tag, timestamp, merge, dir=DIR, file=NAME (NAME.rank.out and .err), nocopy")
      ->type_name("WHAT,...")
      ->group(kStreams);
  cli_.add_option("--stdin", texts_.input,
                  "The rank that gets mpirun's standard input (default 0), all, or none")
      ->type_name("WHO")
      ->group(kStreams);
}

// What another mpirun needs to be told and this one does or needs not. Those in foreign_ are
// answered with a note.
void OptionSet::declare_foreign_options() {
  cli_.add_flag("--oversubscribe", options_->oversubscribe,
                "Always so here; no note about more ranks than slots")
      ->group(kOthers);
  cli_.add_flag("--allow-run-as-root,--report-state-on-timeout", nothing_, "Always so here")
      ->group(kOthers);
  add_list("--mca,--gmca", &texts_.mca, "Set OMPI_MCA_NAME, for programs of Open MPI")
      ->type_name("NAME VALUE")
      ->group(kOthers);
  const auto ignore = [&](const char* names, const char* value) {
    CLI::Option* option =
        *value == 0 ? cli_.add_flag(names, nothing_, "Ignored, with a note")
                    : add_list(names, &foreign_values_, "Ignored, with a note")->type_name(value);
    foreign_.push_back(option->group(kOthers));
  };
  ignore(kNeedlessFlags, "");
  ignore(kNeedlessValues, "VALUE");
  ignore("--prtemca,--pmixmca", "NAME VALUE");
}

// The option a word (without "=value") names, and the spelling that CLI11 knows it by.
const CLI::Option* OptionSet::find(const std::string& word, std::string* canonical) const {
  const std::string name = word.substr(word.find_first_not_of('-'));
  for (const CLI::Option* option : cli_.get_options()) {
    const bool is_short = std::ranges::count(option->get_snames(), name) > 0;
    if (is_short || std::ranges::count(option->get_lnames(), name) > 0) {
      *canonical = (is_short ? "-" : "--") + name;
      return option;
    }
  }
  return nullptr;
}

std::string OptionSet::nearest(const std::string& word) const {
  const std::string name = word.substr(word.find_first_not_of('-'));
  std::vector<std::string> known;
  for (const CLI::Option* option : cli_.get_options()) {
    std::ranges::copy(option->get_lnames(), std::back_inserter(known));
  }
  std::string text;
  for (const std::string& near : near_words(name, known)) {
    text += (text.empty() ? "--" : ", --") + near;
  }
  return text;
}

bool OptionSet::is_foreign(const CLI::Option* option) const {
  return std::ranges::find(foreign_, option) != foreign_.end();
}

bool OptionSet::is_for_one_program(const CLI::Option* option) {
  return option->get_group() == kOneProgram;
}

}  // namespace remit::launcher
