// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a handle, and what to do.
#include "bindings/handle_checks.hpp"

#include "bindings/env/info_objects.hpp"
#include "bindings/handles.hpp"

namespace remit {

int HandleChecks::bad_comm(MPI_Comm handle) {
  if (handle == MPI_COMM_NULL) return fail(MPI_ERR_COMM, "comm is MPI_COMM_NULL");
  if (handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF) {
    return fail(MPI_ERR_COMM, "comm is {}, which exists between MPI_Init and MPI_Finalize only",
                handle == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
  }
  return fail(MPI_ERR_COMM, "comm {} is not a communicator (freed already, or uninitialized?)",
              static_cast<const void*>(handle));
}

int HandleChecks::intra_comm(MPI_Comm handle, CommObject*& out) {
  if (int err = comm(handle, out)) return err;
  if (out->core.is_inter()) {
    return fail(MPI_ERR_COMM, "comm is an inter-communicator; this needs an intra-communicator");
  }
  return MPI_SUCCESS;
}

int HandleChecks::inter_comm(MPI_Comm handle, CommObject*& out) {
  if (int err = comm(handle, out)) return err;
  if (!out->core.is_inter()) {
    return fail(MPI_ERR_COMM, "comm is an intra-communicator; this needs an inter-communicator");
  }
  return MPI_SUCCESS;
}

int HandleChecks::group(MPI_Group handle, std::shared_ptr<const Group>& out) {
  if (handle == MPI_GROUP_EMPTY) {
    out = Group::regular(ProcId{0}, 1, 0);
    return MPI_SUCCESS;
  }
  auto* object = object_of<GroupObject>(handle, ObjectKind::group);
  if (object == nullptr) {
    return fail(MPI_ERR_GROUP, "group {} is not a group{}", static_cast<const void*>(handle),
                handle == MPI_GROUP_NULL ? " (MPI_GROUP_NULL)" : " (freed already?)");
  }
  out = object->group;
  // An error that is found later belongs to the session that the group comes from.
  if (target_ == nullptr) target_ = object->session.get();
  return MPI_SUCCESS;
}

int HandleChecks::session(MPI_Session handle, SessionObject*& out) {
  out = object_of<SessionObject>(handle, ObjectKind::session);
  if (out == nullptr) {
    return fail(MPI_ERR_SESSION, "session {} is not a session{}", static_cast<const void*>(handle),
                handle == MPI_SESSION_NULL ? " (MPI_SESSION_NULL)" : " (finalized already?)");
  }
  target_ = out;
  return MPI_SUCCESS;
}

int HandleChecks::win(MPI_Win handle, WinObject*& out) {
  out = object_of<WinObject>(handle, ObjectKind::win);
  if (out == nullptr) {
    return fail(MPI_ERR_WIN, "win {} is not a window{}", static_cast<const void*>(handle),
                handle == MPI_WIN_NULL ? " (MPI_WIN_NULL)" : " (freed already?)");
  }
  target_ = out;
  return MPI_SUCCESS;
}

int HandleChecks::file(MPI_File handle, FileObject*& out) {
  out = object_of<FileObject>(handle, ObjectKind::file);
  target_ = out != nullptr ? out : &instance_->no_file;
  if (out != nullptr) return MPI_SUCCESS;
  return fail(MPI_ERR_FILE, "file {} is not an open file{}", static_cast<const void*>(handle),
              handle == MPI_FILE_NULL ? " (MPI_FILE_NULL)" : " (closed already?)");
}

int HandleChecks::file_or_null(MPI_File handle, FileObject*& out) {
  if (handle != MPI_FILE_NULL) return file(handle, out);
  target_ = out = &instance_->no_file;
  return MPI_SUCCESS;
}

int HandleChecks::bad_datatype(MPI_Datatype handle, const char* argument) {
  const Datatype* type = datatype_of(handle);
  if (type == nullptr || !type->is_alive() || handle == MPI_DATATYPE_NULL) {
    return fail(MPI_ERR_TYPE, "{} {} is not a datatype{}", argument,
                static_cast<const void*>(handle),
                handle == MPI_DATATYPE_NULL ? " (MPI_DATATYPE_NULL)" : " (freed already?)");
  }
  if (!type->is_available()) {
    return fail(MPI_ERR_TYPE, "{} is {}, which this platform does not have", argument,
                type->name());
  }
  if (unchecked()) return MPI_SUCCESS;
  return fail(MPI_ERR_TYPE, "{} is not committed; call MPI_Type_commit first", argument);
}

int HandleChecks::too_many_bytes(MPI_Count count, const Datatype& type) {
  return fail(MPI_ERR_COUNT,
              "count is {}, too large: as many elements of {} bytes do not fit any memory", count,
              type.size());
}

int HandleChecks::bad_buffer(const void* address, MPI_Count count) {
  if (unchecked()) return MPI_SUCCESS;
  if (address != nullptr) {
    return fail(MPI_ERR_BUFFER, "the buffer is MPI_IN_PLACE, which has no meaning here");
  }
  return fail(MPI_ERR_BUFFER, "the buffer is a null pointer, but count is {}", count);
}

int HandleChecks::op(MPI_Op handle, const Op*& out) {
  out = op_of(handle);
  if (out != nullptr && out->is_alive() && out->kind() != Reduction::null) return MPI_SUCCESS;
  return fail(MPI_ERR_OP, "op {} is not a reduction operation{}", static_cast<const void*>(handle),
              handle == MPI_OP_NULL ? " (MPI_OP_NULL)" : " (freed already?)");
}

int HandleChecks::op_on(const Op& op, const Datatype& type) {
  if (auto checked = check(op, type); !checked) {
    return fail(checked.error().code, "{}", checked.error().message);
  }
  return MPI_SUCCESS;
}

int HandleChecks::request(MPI_Request handle, RequestObject*& out) {
  out = object_of<RequestObject>(handle, ObjectKind::request);
  if (out != nullptr) {
    target_ = out->error_target();
    return MPI_SUCCESS;
  }
  return fail(MPI_ERR_REQUEST, "request {} is not a request (completed or freed already?)",
              static_cast<const void*>(handle));
}

int HandleChecks::info(MPI_Info handle, InfoObject*& out) {
  out = info_of(handle);
  if (out != nullptr) return MPI_SUCCESS;
  return fail(MPI_ERR_INFO, "info {} is not an info object{}", static_cast<const void*>(handle),
              handle == MPI_INFO_NULL ? " (MPI_INFO_NULL)" : " (freed already?)");
}

}  // namespace remit
