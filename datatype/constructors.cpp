// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Derived datatypes: bounds, signature, envelope and layout of each constructor.
#include <utility>

#include "datatype/assembler.hpp"

namespace remit {
namespace {

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
    auto ok =
        one_length ? require_count("blocklength", MPI_ERR_ARG, length) : require_length(i, length);
    if (!ok) return tl::unexpected(ok.error());
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
  const std::size_t n = displacements.size();
  Envelope envelope(MPI_COMBINER_INDEXED, form, 1 + 2 * n);
  envelope.count(std::ssize(displacements)).counts(blocklengths).counts(displacements);
  return indexed(blocklengths, displacements, old.extent(), old, envelope.take());
}

Expected<Ref<Datatype>> make_hindexed(std::span<const MPI_Count> blocklengths,
                                      std::span<const MPI_Count> displacements, const Datatype& old,
                                      CountForm form) {
  if (auto ok = same_length(blocklengths.size(), displacements.size()); !ok) {
    return tl::unexpected(ok.error());
  }
  const std::size_t n = displacements.size();
  Envelope envelope(MPI_COMBINER_HINDEXED, form, 1 + n, n);
  envelope.count(std::ssize(displacements)).counts(blocklengths).addresses(displacements);
  return indexed(blocklengths, displacements, 1, old, envelope.take());
}

Expected<Ref<Datatype>> make_indexed_block(MPI_Count blocklength,
                                           std::span<const MPI_Count> displacements,
                                           const Datatype& old, CountForm form) {
  Envelope envelope(MPI_COMBINER_INDEXED_BLOCK, form, 2 + displacements.size());
  envelope.count(std::ssize(displacements)).count(blocklength).counts(displacements);
  return indexed(std::span(&blocklength, 1), displacements, old.extent(), old, envelope.take());
}

Expected<Ref<Datatype>> make_hindexed_block(MPI_Count blocklength,
                                            std::span<const MPI_Count> displacements,
                                            const Datatype& old, CountForm form) {
  Envelope envelope(MPI_COMBINER_HINDEXED_BLOCK, form, 2, displacements.size());
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
    if (auto ok = require_length(i, blocklengths[i]); !ok) return tl::unexpected(ok.error());
    type.place(*types[i], displacements[i], blocklengths[i], types[i]->extent());
    type.sign(*types[i], blocklengths[i]);
  }
  if (!type.representable()) return too_large();
  LayoutBuilder layout;
  layout.reserve(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    layout.add(shifted(block_of(*types[i], blocklengths[i]), displacements[i]));
  }
  Envelope envelope(MPI_COMBINER_STRUCT, form, 1 + types.size(), types.size());
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

namespace {

/// What two types of one layout and signature have in common.
Datatype::Parts parts_of(const Datatype& old) {
  Datatype::Parts parts;
  parts.layout = old.layout();
  parts.bounds = old.bounds();
  parts.signature = old.signature();
  return parts;
}

Ref<Datatype> made_like(const Datatype& old, Datatype::Parts parts) {
  auto made = Ref<Datatype>::adopt(new Datatype(std::move(parts)));
  if (old.is_committed()) made->commit();
  return made;
}

}  // namespace

Expected<Ref<Datatype>> make_dup(const Datatype& old) {
  if (auto ok = require_available(old); !ok) return tl::unexpected(ok.error());
  Datatype::Parts parts = parts_of(old);
  parts.contents.combiner = MPI_COMBINER_DUP;
  parts.contents.datatypes.emplace_back(&old);
  parts.signature.copies = {1};
  return made_like(old, std::move(parts));
}

Ref<Datatype> make_twin(const Datatype& old) {
  Datatype::Parts parts = parts_of(old);
  parts.contents = old.contents();
  return made_like(old, std::move(parts));
}

}  // namespace remit
