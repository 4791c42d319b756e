// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What no algorithm can beat on a LogGP machine whose messages cost less between processes that are
// near each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "benchmarks/logp/optimal.hpp"
#include "collectives/collectives.hpp"
#include "pt2pt/engine.hpp"

namespace remit::logp {

/// The levels of a machine with so many processes: `inner` as the engine takes them, as far as they
/// are not the whole machine, and that. No level costs more than one outside of it, which somebody
/// could use instead: the bounds hold for any costs.
inline std::vector<MachineLevel> levels_of(const std::vector<MachineLevel>& inner,
                                           const MachineCosts& outer, int processes) {
  std::vector<MachineLevel> levels;
  for (const MachineLevel& level : inner) {
    levels.push_back({std::min(level.processes, processes), level.costs});
    if (level.processes >= processes) break;
  }
  if (levels.empty() || levels.back().processes < processes) levels.push_back({processes, outer});
  for (std::size_t i = levels.size() - 1; i-- > 0;) {
    MachineCosts& costs = levels[i].costs;
    const MachineCosts& around = levels[i + 1].costs;
    costs = {std::min(costs.latency, around.latency), std::min(costs.overhead, around.overhead),
             std::min(costs.gap, around.gap), std::min(costs.per_byte, around.per_byte)};
  }
  return levels;
}

/// When a message has come, after its sender began with it, and when the next one can be begun
/// with.
struct MessageTimes {
  VirtualTime arrival, between;
  MessageTimes(const MachineCosts& costs, std::size_t bytes) {
    const double length = bytes == 0 ? 0 : static_cast<double>(bytes - 1) * costs.per_byte;
    const auto body = static_cast<VirtualTime>(length);
    arrival = 2 * costs.overhead + costs.latency + body;
    between = std::max(costs.gap + body, costs.overhead);
  }
};

/// The time in which what one process knows can reach `processes` that are in groups of `each`,
/// with quicker messages inside of these (Karp, Sahay, Santos, Schauser 1993, with two levels). It
/// is a lower bound, for there may be any number of groups: then nobody does better than to tell
/// the first one of a new group, or one of his own group.
///
/// most(m, t) is how many can know after t, if one has just been told who has to see, alone or by
/// those that he tells, to m of his group, himself included. He begins with a message outwards, or
/// gives j of his m away with one inside:
///
///     others(m, t) = max(most(each, t - far.arrival) + others(m, t - far.between),
///                        most(j, t - near.arrival) + others(m - j, t - near.between))
///
/// with most = 1 + others. Times are in ticks, all costs rounded down. Takes
/// time as the square of `each`.
inline VirtualTime two_level_spread(const MessageTimes& near, const MessageTimes& far, int each,
                                    std::int64_t processes) {
  constexpr VirtualTime kTicks = 100;  // of the shortest time
  const VirtualTime tick =
      std::min({near.arrival, near.between, far.arrival, far.between}) / kTicks;
  if (tick == 0) return far.arrival;
  const auto members = static_cast<std::size_t>(each);
  std::vector<std::vector<std::int64_t>> others;  // by time; of m members at m
  const auto at = [&](VirtualTime time, std::size_t m, std::int64_t told) {
    return time < 0 ? 0 : told + others[static_cast<std::size_t>(time)][m];
  };
  for (VirtualTime now = 0;; ++now) {
    std::vector<std::int64_t> row(members + 1);
    const std::int64_t outside = at(now - far.arrival / tick, members, 1);
    for (std::size_t m = 1; m <= members; ++m) {
      row[m] = outside + at(now - far.between / tick, m, 0);
      for (std::size_t j = 1; j < m; ++j) {
        row[m] = std::max(
            row[m], at(now - near.arrival / tick, j, 1) + at(now - near.between / tick, m - j, 0));
      }
      row[m] = std::min(row[m], processes);
    }
    others.push_back(row);
    if (1 + row[members] >= processes) return now * tick;
  }
}

/// The time in which what one process knows can reach all, by messages of `bytes`. Run backwards it
/// is the time of a summation. It bounds each collective in which what one member gets depends on
/// all others, or what all get on one. With more than two levels two are taken at a time: messages
/// inside of one are as quick as the quickest, those that leave it as those of the next one.
inline VirtualTime fastest_spread(const std::vector<MachineLevel>& levels, std::size_t bytes) {
  const std::int64_t all = levels.back().processes;
  const MessageTimes nearest(levels.front().costs, bytes);
  VirtualTime time = optimal_broadcast(nearest.arrival, nearest.between, all);
  for (std::size_t i = 1; i < levels.size(); ++i) {
    const MessageTimes outside(levels[i].costs, bytes);
    time = std::max(time, two_level_spread(nearest, outside, levels[i - 1].processes, all));
  }
  return time;
}

/// Bytes that have to go into groups of `each` processes from outside, in all groups together, and
/// of those of gather and scatter into (or out of) the root's group alone; n is one contribution.
inline double bytes_between(CollectiveKind kind, double p, double each, double n) {
  using enum CollectiveKind;
  const double groups = p / each;
  switch (kind) {
    case barrier:
      return 0;
    case gather:
    case scatter:
      return (p - each) * n;
    case allgather:
      return groups * (p - each) * n;
    case alltoall:
      return p * (p - each) * n;
    case allreduce:
      return 2 * n * (groups - 1);
    default:
      return n * (groups - 1);
  }
}

/// How long the ports are busy with them, at least: what enters a group enters by a port of it,
/// from a process that is no nearer, and the busiest port has no less than the average.
inline double least_body(CollectiveKind kind, const std::vector<MachineLevel>& levels, double n) {
  using enum CollectiveKind;
  const double p = levels.back().processes;
  const bool one_group = kind == gather || kind == scatter;
  const bool all_take =
      kind == allreduce || kind == allgather || kind == alltoall || kind == reduce_scatter_block;
  double each = 1;  // processes in the groups between which the messages of a level go
  double all = 0;
  double most = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double outside =
        i + 1 < levels.size() ? bytes_between(kind, p, levels[i].processes, n) : 0;
    const double entering = bytes_between(kind, p, each, n);
    all += (entering - outside) * levels[i].costs.per_byte;
    most = std::max(most, entering / each * levels[i].costs.per_byte);
    each = levels[i].processes;
  }
  return one_group ? most : all / (all_take ? p : p - 1);
}

/// The larger of both bounds: of latency, for the smallest messages that can do it, and bandwidth.
inline VirtualTime lower_bound(CollectiveKind kind, const std::vector<MachineLevel>& levels,
                               std::size_t bytes) {
  if (levels.back().processes < 2) return 0;
  const VirtualTime latency = fastest_spread(levels, std::min<std::size_t>(bytes, 8));
  const MachineCosts& nearest = levels.front().costs;
  const double body = least_body(kind, levels, static_cast<double>(bytes)) - nearest.per_byte;
  const VirtualTime bandwidth =
      2 * nearest.overhead + nearest.latency + static_cast<VirtualTime>(std::max(0.0, body));
  return std::max(latency, bandwidth);
}

}  // namespace remit::logp
