// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Members in groups, groups of groups and so on, in which all of a group come to know the same.
// Pure functions, tested for every size from 1 to 257.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "collectives/algorithms/overlapped.hpp"
#include "collectives/algorithms/peers.hpp"

namespace remit {

/// Some members in their order, among whom `own` is this one.
struct Circle {
  int size = 1;
  int own = 0;
  int first = 0;  ///< block of member 0
  int step = 1;   ///< between the blocks of neighbours
};

/// Neighbours make blocks, of the same length or one more. In round 0 all of a block learn from
/// each other; in each later one sizes[round] blocks, or sets of blocks, that follow each other:
/// the i-th member of each learns from the i-th of the others. Afterwards a set of blocks is that
/// many times as large, and at the end it is all. Members beyond the common length of blocks take
/// part in round 0 only, and are told the result by the first of their block.
class Grouping {
 public:
  static constexpr int kMost = 64;  ///< blocks, or members, that learn from each other
  static constexpr int kRounds = 8;

  /// The quickest one for values of `bytes`. Whoever computes it with the same model and numbers
  /// comes to the same.
  Grouping(const LogGP& model, int size, double bytes) : lag_(best_lag(model, size, bytes)) {
    for (int rounds = 1; rounds <= kRounds; ++rounds) {
      Plan plan;
      if (!plan.make(size, rounds)) continue;
      plan.cost = time_of(plan, model, size, bytes);
      if (best_.cost == 0 || plan.cost < best_.cost) best_ = plan;
    }
    blocks_ = {size, best_.blocks};
  }

  /// Nanoseconds by the model.
  [[nodiscard]] double cost() const { return best_.cost; }
  [[nodiscard]] int lag() const { return lag_; }
  [[nodiscard]] int rounds() const { return best_.rounds; }
  /// The members of a block that take part in all rounds.
  [[nodiscard]] int common() const { return static_cast<int>(blocks_.total / blocks_.parts); }

  /// Where a member is.
  struct Seat {
    int block;
    int index;
  };
  [[nodiscard]] Seat seat(int rank) const {
    const auto longer = static_cast<int>(blocks_.total % blocks_.parts) * (common() + 1);
    if (rank < longer) return {rank / (common() + 1), rank % (common() + 1)};
    const auto past = static_cast<int>(blocks_.total % blocks_.parts);
    return {past + (rank - longer) / common(), (rank - longer) % common()};
  }
  [[nodiscard]] int rank(const Seat& seat) const {
    return static_cast<int>(blocks_.begin(seat.block)) + seat.index;
  }
  [[nodiscard]] int blocks() const { return blocks_.parts; }
  /// Members in a block.
  [[nodiscard]] int length(int block) const { return static_cast<int>(blocks_.count(block)); }

  /// Those from whom a member learns in a round > 0.
  [[nodiscard]] Circle circle(const Seat& seat, int round) const {
    int step = 1;
    for (int i = 1; i < round; ++i) step *= best_.sizes[static_cast<std::size_t>(i)];
    const int size = best_.sizes[static_cast<std::size_t>(round)];
    const int own = seat.block / step % size;
    return {size, own, seat.block - own * step, step};
  }

 private:
  struct Plan {
    int rounds = 1;
    int blocks = 1;
    std::array<int, kRounds> sizes = {};  ///< from round 1 on
    double cost = 0;

    /// False: there is none with so many rounds. Sizes are about equal, and divide what they can
    /// without getting far from that.
    bool make(int size, int wanted) {
      rounds = wanted;
      int rest = size;
      for (int round = wanted - 1; round > 0; --round) {
        const int even = root(rest, round + 1);
        if (even < 2 || even > kMost) return false;
        int best = even;
        int distance = rest % even == 0 ? 0 : kFar;
        for (int i = even * 2 / 3; i <= std::min(even * 3 / 2, kMost); ++i) {
          const int away = 1000 * std::max(i, even) / std::max(1, std::min(i, even)) - 1000;
          if (i < 2 || rest % i != 0 || away >= distance) continue;
          best = i;
          distance = away;
        }
        sizes[static_cast<std::size_t>(round)] = best;
        blocks *= best;
        rest /= best;
      }
      return rest >= 1 && (size - 1) / blocks < kMost;
    }
  };
  static constexpr int kFar = 1 << 30;

  /// The least number whose power is n or more. In integers, for all members must agree.
  [[nodiscard]] static int root(int n, int power) {
    for (int k = 1;; ++k) {
      std::int64_t product = 1;
      for (int i = 0; i < power && product < n; ++i) product *= k;
      if (product >= n || k > kMost) return k;
    }
  }
  /// All values of a group arrive one behind the other, and are combined.
  [[nodiscard]] double round_cost(const LogGP& model, int members, double bytes) const {
    if (members < 2) return 0;
    return overlapped_cost(model, members, lag_, 0) +
           (members - 1) * bytes * (model.per_byte + model.reduce);
  }
  [[nodiscard]] double time_of(const Plan& plan, const LogGP& model, int size, double bytes) const {
    const bool equal = size % plan.blocks == 0;
    // What others read and what the result needs are two copies.
    double time =
        bytes * model.per_byte + round_cost(model, size / plan.blocks + (equal ? 0 : 1), bytes);
    for (int round = 1; round < plan.rounds; ++round) {
      time += round_cost(model, plan.sizes[static_cast<std::size_t>(round)], bytes);
    }
    return time + (equal ? 0 : model.alpha() + bytes * model.per_byte);
  }

  int lag_;
  Plan best_;
  Blocks blocks_{1, 1};
};

}  // namespace remit
