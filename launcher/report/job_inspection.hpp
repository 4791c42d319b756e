// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the processes of all jobs, on all hosts, are doing just now.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "launcher/job_table.hpp"
#include "launcher/report/job_report.hpp"
#include "launcher/tree/remote_hosts.hpp"
#include "runtime/clock.hpp"

namespace remit::launcher {

/// Inspects them twice, a moment apart: a call that is there both times lasts. Who asks while that
/// is under way gets the same. For the io_context's thread.
class JobInspection {
 public:
  /// What was seen.
  struct Snapshot {
    std::vector<std::vector<RankSnapshot>> jobs;  ///< by Job::number
    std::set<int> silent;                         ///< nodes that have not answered
  };
  using Reader = std::function<void(const std::shared_ptr<const Snapshot>& all)>;

  struct Callbacks {
    std::function<void(const std::string& text)> say;  ///< to the user
    std::function<void()> over;                        ///< behind the readers of each inspection
  };
  /// What it is given outlives it; `remote` may be null. The time that jobs have run is counted
  /// from now on.
  JobInspection(asio::io_context& io, const JobTable& jobs, std::span<const HostRoom> hosts,
                RemoteHosts* remote, Callbacks callbacks);
  ~JobInspection();
  JobInspection(const JobInspection&) = delete;
  JobInspection& operator=(const JobInspection&) = delete;

  void inspect(Reader reader);
  /// Inspects, and tells the user.
  void print();
  /// Tells the user what was seen, in a table. Spawned jobs that have ended are not in it.
  void print(const Snapshot& all) { callbacks_.say(describe(all)); }
  [[nodiscard]] bool is_under_way() const { return !readers_.empty(); }
  /// Runs `then` behind the inspection that is under way; at once if none is.
  void when_over(std::function<void()> then);
  /// No reader is waited for any more; what waits behind them runs now.
  void cancel();
  /// The same for ever, and nothing runs any more.
  void stop();

  /// The stacks of the processes of this host, which take a second each: in a thread, so that
  /// output and signals are still served. `done` hears them, in the io_context's thread; it does
  /// not if this object goes meanwhile.
  void read_stacks(const std::shared_ptr<const Snapshot>& all,
                   const std::function<void(const std::string& text)>& done);

 private:
  void inspect_once(const std::set<int>& silent,
                    const std::function<void(Snapshot snapshot)>& done);
  [[nodiscard]] Snapshot gather(const HostInspection::Result& far) const;
  void finish(const std::shared_ptr<const Snapshot>& all);
  [[nodiscard]] std::string describe(const Snapshot& all) const;
  [[nodiscard]] double elapsed() const;

  asio::io_context& io_;
  const JobTable& jobs_;
  std::span<const HostRoom> hosts_;
  RemoteHosts* remote_;
  Callbacks callbacks_;
  asio::steady_timer timer_;
  std::vector<Reader> readers_;
  std::function<void()> then_;
  bool stopped_ = false;
  // Set when this object goes: for the thread that reads stacks, which is not waited for.
  std::shared_ptr<std::atomic<bool>> gone_ = std::make_shared<std::atomic<bool>>(false);
  MonotonicTime start_ = MonotonicClock::now();
};

}  // namespace remit::launcher
