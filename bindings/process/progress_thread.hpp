// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A thread that makes progress while the program computes.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "runtime/params.hpp"

namespace remit {

class CallGuard;
class Engine;
class OpenFiles;
class OpenWindows;
class Process;

inline const ParamDecl progress_thread_param{
    "progress_thread", false, "",
    "give each rank a thread that makes progress while the program computes; each call then takes "
    "a lock"};

/// Holds the MPI lock while it works, as any thread of MPI_THREAD_MULTIPLE does, and takes part in
/// Progress::wait() as these do. While an operation is under way that it is for (any, if the user
/// or a window wants the thread; else collective accesses to files alone) it sleeps until something
/// arrives; otherwise until a call leaves something under way. What others ask of this process's
/// windows it serves only while no other thread does: a sleeper beside threads that poll would be
/// woken for all that arrives. Signals are for the program's own threads. User-defined operations
/// of nonblocking reductions may run here.
class ProgressThread {
 public:
  /// What it drives; all of it outlives it. `files` and `windows` are null until there is one.
  struct Parts {
    Process& process;
    CallGuard& threads;
    const std::unique_ptr<Engine>& engine;
    const std::unique_ptr<OpenFiles>& files;
    const std::unique_ptr<OpenWindows>& windows;
  };
  /// Starts it. Every call takes the lock by now. Throws std::system_error.
  explicit ProgressThread(const Parts& parts);
  /// Ends it. The caller does not hold the lock.
  ~ProgressThread();
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  /// At the end of a call, with the lock held: wakes it if there is something to do.
  void look();
  /// With the lock held: it does not, and will not before look() wakes it.
  [[nodiscard]] bool is_asleep() const { return wanted_.load(std::memory_order_relaxed) == 0; }

 private:
  void run();
  /// Whether an operation of this process is under way that it is for.
  [[nodiscard]] bool is_urgent() const;
  [[nodiscard]] bool has_work() const;
  /// Whether there are windows that peers reach by messages alone.
  [[nodiscard]] bool has_served_windows() const;
  /// Rests, and then serves until another thread is in MPI.
  void serve_windows();
  /// Sees to the collective accesses to files, if the program does not.
  void serve_files();
  /// Until no other thread was in MPI for a while, `most` looks at most, or end_rest(): with the
  /// lock given up, for which it does not ask meanwhile. The longer others are there the longer
  /// that while is, up to `longest`: each look takes a core from them.
  void rest(int most, std::chrono::milliseconds longest);
  void end_rest();
  void wake();

  const Parts parts_;
  const bool is_wanted_;             ///< by the user: for operations of this process, too
  std::atomic<int> wanted_ = 1;      ///< 0: sleeps until it is not. Becomes 0 with the lock held
  bool stop_ = false;                ///< with the lock held
  std::atomic<bool> rests_ = false;  ///< changed with `rest_mutex_`, or before anybody asks
  std::mutex rest_mutex_;
  std::condition_variable rested_;
  std::thread thread_;  ///< last: it uses the others
};

}  // namespace remit
