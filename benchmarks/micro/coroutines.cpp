// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a collective pays for being a coroutine: frames, calls, resumption; and what a request pays
// for its memory.

#include <benchmark/benchmark.h>

#include <coroutine>
#include <vector>

#include "runtime/pool.hpp"
#include "runtime/task.hpp"

namespace {

using remit::FrameArena;
using remit::Task;

struct Context {
  FrameArena memory;
  std::coroutine_handle<> waiting;
  FrameArena& arena() { return memory; }
};

Task<int> leaf(Context&, int value) {
  co_return value + 1;
}

Task<int> chain(Context& context, int depth) {
  if (depth == 0) co_return 0;
  Task<int> below = chain(context, depth - 1);
  const int result = co_await below;
  co_return result + 1;
}

// Suspends until the benchmark resumes it, as a message's arrival would.
struct Arrival {
  Context& context;
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { context.waiting = waiter; }
  void await_resume() const noexcept {}
};

Task<int> rounds(Context& context, int count) {
  for (int i = 0; i < count; ++i) {
    Arrival arrival{context};
    co_await arrival;
  }
  co_return count;
}

void frame_made_run_and_freed(benchmark::State& state) {
  Context context;
  for (auto _ : state) {
    {
      Task<int> task = leaf(context, 1);
      task.start();
      benchmark::DoNotOptimize(task.result());
    }
    context.memory.reset();
  }
}
BENCHMARK(frame_made_run_and_freed);

// For comparison: the same by an ordinary call.
[[gnu::noinline]] int plain_leaf(Context&, int value) {
  return value + 1;
}
void plain_call(benchmark::State& state) {
  Context context;
  for (auto _ : state) benchmark::DoNotOptimize(plain_leaf(context, 1));
}
BENCHMARK(plain_call);

void nested_frames(benchmark::State& state) {
  Context context;
  const int depth = static_cast<int>(state.range(0));
  for (auto _ : state) {
    {
      Task<int> task = chain(context, depth);
      task.start();
      benchmark::DoNotOptimize(task.result());
    }
    context.memory.reset();
  }
  state.SetItemsProcessed(state.iterations() * (depth + 1));
}
BENCHMARK(nested_frames)->Arg(1)->Arg(8);

void suspend_and_resume(benchmark::State& state) {
  constexpr int kRounds = 1000;
  Context context;
  for (auto _ : state) {
    {
      Task<int> task = rounds(context, kRounds);
      task.start();
      while (!task.done()) context.waiting.resume();
    }
    context.memory.reset();
  }
  state.SetItemsProcessed(state.iterations() * kRounds);
}
BENCHMARK(suspend_and_resume);

struct Request {
  std::byte state[128];
};

void slab_allocate_and_free(benchmark::State& state) {
  remit::Slab<Request> slab;
  for (auto _ : state) {
    Request* request = slab.allocate();
    benchmark::DoNotOptimize(request);
    slab.free(request);
  }
}
BENCHMARK(slab_allocate_and_free);

void slab_look_up(benchmark::State& state) {
  remit::Slab<Request> slab;
  std::vector<remit::SlabHandle> handles;
  for (int i = 0; i < 1024; ++i) handles.push_back(slab.handle_of(slab.allocate()));
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(slab.get(handles[next]));
    next = (next + 97) % handles.size();
  }
}
BENCHMARK(slab_look_up);

}  // namespace
