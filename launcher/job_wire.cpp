// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Each part is written and read by two functions that stand together.
#include "launcher/job_wire.hpp"

#include <algorithm>

#include "launcher/wire.hpp"

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
  writer->number(rank.sharers);
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
  rank.sharers = reader->integer();
  return rank;
}

// Every index names something.
bool is_sound(const Job& job) {
  const auto ranks = static_cast<int>(job.ranks.size());
  return std::ranges::all_of(job.apps, [](const App& app) { return !app.argv.empty(); }) &&
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
  writer.number(job.universe);
  writer.number(static_cast<std::int64_t>(job.apps.size()));
  for (const App& app : job.apps) write(app, &writer);
  writer.number(static_cast<std::int64_t>(job.hosts.size()));
  for (const Host& host : job.hosts) {
    writer.text(host.name);
    writer.number(host.node);
    writer.numbers(host.ranks);
  }
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
  job.nspace = job.root = reader.text();
  job.universe = reader.integer();
  for (std::int64_t i = count(); i > 0 && reader.good(); --i) job.apps.push_back(read_app(&reader));
  for (std::int64_t i = count(); i > 0 && reader.good(); --i) {
    Host host;
    host.name = reader.text();
    host.node = reader.integer();
    host.ranks = reader.numbers();
    job.hosts.push_back(std::move(host));
  }
  for (std::int64_t i = count(); i > 0 && reader.good(); --i) {
    job.ranks.push_back(read_rank(static_cast<int>(job.ranks.size()), &reader));
  }
  const int merge = reader.integer();
  part.merge = merge == 1;
  part.input = reader.integer();
  if (!reader.complete() || !counted || merge < 0 || merge > 1 || !is_sound(job))
    return std::nullopt;
  return part;
}

}  // namespace remit::launcher
