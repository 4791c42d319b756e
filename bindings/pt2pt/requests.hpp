// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Making, starting, completing and freeing requests.
#pragma once

#include "bindings/entry.hpp"
#include "bindings/handles.hpp"
#include "bindings/status.hpp"

namespace remit {

/// The checked arguments of one message.
struct MessageArgs {
  View view{};
  CommObject* comm = nullptr;
  const Datatype* datatype = nullptr;
  int peer = MPI_PROC_NULL;
  int tag = 0;
};

// On the path of every message: inline, with the failures elsewhere.
[[nodiscard, gnu::always_inline]] inline int check_send(Entry& entry, const void* buffer,
                                                        MPI_Count count, MPI_Datatype type,
                                                        int dest, int tag, MPI_Comm comm,
                                                        MessageArgs& out) {
  if (int err = entry.comm(comm, out.comm)) return err;
  if (int err = entry.buffer(buffer, count, type, out.view)) return err;
  if (int err = entry.destination(*out.comm, dest)) return err;
  if (int err = entry.send_tag(tag)) return err;
  out.datatype = entry.buffer_type();
  out.peer = dest;
  out.tag = tag;
  return MPI_SUCCESS;
}

[[nodiscard, gnu::always_inline]] inline int check_receive(Entry& entry, void* buffer,
                                                           MPI_Count count, MPI_Datatype type,
                                                           int source, int tag, MPI_Comm comm,
                                                           MessageArgs& out) {
  if (int err = entry.comm(comm, out.comm)) return err;
  if (int err = entry.buffer(buffer, count, type, out.view)) return err;
  if (int err = entry.source(*out.comm, source)) return err;
  if (int err = entry.receive_tag(tag)) return err;
  out.datatype = entry.buffer_type();
  out.peer = source;
  out.tag = tag;
  return MPI_SUCCESS;
}

/// A new request that holds references to the communicator and type of `args`. Memory comes from
/// the instance's pool.
[[nodiscard]] RequestObject* make_request(Instance& instance, RequestForm form,
                                          const MessageArgs& args);
/// Returns the error of a generalized request's free function, which it calls, else MPI_SUCCESS.
int destroy_request(Instance& instance, RequestObject* request);

/// A plain receive on `comm`, not started yet; null: there is no memory for one.
[[nodiscard]] inline RequestObject* make_plain_receive(Instance& instance, CommObject* comm,
                                                       int source) {
  RequestObject* request = instance.requests.take_plain();
  if (request == nullptr) [[unlikely]]
    return nullptr;
  request->kind = ObjectKind::request;
  request->comm = comm;
  request->peer = source;
  retain(comm);
  return request;
}
/// Takes it back.
inline void destroy_plain(Instance& instance, RequestObject* request) {
  request->kind = ObjectKind::freed;
  release(request->comm);
  instance.requests.give_back_plain(request);
}

/// Starts the operation that the request describes (its first time, or a persistent one again).
/// Returns an MPI error class (only buffered sends, and requests for notifications whose counter is
/// gone, can fail here).
[[nodiscard]] int start_request(Instance& instance, RequestObject& request);

/// Takes over a completed request: writes its status (but MPI_ERROR), makes a persistent one
/// inactive, destroys any other and sets the handle to null. Returns the operation's error class;
/// of a generalized request what its callbacks returned (MPI-5.0, section 13.2).
[[nodiscard]] int finish_request(Instance& instance, MPI_Request& handle, MPI_Status* status);

/// Of a complete request: whether nothing but its handle needs it any more.
[[nodiscard]] inline bool may_destroy(const RequestObject& request) {
  return request.partitioned == nullptr || request.partitioned->settled();
}

/// Destroys freed requests whose operations have completed meanwhile.
void sweep_freed_requests(Instance& instance);

/// For MPI_Finalize: cancels receives whose requests were freed and that nothing has matched, and
/// waits for the other operations whose requests were freed.
void settle_freed_requests(Instance& instance);

/// The words for an error that a callback of a generalized request returned.
inline constexpr const char* kCallbackFailed =
    "a callback function of a generalized request returned this error";

/// The words for a failed access to a file; empty: it has not failed.
[[nodiscard]] std::string explain_access(const FileOperation& access);
/// The words for a failed operation on the window member `target`.
[[nodiscard]] std::string explain_one_sided(int target, int code);
/// The words for a failed operation of `comm` with `peer`.
[[nodiscard]] std::string explain_failure(Instance& instance, const CommObject* comm, int peer,
                                          int code);

}  // namespace remit
