// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a daemon does for mpirun on its host: the processes there of the first job, and of those
// that ranks spawn.
#pragma once

#include <asio/io_context.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "launcher/host/guardian.hpp"
#include "launcher/host/open_orders.hpp"
#include "launcher/pmix/host_exchange.hpp"
#include "launcher/pmix/pmix_server.hpp"
#include "launcher/report/call_file.hpp"
#include "launcher/report/profile_records.hpp"
#include "launcher/report/rank_inspection.hpp"
#include "launcher/streams/rank_pipes.hpp"
#include "launcher/tree/job_wire.hpp"
#include "launcher/tree/tree_node.hpp"

namespace remit::launcher {

/// Owns what belongs to each job on this host while the daemon runs, and the PMIx server that all
/// jobs share. Carries out mpirun's messages; what happens here is told to mpirun, with the numbers
/// of processes (Job::first). One thread.
class HostJobs {
 public:
  /// All that it is given outlives it. `lost`: the guardian is gone.
  HostJobs(asio::io_context& io, TreeNode& tree, Guardian& guardian, const Topology& topology,
           std::function<void()> lost);

  /// True if the message was for this object.
  bool handle(const Message& message);
  /// No process is started any more.
  void stop() { ending_ = true; }

 private:
  /// A job, as far as it concerns this host.
  struct Part {
    DaemonJob what;
    std::unique_ptr<CallFile> calls = nullptr;  // null: no rank is here
    int host = -1;                              // this one, of the job's
    bool dropped = false;                       // no rank of it is started any more, nor needed
    bool explained = false;                     // the loader was asked about one of its programs
  };

  void tell(MessageKind kind, const std::string& payload = {}) { tree_.send(0, kind, payload); }
  void tell(MessageKind kind, int process, int number, const std::string& text);
  [[nodiscard]] RankPipes::Callbacks pipe_callbacks();
  [[nodiscard]] PmixServer::Callbacks pmix_callbacks();
  [[nodiscard]] std::string host_name() const;
  [[nodiscard]] Part& part_of(int process);
  void take_job(const std::string& bytes);
  Expected<> prepare(Part& part);
  Expected<> serve(const Job& job);
  void launch(int job);
  void drop_job(int job);
  void forget_ended(Part& part);
  void signal_ranks(int signal);
  void carry_out(const std::string& bytes);
  void take_question(const Message& message);
  [[nodiscard]] RankInspections inspect(const std::vector<int>& jobs) const;
  void start_next();
  tl::expected<void, LaunchError> start(const Part& part, int process);
  tl::expected<ChildSpec, LaunchError> spec_of(const Part& part, const Rank& rank);
  void started(int process, const SpawnResult& result);
  void exited(int process, int wait_status);
  void refuse(int process, const LaunchError& error);

  asio::io_context& io_;
  TreeNode& tree_;
  Guardian& guardian_;
  const Topology& topology_;
  HostExchange exchange_;
  RankPipes pipes_;
  ProfileRecords records_;
  std::unique_ptr<PmixServer> server_;  // when the first job has come
  std::deque<Part> parts_;              // by Job::number
  std::map<int, pid_t> living_;         // processes that run
  std::deque<int> to_start_;            // processes, one after the other as in mpirun itself
  bool starting_ = false;               // one of them is being started
  bool ending_ = false;                 // the jobs have been told to end
  OpenOrders orders_;                   // of the ranks here
};

}  // namespace remit::launcher
