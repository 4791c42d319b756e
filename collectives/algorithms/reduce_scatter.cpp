// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Reductions whose result is scattered (MPI-5.0, section 6.10).
#include <bit>

#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "collectives/algorithms/peers.hpp"

namespace remit {

namespace {

/// Indices of elements, in the operation's arena.
MPI_Count* index_array(CollCtx& c, int entries) {
  return reinterpret_cast<MPI_Count*>(
      c.scratch(sizeof(MPI_Count) * static_cast<std::size_t>(entries)));
}

/// Where the members' blocks lie in the vector.
class Parts {
 public:
  Parts(CollCtx& c, const CollectiveArgs& a) : each_(a.recv_count) {
    if (a.kind == CollectiveKind::reduce_scatter_block) return;
    begins_ = index_array(c, c.size() + 1);
    begins_[0] = 0;
    for (int i = 0; i < c.size(); ++i) begins_[i + 1] = begins_[i] + a.recv_counts[i];
  }
  [[nodiscard]] MPI_Count begin(int rank) const {
    return begins_ != nullptr ? begins_[rank] : each_ * rank;
  }
  [[nodiscard]] MPI_Count count(int first, int last) const { return begin(last) - begin(first); }
  [[nodiscard]] MPI_Count count(int rank) const { return count(rank, rank + 1); }

 private:
  MPI_Count each_;
  MPI_Count* begins_ = nullptr;
};

/// Elements of the vector from index `first` on.
struct Piece {
  void* data = nullptr;
  MPI_Count first = 0;

  [[nodiscard]] void* at(MPI_Count index, const Datatype& type) const {
    return element(data, index - first, type);
  }
};

/// Recursive halving among the cube, whose members take part for one or two ranks each. The vector
/// is worked on in an order of the cube members' shares; in each step half of the shares still held
/// is given away. Plain: shares in rank order, far partners first; what is reduced then covers no
/// contiguous ranks. In order: near partners first, so that it does; then the shares lie at their
/// bit-reversed positions, where halves are contiguous.
class Halving {
 public:
  Halving(CollCtx& c, const Parts& parts, bool in_order)
      : fold_{c.size()},
        in_order_(in_order),
        bits_(std::countr_zero(static_cast<unsigned>(fold_.cube()))),
        begins_(index_array(c, fold_.cube() + 1)) {
    begins_[0] = 0;
    for (int i = 0; i < fold_.cube(); ++i) {
      const int owner = position(i);  // its own inverse
      begins_[i + 1] =
          begins_[i] + parts.count(fold_.first_rank(owner), fold_.first_rank(owner + 1));
    }
  }
  [[nodiscard]] const PowerOfTwoFold& fold() const { return fold_; }
  [[nodiscard]] bool in_order() const { return in_order_; }
  /// Where the share of a cube member lies, counted in shares.
  [[nodiscard]] int position(int cube_rank) const {
    return in_order_ ? reverse_bits(cube_rank, bits_) : cube_rank;
  }
  /// The partner of the step that leaves `half` shares.
  [[nodiscard]] int partner(int cube_rank, int half) const {
    return cube_rank ^ (in_order_ ? fold_.cube() / 2 / half : half);
  }
  [[nodiscard]] MPI_Count begin(int position) const { return begins_[position]; }
  [[nodiscard]] MPI_Count count(int first, int last) const { return begin(last) - begin(first); }

 private:
  PowerOfTwoFold fold_;
  bool in_order_;
  int bits_;
  MPI_Count* begins_;
};

/// What a member has reduced so far.
struct Work {
  Piece value;
  bool owned = false;     ///< false: the user's, which must stay as it is
  void* spare = nullptr;  ///< memory for what arrives, if there is some already
};

/// The steps of one cube member; afterwards `work` has the result of its share.
Task<int> halve(CollCtx& c, const CollectiveArgs& a, const Halving& cut, Work& work) {
  const Datatype& type = *a.recv_type;
  const int me = cut.fold().to_cube(c.rank());
  int first = 0;
  int last = cut.fold().cube();
  for (int half = last / 2; half > 0; half /= 2) {
    const int peer = cut.fold().from_cube(cut.partner(me, half));
    const int middle = first + half;
    const bool low = cut.position(me) < middle;
    const int given = low ? middle : first;
    (low ? last : first) = middle;
    const MPI_Count begin = cut.begin(first);
    const MPI_Count count = cut.count(first, last);
    if (work.spare == nullptr) work.spare = c.scratch(count, type);
    const Piece arrived{work.spare, begin};
    const View out =
        view_of(work.value.at(cut.begin(given), type), cut.count(given, given + half), type);
    const View in = view_of(arrived.data, count, type);
    auto swap = c.sendrecv(out, peer, in, peer);
    co_await swap;
    if (cut.in_order() && peer < c.rank()) {
      combine(c, a, arrived.data, work.value.at(begin, type), count);
      continue;
    }
    combine(c, a, work.value.at(begin, type), arrived.data, count);
    work.spare = work.owned ? work.value.data : nullptr;
    work.value = arrived;
    work.owned = true;
  }
  co_return c.error();
}

/// The vector to start with: one's own, and for the even member of a pair that of `theirs`.
Work start_work(CollCtx& c, const CollectiveArgs& a, const Parts& parts, const Halving& cut,
                void* theirs) {
  const Datatype& type = *a.recv_type;
  const void* mine = contribution(a);
  if (!cut.in_order()) {
    if (theirs == nullptr) return {{const_cast<void*>(mine), 0}, false, nullptr};
    combine(c, a, mine, theirs, a.send_count);
    return {{theirs, 0}, true, nullptr};
  }
  void* ordered = c.scratch(a.send_count, type);
  for (int i = 0; i < cut.fold().cube(); ++i) {
    const MPI_Count from = parts.begin(cut.fold().first_rank(i));
    const MPI_Count to = cut.begin(cut.position(i));
    const MPI_Count count = cut.begin(cut.position(i) + 1) - to;
    copy_local(slice(mine, from, count, type), slice(ordered, to, count, type));
    if (theirs == nullptr || count == 0) continue;
    combine(c, a, element(theirs, from, type), element(ordered, to, type), count);
  }
  return {{ordered, 0}, true, theirs};
}

Task<int> run_halving(CollCtx& c, const CollectiveArgs& a, bool in_order) {
  const Datatype& type = *a.recv_type;
  const Parts parts(c, a);
  const Halving cut(c, parts, in_order);
  const bool paired = c.rank() < 2 * cut.fold().extra();
  const View result = view_of(a.recv, a.recv_count, type);
  if (paired && c.rank() % 2 == 0) {
    auto departure = c.send(view_of(contribution(a), a.send_count, type), c.rank() + 1);
    co_await departure;
    auto arrival = c.receive(result, c.rank() + 1);
    co_await arrival;
    co_return c.error();
  }
  void* theirs = nullptr;
  if (paired) {
    theirs = c.scratch(a.send_count, type);
    auto arrival = c.receive(view_of(theirs, a.send_count, type), c.rank() - 1);
    co_await arrival;
  }
  Work work = start_work(c, a, parts, cut, theirs);
  Task<int> steps = halve(c, a, cut, work);
  co_await steps;
  const MPI_Count share = cut.begin(cut.position(cut.fold().to_cube(c.rank())));
  if (!paired) {
    copy_local(view_of(work.value.at(share, type), a.recv_count, type), result);
    co_return c.error();
  }
  const MPI_Count theirs_count = parts.count(c.rank() - 1);
  copy_local(view_of(work.value.at(share + theirs_count, type), a.recv_count, type), result);
  auto departure = c.send(view_of(work.value.at(share, type), theirs_count, type), c.rank() - 1);
  co_await departure;
  co_return c.error();
}

}  // namespace

/// Recursive halving: log2 p messages, n(p-1)/p bytes; a size that is no power of two first pairs
/// up its first ranks. For commutative operations.
Task<int> reduce_scatter_halving(CollCtx& c, const CollectiveArgs& a) {
  return run_halving(c, a, false);
}

/// The same for every operation: a copy of the vector is put in an order in which neighbouring
/// ranks are reduced first.
Task<int> reduce_scatter_ordered_halving(CollCtx& c, const CollectiveArgs& a) {
  return run_halving(c, a, true);
}

/// Pairwise exchange: p-1 steps, in step k a block to the one k ahead. Memory for one block, or for
/// two: what comes from the ranks below, and by and by from those above, arrives in falling order,
/// so that each sum grows at its left end and every operation is served.
Task<int> reduce_scatter_pairwise(CollCtx& c, const CollectiveArgs& a) {
  const Datatype& type = *a.recv_type;
  const int size = c.size();
  const Parts parts(c, a);
  const MPI_Count count = a.recv_count;
  const void* mine = contribution(a);
  // In place, the result's memory holds what others are still to be sent.
  void* lower = a.send == MPI_IN_PLACE ? c.scratch(count, type) : a.recv;
  void* upper = nullptr;
  void* spare = c.scratch(count, type);
  copy_local(slice(mine, parts.begin(c.rank()), count, type), view_of(lower, count, type));
  for (int step = 1; step < size; ++step) {
    const int to = (c.rank() + step) % size;
    const int from = (c.rank() - step + size) % size;
    const View out = slice(mine, parts.begin(to), parts.count(to), type);
    const View in = view_of(spare, count, type);
    auto exchange = c.sendrecv(out, to, in, from);
    co_await exchange;
    if (from < c.rank() || a.op->is_commutative()) {
      combine(c, a, spare, lower, count);
    } else if (upper == nullptr) {
      upper = spare;
      spare = c.scratch(count, type);
    } else {
      combine(c, a, spare, upper, count);
    }
  }
  if (upper != nullptr) combine(c, a, lower, upper, count);
  const void* result = upper != nullptr ? upper : lower;
  if (result != a.recv) copy_local(view_of(result, count, type), view_of(a.recv, count, type));
  co_return c.error();
}

}  // namespace remit
