// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which daemons are ready to start the ranks of which job.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tl/expected.hpp>

#include "launcher/plan/job.hpp"

namespace remit::launcher {

/// Jobs are named by Job::number. Pure.
class Preparations {
 public:
  /// Hears that each daemon is ready, or why the first that said so is not.
  using Done = std::function<void(tl::expected<void, LaunchError> result)>;

  /// These nodes were told of a job.
  void begin(int job, std::set<int> nodes, Done done);
  /// One has answered: `refusal` says why it is not ready; empty: it is. With the last answer
  /// `done` is called. What nobody waits for is ignored.
  void answered(int job, int node, const std::string& refusal);
  /// Nobody is told anything any more.
  void clear() { waiting_.clear(); }

 private:
  struct Preparation {
    std::set<int> missing;  // nodes that have not answered
    std::string error;
    Done done;
  };
  std::map<int, Preparation> waiting_;
};

}  // namespace remit::launcher
