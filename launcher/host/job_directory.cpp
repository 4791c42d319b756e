// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A directory is in use while somebody holds a lock on it. A symbolic link inside says on which
// kernel.
#include "launcher/host/job_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <system_error>

namespace remit::launcher {
namespace {

constexpr std::time_t kYoung = 60;  // seconds

// What the names of all directories begin with that are made while this kernel runs.
std::string prefix() {
  constexpr std::size_t kDigits = 8;
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return fmt::format("remit.{}.", boot.substr(0, kDigits));
}

bool is_old_and_mine(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
         found.st_uid == ::geteuid() && std::time(nullptr) - found.st_mtime > kYoung;
}

int open_directory(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

}  // namespace

std::string new_directory_name(const std::string& parent) {
  std::random_device random;
  return fmt::format("{}/{}{:08x}{:08x}", parent, prefix(), random(), random());
}

int make_job_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0) return errno;
  const int lock = open_directory(path);
  if (lock < 0) {
    const int error = errno;
    ::rmdir(path.c_str());
    return error;
  }
  // Where that is not possible nobody else can have the lock, and the directory stays until it is
  // removed.
  (void)::flock(lock, LOCK_EX | LOCK_NB);
  return 0;
}

void remove_abandoned_directories(const std::string& parent) {
  const std::string begin = prefix();
  std::error_code error;
  for (std::filesystem::directory_iterator each(parent, error), end; !error && each != end;
       each.increment(error)) {
    const std::string path = each->path().string();
    if (!each->path().filename().string().starts_with(begin) || !is_old_and_mine(path)) continue;
    const int lock = open_directory(path);
    if (lock < 0) continue;
    std::error_code ignored;
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0) std::filesystem::remove_all(path, ignored);
    ::close(lock);
  }
}

}  // namespace remit::launcher
