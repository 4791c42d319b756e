// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Barrier, allreduce and allgather by dissemination whose messages overlap: as fast as the LogP
// model allows, or nearly.
#include "collectives/algorithms/overlapped.hpp"

#include <new>

#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "collectives/algorithms/grouping.hpp"

namespace remit {

namespace {

/// For messages of `bytes`.
int lag_for(CollCtx& c, std::size_t bytes) {
  return best_lag(model_of(c.engine(), c.comm()), c.size(), static_cast<double>(bytes));
}

/// The steps of one member, the same for all. Its memory is the operation's.
class Schedule {
 public:
  Schedule(CollCtx& c, int size, int lag) : way_{size, lag}, steps_(way_.steps()) {
    const auto count = static_cast<std::size_t>(steps_) + 1;
    windows_ = {new (c.scratch(count * sizeof(int))) int[count], count};
    way_.fill(windows_);
  }

  [[nodiscard]] int lag() const { return way_.lag; }
  [[nodiscard]] int steps() const { return steps_; }
  [[nodiscard]] Overlapped::Message message(int step) const { return way_.message(windows_, step); }
  /// Members whose contributions are known after a step.
  [[nodiscard]] int window(int step) const { return windows_[static_cast<std::size_t>(step)]; }

 private:
  Overlapped way_;
  int steps_;
  std::span<int> windows_;
};

/// The messages under way: what a member sends at step t and what it receives at step t + lag are
/// completed together, then their place serves again. A send may need its receive to complete, and
/// so on round the ring, so none is waited for alone.
class Pairs {
 public:
  Pairs(CollCtx& c, int lag)
      : memory_(c.scratch(2 * sizeof(Request) * static_cast<std::size_t>(lag))), lag_(lag) {}

  /// Starts the receive of a step and the send of the step `lag` before it.
  void start(CollCtx& c, int step, const View& out, int to, const View& in, int from) {
    auto* send = new (at(step)) Request(RequestKind::send);
    auto* receive = new (at(step) + sizeof(Request)) Request(RequestKind::receive);
    c.start_receive(*receive, in, from);
    c.start_send(*send, out, to);
  }
  /// The same among all members, with those at this distance.
  void start(CollCtx& c, int step, int distance, const View& out, const View& in) {
    const int size = c.size();
    start(c, step, out, (c.rank() + size - distance) % size, in, (c.rank() + distance) % size);
  }
  [[nodiscard]] std::span<Request> of(int step) const {
    return {std::launder(reinterpret_cast<Request*>(at(step))), 2};
  }

 private:
  [[nodiscard]] std::byte* at(int step) const {
    return memory_ + 2 * sizeof(Request) * static_cast<std::size_t>(step % lag_);
  }
  std::byte* memory_;
  int lag_;
};

}  // namespace

/// Dissemination with several messages under way at once, in the number that the model gives: where
/// the network is slow against the processors it takes little more than half of the time of
/// barrier_dissemination. Any size.
Task<int> barrier_overlapped(CollCtx& c, const CollectiveArgs& /*a*/) {
  const Schedule schedule(c, c.size(), lag_for(c, 0));
  Pairs pairs(c, schedule.lag());
  const View nothing = bytes_view(nullptr, 0);
  for (int step = 0; step <= schedule.steps(); ++step) {
    if (step >= schedule.lag() && !schedule.message(step).empty) {
      auto arrival = c.all(pairs.of(step));
      co_await arrival;
    }
    const int later = step + schedule.lag();
    if (later > schedule.steps() || schedule.message(later).empty) continue;
    pairs.start(c, later, schedule.message(later).distance, nothing, nothing);
  }
  co_return c.error();
}

namespace {

/// What a member knows: the contributions of its window, and those but its own.
struct Knowledge {
  void* with_own;
  void* others;
  bool has_others = false;

  /// Takes in what has arrived.
  void take_in(const CollCtx& c, const CollectiveArgs& a, const void* arrived) {
    const View from = view_of(arrived, a.recv_count, *a.recv_type);
    if (has_others) {
      combine(c, a, arrived, others, a.recv_count);
    } else {
      copy_local(from, view_of(others, a.recv_count, *a.recv_type));
      has_others = true;
    }
    combine(c, a, arrived, with_own, a.recv_count);
  }
};

}  // namespace

/// The same with data. Each member combines in an order of its own, so it is for operations whose
/// result does not depend on that: integers, not floating-point sums, which must be the same
/// everywhere. Short vectors.
Task<int> allreduce_overlapped(CollCtx& c, const CollectiveArgs& a) {
  start_in_recv(a);
  const Datatype& type = *a.recv_type;
  const MPI_Count count = a.recv_count;
  const std::size_t bytes = view_of(a.recv, count, type).size();
  const Schedule schedule(c, c.size(), lag_for(c, bytes));
  const int lag = schedule.lag();
  Pairs pairs(c, lag);
  Knowledge known{a.recv, c.scratch(count, type)};
  // A message that has left may still be read when what is known has grown.
  std::byte* const outgoing = c.scratch(count * lag, type);
  std::byte* const incoming = c.scratch(count * lag, type);
  for (int step = 0; step <= schedule.steps(); ++step) {
    const MPI_Count place = count * (step % lag);
    if (step >= lag && !schedule.message(step).empty) {
      auto arrival = c.all(pairs.of(step));
      co_await arrival;
      known.take_in(c, a, element(incoming, place, type));
    }
    const int later = step + lag;
    if (later > schedule.steps() || schedule.message(later).empty) continue;
    const Overlapped::Message message = schedule.message(later);
    const View out = slice(outgoing, place, count, type);
    const View in = slice(incoming, place, count, type);
    copy_local(view_of(message.without_own ? known.others : known.with_own, count, type), out);
    pairs.start(c, later, message.distance, out, in);
  }
  co_return c.error();
}

// --- all values to all ---------------------------------------------------------------------------

namespace {

/// Values of a circle's members, by their distance from this one, whose own is the first.
struct Values {
  std::byte* memory;
  MPI_Count count;  ///< elements of each
  const Datatype& type;

  [[nodiscard]] View of(int first, int values) const {
    return slice(memory, count * first, count * values, type);
  }
};

/// Fills all of `values` but the first. `rank_of(i)` is the rank of the circle's i-th member.
template <class RankOf>
Task<int> spread(CollCtx& c, Pairs& pairs, int lag, Circle circle, RankOf rank_of, Values values) {
  const Schedule schedule(c, circle.size, lag);
  for (int step = 0; step <= schedule.steps(); ++step) {
    if (step >= lag && !schedule.message(step).empty) {
      auto arrival = c.all(pairs.of(step));
      co_await arrival;
    }
    const int later = step + lag;
    if (later > schedule.steps() || schedule.message(later).empty) continue;
    const Overlapped::Message message = schedule.message(later);
    const int less = message.without_own ? 1 : 0;
    const int known = schedule.window(later - 1);
    const View out = values.of(less, schedule.window(step) - less);
    const View in = values.of(known, schedule.window(later) - known);
    const int to = rank_of((circle.own + circle.size - message.distance) % circle.size);
    const int from = rank_of((circle.own + message.distance) % circle.size);
    pairs.start(c, later, out, to, in, from);
  }
  co_return c.error();
}

/// Combines the values of a circle in the order of its members; the result is the first then.
void combine_in_order(const CollCtx& c, const CollectiveArgs& a, const Circle& circle,
                      const Values& values) {
  const auto at = [&](int member) {
    const int distance = (member - circle.own + circle.size) % circle.size;
    return element(values.memory, values.count * distance, values.type);
  };
  void* result = at(circle.size - 1);
  for (int i = circle.size - 2; i >= 0; --i) combine(c, a, at(i), result, values.count);
  if (result == values.memory) return;
  copy_local(view_of(result, values.count, values.type), values.of(0, 1));
}

}  // namespace

/// In groups, of which all members get all values and combine them in the order of ranks: so all
/// have the same to the last bit, whatever the operation. Then groups of groups. For short vectors.
Task<int> allreduce_grouped(CollCtx& c, const CollectiveArgs& a) {
  const Datatype& type = *a.recv_type;
  const View result = view_of(a.recv, a.recv_count, type);
  const Grouping grouping(reduction_model(c.engine(), c.comm()), c.size(),
                          static_cast<double>(result.size()));
  const Grouping::Seat seat = grouping.seat(c.rank());
  const int length = grouping.length(seat.block);
  int most = length;
  for (int i = 1; i < grouping.rounds(); ++i) most = std::max(most, grouping.circle(seat, i).size);
  const Values values{c.scratch(a.recv_count * most, type), a.recv_count, type};
  copy_local(view_of(contribution(a), a.recv_count, type), values.of(0, 1));
  Pairs pairs(c, grouping.lag());
  const bool beyond = seat.index >= grouping.common();
  for (int round = 0; round < (beyond ? 1 : grouping.rounds()); ++round) {
    const bool inside = round == 0;
    const Circle circle =
        inside ? Circle{length, seat.index, seat.block, 0} : grouping.circle(seat, round);
    const auto rank_of = [&grouping, circle, seat, inside](int i) {
      return grouping.rank({circle.first + i * circle.step, inside ? i : seat.index});
    };
    Task<int> turn = spread(c, pairs, grouping.lag(), circle, rank_of, values);
    co_await turn;
    combine_in_order(c, a, circle, values);
  }
  if (grouping.rounds() > 1 && beyond) {
    auto told = c.receive(result, grouping.rank({seat.block, 0}));
    co_await told;
    co_return c.error();
  }
  if (grouping.rounds() > 1 && seat.index == 0 && length > grouping.common()) {
    auto telling = c.send(values.of(0, 1), grouping.rank({seat.block, length - 1}));
    co_await telling;
  }
  copy_local(values.of(0, 1), result);
  co_return c.error();
}

/// Allgather of short blocks: no step waits for the one before it.
Task<int> allgather_overlapped(CollCtx& c, const CollectiveArgs& a) {
  const View own = receive_slot(a, c.rank());
  const std::size_t block = own.size();
  const bool in_place = a.send == MPI_IN_PLACE;
  const View mine = in_place ? own : view_of(a.send, a.send_count, *a.send_type);
  const Values values{c.scratch(block * static_cast<std::size_t>(c.size())),
                      static_cast<MPI_Count>(block), predefined(MPI_BYTE)};
  copy_local(mine, values.of(0, 1));
  if (!in_place) copy_local(mine, own);
  const int lag = lag_for(c, block);
  Pairs pairs(c, lag);
  const auto same = [](int i) { return i; };
  Task<int> all = spread(c, pairs, lag, Circle{c.size(), c.rank(), 0, 1}, same, values);
  co_await all;
  for (int i = 1; i < c.size(); ++i) {
    copy_local(values.of(i, 1), receive_slot(a, (c.rank() + i) % c.size()));
  }
  co_return c.error();
}

}  // namespace remit
