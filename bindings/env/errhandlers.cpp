// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Error handlers of every kind of object: making, setting, calling and freeing them (MPI-5.0,
// section 9.3).
#include "bindings/entry.hpp"
#include "bindings/env/error_book.hpp"
#include "bindings/env/error_table.hpp"
#include "bindings/handles.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

using HandlerFunction = void (*)();

bool is_standard_handler(MPI_Errhandler handler) {
  return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT ||
         handler == MPI_ERRORS_RETURN;
}

/// Creating a handler touches nothing but the new object, so it needs no lock.
int create_handler(const AnyTimeCall& call, Owner owner, HandlerFunction user, const char* argument,
                   MPI_Errhandler* out) {
  if (int err = call.not_null(reinterpret_cast<const void*>(user), argument)) return err;
  if (int err = call.not_null(out, "errhandler")) return err;
  *out = reinterpret_cast<MPI_Errhandler>(new ErrhandlerObject(owner, user));
  return MPI_SUCCESS;
}

/// The same for a function that must come between MPI_Init and MPI_Finalize.
int create_handler_inside(const char* function, Owner owner, HandlerFunction user,
                          const char* argument, MPI_Errhandler* out) {
  const Entry entry(function);
  return create_handler(AnyTimeCall(function), owner, user, argument, out);
}

/// What is wrong with setting `handler` on an object of `owner`'s kind; empty: nothing.
std::string problem_of(MPI_Errhandler handler, Owner owner) {
  if (is_standard_handler(handler)) return {};
  const auto* object = object_of<ErrhandlerObject>(handler, ObjectKind::errhandler);
  if (object == nullptr) {
    return fmt::format(
        "errhandler {} is not an error handler{}", static_cast<const void*>(handler),
        handler == MPI_ERRHANDLER_NULL ? " (MPI_ERRHANDLER_NULL)" : " (freed already?)");
  }
  if (object->owner != owner) {
    return fmt::format("errhandler {} was created for another kind of object",
                       static_cast<const void*>(handler));
  }
  return {};
}

int target_of(Entry& entry, MPI_Comm comm, ErrorTarget*& out) {
  CommObject* object = nullptr;
  const int err = entry.comm(comm, object);
  out = object;
  return err;
}
int target_of(Entry& entry, MPI_Session session, ErrorTarget*& out) {
  SessionObject* object = nullptr;
  const int err = entry.session(session, object);
  out = object;
  return err;
}
int target_of(Entry& entry, MPI_Win win, ErrorTarget*& out) {
  WinObject* object = nullptr;
  const int err = entry.win(win, object);
  out = object;
  return err;
}
/// MPI_FILE_NULL keeps the handler that files are opened with (MPI-5.0, section 14.7).
int target_of(Entry& entry, MPI_File file, ErrorTarget*& out) {
  FileObject* object = nullptr;
  const int err = entry.file_or_null(file, object);
  out = object;
  return err;
}

template <class Handle>
int set_handler(const char* function, Handle handle, MPI_Errhandler handler) {
  Entry entry(function);
  ErrorTarget* target = nullptr;
  if (int err = target_of(entry, handle, target)) return err;
  if (int err = check_errhandler(entry, handler, target->owner)) return err;
  retain_errhandler(handler);
  release_errhandler(std::exchange(target->errhandler, handler));
  return MPI_SUCCESS;
}

template <class Handle>
int get(const char* function, Handle handle, MPI_Errhandler* out) {
  Entry entry(function);
  ErrorTarget* target = nullptr;
  if (int err = target_of(entry, handle, target)) return err;
  if (int err = entry.not_null(out, "errhandler")) return err;
  retain_errhandler(target->errhandler);
  *out = target->errhandler;
  return MPI_SUCCESS;
}

template <class Handle>
int call(const char* function, Handle handle, int code) {
  Entry entry(function);
  ErrorTarget* target = nullptr;
  if (int err = target_of(entry, handle, target)) return err;
  // Who added the code may have given it words.
  const auto words = error_book().text_of(code);
  call_errhandler(
      target->errhandler, target, code,
      fmt::format("{} was called with code {} ({}){}{}", function, code,
                  error_class_name(error_class_of(code)), words ? ": " : "", words.value_or("")));
  return MPI_SUCCESS;
}

}  // namespace

int check_errhandler(Entry& entry, MPI_Errhandler handler, Owner owner) {
  const std::string problem = problem_of(handler, owner);
  return problem.empty() ? MPI_SUCCESS : entry.fail(MPI_ERR_ERRHANDLER, "{}", problem);
}

std::string session_errhandler_problem(MPI_Errhandler handler) {
  return problem_of(handler, Owner::session);
}

void WinObject::release() {
  if (--references != 0) return;
  release_errhandler(errhandler);
  kind = ObjectKind::freed;
  delete this;
}

void FileObject::release() {
  if (--references != 0) return;
  release_errhandler(errhandler);
  kind = ObjectKind::freed;
  delete this;
}

}  // namespace remit

using namespace remit;

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function* comm_errhandler_fn,
                                MPI_Errhandler* errhandler) try {
  return create_handler_inside("MPI_Comm_create_errhandler", Owner::comm,
                               reinterpret_cast<HandlerFunction>(comm_errhandler_fn),
                               "comm_errhandler_fn", errhandler);
} catch (...) {
  return caught("MPI_Comm_create_errhandler");
}
REMIT_WEAK(Comm_create_errhandler);

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) try {
  return set_handler("MPI_Comm_set_errhandler", comm, errhandler);
} catch (...) {
  return caught("MPI_Comm_set_errhandler", comm);
}
REMIT_WEAK(Comm_set_errhandler);

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler) try {
  return get("MPI_Comm_get_errhandler", comm, errhandler);
} catch (...) {
  return caught("MPI_Comm_get_errhandler", comm);
}
REMIT_WEAK(Comm_get_errhandler);

int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode) try {
  return call("MPI_Comm_call_errhandler", comm, errorcode);
} catch (...) {
  return caught("MPI_Comm_call_errhandler", comm);
}
REMIT_WEAK(Comm_call_errhandler);

int PMPI_Session_create_errhandler(MPI_Session_errhandler_function* session_errhandler_fn,
                                   MPI_Errhandler* errhandler) try {
  return create_handler(AnyTimeCall("MPI_Session_create_errhandler"), Owner::session,
                        reinterpret_cast<HandlerFunction>(session_errhandler_fn),
                        "session_errhandler_fn", errhandler);
} catch (...) {
  return caught("MPI_Session_create_errhandler");
}
REMIT_WEAK(Session_create_errhandler);

int PMPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler) try {
  return set_handler("MPI_Session_set_errhandler", session, errhandler);
} catch (...) {
  return caught("MPI_Session_set_errhandler", session);
}
REMIT_WEAK(Session_set_errhandler);

int PMPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler* errhandler) try {
  return get("MPI_Session_get_errhandler", session, errhandler);
} catch (...) {
  return caught("MPI_Session_get_errhandler", session);
}
REMIT_WEAK(Session_get_errhandler);

// May be called at any time, but a session exists only while MPI is open.
int PMPI_Session_call_errhandler(MPI_Session session, int errorcode) try {
  const char* const function = "MPI_Session_call_errhandler";
  if (library().instance == nullptr) {
    return AnyTimeCall(function).fail(MPI_ERR_SESSION, "session {} is not a session",
                                      static_cast<const void*>(session));
  }
  return call(function, session, errorcode);
} catch (...) {
  return caught("MPI_Session_call_errhandler", session);
}
REMIT_WEAK(Session_call_errhandler);

int PMPI_File_create_errhandler(MPI_File_errhandler_function* file_errhandler_fn,
                                MPI_Errhandler* errhandler) try {
  return create_handler_inside("MPI_File_create_errhandler", Owner::file,
                               reinterpret_cast<HandlerFunction>(file_errhandler_fn),
                               "file_errhandler_fn", errhandler);
} catch (...) {
  return caught("MPI_File_create_errhandler");
}
REMIT_WEAK(File_create_errhandler);

int PMPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler) try {
  return set_handler("MPI_File_set_errhandler", file, errhandler);
} catch (...) {
  return caught("MPI_File_set_errhandler", file);
}
REMIT_WEAK(File_set_errhandler);

int PMPI_File_get_errhandler(MPI_File file, MPI_Errhandler* errhandler) try {
  return get("MPI_File_get_errhandler", file, errhandler);
} catch (...) {
  return caught("MPI_File_get_errhandler", file);
}
REMIT_WEAK(File_get_errhandler);

int PMPI_File_call_errhandler(MPI_File fh, int errorcode) try {
  return call("MPI_File_call_errhandler", fh, errorcode);
} catch (...) {
  return caught("MPI_File_call_errhandler", fh);
}
REMIT_WEAK(File_call_errhandler);

int PMPI_Win_create_errhandler(MPI_Win_errhandler_function* win_errhandler_fn,
                               MPI_Errhandler* errhandler) try {
  return create_handler_inside("MPI_Win_create_errhandler", Owner::win,
                               reinterpret_cast<HandlerFunction>(win_errhandler_fn),
                               "win_errhandler_fn", errhandler);
} catch (...) {
  return caught("MPI_Win_create_errhandler");
}
REMIT_WEAK(Win_create_errhandler);

int PMPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler) try {
  return set_handler("MPI_Win_set_errhandler", win, errhandler);
} catch (...) {
  return caught("MPI_Win_set_errhandler", win);
}
REMIT_WEAK(Win_set_errhandler);

int PMPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler* errhandler) try {
  return get("MPI_Win_get_errhandler", win, errhandler);
} catch (...) {
  return caught("MPI_Win_get_errhandler", win);
}
REMIT_WEAK(Win_get_errhandler);

int PMPI_Win_call_errhandler(MPI_Win win, int errorcode) try {
  return call("MPI_Win_call_errhandler", win, errorcode);
} catch (...) {
  return caught("MPI_Win_call_errhandler", win);
}
REMIT_WEAK(Win_call_errhandler);

int PMPI_Errhandler_free(MPI_Errhandler* errhandler) try {
  const AnyTimeCall call("MPI_Errhandler_free");
  if (int err = call.not_null(errhandler, "errhandler")) return err;
  // The get functions may have returned a predefined one, and their user frees it.
  if (!is_standard_handler(*errhandler)) {
    if (object_of<ErrhandlerObject>(*errhandler, ObjectKind::errhandler) == nullptr) {
      return call.fail(
          MPI_ERR_ERRHANDLER, "errhandler {} is not an error handler{}",
          static_cast<const void*>(*errhandler),
          *errhandler == MPI_ERRHANDLER_NULL ? " (MPI_ERRHANDLER_NULL)" : " (freed already?)");
    }
    release_errhandler(*errhandler);
  }
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Errhandler_free");
}
REMIT_WEAK(Errhandler_free);
