// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// not_yet_rma.cpp: what does not work yet of one-sided communication. Who implements a function
// deletes it here.

#include "bindings/not_yet.hpp"
#include "bindings/weak.hpp"

using remit::not_yet;

// Windows (chapter 12).

int PMPI_Win_allocate(MPI_Aint, int, MPI_Info, MPI_Comm comm, void*, MPI_Win*) {
  return not_yet(comm, "MPI_Win_allocate");
}
REMIT_WEAK(Win_allocate);
int PMPI_Win_allocate_c(MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm comm, void*, MPI_Win*) {
  return not_yet(comm, "MPI_Win_allocate_c");
}
REMIT_WEAK(Win_allocate_c);
int PMPI_Win_allocate_shared(MPI_Aint, int, MPI_Info, MPI_Comm comm, void*, MPI_Win*) {
  return not_yet(comm, "MPI_Win_allocate_shared");
}
REMIT_WEAK(Win_allocate_shared);
int PMPI_Win_allocate_shared_c(MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm comm, void*, MPI_Win*) {
  return not_yet(comm, "MPI_Win_allocate_shared_c");
}
REMIT_WEAK(Win_allocate_shared_c);
int PMPI_Win_attach(MPI_Win win, void*, MPI_Aint) {
  return not_yet(win, "MPI_Win_attach");
}
REMIT_WEAK(Win_attach);
int PMPI_Win_create(void*, MPI_Aint, int, MPI_Info, MPI_Comm comm, MPI_Win*) {
  return not_yet(comm, "MPI_Win_create");
}
REMIT_WEAK(Win_create);
int PMPI_Win_create_c(void*, MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm comm, MPI_Win*) {
  return not_yet(comm, "MPI_Win_create_c");
}
REMIT_WEAK(Win_create_c);
int PMPI_Win_create_dynamic(MPI_Info, MPI_Comm comm, MPI_Win*) {
  return not_yet(comm, "MPI_Win_create_dynamic");
}
REMIT_WEAK(Win_create_dynamic);
int PMPI_Win_detach(MPI_Win win, const void*) {
  return not_yet(win, "MPI_Win_detach");
}
REMIT_WEAK(Win_detach);
int PMPI_Win_free(MPI_Win* win) {
  return not_yet(win, "MPI_Win_free");
}
REMIT_WEAK(Win_free);
int PMPI_Win_get_group(MPI_Win win, MPI_Group*) {
  return not_yet(win, "MPI_Win_get_group");
}
REMIT_WEAK(Win_get_group);
int PMPI_Win_get_info(MPI_Win win, MPI_Info*) {
  return not_yet(win, "MPI_Win_get_info");
}
REMIT_WEAK(Win_get_info);
int PMPI_Win_set_info(MPI_Win win, MPI_Info) {
  return not_yet(win, "MPI_Win_set_info");
}
REMIT_WEAK(Win_set_info);
int PMPI_Win_shared_query(MPI_Win win, int, MPI_Aint*, int*, void*) {
  return not_yet(win, "MPI_Win_shared_query");
}
REMIT_WEAK(Win_shared_query);
int PMPI_Win_shared_query_c(MPI_Win win, int, MPI_Aint*, MPI_Aint*, void*) {
  return not_yet(win, "MPI_Win_shared_query_c");
}
REMIT_WEAK(Win_shared_query_c);

// Operations (chapter 12).

int PMPI_Accumulate(const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Op,
                    MPI_Win win) {
  return not_yet(win, "MPI_Accumulate");
}
REMIT_WEAK(Accumulate);
int PMPI_Accumulate_c(const void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype,
                      MPI_Op, MPI_Win win) {
  return not_yet(win, "MPI_Accumulate_c");
}
REMIT_WEAK(Accumulate_c);
int PMPI_Compare_and_swap(const void*, const void*, void*, MPI_Datatype, int, MPI_Aint,
                          MPI_Win win) {
  return not_yet(win, "MPI_Compare_and_swap");
}
REMIT_WEAK(Compare_and_swap);
int PMPI_Fetch_and_op(const void*, void*, MPI_Datatype, int, MPI_Aint, MPI_Op, MPI_Win win) {
  return not_yet(win, "MPI_Fetch_and_op");
}
REMIT_WEAK(Fetch_and_op);
int PMPI_Get(void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win win) {
  return not_yet(win, "MPI_Get");
}
REMIT_WEAK(Get);
int PMPI_Get_c(void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype,
               MPI_Win win) {
  return not_yet(win, "MPI_Get_c");
}
REMIT_WEAK(Get_c);
int PMPI_Get_accumulate(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Aint,
                        int, MPI_Datatype, MPI_Op, MPI_Win win) {
  return not_yet(win, "MPI_Get_accumulate");
}
REMIT_WEAK(Get_accumulate);
int PMPI_Get_accumulate_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int,
                          MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op, MPI_Win win) {
  return not_yet(win, "MPI_Get_accumulate_c");
}
REMIT_WEAK(Get_accumulate_c);
int PMPI_Put(const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win win) {
  return not_yet(win, "MPI_Put");
}
REMIT_WEAK(Put);
int PMPI_Put_c(const void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype,
               MPI_Win win) {
  return not_yet(win, "MPI_Put_c");
}
REMIT_WEAK(Put_c);

// Operations with a request (chapter 12).

int PMPI_Raccumulate(const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Op,
                     MPI_Win win, MPI_Request*) {
  return not_yet(win, "MPI_Raccumulate");
}
REMIT_WEAK(Raccumulate);
int PMPI_Raccumulate_c(const void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype,
                       MPI_Op, MPI_Win win, MPI_Request*) {
  return not_yet(win, "MPI_Raccumulate_c");
}
REMIT_WEAK(Raccumulate_c);
int PMPI_Rget(void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win win,
              MPI_Request*) {
  return not_yet(win, "MPI_Rget");
}
REMIT_WEAK(Rget);
int PMPI_Rget_c(void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Win win,
                MPI_Request*) {
  return not_yet(win, "MPI_Rget_c");
}
REMIT_WEAK(Rget_c);
int PMPI_Rget_accumulate(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Aint,
                         int, MPI_Datatype, MPI_Op, MPI_Win win, MPI_Request*) {
  return not_yet(win, "MPI_Rget_accumulate");
}
REMIT_WEAK(Rget_accumulate);
int PMPI_Rget_accumulate_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype,
                           int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op, MPI_Win win,
                           MPI_Request*) {
  return not_yet(win, "MPI_Rget_accumulate_c");
}
REMIT_WEAK(Rget_accumulate_c);
int PMPI_Rput(const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win win,
              MPI_Request*) {
  return not_yet(win, "MPI_Rput");
}
REMIT_WEAK(Rput);
int PMPI_Rput_c(const void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype,
                MPI_Win win, MPI_Request*) {
  return not_yet(win, "MPI_Rput_c");
}
REMIT_WEAK(Rput_c);

// Synchronization (chapter 12).

int PMPI_Win_complete(MPI_Win win) {
  return not_yet(win, "MPI_Win_complete");
}
REMIT_WEAK(Win_complete);
int PMPI_Win_fence(int, MPI_Win win) {
  return not_yet(win, "MPI_Win_fence");
}
REMIT_WEAK(Win_fence);
int PMPI_Win_flush(int, MPI_Win win) {
  return not_yet(win, "MPI_Win_flush");
}
REMIT_WEAK(Win_flush);
int PMPI_Win_flush_all(MPI_Win win) {
  return not_yet(win, "MPI_Win_flush_all");
}
REMIT_WEAK(Win_flush_all);
int PMPI_Win_flush_local(int, MPI_Win win) {
  return not_yet(win, "MPI_Win_flush_local");
}
REMIT_WEAK(Win_flush_local);
int PMPI_Win_flush_local_all(MPI_Win win) {
  return not_yet(win, "MPI_Win_flush_local_all");
}
REMIT_WEAK(Win_flush_local_all);
int PMPI_Win_lock(int, int, int, MPI_Win win) {
  return not_yet(win, "MPI_Win_lock");
}
REMIT_WEAK(Win_lock);
int PMPI_Win_lock_all(int, MPI_Win win) {
  return not_yet(win, "MPI_Win_lock_all");
}
REMIT_WEAK(Win_lock_all);
int PMPI_Win_post(MPI_Group, int, MPI_Win win) {
  return not_yet(win, "MPI_Win_post");
}
REMIT_WEAK(Win_post);
int PMPI_Win_start(MPI_Group, int, MPI_Win win) {
  return not_yet(win, "MPI_Win_start");
}
REMIT_WEAK(Win_start);
int PMPI_Win_sync(MPI_Win win) {
  return not_yet(win, "MPI_Win_sync");
}
REMIT_WEAK(Win_sync);
int PMPI_Win_test(MPI_Win win, int*) {
  return not_yet(win, "MPI_Win_test");
}
REMIT_WEAK(Win_test);
int PMPI_Win_unlock(int, MPI_Win win) {
  return not_yet(win, "MPI_Win_unlock");
}
REMIT_WEAK(Win_unlock);
int PMPI_Win_unlock_all(MPI_Win win) {
  return not_yet(win, "MPI_Win_unlock_all");
}
REMIT_WEAK(Win_unlock_all);
int PMPI_Win_wait(MPI_Win win) {
  return not_yet(win, "MPI_Win_wait");
}
REMIT_WEAK(Win_wait);
