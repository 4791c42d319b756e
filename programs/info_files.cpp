// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// info_files.cpp: asks the kernel what a file is on.
#include "programs/info_files.hpp"

#include <fcntl.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "files/staged/file_staging.hpp"
#include "files/storage/storage.hpp"
#include "files/storage/transferred.hpp"

namespace remit {

namespace {

/// Without waiting for the other end of a pipe.
constexpr int kLook = O_RDONLY | O_NONBLOCK;

class OpenedToLook {
 public:
  OpenedToLook(FileCalls& calls, const std::string& path, int flags)
      : calls_(calls), fd_(calls.open(path.c_str(), flags, 0)) {}
  ~OpenedToLook() {
    if (fd_ >= 0) static_cast<void>(calls_.close(fd_));
  }
  OpenedToLook(const OpenedToLook&) = delete;
  OpenedToLook& operator=(const OpenedToLook&) = delete;
  /// Below 0: the errno, negated.
  [[nodiscard]] int get() const { return fd_; }

 private:
  FileCalls& calls_;
  int fd_;
};

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Expected<HintList> hints_of(const std::vector<std::string>& settings) {
  HintList hints;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(MPI_ERR_ARG, "--hint {}: write key=value", setting);
    hints.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return hints;
}

}  // namespace

CLI::Option* add_file_options(CLI::App& app, FileQuestion& question) {
  CLI::Option* const file = app.add_option(
      "--file", question.name,
      "what Remit would do with this file, which need not be there, and why: its file system, "
      "owners and slices of collective accesses, locks, hints");
  file->type_name("NAME");
  app.add_option("--hint", question.hints,
                 "with --file: as if the program gave this hint: key=value (repeatable)")
      ->allow_extra_args(false)
      ->needs(file);
  return file;
}

Expected<FileFacts> ask_file(FileCalls& calls, const FileQuestion& question,
                             const char* romio_hints) {
  FileFacts facts;
  const PrefixedName name = split_prefix(question.name);
  facts.name = question.name;
  facts.prefix = name.prefix;
  facts.asked = name.path;
  const OpenedToLook file(calls, facts.asked, kLook);
  struct stat what = {};
  facts.is_there = file.get() >= 0 && calls.fstat(file.get(), what) == 0 && !S_ISDIR(what.st_mode);
  if (file.get() >= 0) {
    facts.traits = traits_of_open(calls, file.get());
  } else {
    // One that may not be read is on the file system of its folder, too, or nearly always.
    facts.asked = folder_of(facts.asked);
    const OpenedToLook folder(calls, facts.asked, kLook | O_DIRECTORY);
    if (folder.get() < 0)
      return tl::unexpected(error_of_call(-folder.get(), facts.asked, "look at the folder"));
    facts.traits = traits_of_open(calls, folder.get());
  }
  const auto hints = hints_of(question.hints);
  if (!hints) return tl::unexpected(hints.error());
  const auto of_file = read_hint_file(calls, romio_hints);
  if (!of_file) facts.hint_problem = "hints of a file are missing: " + of_file.error().message;
  if (of_file) facts.hints.take(*of_file, HintMoment::open);
  facts.hints.take(*hints, HintMoment::open);
  const int wished = facts.hints.values().owners;
  const int owners = staging_sizes(facts.hints.values(), facts.traits, 1).owners;
  if (wished > owners)
    facts.hints.decide("cb_nodes", std::to_string(owners), "64 of a host at most");
  return facts;
}

}  // namespace remit
