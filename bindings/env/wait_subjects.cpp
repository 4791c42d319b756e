// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Turning what a call waits for into a record for mpirun.
#include "bindings/env/wait_subjects.hpp"

#include <fmt/format.h>

#include "collectives/wait_record.hpp"
#include "onesided/window.hpp"
#include "pt2pt/engine_report.hpp"

namespace remit {

namespace {

void begin(const Entry& entry, CallRecord& record) {
  set_text(record.function, entry.function());
  record.threads = entry.instance().locking();
}

void set_comm(const CommObject& comm, CallRecord& record) {
  set_text(record.comm, comm.name);
  record.context = comm.core.context;
}

/// Any member of the communicator may send it.
void set_any_source(const CommCore& comm, CallRecord& record) {
  record.any = true;
  record.waits_for = rank_set_of(comm.peers());
}

void set_message(const CommObject& comm, int peer, int tag, CallKind kind, CallRecord& record) {
  set_comm(comm, record);
  record.kind = kind;
  record.has_peer = true;
  record.peer = peer;
  record.tag = tag;
}

void set_data(const View& view, const Datatype* type, CallRecord& record) {
  if (type == nullptr) return;
  record.count = view.count;
  set_text(record.type, type->name().empty() ? "a derived type" : type->name());
}

void set_collective(Engine& engine, const CommObject& comm, CollectiveKind kind,
                    std::uint32_t sequence, CallRecord& record) {
  set_text(record.comm, comm.name);
  describe_collective(engine, comm.core, kind, sequence, record);
}

CallKind kind_of(const RequestObject& request) {
  switch (request.form) {
    case RequestForm::send:
    case RequestForm::bsend:
      return CallKind::send;
    case RequestForm::receive:
      return CallKind::receive;
    case RequestForm::partitioned:
      return request.partitioned->sends() ? CallKind::send : CallKind::receive;
    case RequestForm::collective:
      return CallKind::collective;
    case RequestForm::exchange:
      return request.core.complete ? CallKind::send : CallKind::receive;
    default:
      return CallKind::other;
  }
}

/// The first request that is not complete, in full.
void describe_request(Engine& engine, RequestObject& request, CallRecord& record) {
  const CallKind kind = kind_of(request);
  if (request.win != nullptr) {
    set_text(record.comm, request.win->name);
    set_text(record.operation, request.form == RequestForm::notification
                                   ? fmt::format("notification {}", request.tag)
                                   : fmt::format("operation on rank {}", request.peer));
    return;
  }
  if (request.file != nullptr) {
    set_text(record.operation, "access to a file");
    return;
  }
  if (request.comm == nullptr || request.form == RequestForm::flush) {
    const bool flushes = request.form == RequestForm::flush;
    set_text(record.operation, flushes ? "departure of buffered messages" : "generalized request");
    return;
  }
  if (kind == CallKind::collective) {
    set_collective(engine, *request.comm, request.collective->work().kind(),
                   request.collective->work().sequence(), record);
    return;
  }
  const CommCore& core = request.comm->core;
  int peer = request.peer;
  // Of a send-receive `peer` is the source.
  const bool sending_half = request.sending != nullptr && kind == CallKind::send;
  if (sending_half) peer = core.peers().rank_of(request.sending->core.proc);
  set_message(*request.comm, peer, request.tag, kind, record);
  set_text(record.operation, kind == CallKind::send ? "send" : "receive");
  if (sending_half) return;
  const Datatype* type = request.plain ? datatype_of(request.plain_type) : request.datatype.get();
  set_data(request.view, type, record);
}

/// Adds those that can complete a request; false if that is any member of its communicator.
bool add_peers_of(Engine& engine, RequestObject& request, RankSet& set) {
  if (request.form == RequestForm::notification) return request.core.complete;
  if (request.win != nullptr && request.win->window != nullptr && !request.core.complete) {
    add_once(set, request.win->window->members().proc(request.peer));
  }
  if (request.comm == nullptr) return true;
  const CommCore& core = request.comm->core;
  if (request.collective) {
    add_awaited(engine, core, request.collective->work().sequence(), set);
    return true;
  }
  if (request.sending != nullptr && !request.sending->core.complete) {
    add_once(set, request.sending->core.proc);
  }
  if (request.core.complete) return true;
  if (request.peer == MPI_ANY_SOURCE) return false;
  if (request.peer >= 0) add_once(set, core.peers().proc(request.peer));
  return true;
}

}  // namespace

void MessageWait::describe(CallRecord& record) const {
  begin(entry_, record);
  set_message(*args_.comm, args_.peer, args_.tag, kind_, record);
  set_data(args_.view, args_.datatype, record);
  const CommCore& core = args_.comm->core;
  if (args_.peer == MPI_ANY_SOURCE) {
    set_any_source(core, record);
  } else {
    record.waits_for.add(number_of(core.peers().proc(args_.peer)));
  }
}

void ExchangeWait::describe(CallRecord& record) const {
  begin(entry_, record);
  const bool receives = !receiving_.request.complete;
  const MessageArgs& args = receives ? receiving_.args : sending_.args;
  set_message(*args.comm, args.peer, args.tag, receives ? CallKind::receive : CallKind::send,
              record);
  set_text(record.operation, receives ? "receive" : "send");
  set_data(args.view, args.datatype, record);
  const CommCore& core = args.comm->core;
  if (args.peer == MPI_ANY_SOURCE) {
    set_any_source(core, record);
  } else {
    record.waits_for.add(number_of(core.peers().proc(args.peer)));
  }
}

void RequestsWait::describe(CallRecord& record) const {
  begin(entry_, record);
  record.any = any_;
  bool whole = true;
  for (const MPI_Request handle : requests_) {
    if (handle == MPI_REQUEST_NULL) continue;
    auto* request = reinterpret_cast<RequestObject*>(handle);
    ++record.total;
    if (request->complete()) continue;
    if (record.pending++ == 0) describe_request(entry_.engine(), *request, record);
    if (!add_peers_of(entry_.engine(), *request, record.waits_for)) whole = false;
  }
  // All requests are needed, but one of them is content with anybody: what is known is a subset of
  // what is needed, unless it is the only one.
  if (whole || (record.pending > 1 && !any_)) return;
  for (const MPI_Request handle : requests_) {
    if (handle == MPI_REQUEST_NULL) continue;
    auto* request = reinterpret_cast<RequestObject*>(handle);
    if (request->complete() || request->peer != MPI_ANY_SOURCE) continue;
    const bool notifies = request->form == RequestForm::notification;
    if (notifies && request->win->window == nullptr) return;
    const CommCore& core = notifies ? request->win->window->comm() : request->comm->core;
    set_any_source(core, record);
    // Others of the requests may wait for ranks outside of this communicator: then nothing is
    // known.
    const bool everybody = core.peers().size() == entry_.instance().process->size();
    if (record.pending > 1 && !everybody) record.waits_for = RankSet{};
    return;
  }
}

void CollectiveWait::describe(CallRecord& record) const {
  begin(entry_, record);
  set_collective(entry_.engine(), comm_, kind_, sequence_, record);
}

void DepartureWait::describe(CallRecord& record) const {
  begin(entry_, record);
  set_text(record.operation, "departure of messages");
  record.kind = CallKind::send;
  for (const AwaitedOperation& awaited : awaited_operations(entry_.engine())) {
    if (awaited.is_send && awaited.peer != kAnyProc) add_once(record.waits_for, awaited.peer);
  }
}

}  // namespace remit
