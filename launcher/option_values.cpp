// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Environment settings, hosts, output and input in the words of Open MPI and of MPICH.
#include "launcher/option_values.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <memory>
#include <numeric>

#include "launcher/words.hpp"
#include "runtime/launch_params.hpp"

namespace remit::launcher {
namespace {

constexpr int kMostSlots = 1 << 20;

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

std::optional<Inheritance> inheritance(bool all, bool none, const std::string& list) {
  if (!list.empty()) return Inheritance{false, split(list, ',')};
  if (none) return Inheritance{false, {}};
  return all ? std::optional<Inheritance>(Inheritance{}) : std::nullopt;
}

Expected<> convert_environment(const OptionTexts& texts, Options* options, AppSpec* app) {
  for (const auto& [settings, out] :
       {std::pair{&texts.env, &app->env}, std::pair{&texts.env_pairs, &app->env},
        std::pair{&texts.genv_pairs, &options->global_env}}) {
    if (Expected<> done = append_settings(*settings, out); !done) return done;
  }
  for (const std::string& text : texts.mca) {
    Expected<EnvSetting> setting = split_setting(text);
    if (!setting) return tl::unexpected(setting.error());
    options->global_env.push_back({"OMPI_MCA_" + setting->name, setting->value});
  }
  for (const std::string& text : texts.params) {
    Expected<EnvSetting> setting = split_setting(text);
    if (!setting) return tl::unexpected(setting.error());
    if (!setting->value) {
      return fail(MPI_ERR_ARG, "--param {}: a value is missing (write NAME=VALUE)", text);
    }
    std::string name = setting->name;
    for (char& letter : name) {
      letter =
          letter == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    options->params.emplace_back(std::move(name), *setting->value);
  }
  if (!texts.initial_errhandler.empty()) {
    options->params.emplace_back(initial_errhandler_param.name, texts.initial_errhandler);
  }
  if (!texts.memory_alloc_kinds.empty()) {
    options->params.emplace_back(memory_alloc_kinds_param.name, texts.memory_alloc_kinds);
  }
  app->inherit = inheritance(texts.envall, texts.envnone, texts.envlist);
  if (const auto all = inheritance(texts.genvall, texts.genvnone, texts.genvlist)) {
    options->inherit = *all;
  }
  return {};
}

Expected<> convert_places(const OptionTexts& texts, Options* options) {
  Placement& placement = options->placement;
  if (!texts.map_by.empty()) {
    if (auto done = read_map_by(texts.map_by, &placement); !done) return done;
  }
  if (!texts.rank_by.empty()) {
    if (auto done = read_rank_by(texts.rank_by, &placement); !done) return done;
  }
  if (!texts.bind_to.empty()) {
    if (auto done = read_bind_to(texts.bind_to, &placement); !done) return done;
  }
  if (texts.cores_per_rank > 0) placement.cores_per_rank = texts.cores_per_rank;
  if (texts.display.empty()) return {};
  for (const std::string& word : split(texts.display, ',')) {
    if (word == "map" || word == "map-devel" || word == "allocation") {
      options->display_map = true;
    } else if (word == "bind" || word == "bindings") {
      options->report_bindings = true;
    } else {
      return fail(MPI_ERR_ARG, "--display {}: choose from map, bind", texts.display);
    }
  }
  return {};
}

// "host", "host:4", "host slots=4 max_slots=8".
Expected<HostSpec> read_host(const std::string& option, const std::string& text) {
  const std::vector<std::string> words = words_of_line(text).value_or(std::vector<std::string>{});
  const std::string first = words.empty() ? "" : words[0];
  const std::size_t colon = first.find(':');
  HostSpec host{first.substr(0, colon), 0};
  std::string count = colon == std::string::npos ? "" : first.substr(colon + 1);
  for (const std::string& word : words) {
    if (word.starts_with("slots=")) count = word.substr(6);
  }
  if (host.name.empty()) return fail(MPI_ERR_ARG, "{} {}: a host's name is missing", option, text);
  if (count.empty()) return host;
  host.slots = whole_number(count).value_or(0);
  if (host.slots < 1 || host.slots > kMostSlots) {
    return fail(MPI_ERR_ARG, "{} {}: '{}' is no number of ranks", option, text, count);
  }
  return host;
}

Expected<> convert_hosts(const OptionTexts& texts, const FileReader& read, Options* options) {
  const auto append = [&](const std::string& option, const std::string& text) -> Expected<> {
    Expected<HostSpec> host = read_host(option, text);
    if (!host) return tl::unexpected(host.error());
    options->hosts.push_back(std::move(*host));
    return {};
  };
  if (!texts.hosts.empty()) {
    for (const std::string& text : split(texts.hosts, ',')) {
      if (auto done = append("--host", text); !done) return done;
    }
  }
  if (texts.hostfile.empty()) return {};
  const Expected<std::string> file = read(texts.hostfile);
  if (!file) return fail(MPI_ERR_ARG, "--hostfile {}", file.error().message);
  for (const std::string& line : split(*file, '\n')) {
    const auto words = words_of_line(line);
    if (words && words->empty()) continue;
    if (auto done = append("--hostfile " + texts.hostfile + ":", line); !done) return done;
  }
  return {};
}

// "DIR:nocopy" of Open MPI's options.
std::string without_modifiers(const std::string& text, bool* copy) {
  const std::vector<std::string> parts = split(text, ':');
  for (std::size_t i = 1; i < parts.size(); ++i) {
    for (const std::string& word : split(parts[i], ',')) *copy = *copy && word != "nocopy";
  }
  return parts[0];
}

void to_directory(const std::string& directory, OutputStyle* output) {
  output->out_file = directory + "/rank.%r/stdout";
  output->err_file = directory + "/rank.%r/stderr";
}

Expected<> convert_output(const OptionTexts& texts, OutputStyle* output) {
  bool copy = true;
  bool to_files = false;
  for (const std::string& word :
       texts.output.empty() ? std::vector<std::string>{} : split(texts.output, ',')) {
    const std::string value = word.substr(std::min(word.size(), word.find('=') + 1));
    if (word == "tag" || word == "rank") {
      output->tag = true;
    } else if (word == "timestamp") {
      output->timestamp = true;
    } else if (word == "merge" || word == "merge-stderr-to-stdout") {
      output->merge = true;
    } else if (word == "nocopy") {
      copy = false;
    } else if ((word.starts_with("dir=") || word.starts_with("directory=")) && !value.empty()) {
      to_directory(without_modifiers(value, &copy), output);
      to_files = true;
    } else if ((word.starts_with("file=") || word.starts_with("filename=")) && !value.empty()) {
      const std::string name = without_modifiers(value, &copy);
      output->out_file = name + ".%r.out";
      output->err_file = name + ".%r.err";
      to_files = true;
    } else {
      return fail(MPI_ERR_ARG,
                  "--output {}: '{}' is not known; choose from tag, timestamp, merge, dir=DIR, "
                  "file=NAME, nocopy",
                  texts.output, word);
    }
  }
  if (!texts.output_filename.empty()) {
    to_directory(without_modifiers(texts.output_filename, &copy), output);
    to_files = true;
  }
  output->copy = to_files && copy;
  return {};
}

Expected<> convert_input(const std::string& text, InputTo* input) {
  if (text.empty()) return {};
  if (text == "all") {
    input->rank = InputTo::kAll;
  } else if (text == "none") {
    input->rank = InputTo::kNone;
  } else {
    input->rank = whole_number(text).value_or(-1);
    if (input->rank < 0) {
      return fail(MPI_ERR_ARG, "--stdin {}: write the number of a rank, all, or none", text);
    }
  }
  return {};
}

}  // namespace

Expected<std::string> read_text_file(const std::string& path) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
  if (file == nullptr) return fail_errno(MPI_ERR_ARG, errno, path);
  std::string text;
  std::string piece(1 << 16, '\0');
  std::size_t count = 0;
  while ((count = std::fread(piece.data(), 1, piece.size(), file.get())) > 0) {
    text.append(piece, 0, count);
  }
  if (std::ferror(file.get()) != 0) return fail_errno(MPI_ERR_ARG, errno, path);
  return text;
}

Expected<> convert_texts(const OptionTexts& texts, Options* options, AppSpec* app) {
  if (auto done = convert_environment(texts, options, app); !done) return done;
  if (auto done = convert_places(texts, options); !done) return done;
  if (auto done = convert_hosts(texts, read_text_file, options); !done) return done;
  // Parts of a command line are read one by one: only what this one says may change something.
  if (!texts.output.empty() || !texts.output_filename.empty()) {
    if (auto done = convert_output(texts, &options->output); !done) return done;
  }
  return convert_input(texts.input, &options->input);
}

int Options::total_ranks() const {
  return std::accumulate(apps.begin(), apps.end(), 0,
                         [](int sum, const AppSpec& app) { return sum + app.ranks; });
}

Expected<> apply_params(const Params& params, Options* options) {
  Placement& placement = options->placement;
  const std::string& map_by = params.text(map_by_param);
  const auto complain = [](const ParamDecl& decl, const std::string& value, const Error& error) {
    return fail(error.code, "parameter {}={} ({}): {}", decl.name, value, environment_name(decl),
                error.message);
  };
  if (!placement.map_by && !map_by.empty()) {
    if (auto done = read_map_by(map_by, &placement); !done) {
      return complain(map_by_param, map_by, done.error());
    }
  }
  const std::string& bind_to = params.text(bind_to_param);
  if (!placement.bind_to && !bind_to.empty()) {
    if (auto done = read_bind_to(bind_to, &placement); !done) {
      return complain(bind_to_param, bind_to, done.error());
    }
  }
  options->output.tag = options->output.tag || params.flag(tag_output_param);
  const std::int64_t timeout = params.integer(job_timeout_param);
  if (!options->timeout_s && timeout > 0) options->timeout_s = static_cast<double>(timeout);
  if (!options->grace_s && params.is_set(job_grace_param)) {
    options->grace_s = static_cast<double>(params.integer(job_grace_param)) / 1000;
  }
  return {};
}

Expected<> complete_counts(int objects, Options* options) {
  int implied = options->ranks_per_host;
  if (implied == 0 && options->placement.per_object > 0) {
    implied = options->placement.per_object * objects;
  }
  if (implied == 0) {
    for (const HostSpec& host : options->hosts) implied += host.slots;
  }
  for (AppSpec& app : options->apps) {
    if (!app.counted && implied > 0 && options->apps.size() == 1) app.ranks = implied;
  }
  const int last = options->total_ranks() - 1;
  if (options->input.rank > last) {
    return fail(MPI_ERR_ARG, "--stdin {}: there is no such rank; the last one is {}",
                options->input.rank, last);
  }
  return {};
}

std::string output_file(const std::string& pattern, int rank, const std::string& host) {
  std::string name;
  bool has_rank = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char next = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[++i] : '\0';
    if (next == '\0') {
      name += pattern[i];
    } else if (next == 'r') {
      name += std::to_string(rank);
      has_rank = true;
    } else if (next == 'h') {
      name += host;
    } else if (next == '%') {
      name += '%';
    } else {
      name += std::string("%") + next;
    }
  }
  return has_rank ? name : fmt::format("{}.{}", name, rank);
}

}  // namespace remit::launcher
