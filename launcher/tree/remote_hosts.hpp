// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// mpirun's side of the daemons on other hosts.
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/pmix/host_exchange.hpp"
#include "launcher/pmix/job_control.hpp"
#include "launcher/report/host_inspection.hpp"
#include "launcher/tree/daemon_orders.hpp"
#include "launcher/tree/host_clocks.hpp"
#include "launcher/tree/host_states.hpp"
#include "launcher/tree/input_feeds.hpp"
#include "launcher/tree/job_wire.hpp"
#include "launcher/tree/preparations.hpp"
#include "launcher/tree/startup_wait.hpp"
#include "launcher/tree/tree_node.hpp"

namespace remit::launcher {

/// The other hosts of mpirun's: raises their daemons, turns their messages into what the controller
/// is told, and ends them. Jobs are named by Job::number, processes ("rank") by theirs
/// (Job::first).
class RemoteHosts {
 public:
  /// How a rank's request for processes was met: see PmixServer::Spawned.
  using Answer = std::function<void(const std::string& error, const std::string& job)>;

  /// In the io_context's thread, from launch() on.
  struct Callbacks {
    std::function<void(int rank, pid_t pid)> spawned;
    std::function<void(int rank, LaunchError error)> not_spawned;
    /// `explanation`: see explain_by_loader(); mostly empty.
    std::function<void(int rank, int wait_status, std::string explanation)> exited;
    std::function<void(int rank)> connected;
    std::function<void(int rank)> finalized;
    std::function<void(int rank, int status, std::string message)> aborted;
    std::function<void(const SpawnOrder& order, Answer answer)> ordered;
    std::function<void(const JobControl& control)> control;
    /// False: there is no room for more; release_outputs() follows.
    std::function<bool(int rank, int stream, std::string_view bytes)> output;
    std::function<void(int rank, int stream)> output_end;
    /// These ranks are gone with their hosts.
    std::function<void(const std::vector<int>& ranks, std::string why)> lost;
    std::function<void(int signal, std::string why)> interrupted;
    std::function<void()> empty;  ///< is_empty() may have become true
    std::function<void(int node, std::string text)> said;
    /// Of a rank that has ended. `clock`: its host's, as far as that is known.
    std::function<void(std::string_view payload, int node, const std::optional<SeenClock>& clock)>
        record;
  };

  RemoteHosts(asio::io_context& io, TreePlan plan, const Secret& secret, Guardian& keeper);
  ~RemoteHosts();

  /// Starts the daemons and waits until each has reported: their processors, by node. The error is
  /// that of the first host that cannot be used; status 128+N after signal N.
  [[nodiscard]] tl::expected<std::map<int, Processors>, LaunchError> raise();
  /// Gives them the first job and waits until each is ready to start its ranks.
  [[nodiscard]] tl::expected<void, LaunchError> prepare(const DaemonJob& first);
  /// Gives them one more job; `done` hears that each is ready to start its ranks, or why the first
  /// that said so is not. It does not if a host is lost meanwhile.
  void add_job(const DaemonJob& part, Preparations::Done done);

  /// What needs no answer.
  [[nodiscard]] DaemonOrders& orders() { return orders_; }
  [[nodiscard]] HostExchange& exchange() { return exchange_; }

  /// From now on `callbacks` are called.
  void listen(Callbacks callbacks);
  /// There is room again for output that was refused.
  void release_outputs();
  /// What these nodes see of their ranks of these jobs, as HostInspection::ask(); those that are
  /// lost are not asked.
  void inspect(const std::vector<int>& jobs, std::set<int> nodes, HostInspection::Done done);
  /// How long inspect() waits.
  static constexpr std::chrono::seconds kInspectionTime{3};
  /// From now on the clocks of the hosts are compared with this one's, for records.
  void watch_clocks() { clocks_.start(tree_->tree().nodes()); }
  /// Hosts that do not answer within `host_timeout` are lost from then on, though their systems
  /// run: their ranks can be told nothing, and nobody hears of their end.
  void lose_silent();
  /// What can be read from `fd` becomes the standard input of a rank. Takes the descriptor over.
  void feed(int rank, int fd) { feeds_.add(rank, fd); }
  /// No process of a job is left on any of the hosts.
  [[nodiscard]] bool is_empty() const { return states_.is_empty(); }

  /// Ends the daemons, waiting until they have left nothing: for a bounded time, or until somebody
  /// stops the io_context, which runs here for the last time. Once; later calls do nothing.
  void finish();

 private:
  void handle(const Message& message);
  void handle_rank(const Message& message);
  void take_hello(const Message& message);
  void take_prepared(const Message& message);
  void take_order(const Message& message);
  void take_output(const Message& message);
  void take_interrupt(const Message& message);
  void failed(int node, const std::string& why);
  void said(int node, const std::string& text);
  [[nodiscard]] const std::string& host_of(int node) const {
    return tree_->plan().hosts[static_cast<std::size_t>(node)];
  }

  asio::io_context& io_;
  std::unique_ptr<TreeNode> tree_;
  HostExchange exchange_;
  HostInspection inspection_;
  DaemonOrders orders_;
  InputFeeds feeds_;
  HostClocks clocks_;
  HostStates states_;
  Preparations preparations_;
  StartupWait startup_;  // while nobody listens
  std::map<int, Processors> processors_;
  std::map<int, std::size_t> held_;     // output that waits for room, by node
  std::optional<Callbacks> callbacks_;  // none: nobody listens
  bool finishing_ = false;
};

}  // namespace remit::launcher
