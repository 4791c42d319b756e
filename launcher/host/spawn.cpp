// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// fork and exec with errors that reach the parent.
#include "launcher/host/spawn.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "launcher/cli/words.hpp"

namespace remit::launcher {
namespace {

struct Failure {
  SpawnStage stage;
  int error;
};

bool is_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string join_path(const std::string& directory, const std::string& name) {
  if (name.starts_with('/')) return name;
  return (directory.empty() ? "." : directory) + "/" + name;
}

LaunchError not_executable(const std::string& path) {
  return {126, fmt::format("{} is not executable: {}", path, std::strerror(errno))};
}

// Runs in the child between fork and exec: only system calls, no allocation beyond the stack.
Failure become(const ChildSpec& spec, char* const* argv, char* const* env, const cpu_set_t* cpus,
               std::size_t cpu_bytes) {
  for (int i = 0; i < 3; ++i) {
    if (::dup2(spec.fds[static_cast<std::size_t>(i)], i) < 0) return {SpawnStage::fds, errno};
  }
  if (::chdir(spec.wdir.c_str()) != 0) return {SpawnStage::chdir, errno};
  if (cpus != nullptr && ::sched_setaffinity(0, cpu_bytes, cpus) != 0) {
    return {SpawnStage::bind, errno};
  }
  if (spec.open_files) ::setrlimit(RLIMIT_NOFILE, &*spec.open_files);
  for (int signal = 1; signal < NSIG; ++signal) {
    if (signal != SIGKILL && signal != SIGSTOP) std::signal(signal, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(spec.program.c_str(), argv, env);
  return {SpawnStage::exec, errno};
}

}  // namespace

tl::expected<std::string, LaunchError> find_program(const std::string& name,
                                                    const std::string& wdir,
                                                    const std::string& path) {
  if (name.find('/') != std::string::npos) {
    const std::string file = join_path(wdir, name);
    if (::access(file.c_str(), F_OK) != 0) {
      return tl::unexpected(LaunchError{
          127, fmt::format("program '{}' not found: {}: {}", name, file, std::strerror(errno))});
    }
    errno = EISDIR;
    if (!is_file(file)) return tl::unexpected(not_executable(file));
    if (::access(file.c_str(), X_OK) != 0) return tl::unexpected(not_executable(file));
    return file;
  }
  std::string unusable;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const std::string directory = path.substr(at, end - at);
    const std::string file = join_path(join_path(wdir, directory), name);
    if (is_file(file)) {
      if (::access(file.c_str(), X_OK) == 0) return file;
      if (unusable.empty()) unusable = file;
    }
    at = end + 1;
  }
  if (!unusable.empty()) {
    errno = EACCES;
    return tl::unexpected(not_executable(unusable));
  }
  const bool is_here = is_file(join_path(wdir, name));
  return tl::unexpected(LaunchError{
      127, fmt::format("program '{}' not found in PATH ({}){}", name, path,
                       is_here ? fmt::format("; it is in {}: write ./{}", wdir, name) : "")});
}

SpawnResult spawn_child(const ChildSpec& spec) {
  std::vector<std::string> shell_argv{"/bin/sh", spec.program};
  if (!spec.argv.empty()) {
    shell_argv.insert(shell_argv.end(), spec.argv.begin() + 1, spec.argv.end());
  }
  const std::vector<char*> argv = pointers_to(spec.argv);
  const std::vector<char*> argv_of_shell = pointers_to(shell_argv);
  const std::vector<char*> env = pointers_to(spec.env);
  const std::size_t highest =
      spec.cpus.empty() ? 0 : static_cast<std::size_t>(std::ranges::max(spec.cpus));
  const std::size_t cpu_bytes = CPU_ALLOC_SIZE(highest + 1);
  cpu_set_t* cpus = spec.cpus.empty() ? nullptr : CPU_ALLOC(highest + 1);
  if (cpus != nullptr) {
    CPU_ZERO_S(cpu_bytes, cpus);
    for (const int cpu : spec.cpus) CPU_SET_S(static_cast<std::size_t>(cpu), cpu_bytes, cpus);
  }
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) return {-1, SpawnStage::fork, errno};
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(126);  // it died before the line above
    Failure failure = become(spec, argv.data(), env.data(), cpus, cpu_bytes);
    if (failure.stage == SpawnStage::exec && failure.error == ENOEXEC) {
      // A script without "#!": shells run it themselves.
      ::execve("/bin/sh", argv_of_shell.data(), env.data());
    }
    const ssize_t written = ::write(report[1], &failure, sizeof failure);
    ::_exit(written == sizeof failure ? 126 : 125);
  }
  const int fork_error = errno;
  ::close(report[1]);
  CPU_FREE(cpus);
  SpawnResult result{pid, SpawnStage::none, 0};
  if (pid < 0) {
    result = {-1, SpawnStage::fork, fork_error};
  } else {
    ::setpgid(pid, pid);  // both sides, so that it holds whoever runs first
    Failure failure{};
    ssize_t got = 0;
    do {
      got = ::read(report[0], &failure, sizeof failure);
    } while (got < 0 && errno == EINTR);
    if (got == sizeof failure) {
      ::waitpid(pid, nullptr, 0);
      result = {-1, failure.stage, failure.error};
    }
  }
  ::close(report[0]);
  return result;
}

LaunchError describe_spawn_failure(const SpawnResult& result, const std::string& program,
                                   const std::string& wdir) {
  const char* reason = std::strerror(result.error);
  switch (result.stage) {
    case SpawnStage::chdir:
      return {126, fmt::format("cannot change to directory {}: {}", wdir, reason)};
    case SpawnStage::bind:
      return {126, fmt::format("cannot bind {} to its processors: {}", program, reason)};
    case SpawnStage::exec:
      // The file was found before: what is missing is the interpreter or the loader it names.
      if (result.error == ENOENT) {
        return {127,
                fmt::format("cannot execute {}: the interpreter it names does not exist", program)};
      }
      return {126, fmt::format("cannot execute {}: {}", program, reason)};
    default:
      return {126,
              fmt::format(
                  "cannot start a process for {}: {}{}", program, reason,
                  result.error == EAGAIN ? "; raise the limit of processes ('ulimit -u')" : "")};
  }
}

}  // namespace remit::launcher
