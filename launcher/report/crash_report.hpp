// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What mpirun says when it ends by something that nobody has foreseen: no memory, an exception that
// nobody catches, a crash, in whatever thread. No end of mpirun is silent.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace remit::launcher {

/// From now on such an end is told on standard error; and some address space is kept back, which
/// the first allocation that fails is given: so that the job can be ended as any other. Once, from
/// the main thread, before there are others.
void prepare_crash_report();

/// This process is not the mpirun that the user has started: what is told begins with `who`, as in
/// "mpirun: the daemon of host b: out of memory". Once, in the main thread.
void speak_as(std::string_view who);

/// What ends this process by exit() from now on is mpirun itself, which has said why: nothing else
/// is told.
void expect_exit();

/// In a forked child, which has its own way to tell: its failures are not told here. What is kept
/// back stays there for it.
void leave_crash_report();

/// What limits the memory of this process, and what to do; empty where it is not limited.
[[nodiscard]] std::string memory_limit_advice();

/// Becomes readable when there is trouble(); -1: there is no such descriptor.
[[nodiscard]] int trouble_descriptor();

/// Something happened that the main thread must act upon.
struct Trouble {
  bool is_fatal = false;   ///< another thread cannot go on, and waits for the end of the process
  std::string_view words;  ///< for the user; empty: nothing has happened
};
[[nodiscard]] Trouble trouble();

/// In another thread, which handles an exception and ends: makes it fatal trouble().
void report_exception() noexcept;

/// Words for the exception that is being handled: what failed, and what to do. They need no memory,
/// and are valid until the next call. In the main thread.
[[nodiscard]] std::string_view words_of_exception() noexcept;

/// The same on standard error, as mpirun's.
void tell_exception() noexcept;

/// What the main thread throws for fatal trouble of another.
class Breakdown : public std::exception {
 public:
  /// `words` live as long as the process.
  explicit Breakdown(std::string_view words) : words_(words) {}
  [[nodiscard]] const char* what() const noexcept override { return words_.data(); }

 private:
  std::string_view words_;
};

}  // namespace remit::launcher
