// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// From handles to objects and back.
#pragma once

#include "bindings/objects.hpp"
#include "bindings/process/instance.hpp"

namespace remit {

/// MPI_TAG_UB. Tags are ints on the wire.
inline constexpr int kTagUpperBound = 2147483647;

/// The object behind a user handle, or null if it is predefined or of another kind.
template <class T, class Handle>
[[nodiscard]] T* object_of(Handle handle, ObjectKind kind) {
  if (reinterpret_cast<std::uintptr_t>(handle) <= kLastPredefinedHandle) return nullptr;
  auto* object = reinterpret_cast<T*>(handle);
  return object->kind == kind ? object : nullptr;
}

[[nodiscard]] inline MPI_Comm handle_of(CommObject* comm) {
  return comm->handle;
}
[[nodiscard]] inline MPI_Group handle_of(GroupObject* group) {
  return reinterpret_cast<MPI_Group>(group);
}
[[nodiscard]] inline MPI_Session handle_of(SessionObject* session) {
  return reinterpret_cast<MPI_Session>(session);
}
[[nodiscard]] inline MPI_Win handle_of(WinObject* win) {
  return reinterpret_cast<MPI_Win>(win);
}
[[nodiscard]] inline MPI_File handle_of(FileObject* file) {
  const Instance* instance = library().instance;
  if (instance != nullptr && file == &instance->no_file) return MPI_FILE_NULL;
  return reinterpret_cast<MPI_File>(file);
}
[[nodiscard]] inline MPI_Request handle_of(RequestObject* request) {
  return reinterpret_cast<MPI_Request>(request);
}

/// The session that a valid group comes from; null: the World Model, or a predefined group.
[[nodiscard]] inline Ref<SessionObject> session_of(MPI_Group group) {
  const auto* object = object_of<GroupObject>(group, ObjectKind::group);
  return object == nullptr ? Ref<SessionObject>() : object->session;
}

}  // namespace remit
