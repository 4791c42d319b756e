// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// One collective operation of up to millions of virtual processes on a LogGP machine: its time,
// messages, bytes and memory beside what is possible. benchmarks/scale makes tables of it.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "benchmarks/logp/bounds.hpp"
#include "benchmarks/logp/operation.hpp"
#include "runtime/singleton_bootstrap.hpp"

namespace remit::logp {

namespace {

struct Options {
  std::string collective = "barrier";
  std::string algorithm;
  int ranks = 1000;
  std::size_t bytes = 8;
  bool floating = false;
  double latency = 1000, overhead = 100, gap = 200, per_byte = 0.08;
  bool list = false;
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

VirtualTime picoseconds(double nanoseconds) {
  return static_cast<VirtualTime>(nanoseconds * 1000);
}

const Algorithm* find_row(const Options& options, CollectiveKind kind, const CollectiveShape& shape,
                          const Params& params) {
  if (options.algorithm.empty()) return &choose_algorithm(kind, shape, params);
  for (const Algorithm& row : all_algorithms()) {
    const bool named = row.kind == kind && !row.inter && row.name == options.algorithm;
    if (named && row.run != nullptr && row.applies(shape)) return &row;
  }
  return nullptr;
}

/// What one run showed.
struct Result {
  VirtualTime time = 0;
  std::uint64_t messages = 0, most_messages = 0;
  std::uint64_t bytes = 0, most_bytes = 0;
  bool complete = true, right = true;
};

template <class T>
Result run_members(Engine& engine, const Algorithm& row, const Options& options,
                   const CollectiveTable& table) {
  const auto count = static_cast<std::size_t>(options.ranks);
  const Operation<T> operation(row.kind, options.ranks,
                               static_cast<MPI_Count>(options.bytes / sizeof(T)));
  std::vector<typename Operation<T>::Buffers> buffers;
  buffers.reserve(count);
  const auto members = std::make_unique<Member[]>(count);
  const auto group = Group::regular(0, 1, options.ranks);
  for (int r = 0; r < options.ranks; ++r) {
    Member& member = members[static_cast<std::size_t>(r)];
    buffers.push_back(operation.make_buffers(r));
    member.args = operation.args(buffers.back());
    join(member, engine, r, group, table, Place::network, 0);
  }
  for (std::size_t r = 0; r < count; ++r) {
    members[r].task = row.run(*members[r].context, members[r].args);
    members[r].task.start();
  }
  while (engine.step()) {
  }
  Result result;
  for (int r = 0; r < options.ranks; ++r) {
    const auto at = static_cast<std::size_t>(r);
    const Engine::Processor& processor = engine.processor(r);
    result.time = std::max(result.time, processor.free);
    result.messages += processor.messages;
    result.most_messages = std::max<std::uint64_t>(result.most_messages, processor.messages);
    result.bytes += processor.bytes;
    result.most_bytes = std::max(result.most_bytes, processor.bytes);
    if (!members[at].task.done() || members[at].task.result() != MPI_SUCCESS) {
      result.complete = false;
    } else if (!operation.right(r, buffers[at])) {
      result.right = false;
    }
  }
  return result;
}

std::string table_text(const Options& options) {
  return fmt::format("remit collective table 1\nmachine\nmodel network {} {} {} {} 0\n",
                     options.latency, options.overhead, options.gap, options.per_byte);
}

void print(const Options& options, const Algorithm& row, const Result& result, VirtualTime bound,
           std::uint64_t bytes_each, double seconds) {
  const double p = options.ranks;
  fmt::print(
      "collective={} algorithm={} ranks={} bytes={} type={} time_ns={:.1f} bound_ns={:.1f} "
      "messages={:.3f} most_messages={} sent={:.1f} most_sent={} memory={} seconds={:.2f}\n",
      options.collective, row.name, options.ranks, options.bytes,
      options.floating ? "double" : "int64", static_cast<double>(result.time) / 1000,
      static_cast<double>(bound) / 1000, static_cast<double>(result.messages) / p,
      result.most_messages, static_cast<double>(result.bytes) / p, result.most_bytes, bytes_each,
      seconds);
}

void list_algorithms() {
  for (const Algorithm& row : all_algorithms()) {
    if (row.run == nullptr || row.inter || !Operation<double>::knows(row.kind)) continue;
    fmt::print("{} {}\n", collective_name(row.kind), row.name);
  }
}

int simulate(const Options& options) {
  const auto table = CollectiveTable::parse(table_text(options), "machine");
  if (!table) {
    std::fprintf(stderr, "simulate: %s\n", table.error().message.c_str());
    return 2;
  }
  CollectiveShape shape;
  shape.size = options.ranks;
  shape.bytes = options.collective == "barrier" ? 0 : options.bytes;
  shape.elements = static_cast<MPI_Count>(shape.bytes / 8);
  shape.exact = !options.floating;
  shape.table = &*table;
  shape.place = Place::network;
  CollectiveKind kind = CollectiveKind::agree;
  for (const Algorithm& row : all_algorithms()) {
    if (collective_name(row.kind) == options.collective) kind = row.kind;
  }
  if (!Operation<double>::knows(kind)) {
    std::fprintf(stderr, "simulate: no collective '%s'; see --list\n", options.collective.c_str());
    return 2;
  }
  if (kind == CollectiveKind::reduce_scatter_block && shape.elements % options.ranks != 0) {
    std::fprintf(stderr, "simulate: the vector must be a multiple of 8 bytes for each rank\n");
    return 3;
  }
  Process process(make_singleton_bootstrap(), std::make_shared<SteadyClock>(), Params(), 1);
  const Algorithm* row = find_row(options, kind, shape, process.params());
  if (row == nullptr) {
    std::fprintf(stderr, "simulate: %s=%s does not apply here; see --list\n",
                 options.collective.c_str(), options.algorithm.c_str());
    return 3;
  }
  const std::uint64_t before = memory("VmRSS");
  const auto start = std::chrono::steady_clock::now();
  const MachineCosts costs{picoseconds(options.latency), picoseconds(options.overhead),
                           picoseconds(options.gap), options.per_byte * 1000};
  Engine engine(process, costs, options.ranks);
  const Result result = options.floating ? run_members<double>(engine, *row, options, *table)
                                         : run_members<std::int64_t>(engine, *row, options, *table);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const std::uint64_t each = (memory("VmHWM") - before) / static_cast<std::uint64_t>(options.ranks);
  print(options, *row, result, lower_bound(kind, costs, options.ranks, shape.bytes), each,
        seconds.count());
  if (result.complete && result.right) return 0;
  std::fprintf(stderr, "simulate: %s\n",
               result.complete ? "a wrong result" : "members wait for ever, or failed");
  return 1;
}

int run(int argc, char** argv) {
  CLI::App app(
      "One collective operation of many virtual processes on a LogGP machine: virtual time, the "
      "bound that no algorithm can beat, messages and bytes of a process (mean and most), and "
      "memory of a process on this machine.");
  Options options;
  app.add_option("--collective", options.collective, "the operation")->capture_default_str();
  app.add_option("--algorithm", options.algorithm, "default: what Remit chooses");
  app.add_option("--ranks", options.ranks, "virtual processes")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  app.add_option("--bytes", options.bytes, "of one contribution; multiples of 8")
      ->check(CLI::Range(std::size_t{8}, std::size_t{1} << 30))
      ->capture_default_str();
  app.add_flag("--double", options.floating, "sums of doubles, not of integers");
  app.add_option("-L,--latency", options.latency, "ns through the network")->capture_default_str();
  app.add_option("-o,--overhead", options.overhead, "ns of a processor for each message")
      ->capture_default_str();
  app.add_option("-g,--gap", options.gap, "ns between messages of one process")
      ->capture_default_str();
  app.add_option("-G,--per-byte", options.per_byte, "ns for a byte")->capture_default_str();
  app.add_flag("--list", options.list, "print what there is");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  if (options.list) {
    list_algorithms();
    return 0;
  }
  return simulate(options);
}

}  // namespace

}  // namespace remit::logp

int main(int argc, char** argv) {
  return remit::logp::run(argc, argv);
}
