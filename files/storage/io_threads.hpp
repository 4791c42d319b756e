// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for the kernel in the place of those that are in MPI.
#pragma once

#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/progress.hpp"

namespace remit {

/// Something to be done by one of IoThreads: system calls on a file. It must stay until it is
/// complete.
class IoJob {
 public:
  IoJob() = default;
  IoJob(const IoJob&) = delete;
  IoJob& operator=(const IoJob&) = delete;
  virtual ~IoJob() = default;

  /// Asked by the thread that holds the process: from then on what the job left can be read.
  [[nodiscard]] bool is_complete() const { return complete_; }

 private:
  friend class IoThreads;

  /// In a thread of its own, beside everything that the MPI lock protects.
  virtual void run() noexcept = 0;

  bool complete_ = false;
  std::coroutine_handle<> waiting_;
  IoJob* next_ = nullptr;  ///< in the queue, then among those that are done
};

/// A few threads that take jobs in the order of their start. Made with the first file, but threads
/// start with the first job, and no more than are busy at once. What they have done is told by
/// polling (ProgressSource), and wakes sleepers by an eventfd. Signals are for the program's own
/// threads. All calls by the thread that holds the process.
class IoThreads final : public ProgressSource {
 public:
  /// `progress` outlives it. `most`: how many threads there may be, at least 1.
  IoThreads(Progress& progress, unsigned most);
  /// Waits for the end of all jobs.
  ~IoThreads() override;
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;

  /// How many threads are of use on this machine.
  [[nodiscard]] static unsigned suitable_number();

  /// Where no thread can be started the job is done before this returns.
  void start(IoJob& job);
  /// Whether jobs are under way.
  [[nodiscard]] bool busy() const { return under_way_ != 0; }

  /// `auto end = threads.end_of(job); co_await end;` One coroutine for each job.
  class [[nodiscard]] EndOfJob {
   public:
    explicit EndOfJob(IoJob& job) : job_(job) {}
    [[nodiscard]] bool await_ready() const { return job_.complete_; }
    void await_suspend(std::coroutine_handle<> handle) { job_.waiting_ = handle; }
    void await_resume() const {}

   private:
    IoJob& job_;
  };
  [[nodiscard]] static EndOfJob end_of(IoJob& job) { return EndOfJob(job); }

  // ProgressSource
  int progress() override;
  void arm() override;
  void disarm() override;
  void wait_fds(std::vector<int>& out) const override;
  [[nodiscard]] int max_sleep_ms() const override { return event_ < 0 && busy() ? 1 : -1; }

 private:
  [[nodiscard]] bool start_thread();
  void serve();
  void tell(IoJob& job);

  Progress& progress_;
  const unsigned most_;
  int event_;  ///< readable: something is done; -1: the system has none
  int under_way_ = 0;

  std::atomic<IoJob*> done_ = nullptr;   ///< the last one first
  std::atomic<bool> armed_ = false;      ///< somebody sleeps
  std::atomic<bool> signalled_ = false;  ///< `event_` is readable

  std::mutex mutex_;
  std::condition_variable queued_;
  IoJob* first_ = nullptr;  ///< with the mutex, as all that follows
  IoJob* last_ = nullptr;
  unsigned idle_ = 0;  ///< threads that wait for a job
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace remit
