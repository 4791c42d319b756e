// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Task, FrameArena and the run queue. Built twice, without and with optimization: compilers treat
// coroutine frames differently.
#include "runtime/task.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/progress.hpp"

namespace remit {
namespace {

struct Context {
  FrameArena& arena() { return arena_; }
  FrameArena arena_;
  Progress progress;
  std::coroutine_handle<> parked;
  int alive = 0;
};

/// One that hears of errors, too.
struct NotedContext : Context, TaskContext {};

/// Counts itself among the context's living locals.
struct Local {
  explicit Local(Context& c) : context(c) { ++context.alive; }
  ~Local() { --context.alive; }
  Local(const Local&) = delete;
  Local& operator=(const Local&) = delete;
  Context& context;
};

/// Suspends; whoever holds context.parked continues.
struct Park {
  Context& context;
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) noexcept { context.parked = handle; }
  void await_resume() const noexcept {}
};

/// Suspends and queues itself for the next poll.
struct Requeue {
  Context& context;
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) { context.progress.ready(handle); }
  void await_resume() const noexcept {}
};

Task<int> leaf(Context& context, int value) {
  const Local local(context);
  co_return value;
}

Task<int> sum_of_leaves(Context& context, int count) {
  const Local local(context);
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    Task<int> child = leaf(context, i);
    sum += co_await child;
  }
  co_return sum;
}

/// Ends by an exception at the bottom, of a container or of the program's own; those above go on.
Task<int> throws_below(NotedContext& context, int depth, bool of_memory) {
  const Local local(context);
  if (depth == 0) {
    if (!of_memory) throw std::runtime_error("for the test");
    std::vector<std::uint64_t> many;
    many.reserve(many.max_size() + 1);
    co_return static_cast<int>(many.size());
  }
  Task<int> child = throws_below(context, depth - 1, of_memory);
  const int error = co_await child;
  co_return error == MPI_SUCCESS ? MPI_SUCCESS : error;
}

Task<int> down(Context& context, int depth) {
  if (depth == 0) co_return 0;
  Task<int> child = down(context, depth - 1);
  const int below = co_await child;
  co_return below + 1;
}

Task<std::string> parks(Context& context) {
  const Local local(context);
  std::string text = "a string long enough to be on the heap, before the suspension";
  Park park{context};
  co_await park;
  text += ", after";
  co_return text;
}

Task<std::string> awaits_parked(Context& context) {
  const Local local(context);
  Task<std::string> child = parks(context);
  std::string text = co_await child;
  co_return text + "!";
}

Task<int> turns(Context& context, int id, int count, std::vector<int>& log) {
  for (int i = 0; i < count; ++i) {
    Requeue requeue{context};
    co_await requeue;
    log.push_back(id);
  }
  co_return id;
}

TEST(Task, StartsLazily) {
  Context context;
  Task<int> task = leaf(context, 5);
  EXPECT_EQ(context.alive, 0);
  EXPECT_FALSE(task.done());
  task.start();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.result(), 5);
}

TEST(Task, AwaitsChildrenInTurn) {
  Context context;
  Task<int> task = sum_of_leaves(context, 100);
  task.start();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.result(), 4950);
  EXPECT_EQ(context.alive, 0);
}

TEST(Task, SuspendedDeepDownResumesUpwards) {
  Context context;
  Task<std::string> task = awaits_parked(context);
  task.start();
  EXPECT_FALSE(task.done());
  EXPECT_EQ(context.alive, 2);
  context.parked.resume();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.result(), "a string long enough to be on the heap, before the suspension, after!");
  EXPECT_EQ(context.alive, 0);
}

TEST(Task, DestroyingASuspendedTaskDestroysItsChildren) {
  Context context;
  {
    Task<std::string> task = awaits_parked(context);
    task.start();
    EXPECT_EQ(context.alive, 2);
  }
  EXPECT_EQ(context.alive, 0);
}

TEST(Task, NeverStartedIsDestroyed) {
  Context context;
  { Task<int> task = leaf(context, 1); }
  Task<int> a = leaf(context, 1);
  a = leaf(context, 2);
  a.start();
  EXPECT_EQ(a.result(), 2);
  const Task<int> moved = std::move(a);
  EXPECT_FALSE(a.valid());  // NOLINT(bugprone-use-after-move): what is tested
  EXPECT_TRUE(moved.valid());
}

/// Symmetric transfer is a tail call. GCC makes it one only when it optimizes, and the sanitizers
/// stop it from doing so, so that is where the depth is tested.
TEST(Task, DeepChainsUseConstantStack) {
#if (defined(__OPTIMIZE__) || defined(__clang__)) && !defined(__SANITIZE_ADDRESS__)
  constexpr int kDepth = 100'000;
#else
  constexpr int kDepth = 1'000;
#endif
  Context context;
  Task<int> task = down(context, kDepth);
  task.start();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.result(), kDepth);
}

TEST(RunQueue, ReadyCoroutinesRunFromPollInOrder) {
  Context context;
  std::vector<int> log;
  std::vector<Task<int>> tasks;
  for (int id = 0; id < 40; ++id) tasks.push_back(turns(context, id, 3, log));
  for (Task<int>& task : tasks) task.start();
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(context.progress.poll(), 40) << "one turn each, though each queues itself again";
  for (int id = 0; id < 40; ++id) EXPECT_EQ(log[static_cast<std::size_t>(id)], id);
  EXPECT_EQ(context.progress.poll(), 40);
  EXPECT_EQ(context.progress.poll(), 40);
  EXPECT_EQ(context.progress.poll(), 0);
  for (Task<int>& task : tasks) EXPECT_TRUE(task.done());
}

TEST(RunQueue, RingKeepsOrderWhileItGrowsAndWraps) {
  RunQueue queue;
  const auto handle = [](std::uintptr_t n) {
    return std::coroutine_handle<>::from_address(reinterpret_cast<void*>(n));
  };
  std::uintptr_t pushed = 0, popped = 0;
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < round % 37; ++i) queue.push(handle(++pushed));
    for (int i = 0; i < round % 35 && !queue.empty(); ++i) {
      ASSERT_EQ(queue.pop().address(), handle(++popped).address());
    }
  }
  EXPECT_EQ(queue.size(), pushed - popped);
}

TEST(FrameArena, FramesComeFromIt) {
  Context context;
  auto* const before = static_cast<std::byte*>(context.arena_.allocate(1));
  Task<int> task = leaf(context, 1);
  auto* const after = static_cast<std::byte*>(context.arena_.allocate(1));
  EXPECT_GT(after - before, 16) << "the frame lies between the two";
  EXPECT_LT(after - before, 1024);
}

TEST(FrameArena, ReuseNeedsNoNewMemory) {
  Context context;
  const auto run = [&] {
    Task<int> task = sum_of_leaves(context, 200);
    task.start();
    EXPECT_EQ(task.result(), 19900);
  };
  // The block that is kept after the first run may be smaller than all that the run needed.
  run();
  context.arena_.reset();
  run();
  context.arena_.reset();
  void* const first = context.arena_.allocate(64);
  for (int i = 0; i < 10; ++i) {
    context.arena_.reset();
    EXPECT_EQ(context.arena_.allocate(64), first) << "the same memory each time";
    run();
  }
}

TEST(FrameArena, BlocksAreAlignedAndDistinct) {
  FrameArena arena;
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  for (std::size_t i = 0; i < 500; ++i) {
    const std::size_t bytes = (i * 37) % 3000 + 1;
    auto* block = static_cast<unsigned char*>(arena.allocate(bytes));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t), 0U);
    std::memset(block, static_cast<int>(i % 251), bytes);
    blocks.emplace_back(block, bytes);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (std::size_t k = 0; k < blocks[i].second; ++k) ASSERT_EQ(blocks[i].first[k], i % 251);
  }
}

TEST(Task, AnExceptionBecomesTheResult) {
  for (const bool of_memory : {true, false}) {
    NotedContext context;
    Task<int> task = throws_below(context, 3, of_memory);
    task.start();
    ASSERT_TRUE(task.done());
    EXPECT_EQ(task.result(), of_memory ? MPI_ERR_NO_MEM : MPI_ERR_INTERN);
    EXPECT_TRUE(ended_by_exception(task.result()));
    EXPECT_EQ(context.error(), task.result());
    EXPECT_EQ(context.alive, 0);
  }
}

TEST(FrameArena, AnAbandonedOneIsNotUsedAgain) {
  FrameArenaPool pool;
  std::unique_ptr<FrameArena> kept;
  {
    FrameArenaLease lease(pool);
    kept.reset(&*lease);  // what the operation left under way keeps it
    lease.abandon();
  }
  const FrameArenaLease next(pool);
  EXPECT_NE(&*next, kept.get());
}

}  // namespace
}  // namespace remit
