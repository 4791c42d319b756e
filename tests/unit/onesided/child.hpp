// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Another process of a test, and memory that both share.
#pragma once

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>
#include <utility>

namespace remit::testing {

/// A process that runs a function and ends with 0; at the latest when this object does.
class Child {
 public:
  template <class Function>
  explicit Child(Function&& function) : pid_(::fork()) {
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that crashes leaves nobody behind
      std::forward<Function>(function)();
      ::_exit(0);
    }
  }
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    (void)wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Until it has ended, which leaves it as it is: not collected yet.
  void await_end() const {
    siginfo_t info = {};
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }
  /// Its end, collected: exit status, or -1.
  [[nodiscard]] int wait() {
    int status = 0;
    const bool collected = ::waitpid(std::exchange(pid_, -1), &status, 0) > 0;
    return collected && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_;
};

/// A value that processes share which are forked later. Zeros where it says nothing else.
template <class T>
class SharedWithChildren {
 public:
  SharedWithChildren()
      : value_(new (::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                           -1, 0)) T()) {}
  ~SharedWithChildren() { ::munmap(value_, sizeof(T)); }
  SharedWithChildren(const SharedWithChildren&) = delete;
  SharedWithChildren& operator=(const SharedWithChildren&) = delete;
  [[nodiscard]] T* operator->() const { return value_; }
  [[nodiscard]] T& operator*() const { return *value_; }

 private:
  T* value_;
};

/// Until another process makes it true.
template <class Condition>
void yield_until(Condition condition) {
  while (!condition()) ::sched_yield();
}

}  // namespace remit::testing
