// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Environment settings, hosts, output and input in the words of Open MPI and of MPICH.
#include "launcher/cli/option_values.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <memory>
#include <numeric>

#include "launcher/cli/words.hpp"
#include "runtime/launch_params.hpp"

namespace remit::launcher {
namespace {

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

Expected<> convert_hosts(const OptionTexts& texts, const FileReader& read, Options* options,
                         AppSpec* app) {
  if (!texts.hosts.empty()) {
    Expected<std::vector<HostWord>> words = read_host_words(texts.hosts);
    if (!words) return tl::unexpected(words.error());
    app->hosts = std::move(*words);
  }
  if (!texts.agent.empty()) {
    options->params.emplace_back(launch_agent_param.name, texts.agent);
  }
  if (!texts.hostfile.empty()) {
    const Expected<std::string> file = read(texts.hostfile);
    if (!file) return fail(MPI_ERR_ARG, "--hostfile {}", file.error().message);
    Expected<std::vector<HostSpec>> hosts = read_hostfile(texts.hostfile, *file);
    if (!hosts) return tl::unexpected(hosts.error());
    join_hosts(*hosts, &options->hostfile);
  }
  if (!texts.rankfile.empty()) {
    const Expected<std::string> file = read(texts.rankfile);
    if (!file) return fail(MPI_ERR_ARG, "--rankfile {}", file.error().message);
    Expected<Rankfile> ranks = read_rankfile(texts.rankfile, *file);
    if (!ranks) return tl::unexpected(ranks.error());
    options->rankfile = std::move(*ranks);
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
  if (auto done = convert_hosts(texts, read_text_file, options, app); !done) return done;
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
  options->profile_stack = options->profile_stack || params.flag(profile_stack_param);
  const std::string& trace_dir = params.text(trace_param);
  options->trace = options->trace || !trace_dir.empty();
  if (options->profile_dir.empty()) options->profile_dir = params.text(profile_param);
  if (options->profile_dir.empty()) options->profile_dir = trace_dir;
  const std::string& agent = params.text(launch_agent_param);
  if (options->agent.empty()) {
    Expected<std::vector<std::string>> words = words_of_line(agent);
    if (!words) return complain(launch_agent_param, agent, words.error());
    options->agent = std::move(*words);
  }
  options->tree_width = static_cast<int>(params.integer(launch_width_param));
  options->host_timeout_s = static_cast<double>(params.integer(host_timeout_param));
  const std::int64_t timeout = params.integer(job_timeout_param);
  if (!options->timeout_s && timeout > 0) options->timeout_s = static_cast<double>(timeout);
  if (!options->grace_s && params.is_set(job_grace_param)) {
    options->grace_s = static_cast<double>(params.integer(job_grace_param)) / 1000;
  }
  return {};
}

namespace {

// The index of a host in the job's list, where it is added if need be.
int index_of(const HostSpec& host, std::vector<HostSpec>* hosts) {
  join_hosts(std::span(&host, 1), hosts);
  return static_cast<int>(std::ranges::find(*hosts, host.name, &HostSpec::name) - hosts->begin());
}

Expected<> find_rank_hosts(const Options& options, const OwnNames& own, JobRoom* room) {
  for (const RankLine& line : options.rankfile->ranks) {
    HostWord word = line.host;
    word.host.slots = HostSpec::kAllCores;  // the file says who runs there
    auto host = resolve_hosts(std::span(&word, 1), options.hostfile, own);
    if (!host) {
      return fail(MPI_ERR_ARG, "--rankfile {} line {}: {}", options.rankfile->path, line.line,
                  host.error().message);
    }
    if (options.no_local && host->front().name == own.name) {
      return fail(MPI_ERR_ARG, "--rankfile {} line {}: {} is this host, which --nolocal leaves out",
                  options.rankfile->path, line.line, own.name);
    }
    room->rank_hosts.push_back(index_of(host->front(), &room->hosts));
  }
  // --host allows some of these hosts; make_job() knows which ranks are of which program.
  for (const AppSpec& app : options.apps) {
    std::vector<int>& indices = room->app_hosts.emplace_back();
    if (app.hosts.empty()) continue;
    const auto allowed = resolve_hosts(app.hosts, options.hostfile, own);
    if (!allowed) return tl::unexpected(allowed.error());
    for (const HostSpec& host : *allowed) {
      const auto found = std::ranges::find(room->hosts, host.name, &HostSpec::name);
      if (found != room->hosts.end()) {
        indices.push_back(static_cast<int>(found - room->hosts.begin()));
      }
    }
  }
  return {};
}

}  // namespace

Expected<JobRoom> find_room(const Options& options, const OwnNames& own) {
  JobRoom room;
  if (options.rankfile) {
    if (auto done = find_rank_hosts(options, own, &room); !done) {
      return tl::unexpected(done.error());
    }
    return room;
  }
  std::vector<std::vector<HostSpec>> chosen;
  for (const AppSpec& app : options.apps) {
    auto hosts = resolve_hosts(app.hosts, options.hostfile, own);
    if (!hosts) return tl::unexpected(hosts.error());
    if (options.no_local) std::erase_if(*hosts, [&](auto& host) { return host.name == own.name; });
    join_hosts(*hosts, &room.hosts);
    chosen.push_back(std::move(*hosts));
  }
  if (room.hosts.empty()) {
    if (options.no_local) return fail(MPI_ERR_ARG, "--nolocal: there is no other host");
    room.hosts.push_back({own.name, 1, false, 0});
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    // A program without hosts of its own may use all.
    const bool any = options.apps[i].hosts.empty();
    std::vector<int>& indices = room.app_hosts.emplace_back();
    room.app_specs.push_back(any ? room.hosts : chosen[i]);
    for (const HostSpec& host : room.app_specs.back()) {
      indices.push_back(static_cast<int>(std::ranges::find(room.hosts, host.name, &HostSpec::name) -
                                         room.hosts.begin()));
    }
    if (indices.empty()) return fail(MPI_ERR_ARG, "--nolocal: there is no other host");
  }
  return room;
}

Expected<> complete_counts(const JobRoom& room, std::span<const HostRoom> hosts, Options* options) {
  const bool only = options->apps.size() == 1;
  for (std::size_t i = 0; i < options->apps.size(); ++i) {
    AppSpec& app = options->apps[i];
    if (app.counted) continue;
    if (options->rankfile && only) app.ranks = static_cast<int>(options->rankfile->ranks.size());
    if (options->rankfile || (!only && app.hosts.empty())) continue;
    std::vector<HostRoom> own;
    for (std::size_t at = 0; at < room.app_hosts[i].size(); ++at) {
      const HostRoom& host = hosts[static_cast<std::size_t>(room.app_hosts[i][at])];
      own.push_back({room.app_specs[i][at], host.processors, host.node});
    }
    app.ranks = implied_ranks(own, options->placement, options->ranks_per_host);
  }
  const int total = options->total_ranks();
  if (options->rankfile && total > static_cast<int>(options->rankfile->ranks.size())) {
    return fail(MPI_ERR_ARG, "--rankfile {} has {} ranks, and {} are to be started",
                options->rankfile->path, options->rankfile->ranks.size(), total);
  }
  if (options->input.rank >= total) {
    return fail(MPI_ERR_ARG, "--stdin {}: there is no such rank; the last one is {}",
                options->input.rank, total - 1);
  }
  return {};
}

namespace {

// %r in `pattern` becomes the rank, %h the host, %% a percent sign. `has_rank`: there is a %r.
std::string expand(const std::string& pattern, const std::string& rank, const std::string& host,
                   bool* has_rank) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char next = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[++i] : '\0';
    if (next == '\0') {
      text += pattern[i];
    } else if (next == 'r') {
      text += rank;
      *has_rank = true;
    } else if (next == 'h') {
      text += host;
    } else if (next == '%') {
      text += '%';
    } else {
      text += std::string("%") + next;
    }
  }
  return text;
}

}  // namespace

std::string output_file(const std::string& pattern, const std::string& rank,
                        const std::string& host) {
  bool has_rank = false;
  const std::string name = expand(pattern, rank, host, &has_rank);
  return has_rank ? name : fmt::format("{}.{}", name, rank);
}

std::string line_prefix(const OutputStyle& style, const std::string& rank,
                        const std::string& host) {
  bool has_rank = false;
  const char* usual = style.tag ? "[%r] " : "";
  return expand(style.prefix.empty() ? usual : style.prefix, rank, host, &has_rank);
}

}  // namespace remit::launcher
