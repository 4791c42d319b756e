// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Blocking and nonblocking sends and receives (MPI-5.0, sections 3.2 to 3.7).
#include <array>
#include <cstring>
#include <memory>
#include <new>

#include "bindings/env/wait_subjects.hpp"
#include "bindings/pt2pt/bsend.hpp"
#include "bindings/pt2pt/requests.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

/// The slow half of a blocking send: start, wait, report.
[[gnu::noinline]] int send_and_wait(Entry& entry, const MessageArgs& args, SendMode mode) {
  Request request(RequestKind::send);
  entry.engine().isend(request, args.view, args.peer, args.tag, args.comm->core, mode);
  const MessageWait subject(entry, args, CallKind::send);
  entry.progress().wait([&] { return request.complete; }, &subject);
  entry.engine().links().settle(&subject);
  if (request.status.error == MPI_SUCCESS) return MPI_SUCCESS;
  return entry.fail(request.status.error, "{}",
                    explain_failure(entry.instance(), args.comm, args.peer, request.status.error));
}

/// Offers a short message that has gaps, packed on the stack.
[[gnu::noinline]] bool send_packed(Entry& entry, const MessageArgs& args) {
  std::array<std::byte, 512> packed;
  const std::size_t bytes = args.view.size();
  if (bytes > packed.size()) return false;
  args.view.pack(0, packed);
  return entry.engine().try_send(packed.data(), bytes, args.peer, args.tag, args.comm->core);
}

/// Any blocking send but the buffered one, with all checks.
template <SendMode mode>
[[gnu::noinline]] int blocking_send(const char* function, const void* buffer, MPI_Count count,
                                    MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  Entry entry(function);
  MessageArgs args;
  if (int err = check_send(entry, buffer, count, type, dest, tag, comm, args)) return err;
  if (dest == MPI_PROC_NULL) return MPI_SUCCESS;
  if (mode == SendMode::standard && args.view.is_contiguous() &&
      entry.engine().try_send(args.view.data(), args.view.size(), dest, tag, args.comm->core)) {
    return MPI_SUCCESS;
  }
  if (mode == SendMode::standard && !args.view.is_contiguous() && send_packed(entry, args)) {
    return MPI_SUCCESS;
  }
  return send_and_wait(entry, args, mode);
}

[[nodiscard]] inline bool is_rank(const CommObject& comm, int rank) {
  return static_cast<unsigned>(rank) < static_cast<unsigned>(comm.core.peers().size());
}

/// send_at_once(), where no other call can come between.
[[gnu::always_inline]] inline bool offer(Instance* instance, const void* buffer, MPI_Count count,
                                         MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  const CommObject* object = instance->comm(comm);
  if (object == nullptr || tag < 0 || Entry::is_special(buffer) || !is_rank(*object, dest))
      [[unlikely]]
    return false;
  const std::size_t element = instance->plain.bytes(count, datatype);
  if (element == 0) [[unlikely]]
    return false;
  return instance->engine->try_send(buffer, static_cast<std::size_t>(count) * element, dest, tag,
                                    object->core);
}

/// send_at_once(), where calls are guarded.
[[gnu::noinline]] bool offer_guarded(const void* buffer, MPI_Count count, MPI_Datatype datatype,
                                     int dest, int tag, MPI_Comm comm) {
  Instance* instance = library().instance;
  const GuardedCall call(*instance);
  return offer(instance, buffer, count, datatype, dest, tag, comm);
}

/// The fast path of MPI_Send and MPI_Isend: true if every argument is right, nothing special is
/// asked for, and the message has left. What it leaves undone is for functions that also find out
/// what is wrong. They take the arguments as they came, so that no register is saved for them.
[[gnu::always_inline]] inline bool send_at_once(const void* buffer, MPI_Count count,
                                                MPI_Datatype datatype, int dest, int tag,
                                                MPI_Comm comm) noexcept {
  Instance* instance = library().instance;
  if (instance == nullptr) [[unlikely]]
    return false;
  if (instance->guarded()) [[unlikely]]
    return offer_guarded(buffer, count, datatype, dest, tag, comm);
  return offer(instance, buffer, count, datatype, dest, tag, comm);
}

/// The communicator of a receive of which nothing is out of the ordinary, else null. `room`: bytes
/// of its buffer.
[[gnu::always_inline]] inline CommObject* plain_receive(Instance* instance, const void* buffer,
                                                        MPI_Count count, MPI_Datatype datatype,
                                                        int source, int tag, MPI_Comm comm,
                                                        std::size_t& room) {
  CommObject* object = instance->comm(comm);
  const std::size_t element = instance->plain.bytes(count, datatype);
  if (!instance->requests.orphans.empty() || object == nullptr || Entry::is_special(buffer) ||
      (tag < 0 && tag != MPI_ANY_TAG) || (!is_rank(*object, source) && source != MPI_ANY_SOURCE) ||
      element == 0) [[unlikely]]
    return nullptr;
  room = static_cast<std::size_t>(count) * element;
  return object;
}

/// A plain receive, posted, or complete already.
[[gnu::always_inline]] inline RequestObject* post_plain(Instance* instance, CommObject* object,
                                                        void* buffer, std::size_t room,
                                                        MPI_Count count, MPI_Datatype datatype,
                                                        int source, int tag) {
  RequestObject* request = make_plain_receive(*instance, object, source);
  if (request == nullptr) [[unlikely]]
    return nullptr;
  request->tag = tag;
  request->view.count = count;
  request->plain_type = datatype;
  Request& core = request->core;
  core.view.base = buffer;
  core.view.count = static_cast<MPI_Count>(room);
  if (!instance->engine->try_post(core, source, tag, object->core)) [[unlikely]]
    instance->engine->irecv(core, core.view, source, tag, object->core);
  return request;
}

/// receive_at_once(), where no other call can come between.
[[gnu::always_inline]] inline RequestObject* expect(Instance* instance, void* buffer,
                                                    MPI_Count count, MPI_Datatype datatype,
                                                    int source, int tag, MPI_Comm comm) {
  std::size_t room = 0;
  CommObject* object = plain_receive(instance, buffer, count, datatype, source, tag, comm, room);
  if (object == nullptr) [[unlikely]]
    return nullptr;
  return post_plain(instance, object, buffer, room, count, datatype, source, tag);
}

/// receive_at_once(), where calls are guarded.
[[gnu::noinline]] RequestObject* expect_guarded(void* buffer, MPI_Count count,
                                                MPI_Datatype datatype, int source, int tag,
                                                MPI_Comm comm) {
  Instance* instance = library().instance;
  const GuardedCall call(*instance);
  return expect(instance, buffer, count, datatype, source, tag, comm);
}

/// The fast path of MPI_Irecv: a plain request, or null if anything is out of the ordinary.
[[gnu::always_inline]] inline RequestObject* receive_at_once(void* buffer, MPI_Count count,
                                                             MPI_Datatype datatype, int source,
                                                             int tag, MPI_Comm comm) noexcept {
  Instance* instance = library().instance;
  if (instance == nullptr) [[unlikely]]
    return nullptr;
  if (instance->guarded()) [[unlikely]]
    return expect_guarded(buffer, count, datatype, source, tag, comm);
  return expect(instance, buffer, count, datatype, source, tag, comm);
}

/// The end of a blocking receive.
int report_receive(Entry& entry, const MessageArgs& args, const OpStatus& ended,
                   MPI_Status* status) {
  set_status(status, ended);
  if (ended.error == MPI_SUCCESS) [[likely]]
    return MPI_SUCCESS;
  return entry.fail(ended.error, "{}",
                    explain_failure(entry.instance(), args.comm, args.peer, ended.error));
}

/// Any blocking receive, with all checks.
[[gnu::noinline]] int blocking_receive(const char* function, void* buffer, MPI_Count count,
                                       MPI_Datatype type, int source, int tag, MPI_Comm comm,
                                       MPI_Status* status) {
  Entry entry(function);
  MessageArgs args;
  if (int err = check_receive(entry, buffer, count, type, source, tag, comm, args)) return err;
  if (source == MPI_PROC_NULL) {
    set_status(status, proc_null_status());
    return MPI_SUCCESS;
  }
  Request request(RequestKind::receive);
  entry.engine().irecv(request, args.view, source, tag, args.comm->core);
  const MessageWait subject(entry, args, CallKind::receive);
  entry.progress().wait([&] { return request.complete; }, &subject);
  return report_receive(entry, args, request.status, status);
}

/// The rest of a receive that did not end at once, or not well. Gives `request` back.
[[gnu::noinline]] int wait_for_receive(RequestObject* request, const char* function, void* buffer,
                                       MPI_Datatype type, MPI_Status* status) {
  Entry entry(function);
  const Request& core = request->core;
  MessageArgs args;
  // What is needed to say what is waited for; it was right when the receive was posted.
  (void)check_receive(entry, buffer, request->view.count, type, request->peer, request->tag,
                      handle_of(request->comm), args);
  const MessageWait subject(entry, args, CallKind::receive);
  entry.progress().wait([&] { return core.complete; }, &subject);
  const OpStatus ended = core.status;
  destroy_plain(entry.instance(), request);
  return report_receive(entry, args, ended, status);
}

/// For so long MPI_Recv looks for its message alone, if a core is free for that: about 1 us.
constexpr int kLooks = 256;

/// The fast path of MPI_Recv, where no other call can come between: true if the message has come.
[[gnu::always_inline]] inline bool take(Instance* instance, void* buffer, MPI_Count count,
                                        MPI_Datatype type, int source, int tag, MPI_Comm comm,
                                        MPI_Status* status, bool may_spin) {
  std::size_t room = 0;
  const CommObject* object = plain_receive(instance, buffer, count, type, source, tag, comm, room);
  if (object == nullptr) [[unlikely]]
    return false;
  const int looks = may_spin && instance->progress().policy().spin ? kLooks : 1;
  OpStatus ended;
  if (!instance->engine->try_receive(buffer, room, source, tag, object->core, ended, looks))
      [[unlikely]]
    return false;
  set_status(status, ended);
  return true;
}

/// take(), where calls are guarded.
[[gnu::noinline]] bool take_guarded(void* buffer, MPI_Count count, MPI_Datatype type, int source,
                                    int tag, MPI_Comm comm, MPI_Status* status) {
  Instance* instance = library().instance;
  const GuardedCall call(*instance);
  return take(instance, buffer, count, type, source, tag, comm, status, !instance->locking());
}

/// MPI_Recv, if its fast path does not do.
[[gnu::noinline]] int receive(const char* function, void* buffer, MPI_Count count,
                              MPI_Datatype type, int source, int tag, MPI_Comm comm,
                              MPI_Status* status) try {
  Instance* instance = library().instance;
  RequestObject* request = instance == nullptr || instance->guarded()
                               ? nullptr
                               : expect(instance, buffer, count, type, source, tag, comm);
  if (request == nullptr) [[unlikely]]
    return blocking_receive(function, buffer, count, type, source, tag, comm, status);
  if (!request->core.complete) instance->process->progress().poll();
  if (!request->core.complete || request->core.status.error != MPI_SUCCESS) [[unlikely]]
    return wait_for_receive(request, function, buffer, type, status);
  set_status(status, request->core.status);
  destroy_plain(*instance, request);
  return MPI_SUCCESS;
} catch (...) {
  return caught(function, comm);
}

/// MPI_Recv, if all is plain and its message has come: else false, and nothing is done.
[[gnu::always_inline]] inline bool take_at_once(void* buffer, MPI_Count count, MPI_Datatype type,
                                                int source, int tag, MPI_Comm comm,
                                                MPI_Status* status) noexcept {
  Instance* instance = library().instance;
  if (instance == nullptr) [[unlikely]]
    return false;
  if (instance->guarded()) [[unlikely]]
    return take_guarded(buffer, count, type, source, tag, comm, status);
  return take(instance, buffer, count, type, source, tag, comm, status, true);
}

int buffered_send(const char* function, const void* buffer, MPI_Count count, MPI_Datatype type,
                  int dest, int tag, MPI_Comm comm) {
  Entry entry(function);
  MessageArgs args;
  if (int err = check_send(entry, buffer, count, type, dest, tag, comm, args)) return err;
  if (dest == MPI_PROC_NULL) return MPI_SUCCESS;
  Instance& instance = entry.instance();
  BsendBuffer& bsend = bsend_buffer(instance, *args.comm);
  if (int err = bsend.send(instance, args.view, dest, tag, *args.comm)) {
    return entry.fail(err, "{}", bsend.explain(args.view));
  }
  return MPI_SUCCESS;
}

/// Starts a nonblocking operation, or makes a persistent request, from checked arguments.
int hand_out_message(Entry& entry, RequestForm form, SendMode mode, bool persistent,
                     const MessageArgs& args, MPI_Request* out) {
  Instance& instance = entry.instance();
  RequestObject* request = make_request(instance, form, args);
  request->mode = mode;
  request->persistent = persistent;
  if (persistent) {
    request->active = false;
  } else if (int err = start_request(instance, *request)) {
    destroy_request(instance, request);
    return entry.fail(err, "{}", bsend_buffer(instance, *args.comm).explain(args.view));
  }
  *out = handle_of(request);
  return MPI_SUCCESS;
}

/// The ways to send that have a request.
struct SendForm {
  RequestForm form;
  SendMode mode;
  bool persistent;
};
constexpr SendForm kIsend{RequestForm::send, SendMode::standard, false};
constexpr SendForm kIssend{RequestForm::send, SendMode::synchronous, false};
constexpr SendForm kIrsend{RequestForm::send, SendMode::ready, false};
constexpr SendForm kIbsend{RequestForm::bsend, SendMode::standard, false};
constexpr SendForm kSendInit{RequestForm::send, SendMode::standard, true};
constexpr SendForm kSsendInit{RequestForm::send, SendMode::synchronous, true};
constexpr SendForm kRsendInit{RequestForm::send, SendMode::ready, true};
constexpr SendForm kBsendInit{RequestForm::bsend, SendMode::standard, true};

int requested_send(const char* function, const SendForm& form, const void* buffer, MPI_Count count,
                   MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  Entry entry(function);
  MessageArgs args;
  if (int err = check_send(entry, buffer, count, type, dest, tag, comm, args)) return err;
  if (int err = entry.not_null(request, "request")) return err;
  const bool plain = form.form == RequestForm::send && form.mode == SendMode::standard;
  if (plain && !form.persistent && dest != MPI_PROC_NULL && args.view.is_contiguous() &&
      entry.engine().try_send(args.view.data(), args.view.size(), dest, tag, args.comm->core)) {
    *request = handle_of(&entry.instance().requests.sent());
    return MPI_SUCCESS;
  }
  return hand_out_message(entry, form.form, form.mode, form.persistent, args, request);
}

int requested_receive(const char* function, bool persistent, void* buffer, MPI_Count count,
                      MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  Entry entry(function);
  MessageArgs args;
  if (int err = check_receive(entry, buffer, count, type, source, tag, comm, args)) return err;
  if (int err = entry.not_null(request, "request")) return err;
  return hand_out_message(entry, RequestForm::receive, SendMode::standard, persistent, args,
                          request);
}

// What MPI functions do behind their fast paths. These keep nothing for the handler of an
// exception, which would cost them a register for each argument; they let none out
// (check_exceptions).

[[gnu::noinline]] int full_send(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                int tag, MPI_Comm comm) try {
  return blocking_send<SendMode::standard>("MPI_Send", buf, count, datatype, dest, tag, comm);
} catch (...) {
  return caught("MPI_Send", comm);
}

[[gnu::noinline]] int full_send_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                  int tag, MPI_Comm comm) try {
  return blocking_send<SendMode::standard>("MPI_Send_c", buf, count, datatype, dest, tag, comm);
} catch (...) {
  return caught("MPI_Send_c", comm);
}

[[gnu::noinline]] int full_isend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                 int tag, MPI_Comm comm, MPI_Request* request) try {
  return requested_send("MPI_Isend", kIsend, buf, count, datatype, dest, tag, comm, request);
} catch (...) {
  return caught("MPI_Isend", comm);
}

[[gnu::noinline]] int full_irecv(void* buf, MPI_Count count, MPI_Datatype datatype, int source,
                                 int tag, MPI_Comm comm, MPI_Request* request) try {
  return requested_receive("MPI_Irecv", false, buf, count, datatype, source, tag, comm, request);
} catch (...) {
  return caught("MPI_Irecv", comm);
}

[[gnu::noinline]] int full_isend_c(const void* buf, MPI_Count count, MPI_Datatype datatype,
                                   int dest, int tag, MPI_Comm comm, MPI_Request* request) try {
  return requested_send("MPI_Isend_c", kIsend, buf, count, datatype, dest, tag, comm, request);
} catch (...) {
  return caught("MPI_Isend_c", comm);
}

[[gnu::noinline]] int full_irecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source,
                                   int tag, MPI_Comm comm, MPI_Request* request) try {
  return requested_receive("MPI_Irecv_c", false, buf, count, datatype, source, tag, comm, request);
} catch (...) {
  return caught("MPI_Irecv_c", comm);
}

}  // namespace

}  // namespace remit

using namespace remit;

// The forms with a fast path, and their large-count forms.

int PMPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  if (send_at_once(buf, count, datatype, dest, tag, comm)) [[likely]]
    return MPI_SUCCESS;
  return full_send(buf, count, datatype, dest, tag, comm);
}
REMIT_WEAK(Send);

int PMPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
              MPI_Status* status) {
  if (take_at_once(buf, count, datatype, source, tag, comm, status)) [[likely]]
    return MPI_SUCCESS;
  return receive("MPI_Recv", buf, count, datatype, source, tag, comm, status);
}
REMIT_WEAK(Recv);

int PMPI_Send_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                MPI_Comm comm) {
  if (send_at_once(buf, count, datatype, dest, tag, comm)) [[likely]]
    return MPI_SUCCESS;
  return full_send_c(buf, count, datatype, dest, tag, comm);
}
REMIT_WEAK(Send_c);

int PMPI_Recv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                MPI_Comm comm, MPI_Status* status) {
  if (take_at_once(buf, count, datatype, source, tag, comm, status)) [[likely]]
    return MPI_SUCCESS;
  return receive("MPI_Recv_c", buf, count, datatype, source, tag, comm, status);
}
REMIT_WEAK(Recv_c);

int PMPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  if (request != nullptr && send_at_once(buf, count, datatype, dest, tag, comm)) [[likely]] {
    *request = handle_of(&library().instance.load()->requests.sent());
    return MPI_SUCCESS;
  }
  return full_isend(buf, count, datatype, dest, tag, comm, request);
}
REMIT_WEAK(Isend);

int PMPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
               MPI_Request* request) {
  if (RequestObject* started =
          request == nullptr ? nullptr : receive_at_once(buf, count, datatype, source, tag, comm)) {
    *request = handle_of(started);
    return MPI_SUCCESS;
  }
  return full_irecv(buf, count, datatype, source, tag, comm, request);
}
REMIT_WEAK(Irecv);

int PMPI_Isend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request* request) {
  if (request != nullptr && send_at_once(buf, count, datatype, dest, tag, comm)) [[likely]] {
    *request = handle_of(&library().instance.load()->requests.sent());
    return MPI_SUCCESS;
  }
  return full_isend_c(buf, count, datatype, dest, tag, comm, request);
}
REMIT_WEAK(Isend_c);

int PMPI_Irecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                 MPI_Comm comm, MPI_Request* request) {
  if (RequestObject* started =
          request == nullptr ? nullptr : receive_at_once(buf, count, datatype, source, tag, comm)) {
    *request = handle_of(started);
    return MPI_SUCCESS;
  }
  return full_irecv_c(buf, count, datatype, source, tag, comm, request);
}
REMIT_WEAK(Irecv_c);

#include "bindings/generated/pt2pt/send.inc"
