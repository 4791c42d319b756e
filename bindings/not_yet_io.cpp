// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// not_yet_io.cpp: what does not work yet of files. Who implements a function deletes it here.

#include "bindings/not_yet.hpp"
#include "bindings/weak.hpp"

using remit::not_yet;

// Opening, closing, views, positions, hints (chapter 14).

int PMPI_File_close(MPI_File* fh) {
  return not_yet(fh, "MPI_File_close");
}
REMIT_WEAK(File_close);
int PMPI_File_delete(const char*, MPI_Info) {
  return not_yet(MPI_FILE_NULL, "MPI_File_delete");
}
REMIT_WEAK(File_delete);
int PMPI_File_get_amode(MPI_File fh, int*) {
  return not_yet(fh, "MPI_File_get_amode");
}
REMIT_WEAK(File_get_amode);
int PMPI_File_get_atomicity(MPI_File fh, int*) {
  return not_yet(fh, "MPI_File_get_atomicity");
}
REMIT_WEAK(File_get_atomicity);
int PMPI_File_get_byte_offset(MPI_File fh, MPI_Offset, MPI_Offset*) {
  return not_yet(fh, "MPI_File_get_byte_offset");
}
REMIT_WEAK(File_get_byte_offset);
int PMPI_File_get_group(MPI_File fh, MPI_Group*) {
  return not_yet(fh, "MPI_File_get_group");
}
REMIT_WEAK(File_get_group);
int PMPI_File_get_info(MPI_File fh, MPI_Info*) {
  return not_yet(fh, "MPI_File_get_info");
}
REMIT_WEAK(File_get_info);
int PMPI_File_get_position(MPI_File fh, MPI_Offset*) {
  return not_yet(fh, "MPI_File_get_position");
}
REMIT_WEAK(File_get_position);
int PMPI_File_get_position_shared(MPI_File fh, MPI_Offset*) {
  return not_yet(fh, "MPI_File_get_position_shared");
}
REMIT_WEAK(File_get_position_shared);
int PMPI_File_get_size(MPI_File fh, MPI_Offset*) {
  return not_yet(fh, "MPI_File_get_size");
}
REMIT_WEAK(File_get_size);
int PMPI_File_get_type_extent(MPI_File fh, MPI_Datatype, MPI_Aint*) {
  return not_yet(fh, "MPI_File_get_type_extent");
}
REMIT_WEAK(File_get_type_extent);
int PMPI_File_get_type_extent_c(MPI_File fh, MPI_Datatype, MPI_Count*) {
  return not_yet(fh, "MPI_File_get_type_extent_c");
}
REMIT_WEAK(File_get_type_extent_c);
int PMPI_File_get_view(MPI_File fh, MPI_Offset*, MPI_Datatype*, MPI_Datatype*, char*) {
  return not_yet(fh, "MPI_File_get_view");
}
REMIT_WEAK(File_get_view);
int PMPI_File_open(MPI_Comm, const char*, int, MPI_Info, MPI_File*) {
  return not_yet(MPI_FILE_NULL, "MPI_File_open");
}
REMIT_WEAK(File_open);
int PMPI_File_preallocate(MPI_File fh, MPI_Offset) {
  return not_yet(fh, "MPI_File_preallocate");
}
REMIT_WEAK(File_preallocate);
int PMPI_File_seek(MPI_File fh, MPI_Offset, int) {
  return not_yet(fh, "MPI_File_seek");
}
REMIT_WEAK(File_seek);
int PMPI_File_seek_shared(MPI_File fh, MPI_Offset, int) {
  return not_yet(fh, "MPI_File_seek_shared");
}
REMIT_WEAK(File_seek_shared);
int PMPI_File_set_atomicity(MPI_File fh, int) {
  return not_yet(fh, "MPI_File_set_atomicity");
}
REMIT_WEAK(File_set_atomicity);
int PMPI_File_set_info(MPI_File fh, MPI_Info) {
  return not_yet(fh, "MPI_File_set_info");
}
REMIT_WEAK(File_set_info);
int PMPI_File_set_size(MPI_File fh, MPI_Offset) {
  return not_yet(fh, "MPI_File_set_size");
}
REMIT_WEAK(File_set_size);
int PMPI_File_set_view(MPI_File fh, MPI_Offset, MPI_Datatype, MPI_Datatype, const char*, MPI_Info) {
  return not_yet(fh, "MPI_File_set_view");
}
REMIT_WEAK(File_set_view);
int PMPI_File_sync(MPI_File fh) {
  return not_yet(fh, "MPI_File_sync");
}
REMIT_WEAK(File_sync);

// Blocking data access (chapter 14).

int PMPI_File_read(MPI_File fh, void*, int, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_read");
}
REMIT_WEAK(File_read);
int PMPI_File_read_c(MPI_File fh, void*, MPI_Count, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_read_c");
}
REMIT_WEAK(File_read_c);
int PMPI_File_read_all(MPI_File fh, void*, int, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_read_all");
}
REMIT_WEAK(File_read_all);
int PMPI_File_read_all_c(MPI_File fh, void*, MPI_Count, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_read_all_c");
}
REMIT_WEAK(File_read_all_c);
int PMPI_File_read_at(MPI_File fh, MPI_Offset, void*, int, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_read_at");
}
REMIT_WEAK(File_read_at);
int PMPI_File_read_at_c(MPI_File fh, MPI_Offset, void*, MPI_Count, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_read_at_c");
}
REMIT_WEAK(File_read_at_c);
int PMPI_File_read_at_all(MPI_File fh, MPI_Offset, void*, int, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_read_at_all");
}
REMIT_WEAK(File_read_at_all);
int PMPI_File_read_at_all_c(MPI_File fh, MPI_Offset, void*, MPI_Count, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_read_at_all_c");
}
REMIT_WEAK(File_read_at_all_c);
int PMPI_File_read_ordered(MPI_File fh, void*, int, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_read_ordered");
}
REMIT_WEAK(File_read_ordered);
int PMPI_File_read_ordered_c(MPI_File fh, void*, MPI_Count, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_read_ordered_c");
}
REMIT_WEAK(File_read_ordered_c);
int PMPI_File_read_shared(MPI_File fh, void*, int, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_read_shared");
}
REMIT_WEAK(File_read_shared);
int PMPI_File_read_shared_c(MPI_File fh, void*, MPI_Count, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_read_shared_c");
}
REMIT_WEAK(File_read_shared_c);
int PMPI_File_write(MPI_File fh, const void*, int, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_write");
}
REMIT_WEAK(File_write);
int PMPI_File_write_c(MPI_File fh, const void*, MPI_Count, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_write_c");
}
REMIT_WEAK(File_write_c);
int PMPI_File_write_all(MPI_File fh, const void*, int, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_write_all");
}
REMIT_WEAK(File_write_all);
int PMPI_File_write_all_c(MPI_File fh, const void*, MPI_Count, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_write_all_c");
}
REMIT_WEAK(File_write_all_c);
int PMPI_File_write_at(MPI_File fh, MPI_Offset, const void*, int, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_write_at");
}
REMIT_WEAK(File_write_at);
int PMPI_File_write_at_c(MPI_File fh, MPI_Offset, const void*, MPI_Count, MPI_Datatype,
                         MPI_Status*) {
  return not_yet(fh, "MPI_File_write_at_c");
}
REMIT_WEAK(File_write_at_c);
int PMPI_File_write_at_all(MPI_File fh, MPI_Offset, const void*, int, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_write_at_all");
}
REMIT_WEAK(File_write_at_all);
int PMPI_File_write_at_all_c(MPI_File fh, MPI_Offset, const void*, MPI_Count, MPI_Datatype,
                             MPI_Status*) {
  return not_yet(fh, "MPI_File_write_at_all_c");
}
REMIT_WEAK(File_write_at_all_c);
int PMPI_File_write_ordered(MPI_File fh, const void*, int, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_write_ordered");
}
REMIT_WEAK(File_write_ordered);
int PMPI_File_write_ordered_c(MPI_File fh, const void*, MPI_Count, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_write_ordered_c");
}
REMIT_WEAK(File_write_ordered_c);
int PMPI_File_write_shared(MPI_File fh, const void*, int, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_write_shared");
}
REMIT_WEAK(File_write_shared);
int PMPI_File_write_shared_c(MPI_File fh, const void*, MPI_Count, MPI_Datatype, MPI_Status*) {
  return not_yet(fh, "MPI_File_write_shared_c");
}
REMIT_WEAK(File_write_shared_c);

// Nonblocking data access (chapter 14).

int PMPI_File_iread(MPI_File fh, void*, int, MPI_Datatype, MPI_Request*) {
  return not_yet(fh, "MPI_File_iread");
}
REMIT_WEAK(File_iread);
int PMPI_File_iread_c(MPI_File fh, void*, MPI_Count, MPI_Datatype, MPI_Request*) {
  return not_yet(fh, "MPI_File_iread_c");
}
REMIT_WEAK(File_iread_c);
int PMPI_File_iread_all(MPI_File fh, void*, int, MPI_Datatype, MPI_Request*) {
  return not_yet(fh, "MPI_File_iread_all");
}
REMIT_WEAK(File_iread_all);
int PMPI_File_iread_all_c(MPI_File fh, void*, MPI_Count, MPI_Datatype, MPI_Request*) {
  return not_yet(fh, "MPI_File_iread_all_c");
}
REMIT_WEAK(File_iread_all_c);
int PMPI_File_iread_at(MPI_File fh, MPI_Offset, void*, int, MPI_Datatype, MPI_Request*) {
  return not_yet(fh, "MPI_File_iread_at");
}
REMIT_WEAK(File_iread_at);
int PMPI_File_iread_at_c(MPI_File fh, MPI_Offset, void*, MPI_Count, MPI_Datatype, MPI_Request*) {
  return not_yet(fh, "MPI_File_iread_at_c");
}
REMIT_WEAK(File_iread_at_c);
int PMPI_File_iread_at_all(MPI_File fh, MPI_Offset, void*, int, MPI_Datatype, MPI_Request*) {
  return not_yet(fh, "MPI_File_iread_at_all");
}
REMIT_WEAK(File_iread_at_all);
int PMPI_File_iread_at_all_c(MPI_File fh, MPI_Offset, void*, MPI_Count, MPI_Datatype,
                             MPI_Request*) {
  return not_yet(fh, "MPI_File_iread_at_all_c");
}
REMIT_WEAK(File_iread_at_all_c);
int PMPI_File_iread_shared(MPI_File fh, void*, int, MPI_Datatype, MPI_Request*) {
  return not_yet(fh, "MPI_File_iread_shared");
}
REMIT_WEAK(File_iread_shared);
int PMPI_File_iread_shared_c(MPI_File fh, void*, MPI_Count, MPI_Datatype, MPI_Request*) {
  return not_yet(fh, "MPI_File_iread_shared_c");
}
REMIT_WEAK(File_iread_shared_c);
int PMPI_File_iwrite(MPI_File fh, const void*, int, MPI_Datatype, MPI_Request*) {
  return not_yet(fh, "MPI_File_iwrite");
}
REMIT_WEAK(File_iwrite);
int PMPI_File_iwrite_c(MPI_File fh, const void*, MPI_Count, MPI_Datatype, MPI_Request*) {
  return not_yet(fh, "MPI_File_iwrite_c");
}
REMIT_WEAK(File_iwrite_c);
int PMPI_File_iwrite_all(MPI_File fh, const void*, int, MPI_Datatype, MPI_Request*) {
  return not_yet(fh, "MPI_File_iwrite_all");
}
REMIT_WEAK(File_iwrite_all);
int PMPI_File_iwrite_all_c(MPI_File fh, const void*, MPI_Count, MPI_Datatype, MPI_Request*) {
  return not_yet(fh, "MPI_File_iwrite_all_c");
}
REMIT_WEAK(File_iwrite_all_c);
int PMPI_File_iwrite_at(MPI_File fh, MPI_Offset, const void*, int, MPI_Datatype, MPI_Request*) {
  return not_yet(fh, "MPI_File_iwrite_at");
}
REMIT_WEAK(File_iwrite_at);
int PMPI_File_iwrite_at_c(MPI_File fh, MPI_Offset, const void*, MPI_Count, MPI_Datatype,
                          MPI_Request*) {
  return not_yet(fh, "MPI_File_iwrite_at_c");
}
REMIT_WEAK(File_iwrite_at_c);
int PMPI_File_iwrite_at_all(MPI_File fh, MPI_Offset, const void*, int, MPI_Datatype, MPI_Request*) {
  return not_yet(fh, "MPI_File_iwrite_at_all");
}
REMIT_WEAK(File_iwrite_at_all);
int PMPI_File_iwrite_at_all_c(MPI_File fh, MPI_Offset, const void*, MPI_Count, MPI_Datatype,
                              MPI_Request*) {
  return not_yet(fh, "MPI_File_iwrite_at_all_c");
}
REMIT_WEAK(File_iwrite_at_all_c);
int PMPI_File_iwrite_shared(MPI_File fh, const void*, int, MPI_Datatype, MPI_Request*) {
  return not_yet(fh, "MPI_File_iwrite_shared");
}
REMIT_WEAK(File_iwrite_shared);
int PMPI_File_iwrite_shared_c(MPI_File fh, const void*, MPI_Count, MPI_Datatype, MPI_Request*) {
  return not_yet(fh, "MPI_File_iwrite_shared_c");
}
REMIT_WEAK(File_iwrite_shared_c);

// Split collective data access (chapter 14).

int PMPI_File_read_all_begin(MPI_File fh, void*, int, MPI_Datatype) {
  return not_yet(fh, "MPI_File_read_all_begin");
}
REMIT_WEAK(File_read_all_begin);
int PMPI_File_read_all_begin_c(MPI_File fh, void*, MPI_Count, MPI_Datatype) {
  return not_yet(fh, "MPI_File_read_all_begin_c");
}
REMIT_WEAK(File_read_all_begin_c);
int PMPI_File_read_all_end(MPI_File fh, void*, MPI_Status*) {
  return not_yet(fh, "MPI_File_read_all_end");
}
REMIT_WEAK(File_read_all_end);
int PMPI_File_read_at_all_begin(MPI_File fh, MPI_Offset, void*, int, MPI_Datatype) {
  return not_yet(fh, "MPI_File_read_at_all_begin");
}
REMIT_WEAK(File_read_at_all_begin);
int PMPI_File_read_at_all_begin_c(MPI_File fh, MPI_Offset, void*, MPI_Count, MPI_Datatype) {
  return not_yet(fh, "MPI_File_read_at_all_begin_c");
}
REMIT_WEAK(File_read_at_all_begin_c);
int PMPI_File_read_at_all_end(MPI_File fh, void*, MPI_Status*) {
  return not_yet(fh, "MPI_File_read_at_all_end");
}
REMIT_WEAK(File_read_at_all_end);
int PMPI_File_read_ordered_begin(MPI_File fh, void*, int, MPI_Datatype) {
  return not_yet(fh, "MPI_File_read_ordered_begin");
}
REMIT_WEAK(File_read_ordered_begin);
int PMPI_File_read_ordered_begin_c(MPI_File fh, void*, MPI_Count, MPI_Datatype) {
  return not_yet(fh, "MPI_File_read_ordered_begin_c");
}
REMIT_WEAK(File_read_ordered_begin_c);
int PMPI_File_read_ordered_end(MPI_File fh, void*, MPI_Status*) {
  return not_yet(fh, "MPI_File_read_ordered_end");
}
REMIT_WEAK(File_read_ordered_end);
int PMPI_File_write_all_begin(MPI_File fh, const void*, int, MPI_Datatype) {
  return not_yet(fh, "MPI_File_write_all_begin");
}
REMIT_WEAK(File_write_all_begin);
int PMPI_File_write_all_begin_c(MPI_File fh, const void*, MPI_Count, MPI_Datatype) {
  return not_yet(fh, "MPI_File_write_all_begin_c");
}
REMIT_WEAK(File_write_all_begin_c);
int PMPI_File_write_all_end(MPI_File fh, const void*, MPI_Status*) {
  return not_yet(fh, "MPI_File_write_all_end");
}
REMIT_WEAK(File_write_all_end);
int PMPI_File_write_at_all_begin(MPI_File fh, MPI_Offset, const void*, int, MPI_Datatype) {
  return not_yet(fh, "MPI_File_write_at_all_begin");
}
REMIT_WEAK(File_write_at_all_begin);
int PMPI_File_write_at_all_begin_c(MPI_File fh, MPI_Offset, const void*, MPI_Count, MPI_Datatype) {
  return not_yet(fh, "MPI_File_write_at_all_begin_c");
}
REMIT_WEAK(File_write_at_all_begin_c);
int PMPI_File_write_at_all_end(MPI_File fh, const void*, MPI_Status*) {
  return not_yet(fh, "MPI_File_write_at_all_end");
}
REMIT_WEAK(File_write_at_all_end);
int PMPI_File_write_ordered_begin(MPI_File fh, const void*, int, MPI_Datatype) {
  return not_yet(fh, "MPI_File_write_ordered_begin");
}
REMIT_WEAK(File_write_ordered_begin);
int PMPI_File_write_ordered_begin_c(MPI_File fh, const void*, MPI_Count, MPI_Datatype) {
  return not_yet(fh, "MPI_File_write_ordered_begin_c");
}
REMIT_WEAK(File_write_ordered_begin_c);
int PMPI_File_write_ordered_end(MPI_File fh, const void*, MPI_Status*) {
  return not_yet(fh, "MPI_File_write_ordered_end");
}
REMIT_WEAK(File_write_ordered_end);

// Data representations (chapter 14).

int PMPI_Register_datarep(const char*, MPI_Datarep_conversion_function*,
                          MPI_Datarep_conversion_function*, MPI_Datarep_extent_function*, void*) {
  return not_yet(MPI_FILE_NULL, "MPI_Register_datarep");
}
REMIT_WEAK(Register_datarep);
int PMPI_Register_datarep_c(const char*, MPI_Datarep_conversion_function_c*,
                            MPI_Datarep_conversion_function_c*, MPI_Datarep_extent_function*,
                            void*) {
  return not_yet(MPI_FILE_NULL, "MPI_Register_datarep_c");
}
REMIT_WEAK(Register_datarep_c);
