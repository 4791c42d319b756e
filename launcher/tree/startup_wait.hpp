// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How mpirun waits for its daemons before there is a controller.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <string>
#include <tl/expected.hpp>

#include "launcher/plan/job.hpp"

namespace remit::launcher {

/// Runs the io_context until something has come true. Signals and failures end the wait, and every
/// later one.
class StartupWait {
 public:
  explicit StartupWait(asio::io_context& io) : io_(io) {}

  /// The error is fail()'s; its status is 128+N after signal N.
  [[nodiscard]] tl::expected<void, LaunchError> until(const std::function<bool()>& condition);
  /// Something went wrong; the first counts.
  void fail(const std::string& why) {
    if (error_.empty()) error_ = why;
  }
  /// Empty: nothing has.
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  asio::io_context& io_;
  std::string error_;
  int signal_ = 0;
};

}  // namespace remit::launcher
