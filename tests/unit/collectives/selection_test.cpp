// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the table of algorithms chooses, and what its rows send.
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "collectives/algorithms.hpp"
#include "collectives/algorithms/grouping.hpp"
#include "collectives/algorithms/overlapped.hpp"
#include "collectives/algorithms/peers.hpp"
#include "collectives/choice/forced.hpp"
#include "tests/unit/collectives/ranks.hpp"

namespace remit::testing {
namespace {

// --- what algorithms cost ------------------------------------------------------------------------

int log2_up(int n) {
  return std::bit_width(static_cast<unsigned>(n - 1));
}

/// Messages and bytes of data of all members together, for contributions of n bytes.
struct Traffic {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

/// All messages are whole vectors; those that would be empty are not sent.
Traffic overlapped_traffic(std::int64_t p, std::int64_t n) {
  const int size = static_cast<int>(p);
  const LogGP& model = builtin_collective_table().model(CostClass::network);
  const Overlapped way{size, best_lag(model, size, static_cast<double>(n))};
  std::vector<int> windows(static_cast<std::size_t>(way.steps()) + 1);
  way.fill(windows);
  std::int64_t messages = 0;
  for (int step = way.lag; step <= way.steps(); ++step) {
    if (!way.message(windows, step).empty) messages += p;
  }
  return {messages, messages * n};
}

/// In each group everybody gets all others' values.
Traffic grouped_traffic(int p, std::int64_t n) {
  const LogGP& model = builtin_collective_table().model(CostClass::network);
  const Grouping grouping(model, p, static_cast<double>(n));
  Traffic all;
  const auto add = [&](int size) {
    const Overlapped way{size, grouping.lag()};
    std::vector<int> windows(static_cast<std::size_t>(way.steps()) + 1);
    way.fill(windows);
    for (int step = way.lag; step <= way.steps(); ++step) {
      if (!way.message(windows, step).empty) ++all.messages;
    }
    all.bytes += (size - 1) * n;
  };
  for (int rank = 0; rank < p; ++rank) {
    const Grouping::Seat seat = grouping.seat(rank);
    add(grouping.length(seat.block));
    if (seat.index >= grouping.common()) {
      all.messages += 1;  // the result, to this one
      all.bytes += n;
      continue;
    }
    for (int i = 1; i < grouping.rounds(); ++i) add(grouping.circle(seat, i).size);
  }
  return all;
}

constexpr Traffic kNoFormula = {-1, -1};

Traffic knomial_blocks_traffic(std::int64_t p, std::int64_t n, int radix) {
  std::int64_t blocks = 0;
  for (int r = 1; r < p; ++r) blocks += KnomialTree{r, static_cast<int>(p), radix}.subtree();
  return {p - 1, blocks * n};
}

Traffic scatter_allgather_traffic(std::int64_t p, std::int64_t n) {
  std::int64_t subtrees = 0;  // blocks that ranks have after the scatter
  for (int r = 0; r < p; ++r) subtrees += BinomialTree{r, static_cast<int>(p)}.subtree();
  const std::int64_t block = n / p;
  return {p - 1 + p * p - subtrees, (subtrees - p) * block + (p * p - subtrees) * block};
}

Traffic bruck_alltoall_traffic(std::int64_t p, std::int64_t n) {
  std::int64_t hops = 0;
  for (unsigned d = 1; d < p; ++d) hops += std::popcount(d);
  return {p * log2_up(static_cast<int>(p)), p * hops * n};
}

Traffic prefix_traffic(std::int64_t p, std::int64_t n) {
  std::int64_t pairs = 0;
  for (std::int64_t d = 1; d < p; d *= 2) pairs += p - d;
  return {pairs, pairs * n};
}

/// What a row of the table is expected to send; kNoFormula for rows that nobody has written one
/// for, so that a new row needs none.
Traffic expected_traffic(const Algorithm& row, std::int64_t p, std::int64_t n) {
  const std::int64_t rounds = log2_up(static_cast<int>(p));
  const PowerOfTwoFold fold{static_cast<int>(p)};
  const std::int64_t cube = fold.cube();
  const std::int64_t extra = fold.extra();
  const std::int64_t steps = cube * log2_up(fold.cube());
  const std::int64_t each = p * (p - 1);
  const Traffic tree = {p - 1, (p - 1) * n};  // also a chain of one segment
  const Traffic halving = {steps + 2 * extra, (cube - 1) * n + extra * (n + n / p)};
  const Traffic halves = {2 * (p - 1), (p - 1) * n};
  const std::string name = text(row);
  const auto is = [&](auto... names) { return ((name == names) || ...); };

  if (is("barrier=overlapped")) return overlapped_traffic(p, 0);
  if (is("barrier=tree", "barrier=tree4")) return {2 * (p - 1), 0};
  if (is("barrier=dissemination")) return {p * rounds, 0};
  if (is("bcast=binomial", "bcast=knomial4", "bcast=knomial8", "bcast=chain")) return tree;
  if (is("bcast=double_tree", "reduce=double_tree")) return halves;
  if (is("bcast=scatter_allgather")) return scatter_allgather_traffic(p, n);
  if (is("gather=linear", "scatter=linear")) return tree;
  if (is("gather=binomial", "scatter=binomial")) return knomial_blocks_traffic(p, n, 2);
  if (is("gather=knomial4", "scatter=knomial4")) return knomial_blocks_traffic(p, n, 4);
  if (is("allgather=overlapped")) return {overlapped_traffic(p, n).messages, each * n};
  if (is("allgather=ring")) return {each, each * n};
  if (is("allgather=recursive_doubling", "allgather=bruck")) return {p * rounds, each * n};
  if (is("alltoall=pairwise", "alltoall=spread_out")) return {each, each * n};
  if (is("alltoall=bruck")) return bruck_alltoall_traffic(p, n);
  if (is("reduce=binomial", "reduce=knomial4", "reduce=chain")) return tree;
  if (is("reduce=in_order")) return {p, p * n};  // to the root, which is not rank 0 here
  if (is("allreduce=ring")) return {2 * each, 2 * (p - 1) * n};
  if (is("allreduce=double_tree")) return {4 * (p - 1), 2 * (p - 1) * n};
  if (is("allreduce=knomial4")) return {2 * (p - 1), 2 * (p - 1) * n};
  if (is("allreduce=overlapped")) return overlapped_traffic(p, n);
  if (is("allreduce=grouped")) return grouped_traffic(static_cast<int>(p), n);
  if (is("allreduce=recursive_doubling")) return {steps + 2 * extra, (steps + 2 * extra) * n};
  if (is("allreduce=rabenseifner")) {
    return {2 * steps + 2 * extra, 2 * (cube - 1) * n + 2 * extra * n};
  }
  if (is("reduce_scatter_block=pairwise")) return {each, (p - 1) * n};
  if (is("reduce_scatter_block=halving", "reduce_scatter_block=ordered_halving")) return halving;
  if (is("scan=chain", "exscan=chain")) return tree;
  if (is("scan=recursive_doubling", "exscan=recursive_doubling")) return prefix_traffic(p, n);
  return kNoFormula;
}

/// Plain bytes or ints, n bytes a contribution (of `blocks` blocks), root 1.
CollectiveArgs plain_args(CollectiveKind kind, std::int64_t n, int blocks,
                          std::vector<std::byte>& send, std::vector<std::byte>& recv) {
  using enum CollectiveKind;
  CollectiveArgs args;
  args.kind = kind;
  args.root = 1;
  args.send = send.data();
  args.recv = recv.data();
  const bool reduces = kind >= reduce;
  args.send_type = args.recv_type = &predefined(reduces ? MPI_INT : MPI_BYTE);
  args.send_count = args.recv_count = reduces ? n / 4 : n;
  args.op = reduces ? op_of(MPI_SUM) : nullptr;
  if (kind == reduce_scatter_block) args.recv_count = n / 4 / blocks;
  return args;
}

void expect_traffic(const Algorithm& row, int p) {
  SCOPED_TRACE(fmt::format("{} of {}", text(row), p));
  const std::int64_t n = 4 * p;  // cuts into equal blocks
  Ranks ranks(p, quiet(1), {{"coll_algorithms", text(row)}}, 1);
  std::vector<std::byte> any(static_cast<std::size_t>(n));
  const CollectiveShape shape = shape_of(ranks.comm(0), plain_args(row.kind, n, p, any, any));
  if (!row.applies(shape)) return;
  std::vector<std::vector<std::byte>> sends(static_cast<std::size_t>(p)), recvs(sends);
  Operations operations;
  for (int r = 0; r < p; ++r) {
    auto& send = sends[static_cast<std::size_t>(r)];
    auto& recv = recvs[static_cast<std::size_t>(r)];
    send.resize(static_cast<std::size_t>(n * p));
    recv.resize(static_cast<std::size_t>(n * p));
    const CollectiveArgs args = plain_args(row.kind, n, p, send, recv);
    operations.push_back(std::make_unique<Collective>(ranks.engine(r), ranks.comm(r), args));
  }
  ranks.start(operations);
  ASSERT_TRUE(ranks.finish(operations));
  const Traffic want = expected_traffic(row, p, n);
  Traffic got;
  std::int64_t sent = 0;
  for (int r = 0; r < p; ++r) {
    const MessageCounters& counters = ranks.engine(r).counters();
    got.messages += static_cast<std::int64_t>(counters.eager + counters.rendezvous);
    EXPECT_EQ(counters.rendezvous, 0U) << "short messages, or the bytes below mean nothing";
    const SimStats& stats = ranks.network().stats(static_cast<PeerName>(r));
    got.bytes += static_cast<std::int64_t>(stats.bytes_out);
    sent += static_cast<std::int64_t>(stats.sends);
  }
  EXPECT_EQ(got.messages, want.messages);
  // Each message has a header, and there may be messages about credits.
  EXPECT_GE(got.bytes, want.bytes + 8 * want.messages);
  EXPECT_LE(got.bytes, want.bytes + 64 * sent);
}

TEST(Collectives, TrafficIsWhatTheFormulaSays) {
  int formulas = 0;
  for (const Algorithm& row : rows()) {
    if (expected_traffic(row, 4, 4).messages < 0) continue;
    ++formulas;
    for (const int p : {2, 3, 4, 7, 8, 12, 16, 33}) expect_traffic(row, p);
  }
  EXPECT_GE(formulas, 35) << "a row with a formula has another name now";
}

// --- selection -----------------------------------------------------------------------------------

TEST(Selection, EveryShapeHasARowThatApplies) {
  const Params params;
  int distinct = 0;
  for (const Algorithm& row : rows()) {
    int chosen = 0;
    for (int size = 1; size <= 257; ++size) {
      for (std::size_t bytes = 0; bytes <= std::size_t{1} << 30;
           bytes = bytes == 0 ? 1 : bytes * 8) {
        for (int flags = 0; flags < 8; ++flags) {
          CollectiveShape shape;
          shape.size = size;
          shape.bytes = bytes;
          shape.elements = static_cast<MPI_Count>((bytes + 3) / 4);
          shape.commutative = (flags & 1) != 0;
          shape.in_place = (flags & 2) != 0;
          shape.uniform = (flags & 4) != 0;
          const Algorithm& best = choose_algorithm(row.kind, shape, params);
          ASSERT_EQ(best.kind, row.kind);
          ASSERT_TRUE(best.applies(shape));
          ASSERT_GE(best.cost(shape), 0);
          if (&best == &row) ++chosen;
        }
      }
    }
    if (chosen != 0) ++distinct;
    fmt::print("{:24} chosen for {:6} of the shapes\n", text(row), chosen);
  }
  EXPECT_GT(distinct, 15) << "rows that are never the best";
}

TEST(Selection, CheaperAsSizesGrow) {
  const Params params;
  CollectiveShape shape;
  shape.size = 16;
  const auto name = [&](CollectiveKind kind, std::size_t bytes) {
    shape.bytes = bytes;
    shape.elements = static_cast<MPI_Count>(bytes / 4);
    return choose_algorithm(kind, shape, params).name;
  };
  EXPECT_EQ(name(CollectiveKind::allreduce, 8), "recursive_doubling");
  EXPECT_NE(name(CollectiveKind::allreduce, 1 << 20), "recursive_doubling");
  EXPECT_EQ(name(CollectiveKind::bcast, 8), "binomial");
  EXPECT_EQ(name(CollectiveKind::bcast, 1 << 22), "double_tree");
  EXPECT_EQ(name(CollectiveKind::alltoall, 4), "bruck");
  EXPECT_NE(name(CollectiveKind::alltoall, 1 << 16), "bruck");
  EXPECT_EQ(name(CollectiveKind::gather, 4), "binomial");
  EXPECT_EQ(name(CollectiveKind::gather, 1 << 16), "linear");
  EXPECT_EQ(name(CollectiveKind::reduce_scatter, 1 << 20), "halving");
  EXPECT_EQ(name(CollectiveKind::scan, 8), "recursive_doubling");
  EXPECT_EQ(name(CollectiveKind::exscan, 1 << 22), "chain");
  shape.commutative = false;
  EXPECT_EQ(name(CollectiveKind::allreduce, 1 << 20), "recursive_doubling");
  EXPECT_EQ(name(CollectiveKind::reduce, 8), "in_order");
  EXPECT_EQ(name(CollectiveKind::reduce_scatter_block, 8), "ordered_halving");
  EXPECT_EQ(name(CollectiveKind::reduce_scatter_block, 1 << 22), "pairwise");
}

TEST(Selection, NamesForceAlgorithms) {
  for (const Algorithm& row : rows()) {
    Params params;
    const bool is_barrier = row.kind == CollectiveKind::barrier;
    const std::string other = is_barrier ? "bcast=binomial," : "barrier=tree,";
    ASSERT_TRUE(params.set("coll_algorithms", other + text(row)).has_value());
    EXPECT_TRUE(check_forced_algorithms(params).has_value()) << text(row);
    for (std::size_t bytes = 1; bytes <= 1 << 20; bytes *= 4) {
      CollectiveShape shape;
      shape.size = 8;
      shape.bytes = bytes;
      shape.elements = static_cast<MPI_Count>(bytes);
      if (!row.applies(shape)) continue;
      EXPECT_EQ(&choose_algorithm(row.kind, shape, params), &row) << text(row);
    }
  }
}

TEST(Selection, UnknownNamesAreErrors) {
  for (const char* wrong : {"allreduce=fast", "allreduce", "reduced=binomial", "=",
                            "bcast=", "allreduce=ring,bcast=ring", "allreduce=ring bcast=binomial",
                            ",", "allreduce=ring,,barrier=dissemination"}) {
    Params params;
    ASSERT_TRUE(params.set("coll_algorithms", wrong).has_value());
    const Expected<> checked = check_forced_algorithms(params);
    ASSERT_FALSE(checked.has_value()) << wrong;
    EXPECT_NE(checked.error().message.find("allreduce=ring"), std::string::npos)
        << "says what there is";
  }
  EXPECT_TRUE(check_forced_algorithms(Params()).has_value());
}

TEST(Selection, NamesAreUnique) {
  const std::span<const Algorithm> all = all_algorithms();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(text(all[i]), text(all[j]));
  }
}

}  // namespace
}  // namespace remit::testing
