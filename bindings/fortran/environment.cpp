// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/fortran/environment.hpp"

#include <mpi.h>

#include <initializer_list>

// Libraries of earlier versions of the standard ABI lack them.
#pragma weak PMPI_Abi_get_fortran_booleans
#pragma weak PMPI_Abi_set_fortran_booleans
#pragma weak PMPI_Abi_get_fortran_info
#pragma weak PMPI_Abi_set_fortran_info

namespace remit::fortran {

namespace {

void tell_booleans() {
  if (PMPI_Abi_get_fortran_booleans == nullptr || PMPI_Abi_set_fortran_booleans == nullptr) return;
  int yes = 1;
  int no = 0;
  int is_set = 0;
  const int error = PMPI_Abi_get_fortran_booleans(sizeof(int), &yes, &no, &is_set);
  if (error != MPI_SUCCESS || is_set != 0) return;
  yes = 1;
  no = 0;
  PMPI_Abi_set_fortran_booleans(sizeof(int), &yes, &no);
}

void tell_sizes() {
  if (PMPI_Abi_get_fortran_info == nullptr || PMPI_Abi_set_fortran_info == nullptr) return;
  MPI_Info info = MPI_INFO_NULL;
  if (PMPI_Abi_get_fortran_info(&info) != MPI_SUCCESS) return;
  if (info == MPI_INFO_NULL && PMPI_Info_create(&info) == MPI_SUCCESS) {
    for (const auto* key : {"mpi_logical_size", "mpi_integer_size", "mpi_real_size"}) {
      PMPI_Info_set(info, key, "4");
    }
    PMPI_Info_set(info, "mpi_double_precision_size", "8");
    for (const auto* key :
         {"mpi_logical1_supported", "mpi_logical2_supported", "mpi_logical4_supported",
          "mpi_logical8_supported", "mpi_integer1_supported", "mpi_integer2_supported",
          "mpi_integer4_supported", "mpi_integer8_supported", "mpi_real4_supported",
          "mpi_real8_supported", "mpi_complex8_supported", "mpi_complex16_supported",
          "mpi_double_complex_supported"}) {
      PMPI_Info_set(info, key, "true");
    }
    PMPI_Abi_set_fortran_info(info);
  }
  if (info != MPI_INFO_NULL) PMPI_Info_free(&info);
}

}  // namespace

int initialized(int error) {
  if (error == MPI_SUCCESS) {
    tell_booleans();
    tell_sizes();
  }
  return error;
}

}  // namespace remit::fortran
