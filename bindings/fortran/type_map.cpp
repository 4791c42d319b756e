// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/fortran/type_map.hpp"

namespace remit::fortran {

namespace {

using Parts = std::vector<TypePart>;
constexpr std::size_t kMostParts = 65536;

/// What MPI_Type_get_envelope_c tells.
struct Envelope {
  explicit Envelope(MPI_Datatype type) {
    if (is_predefined(type)) return;
    PMPI_Type_get_envelope_c(type, &integers, &addresses, &large_counts, &datatypes, &combiner);
  }
  /// Nothing to look into, and nothing to free.
  [[nodiscard]] bool is_basic() const {
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER ||
           combiner == MPI_COMBINER_VALUE_INDEX;
  }

  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count large_counts = 0;
  MPI_Count datatypes = 0;
  int combiner = MPI_COMBINER_NAMED;
};

/// What MPI_Type_get_contents_c tells of a datatype that is not basic. Constructors with int and
/// with MPI_Count arguments say the same in different arrays: `numbers` has the integers, then the
/// addresses, then the large counts.
struct Contents {
  Contents(MPI_Datatype type, const Envelope& envelope)
      : combiner(envelope.combiner), types(static_cast<std::size_t>(envelope.datatypes)) {
    std::vector<int> integers(static_cast<std::size_t>(envelope.integers));
    std::vector<MPI_Aint> addresses(static_cast<std::size_t>(envelope.addresses));
    std::vector<MPI_Count> large(static_cast<std::size_t>(envelope.large_counts));
    PMPI_Type_get_contents_c(type, envelope.integers, envelope.addresses, envelope.large_counts,
                             envelope.datatypes, integers.data(), addresses.data(), large.data(),
                             types.data());
    numbers.assign(integers.begin(), integers.end());
    numbers.insert(numbers.end(), addresses.begin(), addresses.end());
    numbers.insert(numbers.end(), large.begin(), large.end());
  }
  ~Contents() {
    for (MPI_Datatype& type : types) {
      if (!Envelope(type).is_basic()) PMPI_Type_free(&type);
    }
  }
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  int combiner;
  std::vector<MPI_Count> numbers;
  std::vector<MPI_Datatype> types;
};

bool append(Parts& parts, TypePart part) {
  if (part.length == 0) return true;
  if (!parts.empty()) {
    TypePart& last = parts.back();
    if (last.type == part.type && last.offset + last.length * last.size == part.offset) {
      last.length += part.length;
      return true;
    }
  }
  if (parts.size() == kMostParts) return false;
  parts.push_back(part);
  return true;
}

/// One datatype that another one contains.
struct Inner {
  explicit Inner(MPI_Datatype type) : map(type_map_of(type)), extent(TypeRoom(type).extent) {}
  bool append_to(Parts& parts, MPI_Count at, MPI_Count count) const {
    if (!map) return false;
    for (MPI_Count i = 0; i < count; ++i) {
      for (TypePart part : *map) {
        part.offset += at + i * extent;
        if (!append(parts, part)) return false;
      }
    }
    return true;
  }

  std::optional<Parts> map;
  MPI_Count extent;
};

/// MPI_Type_create_subarray: ndims, sizes, subsizes, starts, order; its large form has ndims and
/// order first.
bool append_subarray(Parts& parts, const Contents& what, const Inner& inner, bool large) {
  const auto dims = static_cast<std::size_t>(what.numbers[0]);
  const MPI_Count* const sizes = &what.numbers[large ? 2 : 1];
  const MPI_Count* const subsizes = sizes + dims;
  const MPI_Count* const starts = subsizes + dims;
  const bool c_order = what.numbers[large ? 1 : 1 + 3 * dims] == MPI_ORDER_C;
  // Dimension 0 here is the one whose elements lie side by side.
  const auto dim = [&](std::size_t i) { return c_order ? dims - 1 - i : i; };
  MPI_Count rows = 1;
  for (std::size_t i = 1; i < dims; ++i) rows *= subsizes[dim(i)];
  for (MPI_Count row = 0; row < rows; ++row) {
    MPI_Count at = starts[dim(0)], rest = row, stride = sizes[dim(0)];
    for (std::size_t i = 1; i < dims; ++i) {
      at += (starts[dim(i)] + rest % subsizes[dim(i)]) * stride;
      rest /= subsizes[dim(i)];
      stride *= sizes[dim(i)];
    }
    if (!inner.append_to(parts, at * inner.extent, subsizes[dim(0)])) return false;
  }
  return true;
}

/// Blocks of copies of one datatype, of one length or of one length each, at displacements in bytes
/// or in its extents; in a structure each has a datatype of its own.
bool append_blocks(Parts& parts, const Contents& what, const std::vector<Inner>& inner) {
  const auto is = [&](auto... combiners) { return ((what.combiner == combiners) || ...); };
  const std::vector<MPI_Count>& n = what.numbers;
  const auto count = static_cast<std::size_t>(n[0]);
  const bool vector = is(MPI_COMBINER_VECTOR, MPI_COMBINER_HVECTOR);
  const bool one_length = vector || is(MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_HINDEXED_BLOCK);
  const bool in_extents = is(MPI_COMBINER_VECTOR, MPI_COMBINER_INDEXED, MPI_COMBINER_INDEXED_BLOCK);
  const std::size_t displacements = one_length ? 2 : 1 + count;
  for (std::size_t i = 0; i < count; ++i) {
    const Inner& of = inner[is(MPI_COMBINER_STRUCT) ? i : 0];
    const MPI_Count at = vector ? static_cast<MPI_Count>(i) * n[2] : n[displacements + i];
    if (!of.append_to(parts, at * (in_extents ? of.extent : 1), n[one_length ? 1 : 1 + i])) {
      return false;
    }
  }
  return true;
}

bool append_contents(Parts& parts, const Contents& what, bool large) {
  const std::vector<Inner> inner(what.types.begin(), what.types.end());
  switch (what.combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      return inner[0].append_to(parts, 0, 1);
    case MPI_COMBINER_CONTIGUOUS:
      return inner[0].append_to(parts, 0, what.numbers[0]);
    case MPI_COMBINER_SUBARRAY:
      return append_subarray(parts, what, inner[0], large);
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
    case MPI_COMBINER_STRUCT:
      return append_blocks(parts, what, inner);
    default:
      return false;
  }
}

}  // namespace

TypeRoom::TypeRoom(MPI_Datatype type) {
  MPI_Count lb = 0;
  PMPI_Type_get_extent_c(type, &lb, &extent);
  PMPI_Type_get_true_extent_c(type, &true_lb, &true_extent);
}

std::optional<std::vector<TypePart>> type_map_of(MPI_Datatype type) {
  const Envelope envelope(type);
  Parts parts;
  if (envelope.is_basic()) {
    parts.push_back({0, 1, type, TypeRoom(type).extent});
    return parts;
  }
  const Contents what(type, envelope);
  if (!append_contents(parts, what, envelope.large_counts > 0)) return std::nullopt;
  return parts;
}

}  // namespace remit::fortran
