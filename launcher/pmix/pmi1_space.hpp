// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// PMI-1, which the MPIs of the MPICH family speak where they have no PMIx: what the ranks of one
// job on one host ask for, line by line.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/plan/job.hpp"

namespace remit::launcher {

/// Names and values that the ranks of a job put, and barriers, behind which all of them are known
/// on all hosts. The lines are those of the wire protocol (Flux RFC 13, "Simple Process Manager
/// Interface v1"); a word is "name=value" without blanks, and the last value of a put may have
/// some. Not here, and answered with an error: spawning, and publishing of names.
class Pmi1Space {
 public:
  /// All strings are whole lines. "rank" is that of the job.
  struct Callbacks {
    std::function<void(int rank, std::string lines)> answer;
    std::function<void(int rank)> connected;  ///< it has said its first word
    std::function<void(int rank)> finalized;  ///< before the rank gets its answer
    std::function<void(int rank, int status, std::string message)> aborted;
    /// Every rank of this host is in a barrier: what it has put since the last one is to be brought
    /// to all hosts, and then what all of them have put (in any order) handed to leave_barrier().
    std::function<void(std::string put)> all_entered;
  };

  /// `node`: of this host. A rank of the job must be there.
  Pmi1Space(const Job& job, int node, Callbacks callbacks);

  /// A line, without its end, of a rank of this host. False: it cannot be PMI-1, and the rank is to
  /// be listened to no longer.
  [[nodiscard]] bool take(int rank, std::string_view line);
  /// False: these are no names and values.
  [[nodiscard]] bool leave_barrier(std::string_view put);

 private:
  [[nodiscard]] std::string answer_to(int rank, std::string_view command, std::string_view line);
  [[nodiscard]] std::string put(std::string_view line);
  [[nodiscard]] std::string get(std::string_view line) const;
  void enter_barrier(int rank);

  Callbacks callbacks_;
  std::string name_;
  std::vector<int> app_of_;  // by rank
  int universe_;
  std::size_t here_;  // ranks
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::string> fresh_;  // names and values in turn, since the last barrier
  std::vector<int> waiting_;        // ranks in the barrier
  bool asks_for_more_ = false;      // inside of a request of several lines
};

/// Which rank runs where: "(vector,(first host, hosts, ranks on each),...)", in the order of ranks.
[[nodiscard]] std::string process_mapping(const Job& job);

}  // namespace remit::launcher
