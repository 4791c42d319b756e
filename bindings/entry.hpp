// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What every MPI function does first: is MPI running, take the lock if threads may compete; then it
// turns handles into objects and checks arguments (handle_checks.hpp, value_checks.hpp).
#pragma once

#include "bindings/handle_checks.hpp"

namespace remit {

/// A fast path where calls are guarded: leaves its mark or holds the lock as long as it lives.
class GuardedCall {
 public:
  explicit GuardedCall(Instance& instance) : instance_(instance) { instance_.enter(); }
  ~GuardedCall() { instance_.leave(); }
  GuardedCall(const GuardedCall&) = delete;
  GuardedCall& operator=(const GuardedCall&) = delete;

  /// As Entry::changed_nothing().
  void changed_nothing() {
    if (instance_.locking()) [[unlikely]]
      instance_.threads.note_no_change();
  }

 private:
  Instance& instance_;
};

/// Lives as long as one MPI call. The checks return MPI_SUCCESS or the code that the function must
/// return (the error handler has been called by then):
///
///   Entry entry("MPI_Comm_rank");
///   CommObject* c = nullptr;
///   if (int err = entry.comm(comm, c)) return err;
class Entry : public HandleChecks {
 public:
  explicit Entry(const char* function) : HandleChecks(function) {
    if (instance_ == nullptr) [[unlikely]]
      not_running();
    if (instance_->guarded()) [[unlikely]]
      instance_->enter();
  }
  ~Entry() {
    if (instance_->guarded()) [[unlikely]]
      instance_->leave();
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  [[nodiscard]] Instance& instance() const { return *instance_; }
  [[nodiscard]] Engine& engine() const { return *instance_->engine; }
  [[nodiscard]] Progress& progress() const { return instance_->process->progress(); }

  /// Polling apart, this call has changed nothing that another thread could be waiting for.
  void changed_nothing() {
    if (instance_->locking()) [[unlikely]]
      instance_->threads.note_no_change();
  }

  /// For calls that looked in vain, and changed nothing. Where ranks outnumber the cores, a program
  /// that looks in a loop would keep its core from the rank that it waits for until the kernel's
  /// time slice ends, so such a call yields the core.
  void only_looked() {
    changed_nothing();
    if (!progress().policy().spin) progress().yield();
  }

 private:
  [[noreturn, gnu::cold]] void not_running() const;
};

/// Ends a call by what came of its work in a layer below. Returns what the MPI function is to
/// return.
[[nodiscard]] inline int finish(Entry& entry, const Expected<>& result) {
  return result ? MPI_SUCCESS : entry.fail(result.error());
}

}  // namespace remit
