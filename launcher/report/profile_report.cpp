// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "launcher/report/profile_report.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>

#include "launcher/plan/job.hpp"
#include "launcher/report/loader_check.hpp"
#include "launcher/report/profile_records.hpp"

namespace remit::launcher {
namespace {

constexpr const char* kLibrary = "libremit_profile.so";
constexpr const char* kReportPage = "remit-profile.html";

// What the user has asked with, for messages.
std::string option_of(const Options& options) {
  if (!options.profile_dir.empty()) return "--profile-dir " + options.profile_dir;
  return options.trace ? "--trace" : "--profile";
}

// Those of an earlier job must not be taken for this one's. All else in the folder is the user's.
Expected<> empty_folder(const std::filesystem::path& folder, const std::string& option) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (std::filesystem::directory_iterator each(folder, error), end; !error && each != end;
       each.increment(error)) {
    if (is_profile_file(each->path())) std::filesystem::remove(each->path(), error);
  }
  if (!error) return {};
  return fail(MPI_ERR_ARG, "{}: {}: {}", option, folder.string(), error.message());
}

std::string own_program(const char* name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / name).string();
}

// mpirun blocks signals that end it; the report is a program as any other.
int spawn_program(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (::posix_spawn_file_actions_init(&actions) != 0) return -1;
  ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, argv[0], &actions, &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? pid : -1;
}

}  // namespace

Expected<ProfilePlan> plan_profile(const Options& options, const std::string& directory) {
  ProfilePlan plan;
  if (!options.profile && !options.trace && options.profile_dir.empty()) return plan;
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (!options.profile_dir.empty()) {
    plan.folder = (here / options.profile_dir).lexically_normal().string();
    plan.output = options.profile_dir;
  } else {
    plan.folder = directory + "/profile";
    plan.page = kReportPage;
  }
  if (Expected<> ready = empty_folder(plan.folder, option_of(options)); !ready) {
    return tl::unexpected(ready.error());
  }
  return plan;
}

Expected<> add_profile_env(const Options& options, std::vector<std::string>* env) {
  const std::string& folder = options.record_dir;
  if (folder.empty()) return {};
  if (!preload_library(kLibrary, env)) {
    return fail(MPI_ERR_ARG,
                "{} needs {}, which is neither beside mpirun nor in " REMIT_LIBDIR ": install it",
                option_of(options), kLibrary);
  }
  set_env(env, "REMIT_PROFILE", folder);
  if (options.profile_stack) set_env(env, "REMIT_PROFILE_STACK", "1");
  if (options.trace) set_env(env, "REMIT_TRACE", folder);
  return {};
}

void write_profile(const ProfilePlan& plan) {
  if (plan.folder.empty()) return;
  const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  const std::string program = own_program("remit_profile");
  const bool all = !plan.output.empty();
  const pid_t pid =
      spawn_program({program, "--brief", "--ended", std::to_string(now.count()),
                     all ? "--output" : "--page", all ? plan.output : plan.page, plan.folder});
  int status = 0;
  if (pid < 0) {
    fmt::print(stderr, "mpirun: there is no profile, for {} cannot be started\n", program);
    return;
  }
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
}

}  // namespace remit::launcher
