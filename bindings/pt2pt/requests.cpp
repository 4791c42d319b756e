// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Making, starting, completing and freeing requests.
#include "bindings/pt2pt/requests.hpp"

#include <algorithm>

#include "bindings/pt2pt/bsend.hpp"
#include "bindings/pt2pt/request_watcher.hpp"
#include "bindings/rma/notify_requests.hpp"
#include "bindings/weak.hpp"
#include "files/file_operation.hpp"
#include "pt2pt/engine_report.hpp"
#include "runtime/abort_words.hpp"

namespace remit {

RequestObject* make_request(Instance& instance, RequestForm form, const MessageArgs& args) {
  if (!instance.requests.orphans.empty()) [[unlikely]]
    sweep_freed_requests(instance);
  RequestObject* request = instance.requests.make(form);
  request->comm = args.comm;
  request->view = args.view;
  request->datatype = Ref<const Datatype>(args.datatype);
  request->peer = args.peer;
  request->tag = args.tag;
  if (args.comm != nullptr) retain(args.comm);
  return request;
}

int destroy_request(Instance& instance, RequestObject* request) {
  if (request == &instance.requests.sent()) return MPI_SUCCESS;
  if (request->plain) {
    request->freed = false;
    destroy_plain(instance, request);
    return MPI_SUCCESS;
  }
  int error = MPI_SUCCESS;
  if (request->form == RequestForm::generalized && request->free_function != nullptr) {
    error = request->free_function(request->extra_state);
  }
  tell_watcher(*request, MPIX_REQUEST_FREED);
  if (request->collective != nullptr && request->collective->work().broken()) [[unlikely]]
    (void)request->collective.release();
  if (request->comm != nullptr) release(request->comm);
  if (request->win != nullptr) request->win->release();
  if (request->access != nullptr && request->access->is_broken()) [[unlikely]]
    static_cast<void>(new std::shared_ptr<FileOperation>(request->access));  // it stays for ever
  if (request->file != nullptr) request->file->release();
  instance.requests.destroy(request);
  return error;
}

int start_request(Instance& instance, RequestObject& request) {
  request.active = true;
  if (request.collective) {
    tell_watcher(request, MPIX_REQUEST_STARTS);
    request.collective->work().start();
    return MPI_SUCCESS;
  }
  if (request.persistent) {  // it may have run before
    const RequestKind kind = request.core.kind;
    std::destroy_at(&request.core);
    std::construct_at(&request.core, kind);
  }
  if (request.partitioned) {
    request.partitioned->start();
    return MPI_SUCCESS;
  }
  if (request.form == RequestForm::notification) {
    const Expected<> started = start_notify_request(request);
    request.active = started.has_value();
    return started ? MPI_SUCCESS : started.error().code;
  }
  Engine& engine = *instance.engine;
  const CommCore& comm = request.comm->core;
  if (request.peer == MPI_PROC_NULL) {
    request.core.status = proc_null_status();
    request.core.complete = true;
    return MPI_SUCCESS;
  }
  switch (request.form) {
    case RequestForm::send:
      engine.isend(request.core, request.view, request.peer, request.tag, comm, request.mode);
      return MPI_SUCCESS;
    case RequestForm::bsend: {
      request.core.complete = true;
      CommObject& c = *request.comm;
      const int error =
          bsend_buffer(instance, c).send(instance, request.view, request.peer, request.tag, c);
      if (error != MPI_SUCCESS) request.active = false;
      return error;
    }
    case RequestForm::receive:
      engine.irecv(request.core, request.view, request.peer, request.tag, comm);
      return MPI_SUCCESS;
    default:
      return MPI_ERR_INTERN;
  }
}

int finish_request(Instance& instance, MPI_Request& handle, MPI_Status* status) {
  auto* request = reinterpret_cast<RequestObject*>(handle);
  if (!request->active) {
    set_empty(status);
    return MPI_SUCCESS;
  }
  tell_watcher(*request, MPIX_REQUEST_COMPLETE);
  int error = request->operation().status.error;
  if (request->sending && error == MPI_SUCCESS) error = request->sending->core.status.error;
  if (request->form == RequestForm::generalized) {
    // The query function fills the status itself (section 13.2).
    MPI_Status mine{};
    error = request->query(request->extra_state, &mine);
    if (status != MPI_STATUS_IGNORE) {
      const int untouched = status->MPI_ERROR;
      *status = mine;
      status->MPI_ERROR = untouched;
    }
  } else {
    set_status(status, request->operation().status);
  }
  if (request->persistent) {
    request->active = false;
  } else {
    // The last callback is the free function; its success does not hide that the query failed.
    if (const int freed = destroy_request(instance, request)) error = freed;
    handle = MPI_REQUEST_NULL;
  }
  return error;
}

void sweep_freed_requests(Instance& instance) {
  auto done = [&](RequestObject* request) {
    if (!request->complete() || !may_destroy(*request)) return false;
    destroy_request(instance, request);
    return true;
  };
  std::erase_if(instance.requests.orphans, done);
}

void settle_freed_requests(Instance& instance) {
  for (RequestObject* request : instance.requests.orphans) {
    const bool receives =
        request->form == RequestForm::receive || request->form == RequestForm::exchange;
    if (request->partitioned) request->partitioned->cancel();
    if (request->form == RequestForm::notification) cancel_notify_request(*request);
    if (receives && !request->core.complete) instance.engine->cancel(request->core);
  }
  instance.progress().wait([&] {
    sweep_freed_requests(instance);
    // A generalized request that the program never completed: nothing will.
    return std::all_of(
        instance.requests.orphans.begin(), instance.requests.orphans.end(),
        [](const auto* request) { return request->form == RequestForm::generalized; });
  });
}

std::string explain_access(const FileOperation& access) {
  return access.outcome() ? std::string() : access.outcome().error().message;
}

std::string explain_one_sided(int target, int code) {
  return fmt::format("the operation on rank {} failed: {}", target, error_class_text(code));
}

std::string explain_failure(Instance& instance, const CommObject* comm, int peer, int code) {
  if (code == MPI_ERR_TRUNCATE) {
    return "the message is longer than the receive buffer; its end was dropped. Receive with a "
           "larger count, or ask MPI_Probe for the length first";
  }
  if (comm == nullptr) return error_class_text(code);
  std::string words = failure_words(*instance.engine, comm->core, peer);
  if (peer < 0 && code == MPI_ERR_OTHER) {
    return fmt::format("{}{}{}", kAnotherFailed, words.empty() ? "" : "; ", words);
  }
  if (peer < 0) return words.empty() ? error_class_text(code) : words;
  return fmt::format("operation with rank {} failed{}{}", peer, words.empty() ? "" : ": ", words);
}

}  // namespace remit

int PMPIX_Request_set_watcher(void (*watcher)(MPI_Request request, int event)) try {
  remit::request_watcher.store(watcher, std::memory_order_release);
  return MPI_SUCCESS;
} catch (...) {
  return remit::caught("MPIX_Request_set_watcher");
}
REMIT_WEAK_X(Request_set_watcher);
