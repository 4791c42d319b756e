// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// not_yet_type.cpp: what does not work yet of datatypes. Who implements a function deletes it here.

#include "bindings/not_yet.hpp"
#include "bindings/weak.hpp"

using remit::not_yet;

// Constructing and managing (chapter 5).

int PMPI_Type_commit(MPI_Datatype*) {
  return not_yet("MPI_Type_commit");
}
REMIT_WEAK(Type_commit);
int PMPI_Type_contiguous(int, MPI_Datatype, MPI_Datatype*) {
  return not_yet("MPI_Type_contiguous");
}
REMIT_WEAK(Type_contiguous);
int PMPI_Type_contiguous_c(MPI_Count, MPI_Datatype, MPI_Datatype*) {
  return not_yet("MPI_Type_contiguous_c");
}
REMIT_WEAK(Type_contiguous_c);
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
int PMPI_Type_create_hindexed(int, const int[], const MPI_Aint[], MPI_Datatype, MPI_Datatype*) {
  return not_yet("MPI_Type_create_hindexed");
}
REMIT_WEAK(Type_create_hindexed);
int PMPI_Type_create_hindexed_c(MPI_Count, const MPI_Count[], const MPI_Count[], MPI_Datatype,
                                MPI_Datatype*) {
  return not_yet("MPI_Type_create_hindexed_c");
}
REMIT_WEAK(Type_create_hindexed_c);
int PMPI_Type_create_hindexed_block(int, int, const MPI_Aint[], MPI_Datatype, MPI_Datatype*) {
  return not_yet("MPI_Type_create_hindexed_block");
}
REMIT_WEAK(Type_create_hindexed_block);
int PMPI_Type_create_hindexed_block_c(MPI_Count, MPI_Count, const MPI_Count[], MPI_Datatype,
                                      MPI_Datatype*) {
  return not_yet("MPI_Type_create_hindexed_block_c");
}
REMIT_WEAK(Type_create_hindexed_block_c);
int PMPI_Type_create_hvector(int, int, MPI_Aint, MPI_Datatype, MPI_Datatype*) {
  return not_yet("MPI_Type_create_hvector");
}
REMIT_WEAK(Type_create_hvector);
int PMPI_Type_create_hvector_c(MPI_Count, MPI_Count, MPI_Count, MPI_Datatype, MPI_Datatype*) {
  return not_yet("MPI_Type_create_hvector_c");
}
REMIT_WEAK(Type_create_hvector_c);
int PMPI_Type_create_indexed_block(int, int, const int[], MPI_Datatype, MPI_Datatype*) {
  return not_yet("MPI_Type_create_indexed_block");
}
REMIT_WEAK(Type_create_indexed_block);
int PMPI_Type_create_indexed_block_c(MPI_Count, MPI_Count, const MPI_Count[], MPI_Datatype,
                                     MPI_Datatype*) {
  return not_yet("MPI_Type_create_indexed_block_c");
}
REMIT_WEAK(Type_create_indexed_block_c);
int PMPI_Type_create_resized(MPI_Datatype, MPI_Aint, MPI_Aint, MPI_Datatype*) {
  return not_yet("MPI_Type_create_resized");
}
REMIT_WEAK(Type_create_resized);
int PMPI_Type_create_resized_c(MPI_Datatype, MPI_Count, MPI_Count, MPI_Datatype*) {
  return not_yet("MPI_Type_create_resized_c");
}
REMIT_WEAK(Type_create_resized_c);
int PMPI_Type_create_struct(int, const int[], const MPI_Aint[], const MPI_Datatype[],
                            MPI_Datatype*) {
  return not_yet("MPI_Type_create_struct");
}
REMIT_WEAK(Type_create_struct);
int PMPI_Type_create_struct_c(MPI_Count, const MPI_Count[], const MPI_Count[], const MPI_Datatype[],
                              MPI_Datatype*) {
  return not_yet("MPI_Type_create_struct_c");
}
REMIT_WEAK(Type_create_struct_c);
int PMPI_Type_create_subarray(int, const int[], const int[], const int[], int, MPI_Datatype,
                              MPI_Datatype*) {
  return not_yet("MPI_Type_create_subarray");
}
REMIT_WEAK(Type_create_subarray);
int PMPI_Type_create_subarray_c(int, const MPI_Count[], const MPI_Count[], const MPI_Count[], int,
                                MPI_Datatype, MPI_Datatype*) {
  return not_yet("MPI_Type_create_subarray_c");
}
REMIT_WEAK(Type_create_subarray_c);
int PMPI_Type_dup(MPI_Datatype, MPI_Datatype*) {
  return not_yet("MPI_Type_dup");
}
REMIT_WEAK(Type_dup);
int PMPI_Type_free(MPI_Datatype*) {
  return not_yet("MPI_Type_free");
}
REMIT_WEAK(Type_free);
int PMPI_Type_get_name(MPI_Datatype, char*, int*) {
  return not_yet("MPI_Type_get_name");
}
REMIT_WEAK(Type_get_name);
int PMPI_Type_indexed(int, const int[], const int[], MPI_Datatype, MPI_Datatype*) {
  return not_yet("MPI_Type_indexed");
}
REMIT_WEAK(Type_indexed);
int PMPI_Type_indexed_c(MPI_Count, const MPI_Count[], const MPI_Count[], MPI_Datatype,
                        MPI_Datatype*) {
  return not_yet("MPI_Type_indexed_c");
}
REMIT_WEAK(Type_indexed_c);
int PMPI_Type_set_name(MPI_Datatype, const char*) {
  return not_yet("MPI_Type_set_name");
}
REMIT_WEAK(Type_set_name);
int PMPI_Type_vector(int, int, int, MPI_Datatype, MPI_Datatype*) {
  return not_yet("MPI_Type_vector");
}
REMIT_WEAK(Type_vector);
int PMPI_Type_vector_c(MPI_Count, MPI_Count, MPI_Count, MPI_Datatype, MPI_Datatype*) {
  return not_yet("MPI_Type_vector_c");
}
REMIT_WEAK(Type_vector_c);

// Asking about a type; counting elements (chapter 5).

int PMPI_Get_elements(const MPI_Status*, MPI_Datatype, int*) {
  return not_yet("MPI_Get_elements");
}
REMIT_WEAK(Get_elements);
int PMPI_Get_elements_c(const MPI_Status*, MPI_Datatype, MPI_Count*) {
  return not_yet("MPI_Get_elements_c");
}
REMIT_WEAK(Get_elements_c);
int PMPI_Get_elements_x(const MPI_Status*, MPI_Datatype, MPI_Count*) {
  return not_yet("MPI_Get_elements_x");
}
REMIT_WEAK(Get_elements_x);
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
int PMPI_Type_get_extent(MPI_Datatype, MPI_Aint*, MPI_Aint*) {
  return not_yet("MPI_Type_get_extent");
}
REMIT_WEAK(Type_get_extent);
int PMPI_Type_get_extent_c(MPI_Datatype, MPI_Count*, MPI_Count*) {
  return not_yet("MPI_Type_get_extent_c");
}
REMIT_WEAK(Type_get_extent_c);
int PMPI_Type_get_extent_x(MPI_Datatype, MPI_Count*, MPI_Count*) {
  return not_yet("MPI_Type_get_extent_x");
}
REMIT_WEAK(Type_get_extent_x);
int PMPI_Type_get_true_extent(MPI_Datatype, MPI_Aint*, MPI_Aint*) {
  return not_yet("MPI_Type_get_true_extent");
}
REMIT_WEAK(Type_get_true_extent);
int PMPI_Type_get_true_extent_c(MPI_Datatype, MPI_Count*, MPI_Count*) {
  return not_yet("MPI_Type_get_true_extent_c");
}
REMIT_WEAK(Type_get_true_extent_c);
int PMPI_Type_get_true_extent_x(MPI_Datatype, MPI_Count*, MPI_Count*) {
  return not_yet("MPI_Type_get_true_extent_x");
}
REMIT_WEAK(Type_get_true_extent_x);
int PMPI_Type_get_value_index(MPI_Datatype, MPI_Datatype, MPI_Datatype*) {
  return not_yet("MPI_Type_get_value_index");
}
REMIT_WEAK(Type_get_value_index);
int PMPI_Type_size(MPI_Datatype, int*) {
  return not_yet("MPI_Type_size");
}
REMIT_WEAK(Type_size);
int PMPI_Type_size_c(MPI_Datatype, MPI_Count*) {
  return not_yet("MPI_Type_size_c");
}
REMIT_WEAK(Type_size_c);
int PMPI_Type_size_x(MPI_Datatype, MPI_Count*) {
  return not_yet("MPI_Type_size_x");
}
REMIT_WEAK(Type_size_x);

// Pack and unpack (chapter 5).

int PMPI_Pack(const void*, int, MPI_Datatype, void*, int, int*, MPI_Comm comm) {
  return not_yet(comm, "MPI_Pack");
}
REMIT_WEAK(Pack);
int PMPI_Pack_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Count*, MPI_Comm comm) {
  return not_yet(comm, "MPI_Pack_c");
}
REMIT_WEAK(Pack_c);
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
int PMPI_Pack_size(int, MPI_Datatype, MPI_Comm comm, int*) {
  return not_yet(comm, "MPI_Pack_size");
}
REMIT_WEAK(Pack_size);
int PMPI_Pack_size_c(MPI_Count, MPI_Datatype, MPI_Comm comm, MPI_Count*) {
  return not_yet(comm, "MPI_Pack_size_c");
}
REMIT_WEAK(Pack_size_c);
int PMPI_Unpack(const void*, int, int*, void*, int, MPI_Datatype, MPI_Comm comm) {
  return not_yet(comm, "MPI_Unpack");
}
REMIT_WEAK(Unpack);
int PMPI_Unpack_c(const void*, MPI_Count, MPI_Count*, void*, MPI_Count, MPI_Datatype,
                  MPI_Comm comm) {
  return not_yet(comm, "MPI_Unpack_c");
}
REMIT_WEAK(Unpack_c);
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
