// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The ranks of a job, each with the Process and the Engine of a real one, over the simulated
// device: MPI_Init, a barrier, an allreduce, MPI_Finalize.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/start/daemons.hpp"
#include "collectives/collectives.hpp"
#include "pt2pt/engine.hpp"
#include "rdma_btl/sim/sim_device.hpp"
#include "rdma_btl/sim/sim_network.hpp"

namespace remit::start {

class Ranks {
 public:
  struct Options {
    /// MPI_Init ends with a fence that gives everybody everybody's address, as in some libraries.
    bool modex = false;
    std::string algorithms;  ///< the parameter coll_algorithms
  };
  /// `devices`: of the ranks, which have their names.
  Ranks(SimNetwork& network, Daemons& daemons, Exchange& exchange, const Options& options,
        std::vector<std::unique_ptr<SimDevice>> devices);
  ~Ranks();

  /// The rank's process runs from now on. Its news go to `launch`.
  void begin(int rank, Launch& launch);
  /// Progress of a rank; the turn of its process of the network.
  void drive(int rank);
  [[nodiscard]] bool done() const { return left_ == daemons_.shape().ranks; }
  /// The sum of the allreduce was right everywhere.
  [[nodiscard]] bool right() const { return right_; }

  /// When the last rank has come so far.
  struct Times {
    Time initialized = 0, barrier = 0, allreduce = 0, left = 0;
  };
  [[nodiscard]] const Times& times() const { return times_; }

  /// Over all ranks.
  struct Count {
    std::uint64_t all = 0, most = 0;
    void add(std::uint64_t number) {
      all += number;
      most = std::max(most, number);
    }
  };
  struct Counts {
    Count lookups;                  ///< of addresses, until the end
    Count init_lookups;             ///< until MPI_Init has ended
    Count barrier_lookups;          ///< until the barrier has
    Count sends;                    ///< messages between ranks
    Count bytes;                    ///< in them
    Count endpoints;                ///< connections, of both directions
    std::uint64_t init_fences = 0;  ///< fences that MPI_Init has waited for
    std::size_t blob = 0;           ///< the longest that a rank publishes
  };
  [[nodiscard]] Counts counts() const;
  /// What the barrier and the allreduce ran as.
  [[nodiscard]] std::string algorithms() const;

 private:
  class Agent;
  struct Rank;

  void open(int rank);
  void initialized(int rank);
  void start(int rank, CollectiveKind kind);
  void advance(int rank);
  void leave(int rank);
  [[nodiscard]] Rank& at(int rank) const { return *ranks_[static_cast<std::size_t>(rank)]; }

  SimNetwork& network_;
  Daemons& daemons_;
  Exchange& exchange_;
  const Options options_;
  Launch* launch_ = nullptr;
  std::shared_ptr<const Group> group_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  int left_ = 0;
  bool right_ = true;
  Times times_;
};

}  // namespace remit::start
