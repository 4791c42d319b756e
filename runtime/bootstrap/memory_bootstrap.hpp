// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The bootstrap of simulations: N virtual processes of one program share a store in memory.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/bootstrap/bootstrap.hpp"

namespace remit {

/// Thrown by abort() of a virtual process, which cannot end the program for all of them.
class JobAborted : public std::exception {
 public:
  JobAborted(int rank, int status, std::string message);
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int status() const { return status_; }

 private:
  int rank_;
  int status_;
  std::string message_;
};

/// A job of virtual processes. Everything of one job runs in one thread; what join() returns must
/// not outlive it.
class MemoryJob {
 public:
  struct Options {
    int ranks_per_host = 1 << 30;  ///< consecutive ranks share a host "virtual<k>";
                                   ///< bound it for very many ranks: each keeps its peers
    std::uint64_t seed = 0;        ///< of the delays
    int max_delay_polls = 0;       ///< an answer appears after 0..max polls of its asker
    /// Whether ranks are named as under a launcher, with the job's key: passports need that. Else
    /// devices know them as 0, 1, 2 ...
    bool has_key = false;
  };

  explicit MemoryJob(int size, Options options);
  explicit MemoryJob(int size) : MemoryJob(size, Options{}) {}
  ~MemoryJob();
  MemoryJob(const MemoryJob&) = delete;
  MemoryJob& operator=(const MemoryJob&) = delete;

  /// The bootstrap of one rank; each rank joins once.
  [[nodiscard]] std::unique_ptr<Bootstrap> join(int rank);
  [[nodiscard]] int size() const { return static_cast<int>(blobs_.size()); }

  /// What a barrier does while others are missing: run the other virtual processes a little.
  /// Without it such a barrier is an error, as it could only hang.
  void set_pump(std::function<void()> pump) { pump_ = std::move(pump); }

  /// From now on look-ups of `rank` are answered with an error: its host was lost.
  void lose(int rank) { blobs_[static_cast<std::size_t>(rank)].lost = true; }

  /// Ranks that were finalized.
  [[nodiscard]] int finalized() const { return finalized_; }

 private:
  class Member;
  struct Published {
    std::optional<Bytes> blob;
    bool lost = false;
  };

  Options options_;
  std::mt19937_64 random_;
  std::vector<Published> blobs_;
  std::vector<std::uint64_t> barriers_;  ///< entered by each rank
  std::function<void()> pump_;
  int finalized_ = 0;
};

}  // namespace remit
