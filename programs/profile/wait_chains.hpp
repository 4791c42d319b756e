// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Who is to blame behind those who were waited for: a rank that waited itself meanwhile is not.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace remit::profiles {

/// A wait of one rank for another, in nanoseconds of the job's time.
struct WaitSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  int peer = -1;  ///< an index into Profile::ranks
};

/// The waits of all ranks, to be followed from one to the next. Immutable but for its budget.
class WaitChains {
 public:
  /// By rank; in any order.
  explicit WaitChains(std::vector<std::vector<WaitSpan>> waits);

  /// Adds, by rank, the seconds of this wait that it was the last of the chain: that it was waited
  /// for and, as far as is known, did not wait itself.
  void follow(int waiter, const WaitSpan& wait, std::map<int, double>& seconds);

 private:
  void follow(int rank, std::int64_t begin_ns, std::int64_t end_ns, std::map<int, double>& seconds);

  std::vector<std::vector<WaitSpan>> waits_;  // by begin
  std::vector<int> path_;                     // from the waiter on
  std::int64_t steps_left_;
};

}  // namespace remit::profiles
