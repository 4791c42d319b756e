// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The files that ranks' output goes to.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "launcher/plan/job.hpp"
#include "launcher/streams/io_forward.hpp"

namespace remit::launcher {

/// Each file once, whoever writes to it, and one sink for all of them, which closes them. Used from
/// the io_context's thread.
class OutputFiles {
 public:
  explicit OutputFiles(std::unique_ptr<OutputSink> sink) : sink_(std::move(sink)) {}

  /// The descriptor of a file, which is made empty at its first use, and its folders with it.
  [[nodiscard]] tl::expected<int, LaunchError> open(const std::string& path);
  /// Empty: the descriptor is none of theirs.
  [[nodiscard]] std::string path_of(int fd) const;

  /// What is written to the files goes through this.
  [[nodiscard]] OutputSink& sink() { return *sink_; }

 private:
  std::unique_ptr<OutputSink> sink_;
  std::map<std::string, int> descriptors_;
};

}  // namespace remit::launcher
