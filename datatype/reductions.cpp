// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The predefined operations: which type group takes which, one loop per operation and kind.
#include "datatype/reductions.hpp"

#include <algorithm>
#include <bit>
#include <climits>
#include <cstring>
#include <type_traits>

#include "datatype/half.hpp"
#include "datatype/numbers.hpp"
#include "datatype/pair_reductions.hpp"
#include "runtime/copy_time.hpp"
#include "runtime/processor.hpp"

namespace remit {
namespace {

template <class T>
struct Complex {
  T real;
  T imaginary;
};

template <class T>
struct Bits {
  using Unsigned = void;
};
template <class T>
requires(std::is_integral_v<T>) struct Bits<T> {
  // At least as wide as int: narrower operands would be promoted to a signed type.
  using Unsigned = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;
};
template <>
struct Bits<Int128> {
  using Unsigned = Unsigned128;
};

// Overflow of integers wraps: in MPI the result is undefined, the program is not.
struct Sum {
  template <class T>
  static T apply(T a, T b) {
    using Unsigned = typename Bits<T>::Unsigned;
    if constexpr (std::is_void_v<Unsigned>) {
      return a + b;
    } else {
      return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
    }
  }
};

struct Product {
  template <class T>
  static T apply(T a, T b) {
    using Unsigned = typename Bits<T>::Unsigned;
    if constexpr (std::is_void_v<Unsigned>) {
      return a * b;
    } else {
      return static_cast<T>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b));
    }
  }
  template <class T>
  static Complex<T> apply(Complex<T> a, Complex<T> b) {
    return {a.real * b.real - a.imaginary * b.imaginary,
            a.real * b.imaginary + a.imaginary * b.real};
  }
};

struct Minimum {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};

struct Maximum {
  template <class T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};

struct BitAnd {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};

struct BitOr {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};

struct BitXor {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

struct LogicalAnd {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>((a != 0) & (b != 0));
  }
};

struct LogicalOr {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>((a != 0) | (b != 0));
  }
};

struct LogicalXor {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>((a != 0) ^ (b != 0));
  }
};

struct Replace {
  template <class T>
  static T apply(T a, T) {
    return a;
  }
};

/// The loop of every element-wise operation. Chunks of a constant length are what GCC vectorizes
/// at -O2.
template <class T, class F>
[[gnu::always_inline]] inline void loop(const std::byte* __restrict in, std::byte* __restrict inout,
                                        std::size_t elements) {
  constexpr std::size_t kChunk = 64;
  std::size_t i = 0;
  for (; i + kChunk <= elements; i += kChunk) {
    const std::byte* const a = in + i * sizeof(T);
    std::byte* const b = inout + i * sizeof(T);
    for (std::size_t j = 0; j < kChunk; ++j) {
      store(b + j * sizeof(T), F::apply(load<T>(a + j * sizeof(T)), load<T>(b + j * sizeof(T))));
    }
  }
  for (; i < elements; ++i) {
    store(inout + i * sizeof(T),
          F::apply(load<T>(in + i * sizeof(T)), load<T>(inout + i * sizeof(T))));
  }
}

template <class T, class F>
void baseline_loop(const std::byte* __restrict in, std::byte* __restrict inout,
                   std::size_t elements) {
  loop<T, F>(in, inout, elements);
}

#ifdef __x86_64__
template <class T, class F>
[[gnu::target("avx2")]] void wide_loop(const std::byte* __restrict in, std::byte* __restrict inout,
                                       std::size_t elements) {
  loop<T, F>(in, inout, elements);
}
#else
template <class T, class F>
constexpr ReductionKernel wide_loop = baseline_loop<T, F>;
#endif

/// A sum of complex numbers is one of twice as many real numbers.
template <ReductionKernel kKernel>
void twice(const std::byte* in, std::byte* inout, std::size_t elements) {
  kKernel(in, inout, 2 * elements);
}

/// One operation on one kind for each instruction set.
struct Kernels {
  ReductionKernel baseline = nullptr;
  ReductionKernel wide = nullptr;
};

constexpr std::size_t kKinds = static_cast<std::size_t>(BasicKind::count);
using Table = std::array<std::array<Kernels, kKinds>, kOpSlots>;

constexpr Kernels& at(Table& table, Reduction op, BasicKind kind) {
  return table[static_cast<std::size_t>(op)][static_cast<std::size_t>(kind)];
}

template <class T, class F>
constexpr Kernels both() {
  return {&baseline_loop<T, F>, wide_loop<T, F>};
}

template <class T>
constexpr void add_any(Table& table, BasicKind kind) {
  at(table, Reduction::replace, kind) = both<T, Replace>();
  at(table, Reduction::no_op, kind) = {keep_inout, keep_inout};
}

template <class T>
constexpr void add_arithmetic(Table& table, BasicKind kind) {
  at(table, Reduction::sum, kind) = both<T, Sum>();
  at(table, Reduction::prod, kind) = both<T, Product>();
  at(table, Reduction::min, kind) = both<T, Minimum>();
  at(table, Reduction::max, kind) = both<T, Maximum>();
  add_any<T>(table, kind);
}

template <class T>
constexpr void add_logical(Table& table, BasicKind kind) {
  at(table, Reduction::land, kind) = both<T, LogicalAnd>();
  at(table, Reduction::lor, kind) = both<T, LogicalOr>();
  at(table, Reduction::lxor, kind) = both<T, LogicalXor>();
  add_any<T>(table, kind);
}

template <class T>
constexpr void add_bitwise(Table& table, BasicKind kind) {
  at(table, Reduction::band, kind) = both<T, BitAnd>();
  at(table, Reduction::bor, kind) = both<T, BitOr>();
  at(table, Reduction::bxor, kind) = both<T, BitXor>();
  add_any<T>(table, kind);
}

template <class T>
constexpr void add_integer(Table& table, BasicKind kind) {
  add_arithmetic<T>(table, kind);
  add_logical<T>(table, kind);
  add_bitwise<T>(table, kind);
}

template <class T>
constexpr void add_complex(Table& table, BasicKind kind) {
  add_any<Complex<T>>(table, kind);
  at(table, Reduction::sum, kind) = {twice<baseline_loop<T, Sum>>, twice<wide_loop<T, Sum>>};
  at(table, Reduction::prod, kind) = both<Complex<T>, Product>();
}

constexpr Table make_table() {
  using enum BasicKind;
  Table table{};
  add_integer<std::int8_t>(table, i8);
  add_integer<std::int16_t>(table, i16);
  add_integer<std::int32_t>(table, i32);
  add_integer<std::int64_t>(table, i64);
  add_integer<Int128>(table, i128);
  add_integer<std::uint8_t>(table, u8);
  add_integer<std::uint16_t>(table, u16);
  add_integer<std::uint32_t>(table, u32);
  add_integer<std::uint64_t>(table, u64);
  add_arithmetic<Half>(table, f16);
  add_arithmetic<float>(table, f32);
  add_arithmetic<double>(table, f64);
  add_arithmetic<long double>(table, flong);
  add_arithmetic<Float128>(table, f128);
  add_complex<Half>(table, c16);
  add_complex<float>(table, c32);
  add_complex<double>(table, c64);
  add_complex<long double>(table, clong);
  add_complex<Float128>(table, c128);
  add_logical<std::uint8_t>(table, l8);
  add_logical<std::uint16_t>(table, l16);
  add_logical<std::uint32_t>(table, l32);
  add_logical<std::uint64_t>(table, l64);
  add_logical<Unsigned128>(table, l128);
  add_bitwise<std::uint8_t>(table, byte);
  add_any<std::uint8_t>(table, character);
  add_any<wchar_t>(table, wide);
  return table;
}

constexpr Table kTable = make_table();

constexpr unsigned bit(TypeGroup group) {
  return 1U << static_cast<unsigned>(group);
}

/// The table of MPI-5.0 section 6.9.2, and of MINLOC and MAXLOC in 6.9.4.
constexpr unsigned groups_of(Reduction op) {
  using enum TypeGroup;
  constexpr unsigned kIntegers = bit(c_integer) | bit(fortran_integer) | bit(multi_language);
  switch (op) {
    case Reduction::min:
    case Reduction::max:
      return kIntegers | bit(floating);
    case Reduction::sum:
    case Reduction::prod:
      return kIntegers | bit(floating) | bit(complex);
    case Reduction::land:
    case Reduction::lor:
    case Reduction::lxor:
      return bit(c_integer) | bit(logical);
    case Reduction::band:
    case Reduction::bor:
    case Reduction::bxor:
      return kIntegers | bit(TypeGroup::byte);
    case Reduction::minloc:
    case Reduction::maxloc:
      return bit(TypeGroup::pair);
    case Reduction::replace:
    case Reduction::no_op:
      return ~0U;
    case Reduction::null:
    case Reduction::user:
      break;
  }
  return 0;
}

constexpr Op kNull(Reduction::null, "MPI_OP_NULL");
constexpr Op kSum(Reduction::sum, "MPI_SUM");
constexpr Op kMin(Reduction::min, "MPI_MIN");
constexpr Op kMax(Reduction::max, "MPI_MAX");
constexpr Op kProd(Reduction::prod, "MPI_PROD");
constexpr Op kBand(Reduction::band, "MPI_BAND");
constexpr Op kBor(Reduction::bor, "MPI_BOR");
constexpr Op kBxor(Reduction::bxor, "MPI_BXOR");
constexpr Op kLand(Reduction::land, "MPI_LAND");
constexpr Op kLor(Reduction::lor, "MPI_LOR");
constexpr Op kLxor(Reduction::lxor, "MPI_LXOR");
constexpr Op kMinloc(Reduction::minloc, "MPI_MINLOC");
constexpr Op kMaxloc(Reduction::maxloc, "MPI_MAXLOC");
constexpr Op kReplace(Reduction::replace, "MPI_REPLACE");
constexpr Op kNoOp(Reduction::no_op, "MPI_NO_OP");

constexpr std::array<const Op*, kOpSlots> index_ops() {
  std::array<const Op*, kOpSlots> slots{};
  for (const Op* op : {&kNull, &kSum, &kMin, &kMax, &kProd, &kBand, &kBor, &kBxor, &kLand, &kLor,
                       &kLxor, &kMinloc, &kMaxloc, &kReplace, &kNoOp}) {
    slots[static_cast<std::size_t>(op->kind())] = op;
  }
  return slots;
}

/// Calls a small-count user function, whose int cannot say every MPI_Count.
void call_in_parts(const Op& op, const std::byte* in, std::byte* inout, MPI_Count count,
                   const Datatype& datatype) {
  MPI_Datatype handle = datatype.handle();
  while (count > 0) {
    int part = static_cast<int>(std::min<MPI_Count>(count, INT_MAX));
    const MPI_Count bytes = part * datatype.extent();
    count -= part;
    op.function()(const_cast<std::byte*>(in), inout, &part, &handle);
    if (count == 0) return;
    in += bytes;
    inout += bytes;
  }
}

}  // namespace

constinit const std::array<const Op*, kOpSlots> kPredefinedOps = index_ops();

bool is_comparable(const Datatype& type) {
  switch (type.signature().group) {
    case TypeGroup::c_integer:
    case TypeGroup::fortran_integer:
    case TypeGroup::logical:
    case TypeGroup::multi_language:
    case TypeGroup::byte:
      return true;
    default:
      return false;
  }
}

ReductionKernel reduction_kernel(const Op& op, const Datatype& datatype) {
  if (((groups_of(op.kind()) >> static_cast<unsigned>(datatype.signature().group)) & 1U) == 0)
    return nullptr;
  if (datatype.signature().kind == BasicKind::pair)
    return pair_kernel(op.kind(), datatype.signature().pair);
  const Kernels& kernels = kTable[static_cast<std::size_t>(op.kind())]
                                 [static_cast<std::size_t>(datatype.signature().kind)];
  static const bool has_wide_vectors = widest_vector_bytes() >= 32;
  return has_wide_vectors ? kernels.wide : kernels.baseline;
}

Expected<> check(const Op& op, const Datatype& datatype, OpUse use) {
  if (!datatype.is_available()) {
    return fail(MPI_ERR_TYPE, "{} is null or this platform has no such type", datatype.name());
  }
  const bool rma_only = op.kind() == Reduction::replace || op.kind() == Reduction::no_op;
  if (use == OpUse::reduction && rma_only) {
    return fail(MPI_ERR_OP, "{} is for one-sided accumulation alone", op.name());
  }
  if (op.kind() == Reduction::user) {
    if (use == OpUse::reduction) return {};
    return fail(MPI_ERR_OP, "a user-defined operation cannot be used for one-sided accumulation");
  }
  if (reduction_kernel(op, datatype) != nullptr) return {};
  return fail(MPI_ERR_OP, "{} is not defined on {}", op.name(),
              datatype.name().empty() ? "a derived datatype" : datatype.name());
}

void reduce_local(const Op& op, const void* in, void* inout, MPI_Count count,
                  const Datatype& datatype) {
  if (count == 0) return;
  const auto* const from = static_cast<const std::byte*>(in);
  auto* const to = static_cast<std::byte*>(inout);
  const TimedCopy time(static_cast<std::size_t>(count * datatype.size()));
  if (const ReductionKernel kernel = reduction_kernel(op, datatype); kernel != nullptr) {
    kernel(from, to, static_cast<std::size_t>(count));
  } else if (op.large_function() != nullptr) {
    MPI_Datatype handle = datatype.handle();
    op.large_function()(const_cast<void*>(in), inout, &count, &handle);
  } else if (op.function() != nullptr) {
    call_in_parts(op, from, to, count, datatype);
  }
}

}  // namespace remit
