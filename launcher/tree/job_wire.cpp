// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Each part is written and read by two functions that stand together.
#include "launcher/tree/job_wire.hpp"

#include <algorithm>

#include "launcher/tree/wire.hpp"

namespace remit::launcher {
namespace {

constexpr std::int64_t kMostParts = std::int64_t{1} << 24;

void write(const App& app, WireWriter* writer) {
  writer->texts(app.argv);
  writer->text(app.program);
  writer->text(app.search_path);
  writer->text(app.wdir);
  writer->number(app.ranks);
  writer->number(app.first_rank);
  writer->texts(app.env);
}

App read_app(WireReader* reader) {
  App app;
  app.argv = reader->texts();
  app.program = reader->text();
  app.search_path = reader->text();
  app.wdir = reader->text();
  app.ranks = reader->integer();
  app.first_rank = reader->integer();
  app.env = reader->texts();
  return app;
}

void write(const Rank& rank, WireWriter* writer) {
  writer->number(rank.app);
  writer->number(rank.app_rank);
  writer->number(rank.host);
  writer->number(rank.local_rank);
  writer->numbers(rank.binding.cpus);
  writer->text(rank.binding.description);
}

Rank read_rank(int number, WireReader* reader) {
  Rank rank;
  rank.rank = number;
  rank.app = reader->integer();
  rank.app_rank = reader->integer();
  rank.host = reader->integer();
  rank.local_rank = reader->integer();
  rank.binding.cpus = reader->numbers();
  rank.binding.description = reader->text();
  return rank;
}

void write(const Host& host, WireWriter* writer) {
  writer->text(host.name);
  writer->number(host.node);
  writer->numbers(host.ranks);
  writer->number(host.neighbours);
}

Host read_host(WireReader* reader) {
  Host host;
  host.name = reader->text();
  host.node = reader->integer();
  host.ranks = reader->numbers();
  host.neighbours = reader->integer();
  return host;
}

// What a job is among those of one mpirun.
void write_place(const Job& job, WireWriter* writer) {
  writer->text(job.root);
  writer->number(job.number);
  writer->number(job.first);
  writer->text(job.spawner.job);
  writer->number(job.spawner.rank);
  writer->text(job.parent_port);
}

void read_place(WireReader* reader, Job* job) {
  job->root = reader->text();
  job->number = reader->integer();
  job->first = reader->integer();
  job->spawner.job = reader->text();
  job->spawner.rank = reader->integer();
  job->parent_port = reader->text();
}

void write(const SpawnOrder::Program& program, WireWriter* writer) {
  writer->texts(program.argv);
  writer->texts(program.env);
  writer->text(program.wdir);
  writer->text(program.path);
  writer->text(program.hosts);
  writer->number(program.ranks);
}

SpawnOrder::Program read_program(WireReader* reader) {
  SpawnOrder::Program program;
  program.argv = reader->texts();
  program.env = reader->texts();
  program.wdir = reader->text();
  program.path = reader->text();
  program.hosts = reader->text();
  program.ranks = reader->integer();
  return program;
}

// Every index names something.
bool is_sound_job(const Job& job) {
  const auto ranks = static_cast<int>(job.ranks.size());
  return ranks > 0 && job.number >= 0 && job.first >= 0 && job.first <= kMostParts &&
         std::ranges::all_of(job.apps, [](const App& app) { return !app.argv.empty(); }) &&
         std::ranges::all_of(job.hosts,
                             [&](const Host& host) {
                               return !host.ranks.empty() &&
                                      std::ranges::all_of(host.ranks, [&](int rank) {
                                        return rank >= 0 && rank < ranks;
                                      });
                             }) &&
         std::ranges::all_of(job.ranks, [&](const Rank& rank) {
           const auto& cpus = rank.binding.cpus;
           return rank.app >= 0 && rank.app < static_cast<int>(job.apps.size()) && rank.host >= 0 &&
                  rank.host < static_cast<int>(job.hosts.size()) &&
                  std::ranges::all_of(cpus, [](int cpu) { return cpu >= 0 && cpu < 1 << 20; });
         });
}

}  // namespace

std::string write_job(const DaemonJob& part) {
  const Job& job = part.job;
  WireWriter writer;
  writer.text(job.nspace);
  write_place(job, &writer);
  writer.number(job.universe);
  writer.number(job.allocated);
  writer.number(static_cast<std::int64_t>(job.apps.size()));
  for (const App& app : job.apps) write(app, &writer);
  writer.number(static_cast<std::int64_t>(job.hosts.size()));
  for (const Host& host : job.hosts) write(host, &writer);
  writer.number(static_cast<std::int64_t>(job.ranks.size()));
  for (const Rank& rank : job.ranks) write(rank, &writer);
  writer.number(part.merge ? 1 : 0);
  writer.number(part.input);
  return writer.bytes();
}

std::optional<DaemonJob> read_job(const std::string& bytes) {
  WireReader reader(bytes);
  DaemonJob part;
  Job& job = part.job;
  // A count that is a lie ends with the bytes.
  bool counted = true;
  const auto count = [&] {
    const std::int64_t number = reader.number();
    const bool good = number >= 0 && number <= kMostParts;
    counted = counted && good;
    return good ? number : 0;
  };
  job.nspace = reader.text();
  read_place(&reader, &job);
  job.universe = reader.integer();
  job.allocated = reader.integer();
  for (std::int64_t i = count(); i > 0 && reader.good(); --i) job.apps.push_back(read_app(&reader));
  for (std::int64_t i = count(); i > 0 && reader.good(); --i) {
    job.hosts.push_back(read_host(&reader));
  }
  for (std::int64_t i = count(); i > 0 && reader.good(); --i) {
    job.ranks.push_back(read_rank(static_cast<int>(job.ranks.size()), &reader));
  }
  const int merge = reader.integer();
  part.merge = merge == 1;
  part.input = reader.integer();
  if (!reader.complete() || !counted || merge < 0 || merge > 1 || !is_sound_job(job))
    return std::nullopt;
  return part;
}

std::string write_order(const SpawnOrder& order) {
  WireWriter writer;
  writer.number(order.asker);
  writer.text(order.parent_port);
  writer.number(static_cast<std::int64_t>(order.programs.size()));
  for (const SpawnOrder::Program& program : order.programs) write(program, &writer);
  return writer.bytes();
}

std::optional<SpawnOrder> read_order(const std::string& bytes) {
  WireReader reader(bytes);
  SpawnOrder order;
  order.asker = reader.integer();
  order.parent_port = reader.text();
  const std::int64_t count = reader.number();
  for (std::int64_t i = 0; i < count && reader.good(); ++i) {
    order.programs.push_back(read_program(&reader));
  }
  const bool good = reader.complete() && order.asker >= 0 && count > 0 &&
                    std::ranges::all_of(order.programs, [](const SpawnOrder::Program& program) {
                      return !program.argv.empty() && program.ranks > 0;
                    });
  return good ? std::optional(std::move(order)) : std::nullopt;
}

}  // namespace remit::launcher
