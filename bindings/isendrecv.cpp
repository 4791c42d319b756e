// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Nonblocking send-receive (MPI-5.0, section 3.11): one request for both halves.
#include <memory>
#include <new>

#include "bindings/requests.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

/// Starts both halves from checked arguments; half of one with MPI_PROC_NULL is complete at once.
int start_exchange(Entry& entry, const MessageArgs& send, const MessageArgs& receive,
                   std::unique_ptr<std::byte[]> packed, MPI_Request* out) {
  Engine& engine = entry.engine();
  RequestObject* request = make_request(entry.instance(), RequestForm::exchange, receive);
  request->sending = std::make_unique<SendHalf>();
  SendHalf& half = *request->sending;
  half.view = send.view;
  half.datatype = Ref<const Datatype>(send.datatype);
  half.packed = std::move(packed);
  if (receive.peer == MPI_PROC_NULL) {
    request->core.status = proc_null_status();
    request->core.complete = true;
  } else {
    engine.irecv(request->core, request->view, receive.peer, receive.tag, receive.comm->core);
  }
  if (send.peer == MPI_PROC_NULL) {
    half.core.complete = true;
  } else {
    engine.isend(half.core, half.view, send.peer, send.tag, send.comm->core);
  }
  *out = handle_of(request);
  return MPI_SUCCESS;
}

int isendrecv(const char* function, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
              int dest, int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
              int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  Entry entry(function);
  MessageArgs send;
  MessageArgs receive;
  if (int err = check_send(entry, sendbuf, sendcount, sendtype, dest, sendtag, comm, send)) {
    return err;
  }
  if (int err = check_receive(entry, recvbuf, recvcount, recvtype, source, recvtag, comm, receive))
    return err;
  if (int err = entry.not_null(request, "request")) return err;
  return start_exchange(entry, send, receive, nullptr, request);
}

int isendrecv_replace(const char* function, void* buffer, MPI_Count count, MPI_Datatype type,
                      int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
                      MPI_Request* request) {
  Entry entry(function);
  MessageArgs send;
  MessageArgs receive;
  if (int err = check_send(entry, buffer, count, type, dest, sendtag, comm, send)) return err;
  if (int err = check_receive(entry, buffer, count, type, source, recvtag, comm, receive)) {
    return err;
  }
  if (int err = entry.not_null(request, "request")) return err;
  const std::size_t bytes = dest == MPI_PROC_NULL ? 0 : send.view.size();
  std::unique_ptr<std::byte[]> packed(new (std::nothrow) std::byte[bytes]);
  if (packed == nullptr) {
    return entry.fail(MPI_ERR_NO_MEM, "no memory for a copy of the {} bytes to send", bytes);
  }
  send.view.pack(0, {packed.get(), bytes});
  send.view = View{packed.get(), static_cast<MPI_Count>(bytes), &predefined(MPI_BYTE).layout()};
  return start_exchange(entry, send, receive, std::move(packed), request);
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                   void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                   MPI_Comm comm, MPI_Request* request) {
  return isendrecv("MPI_Isendrecv", sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
                   recvtype, source, recvtag, comm, request);
}
REMIT_WEAK(Isendrecv);

int PMPI_Isendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                     int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                     int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  return isendrecv("MPI_Isendrecv_c", sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,
                   recvcount, recvtype, source, recvtag, comm, request);
}
REMIT_WEAK(Isendrecv_c);

int PMPI_Isendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                           int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  return isendrecv_replace("MPI_Isendrecv_replace", buf, count, datatype, dest, sendtag, source,
                           recvtag, comm, request);
}
REMIT_WEAK(Isendrecv_replace);

int PMPI_Isendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                             int sendtag, int source, int recvtag, MPI_Comm comm,
                             MPI_Request* request) {
  return isendrecv_replace("MPI_Isendrecv_replace_c", buf, count, datatype, dest, sendtag, source,
                           recvtag, comm, request);
}
REMIT_WEAK(Isendrecv_replace_c);
