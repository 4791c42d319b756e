// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The start of a job of up to hundreds of thousands of virtual ranks: mpirun, its daemons,
// MPI_Init, a first barrier, an allreduce, MPI_Finalize. benchmarks/startup_scale makes tables of
// it.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/logp/optimal.hpp"
#include "benchmarks/start/measure.hpp"
#include "benchmarks/start/ranks.hpp"
#include "collectives/algorithms.hpp"
#include "collectives/choice/forced.hpp"

namespace remit::start {

namespace {

struct Options {
  Shape shape{1000, 64, 32};
  Costs costs;
  SimLink network{1000, 100, 200, 12.5, 0};  // as benchmarks/logp
  SimLink host{300, 100, 50, 12.5, 0};       // between ranks of one
  double connect = 0;
  std::size_t frame = 0;
  Ranks::Options ranks;
  bool by_host = false;
  bool measure = false;
};

/// A line "NAME:  123 kB" of /proc/self/status, in bytes.
std::uint64_t memory(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == name + ":" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

SimConfig config_of(const Options& options) {
  SimConfig config;
  config.link = options.network;
  config.link_between = [&options](PeerName from, PeerName to) {
    const auto host = static_cast<PeerName>(options.shape.per_host);
    return from / host == to / host ? &options.host : nullptr;
  };
  config.connect_ns = static_cast<std::uint64_t>(options.connect);
  return config;
}

/// What cannot be beaten with the same costs; each from the end of the one before, in nanoseconds.
struct Bounds {
  double raised = 0;    ///< whoever runs starts others on further hosts as fast as it can
  double prepared = 0;  ///< the job there, all its ranks known, and an answer
  double init = 0;      ///< the order to start; a daemon starts and serves all ranks of its host
  double barrier = 0;   ///< a look-up, a connection, an optimal barrier
};

Bounds bounds_of(const Options& options) {
  const Costs& c = options.costs;
  const Shape& shape = options.shape;
  const int hosts = shape.hosts();
  const double trip = hosts > 1 ? 2 * c.message + c.latency : 0;
  const auto spread = [](double arrival, double between, int processes) {
    return static_cast<double>(logp::optimal_broadcast(
        static_cast<std::int64_t>(arrival), static_cast<std::int64_t>(between), processes));
  };
  Bounds bounds;
  bounds.raised = spread(c.ssh + c.fork, c.fork, hosts) + trip;
  bounds.prepared = c.prepare * shape.ranks + 2 * trip;
  bounds.init = trip + c.fork * shape.count_of(0) + c.init + 2 * c.local + c.server;
  const SimLink& link = options.network;
  bounds.barrier = spread(static_cast<double>(link.latency_ns + 2 * link.overhead_ns),
                          static_cast<double>(link.gap_ns), shape.ranks);
  bounds.barrier += 2 * c.local + c.server + options.connect;
  if (hosts > 1) bounds.barrier += 2 * trip + c.server;
  return bounds;
}

/// The node with the most of something.
template <class Of>
std::uint64_t most(const Daemons& daemons, int from, Of of) {
  std::uint64_t value = 0;
  for (std::size_t node = static_cast<std::size_t>(from); node < daemons.nodes().size(); ++node) {
    value = std::max(value, of(daemons.nodes()[node]));
  }
  return value;
}

void print_daemons(const Daemons& daemons) {
  using Node = Daemons::Node;
  std::uint64_t messages = 0, bytes = 0;
  for (const Node& node : daemons.nodes()) {
    messages += node.messages();
    bytes += node.bytes();
  }
  const auto hosts = static_cast<double>(daemons.nodes().size());
  const auto count = [](const Node& node) { return node.messages(); };
  const auto size = [](const Node& node) { return node.bytes(); };
  const auto in = [](const Node& node) { return node.bytes_in; };
  int depth = 0;
  for (int node = daemons.shape().hosts() - 1; node > 0; node = daemons.tree().parent(node))
    ++depth;
  fmt::print(
      "hosts={} depth={} daemon_messages={:.1f} most_daemon_messages={} mpirun_messages={} "
      "daemon_bytes={:.0f} most_daemon_bytes={} most_bytes_in={} mpirun_bytes={} most_requests={} ",
      daemons.nodes().size(), depth, static_cast<double>(messages) / hosts, most(daemons, 1, count),
      daemons.nodes()[0].messages(), static_cast<double>(bytes) / hosts, most(daemons, 1, size),
      most(daemons, 1, in), daemons.nodes()[0].bytes(),
      most(daemons, 0, [](const Node& node) { return node.requests; }));
}

void print_ranks(const Ranks& ranks, int size) {
  const Ranks::Counts counts = ranks.counts();
  const double p = size;
  const auto mean = [p](const Ranks::Count& count) { return static_cast<double>(count.all) / p; };
  fmt::print(
      "algorithms={} blob={} init_lookups={} init_fences={} barrier_lookups={} lookups={:.2f} "
      "most_lookups={} "
      "messages={:.2f} most_messages={} rank_bytes={:.0f} most_rank_bytes={} endpoints={:.2f} "
      "most_endpoints={} ",
      ranks.algorithms(), counts.blob, counts.init_lookups.all, counts.init_fences,
      counts.barrier_lookups.most, mean(counts.lookups), counts.lookups.most, mean(counts.sends),
      counts.sends.most, mean(counts.bytes), counts.bytes.most, mean(counts.endpoints),
      counts.endpoints.most);
}

void print_times(const Options& options, const Launch::Times& launch, const Ranks::Times& ranks) {
  const Shape& shape = options.shape;
  const Bounds bounds = bounds_of(options);
  const auto ms = [](double ns) { return ns / 1e6; };
  const auto at = [&](Time time) { return ms(static_cast<double>(time)); };
  fmt::print("ranks={} per_host={} width={} modex={:d} ", shape.ranks, shape.per_host, shape.width,
             options.ranks.modex);
  fmt::print(
      "raised_ms={:.3f} prepared_ms={:.3f} begun_ms={:.3f} init_ms={:.3f} barrier_ms={:.3f} "
      "allreduce_ms={:.3f} left_ms={:.3f} ended_ms={:.3f} ",
      at(launch.raised), at(launch.prepared), at(launch.begun), at(ranks.initialized),
      at(ranks.barrier), at(ranks.allreduce), at(ranks.left), at(launch.ended));
  fmt::print("bound_raised_ms={:.3f} bound_prepared_ms={:.3f} bound_init_ms={:.3f} ",
             ms(bounds.raised), ms(bounds.prepared), ms(bounds.init));
  fmt::print("bound_barrier_ms={:.3f} ", ms(bounds.barrier));
}

int simulate(const Options& options) {
  const Shape& shape = options.shape;
  const std::uint64_t before = memory("VmRSS");
  const auto started = std::chrono::steady_clock::now();
  SimNetwork network(config_of(options));
  // Names in order are cheapest; the daemons are the process behind the ranks.
  std::vector<std::unique_ptr<SimDevice>> devices;
  devices.reserve(static_cast<std::size_t>(shape.ranks));
  for (int rank = 0; rank < shape.ranks; ++rank) {
    devices.push_back(network.add_process(static_cast<PeerName>(rank)));
  }
  const auto daemons_name = static_cast<PeerName>(shape.ranks);
  Events events(network, daemons_name);
  Daemons daemons(events, options.costs, shape);
  Exchange exchange(daemons, {options.frame, options.by_host});
  Ranks ranks(network, daemons, exchange, options.ranks, std::move(devices));
  Launch launch(daemons, [&](int rank) { ranks.begin(rank, launch); });
  launch.start();
  const auto drive = [&](PeerName name) {
    if (name == daemons_name) return events.run();
    ranks.drive(static_cast<int>(name));
  };
  // Nothing is under way when mpirun has heard of all ends.
  const bool ended = network.run(
      drive, [&] { return launch.times().ended != 0; }, ~std::uint64_t{0});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
  const std::uint64_t each = (memory("VmHWM") - before) / static_cast<std::uint64_t>(shape.ranks);
  print_times(options, launch.times(), ranks.times());
  print_daemons(daemons);
  print_ranks(ranks, shape.ranks);
  fmt::print("plan_bytes={} job_bytes={} remote_lookups={} memory={} seconds={:.2f}\n",
             launch.plan_bytes(), launch.job_bytes(), exchange.remote_lookups(), each,
             seconds.count());
  if (ended && ranks.done() && ranks.right() && network.violations() == 0) return 0;
  std::fprintf(stderr, "simulate: %s\n",
               !ended          ? "ranks wait for ever"
               : ranks.right() ? network.last_violation().c_str()
                               : "a wrong result");
  return 1;
}

[[noreturn]] void print_measured(const Shape& shape) {
  const Measured measured = measure(shape);
  const Costs& costs = measured.costs;
  fmt::print("message={:.0f} per_byte={:.4f} prepare={:.0f} prepare_bytes={:.0f}\n", costs.message,
             costs.per_byte, costs.prepare, measured.prepare_bytes);
  std::fflush(stdout);
  ::_exit(0);  // PMIx's threads still run
}

void add_costs(CLI::App& app, Options& options) {
  Costs& costs = options.costs;
  const auto add = [&app](const char* name, double& value, double usual, const char* words) {
    value = usual;
    app.add_option(name, value, words)->check(CLI::NonNegativeNumber)->capture_default_str();
  };
  add("--ssh", costs.ssh, 209e6, "ns from the start of an ssh to its daemon's connection");
  add("--fork", costs.fork, 738e3, "ns of a daemon to start a process");
  add("--init", costs.init, 2.38e6, "ns of a rank until it is in its job");
  add("--server", costs.server, 41.8e3, "ns of a daemon for a request of a rank");
  add("--message", costs.message, 3840, "ns of a daemon to send, or receive, a message");
  add("--per-byte", costs.per_byte, 0.119, "ns of a daemon for each byte of it");
  add("--prepare", costs.prepare, 12.4e3, "ns of a daemon for each rank of a job that it gets");
  add("--latency", costs.latency, 2100, "ns between daemons");
  add("--local", costs.local, 4000, "ns between a rank and its daemon");
  add("--connect", options.connect, 100e3, "ns to make a connection between ranks");
}

int run(int argc, char** argv) {
  CLI::App app(
      "The start of a job of many virtual ranks: virtual time of its parts and bounds for them, "
      "messages and bytes of daemons and ranks, look-ups, and memory of a rank on this machine.");
  Options options;
  app.add_option("--ranks", options.shape.ranks, "virtual ranks")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--per-host", options.shape.per_host, "of them on a host")
      ->check(CLI::Range(1, 1 << 12))
      ->capture_default_str();
  app.add_option("--width", options.shape.width, "daemons that a daemon starts: launch_width")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
  add_costs(app, options);
  options.frame = 64;
  app.add_option("--frame", options.frame, "bytes that PMIx adds to an address")
      ->capture_default_str();
  app.add_flag("--modex", options.ranks.modex,
               "MPI_Init exchanges all addresses, which Remit's does not");
  app.add_option("--algorithms", options.ranks.algorithms, "as the parameter coll_algorithms");
  app.add_flag("--by-host", options.by_host,
               "a look-up brings the addresses of all ranks of the host, which Remit's does not");
  app.add_flag("--measure", options.measure, "print what this machine needs for some of the above");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  try {
    if (options.measure) print_measured(options.shape);
    Params params;
    auto known = params.set("coll_algorithms", options.ranks.algorithms);
    if (known) known = check_forced_algorithms(params);
    if (!known) throw std::runtime_error(known.error().message);
    return simulate(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "simulate: %s\n", error.what());
    return 1;
  }
}

}  // namespace

}  // namespace remit::start

int main(int argc, char** argv) {
  return remit::start::run(argc, argv);
}
