// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The command line: CLI11 checks and converts the options (option_set.hpp). What its model lacks is
// done before it sees them: ':' between apps, one-dash long options, values that start with a dash,
// and a command line that ends at the first word that is no option.
#include "launcher/cli/options.hpp"

#include <algorithm>
#include <map>

#include "launcher/cli/dialects.hpp"
#include "launcher/cli/option_set.hpp"
#include "launcher/cli/option_values.hpp"
#include "launcher/cli/words.hpp"

namespace remit::launcher {
namespace {

// Reads the words of one part of the command line.
class Parser {
 public:
  Parser(Options* options, AppSpec* app_spec)
      : options_(options), app_spec_(app_spec), set_(options, app_spec) {}

  // Fills the bound values from one part; the program and its arguments go to command.
  Expected<> parse(std::span<const std::string> words);

  // The words of the part that stand before --configfile or --app, if there is one: nothing else
  // of the part has been read then.
  [[nodiscard]] std::optional<std::size_t> words_before_file() const { return before_file_; }

  [[nodiscard]] OptionSet& set() { return set_; }

 private:
  Expected<std::vector<std::string>> normalize(std::vector<std::string> words);
  static Expected<bool> translate_at(std::size_t at, std::vector<std::string>* words);
  Expected<std::string> take_value(const CLI::Option& option, const std::string& word,
                                   std::span<const std::string> words, std::size_t* at);
  Expected<> note(const CLI::Option* option, const std::string& word, const std::string& value);
  [[nodiscard]] std::string as_written(const std::string& complaint) const;
  Expected<> convert();

  Options* options_;
  AppSpec* app_spec_;
  OptionSet set_;
  std::optional<std::size_t> before_file_;
  std::map<const CLI::Option*, std::string> written_;  // an option and its value, as given
};

// Keeps how an option was written, for messages; one that has one value may be given once.
Expected<> Parser::note(const CLI::Option* option, const std::string& word,
                        const std::string& value) {
  const std::string text = word + " " + value;
  const auto [place, is_new] = written_.emplace(option, text);
  if (!is_new && option->get_expected_max() == 1) {
    return fail(MPI_ERR_ARG, "{}: {} is given already{}", text, place->second,
                OptionSet::is_for_one_program(option) ? " for this program" : "");
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
    const CLI::Option* option = has_name ? set_.find(word, &canonical) : nullptr;
    if (option == nullptr && has_name) {
      const Expected<bool> known = translate_at(at, &words);
      if (!known) return tl::unexpected(known.error());
      if (*known) {
        --at;  // once more, in our words
        continue;
      }
    }
    if (option == nullptr) {
      const std::string near = has_name ? set_.nearest(word) : "";
      return fail(MPI_ERR_ARG, "unknown option '{}'{}{}. 'mpirun --help' lists all options.",
                  words[at], near.empty() ? "" : "; near to it: ", near);
    }
    if (set_.is_foreign(option)) {
      options_->notes.push_back(word + " is not needed here and ignored");
    }
    if (option->get_items_expected_max() == 0) {  // a flag
      const bool has_value = equals != std::string::npos;
      if (has_value && option->check_name("--profile")) {
        if (words[at].substr(equals + 1) != "stack") {
          return fail(MPI_ERR_ARG,
                      "{}: write --profile=stack to tell calls apart by the functions that lead to "
                      "them, or --profile",
                      words[at]);
        }
        options_->profile_stack = true;
      } else if (has_value) {
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
      set_.texts().file = *value;
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
  app_spec_->counted = set_.gives_count();
  return convert_texts(set_.texts(), options_, app_spec_);
}

Expected<> Parser::parse(std::span<const std::string> words) {
  Expected<std::vector<std::string>> clean = normalize({words.begin(), words.end()});
  if (!clean) return tl::unexpected(clean.error());
  if (before_file_) return {};
  std::ranges::reverse(*clean);  // CLI11 takes its words from the back
  try {
    set_.cli().parse(*clean);
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
        return fail(MPI_ERR_ARG, "--app {}: it must be the last part", parser.set().texts().file);
      }
      Expected<std::vector<std::string>> file = words_of_file(parser.set().texts().file, read);
      if (!file) return tl::unexpected(file.error());
      const std::size_t kept = all.size() - words.size() + *before;
      std::vector<std::string> joined(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept));
      std::ranges::move(*file, std::back_inserter(joined));
      return parse_options(joined, [](const std::string& path) -> Expected<std::string> {
        return fail(MPI_ERR_ARG, "{}: such a file cannot name another one", path);
      });
    }
    if (parser.set().wants_help() || parser.set().wants_version()) {
      options.action = parser.set().wants_help() ? Action::help : Action::version;
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
  return OptionSet(&options, &app).help();
}

}  // namespace remit::launcher
