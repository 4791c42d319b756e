// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>

namespace remit {

/// All signals of the calling thread, blocked for the time of a scope: they wait, and threads that
/// are started meanwhile never get one.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_ = {};
};

}  // namespace remit
