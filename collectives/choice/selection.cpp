// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which algorithm for which shape, as data.
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>

#include "collectives/algorithms.hpp"
#include "collectives/algorithms/grouping.hpp"
#include "collectives/algorithms/overlapped.hpp"
#include "collectives/algorithms/peers.hpp"
#include "collectives/choice/board_limits.hpp"
#include "collectives/choice/forced.hpp"
#include "collectives/choice/tuning.hpp"
#include "collectives/hierarchy.hpp"
#include "collectives/state.hpp"

namespace remit {

namespace {

using Shape = CollectiveShape;
using enum CollectiveKind;

// The model: a message costs alpha + n * beta, reducing a byte costs gamma (nanoseconds); see
// tuning.hpp for what they are made of.
const LogGP& model(const Shape& s) {
  return s.table != nullptr ? s.table->model(s.cost_class)
                            : builtin_collective_table().model(s.cost_class);
}
double alpha(const Shape& s) {
  return model(s).alpha();
}
double beta(const Shape& s) {
  return model(s).per_byte;
}
double gamma(const Shape& s) {
  return model(s).reduce;
}

double log2_up(int n) {
  return std::bit_width(static_cast<unsigned>(n - 1));
}
double bytes(const Shape& s) {
  return static_cast<double>(s.bytes);
}
double ranks(const Shape& s) {
  return s.size;
}

/// Where members share processors, all that wait for a message run one after the other, each for
/// as long as it takes to receive and to send: the time of `rounds` in which every member waits.
double crowded(const Shape& s, double rounds) {
  if (s.cost_class != CostClass::host_shared) return 0;
  return rounds * ranks(s) / s.processors * 2 * model(s).overhead;
}

bool always(const Shape&) {
  return true;
}
bool commutes(const Shape& s) {
  return s.commutative;
}
/// Vectors are cut by elements, so there must be one for each part.
bool long_and_commutes(const Shape& s) {
  return s.commutative && s.elements >= s.size && s.size > 1;
}
/// Cut by bytes.
bool has_parts(const Shape& s) {
  return s.bytes >= static_cast<std::size_t>(s.size) && s.size > 2;
}
bool exact(const Shape& s) {
  return s.exact;
}
bool uniform(const Shape& s) {
  return s.uniform;
}
bool cube(const Shape& s) {
  return s.uniform && is_power_of_two(s.size);
}
bool not_in_place(const Shape& s) {
  return !s.in_place;
}

/// For inter-communicators there is one algorithm each.
double only_one(const Shape&) {
  return 0;
}
constexpr Algorithm inter_row(CollectiveKind kind, std::string_view name, AlgorithmFunction run) {
  return {kind, name, run, always, only_one, true};
}

constexpr Algorithm direct_row(CollectiveKind kind, AlgorithmFunction run,
                               bool (*applies)(const Shape&), double (*cost)(const Shape&)) {
  return {kind, "direct", run, applies, cost, false, true};
}

double tree_cost(const Shape& s) {
  return log2_up(s.size) * (alpha(s) + bytes(s) * beta(s));
}
double dissemination_cost(const Shape& s) {
  return std::max(tree_cost(s), crowded(s, log2_up(s.size)));
}
double reduce_tree_cost(const Shape& s) {
  return log2_up(s.size) * (alpha(s) + bytes(s) * (beta(s) + gamma(s)));
}
double in_order_cost(const Shape& s) {
  return reduce_tree_cost(s) + alpha(s) + bytes(s) * beta(s);
}
double scatter_allgather_cost(const Shape& s) {
  const double p = ranks(s);
  return (log2_up(s.size) + p - 1) * alpha(s) + 2 * bytes(s) * (p - 1) / p * beta(s);
}
/// A size that is no power of two adds a message each way for the pairs.
double fold_cost(const Shape& s) {
  return is_power_of_two(s.size) ? 0 : 2 * (alpha(s) + bytes(s) * beta(s)) + bytes(s) * gamma(s);
}
double recursive_doubling_cost(const Shape& s) {
  const double rounds = log2_up(floor_power_of_two(s.size));
  const double round = alpha(s) + bytes(s) * (beta(s) + gamma(s));
  return std::max(rounds * round, crowded(s, rounds)) + fold_cost(s);
}
double rabenseifner_cost(const Shape& s) {
  const double p = floor_power_of_two(s.size);
  const double moved = bytes(s) * (p - 1) / p;
  return 2 * log2_up(floor_power_of_two(s.size)) * alpha(s) + moved * (2 * beta(s) + gamma(s)) +
         fold_cost(s);
}
double overlapped_shape_cost(const Shape& s) {
  const int lag = best_lag(model(s), s.size, bytes(s));
  return std::max(overlapped_cost(model(s), s.size, lag, bytes(s)), crowded(s, log2_up(s.size)));
}
double grouped_cost(const Shape& s) {
  return std::max(Grouping(model(s), s.size, bytes(s)).cost(), crowded(s, log2_up(s.size)));
}
/// In a packed copy, as Bruck's.
double overlapped_allgather_cost(const Shape& s) {
  const int lag = best_lag(model(s), s.size, bytes(s));
  return overlapped_cost(model(s), s.size, lag, 0) + 2.5 * (ranks(s) - 1) * bytes(s) * beta(s);
}
double ring_allreduce_cost(const Shape& s) {
  const double p = ranks(s);
  return 2 * (p - 1) * alpha(s) + bytes(s) * (p - 1) / p * (2 * beta(s) + gamma(s));
}
/// Half of Rabenseifner's; the pairs of a size that is no power of two get one block back.
double halving_cost(const Shape& s) {
  const int cube = floor_power_of_two(s.size);
  const double moved = bytes(s) * (cube - 1) / cube;
  const double pairs =
      2 * alpha(s) + bytes(s) * (beta(s) + gamma(s)) + bytes(s) / ranks(s) * beta(s);
  return log2_up(cube) * alpha(s) + moved * (beta(s) + gamma(s)) + (cube == s.size ? 0 : pairs);
}
/// Copies the vector once more.
double ordered_halving_cost(const Shape& s) {
  return halving_cost(s) + bytes(s) * beta(s);
}
double pairwise_reduction_cost(const Shape& s) {
  return (ranks(s) - 1) * (alpha(s) + bytes(s) / ranks(s) * (beta(s) + gamma(s)));
}
double chain_cost(const Shape& s) {
  if (s.elements == 0) return alpha(s);
  const auto count = static_cast<double>(s.elements);
  const double width = bytes(s) / count;
  const auto segment = static_cast<double>(scan_segment(static_cast<MPI_Count>(width)));
  const double length = std::min(segment, count) * width;
  return (ranks(s) - 2 + std::ceil(count / segment)) * (alpha(s) + length * (beta(s) + gamma(s)));
}
/// The root's side of a linear gather or scatter; its messages overlap, so alpha counts half.
double linear_cost(const Shape& s) {
  return (ranks(s) - 1) * (alpha(s) / 2 + bytes(s) * beta(s));
}
/// Packing and forwarding copy what linear moves once.
double packed_tree_cost(const Shape& s) {
  return log2_up(s.size) * alpha(s) + 3 * (ranks(s) - 1) * bytes(s) * beta(s);
}
double doubling_cost(const Shape& s) {
  return log2_up(s.size) * alpha(s) + (ranks(s) - 1) * bytes(s) * beta(s);
}
double bruck_allgather_cost(const Shape& s) {
  return log2_up(s.size) * alpha(s) + 2.5 * (ranks(s) - 1) * bytes(s) * beta(s);
}
double ring_allgather_cost(const Shape& s) {
  return (ranks(s) - 1) * (alpha(s) + bytes(s) * beta(s));
}
double bruck_alltoall_cost(const Shape& s) {
  return log2_up(s.size) * (alpha(s) + ranks(s) / 2 * bytes(s) * 3 * beta(s));
}
double pairwise_cost(const Shape& s) {
  return (ranks(s) - 1) * (alpha(s) + bytes(s) * beta(s));
}
/// Overlaps its messages, but many at once crowd the caches.
double spread_out_cost(const Shape& s) {
  return (ranks(s) - 1) * (alpha(s) / 2 + bytes(s) * beta(s) * 1.2);
}

/// Of one neighbour: how many there are differs from member to member.
double neighbor_cost(const Shape& s) {
  return alpha(s) + bytes(s) * beta(s);
}

/// What a member publishes must fit its page, or go in pieces.
bool on_board(const Shape& s) {
  return s.board && s.size <= BoardLimits::kMembers && s.bytes <= BoardLimits::longest(s);
}
/// More than two members with a core each.
bool crowd(const Shape& s) {
  return s.cost_class == CostClass::host && s.size > 2;
}
/// Data that all want of one member, or one of all: as the kernel copies for a crowd in turn, two
/// copies through the board, in which it has no part, are quicker however long the data are.
bool long_on_board(const Shape& s) {
  if (!crowd(s)) return on_board(s);
  return s.board && s.size <= BoardLimits::kMembers && s.bytes <= BoardLimits::kLongest;
}
bool blocks_on_board(const Shape& s) {
  const std::size_t all = s.bytes * static_cast<std::size_t>(s.size);
  return on_board(s) && (s.long_board != LongBoard::none || all <= BoardLimits::longest(s));
}
/// Among more than two members the order of combining, on which the result of a floating-point sum
/// depends, must not follow from what was measured.
Shape unmeasured(const Shape& s) {
  Shape known = s;
  if (s.size > 2) {
    known.long_board = LongBoard::none;
    known.quick_copies = false;
  }
  return known;
}
bool reduces_on_board(const Shape& s) {
  return on_board(unmeasured(s));
}
/// Nobody knows how long the others' blocks are: what does not fit a page is read where it lies.
bool any_blocks_on_board(const Shape& s) {
  return on_board(s) && s.one_host && s.bytes <= BoardSegment::kPageBytes;
}
/// Of a byte that is copied in or out: a message does both.
double copy_beta(const Shape& s) {
  return beta(s) / 2;
}
constexpr std::size_t operator""_KB(unsigned long long kilobytes) {
  return kilobytes << 10;
}
/// Of a byte that the kernel copies. Where members share processors, what messages or the board
/// bring at once is in a cache: a kernel that copies slowly loses by more than the second copy.
double kernel_beta(const Shape& s) {
  constexpr std::size_t kAtOnce = 64_KB;
  if (s.long_board != LongBoard::none) return 6 * beta(s);
  const bool shared = s.cost_class == CostClass::host_shared;
  return shared && !s.quick_copies && s.bytes <= kAtOnce ? 4 * beta(s) : beta(s);
}
/// Data that the caches do not hold, from so many bytes on, lose by a second copy, unless the
/// kernel is too slow for that.
double kernel_beta(const Shape& s, std::size_t too_long) {
  return s.bytes >= too_long && s.long_board != LongBoard::all ? beta(s) : kernel_beta(s);
}
/// Where lines travel slowly between caches the kernel, which brings whole pages of them, is
/// quicker than two copies through the board or a message.
bool lines_are_slow(const Shape& s) {
  return s.cost_class == CostClass::host && s.quick_copies && s.long_board == LongBoard::none;
}
/// How much less a byte takes that the kernel copies there, beside one on the board: between 2
/// members of a Xeon (2026-11-26).
double of_kernel(const Shape& s, double less) {
  return lines_are_slow(s) && s.size == 2 ? less : 1;
}
/// What a byte takes that a crowd has for one process, or from one. The kernel locks the pages that
/// it copies from and to in a foreign process, and a lock serves a page table, which is 2 MB: there
/// one member copies after the other. So many bytes `reach` of that process's memory are in use.
/// Short copies are over before the others come. (16 cores of a Xeon, 2026-11-26.)
double in_turn_beta(const Shape& s, double kernel, double reach) {
  constexpr double kPageTable = 2 << 20;
  constexpr std::size_t kBrief = 64_KB;
  const double at_once = std::clamp(reach / kPageTable, 1.0, ranks(s));
  return (s.bytes > kBrief && s.size > 3 ? kernel : kernel / 2) / at_once;
}
// The lines of all cross at the same time, and nothing is matched: alpha counts a third. Data are
// copied in and out, as those of a message.

/// One writes, all others read at once.
double board_cost(const Shape& s) {
  return alpha(s) / 3 + 2 * bytes(s) * copy_beta(s);
}
/// One reads, or each of them, what all others wrote.
double board_all_cost(const Shape& s) {
  return alpha(s) / 3 + ranks(s) * bytes(s) * copy_beta(s);
}
double board_blocks_cost(const Shape& s) {
  return alpha(s) / 3 + 2 * (ranks(s) - 1) * bytes(s) * copy_beta(s);
}
/// The root writes all blocks, each other one reads its own.
double board_scatter_cost(const Shape& s) {
  return alpha(s) / 3 + ranks(s) * bytes(s) * copy_beta(s);
}
double board_allreduce_cost(const Shape& s) {
  const double whole = alpha(s) / 3 + ranks(s) * bytes(s) * (copy_beta(s) + gamma(s) / 2);
  if (s.cost_class != CostClass::host ||
      s.size * static_cast<MPI_Count>(s.bytes) < BoardLimits::shares_from(s.size)) {
    return whole;
  }
  // A share each: all others' parts of it are read, then their results.
  const double p = ranks(s);
  return 2 * alpha(s) / 3 + bytes(s) / p * ((3 * p - 2) * copy_beta(s) + (p - 1) * gamma(s));
}
/// The root does what each does elsewhere. Where members share processors the others' time counts:
/// they write, and leave.
double to_root(const Shape& s) {
  return s.cost_class == CostClass::host_shared ? 2 : ranks(s);
}
double board_gather_cost(const Shape& s) {
  return alpha(s) / 3 + to_root(s) * bytes(s) * copy_beta(s);
}
/// Of a crowd all but the root write and leave, where in a tree half of them work; and the root is
/// done no later than that of a tree, which waits for messages (16 cores of a Xeon, 2026-11-26).
double board_reduce_cost(const Shape& s) {
  const double each = bytes(s) * (copy_beta(s) + gamma(s) / 2);
  return alpha(s) / 3 + to_root(s) * (crowd(s) ? each / 2 : each);
}

bool at_least_two(const Shape& s) {
  return s.uniform && s.size > 1;
}
bool commutes_at_least_two(const Shape& s) {
  return s.commutative && s.size > 1;
}

/// Of a tree of base k: each level is a message's way, before which k - 2 others are sent. `each`
/// is what a message takes in addition.
template <int kRadix>
double levels_cost(const Shape& s, double each) {
  const double levels = std::ceil(std::log2(ranks(s)) / std::log2(double{kRadix}) - 1e-9);
  const double between = std::max(model(s).gap, model(s).overhead);
  return levels * (alpha(s) + (kRadix - 2) * between + (kRadix - 1) * each);
}
template <int kRadix>
double knomial_cost(const Shape& s) {
  return levels_cost<kRadix>(s, bytes(s) * beta(s));
}
double dissemination4_cost(const Shape& s) {
  return std::max(knomial_cost<4>(s), crowded(s, std::ceil(log2_up(s.size) / 2)));
}
template <int kRadix>
double knomial_reduction_cost(const Shape& s) {
  return levels_cost<kRadix>(s, bytes(s) * (beta(s) + gamma(s)));
}
/// Where members share processors the others' time counts: most of them hand over what they have,
/// and leave.
template <int kRadix>
double reduce_to_root_cost(const Shape& s) {
  if (s.cost_class != CostClass::host_shared) return knomial_reduction_cost<kRadix>(s);
  return levels_cost<kRadix>(s, 0) + bytes(s) * (beta(s) + gamma(s)) / 2;
}
template <int kRadix>
double knomial_allreduce_cost(const Shape& s) {
  return knomial_reduction_cost<kRadix>(s) + knomial_cost<kRadix>(s);
}
template <int kRadix>
double knomial_packed_cost(const Shape& s) {
  return levels_cost<kRadix>(s, 0) + 3 * (ranks(s) - 1) * bytes(s) * beta(s);
}
template <int kRadix>
double barrier_tree_cost(const Shape& s) {
  return 2 * knomial_cost<kRadix>(s);
}

/// Segments: what all of them take at one member, and the way of the first one.
double pipe_cost(const Shape& s, double trees, double depth, double per_byte) {
  const auto segment = static_cast<double>(pipe_segment());
  const double segments = std::clamp(bytes(s) / trees / segment, 1.0, 64.0) * trees;
  const double length = bytes(s) / segments;
  return (segments + depth) * (alpha(s) + length * per_byte);
}
double bcast_chain_cost(const Shape& s) {
  return pipe_cost(s, 1, ranks(s) - 2, beta(s));
}
double reduce_chain_cost(const Shape& s) {
  return pipe_cost(s, 1, ranks(s) - 2, beta(s) + gamma(s));
}
/// Inner members send each segment of their tree twice.
double bcast_double_tree_cost(const Shape& s) {
  return pipe_cost(s, 2, 2 * log2_up(s.size), beta(s));
}
double reduce_double_tree_cost(const Shape& s) {
  return pipe_cost(s, 2, 2 * log2_up(s.size), beta(s) + gamma(s));
}
double allreduce_double_tree_cost(const Shape& s) {
  return reduce_double_tree_cost(s) + bcast_double_tree_cost(s);
}

bool composed(const Shape& s) {
  return s.hierarchy != nullptr;
}
bool reduces_by_cells(const Shape& s) {
  return composed(s) && (s.commutative || s.hierarchy->ordered());
}
bool even_cells(const Shape& s) {
  return composed(s) && s.hierarchy->even();
}
/// So many trees of messages inside of the cells, at the price of a host, and one among the
/// leaders. `each` is what a message takes in addition.
double composed_cost(const Shape& s, double inside, double each) {
  Shape near = s;
  near.cost_class = CostClass::host;
  return inside * log2_up(s.hierarchy->largest()) * (alpha(near) + each * beta(near) / beta(s)) +
         log2_up(s.hierarchy->cells()) * (alpha(s) + each);
}
double composed_bcast_cost(const Shape& s) {
  return composed_cost(s, 1, bytes(s) * beta(s));
}
double composed_reduce_cost(const Shape& s) {
  return composed_cost(s, 1, bytes(s) * (beta(s) + gamma(s)));
}
double composed_allreduce_cost(const Shape& s) {
  return composed_cost(s, 2, bytes(s) * (beta(s) + gamma(s)));
}
double composed_allgather_cost(const Shape& s) {
  return composed_cost(s, 2, 0) + 1.5 * (ranks(s) - 1) * bytes(s) * beta(s);
}

bool in_memory(const Shape& s) {
  return s.one_host;
}
bool reduces_in_memory(const Shape& s) {
  return s.one_host && s.plain;
}
/// Meeting and parting as on a board, and one call for each peer to copy.
double meeting_cost(const Shape& s, double call) {
  return 2 * alpha(s) / 3 + (ranks(s) - 1) * call;
}
/// Where members share processors each meets the root alone, copies its own once, and leaves.
double direct_alone_cost(const Shape& s) {
  return alpha(s) / 3 + 600 + bytes(s) * kernel_beta(s) / 2;
}
/// All copy as much: what the members have for others, shared out.
double direct_rooted_cost(const Shape& s) {
  if (s.cost_class == CostClass::host_shared) return direct_alone_cost(s);
  const double kernel = kernel_beta(s, 1024_KB);
  // A crowd is at the same place of the root's memory at the same time, however much there is.
  const double each = crowd(s) ? (ranks(s) - 1) * in_turn_beta(s, kernel, 0) : kernel / 2;
  return meeting_cost(s, s.quick_copies ? 900 : 1500) + bytes(s) * each;
}
double direct_blocks_of_root_cost(const Shape& s, double quick_call, std::size_t too_long) {
  if (s.cost_class == CostClass::host_shared) return direct_alone_cost(s);
  const double call = s.quick_copies && !lines_are_slow(s) ? quick_call : 1500;
  const double kernel = kernel_beta(s, too_long);
  const double each = crowd(s) ? in_turn_beta(s, kernel, ranks(s) * bytes(s))
                               : (ranks(s) - 1) / ranks(s) * of_kernel(s, 0.4) * kernel;
  return meeting_cost(s, call) + bytes(s) * (ranks(s) - 1) * each;
}
double direct_gather_cost(const Shape& s) {
  return direct_blocks_of_root_cost(s, 900, 512_KB);
}
double direct_scatter_cost(const Shape& s) {
  return direct_blocks_of_root_cost(s, 500, 2048_KB);
}
double direct_blocks_cost(const Shape& s) {
  const double quick_call = lines_are_slow(s) ? 1000 : 300;
  const double call = s.quick_copies ? quick_call : 1400;
  const double in_crowd = crowd(s) ? 1.4 : 1;  // at times two read from the same one
  return meeting_cost(s, call + 0.3 * alpha(s)) +
         bytes(s) * (ranks(s) - 1) * in_crowd * of_kernel(s, 0.4) * kernel_beta(s, 4096_KB) / 2;
}
double direct_reduction_cost(const Shape& s) {
  const double per_byte = kernel_beta(unmeasured(s)) + gamma(s);
  return meeting_cost(s, 2000) + bytes(s) * (ranks(s) - 1) / ranks(s) * per_byte;
}
double direct_allreduce_cost(const Shape& s) {
  const Shape known = unmeasured(s);
  const double quick_call = lines_are_slow(known) ? 1500 : 700;
  const double slow_call = crowd(s) ? 1500 : 2000;
  const double copies = crowd(s) ? 1.1 : 1.5;
  return meeting_cost(s, known.quick_copies ? quick_call : slow_call) +
         bytes(s) * (ranks(s) - 1) / ranks(s) * of_kernel(known, 0.3) *
             (copies * kernel_beta(known) + gamma(s));
}
/// In place the result is copied once more.
double direct_scatter_reduction_cost(const Shape& s) {
  return direct_reduction_cost(s) + (s.in_place ? bytes(s) / ranks(s) * beta(s) : 0);
}

constexpr std::array kRows = {
    Algorithm{barrier, "board", nullptr, on_board, board_cost},
    Algorithm{bcast, "board", nullptr, long_on_board, board_cost},
    Algorithm{gather, "board", nullptr, long_on_board, board_gather_cost},
    Algorithm{scatter, "board", nullptr, blocks_on_board, board_scatter_cost},
    Algorithm{allgather, "board", nullptr, on_board, board_all_cost},
    Algorithm{allgatherv, "board", nullptr, on_board, board_all_cost},
    Algorithm{alltoall, "board", nullptr, blocks_on_board, board_blocks_cost},
    Algorithm{alltoallv, "board", nullptr, any_blocks_on_board, board_blocks_cost},
    Algorithm{alltoallw, "board", nullptr, any_blocks_on_board, board_blocks_cost},
    Algorithm{reduce, "board", nullptr, reduces_on_board, board_reduce_cost},
    Algorithm{allreduce, "board", nullptr, reduces_on_board, board_allreduce_cost},
    direct_row(bcast, bcast_direct, in_memory, direct_rooted_cost),
    direct_row(gather, gather_direct, in_memory, direct_gather_cost),
    direct_row(scatter, scatter_direct, in_memory, direct_scatter_cost),
    direct_row(allgather, allgather_direct, in_memory, direct_blocks_cost),
    direct_row(allgatherv, allgather_direct, in_memory, direct_blocks_cost),
    direct_row(alltoall, alltoall_direct, in_memory, direct_blocks_cost),
    direct_row(reduce, reduce_direct, reduces_in_memory, direct_reduction_cost),
    direct_row(allreduce, allreduce_direct, reduces_in_memory, direct_allreduce_cost),
    direct_row(reduce_scatter, reduce_scatter_direct, reduces_in_memory,
               direct_scatter_reduction_cost),
    direct_row(reduce_scatter_block, reduce_scatter_direct, reduces_in_memory,
               direct_scatter_reduction_cost),
    Algorithm{barrier, "dissemination", barrier_dissemination<2>, always, dissemination_cost},
    Algorithm{barrier, "overlapped", barrier_overlapped, always, overlapped_shape_cost},
    Algorithm{barrier, "dissemination4", barrier_dissemination<4>, always, dissemination4_cost},
    Algorithm{barrier, "tree", barrier_tree<2>, always, barrier_tree_cost<2>},
    Algorithm{barrier, "tree4", barrier_tree<4>, always, barrier_tree_cost<4>},
    Algorithm{barrier, "hierarchical", barrier_hierarchical, composed, composed_allreduce_cost},
    Algorithm{bcast, "binomial", bcast_knomial<2>, always, tree_cost},
    Algorithm{bcast, "knomial4", bcast_knomial<4>, always, knomial_cost<4>},
    Algorithm{bcast, "knomial8", bcast_knomial<8>, always, knomial_cost<8>},
    Algorithm{bcast, "chain", bcast_chain, at_least_two, bcast_chain_cost},
    Algorithm{bcast, "double_tree", bcast_double_tree, at_least_two, bcast_double_tree_cost},
    Algorithm{bcast, "hierarchical", bcast_hierarchical, composed, composed_bcast_cost},
    Algorithm{bcast, "scatter_allgather", bcast_scatter_allgather, has_parts,
              scatter_allgather_cost},
    Algorithm{gather, "binomial", gather_knomial<2>, uniform, packed_tree_cost},
    Algorithm{gather, "knomial4", gather_knomial<4>, uniform, knomial_packed_cost<4>},
    Algorithm{gather, "linear", gather_linear, always, linear_cost},
    Algorithm{gatherv, "linear", gather_linear, always, linear_cost},
    Algorithm{scatter, "binomial", scatter_knomial<2>, uniform, packed_tree_cost},
    Algorithm{scatter, "knomial4", scatter_knomial<4>, uniform, knomial_packed_cost<4>},
    Algorithm{scatter, "linear", scatter_linear, always, linear_cost},
    Algorithm{scatterv, "linear", scatter_linear, always, linear_cost},
    Algorithm{allgather, "recursive_doubling", allgather_recursive_doubling, cube, doubling_cost},
    Algorithm{allgather, "bruck", allgather_bruck, uniform, bruck_allgather_cost},
    Algorithm{allgather, "ring", allgather_ring, always, ring_allgather_cost},
    Algorithm{allgather, "overlapped", allgather_overlapped, uniform, overlapped_allgather_cost},
    Algorithm{allgather, "hierarchical", allgather_hierarchical, even_cells,
              composed_allgather_cost},
    Algorithm{allgatherv, "ring", allgather_ring, always, ring_allgather_cost},
    Algorithm{alltoall, "bruck", alltoall_bruck, uniform, bruck_alltoall_cost},
    Algorithm{alltoall, "spread_out", alltoall_spread_out, not_in_place, spread_out_cost},
    Algorithm{alltoall, "pairwise", alltoall_pairwise, always, pairwise_cost},
    Algorithm{alltoallv, "spread_out", alltoall_spread_out, not_in_place, spread_out_cost},
    Algorithm{alltoallv, "pairwise", alltoall_pairwise, always, pairwise_cost},
    Algorithm{alltoallw, "spread_out", alltoall_spread_out, not_in_place, spread_out_cost},
    Algorithm{alltoallw, "pairwise", alltoall_pairwise, always, pairwise_cost},
    Algorithm{reduce, "binomial", reduce_knomial<2>, commutes, reduce_to_root_cost<2>},
    Algorithm{reduce, "knomial4", reduce_knomial<4>, commutes, reduce_to_root_cost<4>},
    Algorithm{reduce, "chain", reduce_chain, commutes_at_least_two, reduce_chain_cost},
    Algorithm{reduce, "double_tree", reduce_double_tree, commutes_at_least_two,
              reduce_double_tree_cost},
    Algorithm{reduce, "hierarchical", reduce_hierarchical, reduces_by_cells, composed_reduce_cost},
    Algorithm{reduce, "in_order", reduce_in_order, always, in_order_cost},
    Algorithm{allreduce, "recursive_doubling", allreduce_recursive_doubling, always,
              recursive_doubling_cost},
    Algorithm{allreduce, "rabenseifner", allreduce_rabenseifner, long_and_commutes,
              rabenseifner_cost},
    Algorithm{allreduce, "ring", allreduce_ring, long_and_commutes, ring_allreduce_cost},
    Algorithm{allreduce, "knomial4", allreduce_knomial<4>, always, knomial_allreduce_cost<4>},
    Algorithm{allreduce, "double_tree", allreduce_double_tree, commutes_at_least_two,
              allreduce_double_tree_cost},
    Algorithm{allreduce, "hierarchical", allreduce_hierarchical, reduces_by_cells,
              composed_allreduce_cost},
    Algorithm{allreduce, "overlapped", allreduce_overlapped, exact, overlapped_shape_cost},
    Algorithm{allreduce, "grouped", allreduce_grouped, at_least_two, grouped_cost},
    Algorithm{reduce_scatter, "halving", reduce_scatter_halving, commutes, halving_cost},
    Algorithm{reduce_scatter, "ordered_halving", reduce_scatter_ordered_halving, always,
              ordered_halving_cost},
    Algorithm{reduce_scatter, "pairwise", reduce_scatter_pairwise, always, pairwise_reduction_cost},
    Algorithm{reduce_scatter_block, "halving", reduce_scatter_halving, commutes, halving_cost},
    Algorithm{reduce_scatter_block, "ordered_halving", reduce_scatter_ordered_halving, always,
              ordered_halving_cost},
    Algorithm{reduce_scatter_block, "pairwise", reduce_scatter_pairwise, always,
              pairwise_reduction_cost},
    Algorithm{scan, "recursive_doubling", scan_recursive_doubling, always, reduce_tree_cost},
    Algorithm{scan, "chain", scan_chain, always, chain_cost},
    Algorithm{exscan, "recursive_doubling", scan_recursive_doubling, always, reduce_tree_cost},
    Algorithm{exscan, "chain", scan_chain, always, chain_cost},
    Algorithm{neighbor_allgather, "direct", neighbor_direct, always, neighbor_cost},
    Algorithm{neighbor_allgatherv, "direct", neighbor_direct, always, neighbor_cost},
    Algorithm{neighbor_alltoall, "direct", neighbor_direct, always, neighbor_cost},
    Algorithm{neighbor_alltoallv, "direct", neighbor_direct, always, neighbor_cost},
    Algorithm{neighbor_alltoallw, "direct", neighbor_direct, always, neighbor_cost},
    Algorithm{agree, "rounds", agree_among, always, tree_cost},
    inter_row(barrier, "inter_leaders", barrier_inter),
    inter_row(bcast, "inter_leader", bcast_inter),
    inter_row(gather, "inter_linear", gather_inter),
    inter_row(gatherv, "inter_linear", gather_inter),
    inter_row(scatter, "inter_linear", scatter_inter),
    inter_row(scatterv, "inter_linear", scatter_inter),
    inter_row(allgather, "inter_leaders", allgather_inter),
    inter_row(allgatherv, "inter_leaders", allgather_inter),
    inter_row(alltoall, "inter_pairwise", alltoall_inter),
    inter_row(alltoallv, "inter_pairwise", alltoall_inter),
    inter_row(alltoallw, "inter_pairwise", alltoall_inter),
    inter_row(reduce, "inter_leader", reduce_inter),
    inter_row(allreduce, "inter_leaders", allreduce_inter),
    inter_row(reduce_scatter, "inter_leaders", reduce_scatter_inter),
    inter_row(reduce_scatter_block, "inter_leaders", reduce_scatter_inter),
    inter_row(agree, "inter_rounds", agree_inter),
};

inline const ParamDecl reproducible_param{
    "coll_reproducible", false, "",
    "reductions combine in an order that does not depend on which ranks share a host"};

}  // namespace

std::span<const Algorithm> all_algorithms() {
  return kRows;
}

std::string_view collective_name(CollectiveKind kind) {
  constexpr std::array<std::string_view, kCollectiveKinds> kNames = {"barrier",
                                                                     "bcast",
                                                                     "gather",
                                                                     "gatherv",
                                                                     "scatter",
                                                                     "scatterv",
                                                                     "allgather",
                                                                     "allgatherv",
                                                                     "alltoall",
                                                                     "alltoallv",
                                                                     "alltoallw",
                                                                     "neighbor_allgather",
                                                                     "neighbor_allgatherv",
                                                                     "neighbor_alltoall",
                                                                     "neighbor_alltoallv",
                                                                     "neighbor_alltoallw",
                                                                     "reduce",
                                                                     "allreduce",
                                                                     "reduce_scatter",
                                                                     "reduce_scatter_block",
                                                                     "scan",
                                                                     "exscan",
                                                                     "agreement on a context"};
  return kNames[static_cast<std::size_t>(kind)];
}

namespace {

/// What a choice may depend on: nothing about hosts for reductions that have to be reproducible.
CollectiveShape visible(CollectiveKind kind, const CollectiveShape& shape, const Params& params) {
  CollectiveShape seen = shape;
  if (is_reduction(kind) && !shape.exact && params.flag(reproducible_param)) {
    seen.board = seen.one_host = false;
    seen.cost_class = CostClass::network;
    seen.hierarchy = nullptr;
  }
  return seen;
}

}  // namespace

const LogGP& reduction_model(Engine& engine, const CommCore& comm) {
  const LogGP& here = model_of(engine, comm);
  const bool anywhere = engine.process().params().flag(reproducible_param);
  return anywhere ? collective_state(comm).table->model(CostClass::network) : here;
}

namespace {

/// The best one that was measured and applies; null if nothing was measured.
const Algorithm* measured_algorithm(CollectiveKind kind, const CollectiveShape& shape) {
  if (shape.table == nullptr || shape.inter) return nullptr;
  for (const Algorithm* row :
       shape.table->measured(kind, shape.cost_class, shape.size, shape.bytes)) {
    if (row->applies(shape)) return row;
  }
  return nullptr;
}

}  // namespace

ChosenAlgorithm choose_row(CollectiveKind kind, const CollectiveShape& known,
                           const Params& params) {
  const CollectiveShape shape = visible(kind, known, params);
  const std::string_view forced = forced_algorithm(params, collective_name(kind));
  const Algorithm* measured = measured_algorithm(kind, shape);
  if (measured != nullptr && forced.empty()) return {measured, false};
  const Algorithm* best = nullptr;
  double best_cost = 0;
  for (const Algorithm& row : kRows) {
    if (row.kind != kind || row.inter != shape.inter || !row.applies(shape)) continue;
    if (row.name == forced) return {&row, false};
    const double cost = row.cost(shape);
    if (best == nullptr || cost < best_cost) {
      best = &row;
      best_cost = cost;
    }
  }
  assert(best != nullptr && "an operation without an algorithm");
  return {measured != nullptr ? measured : best, forced.empty()};
}

}  // namespace remit
