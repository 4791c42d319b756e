// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Predefined types that have no constant: Fortran's parametric kinds, and value-index pairs.
#pragma once

#include <map>
#include <utility>

#include "datatype/datatype.hpp"

namespace remit {

/// The types that MPI_Type_create_f90_X and MPI_Type_get_value_index hand out. Equal arguments give
/// the same type. They are committed, belong to this object, and die with it.
class UnnamedTypes {
 public:
  /// Fortran's real with at least `precision` decimal digits and a decimal exponent range of at
  /// least `range`; either, but not both, may be MPI_UNDEFINED (MPI-5.0 section 19.1.9).
  /// MPI_ERR_ARG where compilers of this platform have no such kind.
  [[nodiscard]] Expected<const Datatype*> f90_real(int precision, int range);
  /// Two such reals.
  [[nodiscard]] Expected<const Datatype*> f90_complex(int precision, int range);
  /// Fortran's integer with values from -10^range to 10^range, both excluded.
  [[nodiscard]] Expected<const Datatype*> f90_integer(int range);
  /// The type of a struct of a value and an index for MPI_MINLOC and MPI_MAXLOC: one of the named
  /// ones where there is one, else an unnamed one. Null if the two cannot be such a pair: values
  /// are integers or floating point, indices integers (or the two as in MPI_2REAL).
  [[nodiscard]] const Datatype* value_index(const Datatype& value, const Datatype& index);

 private:
  std::map<std::pair<int, int>, Ref<Datatype>> reals_;
  std::map<std::pair<int, int>, Ref<Datatype>> complexes_;
  std::map<int, Ref<Datatype>> integers_;
  std::map<std::pair<const Datatype*, const Datatype*>, Ref<Datatype>> pairs_;
};

/// The types of which a pair is made, named or not; null for what is no pair.
struct PairTypes {
  const Datatype* value = nullptr;
  const Datatype* index = nullptr;
};
[[nodiscard]] PairTypes pair_types(const Datatype& type);

/// The named type of a class (MPI_TYPECLASS_X, MPIX_TYPECLASS_LOGICAL) whose elements have `size`
/// bytes; MPI_ERR_ARG if there is none (MPI-5.0 section 19.1.9).
[[nodiscard]] Expected<const Datatype*> match_size(int type_class, int size);

}  // namespace remit
