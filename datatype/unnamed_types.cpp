// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which representation a parametric type has, how a value-index pair lies in memory.
#include "datatype/unnamed_types.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "datatype/layout_node.hpp"

namespace remit {
namespace {

/// One kind of Fortran's compilers: decimal digits, decimal exponent range.
struct RealKind {
  int precision;
  int range;
  BasicKind real;
  BasicKind complex;
};

// GNU and LLVM Fortran have a kind for the 80-bit format where C's long double is that.
constexpr bool kHasExtended = std::numeric_limits<long double>::digits == 64;
constexpr std::array<RealKind, 4> kRealKinds = {{
    {6, 37, BasicKind::f32, BasicKind::c32},
    {15, 307, BasicKind::f64, BasicKind::c64},
    {kHasExtended ? 18 : 15, kHasExtended ? 4931 : 307, BasicKind::flong, BasicKind::clong},
    {33, 4931, BasicKind::f128, BasicKind::c128},
}};

struct IntegerKind {
  int range;
  BasicKind kind;
};
constexpr std::array<IntegerKind, 5> kIntegerKinds = {{{2, BasicKind::i8},
                                                       {4, BasicKind::i16},
                                                       {9, BasicKind::i32},
                                                       {18, BasicKind::i64},
                                                       {38, BasicKind::i128}}};

/// A type that is one basic element.
Ref<Datatype> make_basic(BasicKind kind, TypeGroup group, std::int64_t alignment,
                         Contents contents) {
  Datatype::Parts parts;
  const std::int64_t size = basic_size(kind);
  parts.layout = Layout({0, size, nullptr}, size);
  parts.bounds = {true, 0, size, std::nullopt, std::nullopt, alignment};
  parts.signature = {kind, group, {}, 1, size, {}};
  parts.contents = std::move(contents);
  auto type = Ref<Datatype>::adopt(new Datatype(std::move(parts)));
  type->commit();
  return type;
}

std::string shown(int parameter) {
  return parameter == MPI_UNDEFINED ? "MPI_UNDEFINED" : std::to_string(parameter);
}

Expected<const RealKind*> real_kind(int precision, int range) {
  if (precision == MPI_UNDEFINED && range == MPI_UNDEFINED) {
    return fail(MPI_ERR_ARG, "p and r are both MPI_UNDEFINED");
  }
  // MPI_UNDEFINED is negative: any kind has that.
  const auto* const kind = std::ranges::find_if(
      kRealKinds, [&](const RealKind& k) { return precision <= k.precision && range <= k.range; });
  if (kind == kRealKinds.end()) {
    return fail(MPI_ERR_ARG, "no Fortran kind has p = {} digits and an exponent range of r = {}",
                shown(precision), shown(range));
  }
  return kind;
}

Contents real_contents(int combiner, int precision, int range) {
  Contents contents;
  contents.combiner = combiner;
  contents.integers = {precision, range};
  return contents;
}

/// A row of the named pairs.
struct NamedPair {
  MPI_Datatype value;
  MPI_Datatype index;
  MPI_Datatype pair;
};

const std::array<NamedPair, 9>& named_pairs() {
  static const std::array<NamedPair, 9> rows = {{
      {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},
      {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
      {MPI_LONG, MPI_INT, MPI_LONG_INT},
      {MPI_INT, MPI_INT, MPI_2INT},
      {MPI_SHORT, MPI_INT, MPI_SHORT_INT},
      {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
      {MPI_REAL, MPI_REAL, MPI_2REAL},
      {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
      {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
  }};
  return rows;
}

const Datatype* named_pair(const Datatype& value, const Datatype& index) {
  for (const NamedPair& row : named_pairs()) {
    if (value.handle() == row.value && index.handle() == row.index) return &predefined(row.pair);
  }
  return nullptr;
}

bool is_integer(const Datatype& type) {
  const TypeGroup group = type.signature().group;
  return group == TypeGroup::c_integer || group == TypeGroup::fortran_integer ||
         group == TypeGroup::multi_language;
}

/// Duplicates are derived types, however they look.
bool is_basic(const Datatype& type) {
  return type.is_predefined() || type.contents().of_unnamed_predefined();
}

constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// As a C compiler lays out struct { value; index; }.
Ref<Datatype> make_pair(const Datatype& value, const Datatype& index) {
  const std::int64_t at = round_up(value.size(), index.bounds().alignment);
  const std::int64_t alignment = std::max(value.bounds().alignment, index.bounds().alignment);
  const std::int64_t end = at + index.size();
  LayoutBuilder layout;
  layout.add(value.layout().placed());
  layout.add(shifted(index.layout().placed(), at));
  Datatype::Parts parts;
  parts.layout = Layout(std::move(layout).finish(), round_up(end, alignment));
  parts.bounds = {true, 0, end, std::nullopt, std::nullopt, alignment};
  parts.signature = {BasicKind::pair,
                     TypeGroup::pair,
                     {value.signature().kind, index.signature().kind, at},
                     2,
                     value.size() == index.size() ? value.size() : 0,
                     {1, 1}};
  parts.contents.combiner = MPI_COMBINER_VALUE_INDEX;
  parts.contents.datatypes = {Ref<const Datatype>(&value), Ref<const Datatype>(&index)};
  auto type = Ref<Datatype>::adopt(new Datatype(std::move(parts)));
  type->commit();
  return type;
}

}  // namespace

Expected<const Datatype*> UnnamedTypes::f90_real(int precision, int range) {
  const Expected<const RealKind*> kind = real_kind(precision, range);
  if (!kind) return tl::unexpected(kind.error());
  Ref<Datatype>& type = reals_[{precision, range}];
  if (!type) {
    const BasicKind real = (*kind)->real;
    type = make_basic(real, TypeGroup::floating, basic_size(real),
                      real_contents(MPI_COMBINER_F90_REAL, precision, range));
  }
  return type.get();
}

Expected<const Datatype*> UnnamedTypes::f90_complex(int precision, int range) {
  const Expected<const RealKind*> kind = real_kind(precision, range);
  if (!kind) return tl::unexpected(kind.error());
  Ref<Datatype>& type = complexes_[{precision, range}];
  if (!type) {
    type = make_basic((*kind)->complex, TypeGroup::complex, basic_size((*kind)->real),
                      real_contents(MPI_COMBINER_F90_COMPLEX, precision, range));
  }
  return type.get();
}

Expected<const Datatype*> UnnamedTypes::f90_integer(int range) {
  const auto* const kind =
      std::ranges::find_if(kIntegerKinds, [&](const IntegerKind& k) { return range <= k.range; });
  if (range == MPI_UNDEFINED || kind == kIntegerKinds.end()) {
    return fail(MPI_ERR_ARG, "no Fortran kind of integer has a range of r = {}", shown(range));
  }
  Ref<Datatype>& type = integers_[range];
  if (!type) {
    Contents contents;
    contents.combiner = MPI_COMBINER_F90_INTEGER;
    contents.integers = {range};
    type = make_basic(kind->kind, TypeGroup::fortran_integer, basic_size(kind->kind),
                      std::move(contents));
  }
  return type.get();
}

const Datatype* UnnamedTypes::value_index(const Datatype& value, const Datatype& index) {
  if (const Datatype* named = named_pair(value, index); named != nullptr) return named;
  const bool is_value = is_integer(value) || value.signature().group == TypeGroup::floating;
  if (!is_basic(value) || !is_basic(index) || !is_value || !is_integer(index)) return nullptr;
  Ref<Datatype>& type = pairs_[{&value, &index}];
  if (!type) type = make_pair(value, index);
  return type.get();
}

PairTypes pair_types(const Datatype& type) {
  if (type.contents().combiner == MPI_COMBINER_VALUE_INDEX) {
    return {type.contents().datatypes[0].get(), type.contents().datatypes[1].get()};
  }
  for (const NamedPair& row : named_pairs()) {
    if (type.handle() == row.pair) return {&predefined(row.value), &predefined(row.index)};
  }
  return {};
}

namespace {

// The sizes are those of the names.
struct SizedTypes {
  int type_class;
  std::string_view name;
  std::array<MPI_Datatype, 5> types;  ///< of one size each; null: fewer
};

}  // namespace

Expected<const Datatype*> match_size(int type_class, int size) {
  const std::array<SizedTypes, 4> classes = {{
      {MPI_TYPECLASS_INTEGER,
       "integer",
       {MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8, MPI_INTEGER16}},
      {MPI_TYPECLASS_REAL, "real", {MPI_REAL2, MPI_REAL4, MPI_REAL8, MPI_REAL16}},
      {MPI_TYPECLASS_COMPLEX,
       "complex",
       {MPI_COMPLEX4, MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32}},
      {MPIX_TYPECLASS_LOGICAL,
       "logical",
       {MPI_LOGICAL1, MPI_LOGICAL2, MPI_LOGICAL4, MPI_LOGICAL8, MPI_LOGICAL16}},
  }};
  const auto* const row = std::ranges::find(classes, type_class, &SizedTypes::type_class);
  if (row == classes.end()) {
    return fail(MPI_ERR_ARG,
                "typeclass is {}, must be one of MPI_TYPECLASS_INTEGER, _REAL, _COMPLEX",
                type_class);
  }
  for (MPI_Datatype type : row->types) {
    if (type != nullptr && predefined(type).size() == size) return &predefined(type);
  }
  return fail(MPI_ERR_ARG, "no {} type has elements of size {} bytes", row->name, size);
}

}  // namespace remit
