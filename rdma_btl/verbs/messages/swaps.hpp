// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Atomic swaps, which adapters do not have.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rdma_btl/verbs/agenda.hpp"
#include "rdma_btl/verbs/endpoints.hpp"
#include "rdma_btl/verbs/verbs_config.hpp"

namespace remit::verbs {

class Borrowing;
class Messages;
class WorkQueue;

/// A swap is made of compare-and-swaps until one finds the value that it guessed. One thread.
class Swaps {
 public:
  Swaps(VerbsCounters& counters, Endpoints& endpoints, Agenda& agenda, WorkQueue& work,
        Messages& messages, Borrowing& borrowing)
      : counters_(counters),
        endpoints_(endpoints),
        agenda_(agenda),
        work_(work),
        messages_(messages),
        borrowing_(borrowing) {}

  /// Begins one; there is room and a credit. False: no send slot, which takes the old value.
  [[nodiscard]] bool start(Endpoint& endpoint, const Operation& operation);
  /// An attempt has ended.
  void on_done(std::uint32_t job, int status);
  /// Whether attempts or notifications wait for their turn.
  [[nodiscard]] bool due() const { return !due_.empty(); }
  /// The next attempt of swaps whose guess was wrong, and the notifications of those that are done.
  void retry();
  /// Whether one to this peer is not done at its target yet; its notification does not count.
  [[nodiscard]] bool any_of(EndpointId endpoint) const;
  /// Nothing is under way.
  [[nodiscard]] bool idle() const { return jobs_.size() == free_.size(); }

 private:
  struct Job {
    std::uint32_t index = 0;
    EndpointId endpoint = 0;
    bool live = false;     ///< not over
    bool swapped = false;  ///< only the notification is missing
    bool notify = false;
    std::uint32_t notification = 0;
    std::uint32_t slot = 0;  ///< send slot that gets the old value
    std::uint64_t guess = 0;
    std::uint64_t operand = 0;
    std::uint64_t cookie = kNoCompletion;
    RemoteAddress remote;
    void* result = nullptr;
  };

  void attempt(const Job& job);
  void end(Job& job, int status);

  VerbsCounters& counters_;
  Endpoints& endpoints_;
  Agenda& agenda_;
  WorkQueue& work_;
  Messages& messages_;
  Borrowing& borrowing_;
  std::vector<std::unique_ptr<Job>> jobs_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> due_;
};

}  // namespace remit::verbs
