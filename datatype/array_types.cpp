// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Parts of multidimensional arrays: subarrays, and the share of one process in a distributed array.
#include <algorithm>
#include <utility>
#include <vector>

#include "datatype/assembler.hpp"

namespace remit {

namespace {

Expected<> check_subarray(std::span<const MPI_Count> sizes, std::span<const MPI_Count> subsizes,
                          std::span<const MPI_Count> starts, int order) {
  if (sizes.empty() || subsizes.size() != sizes.size() || starts.size() != sizes.size()) {
    return fail(MPI_ERR_ARG, "the number of dimensions must be at least 1");
  }
  if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN) {
    return fail(MPI_ERR_ARG, "order is {}, must be MPI_ORDER_C or MPI_ORDER_FORTRAN", order);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (subsizes[i] < 1 || subsizes[i] > sizes[i] || starts[i] < 0 ||
        starts[i] > sizes[i] - subsizes[i]) {
      return fail(MPI_ERR_ARG, "dimension {}: {} elements from {} do not lie within an array of {}",
                  i, subsizes[i], starts[i], sizes[i]);
    }
  }
  return {};
}

}  // namespace

Expected<Ref<Datatype>> make_subarray(std::span<const MPI_Count> sizes,
                                      std::span<const MPI_Count> subsizes,
                                      std::span<const MPI_Count> starts, int order,
                                      const Datatype& old, CountForm form) {
  if (auto ok = require_available(old); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_subarray(sizes, subsizes, starts, order); !ok) {
    return tl::unexpected(ok.error());
  }
  // From the fastest dimension to the slowest: each is a loop over the one before.
  const std::size_t dimensions = sizes.size();
  PlacedLayout root = old.layout().placed();
  Wide stride = old.extent();
  Wide first = 0;
  Wide last = 0;
  Wide copies = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::size_t d = order == MPI_ORDER_C ? dimensions - 1 - i : i;
    if (!fits(stride * sizes[d]) || !fits(copies * subsizes[d])) return too_large();
    first += stride * starts[d];
    last += stride * (starts[d] + subsizes[d] - 1);
    root = make_loop(subsizes[d], static_cast<std::int64_t>(stride), std::move(root));
    copies *= subsizes[d];
    stride *= sizes[d];
  }
  Assembler type;
  type.place(old, first, 2, last - first);
  type.sign(old, copies);
  type.mark(0, stride);
  if (!type.representable()) return too_large();
  Envelope envelope(MPI_COMBINER_SUBARRAY, form);
  envelope.plain(static_cast<int>(dimensions)).counts(sizes).counts(subsizes).counts(starts);
  envelope.plain(order);
  return std::move(type).finish(shifted(std::move(root), static_cast<std::int64_t>(first)),
                                envelope.take());
}

namespace {

/// The indices of one dimension that a process owns: blocks of `block`, dealt out in turn.
struct Share {
  Wide first = 0;   ///< index
  Wide cycle = 0;   ///< from one of its blocks to the next, in indices
  Wide blocks = 0;  ///< whole ones
  Wide block = 0;   ///< indices
  Wide tail = 0;    ///< indices of a last, shorter block

  [[nodiscard]] Wide count() const { return blocks * block + tail; }
  /// Only where count() is not 0.
  [[nodiscard]] Wide last() const {
    return first + (tail != 0 ? blocks * cycle + tail : (blocks - 1) * cycle + block) - 1;
  }
};

Share share_of(Wide size, Wide processes, Wide coordinate, Wide block) {
  Share share;
  share.block = block;
  share.cycle = processes * block;
  share.first = coordinate * block;
  share.blocks = size / share.cycle;
  share.tail = std::clamp<Wide>(size % share.cycle - share.first, 0, block);
  if (share.tail == block) {
    ++share.blocks;
    share.tail = 0;
  }
  return share;
}

Expected<> check_darray_shape(const DarrayShape& shape) {
  const std::size_t n = shape.gsizes.size();
  if (n == 0 || shape.distribs.size() != n || shape.dargs.size() != n || shape.psizes.size() != n) {
    return fail(MPI_ERR_ARG, "the number of dimensions must be at least 1");
  }
  if (shape.size < 1) return fail(MPI_ERR_ARG, "size is {}, must be at least 1", shape.size);
  if (shape.rank < 0 || shape.rank >= shape.size) {
    return fail(MPI_ERR_ARG, "rank is {}, must be from 0 to {}", shape.rank, shape.size - 1);
  }
  if (shape.order != MPI_ORDER_C && shape.order != MPI_ORDER_FORTRAN) {
    return fail(MPI_ERR_ARG, "order is {}, must be MPI_ORDER_C or MPI_ORDER_FORTRAN", shape.order);
  }
  Wide processes = 1;
  for (std::size_t d = 0; d < n; ++d) {
    if (shape.psizes[d] < 1) {
      return fail(MPI_ERR_ARG, "array_of_psizes[{}] is {}, must be at least 1", d, shape.psizes[d]);
    }
    processes = std::min<Wide>(processes * shape.psizes[d], Wide{1} << 32);
  }
  if (processes != shape.size) {
    return fail(MPI_ERR_ARG,
                "the process grid of array_of_psizes has not {} processes, but size is {}",
                static_cast<std::int64_t>(processes), shape.size);
  }
  return {};
}

/// Indices of one block of dimension `d`.
Expected<Wide> darray_block(const DarrayShape& shape, std::size_t d) {
  const Wide size = shape.gsizes[d];
  const int processes = shape.psizes[d];
  const int arg = shape.dargs[d];
  if (size < 1) {
    return fail(MPI_ERR_ARG, "array_of_gsizes[{}] is {}, must be at least 1", d, shape.gsizes[d]);
  }
  const bool by_default = arg == MPI_DISTRIBUTE_DFLT_DARG;
  switch (shape.distribs[d]) {
    case MPI_DISTRIBUTE_NONE:
      if (processes == 1) return size;
      return fail(
          MPI_ERR_ARG,
          "dimension {} is not distributed (MPI_DISTRIBUTE_NONE): array_of_psizes[{}] is {}, "
          "must be 1",
          d, d, processes);
    case MPI_DISTRIBUTE_BLOCK:
      if (by_default) return (size + processes - 1) / processes;
      if (arg >= 1 && Wide{arg} * processes >= size) return arg;
      return fail(MPI_ERR_ARG, "array_of_dargs[{}] is {}: {} blocks of it do not hold {} elements",
                  d, arg, processes, shape.gsizes[d]);
    case MPI_DISTRIBUTE_CYCLIC:
      if (by_default) return 1;
      if (arg >= 1) return arg;
      return fail(MPI_ERR_ARG, "array_of_dargs[{}] is {}, must be at least 1", d, arg);
    default:
      return fail(
          MPI_ERR_ARG,
          "array_of_distribs[{}] is {}, must be MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC or "
          "MPI_DISTRIBUTE_NONE",
          d, shape.distribs[d]);
  }
}

/// What the process owns, dimension by dimension. Ranks fill the grid in row-major order, whatever
/// the order of the array.
Expected<std::vector<Share>> darray_shares(const DarrayShape& shape) {
  std::vector<Share> shares(shape.gsizes.size());
  int rest = shape.rank;
  for (std::size_t d = shares.size(); d-- > 0;) {
    const Expected<Wide> block = darray_block(shape, d);
    if (!block) return tl::unexpected(block.error());
    shares[d] = share_of(shape.gsizes[d], shape.psizes[d], rest % shape.psizes[d], *block);
    rest /= shape.psizes[d];
  }
  return shares;
}

/// `inner` at every index of the share, `stride` bytes an index.
PlacedLayout spread(const Share& share, std::int64_t stride, const PlacedLayout& inner) {
  const auto bytes = [&](Wide indices) {
    return static_cast<std::int64_t>(indices * Wide{stride});
  };
  const auto count = [](Wide n) { return static_cast<std::int64_t>(n); };
  LayoutBuilder parts;
  // The cycle of a lone block may reach further than any address.
  const std::int64_t cycle = share.blocks > 1 ? bytes(share.cycle) : 0;
  parts.add(
      shifted(make_loop(count(share.blocks), cycle, make_loop(count(share.block), stride, inner)),
              bytes(share.first)));
  const Wide behind = share.tail != 0 ? share.first + share.blocks * share.cycle : 0;
  parts.add(shifted(make_loop(count(share.tail), stride, inner), bytes(behind)));
  return std::move(parts).finish();
}

}  // namespace

Expected<Ref<Datatype>> make_darray(const DarrayShape& shape, const Datatype& old, CountForm form) {
  if (auto ok = require_available(old); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_darray_shape(shape); !ok) return tl::unexpected(ok.error());
  const Expected<std::vector<Share>> shares = darray_shares(shape);
  if (!shares) return tl::unexpected(shares.error());
  const std::size_t n = shares->size();
  const auto dimension = [&](std::size_t i) { return shape.order == MPI_ORDER_C ? n - 1 - i : i; };
  Wide stride = old.extent();
  Wide first = 0;
  Wide last = 0;
  Wide copies = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const Share& share = (*shares)[dimension(i)];
    if (!fits(stride * shape.gsizes[dimension(i)]) || !fits(copies * share.count())) {
      return too_large();
    }
    copies *= share.count();
    first += stride * share.first;
    if (copies != 0) last += stride * share.last();
    stride *= shape.gsizes[dimension(i)];
  }
  Assembler type;
  if (copies != 0) type.place(old, first, 2, last - first);
  type.sign(old, copies);
  type.mark(0, stride);
  if (!type.representable()) return too_large();
  PlacedLayout root = copies != 0 ? old.layout().placed() : PlacedLayout{};
  stride = old.extent();
  for (std::size_t i = 0; i < n && copies != 0; ++i) {
    root = spread((*shares)[dimension(i)], static_cast<std::int64_t>(stride), root);
    stride *= shape.gsizes[dimension(i)];
  }
  Envelope envelope(MPI_COMBINER_DARRAY, form);
  envelope.plain(shape.size).plain(shape.rank).plain(static_cast<int>(n)).counts(shape.gsizes);
  envelope.plains(shape.distribs).plains(shape.dargs).plains(shape.psizes).plain(shape.order);
  return std::move(type).finish(std::move(root), envelope.take());
}

}  // namespace remit
