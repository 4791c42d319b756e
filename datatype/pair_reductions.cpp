// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// One loop for each operation, kind of value and kind of index.
#include "datatype/pair_reductions.hpp"

#include "datatype/half.hpp"
#include "datatype/numbers.hpp"

namespace remit {
namespace {

/// MINLOC, MAXLOC: `Better` says which value wins, the smaller index of equal ones.
template <class Value, class Index, class Better>
void pair_loop(const std::byte* in, std::byte* inout, std::size_t elements) {
  struct Pair {
    Value value;
    Index index;
  };
  constexpr std::size_t kIndex = offsetof(Pair, index);
  for (std::size_t i = 0; i < elements; ++i, in += sizeof(Pair), inout += sizeof(Pair)) {
    const auto a = load<Value>(in);
    const auto b = load<Value>(inout);
    const auto a_index = load<Index>(in + kIndex);
    const auto b_index = load<Index>(inout + kIndex);
    // Without branches, for who wins is hard to predict; the compiler must not see that these are
    // truth values, or it makes branches of them.
    std::uintptr_t better = Better::wins(a, b);
    std::uintptr_t worse = Better::wins(b, a);
    std::uintptr_t sooner = a_index < b_index;
    asm("" : "+r"(better), "+r"(worse), "+r"(sooner));
    const std::uintptr_t take = better | (sooner & ~worse);
    const auto from = reinterpret_cast<std::uintptr_t>(in);
    const auto to = reinterpret_cast<std::uintptr_t>(inout);
    const auto* const winner = reinterpret_cast<const std::byte*>(to + ((0 - take) & (from - to)));
    const auto value = load<Value>(winner);
    const auto index = load<Index>(winner + kIndex);
    store(inout, value);
    store(inout + kIndex, index);
  }
}

struct Smaller {
  template <class T>
  static bool wins(T a, T b) {
    return a < b;
  }
};

struct Larger {
  template <class T>
  static bool wins(T a, T b) {
    return a > b;
  }
};

/// For MPI_REPLACE.
struct Always {
  template <class T>
  static bool wins(T, T) {
    return true;
  }
};

template <class Value, class Index>
ReductionKernel kernel_of(Reduction op) {
  switch (op) {
    case Reduction::minloc:
      return pair_loop<Value, Index, Smaller>;
    case Reduction::maxloc:
      return pair_loop<Value, Index, Larger>;
    case Reduction::replace:
      return pair_loop<Value, Index, Always>;
    case Reduction::no_op:
      return keep_inout;
    default:
      return nullptr;
  }
}

template <class Value>
ReductionKernel with_index(Reduction op, const PairShape& shape) {
  using enum BasicKind;
  switch (shape.index) {
    case i8:
      return kernel_of<Value, std::int8_t>(op);
    case i16:
      return kernel_of<Value, std::int16_t>(op);
    case i32:
      return kernel_of<Value, std::int32_t>(op);
    case i64:
      return kernel_of<Value, std::int64_t>(op);
    case i128:
      return kernel_of<Value, Int128>(op);
    case u8:
      return kernel_of<Value, std::uint8_t>(op);
    case u16:
      return kernel_of<Value, std::uint16_t>(op);
    case u32:
      return kernel_of<Value, std::uint32_t>(op);
    case u64:
      return kernel_of<Value, std::uint64_t>(op);
    default:
      // MPI_2REAL, MPI_2DOUBLE_PRECISION: the index is a number of the value's type.
      return shape.index == shape.value ? kernel_of<Value, Value>(op) : nullptr;
  }
}

}  // namespace

ReductionKernel pair_kernel(Reduction op, const PairShape& shape) {
  using enum BasicKind;
  switch (shape.value) {
    case i8:
      return with_index<std::int8_t>(op, shape);
    case i16:
      return with_index<std::int16_t>(op, shape);
    case i32:
      return with_index<std::int32_t>(op, shape);
    case i64:
      return with_index<std::int64_t>(op, shape);
    case i128:
      return with_index<Int128>(op, shape);
    case u8:
      return with_index<std::uint8_t>(op, shape);
    case u16:
      return with_index<std::uint16_t>(op, shape);
    case u32:
      return with_index<std::uint32_t>(op, shape);
    case u64:
      return with_index<std::uint64_t>(op, shape);
    case f16:
      return with_index<Half>(op, shape);
    case f32:
      return with_index<float>(op, shape);
    case f64:
      return with_index<double>(op, shape);
    case flong:
      return with_index<long double>(op, shape);
    case f128:
      return with_index<Float128>(op, shape);
    default:
      return nullptr;
  }
}

}  // namespace remit
