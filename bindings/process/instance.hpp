// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The MPI process behind the C interface: the one place with a static pointer.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "bindings/comm/keyval_table.hpp"
#include "bindings/env/handle_int.hpp"
#include "bindings/objects.hpp"
#include "bindings/process/background_progress.hpp"
#include "bindings/process/call_guard.hpp"
#include "bindings/pt2pt/request_store.hpp"
#include "bindings/types/plain_types.hpp"
#include "bindings/types/type_notes.hpp"
#include "communicators/comm_process.hpp"
#include "runtime/process.hpp"

namespace remit {

class ErrorBook;
class FortranBooleans;
class OpenFiles;
class OpenWindows;
class Tool;
class UnnamedTypes;

/// Values of the attributes that MPI_COMM_WORLD is born with (MPI-5.0, section 9.1.2). Users get
/// their addresses.
struct PredefinedAttributes {
  int tag_ub = 0;
  int host = MPI_PROC_NULL;
  int io = MPI_ANY_SOURCE;  ///< every process has language-standard input and output
  int wtime_is_global = 0;
  int universe_size = 0;
  int app_number = -1;
};

/// Everything that exists while the World Model or a session is open. Members are destroyed in
/// reverse order.
struct Instance {
  Instance(std::unique_ptr<Process> process, std::vector<std::unique_ptr<Device>> devices,
           int thread_level);
  ~Instance();

  std::unique_ptr<Process> process;
  CallGuard threads;
  std::unique_ptr<CommProcess> comms;  ///< goes after the engine
  std::unique_ptr<Engine> engine;
  std::unique_ptr<OpenWindows> windows;  ///< from the first window on
  std::unique_ptr<OpenFiles> files;      ///< from the first file on
  CommObject world;
  CommObject self;
  /// MPI_COMM_WORLD and MPI_COMM_SELF; null outside of MPI_Init and MPI_Finalize, where there are
  /// sessions only.
  CommObject* open_world = nullptr;
  CommObject* open_self = nullptr;
  /// To those who spawned this job; has the reference of the program's handle until that is freed.
  /// Null: nobody did, or it was freed.
  Ref<CommObject> parent;

  int thread_level;                ///< of the World Model, or of the sessions while it is not open
  bool had_session = false;        ///< may be opened again: see leave_instance()
  std::string memory_alloc_kinds;  ///< of the World Model
  std::thread::id main_thread;     ///< called MPI_Init, or else opened the first session
  BackgroundProgress background;   ///< while MPI is open

  KeyvalTable keyvals;
  std::unique_ptr<BsendBuffer> bsend;
  int next_partition_tag = 0;  ///< of partitioned sends
  RequestStore requests;
  PlainTypes plain;
  FileObject no_file{MPI_ERRORS_RETURN};  ///< of MPI_FILE_NULL (section 14.7)
  PredefinedAttributes predefined_attributes;
  TypeNotes type_notes;
  std::unique_ptr<UnnamedTypes> unnamed_types;

  [[nodiscard]] Progress& progress() { return process->progress(); }

  /// See CallGuard.
  [[nodiscard]] bool guarded() const { return threads.guarded(); }
  [[nodiscard]] bool locking() const { return threads.locking(); }

  /// Makes it safe for a user of this `level` to join. Library::opening is held.
  void guard_for(int level, bool is_session);

  /// Begin and end of a call, if guarded().
  void enter() { threads.enter(); }
  void leave();

  /// The communicator behind a handle, or null if there is none.
  [[nodiscard]] CommObject* comm(MPI_Comm handle) {
    if (handle == MPI_COMM_WORLD) return open_world;
    if (handle == MPI_COMM_SELF) return open_self;
    if (reinterpret_cast<std::uintptr_t>(handle) <= kLastPredefinedHandle) return nullptr;
    auto* object = reinterpret_cast<CommObject*>(handle);
    return object->kind == ObjectKind::comm ? object : nullptr;
  }
};

/// Where the World Model stands in its life.
enum class Phase : std::uint8_t { before_init, running, finalized };

/// The one static state of the library is `the_library`; everybody calls library().
struct Library {
  /// Non-null while the World Model or a session is open.
  std::atomic<Instance*> instance = nullptr;
  std::atomic<Phase> phase = Phase::before_init;
  std::mutex opening;          ///< held while `instance` is opened, closed, gains or loses a user
  int users = 0;               ///< the World Model and sessions that are open
  Instance* parked = nullptr;  ///< closed, but ready for another session
  int openings = 0;            ///< how often an MPI process was opened from nothing
  pid_t parked_by = 0;         ///< the process that parked it first; 0: none has
  HandleInts handle_ints;
  std::atomic<ErrorBook*> error_book = nullptr;              ///< made_once()
  std::atomic<FortranBooleans*> fortran_booleans = nullptr;  ///< made_once()
  std::atomic<Tool*> tool = nullptr;                         ///< MPI_T; made_once()
  std::atomic<InfoObject*> info_env = nullptr;  ///< MPI_INFO_ENV; from MPI_Init on, until exit
};
inline constinit Library the_library;
[[nodiscard]] inline Library& library() {
  return the_library;
}

/// What `made` points to, made on first use and kept until the program ends. Any thread.
template <class T>
T& made_once(std::atomic<T*>& made) {
  if (T* object = made.load(std::memory_order_acquire)) return *object;
  auto mine = std::make_unique<T>();
  T* first = nullptr;
  return made.compare_exchange_strong(first, mine.get()) ? *mine.release() : *first;
}

inline void retain(CommObject* comm) {
  comm->retain();
}
inline void release(CommObject* comm) {
  comm->release();
}

}  // namespace remit
