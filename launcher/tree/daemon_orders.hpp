// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What mpirun tells all daemons at once, and nobody answers.
#pragma once

#include "launcher/pmix/job_control.hpp"
#include "launcher/tree/tree_node.hpp"

namespace remit::launcher {

/// Each function is one message to every daemon. Jobs are named by Job::number.
class DaemonOrders {
 public:
  /// `tree` outlives it.
  explicit DaemonOrders(TreeNode& tree) : tree_(tree) {}

  /// Starts the ranks of a job for which all are ready.
  void launch(int job);
  /// Kills what runs of a job, if anything; no more of it is started, and its files go.
  void drop_job(int job);
  /// What a rank has asked for others.
  void carry_out(const JobControl& control);
  /// To the process group of each living rank.
  void signal_ranks(int signal);
  /// To whatever ranks have started, too.
  void signal_all(int signal);
  /// Nobody reads this stream (1, 2) of any rank any more.
  void close_output(int stream);
  /// All ends.
  void finish();

 private:
  TreeNode& tree_;
};

}  // namespace remit::launcher
