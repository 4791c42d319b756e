// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The life of a virtual rank.
#include "benchmarks/start/ranks.hpp"

#include <stdexcept>
#include <utility>

#include "collectives/algorithms.hpp"
#include "collectives/choice/tuning.hpp"
#include "datatype/reductions.hpp"

namespace remit::start {

/// The bootstrap of one rank: its daemon.
class Ranks::Agent final : public Bootstrap {
 public:
  Agent(Ranks& ranks, int rank) : ranks_(ranks) {
    const Shape& shape = ranks.daemons_.shape();
    const int host = shape.host_of(rank);
    identity_.job = "virtual";
    identity_.rank = rank;
    identity_.size = identity_.universe_size = shape.ranks;
    identity_.local_rank = rank - shape.first_of(host);
    identity_.local_size = shape.count_of(host);
    for (int i = 0; i < identity_.local_size; ++i) {
      identity_.local_peers.push_back(shape.first_of(host) + i);
    }
    identity_.host = fmt::format("host{:05}", host);
    identity_.other_hosts = shape.hosts() > 1;
  }

  const Identity& identity() const override { return identity_; }
  Expected<> publish(std::span<const std::byte> blob) override {
    blob_ = blob.size();
    ranks_.exchange_.publish(identity_.rank, blob);
    return {};
  }
  void lookup(int rank) override {
    ++lookups_;
    ranks_.exchange_.lookup(identity_.rank, rank, [this, rank](const Bytes& blob) {
      answers_.push_back({rank, blob});
      ranks_.network_.wake(static_cast<PeerName>(identity_.rank));
    });
  }
  std::optional<Answer> poll() override {
    if (answers_.empty()) return std::nullopt;
    Answer answer = std::move(answers_.back());
    answers_.pop_back();
    return answer;
  }
  int wait_fd() const override { return -1; }
  Expected<> barrier() override {
    ++barriers_;
    return fail(MPI_ERR_INTERN, "a rank of the simulation cannot block");
  }
  void abort(int /*status*/, const std::string& message) override {
    throw std::runtime_error(message);
  }
  void finalize(const std::function<void()>& /*meanwhile*/) override {}

  [[nodiscard]] std::uint64_t lookups() const { return lookups_; }
  [[nodiscard]] std::uint64_t barriers() const { return barriers_; }
  [[nodiscard]] std::size_t blob() const { return blob_; }

 private:
  Ranks& ranks_;
  Identity identity_;
  std::vector<Answer> answers_;
  std::uint64_t lookups_ = 0, barriers_ = 0;
  std::size_t blob_ = 0;
};

struct Ranks::Rank {
  enum class Phase { starting, barrier, allreduce, leaving, left };

  std::unique_ptr<SimDevice> unused;  // until the engine has it
  SimDevice* device = nullptr;
  Agent* agent = nullptr;  // the process's
  std::unique_ptr<Process> process;
  std::unique_ptr<Engine> engine;
  CommCore comm;
  std::unique_ptr<Collective> operation;
  std::int64_t value = 0, sum = 0;
  std::uint64_t init_lookups = 0, barrier_lookups = 0, init_fences = 0;
  Phase phase = Phase::starting;
};

Ranks::Ranks(SimNetwork& network, Daemons& daemons, Exchange& exchange, const Options& options,
             std::vector<std::unique_ptr<SimDevice>> devices)
    : network_(network),
      daemons_(daemons),
      exchange_(exchange),
      options_(options),
      group_(Group::regular(ProcId{0}, 1, daemons.shape().ranks)) {
  for (std::unique_ptr<SimDevice>& device : devices) {
    ranks_.push_back(std::make_unique<Rank>());
    ranks_.back()->device = device.get();
    ranks_.back()->unused = std::move(device);
  }
}

Ranks::~Ranks() = default;

// PMIx_Init: what the rank does by itself, then its daemon's part.
void Ranks::begin(int rank, Launch& launch) {
  launch_ = &launch;
  Events& events = daemons_.events();
  const Costs& costs = daemons_.costs();
  events.at(events.now() + static_cast<Time>(costs.init + costs.local), [this, rank] {
    const int host = daemons_.shape().host_of(rank);
    daemons_.request(host, [this, rank] {
      launch_->connected(rank);
      const auto answered = daemons_.events().now() + static_cast<Time>(daemons_.costs().local);
      daemons_.events().at(answered, [this, rank] { open(rank); });
    });
  });
}

// As open_instance() and Instance do.
void Ranks::open(int rank) {
  Rank& mine = at(rank);
  auto agent = std::make_unique<Agent>(*this, rank);
  mine.agent = agent.get();
  Params params;
  if (auto set = params.set("coll_algorithms", options_.algorithms); !set) {
    throw std::runtime_error(set.error().message);
  }
  mine.process = std::make_unique<Process>(
      std::move(agent), std::shared_ptr<const Clock>(&network_.clock(), [](const Clock*) {}),
      std::move(params), static_cast<std::uint64_t>(rank));
  std::vector<std::unique_ptr<Device>> devices;
  devices.push_back(std::move(mine.unused));
  mine.engine = std::make_unique<Engine>(*mine.process, std::move(devices));
  mine.comm.rank = rank;
  mine.comm.local = group_;
  mine.init_fences = mine.agent->barriers();
  if (!options_.modex) return initialized(rank);
  ++mine.init_fences;
  exchange_.fence(rank, [this, rank] { initialized(rank); });
}

void Ranks::initialized(int rank) {
  at(rank).init_lookups = at(rank).agent->lookups();
  times_.initialized = std::max(times_.initialized, network_.now_ns());
  start(rank, CollectiveKind::barrier);
}

void Ranks::start(int rank, CollectiveKind kind) {
  Rank& mine = at(rank);
  CollectiveArgs args;
  args.kind = kind;
  mine.phase = Rank::Phase::barrier;
  if (kind == CollectiveKind::allreduce) {
    mine.phase = Rank::Phase::allreduce;
    mine.value = rank + 1;
    args.send = &mine.value;
    args.recv = &mine.sum;
    args.send_count = args.recv_count = 1;
    args.send_type = args.recv_type = &predefined(MPI_INT64_T);
    args.op = op_of(MPI_SUM);
  }
  mine.operation = std::make_unique<Collective>(*mine.engine, mine.comm, args);
  mine.operation->start();
  network_.wake(static_cast<PeerName>(rank));
}

void Ranks::drive(int rank) {
  Rank& mine = at(rank);
  if (mine.engine == nullptr) return;
  Progress& progress = mine.process->progress();
  for (int idle = 0; idle < 2;) idle = progress.poll() != 0 ? 0 : idle + 1;
  advance(rank);
}

void Ranks::advance(int rank) {
  Rank& mine = at(rank);
  const Time now = mine.device->busy_until_ns();
  const bool complete = mine.operation != nullptr && mine.operation->request.complete;
  if (mine.phase == Rank::Phase::barrier && complete) {
    if (mine.operation->request.status.error != MPI_SUCCESS) right_ = false;
    times_.barrier = std::max(times_.barrier, now);
    mine.barrier_lookups = mine.agent->lookups();
    start(rank, CollectiveKind::allreduce);
  } else if (mine.phase == Rank::Phase::allreduce && complete) {
    const std::int64_t ranks = daemons_.shape().ranks;
    if (mine.sum != ranks * (ranks + 1) / 2) right_ = false;
    times_.allreduce = std::max(times_.allreduce, now);
    mine.operation.reset();
    mine.phase = Rank::Phase::leaving;
  }
  if (mine.phase == Rank::Phase::leaving && mine.engine->flushed()) leave(rank);
}

// PmixBootstrap::finalize(): a fence where there are several hosts, with data for Slurm's sake.
void Ranks::leave(int rank) {
  at(rank).phase = Rank::Phase::left;
  const auto gone = [this, rank] {
    ++left_;
    times_.left = std::max(times_.left, network_.now_ns());
    launch_->finalized(rank);
  };
  if (daemons_.shape().hosts() == 1) return gone();
  exchange_.fence(rank, gone);
}

Ranks::Counts Ranks::counts() const {
  Counts counts;
  for (const auto& rank : ranks_) {
    counts.lookups.add(rank->agent->lookups());
    counts.init_lookups.add(rank->init_lookups);
    counts.barrier_lookups.add(rank->barrier_lookups);
    counts.init_fences += rank->init_fences;
    const SimStats& stats = rank->device->stats();
    counts.sends.add(stats.sends + stats.puts + stats.gets);
    counts.bytes.add(stats.bytes_out);
    counts.endpoints.add(rank->device->endpoint_count());
    counts.blob = std::max(counts.blob, rank->agent->blob());
  }
  return counts;
}

std::string Ranks::algorithms() const {
  const Rank& first = at(0);
  std::string names;
  for (const CollectiveKind kind : {CollectiveKind::barrier, CollectiveKind::allreduce}) {
    CollectiveArgs args;
    args.kind = kind;
    if (kind == CollectiveKind::allreduce) {
      args.send_count = args.recv_count = 1;
      args.send_type = args.recv_type = &predefined(MPI_INT64_T);
      args.op = op_of(MPI_SUM);
    }
    const Algorithm& row =
        choose_algorithm(kind, shape_of(first.comm, args), first.process->params());
    names += fmt::format("{}{}", names.empty() ? "" : ",", row.name);
  }
  return names;
}

}  // namespace remit::start
