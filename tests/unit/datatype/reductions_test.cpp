// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Every operation on every predefined type, against scalar code and the standard's table.
#include "datatype/reductions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "datatype/half.hpp"
#include "datatype/numbers.hpp"
#include "datatype/unnamed_types.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit {
namespace {

using Names = std::set<std::string>;

// MPI-5.0 section 6.9.2, by name.
const Names kCInteger = {
    "MPI_INT",      "MPI_LONG",          "MPI_SHORT",         "MPI_UNSIGNED_SHORT",
    "MPI_UNSIGNED", "MPI_UNSIGNED_LONG", "MPI_LONG_LONG",     "MPI_UNSIGNED_LONG_LONG",
    "MPI_CHAR",     "MPI_SIGNED_CHAR",   "MPI_UNSIGNED_CHAR", "MPI_INT8_T",
    "MPI_INT16_T",  "MPI_INT32_T",       "MPI_INT64_T",       "MPI_UINT8_T",
    "MPI_UINT16_T", "MPI_UINT32_T",      "MPI_UINT64_T"};
const Names kFortranInteger = {"MPI_INTEGER",  "MPI_INTEGER1", "MPI_INTEGER2",
                               "MPI_INTEGER4", "MPI_INTEGER8", "MPI_INTEGER16"};
const Names kFloating = {"MPI_FLOAT",       "MPI_DOUBLE", "MPI_REAL",  "MPI_DOUBLE_PRECISION",
                         "MPI_LONG_DOUBLE", "MPI_REAL2",  "MPI_REAL4", "MPI_REAL8",
                         "MPI_REAL16"};
const Names kLogical = {"MPI_LOGICAL",  "MPI_C_BOOL",   "MPI_CXX_BOOL", "MPI_LOGICAL1",
                        "MPI_LOGICAL2", "MPI_LOGICAL4", "MPI_LOGICAL8", "MPI_LOGICAL16"};
const Names kComplex = {"MPI_COMPLEX",
                        "MPI_C_FLOAT_COMPLEX",
                        "MPI_C_DOUBLE_COMPLEX",
                        "MPI_C_LONG_DOUBLE_COMPLEX",
                        "MPI_CXX_FLOAT_COMPLEX",
                        "MPI_CXX_DOUBLE_COMPLEX",
                        "MPI_CXX_LONG_DOUBLE_COMPLEX",
                        "MPI_DOUBLE_COMPLEX",
                        "MPI_COMPLEX4",
                        "MPI_COMPLEX8",
                        "MPI_COMPLEX16",
                        "MPI_COMPLEX32"};
const Names kMultiLanguage = {"MPI_AINT", "MPI_OFFSET", "MPI_COUNT"};
const Names kPairs = {"MPI_FLOAT_INT", "MPI_DOUBLE_INT",        "MPI_LONG_INT",
                      "MPI_2INT",      "MPI_SHORT_INT",         "MPI_LONG_DOUBLE_INT",
                      "MPI_2REAL",     "MPI_2DOUBLE_PRECISION", "MPI_2INTEGER"};

bool in(const Names& names, std::string_view name) {
  return names.contains(std::string(name));
}

bool defined(std::string_view op, std::string_view type) {
  const bool integer = in(kCInteger, type) || in(kFortranInteger, type) || in(kMultiLanguage, type);
  if (op == "MPI_MIN" || op == "MPI_MAX") return integer || in(kFloating, type);
  if (op == "MPI_SUM" || op == "MPI_PROD") {
    return integer || in(kFloating, type) || in(kComplex, type);
  }
  if (op == "MPI_LAND" || op == "MPI_LOR" || op == "MPI_LXOR") {
    return in(kCInteger, type) || in(kLogical, type);
  }
  if (op == "MPI_BAND" || op == "MPI_BOR" || op == "MPI_BXOR") return integer || type == "MPI_BYTE";
  if (op == "MPI_MINLOC" || op == "MPI_MAXLOC") return in(kPairs, type);
  return false;
}

template <class F>
void for_each_pair(F f) {
  for (const Op* op : kPredefinedOps) {
    for (const Datatype* type : kPredefinedDatatypes) {
      if (op != nullptr && type != nullptr) f(*op, *type);
    }
  }
}

TEST(Reductions, DefinedWhereTheStandardSays) {
  for_each_pair([](const Op& op, const Datatype& type) {
    const auto result = check(op, type);
    EXPECT_EQ(result.has_value(), defined(op.name(), type.name())) << op.name() << type.name();
    if (!result && type.is_available()) {
      EXPECT_EQ(result.error().code, MPI_ERR_OP);
    }
    const bool rma = op.kind() == Reduction::replace || op.kind() == Reduction::no_op;
    EXPECT_EQ(check(op, type, OpUse::accumulate).has_value(),
              defined(op.name(), type.name()) ||
                  (rma && type.is_available() && type.signature().kind != BasicKind::packed));
  });
}

/// One element's bytes of `a op b`, in the plainest code. T: how C++ computes with the type.
template <class T>
T scalar(Reduction op, T a, T b) {
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, Int128>) {
    switch (op) {
      case Reduction::sum:
        return static_cast<T>(static_cast<Unsigned128>(a) + static_cast<Unsigned128>(b));
      case Reduction::prod:
        return static_cast<T>(static_cast<Unsigned128>(a) * static_cast<Unsigned128>(b));
      case Reduction::band:
        return static_cast<T>(a & b);
      case Reduction::bor:
        return static_cast<T>(a | b);
      case Reduction::bxor:
        return static_cast<T>(a ^ b);
      case Reduction::land:
        return static_cast<T>(a && b);
      case Reduction::lor:
        return static_cast<T>(a || b);
      case Reduction::lxor:
        return static_cast<T>(!a != !b);
      default:
        break;
    }
  } else {
    if (op == Reduction::sum) return a + b;
    if (op == Reduction::prod) return a * b;
  }
  if (op == Reduction::min) return b < a ? b : a;
  return a < b ? b : a;
}

using Bytes = std::vector<std::byte>;

/// Buffers that begin at an odd address and end where they end.
class Operands {
 public:
  Operands(std::size_t bytes, std::mt19937_64& random) : a_(bytes + 1), b_(bytes + 1) {
    for (std::byte& x : a_) x = std::byte(random());
    for (std::byte& x : b_) x = std::byte(random());
  }
  std::byte* a() { return a_.data() + 1; }
  std::byte* b() { return b_.data() + 1; }

 private:
  Bytes a_;
  Bytes b_;
};

template <class T>
T at(const std::byte* p, std::size_t i) {
  T value;
  std::memcpy(&value, p + i * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void put(std::byte* p, std::size_t i, T value) {
  std::memcpy(p + i * sizeof(T), &value, sizeof(T));
}

constexpr std::size_t kSizes[] = {1, 2, 63, 64, 65, 200};

/// `make`: a T from a random number; values on which one operation is exact in any order.
template <class T, class Make>
void compare(const Op& op, const Datatype& type, std::mt19937_64& random, Make make) {
  ASSERT_EQ(type.size(), static_cast<MPI_Count>(sizeof(T)));
  for (const std::size_t n : kSizes) {
    Operands buffers(n * sizeof(T), random);
    std::vector<T> expected(n);
    for (std::size_t i = 0; i < n; ++i) {
      put(buffers.a(), i, make(random()));
      put(buffers.b(), i, make(random()));
      expected[i] = scalar<T>(op.kind(), at<T>(buffers.a(), i), at<T>(buffers.b(), i));
    }
    reduce_local(op, buffers.a(), buffers.b(), static_cast<MPI_Count>(n), type);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_TRUE(at<T>(buffers.b(), i) == expected[i])
          << op.name() << ' ' << type.name() << " element " << i << " of " << n;
    }
  }
}

/// Mostly small numbers (so that logical operations see zeros), some of all bits.
template <class T>
T make_integer(std::uint64_t random) {
  return random % 3 == 0 ? static_cast<T>(random % 4 / 2) : static_cast<T>(random >> 5);
}

template <class T>
T make_real(std::uint64_t random) {
  return static_cast<T>(static_cast<float>(static_cast<int>(random % 33) - 16) / 4.0F);
}

template <class T>
std::complex<T> make_complex(std::uint64_t random) {
  return {make_real<T>(random), make_real<T>(random >> 20)};
}

template <class T>
void integers(const Op& op, const Datatype& type, std::mt19937_64& random) {
  compare<T>(op, type, random, make_integer<T>);
}
template <class T>
void reals(const Op& op, const Datatype& type, std::mt19937_64& random) {
  compare<T>(op, type, random, make_real<T>);
}

void compare_by_kind(const Op& op, const Datatype& type, std::mt19937_64& random) {
  switch (type.signature().kind) {
    using enum BasicKind;
    case i8:
      return integers<std::int8_t>(op, type, random);
    case i16:
      return integers<std::int16_t>(op, type, random);
    case i32:
      return integers<std::int32_t>(op, type, random);
    case i64:
      return integers<std::int64_t>(op, type, random);
    case i128:
      return integers<Int128>(op, type, random);
    case byte:
    case l8:
    case u8:
      return integers<std::uint8_t>(op, type, random);
    case l16:
    case u16:
      return integers<std::uint16_t>(op, type, random);
    case l32:
    case u32:
      return integers<std::uint32_t>(op, type, random);
    case l64:
    case u64:
      return integers<std::uint64_t>(op, type, random);
    case l128:
      return integers<Int128>(op, type, random);
    case f32:
      return reals<float>(op, type, random);
    case f64:
      return reals<double>(op, type, random);
    case flong:
      return reals<long double>(op, type, random);
    case f128:
      return reals<Float128>(op, type, random);
    default:
      return;
  }
}

TEST(Reductions, EveryOperationOnEveryType) {
  std::mt19937_64 random(::remit::testing::test_seed());
  for_each_pair([&](const Op& op, const Datatype& type) {
    if (check(op, type)) compare_by_kind(op, type, random);
  });
}

template <class T>
void compare_complex(MPI_Datatype handle, std::mt19937_64& random) {
  for (const std::size_t n : kSizes) {
    for (const Reduction kind : {Reduction::sum, Reduction::prod}) {
      Operands buffers(n * 2 * sizeof(T), random);
      std::vector<std::complex<T>> expected(n);
      for (std::size_t i = 0; i < n; ++i) {
        const auto a = make_complex<T>(random());
        const auto b = make_complex<T>(random());
        put(buffers.a(), i, a);
        put(buffers.b(), i, b);
        expected[i] = kind == Reduction::sum ? a + b : a * b;
      }
      reduce_local(*kPredefinedOps[static_cast<std::size_t>(kind)], buffers.a(), buffers.b(),
                   static_cast<MPI_Count>(n), predefined(handle));
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(at<std::complex<T>>(buffers.b(), i), expected[i]);
      }
    }
  }
}

TEST(Reductions, Complex) {
  std::mt19937_64 random(::remit::testing::test_seed());
  compare_complex<float>(MPI_C_FLOAT_COMPLEX, random);
  compare_complex<float>(MPI_COMPLEX8, random);
  compare_complex<double>(MPI_CXX_DOUBLE_COMPLEX, random);
  compare_complex<double>(MPI_DOUBLE_COMPLEX, random);
  compare_complex<long double>(MPI_C_LONG_DOUBLE_COMPLEX, random);
}

/// Complex numbers that std::complex does not know, by way of double (exact for these values).
template <class T, class ToDouble>
void compare_odd_complex(MPI_Datatype handle, std::mt19937_64& random, ToDouble to_double) {
  constexpr std::size_t kCount = 70;
  for (const Reduction kind : {Reduction::sum, Reduction::prod}) {
    Operands buffers(2 * kCount * sizeof(T), random);
    std::vector<std::complex<double>> expected(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      const auto a = make_complex<float>(random());
      const auto b = make_complex<float>(random());
      put(buffers.a(), 2 * i, T(a.real()));
      put(buffers.a(), 2 * i + 1, T(a.imag()));
      put(buffers.b(), 2 * i, T(b.real()));
      put(buffers.b(), 2 * i + 1, T(b.imag()));
      expected[i] = kind == Reduction::sum ? a + b : a * b;
    }
    reduce_local(*kPredefinedOps[static_cast<std::size_t>(kind)], buffers.a(), buffers.b(), kCount,
                 predefined(handle));
    for (std::size_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(to_double(at<T>(buffers.b(), 2 * i)), expected[i].real());
      ASSERT_EQ(to_double(at<T>(buffers.b(), 2 * i + 1)), expected[i].imag());
    }
  }
}

TEST(Reductions, HalfAndQuadrupleComplex) {
  std::mt19937_64 random(::remit::testing::test_seed());
  compare_odd_complex<Half>(MPI_COMPLEX4, random, [](Half h) { return double(float(h)); });
  compare_odd_complex<Float128>(MPI_COMPLEX32, random, [](Float128 q) { return double(q); });
}

TEST(Reductions, HalfReal) {
  std::mt19937_64 random(::remit::testing::test_seed());
  for (const Reduction kind : {Reduction::sum, Reduction::prod, Reduction::min, Reduction::max}) {
    std::vector<Half> a(100);
    std::vector<Half> b(100);
    std::vector<float> expected(100);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto x = make_real<float>(random());
      const auto y = make_real<float>(random());
      a[i] = Half(x);
      b[i] = Half(y);
      expected[i] = scalar<float>(kind, x, y);
    }
    reduce_local(*kPredefinedOps[static_cast<std::size_t>(kind)], a.data(), b.data(), 100,
                 predefined(MPI_REAL2));
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(float(b[i]), expected[i]);
  }
}

TEST(Half, KeepsEveryValueAndRoundsToNearestEven) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half = Half::from_bits(static_cast<std::uint16_t>(bits));
    const auto value = float(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float(Half(value))));
      continue;
    }
    ASSERT_EQ(Half(value).bits(), bits);
    if ((bits & 0x7fff) >= 0x7bff) continue;
    // Half way to the next: the even one; a little off: the nearer.
    const auto next = float(Half::from_bits(static_cast<std::uint16_t>(bits + 1)));
    const float middle = (value + next) / 2;
    const auto even = static_cast<std::uint16_t>(bits + (bits & 1));
    ASSERT_EQ(Half(middle).bits(), even) << bits;
    ASSERT_EQ(Half(std::nextafter(middle, value)).bits(), bits);
    ASSERT_EQ(Half(std::nextafter(middle, next)).bits(), bits + 1);
  }
  EXPECT_TRUE(std::isinf(float(Half(65520.0F))));
  EXPECT_EQ(float(Half(65519.0F)), 65504.0F);
}

constexpr std::size_t kPairCount = 150;
/// Of one element of two operands: values from 0 to 2 and indices from 0 to 4.
struct PairDraw {
  int value_a, index_a, value_b, index_b;
};
std::vector<PairDraw> draw_pairs(std::mt19937_64& random) {
  std::vector<PairDraw> draws(kPairCount);
  for (PairDraw& draw : draws) {
    draw.value_a = static_cast<int>(random() % 3);
    draw.index_a = static_cast<int>(random() % 5);
    draw.value_b = static_cast<int>(random() % 3);
    draw.index_b = static_cast<int>(random() % 5);
  }
  return draws;
}
void reduce_pairs(bool min, const void* a, void* b, const Datatype& type) {
  const Reduction kind = min ? Reduction::minloc : Reduction::maxloc;
  reduce_local(*kPredefinedOps[static_cast<std::size_t>(kind)], a, b, kPairCount, type);
}
void expect_pairs(std::size_t same, bool min, const Datatype& type) {
  EXPECT_EQ(same, kPairCount) << "the first wrong pair of " << (min ? "MPI_MINLOC" : "MPI_MAXLOC")
                              << " on " << type.name();
}

/// Instantiated for more than a hundred pairs of types, so what needs no type is above.
template <class Value, class Index>
void compare_pairs(MPI_Datatype handle, std::mt19937_64& random) {
  struct Pair {
    Value value;
    Index index;
  };
  const Datatype& type = *datatype_of(handle);
  ASSERT_TRUE(type.extent() == static_cast<MPI_Count>(sizeof(Pair)));
  for (const bool min : {true, false}) {
    const std::vector<PairDraw> draws = draw_pairs(random);
    Pair a[kPairCount];
    Pair b[kPairCount];
    Pair expected[kPairCount];
    for (std::size_t i = 0; i < kPairCount; ++i) {
      const PairDraw& draw = draws[i];
      a[i] = {static_cast<Value>(draw.value_a), static_cast<Index>(draw.index_a)};
      b[i] = {static_cast<Value>(draw.value_b), static_cast<Index>(draw.index_b)};
      const Pair &x = a[i], &y = b[i];
      expected[i] = x;
      if (min ? y.value < x.value : y.value > x.value) expected[i] = y;
      if (x.value == y.value) expected[i].index = std::min(x.index, y.index);
    }
    reduce_pairs(min, a, b, type);
    std::size_t same = 0;
    while (same < kPairCount && b[same].value == expected[same].value &&
           b[same].index == expected[same].index) {
      ++same;
    }
    expect_pairs(same, min, type);
  }
}

TEST(Reductions, LocationsOfExtremes) {
  std::mt19937_64 random(::remit::testing::test_seed());
  compare_pairs<float, int>(MPI_FLOAT_INT, random);
  compare_pairs<double, int>(MPI_DOUBLE_INT, random);
  compare_pairs<long, int>(MPI_LONG_INT, random);
  compare_pairs<int, int>(MPI_2INT, random);
  compare_pairs<short, int>(MPI_SHORT_INT, random);
  compare_pairs<long double, int>(MPI_LONG_DOUBLE_INT, random);
  compare_pairs<float, float>(MPI_2REAL, random);
  compare_pairs<double, double>(MPI_2DOUBLE_PRECISION, random);
  compare_pairs<int, int>(MPI_2INTEGER, random);
}

MPI_Datatype unnamed_type(UnnamedTypes& types, MPI_Datatype value, MPI_Datatype index,
                          std::size_t size) {
  const Datatype* type = types.value_index(predefined(value), predefined(index));
  if (type == nullptr) {
    ADD_FAILURE() << "no type";
    return MPI_2INT;
  }
  EXPECT_EQ(type, types.value_index(predefined(value), predefined(index)));
  EXPECT_FALSE(type->is_predefined());
  EXPECT_EQ(type->size(), static_cast<MPI_Count>(size));
  return type->handle();
}

template <class Value, class Index>
void compare_unnamed(UnnamedTypes& types, MPI_Datatype value, MPI_Datatype index,
                     std::mt19937_64& random) {
  const std::size_t size = sizeof(Value) + sizeof(Index);
  compare_pairs<Value, Index>(unnamed_type(types, value, index, size), random);
}

template <class Value>
void compare_with_indices(UnnamedTypes& types, MPI_Datatype value, std::mt19937_64& random) {
  compare_unnamed<Value, std::int8_t>(types, value, MPI_INT8_T, random);
  compare_unnamed<Value, std::int16_t>(types, value, MPI_SHORT, random);
  compare_unnamed<Value, std::int32_t>(types, value, MPI_INT32_T, random);
  compare_unnamed<Value, std::int64_t>(types, value, MPI_AINT, random);
  compare_unnamed<Value, Int128>(types, value, MPI_INTEGER16, random);
  compare_unnamed<Value, std::uint8_t>(types, value, MPI_UNSIGNED_CHAR, random);
  compare_unnamed<Value, std::uint16_t>(types, value, MPI_UINT16_T, random);
  compare_unnamed<Value, std::uint32_t>(types, value, MPI_UNSIGNED, random);
  compare_unnamed<Value, std::uint64_t>(types, value, MPI_UINT64_T, random);
}

TEST(Reductions, LocationsInAnyValueIndexPair) {
  std::mt19937_64 random(::remit::testing::test_seed());
  UnnamedTypes types;
  compare_with_indices<std::int8_t>(types, MPI_INTEGER1, random);
  compare_with_indices<std::int16_t>(types, MPI_INT16_T, random);
  compare_with_indices<std::int32_t>(types, MPI_INT, random);
  compare_with_indices<std::int64_t>(types, MPI_LONG_LONG, random);
  compare_with_indices<Int128>(types, MPI_INTEGER16, random);
  compare_with_indices<std::uint8_t>(types, MPI_UINT8_T, random);
  compare_with_indices<std::uint16_t>(types, MPI_UNSIGNED_SHORT, random);
  compare_with_indices<std::uint32_t>(types, MPI_UINT32_T, random);
  compare_with_indices<std::uint64_t>(types, MPI_UNSIGNED_LONG, random);
  compare_with_indices<float>(types, MPI_REAL4, random);
  compare_with_indices<double>(types, MPI_DOUBLE, random);
  compare_with_indices<long double>(types, MPI_LONG_DOUBLE, random);
  compare_with_indices<Float128>(types, MPI_REAL16, random);
}

TEST(Reductions, ReplaceAndNoOp) {
  const Op& replace = *op_of(MPI_REPLACE);
  const Op& no_op = *op_of(MPI_NO_OP);
  const std::vector<int> a = {1, 2, 3};
  std::vector<int> b = {4, 5, 6};
  reduce_local(no_op, a.data(), b.data(), 3, predefined(MPI_INT));
  EXPECT_EQ(b, (std::vector<int>{4, 5, 6}));
  reduce_local(replace, a.data(), b.data(), 3, predefined(MPI_INT));
  EXPECT_EQ(b, a);
}

// The function must see the user's handle and step by the extent itself.
void subtract_every_second(void* in, void* inout, int* count, MPI_Datatype* datatype) {
  const MPI_Count extent = datatype_of(*datatype)->extent();
  for (int i = 0; i < *count; ++i) {
    auto* const a = static_cast<std::byte*>(in) + i * extent;
    auto* const b = static_cast<std::byte*>(inout) + i * extent;
    put(b, 0, at<int>(a, 0) - at<int>(b, 0));
  }
}

void count_calls(void*, void* inout, MPI_Count* count, MPI_Datatype*) {
  *static_cast<MPI_Count*>(inout) += *count;
}

TEST(Reductions, UserFunctions) {
  const Op small(subtract_every_second, false);
  EXPECT_FALSE(small.is_commutative());
  const auto type = make_resized(predefined(MPI_INT), 0, 8);
  ASSERT_TRUE(type);
  EXPECT_TRUE(check(small, **type));
  const std::vector<int> a = {10, -1, 20, -1};
  std::vector<int> b = {1, 7, 2, 7};
  reduce_local(small, a.data(), b.data(), 2, **type);
  EXPECT_EQ(b, (std::vector<int>{9, 7, 18, 7}));

  const Op large(count_calls, true);
  MPI_Count seen = 0;
  reduce_local(large, a.data(), &seen, MPI_Count{1} << 40, predefined(MPI_LONG));
  EXPECT_EQ(seen, MPI_Count{1} << 40);
  EXPECT_EQ(op_of(large.handle()), &large);
  EXPECT_EQ(op_of(MPI_SUM)->handle(), MPI_SUM);
}

}  // namespace
}  // namespace remit
