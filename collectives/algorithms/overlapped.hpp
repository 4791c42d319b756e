// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Dissemination whose messages overlap: who tells whom at which step. Pure functions, tested for
// every size from 1 to 257.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "collectives/choice/tuning.hpp"

namespace remit {

/// While a message is on its way a process can send others: `lag` of them, one a step. What was
/// sent at step t - lag has arrived at step t. At step t a process knows the contributions of its
/// window, windows[t] ranks that begin with its own; the message that arrives makes it
///
///     windows[t] = windows[t - 1] + windows[t - lag]
///
/// or one less: then the sender leaves its own contribution out. Windows grow as fast as any way of
/// spreading information under LogP allows (Karp, Sahay, Santos, Schauser 1993, "Optimal Broadcast
/// and Summation in the LogP Model"); to leave one's own contribution out lets them end at any
/// size, none counted twice (Bruck, Ho 1993). With a lag of 1 it is the common dissemination.
struct Overlapped {
  static constexpr int kMostLag = 8;

  int size;
  int lag;  ///< 1 to kMostLag

  /// The last step: then the window is the whole group. 0 for one process.
  [[nodiscard]] constexpr int steps() const {
    std::int64_t recent[kMostLag] = {1, 1, 1, 1, 1, 1, 1, 1};  // by step % lag
    std::int64_t window = 1;
    int step = size > 1 ? lag - 1 : 0;
    while (window < size) {
      ++step;
      window += recent[step % lag];
      recent[step % lag] = window;
    }
    return step;
  }

  /// Fills windows[0] to windows[steps()].
  constexpr void fill(std::span<int> windows) const {
    const int last = static_cast<int>(windows.size()) - 1;
    // As large as they can be. The last may exceed the size, which fits an int64_t: each is at most
    // twice the one before.
    std::int64_t most = 1;
    std::int64_t recent[kMostLag] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (int step = lag; step <= last; ++step) {
      most += recent[step % lag];
      recent[step % lag] = most;
    }
    // One less at step t is `weight(last - t)` less at the end, the window of that step. Taking the
    // largest that fit leaves nothing, for each is at most one more than all that follow together.
    std::int64_t excess = last > 0 ? most - size : 0;
    for (int step = 0; step <= last; ++step) {
      if (step < lag) {
        windows[static_cast<std::size_t>(step)] = 1;
        continue;
      }
      const std::int64_t weight = widest(last - step);
      const bool less = weight <= excess;
      if (less) excess -= weight;
      // Subtracted first: the largest sum is one more than an int holds.
      windows[static_cast<std::size_t>(step)] = windows[static_cast<std::size_t>(step - 1)] -
                                                (less ? 1 : 0) +
                                                windows[static_cast<std::size_t>(step - lag)];
    }
  }

  /// What arrives at step t >= lag: it is from the rank `distance` above one's own.
  struct Message {
    int distance;
    bool without_own;  ///< the sender's own contribution is left out
    bool empty;        ///< nothing is left then: it is not sent
  };
  [[nodiscard]] constexpr Message message(std::span<const int> windows, int step) const {
    const auto at = static_cast<std::size_t>(step);
    const int before = windows[at - 1];
    const int theirs = windows[at - static_cast<std::size_t>(lag)];
    const bool less = windows[at] != before + theirs;
    return {before - (less ? 1 : 0), less, less && theirs == 1};
  }

 private:
  /// The widest possible window at a step.
  [[nodiscard]] constexpr std::int64_t widest(int step) const {
    std::int64_t recent[kMostLag] = {1, 1, 1, 1, 1, 1, 1, 1};
    std::int64_t window = 1;
    for (int i = lag; i <= step; ++i) {
      window += recent[i % lag];
      recent[i % lag] = window;
    }
    return window;
  }
};

/// The time of all steps for messages of `bytes` by the model, nanoseconds.
[[nodiscard]] inline double overlapped_cost(const LogGP& model, int size, int lag, double bytes) {
  const double each = bytes * (model.per_byte + model.reduce);
  const double arrival = model.alpha() + each;
  const double between = std::max(model.gap, 2 * model.overhead) + each;
  const double spacing = std::max(between, arrival / lag);
  return (Overlapped{size, lag}.steps() - lag) * spacing + arrival;
}

/// The lag that costs least: about as many messages as can be sent while one travels.
[[nodiscard]] inline int best_lag(const LogGP& model, int size, double bytes) {
  const double each = bytes * (model.per_byte + model.reduce);
  const double between = std::max({model.gap, 2 * model.overhead, 1.0}) + each;
  const double fit = std::min((model.alpha() + each) / between, double{Overlapped::kMostLag});
  const int low = std::max(1, static_cast<int>(fit));
  const int high = std::min(low + 1, Overlapped::kMostLag);
  if (low >= fit) return low;
  return overlapped_cost(model, size, high, bytes) < overlapped_cost(model, size, low, bytes) ? high
                                                                                              : low;
}

}  // namespace remit
