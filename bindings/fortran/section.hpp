// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// section.hpp: where the elements of an array section lie.
#pragma once

#include <array>
#include <cstddef>

#include "bindings/fortran/descriptor.hpp"
#include "mpi.h"

namespace remit::fortran {

/// An array section as a row of bytes, in array element order, and where in memory each of them
/// is. It consists of runs of bytes that lie one behind the other; the first level repeats runs,
/// the second what the first is, and so on. Dimensions that continue the one before are one level,
/// those of one element none, so that equal places have equal levels. It does not refer to the
/// descriptor.
class Section {
 public:
  struct Level {
    MPI_Count count;
    MPI_Aint stride;  ///< bytes
  };

  /// Where the descriptor does not know the length of an element (class(*) of gfortran 12), it is
  /// `item`, the extent of the datatype; or, where `needed` bytes would be too many then, all that
  /// lies between two elements.
  Section(const Descriptor& buf, MPI_Count item, MPI_Count needed);

  /// Bytes of the row.
  [[nodiscard]] MPI_Count bytes() const { return bytes_; }
  /// Bytes of a run. With no levels it is all of the section.
  [[nodiscard]] MPI_Count run() const { return run_; }
  [[nodiscard]] int levels() const { return levels_; }
  /// Level 0 repeats runs.
  [[nodiscard]] const Level& level(int at) const { return level_[static_cast<std::size_t>(at)]; }

  /// How far from the first element in memory byte `at` of the row lies.
  [[nodiscard]] MPI_Aint offset_of(MPI_Count at) const;
  /// Copies `bytes` bytes of the row, from byte `at` on, between the section that begins at `base`
  /// and a copy of the row that begins at `row`.
  void gather(const std::byte* base, std::byte* row, MPI_Count at, MPI_Count bytes) const;
  void scatter(std::byte* base, const std::byte* row, MPI_Count at, MPI_Count bytes) const;

 private:
  /// Calls piece(offset in memory, position in the row, bytes) for each part of a run.
  template <class Piece>
  void for_pieces(MPI_Count at, MPI_Count bytes, Piece piece) const;

  MPI_Count bytes_ = 0;
  MPI_Count run_ = 0;
  int levels_ = 0;
  std::array<Level, Descriptor::kMaxRank> level_;  // only the first `levels_` have values
};

}  // namespace remit::fortran
