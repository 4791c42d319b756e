// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Opening files of ranks.
#include "launcher/streams/output_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace remit::launcher {

tl::expected<int, LaunchError> OutputFiles::open(const std::string& path) {
  if (const auto found = descriptors_.find(path); found != descriptors_.end()) {
    return found->second;
  }
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) {
    return tl::unexpected(
        LaunchError{1, fmt::format("cannot write the output file {}: {}", path,
                                   error ? error.message() : std::strerror(errno))});
  }
  descriptors_[path] = fd;
  sink_->own(fd);
  return fd;
}

std::string OutputFiles::path_of(int fd) const {
  for (const auto& [path, descriptor] : descriptors_) {
    if (descriptor == fd) return path;
  }
  return {};
}

}  // namespace remit::launcher
