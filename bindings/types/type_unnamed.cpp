// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Predefined types by their properties (MPI-5.0, sections 6.9.4 and 19.1.9).
#include "bindings/entry.hpp"
#include "bindings/weak.hpp"
#include "datatype/unnamed_types.hpp"

namespace remit {

namespace {

/// Hands out what `find(types)` gives.
template <class Find>
int find_type(const char* function, MPI_Datatype* out, const char* argument, Find&& find) {
  Entry entry(function);
  if (int err = entry.not_null(out, argument)) return err;
  const Expected<const Datatype*> type = find(*entry.instance().unnamed_types);
  if (!type) return entry.fail(type.error().code, "{}", type.error().message);
  *out = (*type)->handle();
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Type_create_f90_real(int p, int r, MPI_Datatype* newtype) try {
  return find_type("MPI_Type_create_f90_real", newtype, "newtype",
                   [=](UnnamedTypes& types) { return types.f90_real(p, r); });
} catch (...) {
  return caught("MPI_Type_create_f90_real");
}
REMIT_WEAK(Type_create_f90_real);

int PMPI_Type_create_f90_complex(int p, int r, MPI_Datatype* newtype) try {
  return find_type("MPI_Type_create_f90_complex", newtype, "newtype",
                   [=](UnnamedTypes& types) { return types.f90_complex(p, r); });
} catch (...) {
  return caught("MPI_Type_create_f90_complex");
}
REMIT_WEAK(Type_create_f90_complex);

int PMPI_Type_create_f90_integer(int r, MPI_Datatype* newtype) try {
  return find_type("MPI_Type_create_f90_integer", newtype, "newtype",
                   [=](UnnamedTypes& types) { return types.f90_integer(r); });
} catch (...) {
  return caught("MPI_Type_create_f90_integer");
}
REMIT_WEAK(Type_create_f90_integer);

int PMPI_Type_match_size(int typeclass, int size, MPI_Datatype* datatype) try {
  return find_type("MPI_Type_match_size", datatype, "datatype",
                   [=](UnnamedTypes&) { return match_size(typeclass, size); });
} catch (...) {
  return caught("MPI_Type_match_size");
}
REMIT_WEAK(Type_match_size);

int PMPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type,
                              MPI_Datatype* pair_type) try {
  Entry entry("MPI_Type_get_value_index");
  const Datatype* value = nullptr;
  const Datatype* index = nullptr;
  if (int err = entry.any_datatype(value_type, value, "value_type")) return err;
  if (int err = entry.any_datatype(index_type, index, "index_type")) return err;
  if (int err = entry.not_null(pair_type, "pair_type")) return err;
  const Datatype* pair = entry.instance().unnamed_types->value_index(*value, *index);
  *pair_type = pair != nullptr ? pair->handle() : MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Type_get_value_index");
}
REMIT_WEAK(Type_get_value_index);
