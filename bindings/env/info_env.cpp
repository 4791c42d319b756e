// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How this process was started, as info: MPI_INFO_ENV and MPI_Info_create_env (MPI-5.0, chapter 10
// and section 11.2.1). A key whose value is not known is not set.
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bindings/env/errors.hpp"
#include "bindings/env/info_objects.hpp"
#include "bindings/process/instance.hpp"
#include "bindings/process/thread_levels.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

/// The words that this process was started with.
std::vector<std::string> own_words() {
  // Without a stream: the first one of a process makes all of its locale, 40,000 instructions.
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen("/proc/self/cmdline", "re"),
                                                   std::fclose);
  std::string text;
  std::array<char, 4096> piece;
  while (file != nullptr) {
    const std::size_t got = std::fread(piece.data(), 1, piece.size(), file.get());
    if (got == 0) break;
    text.append(piece.data(), got);
  }
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size(); at += words.back().size() + 1) {
    words.emplace_back(text.c_str() + at);
  }
  return words;
}

std::string joined_arguments(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 1; i < words.size(); ++i) text.append(i > 1 ? " " : "").append(words[i]);
  return text;
}

std::string working_folder() {
  const std::unique_ptr<char, void (*)(void*)> path(::getcwd(nullptr, 0), std::free);
  return path == nullptr ? "" : path.get();
}

void set_key(InfoObject& info, const char* key, std::string value) {
  if (value.empty()) return;
  value.resize(std::min<std::size_t>(value.size(), MPI_MAX_INFO_VAL - 1));
  info.entries.emplace_back(key, std::move(value));
}

/// The same at any time: what is learnt in MPI_Init only is not part of it.
void fill(InfoObject& info, const std::vector<std::string>& words) {
  if (!words.empty()) set_key(info, "command", words.front());
  set_key(info, "argv", joined_arguments(words));
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0) set_key(info, "host", host.data());
  utsname system{};
  if (::uname(&system) == 0) set_key(info, "arch", system.machine);
  set_key(info, "wdir", working_folder());
}

}  // namespace

void make_info_env(const Instance& instance) {
  auto made = std::make_unique<InfoObject>();
  fill(*made, own_words());
  set_key(*made, "maxprocs", std::to_string(instance.process->size()));
  set_key(*made, "thread_level", thread_level_name(instance.thread_level));
  library().info_env = made.release();
}

InfoObject* info_of(MPI_Info handle) {
  if (handle == MPI_INFO_ENV) return library().info_env;
  return object_of<InfoObject>(handle, ObjectKind::info);
}

}  // namespace remit

using namespace remit;

int PMPI_Info_create_env(int argc, char* argv[], MPI_Info* info) try {
  const AnyTimeCall call("MPI_Info_create_env");
  if (int err = call.not_null(info, "info")) return err;
  if (argc < 0) return call.fail(MPI_ERR_ARG, "argc is {}; it must not be negative", argc);
  std::vector<std::string> words;
  for (int i = 0; argv != nullptr && i < argc && argv[i] != nullptr; ++i)
    words.emplace_back(argv[i]);
  if (words.empty()) words = own_words();
  auto made = std::make_unique<InfoObject>();
  fill(*made, words);
  *info = handle_of(made.release());
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Info_create_env");
}
REMIT_WEAK(Info_create_env);
