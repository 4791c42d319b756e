// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Daemons in virtual time. What a message holds is written by the launcher's own code, or as that
// writes it; see the functions that are named beside each.
#include "benchmarks/start/daemons.hpp"

#include <stdexcept>
#include <utility>

#include "launcher/plan/host_map.hpp"
#include "launcher/plan/processors.hpp"
#include "launcher/plan/topology.hpp"
#include "launcher/tree/wire.hpp"

namespace remit::start {

using launcher::MessageKind;
using launcher::WireWriter;

namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

/// Of a message on its connection.
std::size_t encoded_bytes(std::size_t payload) {
  static const std::size_t header = launcher::encode({}).size();
  return header + payload;
}

}  // namespace

// --- servers

Time Daemons::work(int node, double ns) {
  Node& server = nodes_[at(node)];
  server.free = std::max(server.free, events_.now()) + static_cast<Time>(ns);
  return server.free;
}

void Daemons::request(int host, Done done) {
  ++nodes_[at(host)].requests;
  events_.at(work(host, costs_.server), std::move(done));
}

void Daemons::send(int from, int to, std::size_t payload, Done done) {
  if (from == to) return done();  // TreeNode::send()
  hop(from, to, encoded_bytes(payload), std::move(done));
}

void Daemons::leave(int node, std::size_t bytes) {
  work(node, costs_.message + costs_.per_byte * static_cast<double>(bytes));
  ++nodes_[at(node)].sent;
  nodes_[at(node)].bytes_out += bytes;
}

void Daemons::hop(int from, int to, std::size_t bytes, Done done) {
  leave(from, bytes);
  const int next = tree_.towards(from, to);
  const Time arrival = nodes_[at(from)].free + static_cast<Time>(costs_.latency);
  events_.at(arrival, [this, next, to, bytes, done = std::move(done)]() mutable {
    Node& server = nodes_[at(next)];
    ++server.received;
    server.bytes_in += bytes;
    const Time taken = work(next, costs_.message + costs_.per_byte * static_cast<double>(bytes));
    if (next != to) return hop(next, to, bytes, std::move(done));
    events_.at(taken, std::move(done));
  });
}

void Daemons::broadcast(int from, std::size_t payload, const ByNode& done) {
  for (const int child : tree_.children(from)) {
    send(from, child, payload, [this, child, payload, done] {
      broadcast(child, payload, done);
      done(child);
    });
  }
}

// --- the launch

namespace {

launcher::Processors processors_of(const Shape& shape) {
  const auto topology =
      launcher::Topology::synthetic(fmt::format("pack:1 core:{} pu:1", shape.per_host));
  if (!topology) throw std::runtime_error(topology.error().message);
  return launcher::Processors(*topology);
}

}  // namespace

launcher::DaemonJob make_job(const Shape& shape) {
  using launcher::HostRoom;
  launcher::DaemonJob part;
  launcher::Job& job = part.job;
  job.nspace = job.root = "remit.host00000.1234567.89abcdef";
  launcher::App app;
  app.argv = {"./program"};
  app.program = "/home/user/program";
  app.search_path = "/usr/local/bin:/usr/bin:/bin";
  app.wdir = "/home/user";
  app.ranks = shape.ranks;
  app.env = launcher::own_environment();
  job.apps.push_back(std::move(app));
  std::vector<HostRoom> hosts;
  std::vector<int> dealt;
  for (int host = 0; host < shape.hosts(); ++host) {
    HostRoom room;
    room.spec.name = fmt::format("host{:05}", host);
    room.node = host;
    hosts.push_back(std::move(room));
    dealt.insert(dealt.end(), at(shape.count_of(host)), host);
  }
  job.ranks.resize(at(shape.ranks));
  for (int rank = 0; rank < shape.ranks; ++rank) {
    job.ranks[at(rank)].rank = job.ranks[at(rank)].app_rank = rank;
  }
  launcher::seat_ranks(hosts, dealt, {}, &job);
  const auto bindings = launcher::place_ranks(processors_of(shape), shape.per_host, {});
  if (!bindings) throw std::runtime_error(bindings.error().message);
  for (launcher::Rank& rank : job.ranks) {
    rank.binding = (*bindings)[at(rank.local_rank)];
  }
  job.universe = shape.ranks;
  job.allocated = shape.hosts();
  return part;
}

namespace {

launcher::TreePlan make_plan(const Shape& shape) {
  launcher::TreePlan plan;
  for (int host = 0; host < shape.hosts(); ++host) {
    plan.hosts.push_back(fmt::format("host{:05}", host));
  }
  plan.width = shape.width;
  plan.agent = {"ssh", "-x", "-o", "BatchMode=yes"};
  plan.program = "/opt/remit/bin/mpirun";
  return plan;
}

}  // namespace

Launch::Launch(Daemons& daemons, std::function<void(int rank)> begun)
    : daemons_(daemons), begun_(std::move(begun)) {
  const Shape& shape = daemons.shape();
  plan_bytes_ = make_plan(shape).bytes().size();
  frame_bytes_ =
      launcher::StartFrame{
          "0.1.0", {1}, {"host00001"}, std::string(64, 'x'), {"10.0.0.1", "fd00::1"}, 40000, 15}
          .bytes()
          .size();
  WireWriter hello;  // Daemon::grow()
  hello.text("host00001");
  hello.text(processors_of(shape).bytes());
  hello.texts({"/tmp/remit.abcdef", "/tmp/remit.ghijkl"});
  hello_bytes_ = hello.bytes().size();
  job_bytes_ = launcher::write_job(make_job(shape)).size();
}

void Launch::start() {
  missing_hellos_ = daemons_.shape().hosts() - 1;
  missing_ready_ = daemons_.shape().hosts();
  missing_ends_ = daemons_.shape().ranks;
  raise(0);
  if (missing_hellos_ == 0) give_job();
}

// TreeNode::start_children(): agents are started one after the other, and run side by side.
void Launch::raise(int node) {
  const Costs& costs = daemons_.costs();
  for (const int child : daemons_.tree().children(node)) {
    const Time started =
        daemons_.work(node, costs.fork + costs.per_byte * static_cast<double>(frame_bytes_));
    daemons_.events().at(started + static_cast<Time>(costs.ssh), [this, node, child] {
      daemons_.send(node, child, plan_bytes_, [this, child] {
        raise(child);
        daemons_.send(child, 0, hello_bytes_, [this] {
          if (--missing_hellos_ == 0) give_job();
        });
      });
    });
  }
}

// RemoteHosts::prepare()
void Launch::give_job() {
  times_.raised = daemons_.events().now();
  const auto prepare = [this](int node) {
    const Time ready = daemons_.work(node, daemons_.costs().prepare * daemons_.shape().ranks);
    daemons_.events().at(ready, [this, node] {
      daemons_.send(node, 0, launcher::numbers(0).size(), [this] {
        if (--missing_ready_ == 0) launch();
      });
    });
  };
  daemons_.broadcast(0, job_bytes_, prepare);
  prepare(0);
}

void Launch::launch() {
  times_.prepared = daemons_.events().now();
  daemons_.broadcast(0, launcher::numbers(0).size(), [this](int node) { start_next(node, 0); });
  start_next(0, 0);
}

// HostJobs::start_next(): one after the other.
void Launch::start_next(int host, int local) {
  const Shape& shape = daemons_.shape();
  if (local == shape.count_of(host)) return;
  daemons_.events().at(daemons_.work(host, daemons_.costs().fork), [this, host, local] {
    const int rank = daemons_.shape().first_of(host) + local;
    times_.begun = std::max(times_.begun, daemons_.events().now());
    begun_(rank);
    WireWriter spawned;  // HostJobs::started()
    spawned.number(rank);
    spawned.number(1234567);
    spawned.number(0);
    spawned.text("");
    tell(rank, spawned.bytes().size());
    start_next(host, local + 1);
  });
}

void Launch::tell(int rank, std::size_t payload, Daemons::Done done) {
  daemons_.send(daemons_.shape().host_of(rank), 0, payload, std::move(done));
}

void Launch::connected(int rank) {
  tell(rank, launcher::numbers(rank).size());
}

// PMIx_Finalize, the ends of both outputs, the exit.
void Launch::finalized(int rank) {
  tell(rank, launcher::numbers(rank).size());
  for (const int stream : {1, 2}) tell(rank, launcher::numbers(rank, stream).size());
  tell(rank, launcher::numbers(rank, 0).size(), [this] {
    if (--missing_ends_ == 0) times_.ended = daemons_.events().now();
  });
}

// --- the exchange

Exchange::Exchange(Daemons& daemons, const Options& options)
    : daemons_(daemons),
      options_(options),
      blobs_(at(daemons.shape().ranks)),
      known_(at(daemons.shape().hosts())),
      gatherings_(at(daemons.shape().hosts())) {
  const Shape& shape = daemons.shape();
  for (int host = 0; host < shape.hosts(); ++host) {
    gatherings_[at(host)].missing =
        shape.count_of(host) + static_cast<int>(daemons.tree().children(host).size());
  }
}

std::size_t Exchange::framed(int rank) const {
  return blobs_[at(rank)].size() + options_.frame;
}

void Exchange::publish(int rank, std::span<const std::byte> blob) {
  daemons_.request(daemons_.shape().host_of(rank),
                   [this, rank, copy = Bytes(blob.begin(), blob.end())]() mutable {
                     blobs_[at(rank)] = std::move(copy);
                     const auto waiting = unpublished_.extract(rank);
                     if (waiting.empty()) return;
                     for (const Daemons::Done& done : waiting.mapped()) done();
                   });
}

void Exchange::when_published(int rank, Daemons::Done done) {
  if (!blobs_[at(rank)].empty()) return done();
  unpublished_[rank].push_back(std::move(done));
}

void Exchange::lookup(int asker, int rank, Found found) {
  const int host = daemons_.shape().host_of(asker);
  const auto answer = [this, rank, found = std::move(found)] {
    daemons_.events().at(daemons_.events().now() + static_cast<Time>(daemons_.costs().local),
                         [this, rank, found] { found(blobs_[at(rank)]); });
  };
  const Time arrival = daemons_.events().now() + static_cast<Time>(daemons_.costs().local);
  daemons_.events().at(arrival, [this, host, rank, answer] {
    daemons_.request(host, [this, host, rank, answer] {
      if (all_known_ || daemons_.shape().host_of(rank) == host) {
        return when_published(rank, answer);
      }
      const auto [place, is_new] = known_[at(host)].try_emplace(rank);
      Entry& entry = place->second;
      if (entry.known) return answer();
      entry.waiting.push_back(answer);
      if (is_new) ask_host(host, rank);
    });
  });
}

// HostExchange::modex(), and answer_modex() at the other end. PMIx's server asks once for a rank,
// whoever of its clients wants it, and keeps the answer.
void Exchange::ask_host(int host, int rank) {
  const int home = daemons_.shape().host_of(rank);
  if (options_.by_host) {
    std::vector<int>& asked = asked_[{host, home}];
    asked.push_back(rank);
    if (asked.size() > 1) return;  // the answer may know
  }
  ++remote_lookups_;
  daemons_.send(host, home, launcher::numbers(0, rank).size(), [this, host, home, rank] {
    daemons_.request(home, [this, host, rank] {
      when_published(rank, [this, host, rank] { answer_host(host, rank); });
    });
  });
}

void Exchange::answer_host(int host, int rank) {
  const Shape& shape = daemons_.shape();
  const int home = shape.host_of(rank);
  std::vector<int> ranks = {rank};
  if (options_.by_host) {
    ranks.clear();
    for (int i = 0; i < shape.count_of(home); ++i) {
      if (!blobs_[at(shape.first_of(home) + i)].empty()) ranks.push_back(shape.first_of(home) + i);
    }
  }
  WireWriter answer;
  answer.number(0);
  answer.number(0);
  answer.number(0);  // length of the data
  std::size_t bytes = answer.bytes().size();
  for (const int each : ranks) bytes += framed(each);
  daemons_.send(home, host, bytes, [this, host, home, ranks] {
    for (const int each : ranks) learn(host, each);
    if (!options_.by_host) return;
    for (const int each : std::exchange(asked_[{host, home}], {})) {
      if (!known_[at(host)][each].known) ask_host(host, each);  // it was not there yet
    }
  });
}

void Exchange::learn(int host, int rank) {
  Entry& entry = known_[at(host)][rank];
  entry.known = true;
  for (const Daemons::Done& done : std::exchange(entry.waiting, {})) {
    daemons_.events().at(daemons_.work(host, daemons_.costs().server), done);
  }
}

std::string Exchange::fence_key() const {
  return fmt::format("fence 0+{} 0", daemons_.shape().ranks);
}

void Exchange::fence(int rank, Daemons::Done done) {
  const int host = daemons_.shape().host_of(rank);
  daemons_.request(host, [this, host, rank, done = std::move(done)]() mutable {
    gatherings_[at(host)].waiting.push_back(std::move(done));
    contribute(host, framed(rank));
  });
}

// HostExchange::contribute()
void Exchange::contribute(int host, std::size_t bytes) {
  Gathering& entry = gatherings_[at(host)];
  entry.bytes += bytes;
  if (--entry.missing > 0) return;
  const std::size_t gathered = std::exchange(entry.bytes, 0);
  if (host == 0) return release(0, gathered);
  WireWriter head;
  head.text(fence_key());
  head.number(1);  // runs of processes
  head.number(0);
  head.number(daemons_.shape().ranks);
  head.number(0);  // length of the data
  const int parent = daemons_.tree().parent(host);
  daemons_.send(host, parent, head.bytes().size() + gathered,
                [this, parent, gathered] { contribute(parent, gathered); });
}

// HostExchange::distribute()
void Exchange::release(int host, std::size_t bytes) {
  WireWriter head;
  head.text(fence_key());
  head.number(0);  // length of the data
  head.number(0);
  const std::size_t payload = head.bytes().size() + bytes;
  for (const int child : daemons_.tree().children(host)) {
    daemons_.send(host, child, payload, [this, child, bytes] { release(child, bytes); });
  }
  all_known_ = true;
  const Shape& shape = daemons_.shape();
  gatherings_[at(host)].missing =
      shape.count_of(host) + static_cast<int>(daemons_.tree().children(host).size());
  for (const Daemons::Done& done : std::exchange(gatherings_[at(host)].waiting, {})) {
    daemons_.events().at(daemons_.work(host, daemons_.costs().server), done);
  }
}

}  // namespace remit::start
