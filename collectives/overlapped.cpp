// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Barrier and allreduce by dissemination whose messages overlap: as fast as the LogP model allows.
#include "collectives/overlapped.hpp"

#include <new>

#include "collectives/algorithms.hpp"
#include "collectives/buffers.hpp"

namespace remit {

namespace {

/// The steps of one member, the same for all. Its memory is the operation's.
class Schedule {
 public:
  Schedule(CollCtx& c, std::size_t bytes)
      : way_{c.size(),
             best_lag(model_of(c.engine(), c.comm()), c.size(), static_cast<double>(bytes))},
        steps_(way_.steps()) {
    const auto count = static_cast<std::size_t>(steps_) + 1;
    windows_ = {new (c.scratch(count * sizeof(int))) int[count], count};
    way_.fill(windows_);
  }

  [[nodiscard]] int lag() const { return way_.lag; }
  [[nodiscard]] int steps() const { return steps_; }
  [[nodiscard]] Overlapped::Message message(int step) const { return way_.message(windows_, step); }

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
  void start(CollCtx& c, int step, int distance, const View& out, const View& in) {
    const int size = c.size();
    auto* send = new (at(step)) Request(RequestKind::send);
    auto* receive = new (at(step) + sizeof(Request)) Request(RequestKind::receive);
    c.start_receive(*receive, in, (c.rank() + distance) % size);
    c.start_send(*send, out, (c.rank() + size - distance) % size);
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
  const Schedule schedule(c, 0);
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
  const Schedule schedule(c, bytes);
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

}  // namespace remit
