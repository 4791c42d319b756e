// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Reduction operations: the predefined ones, user functions, and applying them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "datatype/datatype.hpp"
#include "datatype/handle_number.hpp"
#include "datatype/ref.hpp"
#include "mpi.h"
#include "runtime/error.hpp"

namespace remit {

/// The value is the ABI handle minus kFirstOp.
enum class Reduction : std::uint8_t {
  null = 0,
  sum = 1,
  min = 2,
  max = 3,
  prod = 4,
  band = 8,
  bor = 9,
  bxor = 10,
  land = 16,
  lor = 17,
  lxor = 18,
  minloc = 24,
  maxloc = 25,
  replace = 28,
  no_op = 29,
  user = 31,
};

/// Handles of predefined operations lie in [kFirstOp, kFirstOp + kOpSlots).
inline constexpr std::uintptr_t kFirstOp = 0x20;
inline constexpr std::size_t kOpSlots = 32;

/// inout[i] = in[i] op inout[i] for `elements` elements. The buffers do not overlap and need no
/// alignment. Never null where check() passes for a predefined operation.
using ReductionKernel = void (*)(const std::byte* in, std::byte* inout, std::size_t elements);

/// A reduction operation. Immutable; counted like Datatype. Predefined ones are constants.
class Op {
 public:
  /// Exactly one of the functions is given. They run on the thread that drives the reduction.
  Op(MPI_User_function* function, bool commutative)
      : kind_(Reduction::user), commutative_(commutative), function_(function) {}
  constexpr Op(MPI_User_function_c* function, bool commutative)
      : kind_(Reduction::user), commutative_(commutative), large_function_(function) {}
  /// For the table of predefined operations.
  constexpr Op(Reduction kind, std::string_view name) : kind_(kind), name_(name) {}
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;

  void retain() const {
    if (!is_predefined()) ++references_;
  }
  void release() const {
    if (is_predefined() || --references_ != 0) return;
    *const_cast<volatile std::uint32_t*>(&alive_) = 0;
    delete this;
  }
  /// As Datatype::is_alive().
  [[nodiscard]] bool is_alive() const { return alive_ == kAlive; }

  [[nodiscard]] constexpr Reduction kind() const { return kind_; }
  [[nodiscard]] bool is_predefined() const { return kind_ != Reduction::user; }
  [[nodiscard]] bool is_commutative() const { return commutative_; }
  /// MPI name of a predefined operation, else empty.
  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] MPI_User_function* function() const { return function_; }
  [[nodiscard]] MPI_User_function_c* large_function() const { return large_function_; }
  /// The C handle: the ABI's constant, or the object's address.
  [[nodiscard]] MPI_Op handle() const {
    return reinterpret_cast<MPI_Op>(is_predefined() ? kFirstOp + static_cast<std::uintptr_t>(kind_)
                                                    : reinterpret_cast<std::uintptr_t>(this));
  }
  /// For languages without pointers.
  [[nodiscard]] const HandleNumber& number() const { return number_; }

 private:
  static constexpr std::uint32_t kAlive = 0x706f706f;

  std::uint32_t alive_ = kAlive;
  Reduction kind_;
  bool commutative_ = true;
  MPI_User_function* function_ = nullptr;
  MPI_User_function_c* large_function_ = nullptr;
  std::string_view name_;
  mutable std::uint32_t references_ = 1;
  HandleNumber number_;
};

/// Handle minus kFirstOp to operation; null where the ABI defines none. MPI_OP_NULL has an entry of
/// kind Reduction::null.
extern const std::array<const Op*, kOpSlots> kPredefinedOps;

/// The predefined operation of an ABI handle value, or null.
[[nodiscard]] inline const Op* predefined_op(std::uintptr_t handle) {
  const std::uintptr_t slot = handle - kFirstOp;
  return slot < kOpSlots ? kPredefinedOps[slot] : nullptr;
}

/// The object behind a C handle: a predefined operation or null for reserved values (below 4096),
/// else the handle's object, unchecked.
[[nodiscard]] inline const Op* op_of(MPI_Op handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  return value < 4096 ? predefined_op(value) : reinterpret_cast<const Op*>(handle);
}

/// Where an operation is to be used: MPI_REPLACE and MPI_NO_OP are for RMA alone, user functions
/// for reductions alone.
enum class OpUse : std::uint8_t { reduction, accumulate };

/// Whether `op` is defined on `datatype` (MPI-5.0 section 6.9.2): MPI_ERR_OP with both names if
/// not. Any user function is defined on any datatype.
[[nodiscard]] Expected<> check(const Op& op, const Datatype& datatype,
                               OpUse use = OpUse::reduction);

/// Whether MPI_Compare_and_swap takes this predefined type (MPI-5.0, section 12.3.4).
[[nodiscard]] bool is_comparable(const Datatype& type);

/// The loop of a predefined operation on a predefined type, compiled for this CPU; null if it is
/// not defined.
[[nodiscard]] ReductionKernel reduction_kernel(const Op& op, const Datatype& datatype);

/// inout = in op inout, element by element. Requires check(). Elements lie an extent apart in both
/// buffers. A user function sees the user's handle of the datatype; a small-count one is called
/// several times where count exceeds INT_MAX.
///
/// Buffers for derived datatypes (user functions only) must have the datatype's own layout: the
/// first element's origin at the pointer given, so that a temporary buffer of n elements is
/// true_extent + (n - 1) * extent bytes whose pointer is moved back by true_lb.
void reduce_local(const Op& op, const void* in, void* inout, MPI_Count count,
                  const Datatype& datatype);

}  // namespace remit
