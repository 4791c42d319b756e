// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/fortran/environment.hpp"

#include <mpi.h>

#include <initializer_list>
#include <string>

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
    const auto set = [&](const char* what, const char* key_end, const char* value) {
      PMPI_Info_set(info, (std::string("mpi_") + what + key_end).c_str(), value);
    };
    for (const char* type : {"logical", "integer", "real"}) set(type, "_size", "4");
    set("double_precision", "_size", "8");
    for (const char* type :
         {"logical1", "logical2", "logical4", "logical8", "integer1", "integer2", "integer4",
          "integer8", "real4", "real8", "complex8", "complex16", "double_complex"}) {
      set(type, "_supported", "true");
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
    set_sentinels_of_c();
  }
  return error;
}

}  // namespace remit::fortran
