// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages of mpirun carried out on this host.
#include "launcher/host/host_jobs.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

#include "launcher/host/host_names.hpp"
#include "launcher/report/loader_check.hpp"
#include "launcher/tree/host_clocks.hpp"
#include "launcher/tree/wire.hpp"

namespace remit::launcher {

HostJobs::HostJobs(asio::io_context& io, TreeNode& tree, Guardian& guardian,
                   const Topology& topology, std::function<void()> lost)
    : io_(io),
      tree_(tree),
      guardian_(guardian),
      topology_(topology),
      exchange_(io, tree),
      pipes_(io, pipe_callbacks()),
      records_(guardian.directory() + "/profile") {
  guardian_.start(
      {[this](int process, const SpawnResult& result) { started(process, result); },
       [this](int process, int status) { exited(process, status); },
       [this] {
         // Records are complete when nobody is left to write them.
         records_.post([this](const std::string& payload) { tell(MessageKind::record, payload); });
         tell(MessageKind::empty);
       },
       std::move(lost)});
}

void HostJobs::tell(MessageKind kind, int process, int number, const std::string& text) {
  WireWriter writer;
  writer.number(process);
  writer.number(number);
  writer.text(text);
  tell(kind, writer.bytes());
}

RankPipes::Callbacks HostJobs::pipe_callbacks() {
  return {
      [this](int process, int stream, const std::string& bytes) {
        tell(MessageKind::output, process, stream, bytes);
      },
      [this](int process, int stream) { tell(MessageKind::output_end, numbers(process, stream)); },
      [this](int process, std::size_t bytes) {
        tell(MessageKind::input_taken, numbers(process, bytes));
      },
      [this](int process) { tell(MessageKind::input_closed, numbers(process)); }};
}

PmixServer::Callbacks HostJobs::pmix_callbacks() {
  return {[this](int process) { tell(MessageKind::connected, numbers(process)); },
          [this](int process) { tell(MessageKind::finalized, numbers(process)); },
          [this](int process, int status, const std::string& words) {
            tell(MessageKind::aborted, process, status, words);
          },
          [this](const SpawnOrder& order, PmixServer::Spawned done) {
            tell(MessageKind::order, orders_.open(order, std::move(done)));
          },
          [this](const JobControl& control) { tell(MessageKind::control, write_control(control)); },
          [this](const std::string& words) {
            WireWriter writer;
            writer.number(tree_.self());
            writer.text(fmt::format("mpirun: host {}: {}\n", host_name(), words));
            tell(MessageKind::said, writer.bytes());
          }};
}

bool HostJobs::handle(const Message& message) {
  if (exchange_.handle(message)) return true;
  WireReader reader(message.payload);
  switch (message.kind) {
    case MessageKind::job:
      take_job(message.payload);
      return true;
    case MessageKind::launch:
      launch(reader.integer());
      return true;
    case MessageKind::drop_job:
      drop_job(reader.integer());
      return true;
    case MessageKind::ordered:
      orders_.close(message.payload);
      return true;
    case MessageKind::inspect:
      take_question(message);
      return true;
    case MessageKind::tell_clock:
      tell(MessageKind::clock_told, HostClocks::answer(message));
      return true;
    case MessageKind::carry_out:
      carry_out(message.payload);
      return true;
    case MessageKind::signal_ranks:
      signal_ranks(reader.integer());
      return true;
    case MessageKind::signal_all:
      ending_ = true;
      guardian_.signal_all(reader.integer());
      return true;
    case MessageKind::output_taken:
      pipes_.output_taken(static_cast<std::size_t>(reader.number()));
      return true;
    case MessageKind::close_output:
      pipes_.close_outputs(reader.integer());
      return true;
    case MessageKind::input: {
      const int process = reader.integer();
      pipes_.input(process, reader.text());
      return true;
    }
    case MessageKind::input_end:
      pipes_.input_end(reader.integer());
      return true;
    default:
      return false;
  }
}

// --- jobs

std::string HostJobs::host_name() const {
  const std::string& name = tree_.plan().hosts[static_cast<std::size_t>(tree_.self())];
  return name.substr(name.find('@') + 1);  // npos + 1 is 0
}

HostJobs::Part& HostJobs::part_of(int process) {
  const auto behind = std::ranges::upper_bound(
      parts_, process, {}, [](const Part& part) { return part.what.job.first; });
  return *std::prev(behind);
}

void HostJobs::take_job(const std::string& bytes) {
  std::optional<DaemonJob> read = read_job(bytes);
  const bool good = read && read->job.number == static_cast<int>(parts_.size()) &&
                    read->job.first == exchange_.processes() &&
                    std::ranges::all_of(read->job.hosts, [&](const Host& host) {
                      return host.node >= 0 && host.node < tree_.tree().nodes();
                    });
  WireWriter writer;
  writer.number(good ? read->job.number : static_cast<std::int64_t>(parts_.size()));
  if (!good) {
    writer.text("what mpirun sent is no job");
    return tell(MessageKind::refused, writer.bytes());
  }
  Part& part = parts_.emplace_back(Part{std::move(*read)});
  const Expected<> prepared = prepare(part);
  if (prepared) return tell(MessageKind::ready, writer.bytes());
  part.dropped = true;
  writer.text(prepared.error().message);
  tell(MessageKind::refused, writer.bytes());
}

Expected<> HostJobs::prepare(Part& part) {
  Job& job = part.what.job;
  exchange_.add_job(job);
  part.host = job.host_of(tree_.self());
  // They are found here: paths may differ between hosts.
  for (App& app : job.apps) app.program.clear();
  if (part.host >= 0) {
    // Of a rank: its outputs, its connection to PMIx, and its input.
    const std::size_t each = part.what.input == InputTo::kAll ? 4 : 3;
    const std::size_t ranks = job.hosts[static_cast<std::size_t>(part.host)].ranks.size();
    if (auto room = raise_descriptor_limit(ranks * each); !room) return room;
    auto calls =
        CallFile::create(guardian_.directory(), job.nspace, static_cast<int>(job.ranks.size()));
    if (!calls) return tl::unexpected(calls.error());
    part.calls = std::move(*calls);
  }
  if (job.is_spawned()) {
    // All of it runs, or nothing: so mpirun must know before.
    if (auto found = find_programs(&job, tree_.self()); !found) {
      return fail(MPI_ERR_OTHER, "{}", found.error().message);
    }
  }
  return serve(job);
}

Expected<> HostJobs::serve(const Job& job) {
  if (server_) return server_->add_job(job);
  auto server =
      PmixServer::start(io_, {tree_.self(), host_name(), &topology_, guardian_.directory()}, job,
                        pmix_callbacks(), &exchange_);
  if (!server) return tl::unexpected(server.error());
  server_ = std::move(*server);
  return {};
}

void HostJobs::launch(int job) {
  if (job < 0 || job >= static_cast<int>(parts_.size())) return;
  const Part& part = parts_[static_cast<std::size_t>(job)];
  if (part.host < 0) return;
  for (const int rank : part.what.job.hosts[static_cast<std::size_t>(part.host)].ranks) {
    to_start_.push_back(part.what.job.first + rank);
  }
  start_next();
}

void HostJobs::drop_job(int job) {
  if (job < 0 || job >= static_cast<int>(parts_.size())) return;
  Part& part = parts_[static_cast<std::size_t>(job)];
  part.dropped = true;
  if (part.host < 0) return;
  for (const int rank : part.what.job.hosts[static_cast<std::size_t>(part.host)].ranks) {
    guardian_.signal_rank(part.what.job.first + rank, SIGKILL);
  }
  forget_ended(part);
}

// The files of a job that mpirun has dropped, when its last rank here has ended.
void HostJobs::forget_ended(Part& part) {
  const int first = part.what.job.first;
  const auto next = living_.lower_bound(first);
  const bool lives =
      next != living_.end() && next->first - first < static_cast<int>(part.what.job.ranks.size());
  if (!part.dropped || lives || part.calls == nullptr) return;
  part.calls.reset();
  server_->remove_folder(part.what.job.nspace);
}

// SIGTERM comes when the job ends; other signals are the user's.
void HostJobs::signal_ranks(int signal) {
  if (signal == SIGTERM) ending_ = true;
  guardian_.signal_ranks(signal);
}

void HostJobs::carry_out(const std::string& bytes) {
  const std::optional<JobControl> control = read_control(bytes, exchange_.processes());
  if (!control) return;
  for (const int signal : control->signals) {
    for (const auto& [process, pid] : living_) {
      if (control->is_for(process)) guardian_.signal_rank(process, signal);
    }
  }
}

void HostJobs::take_question(const Message& message) {
  WireReader reader(message.payload);
  const std::int64_t number = reader.number();
  const std::vector<int> jobs = reader.numbers();
  if (!reader.complete()) return;
  WireWriter writer;
  writer.number(number);
  writer.text(write_inspections(inspect(jobs)));
  tell(MessageKind::inspected, writer.bytes());
}

RankInspections HostJobs::inspect(const std::vector<int>& jobs) const {
  const ProcessTable processes;
  RankInspections inspections;
  for (const int job : jobs) {
    if (job < 0 || job >= static_cast<int>(parts_.size())) continue;
    const Part& part = parts_[static_cast<std::size_t>(job)];
    if (part.calls == nullptr) continue;
    for (const int rank : part.what.job.hosts[static_cast<std::size_t>(part.host)].ranks) {
      const int process = part.what.job.first + rank;
      const auto pid = living_.find(process);
      inspections[process] = {
          pid == living_.end() ? ProcessState{} : processes.busiest_of(pid->second),
          part.calls->read(rank)};
    }
  }
  return inspections;
}

// --- processes

void HostJobs::start_next() {
  while (!starting_ && !to_start_.empty()) {
    const int process = to_start_.front();
    to_start_.pop_front();
    const Part& part = part_of(process);
    if (part.dropped) continue;
    if (const auto begun = start(part, process); !begun) refuse(process, begun.error());
  }
}

tl::expected<void, LaunchError> HostJobs::start(const Part& part, int process) {
  if (ending_) return tl::unexpected(LaunchError{1, "the job has ended meanwhile"});
  const Job& job = part.what.job;
  const Rank& rank = job.ranks[static_cast<std::size_t>(process - job.first)];
  auto spec = spec_of(part, rank);
  if (!spec) return tl::unexpected(spec.error());
  const bool has_input = part.what.input == rank.rank || part.what.input == InputTo::kAll;
  const auto ends = pipes_.make_ends(process, part.what.merge, has_input);
  if (!ends) return tl::unexpected(LaunchError{1, ends.error().message});
  spec->fds = *ends;
  guardian_.spawn(process, *spec);
  starting_ = true;
  for (const int fd : *ends) ::close(fd);
  return {};
}

tl::expected<ChildSpec, LaunchError> HostJobs::spec_of(const Part& part, const Rank& rank) {
  const App& app = part.what.job.apps[static_cast<std::size_t>(rank.app)];
  ChildSpec spec{app.program, app.argv, app.env, app.wdir, rank.binding.cpus, {}, {}};
  if (spec.program.empty()) {
    auto program = find_program(app.argv[0], app.wdir, app.search_path);
    if (!program) return tl::unexpected(program.error());
    spec.program = std::move(*program);
  }
  records_.redirect(&spec.env);
  if (auto added = server_->add_client_env(part.what.job, rank.rank, &spec.env); !added) {
    return tl::unexpected(LaunchError{1, added.error().message});
  }
  return spec;
}

void HostJobs::started(int process, const SpawnResult& result) {
  starting_ = false;
  const Part& part = part_of(process);
  const Job& job = part.what.job;
  const Rank& rank = job.ranks.at(static_cast<std::size_t>(process - job.first));
  const App& app = job.apps[static_cast<std::size_t>(rank.app)];
  if (result.stage != SpawnStage::none) {
    refuse(process, describe_spawn_failure(result, app.argv[0], app.wdir));
    return start_next();
  }
  living_[process] = result.pid;
  WireWriter writer;
  writer.number(process);
  writer.number(result.pid);
  writer.number(0);
  writer.text("");
  tell(MessageKind::spawned, writer.bytes());
  if (part.dropped) guardian_.signal_rank(process, SIGKILL);  // it was asked for before
  if (ending_) {
    guardian_.signal_ranks(SIGTERM);
    guardian_.signal_ranks(SIGCONT);
  }
  start_next();
}

void HostJobs::exited(int process, int wait_status) {
  living_.erase(process);
  Part& part = part_of(process);
  forget_ended(part);
  std::string explanation;
  if (is_for_loader(wait_status) && !std::exchange(part.explained, true)) {
    const Job& job = part.what.job;
    const Rank& rank = job.ranks.at(static_cast<std::size_t>(process - job.first));
    explanation = explain_by_loader(job.apps[static_cast<std::size_t>(rank.app)], wait_status);
  }
  tell(MessageKind::exited, process, wait_status, explanation);
}

// The others of its job that are not started yet will not be.
void HostJobs::refuse(int process, const LaunchError& error) {
  part_of(process).dropped = true;
  WireWriter writer;
  writer.number(process);
  writer.number(-1);
  writer.number(error.status);
  writer.text(error.message);
  tell(MessageKind::spawned, writer.bytes());
}

}  // namespace remit::launcher
