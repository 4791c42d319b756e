// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Arguments that are handles.
#pragma once

#include <memory>

#include "bindings/value_checks.hpp"

namespace remit {

/// Turns a call's handles into objects. Like ValueChecks these return MPI_SUCCESS or the code that
/// the function must return; errors found after a communicator, session, window, file or request
/// are raised on it.
class HandleChecks : public ValueChecks {
 public:
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
  /// A session that is not finalized.
  int session(MPI_Session handle, SessionObject*& out);
  /// A window. That it is none is raised on MPI_COMM_SELF.
  int win(MPI_Win handle, WinObject*& out);
  /// An open file. That it is none is raised on MPI_FILE_NULL (MPI-5.0, section 14.7).
  int file(MPI_File handle, FileObject*& out);
  /// As file(), and takes MPI_FILE_NULL.
  int file_or_null(MPI_File handle, FileObject*& out);
  int request(MPI_Request handle, RequestObject*& out);
  int info(MPI_Info handle, InfoObject*& out);
  int op(MPI_Op handle, const Op*& out);
  /// Whether the operation is defined for the type.
  int op_on(const Op& op, const Datatype& type);

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

 protected:
  using ValueChecks::ValueChecks;

 private:
  [[gnu::cold]] int bad_comm(MPI_Comm handle);
  [[gnu::cold]] int bad_buffer(const void* address, MPI_Count count);
  [[gnu::cold]] int too_many_bytes(MPI_Count count, const Datatype& type);
  [[gnu::cold]] int bad_datatype(MPI_Datatype handle, const char* argument);

  const Datatype* datatype_ = nullptr;
};

}  // namespace remit
