// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The main thread's ear for trouble that another thread, or an allocation, has met with.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <string>

namespace remit::launcher {

/// Looks after trouble() in the io_context's thread, from start() on.
class TroubleWatch {
 public:
  /// `survived` hears of a shortage of memory that was survived: the job had better be ended in
  /// good order, for the next one may not be. Fatal trouble is thrown as Breakdown.
  TroubleWatch(asio::io_context& io, std::function<void(const std::string& words)> survived);

  void start();

 private:
  asio::posix::stream_descriptor descriptor_;
  std::function<void(const std::string& words)> survived_;
};

}  // namespace remit::launcher
