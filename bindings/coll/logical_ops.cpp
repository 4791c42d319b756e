// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Logical operations on Fortran's LOGICAL (MPI-5.0, sections 6.9.2 and 20.4.1).
#include "bindings/coll/logical_ops.hpp"

#include <cstdint>
#include <cstring>

#include "bindings/env/abi.hpp"
#include "bindings/process/instance.hpp"
#include "datatype/numbers.hpp"

namespace remit {

namespace {

/// .TRUE. and .FALSE. as numbers.
struct Booleans {
  Int128 yes = 1;
  Int128 no = 0;
};

template <class T>
bool read(const FortranBooleans& set, Booleans& out) {
  T yes{};
  T no{};
  if (!set.get(sizeof(T), &yes, &no)) return false;
  out = {yes, no};
  return true;
}

Booleans current() {
  Booleans values;
  const FortranBooleans* set = library().fortran_booleans.load(std::memory_order_acquire);
  if (set == nullptr) return values;
  (void)(read<std::int8_t>(*set, values) || read<std::int16_t>(*set, values) ||
         read<std::int32_t>(*set, values) || read<std::int64_t>(*set, values) ||
         read<Int128>(*set, values));
  return values;
}

template <class T, Reduction kOp>
void combine_logicals(const std::byte* in, std::byte* inout, MPI_Count count) {
  const Booleans values = current();
  const T yes = static_cast<T>(values.yes);
  const T no = static_cast<T>(values.no);
  for (MPI_Count i = 0; i < count; ++i) {
    T a{};
    T b{};
    std::memcpy(&a, in + i * MPI_Count{sizeof(T)}, sizeof(T));
    std::memcpy(&b, inout + i * MPI_Count{sizeof(T)}, sizeof(T));
    bool result = (a != no) != (b != no);
    if constexpr (kOp == Reduction::land) result = (a != no) && (b != no);
    if constexpr (kOp == Reduction::lor) result = (a != no) || (b != no);
    const T out = result ? yes : no;
    std::memcpy(inout + i * MPI_Count{sizeof(T)}, &out, sizeof(T));
  }
}

/// A user function of MPI_Op_create_c.
template <Reduction kOp>
void function(void* in, void* inout, MPI_Count* count, MPI_Datatype* type) {
  const auto* const from = static_cast<const std::byte*>(in);
  auto* const to = static_cast<std::byte*>(inout);
  switch (datatype_of(*type)->size()) {
    case 1:
      return combine_logicals<std::int8_t, kOp>(from, to, *count);
    case 2:
      return combine_logicals<std::int16_t, kOp>(from, to, *count);
    case 4:
      return combine_logicals<std::int32_t, kOp>(from, to, *count);
    case 8:
      return combine_logicals<std::int64_t, kOp>(from, to, *count);
    default:
      return combine_logicals<Int128, kOp>(from, to, *count);
  }
}

constinit const Op kAnd(&function<Reduction::land>, true);
constinit const Op kOr(&function<Reduction::lor>, true);
constinit const Op kXor(&function<Reduction::lxor>, true);

bool is_fortran_logical(const Datatype& type) {
  return type.signature().group == TypeGroup::logical && type.handle() != MPI_C_BOOL &&
         type.handle() != MPI_CXX_BOOL;
}

}  // namespace

const Op* with_fortran_booleans(const Op& op, const Datatype& type) {
  if (!is_fortran_logical(type)) return &op;
  if (const Booleans values = current(); values.yes == 1 && values.no == 0) return &op;
  switch (op.kind()) {
    case Reduction::land:
      return &kAnd;
    case Reduction::lor:
      return &kOr;
    case Reduction::lxor:
      return &kXor;
    default:
      return &op;
  }
}

}  // namespace remit
