// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Every algorithm, and the table that chooses among them. To add one: write it as a coroutine in
// the file of its operation, declare it here, add its row in selection.cpp.
#pragma once

#include <span>
#include <string_view>

#include "collectives/choice/shape.hpp"
#include "collectives/choice/tuning.hpp"
#include "collectives/collectives.hpp"
#include "runtime/params.hpp"

namespace remit {

/// Null for "board": board.hpp has a function for each operation, which is no coroutine.
using AlgorithmFunction = Task<int> (*)(CollCtx& c, const CollectiveArgs& a);

/// One row: an algorithm, where it may be used, and its cost.
struct Algorithm {
  CollectiveKind kind;
  std::string_view name;
  AlgorithmFunction run;
  bool (*applies)(const CollectiveShape& shape);
  /// Time in the LogGP model: alpha per message, beta per byte, gamma per byte reduced; the lowest
  /// among the rows that apply is chosen.
  double (*cost)(const CollectiveShape& shape);
  bool inter = false;   ///< for inter-communicators, and only for these
  bool direct = false;  ///< works in its peers' memory (direct.hpp): on a board if there is one
};

/// All rows, grouped by operation.
[[nodiscard]] std::span<const Algorithm> all_algorithms();

/// A row, and who chose it.
struct ChosenAlgorithm {
  const Algorithm* row;
  bool by_cost;  ///< neither the parameter coll_algorithms nor a measured table
};
/// The row for a shape: the one that the parameter coll_algorithms names, if it applies; else what
/// was measured to be the best, if the shape's table says so; else the cheapest that applies. There
/// is always one.
[[nodiscard]] ChosenAlgorithm choose_row(CollectiveKind kind, const CollectiveShape& shape,
                                         const Params& params);
[[nodiscard]] inline const Algorithm& choose_algorithm(CollectiveKind kind,
                                                       const CollectiveShape& shape,
                                                       const Params& params) {
  return *choose_row(kind, shape, params).row;
}

[[nodiscard]] std::string_view collective_name(CollectiveKind kind);

/// An operation as a part of another one, on whose messages it runs, with the algorithm that suits
/// it: `Task<int> part = run_part(c, args); co_await part;`
Task<int> run_part(CollCtx& c, CollectiveArgs a);
/// The algorithm of a part, for an operation that repeats it: blocking operations between two
/// rounds of a nonblocking one may set up, in another order at each member, what choices depend on.
[[nodiscard]] const Algorithm& algorithm_of_part(CollCtx& c, const CollectiveArgs& a);

template <int kRadix>
Task<int> barrier_dissemination(CollCtx& c, const CollectiveArgs& a);
template <int kRadix>
Task<int> barrier_tree(CollCtx& c, const CollectiveArgs& a);
Task<int> barrier_overlapped(CollCtx& c, const CollectiveArgs& a);

template <int kRadix>
Task<int> bcast_knomial(CollCtx& c, const CollectiveArgs& a);  // binomial with 2
Task<int> bcast_chain(CollCtx& c, const CollectiveArgs& a);
Task<int> bcast_double_tree(CollCtx& c, const CollectiveArgs& a);
Task<int> bcast_scatter_allgather(CollCtx& c, const CollectiveArgs& a);

template <int kRadix>
Task<int> reduce_knomial(CollCtx& c, const CollectiveArgs& a);
Task<int> reduce_chain(CollCtx& c, const CollectiveArgs& a);
Task<int> reduce_double_tree(CollCtx& c, const CollectiveArgs& a);
Task<int> reduce_in_order(CollCtx& c, const CollectiveArgs& a);

Task<int> allreduce_recursive_doubling(CollCtx& c, const CollectiveArgs& a);
Task<int> allreduce_rabenseifner(CollCtx& c, const CollectiveArgs& a);
Task<int> allreduce_ring(CollCtx& c, const CollectiveArgs& a);
template <int kRadix>
Task<int> allreduce_knomial(CollCtx& c, const CollectiveArgs& a);
Task<int> allreduce_double_tree(CollCtx& c, const CollectiveArgs& a);
Task<int> allreduce_overlapped(CollCtx& c, const CollectiveArgs& a);
Task<int> allreduce_grouped(CollCtx& c, const CollectiveArgs& a);

template <int kRadix>
Task<int> gather_knomial(CollCtx& c, const CollectiveArgs& a);
Task<int> gather_linear(CollCtx& c, const CollectiveArgs& a);  // also gatherv
template <int kRadix>
Task<int> scatter_knomial(CollCtx& c, const CollectiveArgs& a);
Task<int> scatter_linear(CollCtx& c, const CollectiveArgs& a);  // also scatterv

Task<int> allgather_recursive_doubling(CollCtx& c, const CollectiveArgs& a);
Task<int> allgather_bruck(CollCtx& c, const CollectiveArgs& a);
Task<int> allgather_ring(CollCtx& c, const CollectiveArgs& a);  // also allgatherv
Task<int> allgather_overlapped(CollCtx& c, const CollectiveArgs& a);

Task<int> alltoall_bruck(CollCtx& c, const CollectiveArgs& a);
Task<int> alltoall_pairwise(CollCtx& c, const CollectiveArgs& a);    // also alltoallv, alltoallw
Task<int> alltoall_spread_out(CollCtx& c, const CollectiveArgs& a);  // also alltoallv, alltoallw

// reduce_scatter and reduce_scatter_block
Task<int> reduce_scatter_halving(CollCtx& c, const CollectiveArgs& a);
Task<int> reduce_scatter_ordered_halving(CollCtx& c, const CollectiveArgs& a);
Task<int> reduce_scatter_pairwise(CollCtx& c, const CollectiveArgs& a);

// scan and exscan
Task<int> scan_recursive_doubling(CollCtx& c, const CollectiveArgs& a);
Task<int> scan_chain(CollCtx& c, const CollectiveArgs& a);

// All neighbourhood collectives.
Task<int> neighbor_direct(CollCtx& c, const CollectiveArgs& a);

// On inter-communicators (inter.cpp)
Task<int> barrier_inter(CollCtx& c, const CollectiveArgs& a);
Task<int> bcast_inter(CollCtx& c, const CollectiveArgs& a);
Task<int> gather_inter(CollCtx& c, const CollectiveArgs& a);     // also gatherv
Task<int> scatter_inter(CollCtx& c, const CollectiveArgs& a);    // also scatterv
Task<int> allgather_inter(CollCtx& c, const CollectiveArgs& a);  // also allgatherv
Task<int> alltoall_inter(CollCtx& c, const CollectiveArgs& a);   // also alltoallv, alltoallw
Task<int> reduce_inter(CollCtx& c, const CollectiveArgs& a);
Task<int> allreduce_inter(CollCtx& c, const CollectiveArgs& a);
Task<int> reduce_scatter_inter(CollCtx& c, const CollectiveArgs& a);  // also reduce_scatter_block

// In the memory of peers on one host (in_memory.cpp)
Task<int> bcast_direct(CollCtx& c, const CollectiveArgs& a);
Task<int> gather_direct(CollCtx& c, const CollectiveArgs& a);
Task<int> scatter_direct(CollCtx& c, const CollectiveArgs& a);
Task<int> allgather_direct(CollCtx& c, const CollectiveArgs& a);  // also allgatherv
Task<int> alltoall_direct(CollCtx& c, const CollectiveArgs& a);
Task<int> reduce_direct(CollCtx& c, const CollectiveArgs& a);
Task<int> allreduce_direct(CollCtx& c, const CollectiveArgs& a);
Task<int> reduce_scatter_direct(CollCtx& c, const CollectiveArgs& a);  // also reduce_scatter_block

// Inside cells and among their leaders (hierarchy.cpp)
Task<int> barrier_hierarchical(CollCtx& c, const CollectiveArgs& a);
Task<int> bcast_hierarchical(CollCtx& c, const CollectiveArgs& a);
Task<int> reduce_hierarchical(CollCtx& c, const CollectiveArgs& a);
Task<int> allreduce_hierarchical(CollCtx& c, const CollectiveArgs& a);
Task<int> allgather_hierarchical(CollCtx& c, const CollectiveArgs& a);

// Contexts (agreement.cpp)
Task<int> agree_among(CollCtx& c, const CollectiveArgs& a);
Task<int> agree_inter(CollCtx& c, const CollectiveArgs& a);

/// The model on which the order of a reduction may depend: not that of the members' places, where
/// the parameter coll_reproducible asks for that.
[[nodiscard]] const LogGP& reduction_model(Engine& engine, const CommCore& comm);
/// Elements of the pieces that scan_chain passes on, at most.
[[nodiscard]] MPI_Count scan_segment(MPI_Count type_size);
/// Bytes of the pieces that chains and double trees pass on, if there are not too many.
[[nodiscard]] MPI_Count pipe_segment();

}  // namespace remit
