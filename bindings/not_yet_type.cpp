// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// not_yet_type.cpp: what does not work yet of datatypes. Who implements a function deletes it here.

#include "bindings/not_yet.hpp"
#include "bindings/weak.hpp"

using remit::not_yet;

// Constructing and managing (chapter 5).

int PMPI_Type_create_darray(int, int, int, const int[], const int[], const int[], const int[], int,
                            MPI_Datatype, MPI_Datatype*) {
  return not_yet("MPI_Type_create_darray");
}
REMIT_WEAK(Type_create_darray);
int PMPI_Type_create_darray_c(int, int, int, const MPI_Count[], const int[], const int[],
                              const int[], int, MPI_Datatype, MPI_Datatype*) {
  return not_yet("MPI_Type_create_darray_c");
}
REMIT_WEAK(Type_create_darray_c);

// Asking about a type; counting elements (chapter 5).

int PMPI_Type_get_contents(MPI_Datatype, int, int, int, int[], MPI_Aint[], MPI_Datatype[]) {
  return not_yet("MPI_Type_get_contents");
}
REMIT_WEAK(Type_get_contents);
int PMPI_Type_get_contents_c(MPI_Datatype, MPI_Count, MPI_Count, MPI_Count, MPI_Count, int[],
                             MPI_Aint[], MPI_Count[], MPI_Datatype[]) {
  return not_yet("MPI_Type_get_contents_c");
}
REMIT_WEAK(Type_get_contents_c);
int PMPI_Type_get_envelope(MPI_Datatype, int*, int*, int*, int*) {
  return not_yet("MPI_Type_get_envelope");
}
REMIT_WEAK(Type_get_envelope);
int PMPI_Type_get_envelope_c(MPI_Datatype, MPI_Count*, MPI_Count*, MPI_Count*, MPI_Count*, int*) {
  return not_yet("MPI_Type_get_envelope_c");
}
REMIT_WEAK(Type_get_envelope_c);
int PMPI_Type_get_value_index(MPI_Datatype, MPI_Datatype, MPI_Datatype*) {
  return not_yet("MPI_Type_get_value_index");
}
REMIT_WEAK(Type_get_value_index);

// Pack and unpack (chapter 5).

int PMPI_Pack_external(const char*, const void*, int, MPI_Datatype, void*, MPI_Aint, MPI_Aint*) {
  return not_yet("MPI_Pack_external");
}
REMIT_WEAK(Pack_external);
int PMPI_Pack_external_c(const char*, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                         MPI_Count*) {
  return not_yet("MPI_Pack_external_c");
}
REMIT_WEAK(Pack_external_c);
int PMPI_Pack_external_size(const char*, int, MPI_Datatype, MPI_Aint*) {
  return not_yet("MPI_Pack_external_size");
}
REMIT_WEAK(Pack_external_size);
int PMPI_Pack_external_size_c(const char*, MPI_Count, MPI_Datatype, MPI_Count*) {
  return not_yet("MPI_Pack_external_size_c");
}
REMIT_WEAK(Pack_external_size_c);
int PMPI_Unpack_external(const char[], const void*, MPI_Aint, MPI_Aint*, void*, int, MPI_Datatype) {
  return not_yet("MPI_Unpack_external");
}
REMIT_WEAK(Unpack_external);
int PMPI_Unpack_external_c(const char[], const void*, MPI_Count, MPI_Count*, void*, MPI_Count,
                           MPI_Datatype) {
  return not_yet("MPI_Unpack_external_c");
}
REMIT_WEAK(Unpack_external_c);

// Language Bindings (chapter 19).

int PMPI_Type_create_f90_complex(int, int, MPI_Datatype*) {
  return not_yet("MPI_Type_create_f90_complex");
}
REMIT_WEAK(Type_create_f90_complex);
int PMPI_Type_create_f90_integer(int, MPI_Datatype*) {
  return not_yet("MPI_Type_create_f90_integer");
}
REMIT_WEAK(Type_create_f90_integer);
int PMPI_Type_create_f90_real(int, int, MPI_Datatype*) {
  return not_yet("MPI_Type_create_f90_real");
}
REMIT_WEAK(Type_create_f90_real);
int PMPI_Type_match_size(int, int, MPI_Datatype*) {
  return not_yet("MPI_Type_match_size");
}
REMIT_WEAK(Type_match_size);
