// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// not_yet_pt2pt.cpp: what does not work yet of point-to-point and partitioned communication. Who
// implements a function deletes it here.

#include "bindings/not_yet.hpp"
#include "bindings/weak.hpp"

using remit::not_yet;

// Blocking (chapter 3).

// Buffers of MPI_Bsend (chapter 3).

int PMPI_Buffer_iflush(MPI_Request*) {
  return not_yet("MPI_Buffer_iflush");
}
REMIT_WEAK(Buffer_iflush);
int PMPI_Comm_attach_buffer(MPI_Comm comm, void*, int) {
  return not_yet(comm, "MPI_Comm_attach_buffer");
}
REMIT_WEAK(Comm_attach_buffer);
int PMPI_Comm_attach_buffer_c(MPI_Comm comm, void*, MPI_Count) {
  return not_yet(comm, "MPI_Comm_attach_buffer_c");
}
REMIT_WEAK(Comm_attach_buffer_c);
int PMPI_Comm_detach_buffer(MPI_Comm comm, void*, int*) {
  return not_yet(comm, "MPI_Comm_detach_buffer");
}
REMIT_WEAK(Comm_detach_buffer);
int PMPI_Comm_detach_buffer_c(MPI_Comm comm, void*, MPI_Count*) {
  return not_yet(comm, "MPI_Comm_detach_buffer_c");
}
REMIT_WEAK(Comm_detach_buffer_c);
int PMPI_Comm_flush_buffer(MPI_Comm comm) {
  return not_yet(comm, "MPI_Comm_flush_buffer");
}
REMIT_WEAK(Comm_flush_buffer);
int PMPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Comm_iflush_buffer");
}
REMIT_WEAK(Comm_iflush_buffer);
int PMPI_Session_attach_buffer(MPI_Session session, void*, int) {
  return not_yet(session, "MPI_Session_attach_buffer");
}
REMIT_WEAK(Session_attach_buffer);
int PMPI_Session_attach_buffer_c(MPI_Session session, void*, MPI_Count) {
  return not_yet(session, "MPI_Session_attach_buffer_c");
}
REMIT_WEAK(Session_attach_buffer_c);
int PMPI_Session_detach_buffer(MPI_Session session, void*, int*) {
  return not_yet(session, "MPI_Session_detach_buffer");
}
REMIT_WEAK(Session_detach_buffer);
int PMPI_Session_detach_buffer_c(MPI_Session session, void*, MPI_Count*) {
  return not_yet(session, "MPI_Session_detach_buffer_c");
}
REMIT_WEAK(Session_detach_buffer_c);
int PMPI_Session_flush_buffer(MPI_Session session) {
  return not_yet(session, "MPI_Session_flush_buffer");
}
REMIT_WEAK(Session_flush_buffer);
int PMPI_Session_iflush_buffer(MPI_Session session, MPI_Request*) {
  return not_yet(session, "MPI_Session_iflush_buffer");
}
REMIT_WEAK(Session_iflush_buffer);

// Nonblocking (chapter 3).

// Probe, and receives of a probed message (chapter 3).

// Persistent (chapter 3).

// Requests: start, completion, cancel (chapter 3).

int PMPI_Request_get_status_all(int, const MPI_Request[], int*, MPI_Status*) {
  return not_yet("MPI_Request_get_status_all");
}
REMIT_WEAK(Request_get_status_all);
int PMPI_Request_get_status_any(int, const MPI_Request[], int*, int*, MPI_Status*) {
  return not_yet("MPI_Request_get_status_any");
}
REMIT_WEAK(Request_get_status_any);
int PMPI_Request_get_status_some(int, const MPI_Request[], int*, int[], MPI_Status*) {
  return not_yet("MPI_Request_get_status_some");
}
REMIT_WEAK(Request_get_status_some);

// Reading a status (chapter 3).

// Partitioned Point-to-Point Communication (chapter 4).

int PMPI_Parrived(MPI_Request, int, int*) {
  return not_yet("MPI_Parrived");
}
REMIT_WEAK(Parrived);
int PMPI_Pready(int, MPI_Request) {
  return not_yet("MPI_Pready");
}
REMIT_WEAK(Pready);
int PMPI_Pready_list(int, const int[], MPI_Request) {
  return not_yet("MPI_Pready_list");
}
REMIT_WEAK(Pready_list);
int PMPI_Pready_range(int, int, MPI_Request) {
  return not_yet("MPI_Pready_range");
}
REMIT_WEAK(Pready_range);
int PMPI_Precv_init(void*, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm, MPI_Info,
                    MPI_Request*) {
  return not_yet(comm, "MPI_Precv_init");
}
REMIT_WEAK(Precv_init);
int PMPI_Precv_init_c(void*, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm, MPI_Info,
                      MPI_Request*) {
  return not_yet(comm, "MPI_Precv_init_c");
}
REMIT_WEAK(Precv_init_c);
int PMPI_Psend_init(const void*, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm, MPI_Info,
                    MPI_Request*) {
  return not_yet(comm, "MPI_Psend_init");
}
REMIT_WEAK(Psend_init);
int PMPI_Psend_init_c(const void*, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm, MPI_Info,
                      MPI_Request*) {
  return not_yet(comm, "MPI_Psend_init_c");
}
REMIT_WEAK(Psend_init_c);
