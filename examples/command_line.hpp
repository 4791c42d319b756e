// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The examples' command line: "--name value" options, --help, one clear message for a mistake.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// Options are declared with a reference to the variable that holds the default and gets the value.
class CommandLine {
 public:
  CommandLine(std::string program, std::string purpose)
      : program_(std::move(program)), purpose_(std::move(purpose)) {}

  // An integer of at least `least`.
  void add(const std::string& name, long& value, long least, const std::string& text) {
    const auto read = [&value, least](const std::string& word) {
      char* end = nullptr;
      const long number = std::strtol(word.c_str(), &end, 10);
      if (word.empty() || *end != '\0' || number < least) return false;
      value = number;
      return true;
    };
    options_.push_back({name, text + " (default " + std::to_string(value) + ")", read});
  }

  // One of `choices`, or any text if there are none.
  void add(const std::string& name, std::string& value, const std::string& text,
           const std::vector<std::string>& choices = {}) {
    const auto read = [&value, choices](const std::string& word) {
      bool known = choices.empty();
      for (const auto& choice : choices) known = known || choice == word;
      if (known) value = word;
      return known;
    };
    const std::string shown = value.empty() ? "none" : value;
    options_.push_back({name, text + " (default " + shown + ")", read});
  }

  // Reads the command line, the same on all ranks; only the one with `speaks` prints.
  // True: run. False: --help was asked for or there was a mistake; main returns `exit_code()`.
  bool parse(int argc, char** argv, bool speaks) {
    for (int i = 1; i < argc; i += 2) {
      const std::string name = argv[i];
      if (name == "--help" || name == "-h") {
        if (speaks) print_help();
        return false;
      }
      const Option* option = find(name);
      if (option == nullptr) return complain("unknown option '" + name + "'", speaks);
      if (i + 1 == argc) return complain("option " + name + " needs a value", speaks);
      if (!option->read(argv[i + 1])) {
        return complain("option " + name + ": bad value '" + argv[i + 1] + "'", speaks);
      }
    }
    return true;
  }

  // Says what is wrong (once); always false.
  bool complain(const std::string& problem, bool speaks) {
    exit_code_ = 2;
    if (speaks) {
      std::fprintf(stderr, "%s: %s ('%s --help' lists the options)\n", program_.c_str(),
                   problem.c_str(), program_.c_str());
    }
    return false;
  }

  [[nodiscard]] int exit_code() const { return exit_code_; }

 private:
  struct Option {
    std::string name;
    std::string text;
    std::function<bool(const std::string&)> read;
  };

  [[nodiscard]] const Option* find(const std::string& name) const {
    for (const auto& option : options_) {
      if (option.name == name) return &option;
    }
    return nullptr;
  }

  void print_help() const {
    std::printf("%s: %s\n\nusage: mpirun -n RANKS %s [options]\n\n", program_.c_str(),
                purpose_.c_str(), program_.c_str());
    for (const auto& option : options_) {
      std::printf("  %-16s %s\n", option.name.c_str(), option.text.c_str());
    }
    std::printf("  %-16s %s\n", "--help", "this text");
  }

  std::string program_;
  std::string purpose_;
  std::vector<Option> options_;
  int exit_code_ = 0;
};
