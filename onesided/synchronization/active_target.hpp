// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Active target synchronization of a window (MPI-5.0, sections 12.5.1 and 12.5.2).
#pragma once

#include <cstdint>
#include <vector>

#include "onesided/synchronization/end_watch.hpp"
#include "onesided/window_core.hpp"

namespace remit {

/// Fences, and the access and exposure epochs that MPI_Win_start and MPI_Win_post begin.
/// `assertion`: what MPI_MODE_ bits the program gave. MPI_ERR_RMA_SYNC: the call may not follow
/// those before. MPI_ERR_PROC_ABORTED: a member that is waited for has ended, and the words name
/// it. The thread that holds the process.
class ActiveTarget {
 public:
  /// `window` must outlive it.
  explicit ActiveTarget(WindowCore& window)
      : window_(window), origins_(window.manager, window.members) {}

  [[nodiscard]] Expected<> fence(const CommCall& call, int assertion);

  /// Waits until each of `ranks` has posted, unless the program says that they have.
  [[nodiscard]] Expected<> start(const CommCall& call, std::vector<int> ranks, int assertion);
  [[nodiscard]] Expected<> complete(const CommCall& call);

  [[nodiscard]] Expected<> post(const std::vector<int>& ranks, int assertion);
  [[nodiscard]] Expected<> wait(const CommCall& call);
  /// Whether the exposure has ended; then it has for the window, too.
  [[nodiscard]] Expected<bool> test();

  /// A member has told by a message that it has exposed its memory to this one.
  void take_post(int rank) { remote_posts_.push_back(rank); }
  /// ... that its accesses to this one have ended.
  void take_completion();

 private:
  [[nodiscard]] bool all_posted(std::vector<int>& missing);
  [[nodiscard]] bool is_over() const { return completions_missing() == 0; }
  [[nodiscard]] std::uint64_t completions_missing() const;
  [[nodiscard]] int find_lost_origin();
  [[nodiscard]] Error end_without(int origin);

  WindowCore& window_;
  EndWatch origins_;                   ///< by those who wait for the end of an exposure
  std::vector<int> remote_posts_;      ///< ranks, one for each post
  std::vector<int> exposed_to_;        ///< who may access by the last post
  std::uint64_t completions_due_ = 0;  ///< of CompleteLine::completed when this exposure ends
};

}  // namespace remit
