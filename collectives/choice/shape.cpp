// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the choice of an algorithm depends on, of an operation and its communicator.
#include "collectives/choice/shape.hpp"

#include <algorithm>

#include "collectives/state.hpp"

namespace remit {

namespace {

/// Operations on integers, which wrap, and on bits and truth values.
bool is_exact(const Op& op, const Datatype& type) {
  if (!op.is_predefined() || op.kind() == Reduction::minloc || op.kind() == Reduction::maxloc) {
    return false;
  }
  switch (type.signature().kind) {
    case BasicKind::i8:
    case BasicKind::i16:
    case BasicKind::i32:
    case BasicKind::i64:
    case BasicKind::i128:
    case BasicKind::u8:
    case BasicKind::u16:
    case BasicKind::u32:
    case BasicKind::u64:
    case BasicKind::byte:
      return true;
    default:
      return false;
  }
}

/// All members of an allgatherv know the counts of all: the largest stands for each.
void take_counts(const CollectiveArgs& args, CollectiveShape& shape) {
  for (int i = 0; i < shape.size; ++i) {
    shape.elements = std::max(shape.elements, args.recv_counts[i]);
  }
  shape.bytes =
      static_cast<std::size_t>(shape.elements) * static_cast<std::size_t>(args.recv_type->size());
}

}  // namespace

bool has_own_sizes(CollectiveKind kind) {
  using enum CollectiveKind;
  return kind == gatherv || kind == scatterv || kind == alltoallv || kind == alltoallw ||
         (kind >= neighbor_allgather && kind <= neighbor_alltoallw);
}

bool is_reduction(CollectiveKind kind) {
  using enum CollectiveKind;
  return kind >= reduce && kind <= exscan;
}

CollectiveShape shape_of(const CommCore& comm, const CollectiveArgs& args) {
  using enum CollectiveKind;
  CollectiveShape shape;
  shape.size = comm.size();
  const CollectiveState& known = known_state(comm);
  shape.table = known.table;
  shape.cost_class = known.cost_class;
  shape.processors = known.processors;
  shape.inter = comm.is_inter();
  if (shape.inter) return shape;
  shape.in_place = args.send == MPI_IN_PLACE;
  shape.commutative = args.op == nullptr || args.op->is_commutative();
  shape.exact =
      args.op != nullptr && args.recv_type != nullptr && is_exact(*args.op, *args.recv_type);
  shape.uniform = !has_own_sizes(args.kind) && args.kind != allgatherv;
  shape.one_host = known.table != nullptr && shape.cost_class != CostClass::network;
  shape.quick_copies = known.quick_copies;
  if (args.kind == barrier) shape.hierarchy = known.hierarchy.get();
  if (args.kind == allgatherv) take_counts(args, shape);
  if (!shape.uniform || args.kind == barrier || args.kind == agree) return shape;
  shape.hierarchy = known.hierarchy.get();
  if (args.op != nullptr) {
    const Layout& layout = args.recv_type->layout();
    shape.plain = layout.is_contiguous() && layout.displacement() == 0;
  }
  // Gather and scatter: the side that every member has; at the root both say the same.
  const bool use_send = args.kind == gather && !shape.in_place;
  const bool in_place_scatter = args.kind == scatter && args.recv == MPI_IN_PLACE;
  const bool send_side = use_send || in_place_scatter;
  const bool reduces_blocks = args.kind == reduce_scatter || args.kind == reduce_scatter_block;
  shape.elements = send_side || reduces_blocks ? args.send_count : args.recv_count;
  const Datatype& type = send_side ? *args.send_type : *args.recv_type;
  shape.bytes = static_cast<std::size_t>(shape.elements) * static_cast<std::size_t>(type.size());
  return shape;
}

}  // namespace remit
