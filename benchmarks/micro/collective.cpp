// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A whole collective as coroutines, and the same messages by a loop written by hand, over the same
// virtual ranks (benchmarks/logp).

#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "benchmarks/logp/operation.hpp"
#include "runtime/bootstrap/singleton_bootstrap.hpp"

namespace remit::logp {

namespace {

using Data = Operation<std::int64_t>;

/// Members of one communicator on a machine.
struct Job {
  explicit Job(int size, CollectiveKind kind)
      : process(make_singleton_bootstrap(), std::make_shared<SteadyClock>(), Params(), 1),
        engine(process, {1'000'000, 100'000, 200'000, 80}, size),
        data(kind, size, 1),
        members(std::make_unique<Member[]>(static_cast<std::size_t>(size))) {
    const auto group = Group::regular(ProcId{0}, 1, size);
    for (int r = 0; r < size; ++r) {
      buffers.push_back(data.make_buffers(r));
      members[static_cast<std::size_t>(r)].args = data.args(buffers.back());
      join(members[static_cast<std::size_t>(r)], engine, r, group, builtin_collective_table(),
           CostClass::network, 0);
    }
  }

  Process process;
  Engine engine;
  Data data;
  std::vector<Data::Buffers> buffers;
  std::unique_ptr<Member[]> members;
};

void as_coroutines(benchmark::State& state, CollectiveKind kind, AlgorithmFunction run) {
  const auto size = static_cast<int>(state.range(0));
  Job job(size, kind);
  for (auto _ : state) {
    for (int r = 0; r < size; ++r) {
      Member& member = job.members[static_cast<std::size_t>(r)];
      member.task = Task<int>();
      member.arena.reset();
      member.task = run(*member.context, member.args);
      member.task.start();
    }
    while (job.engine.step()) {
    }
    if (!job.members[0].task.done()) state.SkipWithError("a member waits for ever");
  }
  state.SetItemsProcessed(state.iterations() * size);
}

void barrier_as_coroutines(benchmark::State& state) {
  as_coroutines(state, CollectiveKind::barrier, barrier_dissemination<2>);
}
BENCHMARK(barrier_as_coroutines)->Arg(2)->Arg(64);

void allreduce_as_coroutines(benchmark::State& state) {
  as_coroutines(state, CollectiveKind::allreduce, allreduce_recursive_doubling);
}
BENCHMARK(allreduce_as_coroutines)->Arg(2)->Arg(64);

/// The two requests of a member in the round under way.
struct Exchange {
  Request send{RequestKind::send};
  Request receive{RequestKind::receive};
};

void exchange(Job& job, Exchange& e, int rank, const View& out, int to, const View& in, int from) {
  const CommCore& comm = job.members[static_cast<std::size_t>(rank)].comm;
  job.engine.irecv(e.receive, in, from, 0, comm, true);
  job.engine.isend(e.send, out, to, 0, comm, SendMode::standard, true);
}

void barrier_by_hand(benchmark::State& state) {
  const auto size = static_cast<int>(state.range(0));
  Job job(size, CollectiveKind::barrier);
  const auto exchanges = std::make_unique<Exchange[]>(static_cast<std::size_t>(size));
  const View nothing = view_of(nullptr, 0, predefined(MPI_BYTE));
  for (auto _ : state) {
    for (int distance = 1; distance < size; distance *= 2) {
      for (int r = 0; r < size; ++r) {
        exchange(job, exchanges[static_cast<std::size_t>(r)], r, nothing, (r + distance) % size,
                 nothing, (r - distance + size) % size);
      }
      while (job.engine.step()) {
      }
    }
  }
  state.SetItemsProcessed(state.iterations() * size);
}
BENCHMARK(barrier_by_hand)->Arg(2)->Arg(64);

/// For powers of two.
void allreduce_by_hand(benchmark::State& state) {
  const auto size = static_cast<int>(state.range(0));
  Job job(size, CollectiveKind::allreduce);
  const auto exchanges = std::make_unique<Exchange[]>(static_cast<std::size_t>(size));
  std::vector<std::int64_t> value(static_cast<std::size_t>(size)), theirs(value);
  const Datatype& type = predefined(MPI_INT64_T);
  for (auto _ : state) {
    for (std::size_t r = 0; r < value.size(); ++r) value[r] = job.buffers[r].send[0];
    for (int bit = 1; bit < size; bit *= 2) {
      for (int r = 0; r < size; ++r) {
        const auto at = static_cast<std::size_t>(r);
        exchange(job, exchanges[at], r, view_of(&value[at], 1, type), r ^ bit,
                 view_of(&theirs[at], 1, type), r ^ bit);
      }
      while (job.engine.step()) {
      }
      for (std::size_t r = 0; r < value.size(); ++r) value[r] += theirs[r];
    }
    benchmark::DoNotOptimize(value.data());
  }
  state.SetItemsProcessed(state.iterations() * size);
}
BENCHMARK(allreduce_by_hand)->Arg(2)->Arg(64);

}  // namespace

}  // namespace remit::logp
