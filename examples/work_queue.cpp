// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A queue of uneven tasks without a master: the number of the next task is a word in a window of
// rank 0, from which whoever is free takes some by fetch_and_op. Rank 0 works like all others
// meanwhile. The same tasks dealt out in equal shares before show what that is good for.
//
// A task counts the primes of an interval by trial division, which takes the longer the larger they
// are. Both ways must find as many as a sieve does, and each task must be done once.
//
//   mpirun -n 4 ./work_queue --limit 4000000 --tasks 400

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

#include "command_line.hpp"

namespace {

struct Problem {
  long limit;  // primes below it are counted
  long tasks;
  [[nodiscard]] long begin_of(long task) const { return limit * task / tasks; }
};

// A range of tasks; none if it is empty.
struct Tasks {
  long begin;
  long end;
};

bool is_prime(long n) {
  if (n < 4) return n > 1;
  if (n % 2 == 0) return false;
  for (long d = 3; d * d <= n; d += 2) {
    if (n % d == 0) return false;
  }
  return true;
}

long primes_in(const Problem& problem, long task) {
  long found = 0;
  for (long n = problem.begin_of(task); n < problem.begin_of(task + 1); ++n) found += is_prime(n);
  return found;
}

// The primes below a limit by the sieve of Eratosthenes.
long sieve(long limit) {
  std::vector<char> composite(static_cast<std::size_t>(limit), 0);
  long found = 0;
  for (long n = 2; n < limit; ++n) {
    if (composite[static_cast<std::size_t>(n)] != 0) continue;
    ++found;
    for (long m = n * n; m < limit; m += n) composite[static_cast<std::size_t>(m)] = 1;
  }
  return found;
}

// The number of the next task, from which all ranks take.
class WorkQueue {
 public:
  WorkQueue(long tasks, long at_once, int rank) : tasks_(tasks), at_once_(at_once) {
    std::int64_t* word = nullptr;
    const MPI_Aint bytes = rank == kOwner ? sizeof *word : 0;
    MPI_Win_allocate(bytes, sizeof *word, MPI_INFO_NULL, MPI_COMM_WORLD, &word, &window_);
    if (rank == kOwner) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window_);
      *word = 0;
      MPI_Win_unlock(rank, window_);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window_);
  }
  ~WorkQueue() {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // The next ones, which nobody else gets.
  Tasks take() {
    const std::int64_t some = at_once_;
    std::int64_t first = 0;
    MPI_Fetch_and_op(&some, &first, MPI_INT64_T, kOwner, 0, MPI_SUM, window_);
    MPI_Win_flush(kOwner, window_);
    return {std::min<long>(first, tasks_), std::min<long>(first + at_once_, tasks_)};
  }

 private:
  static constexpr int kOwner = 0;
  long tasks_;
  long at_once_;
  MPI_Win window_ = MPI_WIN_NULL;
};

// What came of all tasks, known to all ranks.
struct Outcome {
  long primes = 0;
  bool each_once = false;
  double seconds = 0;
  double idle = 0;  // the share of all ranks' time in which they waited for the last one
};

// Does tasks until `take` has no more.
Outcome work(const Problem& problem, int ranks, const std::function<Tasks()>& take) {
  std::vector<int> done(static_cast<std::size_t>(problem.tasks), 0), all_done(done.size());
  Outcome outcome;
  long found = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (Tasks some = take(); some.begin < some.end; some = take()) {
    for (long task = some.begin; task < some.end; ++task) {
      found += primes_in(problem, task);
      ++done[static_cast<std::size_t>(task)];
    }
  }
  const double busy = MPI_Wtime() - start;
  double all_busy = 0;
  MPI_Allreduce(&busy, &outcome.seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&busy, &all_busy, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&found, &outcome.primes, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(done.data(), all_done.data(), static_cast<int>(done.size()), MPI_INT, MPI_SUM,
                MPI_COMM_WORLD);
  outcome.idle = 1 - all_busy / (outcome.seconds * ranks);
  outcome.each_once = std::all_of(all_done.begin(), all_done.end(), [](int n) { return n == 1; });
  return outcome;
}

// Runs the whole example; 0 if the result is right.
int run(int rank, int ranks, const Problem& problem, long at_once) {
  bool taken = false;
  const Outcome dealt = work(problem, ranks, [&]() -> Tasks {
    if (taken) return {0, 0};
    taken = true;
    return {problem.tasks * rank / ranks, problem.tasks * (rank + 1) / ranks};
  });
  WorkQueue queue(problem.tasks, at_once, rank);
  const Outcome queued = work(problem, ranks, [&] { return queue.take(); });
  long primes = rank == 0 ? sieve(problem.limit) : 0;
  MPI_Bcast(&primes, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  bool right = true;
  for (const Outcome* outcome : {&dealt, &queued}) {
    const bool good = outcome->each_once && outcome->primes == primes;
    right = right && good;
    if (rank != 0) continue;
    std::printf("work_queue: %ld tasks, %d ranks, %s: %.3f s, %.0f %% of it idle, %ld primes: %s\n",
                problem.tasks, ranks, outcome == &dealt ? "equal shares" : "queue       ",
                outcome->seconds, 100 * outcome->idle, outcome->primes, good ? "PASS" : "FAIL");
  }
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Problem problem{.limit = 2'000'000, .tasks = 400};
  long at_once = 1;
  CommandLine line("work_queue", "uneven tasks from a queue in a window, and in equal shares");
  line.add("--limit", problem.limit, 1, "primes below it are counted");
  line.add("--tasks", problem.tasks, 1, "intervals of equal length");
  line.add("--at-once", at_once, 1, "tasks taken at once");
  bool go = line.parse(argc, argv, rank == 0);
  if (go && problem.limit > 1'000'000'000) {
    go = line.complain("--limit must be 1000000000 at most", rank == 0);
  }
  if (go && problem.tasks > 1'000'000) {
    go = line.complain("--tasks must be 1000000 at most", rank == 0);
  }
  const int status = go ? run(rank, ranks, problem, at_once) : line.exit_code();
  MPI_Finalize();
  return status;
}
