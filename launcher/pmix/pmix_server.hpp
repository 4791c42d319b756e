// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The PMIx server of one host: what its ranks, of all jobs, ask while they live.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "launcher/plan/job.hpp"
#include "launcher/plan/spawn_job.hpp"
#include "launcher/pmix/data_store.hpp"
#include "launcher/pmix/job_control.hpp"
#include "launcher/pmix/pmi1_server.hpp"
#include "launcher/pmix/pmix_exchange.hpp"
#include "runtime/error.hpp"

namespace remit::launcher {

/// PMIx is a library with one server a process, so at most one PmixServer exists. PMIx calls back
/// on a thread of its own; everything here is handed over to the io_context's thread first.
class PmixServer {
 public:
  /// Why it failed, or nothing, and the namespace of the new job.
  using Spawned = std::function<void(const std::string& error, const std::string& job)>;

  /// "rank" is the number of a process (Job::first).
  struct Callbacks {
    std::function<void(int rank)> connected;  ///< PMIx_Init, or PMI-1's
    std::function<void(int rank)> finalized;  ///< PMIx_Finalize; before the rank leaves it
    std::function<void(int rank, int status, std::string message)> aborted;  ///< PMIx_Abort
    std::function<void(const SpawnOrder& order, Spawned done)> spawn;        ///< PMIx_Spawn
    std::function<void(const JobControl& control)> control;                  ///< PMIx_Job_control
    std::function<void(std::string words)> refused;  ///< a stranger; a line for the log
  };

  /// Where it runs.
  struct Place {
    int node = 0;  ///< of the tree of daemons
    std::string host;
    const Topology* topology = nullptr;  ///< outlives the server
    std::string directory;               ///< private to mpirun and its jobs
  };

  /// Starts the server, with the first job. Blocks for some milliseconds; afterwards ranks may be
  /// started. `exchange` reaches the servers of other hosts, and outlives this; null: there is
  /// none.
  [[nodiscard]] static Expected<std::unique_ptr<PmixServer>> start(
      asio::io_context& io, Place place, const Job& first, Callbacks callbacks,
      PmixExchange* exchange = nullptr);

  PmixServer(const PmixServer&) = delete;
  PmixServer& operator=(const PmixServer&) = delete;
  ~PmixServer();

  /// One more job. Its ranks, those of this host, may be started afterwards.
  [[nodiscard]] Expected<> add_job(const Job& job);

  /// Removes the folder that the ranks of a job, which has ended, had on this host.
  void remove_folder(const std::string& nspace) const;

  /// Without an exchange: where all that is published is kept.
  [[nodiscard]] DataStore& store() { return store_; }

  /// Adds to `env` the variables by which this rank of a job finds the server.
  [[nodiscard]] Expected<> add_client_env(const Job& job, int rank, std::vector<std::string>* env);

 private:
  friend struct PmixUpcalls;
  PmixServer(asio::io_context& io, Place place, Callbacks callbacks, PmixExchange* exchange);

  Expected<> init(const Job& first);
  Expected<> register_job(const Job& job, int host);
  Expected<> register_clients(const Job& job, int host);

  /// The ranks of one program of a job of several, as a process set.
  struct ProgramSet {
    std::string name;
    std::vector<int> ranks;
  };
  static std::vector<ProgramSet> program_sets(const Job& job);

  /// What upcalls need to know of a job.
  struct KnownJob {
    int first = 0;  ///< Job::first
    int size = 0;
    bool is_here = false;  ///< some of its ranks are on this host
    std::vector<ProgramSet> sets;
  };
  /// The number of a process; -1: it is of no job of this mpirun's. In the io_context's thread, as
  /// what follows.
  [[nodiscard]] int number_of(const ProcessName& process) const;
  /// Nothing if one of them is unknown.
  [[nodiscard]] ProcessRuns runs_of(const std::vector<ProcessName>& processes) const;
  /// What a process of this host has published for its peers, when it has.
  void local_data(int process, PmixExchange::Data done);
  /// Tells the processes of this host what one of another host says.
  void notified(const PmixEvent& event) const;
  /// For one look-up by a process.
  void publish_text(const std::string& name, const ProcessName& owner, const std::string& text,
                    const std::function<void()>& done);

  asio::io_context& io_;
  Place place_;
  Callbacks callbacks_;
  PmixExchange* exchange_;
  Pmi1Server pmi1_;                       ///< for ranks that have no PMIx
  std::map<std::string, KnownJob> jobs_;  ///< by namespace
  std::string root_;                      ///< the namespace of the first job
  DataStore store_;                       ///< without an exchange
  std::size_t next_group_context_ = 1;
};

}  // namespace remit::launcher
