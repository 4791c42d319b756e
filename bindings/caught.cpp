// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The end of exceptions, at the boundary of C.
#include <cxxabi.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "bindings/entry.hpp"
#include "bindings/handles.hpp"
#include "bindings/weak.hpp"
#include "runtime/error.hpp"

namespace remit {

namespace {

thread_local bool thrown_by_program = false;

/// Raises `error` on what `find(instance)` returns, in a call of its own: that of the function has
/// ended when its exception is caught.
template <class Find>
int raise_in_call(const char* function, const Error& error, Find&& find) {
  if (library().instance.load() == nullptr) {
    return raise_error(nullptr, error.code, function, error.message);
  }
  const Entry entry(function);
  return raise_error(find(entry.instance()), error.code, function, error.message);
}

/// For want of memory nobody can be told: who has asked for errors gets this one, and to the others
/// it is fatal.
template <class Find>
int end_without_words(Find&& find) {
  Instance* const instance = library().instance.load();
  ErrorTarget* const target = instance != nullptr ? find(*instance) : nullptr;
  const MPI_Errhandler handler = target != nullptr ? target->errhandler : initial_errhandler();
  if (handler == MPI_ERRORS_RETURN) return MPI_ERR_NO_MEM;
  constexpr std::string_view kWords = "remit: out of memory, also for the words to say where\n";
  (void)!::write(STDERR_FILENO, kWords.data(), kWords.size());
  ::_exit(1);
}

/// The end of a thread (pthread_exit, pthread_cancel) looks like an exception, and must go on.
void let_ends_of_threads_pass() {
  try {
    throw;
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
  }
}

template <class Find>
int end_exception(const char* function, Find&& find) {
  if (std::exchange(thrown_by_program, false)) throw;
  let_ends_of_threads_pass();
  try {
    return raise_in_call(function, error_of_exception(), find);
  } catch (...) {
    if (std::exchange(thrown_by_program, false)) throw;
    return end_without_words(find);
  }
}

}  // namespace

void note_thrown_by_program() {
  thrown_by_program = true;
}

int caught(const char* function) {
  return end_exception(function, [](Instance&) -> ErrorTarget* { return nullptr; });
}

int caught(const char* function, MPI_Comm comm) {
  return end_exception(function,
                       [=](Instance& instance) -> ErrorTarget* { return instance.comm(comm); });
}

int caught(const char* function, MPI_Win win) {
  return end_exception(function, [=](Instance&) -> ErrorTarget* {
    return object_of<WinObject>(win, ObjectKind::win);
  });
}

int caught(const char* function, MPI_File file) {
  return end_exception(function, [=](Instance& instance) -> ErrorTarget* {
    auto* object = object_of<FileObject>(file, ObjectKind::file);
    return object != nullptr ? object : &instance.no_file;
  });
}

int caught(const char* function, MPI_Session session) {
  return end_exception(function, [=](Instance&) -> ErrorTarget* {
    return object_of<SessionObject>(session, ObjectKind::session);
  });
}

}  // namespace remit
