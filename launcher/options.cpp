// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// CLI11 declares, checks and converts the options. What its model lacks is done before it sees
// them: ':' between apps, one-dash long options, values that start with a dash, and a command
// line that ends at the first word that is no option.
#include "launcher/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <numeric>

namespace remit::launcher {
namespace {

const std::map<std::string, BindTo>& bind_names() {
  static const std::map<std::string, BindTo> names{
      {"share", BindTo::share},   {"none", BindTo::none},     {"hwthread", BindTo::hwthread},
      {"core", BindTo::core},     {"l3cache", BindTo::l3},    {"numa", BindTo::numa},
      {"socket", BindTo::socket}, {"package", BindTo::socket}};
  return names;
}

constexpr const char* kFooter =
    "Options end at the first word that is none: the program. Parts separated by ':' start\n"
    "different programs in one MPI_COMM_WORLD; -n, -x, -env and -wdir belong to their part, all\n"
    "others to the job. Long options may be written with one dash or with two.\n"
    "\n"
    "Exit status: 0, or the first nonzero one of a rank, 128+N if signal N killed it, the code of\n"
    "MPI_Abort; 124 after --timeout, 126 or 127 if a program cannot be run or is not found, 2 for\n"
    "a wrong command line.\n"
    "\n"
    "Example: mpirun -n 4 -x OMP_NUM_THREADS=2 ./solver input.dat";

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
  }

  // Fills the bound values from one part; the program and its arguments go to command.
  Expected<> parse(std::span<const std::string> words);

  [[nodiscard]] std::string help() const { return cli_.help(); }
  [[nodiscard]] bool wants_help() const { return help_; }
  [[nodiscard]] bool wants_version() const { return version_; }

 private:
  void declare_program_options();
  void declare_job_options();
  Expected<std::vector<std::string>> normalize(std::span<const std::string> words);
  [[nodiscard]] const CLI::Option* find(const std::string& word, std::string* canonical) const;
  Expected<> note(const CLI::Option* option, const std::string& word, const std::string& value);
  [[nodiscard]] std::string as_written(const std::string& complaint) const;
  [[nodiscard]] std::string nearest(const std::string& word) const;
  Expected<> convert();

  Options* options_;
  AppSpec* app_spec_;
  CLI::App cli_{"Starts an MPI job on this host.", "mpirun"};
  bool help_ = false;
  bool version_ = false;
  bool ignored_ = false;
  std::vector<std::string> env_;
  std::vector<std::string> env_pairs_;
  std::vector<std::string> genv_pairs_;
  std::vector<std::string> params_;
  std::string bind_;
  std::map<const CLI::Option*, std::string> written_;  // an option and its value, as given
};

void Parser::declare_program_options() {
  cli_.add_option("-n,-c,--n,--np", app_spec_->ranks, "Number of ranks of the program; default 1")
      ->check(number_in(1, 1 << 20, "use a whole number from 1 to 1048576"))
      ->type_name("N")
      ->group("For one program");
  cli_.add_option("-x", env_, "Give ranks VAR from mpirun's environment, or with this value")
      ->type_name("VAR[=VALUE]")
      ->allow_extra_args(false)
      ->group("For one program");
  cli_.add_option("--env", env_pairs_, "Give ranks VAR with this value")
      ->type_name("VAR VALUE")
      ->allow_extra_args(false)
      ->group("For one program");
  cli_.add_option("--wdir,--wd", app_spec_->wdir, "Working directory of the ranks")
      ->type_name("DIR")
      ->group("For one program");
}

void Parser::declare_job_options() {
  const char* group = "For the job";
  cli_.add_option("--genv", genv_pairs_, "Give every rank of every program VAR with this value")
      ->type_name("VAR VALUE")
      ->allow_extra_args(false)
      ->group(group);
  cli_.add_option("--param", params_, "Set a Remit parameter (remit_info lists them)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group(group);
  cli_.add_option("--bind-to", bind_,
                  "What each rank is bound to: share (default: an even share of the allowed "
                  "cores; nothing if there are more ranks than cores), core, hwthread, l3cache, "
                  "numa, socket, none")
      ->type_name("WHAT")
      ->group(group);
  cli_.add_flag("-l,--tag-output", options_->tag_output, "Start each output line with its [rank]")
      ->group(group);
  cli_.add_flag("--report-bindings", options_->report_bindings,
                "Print on standard error what each rank is bound to")
      ->group(group);
  cli_.add_flag("--display-map", options_->display_map,
                "Print on standard error which rank runs which program where")
      ->group(group);
  cli_.add_option("--timeout", options_->timeout_s, "End the job after so many seconds")
      ->check(number_in(kShortestTime, kLongestTime,
                        "use a number of seconds from 0.001 to 1000000000"))
      ->type_name("SECONDS")
      ->group(group);
  cli_.add_option("--grace", options_->grace_s,
                  "Time between SIGTERM and SIGKILL when a job is ended; default 2")
      ->check(number_in(0.0, kLongestTime, "use a number of seconds from 0 to 1000000000"))
      ->type_name("SECONDS")
      ->group(group);
  cli_.add_flag("--oversubscribe,--allow-run-as-root", ignored_,
                "Accepted from other mpiruns; both are always allowed")
      ->group(group);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      row[j + 1] = std::min({changed, above + 1, row[j] + 1});
      diagonal = above;
    }
  }
  return row[b.size()];
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
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const CLI::Option* option : cli_.get_options()) {
    for (const std::string& known : option->get_lnames()) {
      const bool is_part = name.size() > 2 && known.find(name) != std::string::npos;
      const std::size_t distance = is_part ? 1 : edit_distance(name, known);
      if (distance <= 1 + name.size() / 3) near.emplace_back(distance, "--" + known);
    }
  }
  std::ranges::sort(near);
  if (near.size() > 3) near.resize(3);
  std::string text;
  for (const auto& [distance, known] : near) text += (text.empty() ? "" : ", ") + known;
  return text;
}

// Keeps how an option was written, for messages; one that has one value may be given once.
Expected<> Parser::note(const CLI::Option* option, const std::string& word,
                        const std::string& value) {
  const std::string text = word + " " + value;
  const auto [place, is_new] = written_.emplace(option, text);
  if (!is_new && option->get_expected_max() == 1) {
    return fail(MPI_ERR_ARG, "{}: {} is given already{}", text, place->second,
                option->get_group() == "For one program" ? " for this program" : "");
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

// Turns the options in front of the program into words that CLI11 cannot misread
// ("--np=4", "--genv=A=B"), and stores the rest as the command.
Expected<std::vector<std::string>> Parser::normalize(std::span<const std::string> words) {
  std::vector<std::string> clean;
  std::size_t at = 0;
  for (; at < words.size() && words[at].size() > 1 && words[at][0] == '-'; ++at) {
    if (words[at] == "--") {
      ++at;
      break;
    }
    const std::size_t equals = words[at].find('=');
    const std::string word = words[at].substr(0, equals);
    std::string canonical;
    const CLI::Option* option =
        word.find_first_not_of('-') == std::string::npos ? nullptr : find(word, &canonical);
    if (option == nullptr) {
      const std::string near =
          word.find_first_not_of('-') == std::string::npos ? "" : nearest(word);
      return fail(MPI_ERR_ARG, "unknown option '{}'{}{}. 'mpirun --help' lists all options.",
                  words[at], near.empty() ? "" : "; near to it: ", near);
    }
    const bool is_flag = option->get_items_expected_max() == 0;
    const bool is_pair = option->get_type_name() == "VAR VALUE";
    if (is_flag) {
      if (equals != std::string::npos) {
        return fail(MPI_ERR_ARG, "option '{}' takes no value", word);
      }
      clean.push_back(canonical);
      continue;
    }
    std::string value;
    if (equals != std::string::npos) {
      value = words[at].substr(equals + 1);
    } else if (at + (is_pair ? 2 : 1) < words.size()) {
      value = words[++at];
      if (is_pair) value += "=" + words[++at];
    } else {
      return fail(MPI_ERR_ARG, "option '{}' needs {}", word, option->get_type_name());
    }
    if (Expected<> noted = note(option, word, value); !noted) {
      return tl::unexpected(noted.error());
    }
    // CLI11 takes the value of a short option only as a word of its own or attached to it.
    if (canonical[1] == '-') {
      clean.push_back(fmt::format("{}={}", canonical, value));
    } else {
      clean.push_back(canonical + value);
    }
  }
  app_spec_->command.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return clean;
}

Expected<EnvSetting> split_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || text.empty()) {
    return fail(MPI_ERR_ARG, "'{}' has no variable name in front of '='", text);
  }
  EnvSetting setting{text.substr(0, equals), std::nullopt};
  if (equals != std::string::npos) setting.value = text.substr(equals + 1);
  return setting;
}

Expected<> append_settings(const std::vector<std::string>& texts, std::vector<EnvSetting>* out) {
  for (const std::string& text : texts) {
    Expected<EnvSetting> setting = split_setting(text);
    if (!setting) return tl::unexpected(setting.error());
    out->push_back(std::move(*setting));
  }
  return {};
}

Expected<> Parser::convert() {
  for (const auto& [texts, out] :
       {std::pair{&env_, &app_spec_->env}, std::pair{&env_pairs_, &app_spec_->env},
        std::pair{&genv_pairs_, &options_->global_env}}) {
    if (Expected<> done = append_settings(*texts, out); !done) return done;
  }
  for (const std::string& text : params_) {
    Expected<EnvSetting> setting = split_setting(text);
    if (!setting) return tl::unexpected(setting.error());
    if (!setting->value) {
      return fail(MPI_ERR_ARG, "--param {}: a value is missing (write NAME=VALUE)", text);
    }
    options_->params.emplace_back(CLI::detail::to_lower(setting->name), *setting->value);
  }
  if (!bind_.empty()) {
    // Open MPI's modifiers (core:overload-allowed, core:if-supported) are what happens anyway.
    const auto found = bind_names().find(bind_.substr(0, bind_.find(':')));
    if (found == bind_names().end()) {
      std::string names;
      for (const auto& [name, value] : bind_names()) names += (names.empty() ? "" : ", ") + name;
      return fail(MPI_ERR_ARG, "--bind-to {}: choose one of {}", bind_, names);
    }
    options_->bind_to = found->second;
  }
  return {};
}

Expected<> Parser::parse(std::span<const std::string> words) {
  Expected<std::vector<std::string>> clean = normalize(words);
  if (!clean) return tl::unexpected(clean.error());
  std::ranges::reverse(*clean);  // CLI11 takes its words from the back
  try {
    cli_.parse(*clean);
  } catch (const CLI::ParseError& error) {
    return fail(MPI_ERR_ARG, "{}", as_written(error.what()));
  }
  return convert();
}

}  // namespace

int Options::total_ranks() const {
  return std::accumulate(apps.begin(), apps.end(), 0,
                         [](int sum, const AppSpec& app) { return sum + app.ranks; });
}

Expected<Options> parse_options(std::span<const std::string> words) {
  Options options;
  while (true) {
    const auto colon = std::ranges::find(words, ":");
    AppSpec app;
    Parser parser(&options, &app);
    const std::span<const std::string> part(words.begin(), colon);
    if (Expected<> done = parser.parse(part); !done) return tl::unexpected(done.error());
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

std::string_view bind_name(BindTo bind_to) {
  for (const auto& [name, value] : bind_names()) {
    if (value == bind_to) return name;
  }
  return "?";
}

}  // namespace remit::launcher
