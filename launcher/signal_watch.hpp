// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The signals that mpirun itself gets from the user, a shell or a batch system.
#pragma once

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <csignal>
#include <functional>

namespace remit::launcher {

/// Hears them in the io_context's thread, from start() on. When this goes, mpirun still has to
/// clean up: a signal must not end it before, unless it is the second one.
class SignalWatch {
 public:
  SignalWatch(asio::io_context& io, std::function<void(int signal)> heard);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// What is ignored when mpirun is started stays ignored; broken pipes, and terminals that must
  /// not be read, are errors of calls from now on.
  void start();
  /// One that tells mpirun to end was acted upon; returns how many were.
  int count_interrupt() { return ++interrupts_; }
  [[nodiscard]] int interrupts() const { return interrupts_; }

 private:
  void wait();

  asio::signal_set signals_;
  std::function<void(int signal)> heard_;
  int interrupts_ = 0;
};

}  // namespace remit::launcher
