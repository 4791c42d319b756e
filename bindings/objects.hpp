// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The objects behind MPI handles. A user handle is the object's address (never below 4096, so it
// cannot meet a predefined value); `kind` catches handles of the wrong sort and stale ones.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bindings/coll/hold.hpp"
#include "collectives/collectives.hpp"
#include "communicators/virtual_topology.hpp"
#include "datatype/datatype.hpp"
#include "datatype/handle_number.hpp"
#include "datatype/ref.hpp"
#include "mpi.h"
#include "pt2pt/communicator.hpp"
#include "pt2pt/engine.hpp"
#include "pt2pt/partitioned.hpp"

namespace remit {

/// Largest handle value reserved for predefined objects (MPI-5.0, section 20.3).
inline constexpr std::uintptr_t kLastPredefinedHandle = 4095;

enum class ObjectKind : std::uint32_t {
  freed = 0,
  comm = 0x6d6d6f63,
  group = 0x70757267,
  errhandler = 0x68727265,
  info = 0x6f666e69,
  request = 0x74716572,
  message = 0x6567736d,
  keyval = 0x6c61766b,
  session = 0x73736573,
  win = 0x5f6e6977,
  file = 0x656c6966,
};

/// A buffer attached for MPI_Bsend and what of it is in use (bindings/pt2pt/bsend.hpp).
class BsendBuffer;

/// Common start of every object. Reference counts are plain: one thread at a time holds MPI.
struct Object {
  explicit Object(ObjectKind k) : kind(k) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  ObjectKind kind;
  int references = 1;
};

/// Which kind of object an attribute or an error handler belongs to.
enum class Owner : std::uint8_t { comm, win, type, file, session };

/// A user-created error handler; the predefined ones are handle values only.
struct ErrhandlerObject : Object {
  ErrhandlerObject(Owner o, void (*f)()) : Object(ObjectKind::errhandler), owner(o), function(f) {}
  Owner owner;
  void (*function)();  ///< cast back to the owner's variadic type before the call
  HandleNumber number;
};

/// What an error is raised on: an object with an error handler. The handler's reference is held.
struct ErrorTarget : Object {
  ErrorTarget(ObjectKind k, Owner o, MPI_Errhandler handler)
      : Object(k), errhandler(handler), owner(o) {}
  MPI_Errhandler errhandler;
  const Owner owner;  ///< of the kind of object, also when `kind` says freed
};

/// An MPI_Session. Communicators and groups that come from it keep it alive; `kind` says freed
/// from MPI_Session_finalize on.
struct SessionObject : ErrorTarget {
  explicit SessionObject(MPI_Errhandler handler, int level)
      : ErrorTarget(ObjectKind::session, Owner::session, handler), thread_level(level) {}
  void retain() { ++references; }
  void release();  ///< the last one destroys (bindings/process/session.cpp)

  int thread_level;
  std::string memory_alloc_kinds;      ///< the value of its info key mpi_memory_alloc_kinds
  std::shared_ptr<BsendBuffer> bsend;  ///< attached by MPI_Session_attach_buffer
  HandleNumber number;
};

/// A key created by MPI_{Comm,Type,Win}_create_keyval. `copy` and `remove` are null for
/// the NULL functions; kDup marks the duplicating copy function.
struct Keyval : Object {
  Keyval() : Object(ObjectKind::keyval) {}
  Owner owner = Owner::comm;
  int id = 0;
  void (*copy)() = nullptr;
  void (*remove)() = nullptr;
  void* extra_state = nullptr;
};

/// Attribute values in order of setting (callbacks run in reverse of it).
struct AttributeList {
  struct Entry {
    Keyval* keyval;  ///< holds one reference
    void* value;
  };
  std::vector<Entry> entries;
};

/// What a program asserts about its use of a communicator (MPI-5.0, section 7.4.4). All are kept
/// and reported; none makes a difference, as docs/decisions/hints-change-nothing.md explains.
struct CommHints {
  bool no_any_tag = false;
  bool no_any_source = false;
  bool exact_length = false;
  bool allow_overtaking = false;
  bool strict_persistent_collective_ordering = false;
};

struct CommObject;
/// Ends an object that nothing refers to any more (bindings/process/instance.cpp).
void destroy(CommObject* comm);

struct CommObject : ErrorTarget {
  CommObject() : ErrorTarget(ObjectKind::comm, Owner::comm, MPI_ERRORS_ARE_FATAL) {}
  void retain() { ++references; }
  void release() {
    if (--references == 0) [[unlikely]]
      destroy(this);
  }

  CommCore core;
  MPI_Comm handle = MPI_COMM_NULL;
  AttributeList attributes;
  std::shared_ptr<const Topology> topology;          ///< null: none
  std::unique_ptr<const Neighborhood> neighborhood;  ///< of `topology`, once it was asked for
  std::shared_ptr<BsendBuffer> bsend;  ///< for MPI_Comm_attach_buffer, once it was called
  std::string name;
  CommHints hints;
  Ref<SessionObject> session;  ///< where it comes from; null: the World Model
  bool freed = false;          ///< MPI_Comm_free was called; operations in flight keep it alive
  HandleNumber number;
};

class Window;
struct OpenWindow;

/// What every MPI_Win has, however its memory is reached. Its handle is its address.
struct WinObject : ErrorTarget {
  WinObject() : ErrorTarget(ObjectKind::win, Owner::win, MPI_ERRORS_ARE_FATAL) {}
  void retain() { ++references; }
  void release();  ///< the last one destroys (bindings/env/errhandlers.cpp)

  AttributeList attributes;
  std::string name;
  /// Where operations go: of `open`. Null: its memory is not open (any more).
  Window* window = nullptr;
  std::shared_ptr<OpenWindow>
      open;  ///< all that goes with its memory (bindings/rma/open_windows.hpp)
  // The values of the attributes that it is born with (MPI-5.0, section 12.2.6). Users get the
  // addresses of all but the first.
  void* base = nullptr;                       ///< MPI_WIN_BASE
  MPI_Aint size = 0;                          ///< MPI_WIN_SIZE, in bytes
  int displacement_unit = 1;                  ///< MPI_WIN_DISP_UNIT, in bytes
  int create_flavor = MPI_WIN_FLAVOR_CREATE;  ///< MPI_WIN_CREATE_FLAVOR
  int model = MPI_WIN_UNIFIED;                ///< MPI_WIN_MODEL
  HandleNumber number;
};

class File;
class FileOperation;
struct OpenFile;

/// What every MPI_File has. Its handle is its address, but for the one of MPI_FILE_NULL
/// (Instance::no_file), which has the handler that files are opened with.
struct FileObject : ErrorTarget {
  explicit FileObject(MPI_Errhandler handler)
      : ErrorTarget(ObjectKind::file, Owner::file, handler) {}
  void retain() { ++references; }
  void release();  ///< the last one destroys (bindings/env/errhandlers.cpp)

  std::shared_ptr<File> file;      ///< null: it is closed, or the one of MPI_FILE_NULL
  std::shared_ptr<OpenFile> open;  ///< what goes with it (bindings/io/open_files.hpp)
  HandleNumber number;
};

struct GroupObject : Object {
  GroupObject(std::shared_ptr<const Group> g, Ref<SessionObject> from)
      : Object(ObjectKind::group), group(std::move(g)), session(std::move(from)) {}
  std::shared_ptr<const Group> group;
  Ref<SessionObject> session;  ///< where it comes from; null: the World Model
  HandleNumber number;
};

// MPI_Datatype and MPI_Op user handles are the addresses of Datatype and Op (datatype/).

struct InfoObject : Object {
  InfoObject() : Object(ObjectKind::info) {}
  std::vector<std::pair<std::string, std::string>> entries;  ///< in order of first setting
  HandleNumber number;
};

/// A message taken out of matching by MPI_Mprobe.
struct MessageObject : Object {
  MessageObject() : Object(ObjectKind::message) {}
  MatchedMessage* message = nullptr;
  CommObject* comm = nullptr;
  HandleNumber number;
};

/// How a request came to be; says what starts it and what its status holds.
enum class RequestForm : std::uint8_t {
  send,
  bsend,
  receive,
  collective,
  generalized,
  exchange,      ///< MPI_Isendrecv: `core` is the receive, `sending` the send
  partitioned,   ///< `partitioned` does the work and completes `core`
  flush,         ///< of buffered sends, whose buffer completes `core`
  one_sided,     ///< MPI_Rput and its kin: the window of `win` completes `core`
  notification,  ///< of a counter of `win`, which completes `core`
                 ///< (bindings/rma/notify_requests.hpp)
  file_access,   ///< of `file`: `access` completes `core`
  no_operation,  ///< MPI_PROC_NULL peers: complete at once
};

/// The sending half of MPI_Isendrecv.
struct SendHalf {
  Request core{RequestKind::send};
  Ref<const Datatype> datatype;
  std::unique_ptr<std::byte[]> packed;  ///< MPI_Isendrecv_replace: what leaves, copied
};

/// What an MPI_Request user handle points to.
struct RequestObject : Object {
  explicit RequestObject(RequestForm f)
      : Object(ObjectKind::request),
        form(f),
        core(f == RequestForm::receive || f == RequestForm::exchange ? RequestKind::receive
                                                                     : RequestKind::send) {}

  RequestForm form;
  bool persistent = false;
  bool active = true;  ///< false: a persistent request between completion and start
  bool freed = false;  ///< MPI_Request_free was called before completion
  bool plain = false;  ///< of MPI_Irecv's fast path: holds nothing but a reference to `comm`; or
                       ///< RequestStore::sent()
  SendMode mode = SendMode::standard;
  Request core;                ///< of send and receive forms
  CommObject* comm = nullptr;  ///< one reference held, if any
  WinObject* win = nullptr;    ///< one reference held, if any
  FileObject* file = nullptr;  ///< one reference held, if any
  int peer = MPI_PROC_NULL;    ///< a rank of one of them
  int tag = 0;
  MPI_Count awaited = 0;  ///< of the form `notification`
  View view{};
  Ref<const Datatype> datatype;                 ///< keeps the view's layout alive
  MPI_Datatype plain_type = MPI_DATATYPE_NULL;  ///< of a plain one instead: predefined
  std::unique_ptr<HeldCollective> collective;
  std::unique_ptr<SendHalf> sending;
  std::unique_ptr<Partitioned> partitioned;
  std::shared_ptr<FileOperation> access;
  RequestObject* next_plain = nullptr;  ///< of a plain one not in use

  // generalized requests
  MPI_Grequest_query_function* query = nullptr;
  MPI_Grequest_free_function* free_function = nullptr;
  MPI_Grequest_cancel_function* cancel_function = nullptr;
  void* extra_state = nullptr;

  HandleNumber number;  ///< a plain one keeps it while it is not in use

  /// What its errors are raised on; null: nothing.
  [[nodiscard]] ErrorTarget* error_target() const {
    if (file != nullptr) return file;
    return win != nullptr ? static_cast<ErrorTarget*>(win) : comm;
  }
  [[nodiscard]] Request& operation() { return collective ? collective->work().request : core; }
  [[nodiscard]] bool complete() {
    return !active || (operation().complete && (sending == nullptr || sending->core.complete));
  }
};

/// What the memory of a destroyed request holds until it is used again: a handle to it is known to
/// be stale.
struct FreedRequest : Object {
  explicit FreedRequest(FreedRequest* following) : Object(ObjectKind::freed), next(following) {}
  FreedRequest* next;
};

}  // namespace remit
