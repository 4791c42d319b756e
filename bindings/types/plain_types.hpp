// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What fast paths ask of predefined types and operations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "datatype/datatype.hpp"
#include "datatype/reductions.hpp"

namespace remit {

/// Answers about handles of predefined types and operations, found by a load or two: what is
/// nothing out of the ordinary goes by them, everything else by the objects. The thread that is in
/// MPI.
class PlainTypes {
 public:
  PlainTypes();

  /// The bytes of an element of a predefined type that is one block. 0: another type, or a count
  /// out of the ordinary.
  [[nodiscard]] std::size_t bytes(MPI_Count count, MPI_Datatype type) const {
    const std::uintptr_t slot = reinterpret_cast<std::uintptr_t>(type) - kFirstDatatype;
    if (slot >= kDatatypeSlots || static_cast<std::uint64_t>(count) >> 32 != 0) [[unlikely]]
      return 0;
    return block_bytes_[slot];
  }

  /// The loop of a predefined operation on a predefined type; null: there is none, or another one
  /// at times (MPI_Abi_set_fortran_booleans).
  [[nodiscard]] ReductionKernel kernel(MPI_Op op, MPI_Datatype type) {
    const auto pair = reinterpret_cast<std::uintptr_t>(op) ^ reinterpret_cast<std::uintptr_t>(type);
    KnownKernel& known = kernels_[pair % kKnownKernels];
    if (known.op != op || known.type != type) [[unlikely]]
      find_kernel(op, type, known);
    return known.kernel;
  }

  /// The bytes of a predefined type that MPI_Compare_and_swap takes, MPI-5.0 section 12.3.4; 0:
  /// another type.
  [[nodiscard]] std::size_t comparable_bytes(MPI_Datatype type) const {
    const std::uintptr_t slot = reinterpret_cast<std::uintptr_t>(type) - kFirstDatatype;
    return slot < kDatatypeSlots ? comparable_bytes_[slot] : 0;
  }

 private:
  /// A reduction that was asked for.
  struct KnownKernel {
    MPI_Op op = nullptr;
    MPI_Datatype type = nullptr;
    ReductionKernel kernel = nullptr;
    std::uintptr_t unused = 0;  ///< so that an index is a shift
  };
  /// Programs reduce by a few operations in turn; two that share an entry are found anew each time.
  static constexpr std::size_t kKnownKernels = 16;

  static void find_kernel(MPI_Op op, MPI_Datatype type, KnownKernel& out);

  // By handle - kFirstDatatype; 0 for types that are not one block, and for those that are not
  // comparable.
  std::array<std::uint8_t, kDatatypeSlots> block_bytes_ = {};
  std::array<std::uint8_t, kDatatypeSlots> comparable_bytes_ = {};
  std::array<KnownKernel, kKnownKernels> kernels_ = {};
};

}  // namespace remit
