// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A seeded virtual network with a virtual clock: thousands of processes in one thread, every fault
// on demand, the same run again from the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "rdma_btl/sim/event_queue.hpp"
#include "rdma_btl/sim/fault_plan.hpp"
#include "rdma_btl/sim/flight.hpp"
#include "rdma_btl/sim/notice_memory.hpp"
#include "rdma_btl/sim/processes.hpp"
#include "rdma_btl/sim/random_source.hpp"
#include "rdma_btl/sim/sim_config.hpp"
#include "rdma_btl/sim/trace.hpp"
#include "rdma_btl/sim/transport.hpp"

namespace remit {

class SimDevice;

namespace sim {

/// The parts of a network with which a device works. All outlive it.
struct Fabric {
  const SimConfig& config;
  RandomSource& random;
  EventQueue& queue;
  Trace& trace;
  FlightPool& flights;
  Processes& processes;
  FaultPlan& faults;
  Transport& transport;
  NoticeMemory& notices;
};

}  // namespace sim

/// One network per test. One thread. Must outlive its devices.
///
/// Time stands still while processes run: post() schedules, step() moves to the next event. A
/// process's own time is modelled by SimDevice::busy_until_ns().
///
///     SimNetwork network({.seed = test_seed()});
///     auto a = network.add_process(0), b = network.add_process(1);
///     ...
///     network.run([&](PeerName p) { progress(p); }, [&] { return all_done(); });
class SimNetwork {
 public:
  explicit SimNetwork(SimConfig config = {});
  SimNetwork(const SimNetwork&) = delete;

  /// The device of a new process, alone at its name. Destroying it is the process's orderly exit:
  /// what has not been flushed() is lost and counted. Cheapest when names are 0, 1, 2 ...
  [[nodiscard]] std::unique_ptr<SimDevice> add_process(PeerName name);

  [[nodiscard]] const SimConfig& config() const { return config_; }
  [[nodiscard]] const VirtualClock& clock() const { return queue_.clock(); }
  [[nodiscard]] std::uint64_t now_ns() const { return queue_.now_ns(); }
  /// The seeded source; tests may draw from it, which becomes part of the run.
  [[nodiscard]] std::mt19937_64& random() { return random_.source(); }

  // --- running ---------------------------------------------------------------------------------

  /// Moves the clock to the next event and performs it. False: nothing is under way.
  bool step();

  /// Steps until `done()` or until nothing is under way or `max_events` have happened. Returns
  /// done(). `done` usually progresses the processes first.
  template <class Done>
  [[nodiscard]] bool run_until(Done done, std::uint64_t max_events = kDefaultMaxEvents) {
    for (std::uint64_t events = 0; !done(); ++events) {
      if (events == max_events || !step()) return done();
    }
    return true;
  }

  /// Calls `drive(name)` for each process for which something happened (so the cost is per event,
  /// not per process), stepping in between, until `done()`; returns done(). A process that has
  /// work of its own to begin with is made ready by wake().
  template <class Drive, class Done>
  [[nodiscard]] bool run(Drive drive, Done done, std::uint64_t max_events = kDefaultMaxEvents) {
    for (std::uint64_t events = 0; !done(); ++events) {
      if (const std::optional<PeerName> ready = pop_ready()) {
        drive(*ready);
      } else if (events == max_events || !step()) {
        return done();
      }
    }
    return true;
  }

  /// A process with unread completions, or whose refused operations may be offered again, or which
  /// asked for wake(); each is returned once until something new happens.
  [[nodiscard]] std::optional<PeerName> pop_ready() { return processes_.pop_ready(); }

  /// Makes a process ready now, or at a virtual time (a timer).
  void wake(PeerName name);
  void wake_at(PeerName name, std::uint64_t time_ns);

  // --- faults ----------------------------------------------------------------------------------

  /// The process stops at once: nothing of it arrives any more, peers that have an endpoint to it
  /// get endpoint_failed after SimConfig::detect_ns, operations on it fail.
  void kill(PeerName name);
  [[nodiscard]] bool alive(PeerName name) const;

  /// Down: nothing passes between the two until it is up again (then all arrives, late, in order),
  /// or the endpoints fail after SimConfig::link_timeout_ns.
  void set_link(PeerName a, PeerName b, bool up);

  /// The connection between two processes breaks; both live, both get endpoint_failed.
  void break_connection(PeerName a, PeerName b);

  /// The next operation that `from` posts to `to` fails.
  void inject_error(PeerName from, PeerName to);

  // --- judging ---------------------------------------------------------------------------------

  /// Uses of the interface that a real device would punish: a limit of Caps exceeded, memory
  /// without a valid key. Tests expect 0; last_violation() says what it was.
  [[nodiscard]] std::uint64_t violations() const { return trace_.violations(); }
  [[nodiscard]] const std::string& last_violation() const { return trace_.last_violation(); }
  /// Operations accepted and lost because their process left before flushed().
  [[nodiscard]] std::uint64_t lost_at_exit() const { return processes_.lost_at_exit(); }

  [[nodiscard]] const SimStats& stats(PeerName name) const;
  /// Events that happened so far.
  [[nodiscard]] std::uint64_t events() const { return queue_.happened(); }
  /// A hash over all events so far: equal for equal seeds and equal programs.
  [[nodiscard]] std::uint64_t trace_hash() const { return trace_.hash(); }
  /// Gets one line per event; empty: none.
  void set_trace(std::function<void(std::string_view)> sink) { trace_.set_sink(std::move(sink)); }
  /// Bytes that the network itself holds (not its devices): events and operations under way.
  [[nodiscard]] std::size_t memory_in_use() const;

  static constexpr std::uint64_t kDefaultMaxEvents = 50'000'000;

 private:
  SimConfig config_;
  sim::RandomSource random_{config_.seed};
  sim::EventQueue queue_;
  sim::Trace trace_;
  sim::FlightPool flights_;
  sim::Processes processes_{random_, config_.shuffle_ready};
  sim::FaultPlan faults_{random_, config_.error_rate};
  sim::NoticeMemory notices_;
  sim::Transport transport_{config_, random_, queue_, trace_, processes_, flights_, faults_};
  sim::Fabric fabric_{config_,    random_, queue_,     trace_,  flights_,
                      processes_, faults_, transport_, notices_};
};

}  // namespace remit
