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
    if (op_ != op || type_ != type) [[unlikely]]
      find_kernel(op, type);
    return kernel_;
  }

 private:
  void find_kernel(MPI_Op op, MPI_Datatype type);

  /// By handle - kFirstDatatype; 0 for types that are not one block.
  std::array<std::uint8_t, kDatatypeSlots> block_bytes_ = {};
  // The reduction that was asked for last.
  MPI_Op op_ = nullptr;
  MPI_Datatype type_ = nullptr;
  ReductionKernel kernel_ = nullptr;
};

}  // namespace remit
