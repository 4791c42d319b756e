// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Random elements of predefined types, random layouts of them, and what an operation does to one
// element: for tests of accumulates against a model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "datatype/datatype.hpp"
#include "datatype/half.hpp"
#include "datatype/numbers.hpp"
#include "datatype/reductions.hpp"

namespace remit::testing {

using Random = std::mt19937_64;

/// A number from `low` to `high`, both included.
inline std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

inline void fill_random(std::span<std::byte> bytes, Random& random) {
  for (std::byte& byte : bytes) byte = std::byte(random());
}

template <class T>
void put_small_number(std::byte* to, Random& random) {
  store(to, static_cast<T>(static_cast<float>(between(random, -9, 9))));
}

/// One number. Those with a point are small and whole: which of two NaNs a sum is depends on the
/// compiler.
inline void put_random_basic(std::byte* to, BasicKind kind, Random& random) {
  using enum BasicKind;
  const auto part = static_cast<std::size_t>(basic_size(kind)) / 2;
  switch (kind) {
    case f16:
      return put_small_number<Half>(to, random);
    case f32:
      return put_small_number<float>(to, random);
    case f64:
      return put_small_number<double>(to, random);
    case flong:
      return put_small_number<long double>(to, random);
    case f128:
      return put_small_number<Float128>(to, random);
    case c16:
      put_random_basic(to, f16, random);
      return put_random_basic(to + part, f16, random);
    case c32:
      put_random_basic(to, f32, random);
      return put_random_basic(to + part, f32, random);
    case c64:
      put_random_basic(to, f64, random);
      return put_random_basic(to + part, f64, random);
    case clong:
      put_random_basic(to, flong, random);
      return put_random_basic(to + part, flong, random);
    case c128:
      put_random_basic(to, f128, random);
      return put_random_basic(to + part, f128, random);
    default:
      fill_random({to, static_cast<std::size_t>(basic_size(kind))}, random);
  }
}

/// One element; a pair's gaps stay as they are.
inline void put_random_element(std::byte* to, const Datatype& element, Random& random) {
  const TypeSignature& signature = element.signature();
  if (signature.kind != BasicKind::pair) return put_random_basic(to, signature.kind, random);
  put_random_basic(to, signature.pair.value, random);
  put_random_basic(to + signature.pair.index_displacement, signature.pair.index, random);
}

/// Copies the numbers of one element, and not its gaps.
inline void copy_element(std::byte* to, const std::byte* from, const Datatype& element) {
  const TypeSignature& signature = element.signature();
  if (signature.kind != BasicKind::pair) {
    std::memcpy(to, from, static_cast<std::size_t>(element.size()));
    return;
  }
  std::memcpy(to, from, static_cast<std::size_t>(basic_size(signature.pair.value)));
  const std::int64_t at = signature.pair.index_displacement;
  std::memcpy(to + at, from + at, static_cast<std::size_t>(basic_size(signature.pair.index)));
}

/// inout = in op inout.
inline void apply_to_element(const Op& op, const std::byte* in, std::byte* inout,
                             const Datatype& element) {
  if (op.kind() == Reduction::no_op) return;
  if (op.kind() == Reduction::replace) return copy_element(inout, in, element);
  reduction_kernel(op, element)(in, inout, 1);
}

/// `elements` elements of a type as a user may describe them, and where they lie in the order of
/// the type map: by arithmetic that is not the library's.
class RandomLayout {
 public:
  RandomLayout(const Datatype& element, MPI_Count elements, Random& random) {
    MPI_Count in_type = 1;
    for (MPI_Count i = 2; i <= elements; ++i) {
      if (elements % i == 0 && between(random, 0, 2) == 0) in_type = i;
    }
    count_ = elements / in_type;
    std::vector<std::int64_t> places = make_type(element, in_type, random);
    const MPI_Count extent = type().extent();
    for (MPI_Count i = 0; i < count_; ++i) {
      for (const std::int64_t place : places) places_.push_back(i * extent + place);
    }
    const auto [low, high] = std::minmax_element(places_.begin(), places_.end());
    before_ = -std::min<std::int64_t>(*low, 0);
    bytes_ = before_ + std::max<std::int64_t>(*high, 0) + element.extent();
  }

  [[nodiscard]] const Datatype& type() const { return made_ ? *made_ : *plain_; }
  [[nodiscard]] MPI_Count count() const { return count_; }
  /// Of each element, from the view's base.
  [[nodiscard]] const std::vector<std::int64_t>& places() const { return places_; }
  /// Bytes before the base that elements are in, and bytes in all.
  [[nodiscard]] std::int64_t before() const { return before_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] View view(void* base) const { return {base, count_, &type().layout()}; }

 private:
  std::vector<std::int64_t> make_type(const Datatype& element, MPI_Count elements, Random& random) {
    std::vector<std::int64_t> places(static_cast<std::size_t>(elements));
    const MPI_Count extent = element.extent();
    switch (between(random, 0, 4)) {
      case 0:  // an array
        if (elements == 1) {
          plain_ = &element;
        } else {
          made_ = make_contiguous(elements, element).value();
        }
        for (std::size_t i = 0; i < places.size(); ++i)
          places[i] = static_cast<std::int64_t>(i) * extent;
        return places;
      case 1:  // an array whose elements have gaps behind them
        return vector(element, elements, extent + between(random, 0, 9), std::move(places));
      case 2:  // backwards
        return vector(element, elements, -(extent + between(random, 0, 9)), std::move(places));
      case 3:  // packed as closely as data allow
        return vector(element, elements, element.true_extent(), std::move(places));
      default:
        return list(element, elements, std::move(places), random);
    }
  }

  std::vector<std::int64_t> vector(const Datatype& element, MPI_Count elements, MPI_Count stride,
                                   std::vector<std::int64_t> places) {
    const Ref<Datatype> strided = make_hvector(elements, 1, stride, element).value();
    made_ = make_resized(*strided, 0, elements * std::abs(stride)).value();
    for (std::size_t i = 0; i < places.size(); ++i)
      places[i] = static_cast<std::int64_t>(i) * stride;
    return places;
  }

  /// In any order, with gaps of any size.
  std::vector<std::int64_t> list(const Datatype& element, MPI_Count elements,
                                 std::vector<std::int64_t> places, Random& random) {
    std::vector<std::int64_t> order(places.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    const std::int64_t first = between(random, -20, 20);
    std::int64_t at = first;
    for (const std::int64_t i : order) {
      places[static_cast<std::size_t>(i)] = at;
      at += element.true_extent() + (between(random, 0, 2) == 0 ? between(random, 0, 200) : 0);
    }
    const std::vector<MPI_Count> displacements(places.begin(), places.end());
    const std::vector<MPI_Count> lengths(places.size(), 1);
    const std::vector<const Datatype*> types(places.size(), &element);
    const Ref<Datatype> list = between(random, 0, 1) == 0
                                   ? make_hindexed_block(1, displacements, element).value()
                                   : make_struct(lengths, displacements, types).value();
    made_ = make_resized(*list, 0, at - first + elements % 7).value();
    return places;
  }

  const Datatype* plain_ = nullptr;
  Ref<Datatype> made_;
  MPI_Count count_ = 0;
  std::vector<std::int64_t> places_;
  std::int64_t before_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace remit::testing
