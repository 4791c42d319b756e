// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A seeded virtual network with a virtual clock: thousands of processes in one thread, every fault
// on demand, the same run again from the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rdma_btl/device.hpp"
#include "runtime/clock.hpp"

namespace remit {

class SimDevice;
struct SimFlight;

/// The cost of a link in the LogGP model. Times in virtual nanoseconds.
struct SimLink {
  std::uint64_t latency_ns = 1000;  ///< L: from one adapter to the other, one way
  std::uint64_t overhead_ns = 100;  ///< o: a processor's time for an operation, or for a receive
  std::uint64_t gap_ns = 20;        ///< g: between two operations at an adapter
  double bytes_per_ns = 12.5;       ///< 1/G
  std::uint64_t jitter_ns = 0;      ///< each operation is late by a random time up to this
};

/// What a network is like. Everything random is drawn from `seed`. The defaults are a network
/// without faults; sim_hostile() is one with many.
struct SimConfig {
  std::uint64_t seed = 1;
  SimLink link;
  /// Another link for some pairs (same host, same rack ...); null, or a null result: `link`.
  std::function<const SimLink*(PeerName from, PeerName to)> link_between;

  /// Whether `from` reads and writes the memory of `to` by itself (Device::reaches_memory()), which
  /// takes no virtual time; null: nobody does.
  std::function<bool(PeerName from, PeerName to)> reaches_memory;

  /// What devices say of themselves, and what is enforced: an operation outside these limits
  /// completes with an error and counts as a violation. latency, bandwidth and overhead are filled
  /// in from `link` when they are 0.
  Caps caps = default_caps();

  std::uint32_t queue_depth = 64;  ///< operations accepted and not yet done, per endpoint
  double partial_accept = 0;       ///< probability that post() takes only a random prefix
  double error_rate = 0;         ///< probability that an operation fails, and its endpoint with it
  std::uint32_t max_chunks = 1;  ///< puts and gets become visible in up to this many parts, in
                                 ///< random order
  std::uint64_t connect_ns = 0;  ///< before the first operation on an endpoint can travel
  std::uint64_t detect_ns = 10000;    ///< from a death to the survivors' endpoint_failed
  std::uint64_t link_timeout_ns = 0;  ///< a link down for longer than this fails; 0: only lateness
  std::uint32_t receive_depth = 0;    ///< unread receives and notifications above this count as
                                      ///< SimStats::receiver_not_ready; 0: no limit
  std::size_t max_registered = 0;     ///< bytes that a process can register at once; 0: no limit
  bool shuffle_ready = false;  ///< pop_ready() picks at random instead of first come, first served
  bool real_wake = false;      ///< arm() and wait_fd() work with a real eventfd

  [[nodiscard]] static Caps default_caps();
};

/// A configuration with every tolerable fault switched on (jitter, partial acceptance, small
/// queues, parts in random order, slow connections, shuffled scheduling), drawn from `seed`.
[[nodiscard]] SimConfig sim_hostile(std::uint64_t seed);

/// Counters of one process.
struct SimStats {
  std::uint64_t sends = 0, puts = 0, gets = 0, atomics = 0, confirms = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t receives = 0;            ///< receives and notifications that arrived here
  std::uint32_t refused = 0;             ///< posts not accepted in full
  std::uint32_t max_in_flight = 0;       ///< of one endpoint
  std::uint32_t max_unread = 0;          ///< completions waiting for poll()
  std::uint32_t receiver_not_ready = 0;  ///< see SimConfig::receive_depth
};

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
  ~SimNetwork();
  SimNetwork(const SimNetwork&) = delete;
  SimNetwork& operator=(const SimNetwork&) = delete;

  /// The device of a new process, alone at its name. Destroying it is the process's orderly exit:
  /// what has not been flushed() is lost and counted. Cheapest when names are 0, 1, 2 ...
  [[nodiscard]] std::unique_ptr<SimDevice> add_process(PeerName name);

  [[nodiscard]] const SimConfig& config() const { return config_; }
  [[nodiscard]] const VirtualClock& clock() const { return clock_; }
  [[nodiscard]] std::uint64_t now_ns() const { return clock_.now_ns(); }
  /// The seeded source; tests may draw from it, which becomes part of the run.
  [[nodiscard]] std::mt19937_64& random() { return random_; }

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
  [[nodiscard]] std::optional<PeerName> pop_ready();

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
  [[nodiscard]] std::uint64_t violations() const { return violations_; }
  [[nodiscard]] const std::string& last_violation() const { return last_violation_; }
  /// Operations accepted and lost because their process left before flushed().
  [[nodiscard]] std::uint64_t lost_at_exit() const { return lost_at_exit_; }

  [[nodiscard]] const SimStats& stats(PeerName name) const;
  /// Events that happened so far.
  [[nodiscard]] std::uint64_t events() const { return events_; }
  /// A hash over all events so far: equal for equal seeds and equal programs.
  [[nodiscard]] std::uint64_t trace_hash() const { return trace_hash_; }
  /// Gets one line per event; empty: none.
  void set_trace(std::function<void(std::string_view)> sink) { trace_ = std::move(sink); }
  /// Bytes that the network itself holds (not its devices): events and operations under way.
  [[nodiscard]] std::size_t memory_in_use() const;

  static constexpr std::uint64_t kDefaultMaxEvents = 50'000'000;

 private:
  friend class SimDevice;
  struct Event;
  struct LinkState;
  enum class What : std::uint8_t;

  [[nodiscard]] std::uint32_t index_of(PeerName name) const;
  [[nodiscard]] SimDevice& device(PeerName name) const;
  [[nodiscard]] SimDevice* device_at(std::uint32_t index) const { return devices_[index]; }
  [[nodiscard]] const SimLink& link(std::uint32_t from, std::uint32_t to) const;
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return bound ? random_() % bound : 0; }
  [[nodiscard]] bool chance(double probability);

  [[nodiscard]] std::uint32_t new_flight();
  void free_flight(std::uint32_t flight);
  [[nodiscard]] SimFlight& flight(std::uint32_t index);
  void schedule(std::uint64_t time_ns, What what, std::uint32_t subject, std::uint32_t detail = 0);
  void make_ready(SimDevice& device);
  void violation(std::string message);
  void record(const Event& event);
  [[nodiscard]] bool is_doomed(std::uint32_t from, std::uint32_t to);

  // The life of a flight; see the definitions.
  void launch(std::uint32_t flight);
  void perform(const Event& event);
  void arrive(std::uint32_t flight, std::uint32_t chunk);
  [[nodiscard]] bool obstructed(SimFlight& flight);
  [[nodiscard]] bool held_back(What what, std::uint32_t flight, std::uint32_t chunk);
  [[nodiscard]] bool congested(std::uint32_t flight);
  void deliver_send(std::uint32_t flight);
  void deliver_chunk(std::uint32_t flight, std::uint32_t chunk);
  void deliver_atomic(std::uint32_t flight);
  void deliver_confirm(std::uint32_t flight);
  void answer_confirm(std::uint32_t flight);
  void settle_confirms(SimDevice& origin, EndpointId endpoint);
  void end_of_effect(SimFlight& flight);
  void check_memory(SimFlight& flight);
  static void copy_part(const SimFlight& flight, std::size_t begin, std::size_t end);
  void notify_and_acknowledge(std::uint32_t flight);
  void finish(std::uint32_t flight);
  void fail_endpoint(SimDevice& device, EndpointId endpoint, const std::string& reason);
  void link_timeout(std::uint32_t a, std::uint32_t b);
  void release(LinkState& state);
  void count_receive(SimDevice& device);
  /// The memory of a process's notices of that index, zeros at first; it stays.
  [[nodiscard]] std::byte* notices(std::uint32_t process, std::uint32_t index);
  void forget(SimDevice& device);

  SimConfig config_;
  VirtualClock clock_;
  std::mt19937_64 random_;
  std::vector<SimDevice*> devices_;                        ///< by index; null: left
  std::vector<PeerName> names_;                            ///< by index
  std::unordered_map<PeerName, std::uint32_t> odd_names_;  ///< those that are not their index
  std::vector<Event> heap_;
  std::deque<SimFlight> flights_;  ///< stays put when it grows
  std::vector<std::uint32_t> free_flights_;
  std::vector<std::uint32_t> ready_;
  std::size_t ready_head_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<LinkState>> down_links_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> injected_errors_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::byte>> notices_;
  std::function<void(std::string_view)> trace_;
  std::string last_violation_;
  std::uint64_t sequence_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t trace_hash_ = 0x9e3779b97f4a7c15;
  std::uint64_t violations_ = 0;
  std::uint64_t lost_at_exit_ = 0;
};

}  // namespace remit
