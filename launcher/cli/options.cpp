// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// CLI11 declares, checks and converts the options. What its model lacks is done before it sees
// them: ':' between apps, one-dash long options, values that start with a dash, and a command
// line that ends at the first word that is no option.
#include "launcher/cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>
#include <memory>

#include "launcher/cli/dialects.hpp"
#include "launcher/cli/option_values.hpp"
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

// The CLI11 description of one part of the command line, bound to the values it fills.
class Parser {
 public:
  Parser(Options* options, AppSpec* app_spec) : options_(options), app_spec_(app_spec) {
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

  // Fills the bound values from one part; the program and its arguments go to command.
  Expected<> parse(std::span<const std::string> words);

  // The words of the part that stand before --configfile or --app, if there is one: nothing else
  // of the part has been read then.
  [[nodiscard]] std::optional<std::size_t> words_before_file() const { return before_file_; }
  [[nodiscard]] const std::string& file() const { return texts_.file; }

  [[nodiscard]] std::string help() const { return cli_.help(); }
  [[nodiscard]] bool wants_help() const { return help_; }
  [[nodiscard]] bool wants_version() const { return version_; }

 private:
  void declare_program_options();
  void declare_job_options();
  void declare_place_options();
  void declare_stream_options();
  void declare_foreign_options();
  CLI::Option* add_list(const char* names, std::vector<std::string>* values, const char* text);
  Expected<std::vector<std::string>> normalize(std::vector<std::string> words);
  static Expected<bool> translate_at(std::size_t at, std::vector<std::string>* words);
  Expected<std::string> take_value(const CLI::Option& option, const std::string& word,
                                   std::span<const std::string> words, std::size_t* at);
  [[nodiscard]] const CLI::Option* find(const std::string& word, std::string* canonical) const;
  Expected<> note(const CLI::Option* option, const std::string& word, const std::string& value);
  [[nodiscard]] std::string as_written(const std::string& complaint) const;
  [[nodiscard]] std::string nearest(const std::string& word) const;
  Expected<> convert();

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
  std::optional<std::size_t> before_file_;
  std::map<const CLI::Option*, std::string> written_;  // an option and its value, as given
};

CLI::Option* Parser::add_list(const char* names, std::vector<std::string>* values,
                              const char* text) {
  return cli_.add_option(names, *values, text)->allow_extra_args(false);
}

void Parser::declare_program_options() {
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

void Parser::declare_job_options() {
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

void Parser::declare_place_options() {
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

void Parser::declare_stream_options() {
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
void Parser::declare_foreign_options() {
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
const CLI::Option* Parser::find(const std::string& word, std::string* canonical) const {
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

std::string Parser::nearest(const std::string& word) const {
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

// Keeps how an option was written, for messages; one that has one value may be given once.
Expected<> Parser::note(const CLI::Option* option, const std::string& word,
                        const std::string& value) {
  const std::string text = word + " " + value;
  const auto [place, is_new] = written_.emplace(option, text);
  if (!is_new && option->get_expected_max() == 1) {
    return fail(MPI_ERR_ARG, "{}: {} is given already{}", text, place->second,
                option->get_group() == kOneProgram ? " for this program" : "");
  }
  place->second = text;
  return {};
}

// A complaint of CLI11 begins with its name of the option: puts what was written in its place.
std::string Parser::as_written(const std::string& complaint) const {
  for (const auto& [option, text] : written_) {
    const std::string name = option->get_name() + ": ";
    if (complaint.starts_with(name)) return text + ": " + complaint.substr(name.size());
  }
  return complaint;
}

// The value of an option that has one, which is not empty: behind '=', or the next word, or the
// next two.
Expected<std::string> Parser::take_value(const CLI::Option& option, const std::string& word,
                                         std::span<const std::string> words, std::size_t* at) {
  const std::size_t equals = words[*at].find('=');
  const bool is_pair = option.get_type_name().ends_with(" VALUE");
  std::string value;
  if (equals != std::string::npos) {
    value = words[*at].substr(equals + 1);
  } else if (*at + (is_pair ? 2 : 1) >= words.size()) {
    return fail(MPI_ERR_ARG, "option '{}' needs {}", word, option.get_type_name());
  } else {
    value = words[++*at];
    if (is_pair) value += "=" + words[++*at];
  }
  if (value.empty()) {  // CLI11 would take the word behind it
    return fail(MPI_ERR_ARG, "option '{}' has an empty value: write {}, or leave the option out",
                word, option.get_type_name());
  }
  return value;
}

// An option that only other mpiruns have: replaces it by what it is called here, or says what to do
// instead. False: nobody has it.
Expected<bool> Parser::translate_at(std::size_t at, std::vector<std::string>* words) {
  const std::string word = (*words)[at];
  const std::size_t equals = word.find('=');
  const std::size_t start = word.find_first_not_of('-');
  const std::string name = word.substr(start, equals - start);
  if (const auto remedy = instead_of(name)) {
    return fail(MPI_ERR_ARG, "option '{}' is not supported: {}", word, *remedy);
  }
  std::vector<std::string> ours;
  std::size_t end = at + 1;
  for (const std::string_view part : translate(name)) {
    if (part != "%") {
      ours.emplace_back(part);
    } else if (equals != std::string::npos && end == at + 1) {
      ours.push_back(word.substr(equals + 1));
    } else if (end < words->size()) {
      ours.push_back((*words)[end++]);
    } else {
      return fail(MPI_ERR_ARG, "option '{}' needs a value", word);
    }
  }
  if (ours.empty()) return false;
  const auto place = words->begin() + static_cast<std::ptrdiff_t>(at);
  words->erase(place, words->begin() + static_cast<std::ptrdiff_t>(end));
  words->insert(words->begin() + static_cast<std::ptrdiff_t>(at), ours.begin(), ours.end());
  return true;
}

// Turns the options in front of the program into words that CLI11 cannot misread
// ("--np=4", "--genv=A=B"), and stores the rest as the command.
Expected<std::vector<std::string>> Parser::normalize(std::vector<std::string> words) {
  std::vector<std::string> clean;
  const std::size_t given = words.size();
  std::size_t at = 0;
  for (; at < words.size() && words[at].size() > 1 && words[at][0] == '-'; ++at) {
    if (words[at] == "--") {
      ++at;
      break;
    }
    const std::size_t start = at;
    const std::size_t equals = words[at].find('=');
    const std::string word = words[at].substr(0, equals);
    const bool has_name = word.find_first_not_of('-') != std::string::npos;
    std::string canonical;
    const CLI::Option* option = has_name ? find(word, &canonical) : nullptr;
    if (option == nullptr && has_name) {
      const Expected<bool> known = translate_at(at, &words);
      if (!known) return tl::unexpected(known.error());
      if (*known) {
        --at;  // once more, in our words
        continue;
      }
    }
    if (option == nullptr) {
      const std::string near = has_name ? nearest(word) : "";
      return fail(MPI_ERR_ARG, "unknown option '{}'{}{}. 'mpirun --help' lists all options.",
                  words[at], near.empty() ? "" : "; near to it: ", near);
    }
    if (std::ranges::find(foreign_, option) != foreign_.end()) {
      options_->notes.push_back(word + " is not needed here and ignored");
    }
    if (option->get_items_expected_max() == 0) {  // a flag
      if (equals != std::string::npos) {
        return fail(MPI_ERR_ARG, "option '{}' takes no value", word);
      }
      clean.push_back(canonical);
      continue;
    }
    Expected<std::string> value = take_value(*option, word, words, &at);
    if (!value) return tl::unexpected(value.error());
    if (Expected<> noted = note(option, word, *value); !noted) {
      return tl::unexpected(noted.error());
    }
    if (option->check_name("--app")) {
      before_file_ = start + given - words.size();  // as the words were written
      texts_.file = *value;
      if (at + 1 < words.size()) {
        return fail(MPI_ERR_ARG, "{} {}: nothing may stand behind it: the file holds the programs",
                    word, *value);
      }
      return clean;
    }
    // CLI11 takes the value of a short option only as a word of its own or attached to it.
    if (canonical[1] == '-') {
      clean.push_back(fmt::format("{}={}", canonical, *value));
    } else {
      clean.push_back(canonical + *value);
    }
  }
  app_spec_->command.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return clean;
}

Expected<> Parser::convert() {
  app_spec_->counted = count_->count() > 0;
  return convert_texts(texts_, options_, app_spec_);
}

Expected<> Parser::parse(std::span<const std::string> words) {
  Expected<std::vector<std::string>> clean = normalize({words.begin(), words.end()});
  if (!clean) return tl::unexpected(clean.error());
  if (before_file_) return {};
  std::ranges::reverse(*clean);  // CLI11 takes its words from the back
  try {
    cli_.parse(*clean);
  } catch (const CLI::ParseError& error) {
    return fail(MPI_ERR_ARG, "{}", as_written(error.what()));
  }
  return convert();
}

// The parts that a file's lines are, separated by ':'.
Expected<std::vector<std::string>> words_of_file(const std::string& path, const FileReader& read) {
  const Expected<std::string> text = read(path);
  if (!text) return tl::unexpected(text.error());
  std::vector<std::string> all;
  int number = 0;
  for (const std::string& line : split(*text, '\n')) {
    ++number;
    Expected<std::vector<std::string>> words = words_of_line(line);
    if (!words) return fail(MPI_ERR_ARG, "{} line {}: {}", path, number, words.error().message);
    if (words->empty()) continue;
    if (!all.empty()) all.emplace_back(":");
    std::ranges::move(*words, std::back_inserter(all));
  }
  if (all.empty()) return fail(MPI_ERR_ARG, "{} names no program", path);
  return all;
}

}  // namespace

Expected<Options> parse_options(std::span<const std::string> words, const FileReader& read) {
  const std::span<const std::string> all = words;
  Options options;
  while (true) {
    const auto colon = std::ranges::find(words, ":");
    AppSpec app;
    Parser parser(&options, &app);
    const std::span<const std::string> part(words.begin(), colon);
    if (Expected<> done = parser.parse(part); !done) return tl::unexpected(done.error());
    if (const auto before = parser.words_before_file()) {
      if (colon != words.end()) {
        return fail(MPI_ERR_ARG, "--app {}: it must be the last part", parser.file());
      }
      Expected<std::vector<std::string>> file = words_of_file(parser.file(), read);
      if (!file) return tl::unexpected(file.error());
      const std::size_t kept = all.size() - words.size() + *before;
      std::vector<std::string> joined(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept));
      std::ranges::move(*file, std::back_inserter(joined));
      return parse_options(joined, [](const std::string& path) -> Expected<std::string> {
        return fail(MPI_ERR_ARG, "{}: such a file cannot name another one", path);
      });
    }
    if (parser.wants_help() || parser.wants_version()) {
      options.action = parser.wants_help() ? Action::help : Action::version;
      return options;
    }
    if (app.command.empty()) {
      return fail(MPI_ERR_ARG, "no program to start{}. Example: mpirun -n 4 ./program",
                  options.apps.empty() ? "" : " behind ':'");
    }
    options.apps.push_back(std::move(app));
    if (colon == words.end()) return options;
    words = std::span<const std::string>(colon + 1, words.end());
  }
}

std::string help_text() {
  Options options;
  AppSpec app;
  return Parser(&options, &app).help();
}

}  // namespace remit::launcher
