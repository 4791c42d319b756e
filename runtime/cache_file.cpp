// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Files that keep what was measured on this host for later jobs.
#include "runtime/cache_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace remit {

namespace {

// Who made the processor, and its family, model and stepping as CPUID tells them
// ("AuthenticAMD a00f11"): a name for what was measured, from which nothing is concluded.
std::string processor_signature() {
#ifdef __x86_64__
  unsigned a = 0, b = 0, c = 0, d = 0;
  __cpuid(0, a, b, c, d);
  std::array<char, 13> vendor = {};
  std::memcpy(vendor.data(), &b, sizeof b);
  std::memcpy(vendor.data() + 4, &d, sizeof d);
  std::memcpy(vendor.data() + 8, &c, sizeof c);
  __cpuid(1, a, b, c, d);
  return fmt::format("{} {:x}", vendor.data(), a);
#else
  return "unknown";
#endif
}

}  // namespace

std::string cache_file(const std::string& path, std::string_view name) {
  if (path == "none") return {};
  if (path != "auto") return path;
  const auto variable = [](const char* key) -> std::string {
    const char* const value = std::getenv(key);
    return value != nullptr && value[0] == '/' ? value : "";
  };
  std::string folder = variable("XDG_CACHE_HOME");
  if (folder.empty()) {
    const std::string home = variable("HOME");
    if (home.empty()) return {};
    folder = home + "/.cache";
  }
  utsname host = {};
  if (::uname(&host) != 0) return {};
  return fmt::format("{}/remit/{}-{}", folder, name, static_cast<const char*>(host.nodename));
}

std::string measured_host() {
  utsname name = {};
  if (::uname(&name) != 0) return "unknown";
  return fmt::format("{} processors {}, {} {} {}, glibc {}", ::sysconf(_SC_NPROCESSORS_CONF),
                     processor_signature(), static_cast<const char*>(name.sysname),
                     static_cast<const char*>(name.release), static_cast<const char*>(name.machine),
                     ::gnu_get_libc_version());
}

std::string read_cache_file(const std::string& path) {
  constexpr std::size_t kLongest = 4096;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return {};
  std::string text(kLongest, '\0');
  struct stat file = {};
  const bool regular = ::fstat(fd, &file) == 0 && S_ISREG(file.st_mode);
  const ssize_t got = regular ? ::read(fd, text.data(), text.size()) : 0;
  ::close(fd);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

Expected<> replace_cache_file(const std::string& path, const std::string& text) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) return fail_errno(MPI_ERR_OTHER, error.value(), "making the folder of " + path);
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return fail_errno(MPI_ERR_OTHER, errno, "writing " + path);
  const ssize_t written = ::write(fd, text.data(), text.size());
  const int failed = written == static_cast<ssize_t>(text.size()) ? 0 : errno;
  ::close(fd);
  if (failed != 0 || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const int number = failed != 0 ? failed : errno;
    ::unlink(temporary.c_str());
    return fail_errno(MPI_ERR_OTHER, number, "writing " + path);
  }
  return {};
}

}  // namespace remit
