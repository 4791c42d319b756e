// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What every MPI function does first: is MPI running, take the lock if threads may compete, turn
// handles into objects, check arguments.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "bindings/env/errors.hpp"
#include "bindings/process/instance.hpp"

namespace remit {

/// A fast path where calls are guarded: leaves its mark or holds the lock as long as it lives.
class GuardedCall {
 public:
  explicit GuardedCall(Instance& instance) : instance_(instance) { instance_.enter(); }
  ~GuardedCall() { instance_.leave(); }
  GuardedCall(const GuardedCall&) = delete;
  GuardedCall& operator=(const GuardedCall&) = delete;

 private:
  Instance& instance_;
};

/// Lives as long as one MPI call. The checks return MPI_SUCCESS or the code that the function must
/// return (the error handler has been called by then):
///
///   Entry entry("MPI_Comm_rank");
///   CommObject* c = nullptr;
///   if (int err = entry.comm(comm, c)) return err;
class Entry {
 public:
  explicit Entry(const char* function)
      : function_(function), instance_(library().instance.load(std::memory_order_relaxed)) {
    if (instance_ == nullptr) [[unlikely]]
      not_running();
    if (instance_->guarded()) [[unlikely]]
      instance_->enter();
  }
  ~Entry() {
    if (instance_->guarded()) [[unlikely]]
      instance_->leave();
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  [[nodiscard]] Instance& instance() const { return *instance_; }
  [[nodiscard]] Engine& engine() const { return *instance_->engine; }
  [[nodiscard]] Progress& progress() const { return instance_->process->progress(); }
  [[nodiscard]] const char* function() const { return function_; }

  /// For calls that looked in vain: polling apart, this one has changed nothing that another thread
  /// could be waiting for. Where ranks outnumber the cores, a program that looks in a loop would
  /// keep its core from the rank that it waits for until the kernel's time slice ends, so such a
  /// call yields the core.
  void only_looked() {
    if (instance_->locking()) [[unlikely]]
      instance_->others_may_care = false;
    if (!progress().policy().spin) yield_core();
  }

  /// Errors are raised through this handler, which is valid, and not through that of an object: the
  /// function makes an object that will have it.
  void raise_through(MPI_Errhandler handler) { errhandler_ = handler; }

  /// Errors found from now on are raised on `comm`, which was found without comm().
  void raise_on(CommObject& comm) { target_ = &comm; }

  /// Raises an error on the communicator, session, window or file found so far, else on
  /// MPI_COMM_SELF, or, while there is none, through the initial error handler.
  template <class... Args>
  [[gnu::cold]] int fail(int code, fmt::format_string<Args...> format, Args&&... args) {
    std::string detail = fmt::format(format, std::forward<Args>(args)...);
    if (errhandler_ != nullptr)
      return raise_error_with(errhandler_, nullptr, code, function_, detail);
    return raise_error(target_, code, function_, detail);
  }
  /// The same for an error of a layer below.
  [[gnu::cold]] int fail(const Error& error) { return fail(error.code, "{}", error.message); }

  int comm(MPI_Comm handle, CommObject*& out) {
    out = instance_->comm(handle);
    if (out == nullptr) [[unlikely]]
      return bad_comm(handle);
    target_ = out;
    return MPI_SUCCESS;
  }
  /// As comm(), and refuses inter-communicators.
  int intra_comm(MPI_Comm handle, CommObject*& out);
  /// As comm(), and takes nothing else.
  int inter_comm(MPI_Comm handle, CommObject*& out);
  int group(MPI_Group handle, std::shared_ptr<const Group>& out);
  /// A session that is not finalized. Errors found later are raised on it.
  int session(MPI_Session handle, SessionObject*& out);
  /// A window. Errors found later are raised on it; that it is none, on MPI_COMM_SELF.
  int win(MPI_Win handle, WinObject*& out);
  /// An open file. Errors found later are raised on it; that it is none, on MPI_FILE_NULL
  /// (MPI-5.0, section 14.7).
  int file(MPI_File handle, FileObject*& out);
  /// As file(), and takes MPI_FILE_NULL.
  int file_or_null(MPI_File handle, FileObject*& out);
  int not_null(const void* pointer, const char* argument) {
    return pointer != nullptr ? MPI_SUCCESS : bad_pointer(argument);
  }
  int count(MPI_Count count, const char* argument = "count") {
    return count >= 0 ? MPI_SUCCESS : bad_count(count, argument);
  }
  /// A committed type usable for communication.
  int datatype(MPI_Datatype handle, const Datatype*& out, const char* argument = "datatype") {
    out = datatype_of(handle);
    return out != nullptr && out->is_usable() ? MPI_SUCCESS : bad_datatype(handle, argument);
  }
  /// Any valid type, committed or not.
  int any_datatype(MPI_Datatype handle, const Datatype*& out, const char* argument = "datatype") {
    out = datatype_of(handle);
    const bool fine = out != nullptr && out->is_alive() && out->is_available();
    return fine ? MPI_SUCCESS : bad_datatype(handle, argument);
  }
  /// Count, type and address of a buffer together, as a view.
  int buffer(const void* address, MPI_Count count, MPI_Datatype type, View& out) {
    if (int err = this->count(count)) return err;
    const Datatype* t = nullptr;
    if (int err = datatype(type, t)) return err;
    // Address 0 is MPI_BOTTOM: fine for a type with absolute addresses, wrong for a plain one.
    MPI_Count bytes = 0;
    if (is_special(address) && count > 0 && t->size() > 0 &&
        (address != nullptr || t->true_lb() == 0)) [[unlikely]]
      return bad_buffer(address, count);
    if (__builtin_mul_overflow(count, t->size(), &bytes)) [[unlikely]]
      return too_many_bytes(count, *t);
    out = View{const_cast<void*>(address), count, &t->layout()};
    datatype_ = t;
    return MPI_SUCCESS;
  }
  /// The type of the last buffer().
  [[nodiscard]] const Datatype* buffer_type() const { return datatype_; }
  /// A destination: a rank of `comm` or MPI_PROC_NULL.
  int destination(const CommObject& comm, int rank) {
    const bool fine = static_cast<unsigned>(rank) < static_cast<unsigned>(peers(comm));
    return fine || rank == MPI_PROC_NULL ? MPI_SUCCESS : bad_rank(comm, rank, false);
  }
  int source(const CommObject& comm, int rank) {
    const bool fine = static_cast<unsigned>(rank) < static_cast<unsigned>(peers(comm));
    return fine || rank == MPI_PROC_NULL || rank == MPI_ANY_SOURCE ? MPI_SUCCESS
                                                                   : bad_rank(comm, rank, true);
  }
  int send_tag(int tag) { return tag >= 0 ? MPI_SUCCESS : bad_tag(tag); }
  int receive_tag(int tag) { return tag >= 0 || tag == MPI_ANY_TAG ? MPI_SUCCESS : bad_tag(tag); }
  int root(const CommObject& comm, int root);
  int op(MPI_Op handle, const Op*& out);
  int op_on(const Op& op, const Datatype& type);
  int request(MPI_Request handle, RequestObject*& out);
  int info(MPI_Info handle, InfoObject*& out);

  /// MPI_BOTTOM and MPI_IN_PLACE are no addresses of data.
  static bool is_special(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) <=
           reinterpret_cast<std::uintptr_t>(MPI_IN_PLACE);
  }

 private:
  void yield_core();
  static int peers(const CommObject& comm) { return comm.core.peers().size(); }
  [[noreturn, gnu::cold]] void not_running() const;
  [[gnu::cold]] int bad_comm(MPI_Comm handle);
  [[gnu::cold]] int bad_pointer(const char* argument);
  [[gnu::cold]] int bad_count(MPI_Count count, const char* argument);
  [[gnu::cold]] int bad_buffer(const void* address, MPI_Count count);
  [[gnu::cold]] int too_many_bytes(MPI_Count count, const Datatype& type);
  [[gnu::cold]] int bad_datatype(MPI_Datatype handle, const char* argument);
  [[gnu::cold]] int bad_rank(const CommObject& comm, int rank, bool receive);
  [[gnu::cold]] int bad_tag(int tag);

  const char* function_;
  Instance* instance_;
  ErrorTarget* target_ = nullptr;        ///< what an error would be raised on
  MPI_Errhandler errhandler_ = nullptr;  ///< see raise_through()
  const Datatype* datatype_ = nullptr;
};

}  // namespace remit
