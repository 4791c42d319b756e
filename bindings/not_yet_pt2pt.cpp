// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// not_yet_pt2pt.cpp: what does not work yet of point-to-point and partitioned communication. Who
// implements a function deletes it here.

#include "bindings/not_yet.hpp"
#include "bindings/weak.hpp"

using remit::not_yet;

// Blocking (chapter 3).

int PMPI_Bsend(const void*, int, MPI_Datatype, int, int, MPI_Comm comm) {
  return not_yet(comm, "MPI_Bsend");
}
REMIT_WEAK(Bsend);
int PMPI_Bsend_c(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm) {
  return not_yet(comm, "MPI_Bsend_c");
}
REMIT_WEAK(Bsend_c);
int PMPI_Recv(void*, int, MPI_Datatype, int, int, MPI_Comm comm, MPI_Status*) {
  return not_yet(comm, "MPI_Recv");
}
REMIT_WEAK(Recv);
int PMPI_Recv_c(void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm, MPI_Status*) {
  return not_yet(comm, "MPI_Recv_c");
}
REMIT_WEAK(Recv_c);
int PMPI_Rsend(const void*, int, MPI_Datatype, int, int, MPI_Comm comm) {
  return not_yet(comm, "MPI_Rsend");
}
REMIT_WEAK(Rsend);
int PMPI_Rsend_c(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm) {
  return not_yet(comm, "MPI_Rsend_c");
}
REMIT_WEAK(Rsend_c);
int PMPI_Send(const void*, int, MPI_Datatype, int, int, MPI_Comm comm) {
  return not_yet(comm, "MPI_Send");
}
REMIT_WEAK(Send);
int PMPI_Send_c(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm) {
  return not_yet(comm, "MPI_Send_c");
}
REMIT_WEAK(Send_c);
int PMPI_Sendrecv(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int,
                  MPI_Comm comm, MPI_Status*) {
  return not_yet(comm, "MPI_Sendrecv");
}
REMIT_WEAK(Sendrecv);
int PMPI_Sendrecv_c(const void*, MPI_Count, MPI_Datatype, int, int, void*, MPI_Count, MPI_Datatype,
                    int, int, MPI_Comm comm, MPI_Status*) {
  return not_yet(comm, "MPI_Sendrecv_c");
}
REMIT_WEAK(Sendrecv_c);
int PMPI_Sendrecv_replace(void*, int, MPI_Datatype, int, int, int, int, MPI_Comm comm,
                          MPI_Status*) {
  return not_yet(comm, "MPI_Sendrecv_replace");
}
REMIT_WEAK(Sendrecv_replace);
int PMPI_Sendrecv_replace_c(void*, MPI_Count, MPI_Datatype, int, int, int, int, MPI_Comm comm,
                            MPI_Status*) {
  return not_yet(comm, "MPI_Sendrecv_replace_c");
}
REMIT_WEAK(Sendrecv_replace_c);
int PMPI_Ssend(const void*, int, MPI_Datatype, int, int, MPI_Comm comm) {
  return not_yet(comm, "MPI_Ssend");
}
REMIT_WEAK(Ssend);
int PMPI_Ssend_c(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm) {
  return not_yet(comm, "MPI_Ssend_c");
}
REMIT_WEAK(Ssend_c);

// Buffers of MPI_Bsend (chapter 3).

int PMPI_Buffer_attach(void*, int) {
  return not_yet("MPI_Buffer_attach");
}
REMIT_WEAK(Buffer_attach);
int PMPI_Buffer_attach_c(void*, MPI_Count) {
  return not_yet("MPI_Buffer_attach_c");
}
REMIT_WEAK(Buffer_attach_c);
int PMPI_Buffer_detach(void*, int*) {
  return not_yet("MPI_Buffer_detach");
}
REMIT_WEAK(Buffer_detach);
int PMPI_Buffer_detach_c(void*, MPI_Count*) {
  return not_yet("MPI_Buffer_detach_c");
}
REMIT_WEAK(Buffer_detach_c);
int PMPI_Buffer_flush() {
  return not_yet("MPI_Buffer_flush");
}
REMIT_WEAK(Buffer_flush);
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

int PMPI_Ibsend(const void*, int, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ibsend");
}
REMIT_WEAK(Ibsend);
int PMPI_Ibsend_c(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ibsend_c");
}
REMIT_WEAK(Ibsend_c);
int PMPI_Irecv(void*, int, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Irecv");
}
REMIT_WEAK(Irecv);
int PMPI_Irecv_c(void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Irecv_c");
}
REMIT_WEAK(Irecv_c);
int PMPI_Irsend(const void*, int, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Irsend");
}
REMIT_WEAK(Irsend);
int PMPI_Irsend_c(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Irsend_c");
}
REMIT_WEAK(Irsend_c);
int PMPI_Isend(const void*, int, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Isend");
}
REMIT_WEAK(Isend);
int PMPI_Isend_c(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Isend_c");
}
REMIT_WEAK(Isend_c);
int PMPI_Isendrecv(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int,
                   MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Isendrecv");
}
REMIT_WEAK(Isendrecv);
int PMPI_Isendrecv_c(const void*, MPI_Count, MPI_Datatype, int, int, void*, MPI_Count, MPI_Datatype,
                     int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Isendrecv_c");
}
REMIT_WEAK(Isendrecv_c);
int PMPI_Isendrecv_replace(void*, int, MPI_Datatype, int, int, int, int, MPI_Comm comm,
                           MPI_Request*) {
  return not_yet(comm, "MPI_Isendrecv_replace");
}
REMIT_WEAK(Isendrecv_replace);
int PMPI_Isendrecv_replace_c(void*, MPI_Count, MPI_Datatype, int, int, int, int, MPI_Comm comm,
                             MPI_Request*) {
  return not_yet(comm, "MPI_Isendrecv_replace_c");
}
REMIT_WEAK(Isendrecv_replace_c);
int PMPI_Issend(const void*, int, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Issend");
}
REMIT_WEAK(Issend);
int PMPI_Issend_c(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Issend_c");
}
REMIT_WEAK(Issend_c);

// Probe, and receives of a probed message (chapter 3).

int PMPI_Improbe(int, int, MPI_Comm comm, int*, MPI_Message*, MPI_Status*) {
  return not_yet(comm, "MPI_Improbe");
}
REMIT_WEAK(Improbe);
int PMPI_Imrecv(void*, int, MPI_Datatype, MPI_Message*, MPI_Request*) {
  return not_yet("MPI_Imrecv");
}
REMIT_WEAK(Imrecv);
int PMPI_Imrecv_c(void*, MPI_Count, MPI_Datatype, MPI_Message*, MPI_Request*) {
  return not_yet("MPI_Imrecv_c");
}
REMIT_WEAK(Imrecv_c);
int PMPI_Iprobe(int, int, MPI_Comm comm, int*, MPI_Status*) {
  return not_yet(comm, "MPI_Iprobe");
}
REMIT_WEAK(Iprobe);
int PMPI_Mprobe(int, int, MPI_Comm comm, MPI_Message*, MPI_Status*) {
  return not_yet(comm, "MPI_Mprobe");
}
REMIT_WEAK(Mprobe);
int PMPI_Mrecv(void*, int, MPI_Datatype, MPI_Message*, MPI_Status*) {
  return not_yet("MPI_Mrecv");
}
REMIT_WEAK(Mrecv);
int PMPI_Mrecv_c(void*, MPI_Count, MPI_Datatype, MPI_Message*, MPI_Status*) {
  return not_yet("MPI_Mrecv_c");
}
REMIT_WEAK(Mrecv_c);
int PMPI_Probe(int, int, MPI_Comm comm, MPI_Status*) {
  return not_yet(comm, "MPI_Probe");
}
REMIT_WEAK(Probe);

// Persistent (chapter 3).

int PMPI_Bsend_init(const void*, int, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Bsend_init");
}
REMIT_WEAK(Bsend_init);
int PMPI_Bsend_init_c(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Bsend_init_c");
}
REMIT_WEAK(Bsend_init_c);
int PMPI_Recv_init(void*, int, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Recv_init");
}
REMIT_WEAK(Recv_init);
int PMPI_Recv_init_c(void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Recv_init_c");
}
REMIT_WEAK(Recv_init_c);
int PMPI_Rsend_init(const void*, int, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Rsend_init");
}
REMIT_WEAK(Rsend_init);
int PMPI_Rsend_init_c(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Rsend_init_c");
}
REMIT_WEAK(Rsend_init_c);
int PMPI_Send_init(const void*, int, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Send_init");
}
REMIT_WEAK(Send_init);
int PMPI_Send_init_c(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Send_init_c");
}
REMIT_WEAK(Send_init_c);
int PMPI_Ssend_init(const void*, int, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ssend_init");
}
REMIT_WEAK(Ssend_init);
int PMPI_Ssend_init_c(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ssend_init_c");
}
REMIT_WEAK(Ssend_init_c);

// Requests: start, completion, cancel (chapter 3).

int PMPI_Cancel(MPI_Request*) {
  return not_yet("MPI_Cancel");
}
REMIT_WEAK(Cancel);
int PMPI_Request_free(MPI_Request*) {
  return not_yet("MPI_Request_free");
}
REMIT_WEAK(Request_free);
int PMPI_Request_get_status(MPI_Request, int*, MPI_Status*) {
  return not_yet("MPI_Request_get_status");
}
REMIT_WEAK(Request_get_status);
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
int PMPI_Start(MPI_Request*) {
  return not_yet("MPI_Start");
}
REMIT_WEAK(Start);
int PMPI_Startall(int, MPI_Request[]) {
  return not_yet("MPI_Startall");
}
REMIT_WEAK(Startall);
int PMPI_Test(MPI_Request*, int*, MPI_Status*) {
  return not_yet("MPI_Test");
}
REMIT_WEAK(Test);
int PMPI_Test_cancelled(const MPI_Status*, int*) {
  return not_yet("MPI_Test_cancelled");
}
REMIT_WEAK(Test_cancelled);
int PMPI_Testall(int, MPI_Request[], int*, MPI_Status*) {
  return not_yet("MPI_Testall");
}
REMIT_WEAK(Testall);
int PMPI_Testany(int, MPI_Request[], int*, int*, MPI_Status*) {
  return not_yet("MPI_Testany");
}
REMIT_WEAK(Testany);
int PMPI_Testsome(int, MPI_Request[], int*, int[], MPI_Status*) {
  return not_yet("MPI_Testsome");
}
REMIT_WEAK(Testsome);
int PMPI_Wait(MPI_Request*, MPI_Status*) {
  return not_yet("MPI_Wait");
}
REMIT_WEAK(Wait);
int PMPI_Waitall(int, MPI_Request[], MPI_Status*) {
  return not_yet("MPI_Waitall");
}
REMIT_WEAK(Waitall);
int PMPI_Waitany(int, MPI_Request[], int*, MPI_Status*) {
  return not_yet("MPI_Waitany");
}
REMIT_WEAK(Waitany);
int PMPI_Waitsome(int, MPI_Request[], int*, int[], MPI_Status*) {
  return not_yet("MPI_Waitsome");
}
REMIT_WEAK(Waitsome);

// Reading a status (chapter 3).

int PMPI_Get_count(const MPI_Status*, MPI_Datatype, int*) {
  return not_yet("MPI_Get_count");
}
REMIT_WEAK(Get_count);
int PMPI_Get_count_c(const MPI_Status*, MPI_Datatype, MPI_Count*) {
  return not_yet("MPI_Get_count_c");
}
REMIT_WEAK(Get_count_c);

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
