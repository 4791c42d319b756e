// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// One collective operation of up to millions of virtual processes on a LogGP machine: its time,
// messages, bytes and memory beside what is possible. benchmarks/scale makes tables of it.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "benchmarks/logp/bounds.hpp"
#include "benchmarks/logp/operation.hpp"
#include "collectives/hierarchy.hpp"
#include "runtime/bootstrap/singleton_bootstrap.hpp"

namespace remit::logp {

namespace {

struct Options {
  std::string collective = "barrier";
  std::string algorithm;
  int ranks = 1000;
  std::size_t bytes = 8;
  bool floating = false;
  double latency = 1000, overhead = 100, gap = 200, per_byte = 0.08;
  std::vector<std::string> inner;
  int cells = 0;
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

/// The level of words like 64:200:100:200:0.06 (processes, L, o, g, G).
MachineLevel level_of(const std::string& words) {
  MachineLevel level;
  double latency = 0, overhead = 0, gap = 0, per_byte = 0;
  std::istringstream stream(words);
  stream >> level.processes;
  bool good = level.processes > 0;
  for (double* value : {&latency, &overhead, &gap, &per_byte}) {
    char between = 0;
    stream >> between >> *value;
    good = good && between == ':' && *value >= 0;
  }
  if (!stream || !stream.eof() || !good) {
    throw CLI::ValidationError("--inner", "'" + words + "' is not processes:L:o:g:G");
  }
  level.costs = {picoseconds(latency), picoseconds(overhead), picoseconds(gap), per_byte * 1000};
  return level;
}

/// The levels inside the network, each made of whole ones of the level before.
std::vector<MachineLevel> inner_levels(const Options& options) {
  std::vector<MachineLevel> levels;
  for (const std::string& words : options.inner) {
    const MachineLevel level = level_of(words);
    const int before = levels.empty() ? 1 : levels.back().processes;
    if (level.processes <= before || level.processes % before != 0) {
      throw CLI::ValidationError("--inner", "'" + words + "' is no multiple of the level before");
    }
    levels.push_back(level);
  }
  if (levels.size() > Engine::kLevels) throw CLI::ValidationError("--inner", "too many levels");
  return levels;
}

/// A table by which algorithms are chosen among processes of one level: all messages are as there.
/// `near`: inside the cells.
CollectiveTable table_of(const MachineCosts& costs, const MachineCosts& near) {
  const auto line = [](std::string_view place, const MachineCosts& c) {
    return fmt::format("model {} {} {} {} {} 0\n", place, c.latency / 1000.0, c.overhead / 1000.0,
                       c.gap / 1000.0, c.per_byte / 1000);
  };
  const std::string text =
      "remit collective table 1\nmachine\n" + line("network", costs) + line("host", near);
  auto table = CollectiveTable::parse(text, "machine");
  if (!table) throw CLI::ValidationError("costs", table.error().message);
  return std::move(*table);
}

/// The machine, and what its members know of it.
struct Setting {
  MachineCosts outer;
  std::vector<MachineLevel> inner, levels;  ///< of the machine; as for the bounds
  CollectiveTable whole, inside, among;     ///< for all, those of a cell, the leaders of cells

  explicit Setting(const Options& options)
      : outer{picoseconds(options.latency), picoseconds(options.overhead), picoseconds(options.gap),
              options.per_byte * 1000},
        inner(inner_levels(options)),
        levels(levels_of(inner, outer, options.ranks)),
        whole(table_of(costs_among(options.ranks), costs_among(options.cells))),
        inside(table_of(costs_among(options.cells), costs_among(options.cells))),
        among(whole) {}

 private:
  /// Of the smallest level that has so many processes.
  [[nodiscard]] MachineCosts costs_among(int processes) const {
    for (const MachineLevel& level : inner) {
      if (level.processes >= processes) return level.costs;
    }
    return outer;
  }
};

/// Gives a member its cells, and both parts the costs among their members.
void set_cells(Member& member, int each, const Setting& setting) {
  const auto cells = std::make_shared<Hierarchy>(member.comm, each);
  const auto tell = [](const CommCore& part, const CollectiveTable& table) {
    CollectiveState& state = collective_state(part);
    state.table = &table;
    // By messages, like all here, also inside of a host.
    state.cost_class = CostClass::network;
  };
  tell(cells->inside(), setting.inside);
  tell(cells->among(), setting.among);
  collective_state(member.comm).hierarchy = cells;
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
  std::uint64_t messages = 0, most_messages = 0, outward = 0;
  std::uint64_t bytes = 0, most_bytes = 0;
  bool complete = true, right = true;
};

template <class T>
Result run_members(Engine& engine, const Algorithm& row, const Options& options,
                   const Setting& setting) {
  const auto count = static_cast<std::size_t>(options.ranks);
  const Operation<T> operation(row.kind, options.ranks,
                               static_cast<MPI_Count>(options.bytes / sizeof(T)));
  std::vector<typename Operation<T>::Buffers> buffers;
  buffers.reserve(count);
  const auto members = std::make_unique<Member[]>(count);
  const auto group = Group::regular(ProcId{0}, 1, options.ranks);
  for (int r = 0; r < options.ranks; ++r) {
    Member& member = members[static_cast<std::size_t>(r)];
    buffers.push_back(operation.make_buffers(r));
    member.args = operation.args(buffers.back());
    join(member, engine, r, group, setting.whole, CostClass::network, 0);
    if (options.cells > 0) set_cells(member, options.cells, setting);
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
    result.outward += processor.outward;
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

void print(const Options& options, const Algorithm& row, const Result& result, VirtualTime bound,
           std::uint64_t bytes_each, double seconds) {
  const double p = options.ranks;
  fmt::print(
      "collective={} algorithm={} ranks={} bytes={} type={} time_ns={:.1f} bound_ns={:.1f} "
      "messages={:.3f} most_messages={} outward={:.3f} sent={:.1f} most_sent={} memory={} "
      "seconds={:.2f}\n",
      options.collective, row.name, options.ranks, options.bytes,
      options.floating ? "double" : "int64", static_cast<double>(result.time) / 1000,
      static_cast<double>(bound) / 1000, static_cast<double>(result.messages) / p,
      result.most_messages, static_cast<double>(result.outward) / p,
      static_cast<double>(result.bytes) / p, result.most_bytes, bytes_each, seconds);
}

void list_algorithms() {
  for (const Algorithm& row : all_algorithms()) {
    if (row.run == nullptr || row.inter || !Operation<double>::knows(row.kind)) continue;
    fmt::print("{} {}\n", collective_name(row.kind), row.name);
  }
}

/// What all members see of the operation.
CollectiveShape shape_for(const Options& options, const Setting& setting) {
  CollectiveShape shape;
  shape.size = options.ranks;
  shape.bytes = options.collective == "barrier" ? 0 : options.bytes;
  shape.elements = static_cast<MPI_Count>(shape.bytes / 8);
  shape.exact = !options.floating;
  shape.table = &setting.whole;
  shape.cost_class = CostClass::network;
  return shape;
}

/// Says that this cannot be run; the status for it.
int refuse(int status, const std::string& why) {
  std::fprintf(stderr, "simulate: %s\n", why.c_str());
  return status;
}

int simulate(const Options& options) {
  const Setting setting(options);
  CollectiveShape shape = shape_for(options, setting);
  CollectiveKind kind = CollectiveKind::agree;
  for (const Algorithm& row : all_algorithms()) {
    if (collective_name(row.kind) == options.collective) kind = row.kind;
  }
  if (!Operation<double>::knows(kind)) {
    return refuse(2, fmt::format("no collective '{}'; see --list", options.collective));
  }
  if (kind == CollectiveKind::reduce_scatter_block && shape.elements % options.ranks != 0) {
    return refuse(3, "the vector must be a multiple of 8 bytes for each rank");
  }
  std::optional<Hierarchy> cells;
  if (options.cells > 0) {
    if (options.ranks % options.cells != 0) return refuse(3, "the ranks must fill all cells");
    CommCore comm;
    comm.local = Group::regular(ProcId{0}, 1, options.ranks);
    cells.emplace(comm, options.cells);
    if (!cells->useful()) return refuse(3, "no use of these cells");
    shape.hierarchy = &*cells;
  }
  Process process(make_singleton_bootstrap(), std::make_shared<SteadyClock>(), Params(), 1);
  const Algorithm* row = find_row(options, kind, shape, process.params());
  if (row == nullptr) {
    return refuse(3, fmt::format("{}={} does not apply here; see --list", options.collective,
                                 options.algorithm));
  }
  const std::uint64_t before = memory("VmRSS");
  const auto start = std::chrono::steady_clock::now();
  Engine engine(process, setting.outer, options.ranks, setting.inner);
  const Result result = options.floating
                            ? run_members<double>(engine, *row, options, setting)
                            : run_members<std::int64_t>(engine, *row, options, setting);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const std::uint64_t each = (memory("VmHWM") - before) / static_cast<std::uint64_t>(options.ranks);
  print(options, *row, result, lower_bound(kind, setting.levels, shape.bytes), each,
        seconds.count());
  if (result.complete && result.right) return 0;
  return refuse(1, result.complete ? "a wrong result" : "members wait for ever, or failed");
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
  app.add_option("--inner", options.inner,
                 "processes:L:o:g:G of a level inside the network, the innermost first: "
                 "16:60:100:200:0.04 64:200:100:200:0.06 for NUMA nodes and hosts");
  app.add_option("--cells", options.cells,
                 "so many processes that follow each other are a cell of hierarchical algorithms");
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
  try {
    return simulate(options);
  } catch (const CLI::ValidationError& error) {
    return refuse(2, error.what());
  }
}

}  // namespace

}  // namespace remit::logp

int main(int argc, char** argv) {
  return remit::logp::run(argc, argv);
}
