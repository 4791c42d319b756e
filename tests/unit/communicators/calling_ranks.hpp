// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Virtual ranks over the simulated network that make calls on communicators.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "communicators/comm_process.hpp"
#include "tests/unit/pt2pt/waiting_ranks.hpp"

namespace remit::testing {

/// Ranks that can wait, and what a call needs of each. `overlap`: threads of one process may make
/// calls at once.
class CallingRanks : public WaitingRanks {
 public:
  explicit CallingRanks(int size, SimConfig config = {}, bool overlap = false)
      : WaitingRanks(size, std::move(config)), threads_(overlap) {
    for (int rank = 0; rank < size; ++rank) {
      comms_.push_back(std::make_unique<CommProcess>(engine(rank), threads_));
    }
  }
  ~CallingRanks() { settle(); }

  [[nodiscard]] CommCall call(int rank) { return {comms(rank), "MPI_Test_call"}; }
  /// MPI_COMM_WORLD.
  [[nodiscard]] ParentComm world(int rank) { return {comm(rank), name_}; }
  [[nodiscard]] ContextIds& contexts(int rank) { return comms(rank).contexts(); }

 private:
  class Threads final : public CallingThreads {
   public:
    explicit Threads(bool overlapping) : overlaps_(overlapping) {}
    [[nodiscard]] bool overlap() const override { return overlaps_; }
    void note_change() override {}

   private:
    const bool overlaps_;
  };
  [[nodiscard]] CommProcess& comms(int rank) { return *comms_[static_cast<std::size_t>(rank)]; }

  const std::string name_ = "MPI_COMM_WORLD";
  Threads threads_;
  std::vector<std::unique_ptr<CommProcess>> comms_;
};

}  // namespace remit::testing
