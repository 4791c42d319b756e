// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// descriptor.hpp: what a Fortran compiler hands to C for `type(*), dimension(..)`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace remit::fortran {

/// One dimension: of `extent` elements, `sm` bytes apart. An extent of -1 is that of the last
/// dimension of an assumed-size array, which nobody knows.
struct Dimension {
  std::ptrdiff_t lower_bound;
  std::ptrdiff_t extent;
  std::ptrdiff_t sm;
};

/// The C descriptor (CFI_cdesc_t) of gfortran from version 12 on and of flang, read without their
/// header and their run-time libraries: where both put the same things there is one member. The
/// base address is that of the first element in array element order, also where a stride is
/// negative. The caller of the Fortran routine owns it; it is there until the routine returns. Any
/// thread.
struct Descriptor {
  static constexpr int kMaxRank = 15;

  void* base_addr;
  std::size_t elem_len;  ///< bytes of one element
  std::int32_t version;
  std::int8_t rank;
  std::int8_t attribute_or_type;   ///< gfortran: the attribute; flang: the type
  std::int16_t type_or_attribute;  ///< gfortran: the type; flang: two more bytes
  Dimension dim[kMaxRank];         // NOLINT(modernize-avoid-c-arrays): as it lies in memory

  /// gfortran 12 gives a dummy argument of class(*) that is handed on the length of a container
  /// instead of that of its elements, and the type CFI_type_other. Then the datatype says how long
  /// they are: with MPI_BYTE, a whole array has to be passed with all of its bytes.
  [[nodiscard]] bool length_is_wrong() const { return version == 1 && type_or_attribute == -1; }

  /// The address of the first element: the base address, but where gfortran 12 hands on a scalar of
  /// class(*). There the base address is that of its container, which begins with the one wanted.
  /// (An element of a class(*) array has the length of a longer container, and its own address.)
  [[nodiscard]] void* first() const {
    constexpr std::size_t kScalarContainer = 3 * sizeof(void*);
    if (rank == 0 && length_is_wrong() && elem_len == kScalarContainer) [[unlikely]]
      return *static_cast<void**>(base_addr);
    return base_addr;
  }

  /// Whether the elements lie one behind the other, so that C can take the base address as it is.
  /// False in rare cases where they do: an array section of one element, or a class(*) array.
  [[nodiscard]] bool is_plainly_contiguous() const {
    if (rank == 0) return true;
    if (dim[0].sm != static_cast<std::ptrdiff_t>(elem_len) || length_is_wrong()) return false;
    for (int i = 1; i < rank; ++i) {
      if (dim[i].sm != dim[i - 1].sm * dim[i - 1].extent) return false;
    }
    return true;
  }
  /// The same of no more than two dimensions, quickly; where it is true first() is base_addr.
  [[nodiscard]] bool is_whole() const {
    const auto length = static_cast<std::ptrdiff_t>(elem_len);
    if (type_or_attribute == -1) [[unlikely]]
      return false;
    if (rank == 1) [[likely]]
      return dim[0].sm == length;
    if (rank == 0) return true;
    return rank == 2 && dim[0].sm == length && dim[1].sm == length * dim[0].extent;
  }
};
static_assert(offsetof(Descriptor, version) == 16 && offsetof(Descriptor, rank) == 20 &&
              offsetof(Descriptor, type_or_attribute) == 22 && offsetof(Descriptor, dim) == 24);

}  // namespace remit::fortran
