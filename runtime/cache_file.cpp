// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Files that keep what was measured on this host for later jobs.
#include "runtime/cache_file.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>

namespace remit {

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
  return fmt::format("{} processors, {} {} {}", ::sysconf(_SC_NPROCESSORS_CONF),
                     static_cast<const char*>(name.sysname), static_cast<const char*>(name.release),
                     static_cast<const char*>(name.machine));
}

}  // namespace remit
