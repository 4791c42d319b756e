// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The MPI lock is not held while the kernel works on a file.
#pragma once

#include "runtime/progress.hpp"

namespace remit {

/// For the time of a scope that makes system calls on files: other threads of this process may be
/// in MPI meanwhile. The scope must not touch anything that the MPI lock protects, such as counts
/// of references.
class OutOfMpi {
 public:
  explicit OutOfMpi(const Progress& progress) : hook_(progress.yield_hook()) {
    if (hook_ != nullptr) hook_->before();
  }
  ~OutOfMpi() {
    if (hook_ != nullptr) hook_->after();
  }
  OutOfMpi(const OutOfMpi&) = delete;
  OutOfMpi& operator=(const OutOfMpi&) = delete;

 private:
  Progress::YieldHook* hook_;
};

}  // namespace remit
