// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The way an error takes to its handler, and the handler functions of the interface.
#include "bindings/errors.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bindings/entry.hpp"
#include "bindings/error_table.hpp"
#include "bindings/handles.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

std::string comm_words(const CommObject& comm) {
  const std::string name = comm.name.empty() ? "an unnamed communicator" : comm.name;
  return fmt::format("{} (size {})", name, comm.core.size());
}

[[noreturn]] void die(const std::string& message) {
  fmt::print(stderr, "remit: {}\n", message);
  std::fflush(nullptr);
  _exit(1);
}

bool is_predefined(MPI_Errhandler handler) {
  return reinterpret_cast<std::uintptr_t>(handler) <= kLastPredefinedHandle;
}

[[noreturn]] void abort_job(int code, const std::string& message) {
  Instance* instance = library().instance;
  if (instance == nullptr) die(message);
  instance->process->bootstrap().abort(code, message);
  std::abort();  // GCC does not trust [[noreturn]] of a virtual function
}

}  // namespace

void die(const char* function, const std::string& detail) {
  die(fmt::format("{}: {}", function, detail));
}

namespace {

MPI_Errhandler handler_of(const ErrorTarget& target) {
  if (target.comm != nullptr) return target.comm->errhandler;
  if (target.session != nullptr) return target.session->errhandler;
  MPI_Errhandler initial = library().initial_errhandler;
  return initial != nullptr ? initial : MPI_ERRORS_ARE_FATAL;
}

std::string target_words(const ErrorTarget& target) {
  if (target.comm != nullptr) return fmt::format(" on {}", comm_words(*target.comm));
  return target.session != nullptr ? " on a session" : "";
}

/// Calls a user's function. It may free its handler or the object; both stay until it returns.
void call_user_handler(ErrhandlerObject& handler, const ErrorTarget& target, int code) {
  ++handler.references;
  if (target.comm != nullptr) {
    retain(target.comm);
    MPI_Comm handle = target.comm->handle;
    reinterpret_cast<MPI_Comm_errhandler_function*>(handler.function)(&handle, &code);
    release(target.comm);
  } else {
    const Ref<SessionObject> kept(target.session);
    MPI_Session handle = kept ? handle_of(kept.get()) : MPI_SESSION_NULL;
    reinterpret_cast<MPI_Session_errhandler_function*>(handler.function)(&handle, &code);
  }
  release_errhandler(reinterpret_cast<MPI_Errhandler>(&handler));
}

/// MPI_COMM_SELF, while it exists, for what belongs to no object.
ErrorTarget or_self(ErrorTarget target) {
  Instance* instance = library().instance;
  if (target.comm == nullptr && target.session == nullptr && instance != nullptr) {
    target.comm = instance->open_self;
  }
  return target;
}

}  // namespace

int call_errhandler(MPI_Errhandler handler, const ErrorTarget& target, int code,
                    const std::string& message) {
  if (handler == MPI_ERRORS_RETURN) return code;
  if (is_predefined(handler)) abort_job(code, message);
  call_user_handler(*reinterpret_cast<ErrhandlerObject*>(handler), target, code);
  return code;
}

int raise_error(const ErrorTarget& given, int code, const char* function,
                const std::string& detail) {
  const ErrorTarget target = or_self(given);
  return raise_error_with(handler_of(target), target, code, function, detail);
}

int raise_error_with(MPI_Errhandler handler, const ErrorTarget& target, int code,
                     const char* function, const std::string& detail) {
  const int error_class = error_class_of(code);
  const std::string message =
      fmt::format("{}{} failed with {} ({}): {}", function, target_words(target),
                  error_class_name(error_class), error_class_text(error_class), detail);
  if (Instance* instance = library().instance; instance != nullptr) {
    instance->last_detail = {code, fmt::format("{}: {}", function, detail)};
  }
  return call_errhandler(handler, target, code, message);
}

int refuse_null(const char* function, const char* argument) {
  if (library().instance == nullptr) die(function, fmt::format("{} is a null pointer", argument));
  Entry entry(function);
  return entry.not_null(nullptr, argument);
}

void retain_errhandler(MPI_Errhandler handler) {
  if (!is_predefined(handler)) ++reinterpret_cast<ErrhandlerObject*>(handler)->references;
}

void release_errhandler(MPI_Errhandler handler) {
  if (is_predefined(handler)) return;
  auto* object = reinterpret_cast<ErrhandlerObject*>(handler);
  if (--object->references != 0) return;
  object->kind = ObjectKind::freed;
  delete object;
}

namespace {

int create_errhandler(const char* function, Owner owner, void (*user)(), MPI_Errhandler* out) {
  Entry entry(function);
  if (int err = entry.not_null(reinterpret_cast<const void*>(user), "errhandler_fn")) return err;
  if (int err = entry.not_null(out, "errhandler")) return err;
  *out = reinterpret_cast<MPI_Errhandler>(new ErrhandlerObject(owner, user));
  return MPI_SUCCESS;
}

}  // namespace

int check_errhandler(Entry& entry, MPI_Errhandler handler, Owner owner) {
  if (handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT ||
      handler == MPI_ERRORS_RETURN) {
    return MPI_SUCCESS;
  }
  if (is_predefined(handler)) {
    return entry.fail(MPI_ERR_ERRHANDLER, "errhandler {} is not an error handler",
                      static_cast<const void*>(handler));
  }
  auto* object = reinterpret_cast<ErrhandlerObject*>(handler);
  if (object->kind != ObjectKind::errhandler) {
    return entry.fail(MPI_ERR_ERRHANDLER, "errhandler {} is not an error handler (freed already?)",
                      static_cast<const void*>(handler));
  }
  if (object->owner != owner) {
    return entry.fail(MPI_ERR_ERRHANDLER,
                      "the error handler was created for another kind of object");
  }
  return MPI_SUCCESS;
}

}  // namespace remit

using namespace remit;

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function* fn, MPI_Errhandler* errhandler) {
  return create_errhandler("MPI_Comm_create_errhandler", Owner::comm,
                           reinterpret_cast<void (*)()>(fn), errhandler);
}
REMIT_WEAK(Comm_create_errhandler);

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  Entry entry("MPI_Comm_set_errhandler");
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = check_errhandler(entry, errhandler, Owner::comm)) return err;
  retain_errhandler(errhandler);
  release_errhandler(c->errhandler);
  c->errhandler = errhandler;
  return MPI_SUCCESS;
}
REMIT_WEAK(Comm_set_errhandler);

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler) {
  Entry entry("MPI_Comm_get_errhandler");
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.not_null(errhandler, "errhandler")) return err;
  retain_errhandler(c->errhandler);
  *errhandler = c->errhandler;
  return MPI_SUCCESS;
}
REMIT_WEAK(Comm_get_errhandler);

int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode) {
  Entry entry("MPI_Comm_call_errhandler");
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  call_errhandler(c->errhandler, {c}, errorcode,
                  fmt::format("MPI_Comm_call_errhandler was called with code {} ({})", errorcode,
                              error_class_name(error_class_of(errorcode))));
  return MPI_SUCCESS;
}
REMIT_WEAK(Comm_call_errhandler);

int PMPI_Errhandler_free(MPI_Errhandler* errhandler) {
  Entry entry("MPI_Errhandler_free");
  if (int err = entry.not_null(errhandler, "errhandler")) return err;
  if (is_predefined(*errhandler)) {
    // MPI_Comm_get_errhandler may have returned a predefined one, and its user frees it.
    if (*errhandler == MPI_ERRHANDLER_NULL || *errhandler == nullptr) {
      return entry.fail(MPI_ERR_ERRHANDLER, "errhandler is MPI_ERRHANDLER_NULL");
    }
  } else if (reinterpret_cast<ErrhandlerObject*>(*errhandler)->kind != ObjectKind::errhandler) {
    return entry.fail(MPI_ERR_ERRHANDLER, "errhandler {} is not an error handler (freed already?)",
                      static_cast<const void*>(*errhandler));
  } else {
    release_errhandler(*errhandler);
  }
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}
REMIT_WEAK(Errhandler_free);

// Error strings and classes work before MPI_Init and after MPI_Finalize too (MPI-5.0, 11.4).

int PMPI_Error_class(int errorcode, int* errorclass) {
  if (int err = check_pointer(errorclass, "MPI_Error_class", "errorclass")) return err;
  *errorclass = error_class_of(errorcode);
  return MPI_SUCCESS;
}
REMIT_WEAK(Error_class);

int PMPI_Error_string(int errorcode, char* string, int* resultlen) {
  if (int err = check_pointer(string, "MPI_Error_string", "string")) return err;
  if (int err = check_pointer(resultlen, "MPI_Error_string", "resultlen")) return err;
  const int error_class = error_class_of(errorcode);
  std::string text =
      fmt::format("{}: {}", error_class_name(error_class), error_class_text(error_class));
  const Instance* instance = library().instance;
  if (instance != nullptr && instance->last_detail.code == errorcode && errorcode != MPI_SUCCESS) {
    text += fmt::format(" (last: {})", instance->last_detail.words);
  }
  text.resize(std::min<std::size_t>(text.size(), MPI_MAX_ERROR_STRING - 1));
  std::memcpy(string, text.c_str(), text.size() + 1);
  *resultlen = static_cast<int>(text.size());
  return MPI_SUCCESS;
}
REMIT_WEAK(Error_string);
