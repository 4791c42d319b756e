// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Send-receive, blocking and nonblocking (MPI-5.0, sections 3.10 and 3.11).
#include <memory>
#include <new>

#include "bindings/env/wait_subjects.hpp"
#include "bindings/pt2pt/requests.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

/// Both halves, checked.
struct Exchange {
  MessageArgs send;
  MessageArgs receive;
  std::unique_ptr<std::byte[]> packed;  ///< what a replacing one sends
};

int check_exchange(Entry& entry, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                   int dest, int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                   int source, int recvtag, MPI_Comm comm, Exchange& out) {
  if (int err = check_send(entry, sendbuf, sendcount, sendtype, dest, sendtag, comm, out.send)) {
    return err;
  }
  return check_receive(entry, recvbuf, recvcount, recvtype, source, recvtag, comm, out.receive);
}

/// Checks, and copies what is sent.
int check_replace(Entry& entry, void* buffer, MPI_Count count, MPI_Datatype type, int dest,
                  int sendtag, int source, int recvtag, MPI_Comm comm, Exchange& out) {
  if (int err = check_exchange(entry, buffer, count, type, dest, sendtag, buffer, count, type,
                               source, recvtag, comm, out)) {
    return err;
  }
  const std::size_t bytes = dest == MPI_PROC_NULL ? 0 : out.send.view.size();
  out.packed.reset(new (std::nothrow) std::byte[bytes]);
  if (out.packed == nullptr) {
    return entry.fail(MPI_ERR_NO_MEM, "no memory for a copy of the {} bytes to send", bytes);
  }
  out.send.view.pack(0, {out.packed.get(), bytes});
  out.send.view = bytes_view(out.packed.get(), bytes);
  return MPI_SUCCESS;
}

/// A half with MPI_PROC_NULL is complete at once.
void start_halves(Engine& engine, const Exchange& exchange, Request& receiving, Request& sending) {
  const MessageArgs& receive = exchange.receive;
  const MessageArgs& send = exchange.send;
  if (receive.peer == MPI_PROC_NULL) {
    receiving.status = proc_null_status();
    receiving.complete = true;
  } else {
    engine.irecv(receiving, receive.view, receive.peer, receive.tag, receive.comm->core);
  }
  if (send.peer == MPI_PROC_NULL) {
    sending.complete = true;
  } else {
    engine.isend(sending, send.view, send.peer, send.tag, send.comm->core);
  }
}

int wait_for_both(Entry& entry, const Exchange& exchange, MPI_Status* status) {
  Request receiving(RequestKind::receive);
  Request sending(RequestKind::send);
  start_halves(entry.engine(), exchange, receiving, sending);
  const ExchangeWait subject(entry, {exchange.send, sending}, {exchange.receive, receiving});
  entry.progress().wait([&] { return sending.complete && receiving.complete; }, &subject);
  entry.engine().links().settle(&subject);
  set_status(status, receiving.status);
  const bool send_failed = sending.status.error != MPI_SUCCESS;
  const int error = send_failed ? sending.status.error : receiving.status.error;
  if (error == MPI_SUCCESS) return MPI_SUCCESS;
  const MessageArgs& failed = send_failed ? exchange.send : exchange.receive;
  return entry.fail(error, "{}",
                    explain_failure(entry.instance(), failed.comm, failed.peer, error));
}

/// One request for both halves.
int hand_out_exchange(Entry& entry, Exchange&& exchange, MPI_Request* out) {
  if (int err = entry.not_null(out, "request")) return err;
  RequestObject* request = make_request(entry.instance(), RequestForm::exchange, exchange.receive);
  request->sending = std::make_unique<SendHalf>();
  SendHalf& half = *request->sending;
  half.datatype = Ref<const Datatype>(exchange.send.datatype);
  half.packed = std::move(exchange.packed);
  start_halves(entry.engine(), exchange, request->core, half.core);
  *out = handle_of(request);
  return MPI_SUCCESS;
}

int sendrecv(const char* function, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
             int dest, int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
             int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  Entry entry(function);
  Exchange exchange;
  if (int err = check_exchange(entry, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,
                               recvcount, recvtype, source, recvtag, comm, exchange)) {
    return err;
  }
  return wait_for_both(entry, exchange, status);
}

int sendrecv_replace(const char* function, void* buffer, MPI_Count count, MPI_Datatype type,
                     int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
                     MPI_Status* status) {
  Entry entry(function);
  Exchange exchange;
  if (int err = check_replace(entry, buffer, count, type, dest, sendtag, source, recvtag, comm,
                              exchange)) {
    return err;
  }
  return wait_for_both(entry, exchange, status);
}

int isendrecv(const char* function, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
              int dest, int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
              int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  Entry entry(function);
  Exchange exchange;
  if (int err = check_exchange(entry, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,
                               recvcount, recvtype, source, recvtag, comm, exchange)) {
    return err;
  }
  return hand_out_exchange(entry, std::move(exchange), request);
}

int isendrecv_replace(const char* function, void* buffer, MPI_Count count, MPI_Datatype type,
                      int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
                      MPI_Request* request) {
  Entry entry(function);
  Exchange exchange;
  if (int err = check_replace(entry, buffer, count, type, dest, sendtag, source, recvtag, comm,
                              exchange)) {
    return err;
  }
  return hand_out_exchange(entry, std::move(exchange), request);
}

}  // namespace

}  // namespace remit

using namespace remit;

#include "bindings/generated/pt2pt/sendrecv.inc"
