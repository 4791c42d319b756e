// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Probe, matched probe and matched receive; counts of a status (MPI-5.0, sections 3.2.5 and 3.8).
#include <limits>

#include "bindings/env/wait_subjects.hpp"
#include "bindings/pt2pt/requests.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

void set_probe_status(MPI_Status* status, const ProbeResult& found) {
  set_status(status, {found.source, found.tag, MPI_SUCCESS, false, found.bytes});
}

int check_probe(Entry& entry, int source, int tag, MPI_Comm comm, CommObject*& out) {
  if (int err = entry.comm(comm, out)) return err;
  if (int err = entry.source(*out, source)) return err;
  return entry.receive_tag(tag);
}

/// Polls once if nothing is there at first; with `wait`, until something is.
template <class Find>
bool look_for_message(Entry& entry, bool wait, int source, int tag, CommObject* comm, Find&& find) {
  MessageArgs wanted;
  wanted.comm = comm;
  wanted.peer = source;
  wanted.tag = tag;
  const MessageWait subject(entry, wanted, CallKind::receive);
  if (wait) {
    entry.progress().wait(find, &subject);
    return true;
  }
  if (entry.progress().look(find, subject)) return true;
  entry.only_looked();
  return false;
}

int probe(const char* function, bool wait, int source, int tag, MPI_Comm comm, int* flag,
          MPI_Status* status) {
  Entry entry(function);
  CommObject* c = nullptr;
  if (int err = check_probe(entry, source, tag, comm, c)) return err;
  if (int err = entry.not_null(flag, "flag")) return err;
  *flag = 1;
  if (source == MPI_PROC_NULL) {
    set_status(status, proc_null_status());
    return MPI_SUCCESS;
  }
  std::optional<ProbeResult> found;
  auto find = [&] { return (found = entry.engine().iprobe(source, tag, c->core)).has_value(); };
  *flag = look_for_message(entry, wait, source, tag, c, find);
  if (*flag) set_probe_status(status, *found);
  return MPI_SUCCESS;
}

int matched_probe(const char* function, bool wait, int source, int tag, MPI_Comm comm, int* flag,
                  MPI_Message* message, MPI_Status* status) {
  Entry entry(function);
  CommObject* c = nullptr;
  if (int err = check_probe(entry, source, tag, comm, c)) return err;
  if (int err = entry.not_null(flag, "flag")) return err;
  if (int err = entry.not_null(message, "message")) return err;
  *flag = 1;
  if (source == MPI_PROC_NULL) {
    *message = MPI_MESSAGE_NO_PROC;
    set_status(status, proc_null_status());
    return MPI_SUCCESS;
  }
  ProbeResult found;
  MatchedMessage* matched = nullptr;
  auto find = [&] {
    return (matched = entry.engine().improbe(source, tag, c->core, found)) != nullptr;
  };
  *flag = look_for_message(entry, wait, source, tag, c, find);
  *message = MPI_MESSAGE_NULL;
  if (!*flag) return MPI_SUCCESS;
  auto* object = new MessageObject;
  object->message = matched;
  object->comm = c;
  retain(c);
  *message = reinterpret_cast<MPI_Message>(object);
  set_probe_status(status, found);
  return MPI_SUCCESS;
}

/// Starts a matched receive from a user handle, which becomes MPI_MESSAGE_NULL.
int start_matched(Entry& entry, const View& view, MPI_Message& message, Request& request,
                  CommObject*& comm) {
  auto* object = object_of<MessageObject>(message, ObjectKind::message);
  if (object == nullptr) {
    return entry.fail(MPI_ERR_REQUEST, "message {} is not a matched message (received already?)",
                      static_cast<const void*>(message));
  }
  comm = object->comm;  // the reference moves to the caller
  entry.engine().imrecv(request, view, object->message);
  object->kind = ObjectKind::freed;
  delete object;
  message = MPI_MESSAGE_NULL;
  return MPI_SUCCESS;
}

int matched_receive(const char* function, void* buffer, MPI_Count count, MPI_Datatype type,
                    MPI_Message* message, MPI_Status* status) {
  Entry entry(function);
  if (int err = entry.not_null(message, "message")) return err;
  View view{};
  if (int err = entry.buffer(buffer, count, type, view)) return err;
  if (*message == MPI_MESSAGE_NO_PROC) {
    *message = MPI_MESSAGE_NULL;
    set_status(status, proc_null_status());
    return MPI_SUCCESS;
  }
  Request request(RequestKind::receive);
  CommObject* comm = nullptr;
  if (int err = start_matched(entry, view, *message, request, comm)) return err;
  MessageArgs wanted;
  wanted.comm = comm;
  wanted.peer = request.key.source;
  wanted.tag = request.key.tag;
  const MessageWait subject(entry, wanted, CallKind::receive);
  entry.progress().wait([&] { return request.complete; }, &subject);
  set_status(status, request.status);
  int code = request.status.error;
  if (code != MPI_SUCCESS) {
    code = raise_error(comm, code, function,
                       explain_failure(entry.instance(), comm, request.status.source, code));
  }
  release(comm);
  return code;
}

int matched_ireceive(const char* function, void* buffer, MPI_Count count, MPI_Datatype type,
                     MPI_Message* message, MPI_Request* request) {
  Entry entry(function);
  if (int err = entry.not_null(message, "message")) return err;
  if (int err = entry.not_null(request, "request")) return err;
  MessageArgs args;
  if (int err = entry.buffer(buffer, count, type, args.view)) return err;
  args.datatype = entry.buffer_type();
  RequestObject* made = make_request(entry.instance(), RequestForm::receive, args);
  if (*message == MPI_MESSAGE_NO_PROC) {
    *message = MPI_MESSAGE_NULL;
    made->core.status = proc_null_status();
    made->core.complete = true;
  } else if (int err = start_matched(entry, args.view, *message, made->core, made->comm)) {
    destroy_request(entry.instance(), made);
    return err;
  }
  *request = handle_of(made);
  return MPI_SUCCESS;
}

/// Complete elements of `type` in a status; MPI_UNDEFINED if the bytes are no multiple of its size
/// or the result does not fit.
template <class Int>
int get_count_as(const char* function, const MPI_Status* status, MPI_Datatype datatype,
                 Int* count) {
  Entry entry(function);
  const Datatype* type = nullptr;
  if (int err = entry.not_null(status, "status")) return err;
  if (int err = entry.any_datatype(datatype, type)) return err;
  if (int err = entry.not_null(count, "count")) return err;
  MPI_Count result = get_count(status_bytes(*status), *type);
  if (result > std::numeric_limits<Int>::max()) result = MPI_UNDEFINED;
  *count = static_cast<Int>(result);
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) try {
  int flag = 0;
  return probe("MPI_Probe", true, source, tag, comm, &flag, status);
} catch (...) {
  return caught("MPI_Probe", comm);
}
REMIT_WEAK(Probe);

int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) try {
  int flag = 0;
  return matched_probe("MPI_Mprobe", true, source, tag, comm, &flag, message, status);
} catch (...) {
  return caught("MPI_Mprobe", comm);
}
REMIT_WEAK(Mprobe);

#include "bindings/generated/pt2pt/probe.inc"
