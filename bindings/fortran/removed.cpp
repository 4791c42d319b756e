// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Routines of MPI-1 that MPI-3.0 removed and old programs call. No module and no mpif.h names them.
// Addresses, displacements and extents are INTEGERs here; one that is too long is an error.

#include <climits>
#include <vector>

#include "bindings/fortran/marshal.hpp"
#include "bindings/fortran/raise.hpp"

namespace remit::fortran {

namespace {

/// Stores what C has found, if it fits.
void store(int error, MPI_Aint found, int* value, int* ierror, const char* routine,
           const char* better) {
  if (error == MPI_SUCCESS && (found < INT_MIN || found > INT_MAX)) {
    error = raise(Subject(), MPI_ERR_ARG, routine,
                  "the result does not fit into an INTEGER; call " + std::string(better));
  } else if (error == MPI_SUCCESS) {
    *value = static_cast<int>(found);
  }
  set(ierror, error);
}

struct Bounds {
  int error;
  MPI_Aint lb = 0;
  MPI_Aint extent = 0;
};
Bounds bounds(int type) {
  Bounds found{};
  found.error = MPI_Type_get_extent(handle<MPI_Datatype>(type), &found.lb, &found.extent);
  return found;
}

std::vector<MPI_Aint> long_values(const int* values, int count) {
  return {values, values + std::max(count, 0)};
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

void mpi_address_(const void* location, int* where, int* ierror) {
  MPI_Aint found = 0;
  const int error = MPI_Get_address(buffer_at(location), &found);
  store(error, found, where, ierror, "MPI_Address", "MPI_Get_address");
}

void mpi_type_extent_(const int* type, int* extent, int* ierror) {
  const auto [error, lb, found] = bounds(*type);
  store(error, found, extent, ierror, "MPI_Type_extent", "MPI_Type_get_extent");
}
void mpi_type_lb_(const int* type, int* displacement, int* ierror) {
  const auto [error, lb, extent] = bounds(*type);
  store(error, lb, displacement, ierror, "MPI_Type_lb", "MPI_Type_get_extent");
}
void mpi_type_ub_(const int* type, int* displacement, int* ierror) {
  const auto [error, lb, extent] = bounds(*type);
  store(error, lb + extent, displacement, ierror, "MPI_Type_ub", "MPI_Type_get_extent");
}

void mpi_type_hvector_(const int* count, const int* blocklength, const int* stride,
                       const int* oldtype, int* newtype, int* ierror) {
  HandleOut<MPI_Datatype> made(newtype);
  set(ierror, MPI_Type_create_hvector(*count, *blocklength, *stride, handle<MPI_Datatype>(*oldtype),
                                      made.data()));
}

void mpi_type_hindexed_(const int* count, const int* blocklengths, const int* displacements,
                        const int* oldtype, int* newtype, int* ierror) {
  HandleOut<MPI_Datatype> made(newtype);
  set(ierror,
      MPI_Type_create_hindexed(*count, blocklengths, long_values(displacements, *count).data(),
                               handle<MPI_Datatype>(*oldtype), made.data()));
}

void mpi_type_struct_(const int* count, const int* blocklengths, const int* displacements,
                      const int* types, int* newtype, int* ierror) {
  HandlesIn<MPI_Datatype> c_types(types, *count);
  HandleOut<MPI_Datatype> made(newtype);
  set(ierror,
      MPI_Type_create_struct(*count, blocklengths, long_values(displacements, *count).data(),
                             c_types.data(), made.data()));
}

#pragma GCC visibility pop
}  // extern "C"

}  // namespace remit::fortran
