// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A job, its tree, and what its daemons say.
#include "tests/fuzz/wire_samples.hpp"

#include <csignal>

#include "launcher/plan/mapping.hpp"
#include "launcher/tree/wire.hpp"

namespace remit::fuzz {
namespace {

using namespace launcher;
using launcher::MessageKind;  // remit::MessageKind is that of engines

template <class... Values>
std::string payload(const Values&... values) {
  WireWriter writer;
  const auto put = [&writer](const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_arithmetic_v<Value>) {
      writer.number(value);
    } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
      writer.texts(value);
    } else if constexpr (std::is_same_v<Value, std::vector<int>>) {
      writer.numbers(value);
    } else {
      writer.text(value);
    }
  };
  (put(values), ...);
  return writer.bytes();
}

// A published item, as host_exchange.cpp writes it, behind its count.
std::string items() {
  return payload(1, "service", "job", 1, "value", 0);
}

std::vector<Message> to_mpirun() {
  const std::vector<std::string> folders{"/tmp/a", "/tmp/b"};
  return {
      {MessageKind::hello, 1, 0, payload("there", sample_processors(), folders)},
      {MessageKind::failed, 1, 0, payload(3, "no route to host")},
      {MessageKind::said, 1, 0, payload(3, "a line\n")},
      {MessageKind::ready, 1, 0, payload(0)},
      {MessageKind::ready, 1, 0, payload(1)},
      {MessageKind::refused, 1, 0, payload(1, "no descriptors")},
      {MessageKind::spawned, 1, 0, payload(2, 4711, 0, "")},
      {MessageKind::spawned, 1, 0, payload(2, -1, 127, "no such file")},
      {MessageKind::exited, 1, 0, payload(2, 9, "")},
      {MessageKind::exited, 1, 0, payload(2, 127 << 8, "./a.out needs libmpi_abi.so.1")},
      {MessageKind::connected, 1, 0, payload(2)},
      {MessageKind::finalized, 1, 0, payload(2)},
      {MessageKind::aborted, 1, 0, payload(2, 1, "MPI_Abort")},
      {MessageKind::interrupted, 1, 0, payload(SIGTERM)},
      {MessageKind::output, 1, 0, payload(2, 1, "hello\n")},
      {MessageKind::output_end, 1, 0, payload(2, 2)},
      {MessageKind::empty, 1, 0, ""},
      {MessageKind::input_taken, 1, 0, payload(2, 6)},
      {MessageKind::input_closed, 1, 0, payload(2)},
      {MessageKind::order, 1, 0, payload(1, write_order(sample_order()))},
      {MessageKind::inspected, 1, 0, payload(1, write_inspections(sample_inspections()))},
      {MessageKind::clock_told, 1, 0, payload(1'000, 2'000)},
  };
}

std::vector<Message> to_daemons() {
  return {
      {MessageKind::plan, 0, 1, sample_plan().bytes()},
      {MessageKind::job, 0, Message::kEveryone, write_job(sample_job())},
      {MessageKind::job, 0, Message::kEveryone, write_job(sample_spawned_job())},
      {MessageKind::launch, 0, Message::kEveryone, payload(0)},
      {MessageKind::drop_job, 0, Message::kEveryone, payload(1)},
      {MessageKind::ordered, 0, 1, payload(1, "", "job.1")},
      {MessageKind::signal_ranks, 0, Message::kEveryone, payload(SIGTERM)},
      {MessageKind::signal_all, 0, Message::kEveryone, payload(SIGKILL)},
      {MessageKind::output_taken, 0, 1, payload(6)},
      {MessageKind::close_output, 0, Message::kEveryone, payload(1)},
      {MessageKind::input, 0, 1, payload(2, "typed\n")},
      {MessageKind::input_end, 0, 1, payload(2)},
      {MessageKind::inspect, 0, Message::kEveryone, payload(1, std::vector<int>{0, 1})},
      {MessageKind::tell_clock, 0, 1, payload(1'000)},
      {MessageKind::finish, 0, Message::kEveryone, ""},
  };
}

std::vector<Message> among_servers() {
  const std::vector<std::string> keys{"service"};
  return {
      {MessageKind::collect, 1, 0, payload("fence 0+3 0", 1, 0, 3, "data")},
      {MessageKind::collect, 3, 1, payload("fence 0+4 0", 1, 0, 4, "data")},
      {MessageKind::collect, 1, 0, payload("connect 0+1,3+1 0", 2, 0, 1, 3, 1, "")},
      {MessageKind::collected, 0, 1, payload("fence 0+4 0", "data", 1)},
      {MessageKind::modex, 0, 1, payload(1, 2)},
      {MessageKind::modex, 1, 0, payload(1, 0)},
      {MessageKind::modex_answer, 1, 0, payload(1, 0, "blob")},
      {MessageKind::publish, 1, 0, payload(1) + items()},
      {MessageKind::published, 0, 1, payload(2, 1)},
      {MessageKind::lookup, 1, 0, payload(1, keys, 1, 10)},
      {MessageKind::found, 0, 1, payload(3) + items()},
      {MessageKind::unpublish, 1, 0, payload(4, "job", 1, keys)},
      {MessageKind::notify, 1, 0, payload(-3000, "job", 2, 5, 1, "packed")},
      {MessageKind::notified, 0, 1, payload(3, payload(-3000, "job", 3, 5, 1, "packed"))},
  };
}

}  // namespace

const Secret& job_secret() {
  static const Secret secret = *Secret::make();
  return secret;
}

TreePlan sample_plan() {
  return {{"here", "there", "a", "b", "c"}, 2, {"/bin/true"}, "/usr/bin/mpirun", 15};
}

DaemonJob sample_job() {
  DaemonJob part;
  Job& job = part.job;
  job.nspace = job.root = "job";
  App app;
  app.argv = {"program", "argument"};
  app.search_path = "/bin";
  app.wdir = "/";
  app.ranks = 4;
  app.env = {"HOME=/root"};
  job.apps = {app};
  job.hosts = {{"here", {0, 1}, 0}, {"there", {2}, 1}, {"b", {3}, 3}};
  for (const int host : {0, 0, 1, 2}) {
    Rank rank;
    rank.rank = rank.app_rank = static_cast<int>(job.ranks.size());
    rank.host = host;
    rank.local_rank = rank.rank == 1 ? 1 : 0;
    job.ranks.push_back(rank);
  }
  return part;
}

DaemonJob sample_spawned_job() {
  DaemonJob part = sample_job();
  Job& job = part.job;
  job.nspace = "job.1";
  job.number = 1;
  job.first = 4;
  job.spawner = {"job", 2};
  job.parent_port = "a port";
  job.hosts = {{"there", {0}, 1, 1}};
  job.ranks.resize(1);
  return part;
}

SpawnOrder sample_order() {
  SpawnOrder order;
  order.asker = 2;
  order.parent_port = "a port";
  order.programs.push_back({{"program", "word"}, {"A=b"}, "folder", "/opt/bin", "here,there", 2});
  return order;
}

RankInspections sample_inspections() {
  BlockedCall receive{{}, 1'000'000};
  CallRecord& record = receive.record;
  set_text(record.function, "MPI_Recv");
  set_text(record.comm, "MPI_COMM_WORLD");
  set_text(record.type, "MPI_INT");
  record.kind = CallKind::receive;
  record.has_peer = true;
  record.peer = 1;
  record.tag = -1;
  record.count = 4;
  record.waits_for.add(1);
  BlockedCall barrier = receive;
  set_text(barrier.record.function, "MPI_Barrier");
  set_text(barrier.record.operation, "barrier");
  barrier.record.kind = CallKind::collective;
  barrier.record.has_peer = false;
  barrier.record.members.count = 4;
  barrier.record.members.stride = 1;
  BlockedCall lock = receive;
  set_text(lock.record.function, "MPI_Win_lock");
  set_text(lock.record.operation, "exclusive lock");
  lock.record.kind = CallKind::lock;
  lock.record.holder = 1;
  lock.record.held_ns = 500'000;
  RankInspection rank;
  rank.process = {4711, "program", 'S', 1234, "do_poll"};
  rank.calls = {true, 2'000'000, {receive, barrier, lock}};
  return {{2, rank}};
}

const std::string& sample_processors() {
  static const std::string bytes = Processors(*Topology::synthetic("pack:2 core:2 pu:2")).bytes();
  return bytes;
}

std::vector<Message> sample_messages() {
  std::vector<Message> all = to_mpirun();
  for (const auto& more : {to_daemons(), among_servers()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace remit::fuzz
