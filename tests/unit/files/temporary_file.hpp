// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A file for one test.
#pragma once

#include <fcntl.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <ios>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "files/storage/file_calls.hpp"
#include "files/storage/storage.hpp"

namespace remit::testing {

/// The name of a file that is removed with it. It need not be there.
class TemporaryFile {
 public:
  TemporaryFile() {
    const char* folder = std::getenv("TMPDIR");
    path_ = fmt::format("{}/remit-files-XXXXXX", folder != nullptr ? folder : "/tmp");
    const int fd = ::mkstemp(path_.data());
    EXPECT_GE(fd, 0) << path_;
    ::close(fd);
  }
  explicit TemporaryFile(const std::vector<std::byte>& bytes) : TemporaryFile() { fill(bytes); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { ::unlink(path_.c_str()); }

  [[nodiscard]] const std::string& path() const { return path_; }

  /// What it has, by other means than those under test.
  [[nodiscard]] std::vector<std::byte> bytes() const {
    std::ifstream in(path_, std::ios::binary | std::ios::ate);
    std::vector<std::byte> all(static_cast<std::size_t>(in.tellg()));
    in.seekg(0);
    in.read(reinterpret_cast<char*>(all.data()), static_cast<std::streamsize>(all.size()));
    return all;
  }
  void fill(const std::vector<std::byte>& bytes) const {
    std::ofstream out(path_, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::string path_;
};

inline std::vector<std::byte> random_bytes_of(std::mt19937_64& random, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

/// Open for the calls; a failure is the test's.
inline std::unique_ptr<Storage> opened(FileCalls& calls, const TemporaryFile& file,
                                       Storage::Limits limits = {}, int flags = O_RDWR) {
  auto storage = Storage::open(calls, file.path(), flags, 0, limits);
  EXPECT_TRUE(storage.has_value()) << storage.error().message;
  return storage ? std::move(*storage) : nullptr;
}

}  // namespace remit::testing
