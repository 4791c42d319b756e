// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// type_map.hpp: what a datatype consists of, found out by the functions of the standard.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mpi.h"

namespace remit::fortran {

/// Whether the handle is a constant of the ABI: then the datatype never goes away.
inline bool is_predefined(MPI_Datatype type) {
  constexpr std::uintptr_t kLast = 0xfff;
  return reinterpret_cast<std::uintptr_t>(type) <= kLast;
}

/// How much room a datatype takes, in bytes.
struct TypeRoom {
  explicit TypeRoom(MPI_Datatype type);
  /// From the first byte of the first of `count` elements, to behind the last byte of the last.
  [[nodiscard]] MPI_Count end(MPI_Count count) const {
    return count == 0 ? 0 : (count - 1) * extent + true_lb + true_extent;
  }
  /// Elements lie side by side, and none reaches beyond its extent.
  [[nodiscard]] bool is_regular() const {
    return extent > 0 && true_lb >= 0 && true_lb + true_extent <= extent;
  }

  MPI_Count extent = 0;
  MPI_Count true_lb = 0;
  MPI_Count true_extent = 0;
};

/// `length` elements of a predefined type, side by side.
struct TypePart {
  MPI_Count offset;  ///< from the beginning of the datatype
  MPI_Count length;
  MPI_Datatype type;
  MPI_Count size;  ///< bytes of one element, its extent
};

/// The parts of one element of a datatype, in the order of its type map. Nothing for one that
/// MPI_Type_create_darray made, or of more than 65,536 parts.
[[nodiscard]] std::optional<std::vector<TypePart>> type_map_of(MPI_Datatype type);

}  // namespace remit::fortran
