// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// mpirun's questions to the daemons, what their ranks do, and how long an answer is waited for.
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "launcher/pmix/host_exchange.hpp"
#include "launcher/report/rank_inspection.hpp"
#include "launcher/tree/tree_node.hpp"

namespace remit::launcher {

/// In the io_context's thread. What it is given outlives it.
class HostInspection {
 public:
  struct Result {
    RankInspections ranks;
    std::set<int> silent;  ///< nodes that have not answered in time, or nothing that can be read
  };
  using Done = std::function<void(Result result)>;

  /// `said`: a line for the log about a node.
  HostInspection(asio::io_context& io, TreeNode& tree, const HostExchange& exchange,
                 std::function<void(int node, std::string words)> said);
  ~HostInspection();

  /// What these nodes see of their ranks of these jobs (Job::number); without jobs: that they
  /// answer. `done` hears it once: when all have answered, those that are lost meanwhile not
  /// counted, or after `limit`; from inside of this call if there is nobody to ask.
  void ask(const std::vector<int>& jobs, std::set<int> nodes, std::chrono::milliseconds limit,
           Done done);
  /// A daemon's answer.
  void take(const Message& message);
  /// The node will not answer any more.
  void lost(int node);
  /// Nobody is told anything any more.
  void drop();

 private:
  struct Question;
  using Questions = std::map<std::int64_t, std::unique_ptr<Question>>;
  void answered(Questions::iterator question, int node);

  asio::io_context& io_;
  TreeNode& tree_;
  const HostExchange& exchange_;
  std::function<void(int node, std::string words)> said_;
  Questions questions_;  // by number
  std::int64_t next_number_ = 1;
};

}  // namespace remit::launcher
