// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// not_yet_pt2pt.cpp: what does not work yet of point-to-point and partitioned communication. Who
// implements a function deletes it here.

#include "bindings/not_yet.hpp"
#include "bindings/weak.hpp"

using remit::not_yet;

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
