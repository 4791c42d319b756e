// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The table of predefined datatypes: every handle of the MPI 5.0 ABI, with sizes of this platform.
#include <cstddef>
#include <type_traits>
#include <utility>

#include "datatype/datatype.hpp"
#include "datatype/layout_node.hpp"

namespace remit {
namespace {

using Kind = BasicKind;
using Group = TypeGroup;

/// A constant with static storage that no exit handler destroys: programs use MPI in theirs.
template <class T>
union Immortal {
  template <class... Args>
  constexpr explicit Immortal(Args&&... args) : value(std::forward<Args>(args)...) {}
  ~Immortal() {}
  T value;
};

// What a C compiler makes of struct { Value value; Index index; } with a gap in it or behind it.
// Pairs without any gap are plain blocks.
template <class Value, class Index>
struct PairStruct {
  Value value;
  Index index;
};

template <class Value, class Index>
constexpr std::int64_t index_offset() {
  using Struct = PairStruct<Value, Index>;
  return offsetof(Struct, index);
}

template <class Value, class Index>
constexpr std::array<LayoutBlock, 2> kPairBlocks = {
    {{0, sizeof(Value), 0}, {index_offset<Value, Index>(), sizeof(Index), sizeof(Value)}}};

template <class Value, class Index>
constinit Immortal<LayoutNode> pair_node(std::span<const LayoutBlock>(kPairBlocks<Value, Index>),
                                         std::int64_t{sizeof(Value) + sizeof(Index)});

constexpr Datatype::Named basic(std::uintptr_t handle, std::string_view name, Kind kind,
                                Group group) {
  const std::int64_t size = basic_size(kind);
  std::int64_t alignment = size;
  switch (kind) {
    case Kind::c16:
    case Kind::c32:
    case Kind::c64:
    case Kind::clong:
    case Kind::c128:
      alignment = size / 2;
      break;
    default:
      break;
  }
  return {handle, name, size, size, size, alignment, kind, group, {}, nullptr, true};
}

constexpr Kind integer_kind(std::size_t size) {
  return size == 2 ? Kind::i16 : size == 4 ? Kind::i32 : Kind::i64;
}
constexpr Kind unsigned_kind(std::size_t size) {
  return size == 2 ? Kind::u16 : size == 4 ? Kind::u32 : Kind::u64;
}

template <class Value, class Index>
constexpr Datatype::Named pair(std::uintptr_t handle, std::string_view name, Kind value,
                               Kind index) {
  using Struct = PairStruct<Value, Index>;
  constexpr std::int64_t kOffset = index_offset<Value, Index>();
  constexpr std::int64_t kSize = sizeof(Value) + sizeof(Index);
  // A struct whose only gap lies behind the index is still one block.
  constexpr bool kIsBlock = kOffset == static_cast<std::int64_t>(sizeof(Value));
  return {handle,
          name,
          kSize,
          sizeof(Struct),
          kOffset + static_cast<std::int64_t>(sizeof(Index)),
          alignof(Struct),
          Kind::pair,
          Group::pair,
          {value, index, kOffset},
          kIsBlock ? nullptr : &pair_node<Value, Index>.value,
          kIsBlock};
}

constexpr std::array kNamed = {
    Datatype::Named{
        0x200, "MPI_DATATYPE_NULL", 0, 0, 0, 1, Kind::none, Group::none, {}, nullptr, true},
    basic(0x201, "MPI_AINT", Kind::i64, Group::multi_language),
    basic(0x202, "MPI_COUNT", Kind::i64, Group::multi_language),
    basic(0x203, "MPI_OFFSET", Kind::i64, Group::multi_language),
    basic(0x207, "MPI_PACKED", Kind::packed, Group::none),
    basic(0x208, "MPI_SHORT", integer_kind(sizeof(short)), Group::c_integer),
    basic(0x209, "MPI_INT", integer_kind(sizeof(int)), Group::c_integer),
    basic(0x20a, "MPI_LONG", integer_kind(sizeof(long)), Group::c_integer),
    basic(0x20b, "MPI_LONG_LONG", integer_kind(sizeof(long long)), Group::c_integer),
    basic(0x20c, "MPI_UNSIGNED_SHORT", unsigned_kind(sizeof(short)), Group::c_integer),
    basic(0x20d, "MPI_UNSIGNED", unsigned_kind(sizeof(int)), Group::c_integer),
    basic(0x20e, "MPI_UNSIGNED_LONG", unsigned_kind(sizeof(long)), Group::c_integer),
    basic(0x20f, "MPI_UNSIGNED_LONG_LONG", unsigned_kind(sizeof(long long)), Group::c_integer),
    basic(0x210, "MPI_FLOAT", Kind::f32, Group::floating),
    basic(0x212, "MPI_C_FLOAT_COMPLEX", Kind::c32, Group::complex),
    basic(0x213, "MPI_CXX_FLOAT_COMPLEX", Kind::c32, Group::complex),
    basic(0x214, "MPI_DOUBLE", Kind::f64, Group::floating),
    basic(0x216, "MPI_C_DOUBLE_COMPLEX", Kind::c64, Group::complex),
    basic(0x217, "MPI_CXX_DOUBLE_COMPLEX", Kind::c64, Group::complex),
    basic(0x218, "MPI_LOGICAL", Kind::l32, Group::logical),
    basic(0x219, "MPI_INTEGER", Kind::i32, Group::fortran_integer),
    basic(0x21a, "MPI_REAL", Kind::f32, Group::floating),
    basic(0x21b, "MPI_COMPLEX", Kind::c32, Group::complex),
    basic(0x21c, "MPI_DOUBLE_PRECISION", Kind::f64, Group::floating),
    basic(0x21d, "MPI_DOUBLE_COMPLEX", Kind::c64, Group::complex),
    basic(0x21e, "MPI_CHARACTER", Kind::character, Group::none),
    basic(0x220, "MPI_LONG_DOUBLE", Kind::flong, Group::floating),
    basic(0x224, "MPI_C_LONG_DOUBLE_COMPLEX", Kind::clong, Group::complex),
    basic(0x225, "MPI_CXX_LONG_DOUBLE_COMPLEX", Kind::clong, Group::complex),
    pair<float, int>(0x228, "MPI_FLOAT_INT", Kind::f32, Kind::i32),
    pair<double, int>(0x229, "MPI_DOUBLE_INT", Kind::f64, Kind::i32),
    pair<long, int>(0x22a, "MPI_LONG_INT", integer_kind(sizeof(long)), Kind::i32),
    pair<int, int>(0x22b, "MPI_2INT", Kind::i32, Kind::i32),
    pair<short, int>(0x22c, "MPI_SHORT_INT", Kind::i16, Kind::i32),
    pair<long double, int>(0x22d, "MPI_LONG_DOUBLE_INT", Kind::flong, Kind::i32),
    pair<float, float>(0x230, "MPI_2REAL", Kind::f32, Kind::f32),
    pair<double, double>(0x231, "MPI_2DOUBLE_PRECISION", Kind::f64, Kind::f64),
    pair<int, int>(0x232, "MPI_2INTEGER", Kind::i32, Kind::i32),
    basic(0x238, "MPI_C_BOOL", Kind::l8, Group::logical),
    basic(0x239, "MPI_CXX_BOOL", Kind::l8, Group::logical),
    basic(0x23c, "MPI_WCHAR", Kind::wide, Group::none),
    basic(0x240, "MPI_INT8_T", Kind::i8, Group::c_integer),
    basic(0x241, "MPI_UINT8_T", Kind::u8, Group::c_integer),
    // Not an integer to the standard, but one to other MPIs, and to programs that reduce it.
    basic(0x243, "MPI_CHAR", std::is_signed_v<char> ? Kind::i8 : Kind::u8, Group::c_integer),
    basic(0x244, "MPI_SIGNED_CHAR", Kind::i8, Group::c_integer),
    basic(0x245, "MPI_UNSIGNED_CHAR", Kind::u8, Group::c_integer),
    basic(0x247, "MPI_BYTE", Kind::byte, Group::byte),
    basic(0x248, "MPI_INT16_T", Kind::i16, Group::c_integer),
    basic(0x249, "MPI_UINT16_T", Kind::u16, Group::c_integer),
    basic(0x250, "MPI_INT32_T", Kind::i32, Group::c_integer),
    basic(0x251, "MPI_UINT32_T", Kind::u32, Group::c_integer),
    basic(0x258, "MPI_INT64_T", Kind::i64, Group::c_integer),
    basic(0x259, "MPI_UINT64_T", Kind::u64, Group::c_integer),
    basic(0x2c0, "MPI_LOGICAL1", Kind::l8, Group::logical),
    basic(0x2c1, "MPI_INTEGER1", Kind::i8, Group::fortran_integer),
    basic(0x2c8, "MPI_LOGICAL2", Kind::l16, Group::logical),
    basic(0x2c9, "MPI_INTEGER2", Kind::i16, Group::fortran_integer),
    basic(0x2ca, "MPI_REAL2", Kind::f16, Group::floating),
    basic(0x2d0, "MPI_LOGICAL4", Kind::l32, Group::logical),
    basic(0x2d1, "MPI_INTEGER4", Kind::i32, Group::fortran_integer),
    basic(0x2d2, "MPI_REAL4", Kind::f32, Group::floating),
    basic(0x2d3, "MPI_COMPLEX4", Kind::c16, Group::complex),
    basic(0x2d8, "MPI_LOGICAL8", Kind::l64, Group::logical),
    basic(0x2d9, "MPI_INTEGER8", Kind::i64, Group::fortran_integer),
    basic(0x2da, "MPI_REAL8", Kind::f64, Group::floating),
    basic(0x2db, "MPI_COMPLEX8", Kind::c32, Group::complex),
    basic(0x2e0, "MPI_LOGICAL16", Kind::l128, Group::logical),
    basic(0x2e1, "MPI_INTEGER16", Kind::i128, Group::fortran_integer),
    basic(0x2e2, "MPI_REAL16", Kind::f128, Group::floating),
    basic(0x2e3, "MPI_COMPLEX16", Kind::c64, Group::complex),
    basic(0x2eb, "MPI_COMPLEX32", Kind::c128, Group::complex),
};

template <std::size_t kRow>
constinit const Immortal<Datatype> type(kNamed[kRow]);

template <std::size_t... kRows>
constexpr std::array<const Datatype*, kDatatypeSlots> index_types(std::index_sequence<kRows...>) {
  std::array<const Datatype*, kDatatypeSlots> slots{};
  ((slots[kNamed[kRows].handle - kFirstDatatype] = &type<kRows>.value), ...);
  return slots;
}

}  // namespace

constinit const std::array<const Datatype*, kDatatypeSlots> kPredefinedDatatypes =
    index_types(std::make_index_sequence<kNamed.size()>());

}  // namespace remit
