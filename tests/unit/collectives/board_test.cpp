// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared board: ranks that are threads of one program, each with its own device and engine.
#include "collectives/board/board.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "collectives/board/board_short.hpp"
#include "collectives/choice/decision.hpp"
#include "collectives/choice/long_board.hpp"
#include "collectives/choice/tuning.hpp"
#include "collectives/hierarchy.hpp"
#include "collectives/state.hpp"
#include "rdma_btl/shm/shm_device.hpp"
#include "runtime/bootstrap/memory_bootstrap.hpp"
#include "runtime/copy.hpp"
#include "runtime/host_facts.hpp"
#include "tests/unit/collectives/cases.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

class BoardRanks {
 public:
  /// `long_board` is the parameter coll_long_board. The first `takers` ranks take the cache lines
  /// that they have read, every other one only those of short data. With `facts` all know their
  /// host, and each has a core.
  explicit BoardRanks(int size, const WaitPolicy& policy = {}, int ranks_per_host = 1000,
                      const std::string& long_board = "no", int takers = 1000,
                      const std::string& reproducible = "no",
                      const std::optional<HostFacts>& facts = {})
      : job_(size, {.ranks_per_host = ranks_per_host}) {
    Params params;
    EXPECT_TRUE(params.set("coll_long_board", long_board).has_value());
    EXPECT_TRUE(params.set("coll_reproducible", reproducible).has_value());
    const auto group = Group::regular(ProcId{0}, 1, size);
    for (int rank = 0; rank < size; ++rank) {
      ShmConfig config;
      config.name = static_cast<PeerName>(rank);
      config.job = test_seed() + static_cast<std::uint64_t>(size);
      constexpr std::size_t kShort = 3000;
      if (rank < takers) config.claim_lines_to = rank % 2 == 0 ? ~std::size_t{0} : kShort;
      if (facts) config.facts = *facts;
      Expected<std::unique_ptr<ShmDevice>> device = ShmDevice::create(config);
      EXPECT_TRUE(device.has_value()) << (device ? "" : device.error().message);
      auto& r = ranks_.emplace_back(std::make_unique<Rank>());
      r->process =
          std::make_unique<Process>(job_.join(rank), std::make_shared<SteadyClock>(), params, 1);
      r->process->progress().set_policy(policy);
      std::vector<std::unique_ptr<Device>> devices;
      devices.push_back(std::move(*device));
      r->engine = std::make_unique<Engine>(*r->process, std::move(devices));
      r->comm.rank = rank;
      r->comm.local = group;
      if (facts) {
        CollectiveState& state = collective_state(r->comm);
        state.table = &builtin_collective_table();
        state.cost_class = CostClass::host;
        state.processors = size;
      }
    }
    connect();
  }
  [[nodiscard]] int size() const { return static_cast<int>(ranks_.size()); }
  Engine& engine(int rank) { return *at(rank).engine; }
  CommCore& comm(int rank) { return at(rank).comm; }
  /// The rank's device goes, in order; its thread has ended.
  void leave(int rank) {
    at(rank).comm.collectives.reset();
    at(rank).engine.reset();
  }

  /// Runs `body` for each rank in a thread of its own. As in MPI_Finalize, who is done goes on
  /// polling until all are: a send may have completed because it was buffered.
  void run(const std::function<void(int)>& body) {
    std::atomic<int> busy = size();
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size(); ++rank) {
      threads.emplace_back([&, rank] {
        body(rank);
        --busy;
        while (busy != 0) {
          if (at(rank).engine == nullptr) return;
          if (at(rank).process->progress().poll() == 0) std::this_thread::yield();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  struct Rank {
    std::unique_ptr<Process> process;
    std::unique_ptr<Engine> engine;
    CommCore comm;
  };
  Rank& at(int rank) { return *ranks_[static_cast<std::size_t>(rank)]; }

  /// All to all, from one thread: the bootstrap in memory is for one.
  void connect() {
    std::vector<std::unique_ptr<Request>> requests;
    const View nothing = view_of(nullptr, 0, predefined(MPI_BYTE));
    for (int from = 0; from < size(); ++from) {
      for (int to = 0; to < size(); ++to) {
        if (from == to) continue;
        requests.push_back(std::make_unique<Request>(RequestKind::send));
        engine(from).isend(*requests.back(), nothing, to, 0, comm(from));
        requests.push_back(std::make_unique<Request>(RequestKind::receive));
        engine(to).irecv(*requests.back(), nothing, from, 0, comm(to));
      }
    }
    const auto done = [&] {
      return std::all_of(requests.begin(), requests.end(), [](auto& r) { return r->complete; });
    };
    for (int round = 0; round < 10'000'000 && !done(); ++round) {
      for (auto& rank : ranks_) rank->process->progress().poll();
    }
    EXPECT_TRUE(done());
  }

  MemoryJob job_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

/// Random operations of all kinds; some members dawdle, so that others run ahead of them.
void run_random(BoardRanks& ranks, int operations, int max_ints, std::uint64_t seed) {
  SCOPED_TRACE(fmt::format("{} ranks, seed {}", ranks.size(), seed));
  Random random(seed);
  const Vocabulary words;
  std::vector<std::unique_ptr<Case>> cases;
  for (int i = 0; i < operations; ++i) {
    const CollectiveKind kind = kBlockingKinds[random() % kBlockingKinds.size()];
    cases.push_back(std::make_unique<Case>(kind, ranks.size(), max_ints, words, random));
  }
  std::vector<std::string> wrong(static_cast<std::size_t>(ranks.size()));
  ranks.run([&](int rank) {
    Random mine(seed + static_cast<std::uint64_t>(rank));
    for (const auto& what : cases) {
      if (below(mine, 20) == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
      const int error = run_collective(ranks.engine(rank), ranks.comm(rank), what->at(rank).args);
      if (error == MPI_SUCCESS && what->at(rank).right()) continue;
      wrong[static_cast<std::size_t>(rank)] = fmt::format("{}: {}", what->describe(), error);
      return;
    }
  });
  for (int rank = 0; rank < ranks.size(); ++rank) {
    EXPECT_EQ(wrong[static_cast<std::size_t>(rank)], "") << "rank " << rank;
    EXPECT_NE(board_of(ranks.comm(rank)), nullptr);
  }
}

TEST(Board, RandomOperations) {
  for (const int size : {2, 3, 5, 16}) {
    // As ranks wait that outnumber the cores; two may spin.
    BoardRanks ranks(size, WaitPolicy{.spin = size == 2});
    run_random(ranks, 400, 60, test_seed());
    run_random(ranks, 100, 6000, test_seed() + 1);
  }
  for (const int takers : {0, 1}) {
    BoardRanks readers(2, WaitPolicy{.spin = true}, 1000, "no", takers);
    run_random(readers, 100, 6000, test_seed() + 2);
  }
}

/// One operation of few bytes, which a member may do by the short form or by the general one.
struct ShortCase {
  CollectiveKind kind;
  int root;
  std::size_t count;  ///< ints of each member's data or block
  std::uint64_t number;

  [[nodiscard]] int value(int from, std::size_t i) const {
    return static_cast<int>(number * 1000 + static_cast<std::size_t>(from) * 100 + i);
  }
  /// What arrives at `rank` as number i, out of `ranks` members.
  [[nodiscard]] int expected(int rank, int ranks, std::size_t i) const {
    const auto member = static_cast<int>(i / count);
    switch (kind) {
      case CollectiveKind::bcast:
        return value(root, i);
      case CollectiveKind::scatter:
        return value(root, static_cast<std::size_t>(rank) * count + i);
      case CollectiveKind::gather:
      case CollectiveKind::allgather:
        return value(member, i % count);
      case CollectiveKind::alltoall:
        return value(member, static_cast<std::size_t>(rank) * count + i % count);
      default: {
        int sum = 0;
        for (int r = 0; r < ranks; ++r) sum += value(r, i);
        return sum;
      }
    }
  }
};

/// The error of a rank's part of the case; MPI_ERR_UNKNOWN if what arrived is wrong.
int run_short_case(Engine& engine, CommCore& comm, const ShortCase& what, bool in_short) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  const Datatype& type = predefined(MPI_INT);
  const Op& sum = *op_of(MPI_SUM);
  std::vector<int> send(what.count * ranks), recv(what.count * ranks, -1);
  for (std::size_t i = 0; i < send.size(); ++i) send[i] = what.value(comm.rank, i);
  const bool is_bcast = what.kind == CollectiveKind::bcast;
  if (is_bcast && comm.rank == what.root) recv = send;
  CollectiveArgs args;
  args.kind = what.kind;
  args.root = what.root;
  args.send = send.data();
  args.recv = recv.data();
  args.send_count = args.recv_count = static_cast<MPI_Count>(what.count);
  args.send_type = args.recv_type = &type;
  const bool reduces =
      what.kind == CollectiveKind::reduce || what.kind == CollectiveKind::allreduce;
  if (reduces) args.op = &sum;
  const std::size_t bytes = what.count * sizeof(int);
  const ShortVector v{send.data(), recv.data(), bytes, what.count, reduction_kernel(sum, type)};
  BoardLines* const lines = short_path(comm, what.kind, bytes);
  const auto run = [&]() -> int {
    if (!in_short || lines == nullptr) return run_collective(engine, comm, args);
    ++comm.collective_sequence;
    switch (what.kind) {
      case CollectiveKind::barrier:
        return short_barrier(*lines, nullptr);
      case CollectiveKind::bcast:
        return short_bcast(*lines, recv.data(), bytes, what.root, nullptr);
      case CollectiveKind::gather:
        return short_gather(*lines, send.data(), recv.data(), bytes, what.root, nullptr);
      case CollectiveKind::scatter:
        return short_scatter(*lines, send.data(), recv.data(), bytes, what.root, nullptr);
      case CollectiveKind::allgather:
        return short_allgather(*lines, send.data(), recv.data(), bytes, nullptr);
      case CollectiveKind::alltoall:
        return short_alltoall(*lines, send.data(), recv.data(), bytes, nullptr);
      case CollectiveKind::reduce:
        return short_reduce(*lines, v, what.root, nullptr);
      default:
        return short_allreduce(*lines, v, nullptr);
    }
  };
  if (const int error = run()) return error;
  const bool at_root = what.kind == CollectiveKind::gather || what.kind == CollectiveKind::reduce;
  if (what.kind == CollectiveKind::barrier || (at_root && comm.rank != what.root)) return 0;
  const bool of_all = what.kind == CollectiveKind::gather ||
                      what.kind == CollectiveKind::allgather ||
                      what.kind == CollectiveKind::alltoall;
  for (std::size_t i = 0; i < what.count * (of_all ? ranks : 1); ++i) {
    if (recv[i] != what.expected(comm.rank, comm.size(), i)) return MPI_ERR_UNKNOWN;
  }
  return MPI_SUCCESS;
}

// Members need not agree on the form: one may have a derived type where another has a plain one.
TEST(Board, ShortFormsMixWithTheGeneralOne) {
  constexpr std::array kShort = {CollectiveKind::barrier,   CollectiveKind::bcast,
                                 CollectiveKind::gather,    CollectiveKind::scatter,
                                 CollectiveKind::allgather, CollectiveKind::alltoall,
                                 CollectiveKind::reduce,    CollectiveKind::allreduce};
  for (const int size : {2, 3, 7}) {
    BoardRanks ranks(size, WaitPolicy{.spin = size == 2});
    Random random(test_seed() + static_cast<std::uint64_t>(size));
    std::vector<ShortCase> cases;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const int root = static_cast<int>(random() % static_cast<std::uint64_t>(size));
      cases.push_back({kShort[random() % kShort.size()], root, 1 + random() % 14, i});
    }
    std::atomic<int> failures = 0;
    ranks.run([&](int rank) {
      Random mine(test_seed() + static_cast<std::uint64_t>(rank));
      for (const ShortCase& what : cases) {
        const bool in_short = below(mine, 2) == 0;
        if (run_short_case(ranks.engine(rank), ranks.comm(rank), what, in_short) == 0) continue;
        ++failures;
        ADD_FAILURE() << "rank " << rank << ", operation " << what.number << " of kind "
                      << static_cast<int>(what.kind) << (in_short ? ", short" : "");
        return;
      }
    });
    if (failures != 0) return;
  }
}

TEST(Board, ShortFormsWhoseLengthsDisagreeAreAnError) {
  BoardRanks ranks(2);
  ranks.run([&](int rank) {
    CollectiveArgs barrier;
    for (int i = 0; i < 4; ++i) {
      ASSERT_EQ(run_collective(ranks.engine(rank), ranks.comm(rank), barrier), MPI_SUCCESS);
    }
    BoardLines& lines = board_of(ranks.comm(rank))->lines();
    std::array<std::uint64_t, 4> data = {};
    const std::size_t bytes = rank == 0 ? 16 : 8;
    EXPECT_EQ(short_bcast(lines, data.data(), bytes, 0, nullptr),
              rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
    EXPECT_EQ(short_bcast(lines, data.data(), bytes, 1, nullptr),
              rank == 1 ? MPI_SUCCESS : MPI_ERR_OTHER);
    EXPECT_EQ(short_allgather(lines, data.data() + 3, data.data(), bytes / 2, nullptr),
              rank == 0 ? MPI_ERR_OTHER : MPI_ERR_TRUNCATE);
    const ShortVector v{data.data(), data.data(), bytes, bytes / 8,
                        reduction_kernel(*op_of(MPI_SUM), predefined(MPI_INT64_T))};
    EXPECT_EQ(short_allreduce(lines, v, nullptr), MPI_ERR_OTHER);
    EXPECT_EQ(short_barrier(lines, nullptr), MPI_SUCCESS);
  });
}

// Whose data are longer goes on to their next pieces: the board is given up, or the one would take
// the other's pieces for operations to come.
TEST(Board, AShortFormThatMeetsPiecesGivesUp) {
  BoardRanks ranks(2, {}, 1000, "yes");
  ranks.run([&](int rank) {
    CollectiveArgs barrier;
    for (int i = 0; i < 4; ++i) {
      ASSERT_EQ(run_collective(ranks.engine(rank), ranks.comm(rank), barrier), MPI_SUCCESS);
    }
    std::vector<std::byte> data(4 * BoardSegment::kPageBytes);
    if (rank == 0) {
      CollectiveArgs args;
      args.kind = CollectiveKind::bcast;
      args.recv = data.data();
      args.recv_count = static_cast<MPI_Count>(data.size());
      args.recv_type = &predefined(MPI_BYTE);
      (void)run_collective(ranks.engine(rank), ranks.comm(rank), args);
    } else {
      EXPECT_EQ(short_bcast(board_of(ranks.comm(rank))->lines(), data.data(), 8, 0, nullptr),
                MPI_ERR_TRUNCATE);
    }
    EXPECT_EQ(short_barrier(board_of(ranks.comm(rank))->lines(), nullptr), MPI_ERR_PROC_ABORTED);
  });
}

// Every wait ends in a sleep.
TEST(Board, NoWakeUpIsLost) {
  BoardRanks ranks(3, WaitPolicy{.spin = false, .spin_polls = 0, .yields = 0, .sleep = true});
  run_random(ranks, 3000, 12, test_seed() + 2);
}

/// Long blocks, by copies from the members' memory: here the process's own.
TEST(Board, LongBlocksAreCopiedDirectly) {
  for (const int size : {2, 3, 5}) {
    BoardRanks ranks(size);
    run_random(ranks, 20, 60, test_seed() + 5);
    EXPECT_TRUE(board_of(ranks.comm(0))->reaches_memory());
    run_random(ranks, 60, 200'000, test_seed() + 6);
    if (HasFailure()) return;
  }
}

HostFacts facts_of_slow_copies() {
  HostFacts facts;
  facts.kernel = KernelCopies{.ns_of_64k = 1, .quick = true};
  facts.kernel_trap = false;
  facts.claim_lines_to = 0;
  facts.loops = copy_loops();
  facts.day = today();
  return facts;
}

bool chooses_by_pace(BoardRanks& ranks, int rank) {
  CollectiveArgs args = bcast_args(nullptr, 1 << 16, predefined(MPI_BYTE));
  args.kind = CollectiveKind::allgather;
  const CommCore& comm = ranks.comm(rank);
  const Params& params = ranks.engine(rank).process().params();
  return decide(board_of(comm), args, shape_of(comm, args), params).pace != nullptr;
}

/// Directly and by the board in turns, as the times of the kernel's copies say: here all are slow.
TEST(Board, SlowCopiesBringLongBlocksToTheBoard) {
  for (const int size : {2, 3}) {
    BoardRanks ranks(size, WaitPolicy{.spin = true}, 1000, "auto", 0, "no", facts_of_slow_copies());
    run_random(ranks, 20, 60, test_seed() + 10);
    EXPECT_TRUE(chooses_by_pace(ranks, 0));
    run_random(ranks, size == 2 ? 400 : 60, 30'000, test_seed() + 11);
    if (size == 2) run_random(ranks, 400, 8'000, test_seed() + 16);  // which each combines wholly
    if (HasFailure()) return;
  }
}

/// The standard wants both or none in place; other libraries take it as it comes.
TEST(Board, OneOfTwoReducesInPlace) {
  BoardRanks ranks(2, WaitPolicy{.spin = true}, 1000, "auto", 0, "no", facts_of_slow_copies());
  run_random(ranks, 20, 60, test_seed() + 17);
  const Op& sum = *op_of(MPI_SUM);
  std::atomic<int> wrong = 0;
  ranks.run([&](int rank) {
    for (int round = 0; round < 40; ++round) {
      const std::size_t count = round % 2 == 0 ? 3000 : 12'000;  // wholly, and in shares
      std::vector<int> mine(count, round + rank), all(count, round + rank);
      CollectiveArgs args =
          bcast_args(all.data(), static_cast<MPI_Count>(count), predefined(MPI_INT));
      args.kind = CollectiveKind::allreduce;
      args.send = round / 2 % 2 == rank ? MPI_IN_PLACE : mine.data();
      args.send_count = args.recv_count;
      args.send_type = args.recv_type;
      args.op = &sum;
      const int error = run_collective(ranks.engine(rank), ranks.comm(rank), args);
      if (error != MPI_SUCCESS || all != std::vector<int>(count, 2 * round + 1)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

/// What all want of one member, or one of all, however quickly the kernel copies for one of them.
TEST(Board, ACrowdHasLongDataOnTheBoard) {
  const auto takes = [](BoardRanks& ranks, CollectiveKind kind, MPI_Count bytes) {
    CollectiveArgs args = bcast_args(nullptr, bytes, predefined(MPI_BYTE));
    args.kind = kind;
    args.send_count = bytes;
    args.send_type = args.recv_type;
    const CommCore& comm = ranks.comm(0);
    return board_of(comm)->limits().takes(args, shape_of(comm, args));
  };
  for (const int size : {3, 5}) {
    BoardRanks ranks(size, WaitPolicy{}, 1000, "auto", 0, "no", facts_of_slow_copies());
    run_random(ranks, 20, 60, test_seed() + 14);
    EXPECT_TRUE(takes(ranks, CollectiveKind::bcast, 3 << 20));
    EXPECT_EQ(takes(ranks, CollectiveKind::gather, 1 << 16), size > 3);
    EXPECT_FALSE(takes(ranks, CollectiveKind::scatter, 1 << 16));
    run_random(ranks, 60, 200'000, test_seed() + 15);
    if (HasFailure()) return;
  }
}

TEST(Board, EitherAllMembersChooseByPaceOrNobody) {
  BoardRanks ranks(2, WaitPolicy{.spin = true}, 1000, "auto", 0, "no", facts_of_slow_copies());
  ranks.engine(1).process().progress().set_policy(WaitPolicy{.spin = false});
  run_random(ranks, 20, 60, test_seed() + 12);
  for (int rank = 0; rank < 2; ++rank) EXPECT_FALSE(chooses_by_pace(ranks, rank)) << rank;
  run_random(ranks, 100, 30'000, test_seed() + 13);
}

/// Or through the board, in pieces.
TEST(Board, LongBlocksGoInPieces) {
  for (const int size : {2, 3, 5, 16}) {
    BoardRanks ranks(size, WaitPolicy{.spin = size == 2}, 1000, "yes");
    run_random(ranks, 20, 60, test_seed() + 7);
    const CollectiveArgs args = bcast_args(nullptr, 3 << 20, predefined(MPI_BYTE));
    const CommCore& comm = ranks.comm(0);
    EXPECT_TRUE(board_of(comm)->limits().takes(args, shape_of(comm, args)));
    run_random(ranks, size == 2 ? 60 : 12, size == 16 ? 40'000 : 200'000, test_seed() + 8);
    run_random(ranks, 200, 60, test_seed() + 9);
    if (HasFailure()) return;
  }
}

TEST(Board, HowFarTheKernelIsBehindDecidesOnLongData) {
  const auto chosen = [](const std::string& parameter, std::uint32_t page_ns, bool spins = true,
                         bool reaches = true) {
    Params params;
    EXPECT_TRUE(params.set("coll_long_board", parameter).has_value());
    const KernelCopies kernel{.ns_of_64k = 4000};  // two pages
    return long_board_of(params, kernel, {reaches, spins, page_ns});
  };
  EXPECT_EQ(chosen("auto", 900), LongBoard::all);
  EXPECT_EQ(chosen("auto", 1000), LongBoard::cached);
  EXPECT_EQ(chosen("auto", 1900), LongBoard::cached);
  EXPECT_EQ(chosen("auto", 2000), LongBoard::none);
  EXPECT_EQ(chosen("auto", 0), LongBoard::none) << "nobody knows";
  EXPECT_EQ(chosen("auto", 900, false), LongBoard::none) << "a change of processes a piece";
  EXPECT_EQ(chosen("auto", 0, true, false), LongBoard::all) << "no kernel";
  EXPECT_EQ(chosen("yes", 5000, false), LongBoard::all);
  EXPECT_EQ(chosen("no", 1), LongBoard::none);
}

/// What a program does wrong is said, nobody waits for ever, and nothing wrong follows.
TEST(Board, PiecesOfDifferentLengths) {
  const std::pair<MPI_Count, MPI_Count> kLengths[] = {
      {1'000'000, 500'000}, {40'000, 20'000}, {20'000, 40'000}};
  for (const auto& [of_root, of_other] : kLengths) {
    SCOPED_TRACE(fmt::format("{} and {} bytes", of_root, of_other));
    BoardRanks ranks(2, WaitPolicy{.spin = true}, 1000, "yes");
    run_random(ranks, 20, 60, test_seed() + 10);
    std::array<int, 2> first = {};
    std::array<int, 2> last = {};
    ranks.run([&](int rank) {
      const MPI_Count length = rank == 0 ? of_root : of_other;
      std::vector<std::byte> data(static_cast<std::size_t>(length));
      const auto own = static_cast<std::size_t>(rank);
      const CollectiveArgs args = bcast_args(data.data(), length, predefined(MPI_BYTE));
      first[own] = run_collective(ranks.engine(rank), ranks.comm(rank), args);
      CollectiveArgs barrier;
      barrier.kind = CollectiveKind::barrier;
      for (int i = 0; i < 3; ++i) {  // the first ones may be a piece of the broadcast
        last[own] = run_collective(ranks.engine(rank), ranks.comm(rank), barrier);
      }
    });
    EXPECT_NE(first[1], MPI_SUCCESS);
    EXPECT_NE(last[0], MPI_SUCCESS);
    EXPECT_NE(last[1], MPI_SUCCESS);
  }
}

/// The members find out their cells together.
TEST(Hierarchies, FoundOutByBlockingOperations) {
  const int size = 10;
  const int per_host = 3;
  BoardRanks ranks(size, WaitPolicy{.spin = false}, per_host);
  ranks.run([&](int rank) {
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(run_collective(ranks.engine(rank), ranks.comm(rank), {}), MPI_SUCCESS);
    }
  });
  for (int rank = 0; rank < size; ++rank) {
    const Hierarchy* found = hierarchy_of(ranks.comm(rank));
    ASSERT_NE(found, nullptr) << rank;
    EXPECT_EQ(found->cells(), 4);
    EXPECT_EQ(found->own_cell(), rank / per_host);
    EXPECT_EQ(found->leads(), rank % per_host == 0);
    EXPECT_EQ(found->largest(), per_host);
    EXPECT_TRUE(found->ordered());
    EXPECT_FALSE(found->even());
    EXPECT_EQ(found->inside().rank, rank % per_host);
    EXPECT_EQ(board_of(ranks.comm(rank)), nullptr);
  }
}

/// Persistent operations may start in any order, here before and there after the blocking operation
/// by which cells are found out; all members must have chosen the same algorithm.
TEST(Hierarchies, PersistentOperationsStartOnEitherSideOfFindingOut) {
  const int size = 10;
  BoardRanks ranks(size, WaitPolicy{.spin = false}, 3);
  ranks.run([&](int rank) {
    Engine& engine = ranks.engine(rank);
    std::vector<int> seen(static_cast<std::size_t>(size), -1);
    CollectiveArgs gather;
    gather.kind = CollectiveKind::allgather;
    gather.send = &rank;
    gather.send_count = gather.recv_count = 1;
    gather.send_type = gather.recv_type = &predefined(MPI_INT);
    gather.recv = seen.data();
    Collective barrier(engine, ranks.comm(rank), {});
    Collective allgather(engine, ranks.comm(rank), gather);
    const auto start = [&] {
      barrier.start();
      allgather.start();
    };
    const bool early = rank % 2 == 0;
    if (early) start();
    while (hierarchy_of(ranks.comm(rank)) == nullptr) {
      ASSERT_EQ(run_collective(engine, ranks.comm(rank), {}), MPI_SUCCESS);
    }
    if (!early) start();
    engine.process().progress().wait(
        [&] { return barrier.request.complete && allgather.request.complete; });
    for (int i = 0; i < size; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
    // Nobody leaves before all have what they need of it.
    ASSERT_EQ(run_collective(engine, ranks.comm(rank), {}), MPI_SUCCESS);
  });
}

TEST(Board, TooManyMembersUseMessages) {
  BoardRanks ranks(BoardLimits::kMembers + 1);
  ranks.run([&](int rank) {
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(run_collective(ranks.engine(rank), ranks.comm(rank), {}), MPI_SUCCESS);
    }
  });
  EXPECT_EQ(board_of(ranks.comm(0)), nullptr);
}

// Far more communicators one after the other than there are places.
TEST(Board, PlacesServeAgain) {
  for (const auto& [size, most_ints] : {std::pair(3, 30), std::pair(2, 4000)}) {
    BoardRanks ranks(size, WaitPolicy{.spin = size == 2});
    for (int round = 0; round < 100; ++round) {
      for (int rank = 0; rank < ranks.size(); ++rank) {
        CommCore& comm = ranks.comm(rank);
        comm.collectives.reset();
        comm.context += 2;
      }
      run_random(ranks, 12, most_ints, test_seed() + static_cast<std::uint64_t>(round));
      if (HasFailure()) return;
    }
  }
}

/// What all members get of blocking sums of floats, after a board, if there is one, was set up.
std::vector<std::vector<float>> float_sums(CollectiveKind kind, int ranks_per_host,
                                           const std::string& reproducible) {
  constexpr int kSize = 4;
  constexpr MPI_Count kBlock = 25;
  constexpr MPI_Count kAll = kBlock * kSize;
  Random random(test_seed() + 13);
  std::vector<std::vector<float>> given(kSize), results(kSize);
  for (auto& vector : given) {
    for (MPI_Count i = 0; i < kAll; ++i) {
      vector.push_back(std::ldexp(static_cast<float>(below(random, 1 << 24)), -below(random, 40)));
    }
  }
  BoardRanks ranks(kSize, {}, ranks_per_host, "no", 1000, reproducible);
  ranks.run([&](int rank) {
    for (int i = 0; i < 6; ++i) {  // barriers use a board in any case
      EXPECT_EQ(run_collective(ranks.engine(rank), ranks.comm(rank), {}), MPI_SUCCESS);
    }
    const bool scatters = kind == CollectiveKind::reduce_scatter_block;
    std::vector<float>& result = results[static_cast<std::size_t>(rank)];
    result.assign(static_cast<std::size_t>(kAll), -1);
    CollectiveArgs args;
    args.kind = kind;
    args.send = given[static_cast<std::size_t>(rank)].data();
    args.recv = result.data();
    args.send_count = kAll;
    args.recv_count = scatters ? kBlock : kAll;
    args.send_type = args.recv_type = &predefined(MPI_FLOAT);
    args.op = op_of(MPI_SUM);
    EXPECT_EQ(run_collective(ranks.engine(rank), ranks.comm(rank), args), MPI_SUCCESS);
  });
  EXPECT_EQ(board_of(ranks.comm(0)) != nullptr, ranks_per_host > 1);
  return results;
}

/// With the parameter coll_reproducible a board makes no difference to the bits of a sum.
TEST(Board, ReproducibleSumsAreThoseOfMessages) {
  using enum CollectiveKind;
  int differ = 0;
  for (const CollectiveKind kind : {reduce, allreduce, reduce_scatter_block, scan, exscan}) {
    EXPECT_EQ(float_sums(kind, 1000, "yes"), float_sums(kind, 1, "yes")) << collective_name(kind);
    if (float_sums(kind, 1000, "no") != float_sums(kind, 1, "no")) ++differ;
  }
  EXPECT_GT(differ, 0) << "the test sees nothing";
}

/// In an allreduce each member combines a share of each piece; the last piece is a short one.
TEST(Board, LongVectorsAreReducedInPieces) {
  constexpr std::size_t kCount = 600'000 / sizeof(int) + 13;
  BoardRanks ranks(2, WaitPolicy{.spin = true}, 1000, "yes");
  run_random(ranks, 20, 60, test_seed() + 12);
  for (int round = 0; round < 16; ++round) {
    const bool in_place = round % 2 == 1;
    const int root = round / 2 % 2;
    const bool all = round % 8 >= 4;
    SCOPED_TRACE(fmt::format("round {}", round));
    std::array<std::vector<int>, 2> results;
    ranks.run([&](int rank) {
      std::vector<int> mine(kCount);
      for (std::size_t i = 0; i < kCount; ++i) mine[i] = static_cast<int>(i) * (rank + 2) + round;
      std::vector<int>& result = results[static_cast<std::size_t>(rank)];
      const bool kept = in_place && (all || rank == root);
      result = kept ? mine : std::vector<int>(kCount, -1);
      CollectiveArgs args;
      args.kind = all ? CollectiveKind::allreduce : CollectiveKind::reduce;
      args.root = root;
      args.send = kept ? MPI_IN_PLACE : mine.data();
      args.recv = result.data();
      args.send_count = args.recv_count = static_cast<MPI_Count>(kCount);
      args.send_type = args.recv_type = &predefined(MPI_INT);
      args.op = op_of(MPI_SUM);
      EXPECT_EQ(run_collective(ranks.engine(rank), ranks.comm(rank), args), MPI_SUCCESS);
    });
    for (int rank = 0; rank < 2; ++rank) {
      if (!all && rank != root) continue;
      const std::vector<int>& result = results[static_cast<std::size_t>(rank)];
      for (std::size_t i = 0; i < kCount; ++i) {
        ASSERT_EQ(result[i], static_cast<int>(i) * 5 + 2 * round) << i;
      }
    }
  }
}

TEST(Board, AMemberThatLeavesIsMissed) {
  BoardRanks ranks(4);
  run_random(ranks, 30, 30, test_seed() + 3);
  ranks.leave(2);
  std::vector<int> errors(4, MPI_SUCCESS);
  ranks.run([&](int rank) {
    if (rank == 2) return;
    for (int i = 0; i < 3; ++i) {
      errors[static_cast<std::size_t>(rank)] =
          run_collective(ranks.engine(rank), ranks.comm(rank), {});
    }
  });
  for (const int rank : {0, 1, 3}) {
    EXPECT_EQ(errors[static_cast<std::size_t>(rank)], MPI_ERR_PROC_ABORTED) << rank;
  }
}

/// Where members share processors, who has its data leaves, even if another member comes late.
TEST(Board, NobodyButTheRootWaitsForALateMember) {
  const int size = std::max(3, host_processors() + 1);
  if (size > BoardLimits::kMembers) GTEST_SKIP() << "the members have a processor each";
  const int late = size - 1;
  const MPI_Count block = 50'000;
  BoardRanks ranks(size);
  run_random(ranks, 20, 60, test_seed() + 10);
  for (const CollectiveKind kind :
       {CollectiveKind::bcast, CollectiveKind::gather, CollectiveKind::scatter}) {
    std::atomic<int> gone = 0;
    int gone_before = 0;
    std::vector<std::vector<int>> received(static_cast<std::size_t>(size));
    std::vector<int> errors(static_cast<std::size_t>(size));
    ranks.run([&](int rank) {
      const auto all = static_cast<std::size_t>(block) * static_cast<std::size_t>(size);
      const std::vector<int> send(all, rank + 1);
      std::vector<int>& recv = received[static_cast<std::size_t>(rank)];
      recv.assign(all, kind == CollectiveKind::bcast ? rank + 1 : 0);
      CollectiveArgs args;
      args.kind = kind;
      args.send = send.data();
      args.recv = recv.data();
      args.send_count = args.recv_count = block;
      args.send_type = args.recv_type = &predefined(MPI_INT);
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (rank == late && gone != size - 2 && std::chrono::steady_clock::now() < end) {
        std::this_thread::yield();
      }
      if (rank == late) gone_before = gone;
      errors[static_cast<std::size_t>(rank)] =
          run_collective(ranks.engine(rank), ranks.comm(rank), args);
      if (rank != 0) ++gone;
    });
    EXPECT_EQ(gone_before, size - 2) << collective_name(kind);
    EXPECT_EQ(errors, std::vector<int>(static_cast<std::size_t>(size), MPI_SUCCESS));
    for (int rank = 0; rank < size; ++rank) {
      const bool gathers = kind == CollectiveKind::gather;
      if (gathers && rank != 0) continue;
      for (std::size_t i = 0; i < static_cast<std::size_t>(gathers ? size : 1); ++i) {
        const auto from = received[static_cast<std::size_t>(rank)].begin() +
                          static_cast<std::ptrdiff_t>(i) * block;
        EXPECT_EQ(std::count(from, from + block, static_cast<int>(i) + 1), block);
      }
    }
  }
}

/// One member has blocks that are read where they lie, the others small ones, or none.
TEST(Board, LongBlocksOfOneMember) {
  const int size = 3;
  const MPI_Count many = 100'000;
  BoardRanks ranks(size);
  run_random(ranks, 30, 30, test_seed() + 7);
  const auto count_of = [&](int from, int to) -> MPI_Count {
    if (from == 1) return to == 0 ? many : 0;
    return from + to;
  };
  std::vector<std::vector<int>> received(size);
  std::vector<int> errors(size);
  ranks.run([&](int rank) {
    std::vector<MPI_Count> counts(size), displs(size), sizes(size), places(size);
    MPI_Count out = 0;
    MPI_Count in = 0;
    for (int i = 0; i < size; ++i) {
      const auto at = static_cast<std::size_t>(i);
      counts[at] = count_of(rank, i);
      displs[at] = std::exchange(out, out + counts[at]);
      sizes[at] = count_of(i, rank);
      places[at] = std::exchange(in, in + sizes[at]);
    }
    std::vector<int> send(static_cast<std::size_t>(out), rank);
    std::vector<int>& recv = received[static_cast<std::size_t>(rank)];
    recv.assign(static_cast<std::size_t>(in), -1);
    CollectiveArgs args;
    args.kind = CollectiveKind::alltoallv;
    args.send = send.data();
    args.recv = recv.data();
    args.send_type = args.recv_type = &predefined(MPI_INT);
    args.send_counts = Counts(counts.data());
    args.send_displs = Counts(displs.data());
    args.recv_counts = Counts(sizes.data());
    args.recv_displs = Counts(places.data());
    errors[static_cast<std::size_t>(rank)] =
        run_collective(ranks.engine(rank), ranks.comm(rank), args);
    std::fill(send.begin(), send.end(), -2);  // nobody may read it any more
  });
  for (int rank = 0; rank < size; ++rank) {
    EXPECT_EQ(errors[static_cast<std::size_t>(rank)], MPI_SUCCESS);
    std::vector<int> wanted;
    for (int from = 0; from < size; ++from) {
      wanted.insert(wanted.end(), static_cast<std::size_t>(count_of(from, rank)), from);
    }
    EXPECT_EQ(received[static_cast<std::size_t>(rank)], wanted) << rank;
  }
}

TEST(Board, CountsThatDisagreeAreAnError) {
  BoardRanks ranks(2);
  run_random(ranks, 30, 30, test_seed() + 4);
  std::array<std::array<int, 4>, 2> data = {};
  std::array<int, 2> errors = {};
  const auto bcast = [&](int rank, MPI_Count count) {
    CollectiveArgs args;
    args.kind = CollectiveKind::bcast;
    args.recv = data[static_cast<std::size_t>(rank)].data();
    args.recv_count = count;
    args.recv_type = &predefined(MPI_INT);
    errors[static_cast<std::size_t>(rank)] =
        run_collective(ranks.engine(rank), ranks.comm(rank), args);
  };
  ranks.run([&](int rank) { bcast(rank, rank == 0 ? 4 : 2); });
  EXPECT_EQ(errors[0], MPI_SUCCESS);
  EXPECT_EQ(errors[1], MPI_ERR_TRUNCATE);
  data[0] = {1, 2, 3, 4};
  ranks.run([&](int rank) { bcast(rank, 4); });
  EXPECT_EQ(errors[1], MPI_SUCCESS);
  EXPECT_EQ(data[1], data[0]);
}

/// What an earlier operation left in a page is nobody's contribution.
TEST(Board, TwoRootsOfAReduceAreAnError) {
  constexpr std::size_t kCount = 1000;
  BoardRanks ranks(2, WaitPolicy{.spin = true});
  run_random(ranks, 30, 2000, test_seed() + 13);
  std::array<int, 2> errors = {};
  const auto reduce = [&](int rank, int root) {
    const std::vector<int> mine(kCount, rank + 1);
    std::vector<int> result(kCount, -1);
    CollectiveArgs args;
    args.kind = CollectiveKind::reduce;
    args.root = root;
    args.send = mine.data();
    args.recv = result.data();
    args.send_count = args.recv_count = static_cast<MPI_Count>(kCount);
    args.send_type = args.recv_type = &predefined(MPI_INT);
    args.op = op_of(MPI_SUM);
    errors[static_cast<std::size_t>(rank)] =
        run_collective(ranks.engine(rank), ranks.comm(rank), args);
    return result[0];
  };
  ranks.run([&](int rank) { (void)reduce(rank, rank); });
  EXPECT_NE(errors[0], MPI_SUCCESS);
  EXPECT_NE(errors[1], MPI_SUCCESS);
  for (const int root : {0, 1}) {
    ranks.run([&](int rank) {
      const int sum = reduce(rank, root);
      EXPECT_EQ(sum, rank == root ? 3 : -1);
    });
    EXPECT_EQ(errors[0], MPI_SUCCESS);
    EXPECT_EQ(errors[1], MPI_SUCCESS);
  }
}

/// Two members write where they have read: which pages those are they agree on nevertheless.
TEST(Board, ExchangesWhoseCountsDisagreeLeaveThePagesInOrder) {
  const std::pair<MPI_Count, MPI_Count> kLengths[] = {
      {4096, 3000}, {100, 4096}, {4096, 8}, {2048, 2047}, {8192, 2048}};
  // All of these lengths are the board's, whatever this host's kernel does.
  BoardRanks ranks(2, WaitPolicy{.spin = true}, 1000, "yes");
  run_random(ranks, 30, 2000, test_seed() + 11);
  std::uint64_t round = 0;
  for (const auto& lengths : kLengths) {
    for (const CollectiveKind kind :
         {CollectiveKind::allgather, CollectiveKind::alltoall, CollectiveKind::allreduce}) {
      SCOPED_TRACE(fmt::format("{} of {} and {} bytes", collective_name(kind), lengths.first,
                               lengths.second));
      std::array<int, 2> errors = {};
      ranks.run([&](int rank) {
        const MPI_Count length = rank == 0 ? lengths.first : lengths.second;
        const std::vector<std::byte> mine(static_cast<std::size_t>(2 * length));
        std::vector<std::byte> all(static_cast<std::size_t>(2 * length));
        CollectiveArgs args;
        args.kind = kind;
        args.send = mine.data();
        args.recv = all.data();
        args.send_count = args.recv_count = length;
        args.send_type = args.recv_type = &predefined(MPI_BYTE);
        if (kind == CollectiveKind::allreduce) args.op = op_of(MPI_BOR);
        errors[static_cast<std::size_t>(rank)] =
            run_collective(ranks.engine(rank), ranks.comm(rank), args);
      });
      EXPECT_NE(errors[0], MPI_SUCCESS);
      EXPECT_NE(errors[1], MPI_SUCCESS);
      run_random(ranks, 12, 4000, test_seed() + 100 + ++round);
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace remit::testing
