// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Derived datatypes: bounds, signature, envelope and layout of each constructor.
#include <algorithm>
#include <limits>
#include <utility>

#include "datatype/datatype.hpp"
#include "datatype/layout_node.hpp"

namespace remit {
namespace {

// Products of two 64-bit numbers are exact in it; results are checked once, at the end.
__extension__ using Wide = __int128;

constexpr bool fits(Wide value) {
  return value >= std::numeric_limits<std::int64_t>::min() &&
         value <= std::numeric_limits<std::int64_t>::max();
}

tl::unexpected<Error> too_large() {
  return fail(MPI_ERR_ARG, "the datatype's bounds or size exceed 63 bits");
}

/// Adds up what a type map of copies of old types has: bounds, size, signature.
class Assembler {
 public:
  /// `copies` of `old` whose origins lie at `first`, `first + stride`, ...
  void place(const Datatype& old, Wide first, Wide copies, Wide stride) {
    if (copies <= 0) return;
    const Wide last = first + (copies - 1) * stride;
    const Wide low = std::min(first, last);
    const Wide high = std::max(first, last);
    const Bounds& bounds = old.bounds();
    if (bounds.has_entries) {
      true_lb_ = has_entries_ ? std::min(true_lb_, low + bounds.true_lb) : low + bounds.true_lb;
      true_ub_ = has_entries_ ? std::max(true_ub_, high + bounds.true_ub) : high + bounds.true_ub;
      has_entries_ = true;
      alignment_ = std::max(alignment_, old.alignment());
    }
    if (bounds.lb_marker) {
      const Wide marker = low + *bounds.lb_marker;
      lb_marker_ = lb_marker_ ? std::min(*lb_marker_, marker) : marker;
    }
    if (bounds.ub_marker) {
      const Wide marker = high + *bounds.ub_marker;
      ub_marker_ = ub_marker_ ? std::max(*ub_marker_, marker) : marker;
    }
  }

  /// The signature goes on with `copies` of `old`, which the envelope lists.
  void sign(const Datatype& old, Wide copies) {
    if (copies > 0 && old.size() > 0) {
      const bool first = size_ == 0;
      uniform_ = first || uniform_ == old.uniform_size() ? old.uniform_size() : 0;
      size_ += copies * old.size();
      elements_ += copies * old.elements();
    }
    copies_.push_back(static_cast<MPI_Count>(copies));
    datatypes_.emplace_back(&old);
  }

  /// Explicit bounds instead of those of the entries.
  void mark(Wide lb, Wide ub) {
    lb_marker_ = lb;
    ub_marker_ = ub;
  }

  /// Whether everything so far can be represented; to be asked before a layout is built.
  [[nodiscard]] bool representable() const {
    return fits(true_lb_) && fits(true_ub_) && fits(lb()) && fits(ub()) && fits(size_) &&
           fits(elements_) && fits(true_ub_ - true_lb_) && fits(ub() - lb());
  }

  [[nodiscard]] Expected<Ref<Datatype>> finish(PlacedLayout root, Contents contents) && {
    if (!representable()) return too_large();
    Datatype::Parts parts;
    parts.layout = Layout(std::move(root), static_cast<std::int64_t>(ub() - lb()));
    parts.bounds.has_entries = has_entries_;
    parts.bounds.true_lb = static_cast<std::int64_t>(true_lb_);
    parts.bounds.true_ub = static_cast<std::int64_t>(true_ub_);
    if (lb_marker_) parts.bounds.lb_marker = static_cast<std::int64_t>(*lb_marker_);
    if (ub_marker_) parts.bounds.ub_marker = static_cast<std::int64_t>(*ub_marker_);
    parts.alignment = alignment_;
    parts.elements = static_cast<MPI_Count>(elements_);
    parts.uniform_size = uniform_;
    parts.contents = std::move(contents);
    parts.contents.datatypes = std::move(datatypes_);
    parts.copies = std::move(copies_);
    return Ref<Datatype>::adopt(new Datatype(std::move(parts)));
  }

 private:
  // MPI-5.0 section 5.1.6. The padding makes the extent a multiple of the strictest alignment,
  // unless the user marked the upper bound.
  [[nodiscard]] Wide lb() const { return lb_marker_.value_or(true_lb_); }
  [[nodiscard]] Wide ub() const {
    if (ub_marker_) return *ub_marker_;
    const Wide length = true_ub_ - lb();
    const Wide beyond = length % alignment_;
    return lb() + length + (beyond > 0 ? alignment_ - beyond : -beyond);
  }

  bool has_entries_ = false;
  Wide true_lb_ = 0;
  Wide true_ub_ = 0;
  std::optional<Wide> lb_marker_;
  std::optional<Wide> ub_marker_;
  std::int64_t alignment_ = 1;
  Wide size_ = 0;
  Wide elements_ = 0;
  std::int64_t uniform_ = 0;
  std::vector<MPI_Count> copies_;
  std::vector<Ref<const Datatype>> datatypes_;
};

/// The envelope's numbers: where each goes depends on the binding that was called.
class Envelope {
 public:
  Envelope(int combiner, CountForm form) : form_(form) { contents_.combiner = combiner; }
  Envelope& plain(int value) {
    contents_.integers.push_back(value);
    return *this;
  }
  Envelope& count(MPI_Count value) {
    if (form_ == CountForm::large) {
      contents_.large_counts.push_back(value);
    } else {
      contents_.integers.push_back(static_cast<int>(value));
    }
    return *this;
  }
  Envelope& counts(std::span<const MPI_Count> values) {
    for (const MPI_Count value : values) count(value);
    return *this;
  }
  Envelope& address(MPI_Count value) {
    if (form_ == CountForm::large) {
      contents_.large_counts.push_back(value);
    } else {
      contents_.addresses.push_back(static_cast<MPI_Aint>(value));
    }
    return *this;
  }
  Envelope& addresses(std::span<const MPI_Count> values) {
    for (const MPI_Count value : values) address(value);
    return *this;
  }
  [[nodiscard]] Contents take() { return std::move(contents_); }

 private:
  CountForm form_;
  Contents contents_;
};

Expected<> require_available(const Datatype& old) {
  if (old.is_available()) return {};
  return fail(MPI_ERR_TYPE, "{} cannot be used: it is null or this platform has no such type",
              old.name());
}

Expected<> require_count(const char* what, int code, MPI_Count value) {
  if (value >= 0) return {};
  return fail(code, "{} is {}, must not be negative", what, value);
}

/// `length` copies of `old`, one extent apart, at displacement 0.
PlacedLayout block_of(const Datatype& old, MPI_Count length) {
  return make_loop(length, old.extent(), old.layout().placed());
}

/// vector and hvector: `stride` in bytes.
Expected<Ref<Datatype>> strided(MPI_Count count, MPI_Count blocklength, Wide stride,
                                const Datatype& old, Contents contents) {
  if (auto ok = require_available(old); !ok) return tl::unexpected(ok.error());
  if (auto ok = require_count("count", MPI_ERR_COUNT, count); !ok) {
    return tl::unexpected(ok.error());
  }
  if (auto ok = require_count("blocklength", MPI_ERR_ARG, blocklength); !ok) {
    return tl::unexpected(ok.error());
  }
  if (!fits(stride) || !fits(Wide{count} * blocklength)) return too_large();
  Assembler type;
  // Extremes lie in the first and the last block.
  if (count > 0) {
    type.place(old, 0, blocklength, old.extent());
    type.place(old, Wide{count - 1} * stride, blocklength, old.extent());
  }
  type.sign(old, Wide{count} * blocklength);
  if (!type.representable()) return too_large();
  PlacedLayout root =
      make_loop(count, static_cast<std::int64_t>(stride), block_of(old, blocklength));
  return std::move(type).finish(std::move(root), std::move(contents));
}

/// The four indexed forms. `unit`: bytes of one displacement; one block length for all, or each.
Expected<Ref<Datatype>> indexed(std::span<const MPI_Count> blocklengths,
                                std::span<const MPI_Count> displacements, MPI_Count unit,
                                const Datatype& old, Contents contents) {
  if (auto ok = require_available(old); !ok) return tl::unexpected(ok.error());
  Assembler type;
  const bool one_length = blocklengths.size() == 1 && displacements.size() != 1;
  Wide copies = 0;
  for (std::size_t i = 0; i < displacements.size(); ++i) {
    const MPI_Count length = blocklengths[one_length ? 0 : i];
    if (auto ok = require_count("a block length", MPI_ERR_ARG, length); !ok) {
      return tl::unexpected(ok.error());
    }
    type.place(old, Wide{displacements[i]} * unit, length, old.extent());
    copies += length;
  }
  if (!fits(copies)) return too_large();
  type.sign(old, copies);
  if (!type.representable()) return too_large();
  LayoutBuilder layout;
  layout.reserve(displacements.size());
  for (std::size_t i = 0; i < displacements.size(); ++i) {
    layout.add(shifted(block_of(old, blocklengths[one_length ? 0 : i]),
                       wrap_multiply(displacements[i], unit)));
  }
  return std::move(type).finish(std::move(layout).finish(), std::move(contents));
}

Expected<> same_length(std::size_t a, std::size_t b) {
  if (a == b) return {};
  return fail(MPI_ERR_ARG, "{} block lengths or types for {} displacements", a, b);
}

}  // namespace

Expected<Ref<Datatype>> make_contiguous(MPI_Count count, const Datatype& old, CountForm form) {
  if (auto ok = require_available(old); !ok) return tl::unexpected(ok.error());
  if (auto ok = require_count("count", MPI_ERR_COUNT, count); !ok) {
    return tl::unexpected(ok.error());
  }
  Assembler type;
  type.place(old, 0, count, old.extent());
  type.sign(old, count);
  if (!type.representable()) return too_large();
  return std::move(type).finish(block_of(old, count),
                                Envelope(MPI_COMBINER_CONTIGUOUS, form).count(count).take());
}

Expected<Ref<Datatype>> make_vector(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                                    const Datatype& old, CountForm form) {
  Envelope envelope(MPI_COMBINER_VECTOR, form);
  envelope.count(count).count(blocklength).count(stride);
  return strided(count, blocklength, Wide{stride} * old.extent(), old, envelope.take());
}

Expected<Ref<Datatype>> make_hvector(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                                     const Datatype& old, CountForm form) {
  Envelope envelope(MPI_COMBINER_HVECTOR, form);
  envelope.count(count).count(blocklength).address(stride);
  return strided(count, blocklength, stride, old, envelope.take());
}

Expected<Ref<Datatype>> make_indexed(std::span<const MPI_Count> blocklengths,
                                     std::span<const MPI_Count> displacements, const Datatype& old,
                                     CountForm form) {
  if (auto ok = same_length(blocklengths.size(), displacements.size()); !ok) {
    return tl::unexpected(ok.error());
  }
  Envelope envelope(MPI_COMBINER_INDEXED, form);
  envelope.count(std::ssize(displacements)).counts(blocklengths).counts(displacements);
  return indexed(blocklengths, displacements, old.extent(), old, envelope.take());
}

Expected<Ref<Datatype>> make_hindexed(std::span<const MPI_Count> blocklengths,
                                      std::span<const MPI_Count> displacements, const Datatype& old,
                                      CountForm form) {
  if (auto ok = same_length(blocklengths.size(), displacements.size()); !ok) {
    return tl::unexpected(ok.error());
  }
  Envelope envelope(MPI_COMBINER_HINDEXED, form);
  envelope.count(std::ssize(displacements)).counts(blocklengths).addresses(displacements);
  return indexed(blocklengths, displacements, 1, old, envelope.take());
}

Expected<Ref<Datatype>> make_indexed_block(MPI_Count blocklength,
                                           std::span<const MPI_Count> displacements,
                                           const Datatype& old, CountForm form) {
  Envelope envelope(MPI_COMBINER_INDEXED_BLOCK, form);
  envelope.count(std::ssize(displacements)).count(blocklength).counts(displacements);
  return indexed(std::span(&blocklength, 1), displacements, old.extent(), old, envelope.take());
}

Expected<Ref<Datatype>> make_hindexed_block(MPI_Count blocklength,
                                            std::span<const MPI_Count> displacements,
                                            const Datatype& old, CountForm form) {
  Envelope envelope(MPI_COMBINER_HINDEXED_BLOCK, form);
  envelope.count(std::ssize(displacements)).count(blocklength).addresses(displacements);
  return indexed(std::span(&blocklength, 1), displacements, 1, old, envelope.take());
}

Expected<Ref<Datatype>> make_struct(std::span<const MPI_Count> blocklengths,
                                    std::span<const MPI_Count> displacements,
                                    std::span<const Datatype* const> types, CountForm form) {
  if (auto ok = same_length(blocklengths.size(), displacements.size()); !ok) {
    return tl::unexpected(ok.error());
  }
  if (auto ok = same_length(types.size(), displacements.size()); !ok) {
    return tl::unexpected(ok.error());
  }
  Assembler type;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (auto ok = require_available(*types[i]); !ok) return tl::unexpected(ok.error());
    if (auto ok = require_count("a block length", MPI_ERR_ARG, blocklengths[i]); !ok) {
      return tl::unexpected(ok.error());
    }
    type.place(*types[i], displacements[i], blocklengths[i], types[i]->extent());
    type.sign(*types[i], blocklengths[i]);
  }
  if (!type.representable()) return too_large();
  LayoutBuilder layout;
  layout.reserve(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    layout.add(shifted(block_of(*types[i], blocklengths[i]), displacements[i]));
  }
  Envelope envelope(MPI_COMBINER_STRUCT, form);
  envelope.count(std::ssize(types)).counts(blocklengths).addresses(displacements);
  return std::move(type).finish(std::move(layout).finish(), envelope.take());
}

Expected<Ref<Datatype>> make_resized(const Datatype& old, MPI_Count lb, MPI_Count extent,
                                     CountForm form) {
  if (auto ok = require_available(old); !ok) return tl::unexpected(ok.error());
  Assembler type;
  type.place(old, 0, 1, 0);
  type.sign(old, 1);
  type.mark(lb, Wide{lb} + extent);
  return std::move(type).finish(
      old.layout().placed(),
      Envelope(MPI_COMBINER_RESIZED, form).address(lb).address(extent).take());
}

Expected<Ref<Datatype>> make_dup(const Datatype& old) {
  if (auto ok = require_available(old); !ok) return tl::unexpected(ok.error());
  Datatype::Parts parts;
  parts.layout = old.layout();
  parts.bounds = old.bounds();
  parts.alignment = old.alignment();
  parts.elements = old.elements();
  parts.uniform_size = old.uniform_size();
  parts.inherited_kind = old.kind();
  parts.group = old.group();
  parts.pair = old.pair();
  parts.contents.combiner = MPI_COMBINER_DUP;
  parts.contents.datatypes.emplace_back(&old);
  parts.copies.push_back(1);
  auto copy = Ref<Datatype>::adopt(new Datatype(std::move(parts)));
  if (old.is_committed()) copy->commit();
  return copy;
}

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

}  // namespace remit
