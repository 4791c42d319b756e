// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The way an error takes to its handler.
#include "bindings/env/errors.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "bindings/env/error_book.hpp"
#include "bindings/env/error_table.hpp"
#include "bindings/env/fortran_words.hpp"
#include "bindings/handles.hpp"
#include "bindings/process/instance.hpp"
#include "bindings/weak.hpp"
#include "runtime/launch_params.hpp"

namespace remit {

namespace {

bool is_predefined(MPI_Errhandler handler) {
  return reinterpret_cast<std::uintptr_t>(handler) <= kLastPredefinedHandle;
}

[[noreturn]] void end_process(const std::string& message) {
  fmt::print(stderr, "remit: {}\n", message);
  std::fflush(nullptr);
  _exit(1);
}

[[noreturn]] void abort_job(int code, const std::string& message) {
  Instance* instance = library().instance;
  if (instance == nullptr) end_process(message);
  instance->process->bootstrap().abort(code, message);
  std::abort();  // GCC does not trust [[noreturn]] of a virtual function
}

std::string comm_words(const CommObject& comm) {
  const std::string name = comm.name.empty() ? "an unnamed communicator" : comm.name;
  return fmt::format("{} (size {})", name, comm.core.size());
}

std::string target_words(const ErrorTarget* target) {
  if (target == nullptr) return {};
  switch (target->owner) {
    case Owner::comm:
      return fmt::format(" on {}", comm_words(*static_cast<const CommObject*>(target)));
    case Owner::win: {
      const std::string& name = static_cast<const WinObject*>(target)->name;
      return fmt::format(" on {}", name.empty() ? "an unnamed window" : name);
    }
    case Owner::session:
      return " on a session";
    case Owner::file:  // its words name it
    case Owner::type:  // has no handler
      break;
  }
  return {};
}

/// Calls a user's function with the handle of its object, which stays until it returns. Programs in
/// C++ may have handlers that throw. Another error that the handler makes of `code` is what the MPI
/// call returns: the standard says that it is the code to be returned, and hands it over by its
/// address.
template <class Function, class Kept, class Handle>
void call_user_function(const ErrhandlerObject& handler, const Kept& kept, Handle null_handle,
                        int& code) {
  Handle handle = kept.get() == nullptr ? null_handle : handle_of(kept.get());
  try {
    reinterpret_cast<Function*>(handler.function)(&handle, &code);
  } catch (...) {
    note_thrown_by_program();
    throw;
  }
}

/// The target as the kind of object that it is; null: another one.
template <class T>
T* as(ErrorTarget* target, Owner owner) {
  return target != nullptr && target->owner == owner ? static_cast<T*>(target) : nullptr;
}

/// Calls a user's function. It may free its handler or the object; both stay until it returns.
/// Returns the error that it has left in the code. A call that has failed goes by it, so it cannot
/// become none.
int call_user_handler(ErrhandlerObject& handler, ErrorTarget* target, const int raised) {
  int code = raised;
  retain_errhandler(reinterpret_cast<MPI_Errhandler>(&handler));
  const std::unique_ptr<MPI_ABI_Errhandler, decltype(&release_errhandler)> kept(
      reinterpret_cast<MPI_Errhandler>(&handler), release_errhandler);
  switch (handler.owner) {
    case Owner::comm:
      call_user_function<MPI_Comm_errhandler_function>(
          handler, Ref<CommObject>(as<CommObject>(target, Owner::comm)), MPI_COMM_NULL, code);
      break;
    case Owner::win:
      call_user_function<MPI_Win_errhandler_function>(
          handler, Ref<WinObject>(as<WinObject>(target, Owner::win)), MPI_WIN_NULL, code);
      break;
    case Owner::file:
      call_user_function<MPI_File_errhandler_function>(
          handler, Ref<FileObject>(as<FileObject>(target, Owner::file)), MPI_FILE_NULL, code);
      break;
    case Owner::session:
      call_user_function<MPI_Session_errhandler_function>(
          handler, Ref<SessionObject>(as<SessionObject>(target, Owner::session)), MPI_SESSION_NULL,
          code);
      break;
    case Owner::type:
      break;
  }
  return code != MPI_SUCCESS ? code : raised;
}

MPI_Errhandler errhandler_named(const std::string& name) {
  if (name == "mpi_errors_return") return MPI_ERRORS_RETURN;
  return name == "mpi_errors_abort" ? MPI_ERRORS_ABORT : MPI_ERRORS_ARE_FATAL;
}

}  // namespace

MPI_Errhandler initial_errhandler() {
  if (const Instance* instance = library().instance; instance != nullptr) {
    return errhandler_named(instance->process->params().text(initial_errhandler_param));
  }
  const auto params = Params::from_environment(environ);
  return params ? errhandler_named(params->text(initial_errhandler_param)) : MPI_ERRORS_ARE_FATAL;
}

void die(const char* function, const std::string& detail) {
  end_process(fmt::format("{}: {}", function, detail));
}

int call_errhandler(MPI_Errhandler handler, ErrorTarget* target, int code,
                    const std::string& message) {
  if (handler == MPI_ERRORS_RETURN) return code;
  if (is_predefined(handler)) abort_job(code, message);
  return call_user_handler(*reinterpret_cast<ErrhandlerObject*>(handler), target, code);
}

int raise_error(ErrorTarget* target, int code, const char* function, const std::string& detail) {
  Instance* instance = library().instance;
  if (target == nullptr && instance != nullptr) target = instance->open_self;
  const MPI_Errhandler handler = target != nullptr ? target->errhandler : initial_errhandler();
  return raise_error_with(handler, target, code, function, detail);
}

int raise_error_with(MPI_Errhandler handler, ErrorTarget* target, int code, const char* function,
                     const std::string& words) {
  const int error_class = error_class_of(code);
  const std::string detail = in_callers_words(words);
  const std::string message =
      fmt::format("{}{} failed with {} ({}): {}", function, target_words(target),
                  error_class_name(error_class), error_class_text(error_class), detail);
  error_book().note(code, fmt::format("{}: {}", function, detail));
  return call_errhandler(handler, target, code, message);
}

int refuse_null(const char* function, const char* argument) {
  return raise_error(nullptr, MPI_ERR_ARG, function,
                     fmt::format("argument {} is a null pointer", argument));
}

void retain_errhandler(MPI_Errhandler handler) {
  if (is_predefined(handler)) return;
  std::atomic_ref(reinterpret_cast<ErrhandlerObject*>(handler)->references)
      .fetch_add(1, std::memory_order_relaxed);
}

void release_errhandler(MPI_Errhandler handler) {
  if (is_predefined(handler)) return;
  auto* object = reinterpret_cast<ErrhandlerObject*>(handler);
  if (std::atomic_ref(object->references).fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  object->kind = ObjectKind::freed;
  delete object;
}

}  // namespace remit
