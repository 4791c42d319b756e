// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Accumulates: operations on elements of a member's memory, each of them atomic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "datatype/datatype.hpp"
#include "datatype/reductions.hpp"
#include "onesided/memory/member_memory.hpp"
#include "runtime/error.hpp"

namespace remit {

/// An operation and the one predefined type of the elements that it is done to (MPI-5.0, section
/// 12.3.4). A value; any thread.
class Accumulation {
 public:
  /// What `op` does to a target of this type. MPI_ERR_TYPE: the type is not made of one predefined
  /// type; MPI_ERR_OP: the operation is not defined on that, or is a user's.
  [[nodiscard]] static Expected<Accumulation> of(const Op& op, const Datatype& target_type);
  /// The same of what another process has sent; `element` is a predefined type.
  [[nodiscard]] static Expected<Accumulation> of_element(const Op& op, const Datatype& element);

  [[nodiscard]] const Datatype& element() const { return *element_; }
  [[nodiscard]] const Op& op() const { return *op_; }
  [[nodiscard]] Reduction kind() const { return op_->kind(); }
  /// Null: MPI_REPLACE and MPI_NO_OP.
  [[nodiscard]] ReductionKernel kernel() const { return kernel_; }

 private:
  Accumulation(const Op& op, const Datatype& element, ReductionKernel kernel)
      : op_(&op), element_(&element), kernel_(kernel) {}

  const Op* op_;
  const Datatype* element_;
  ReductionKernel kernel_;
};

/// Does `what` to each element of `target`, whose addresses are the member's, with the elements of
/// `origin` as they are in the type map's order; null for MPI_NO_OP. `result` gets what they were
/// before; null: nobody wants that. The element types of all three are the same, or `origin` and
/// `result` are the elements' packed bytes; the numbers of elements are the same, too. Each element
/// is changed under its granule's lock, the same at all who do so, however many they are and
/// whatever their layout: so each is atomic, and operations of one process on a location happen in
/// their order. Done on return. Waits for others that are inside of a granule, and for nothing
/// else.
[[nodiscard]] Expected<> accumulate(const MemberMemory& memory, const Accumulation& what,
                                    const View* origin, const View& target, const View* result);

/// MPI_ERR_TYPE: MPI_Compare_and_swap takes no elements of this type.
[[nodiscard]] Expected<> check_comparable(const Datatype& element);

/// MPI_Compare_and_swap on one element of a predefined integer, logical or byte type, under the
/// same lock: `result` is what was there; it becomes `replacement` if it was `compare`, byte by
/// byte.
[[nodiscard]] Expected<> compare_and_swap(const MemberMemory& memory, const Datatype& element,
                                          std::uint64_t address, const void* replacement,
                                          const void* compare, void* result);

}  // namespace remit
