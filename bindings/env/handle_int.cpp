// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// handle_int.cpp: handles as integers and back (MPI-5.0, chapter 20), for other languages. Callable
// at any time, by any thread.
#include "bindings/env/handle_int.hpp"

#include <bit>
#include <cstddef>
#include <new>

#include "bindings/handles.hpp"
#include "bindings/process/instance.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

// The number that an object may have been given, or null if a handle is none of its kind.

template <class T, class Handle>
const HandleNumber* number_in(Handle handle, ObjectKind kind) {
  const T* object = object_of<T>(handle, kind);
  return object != nullptr ? &object->number : nullptr;
}

const HandleNumber* number_in(MPI_Comm handle) {
  return number_in<CommObject>(handle, ObjectKind::comm);
}
const HandleNumber* number_in(MPI_Errhandler handle) {
  return number_in<ErrhandlerObject>(handle, ObjectKind::errhandler);
}
const HandleNumber* number_in(MPI_File handle) {
  return number_in<FileObject>(handle, ObjectKind::file);
}
const HandleNumber* number_in(MPI_Group handle) {
  return number_in<GroupObject>(handle, ObjectKind::group);
}
const HandleNumber* number_in(MPI_Info handle) {
  return number_in<InfoObject>(handle, ObjectKind::info);
}
const HandleNumber* number_in(MPI_Message handle) {
  return number_in<MessageObject>(handle, ObjectKind::message);
}
const HandleNumber* number_in(MPI_Op handle) {
  const Op* op = op_of(handle);
  return op->is_alive() ? &op->number() : nullptr;
}
const HandleNumber* number_in(MPI_Request handle) {
  return number_in<RequestObject>(handle, ObjectKind::request);
}
const HandleNumber* number_in(MPI_Session handle) {
  return number_in<SessionObject>(handle, ObjectKind::session);
}
const HandleNumber* number_in(MPI_Datatype handle) {
  const Datatype* type = datatype_of(handle);
  return type->is_alive() ? &type->number() : nullptr;
}
const HandleNumber* number_in(MPI_Win handle) {
  return number_in<WinObject>(handle, ObjectKind::win);
}

/// What is no handle of its kind has the number of the null handle: there is no way to return an
/// error, but the next function that gets the handle of it will. Up to 4095 all are predefined
/// handles, of whatever kind.
template <class Handle>
int to_int(Handle handle, Handle null_handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  if (value <= kLastPredefinedHandle) return static_cast<int>(value);
  const HandleNumber* object = number_in(handle);
  if (object != nullptr) [[likely]] {
    if (const HandleSlot* slot = object->slot()) [[likely]]
      return slot->number;
    if (const int number = library().handle_ints.number_of(value, *object)) return number;
  }
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(null_handle));
}

/// The null handle for a number that is nobody's, or of another kind. Some objects outlive their
/// handles, and keep their numbers for as long: requests that are kept for reuse, sessions.
template <class Handle>
Handle from_int(int number, Handle null_handle) {
  const auto same = static_cast<std::uintptr_t>(number);
  if (number > 0 && same <= kLastPredefinedHandle) return reinterpret_cast<Handle>(same);
  const auto handle = reinterpret_cast<Handle>(library().handle_ints.handle_of(number));
  return handle != nullptr && number_in(handle) != nullptr ? handle : null_handle;
}

void give_back_to_table(HandleSlot& slot) {
  library().handle_ints.give_back(slot);
}

}  // namespace

HandleInts::Place HandleInts::place_of(int number) {
  const unsigned index = static_cast<unsigned>(number - kFirstNumber) + kFirstChunk;
  const auto chunk = static_cast<std::size_t>(std::bit_width(index) - std::bit_width(kFirstChunk));
  return {chunk, index - (kFirstChunk << chunk)};
}

int HandleInts::number_of(std::uintptr_t handle, const HandleNumber& object) {
  const std::lock_guard lock(mutex_);
  if (const HandleSlot* slot = object.slot()) return slot->number;  // another thread was first
  HandleSlot* slot = take();
  if (slot == nullptr) return 0;
  slot->handle.store(handle, std::memory_order_release);
  object.set(*slot);
  return slot->number;
}

std::uintptr_t HandleInts::handle_of(int number) const {
  if (number < kFirstNumber) return 0;
  const Place place = place_of(number);
  const HandleSlot* chunk = chunks_[place.chunk].load(std::memory_order_acquire);
  return chunk == nullptr ? 0 : chunk[place.at].handle.load(std::memory_order_acquire);
}

HandleSlot* HandleInts::take() {
  HandleSlot* slot = resting_ > kRest ? take_rested() : take_new();
  return slot != nullptr ? slot : take_rested();
}

HandleSlot* HandleInts::take_new() {
  if (next_ == INT_MAX) return nullptr;
  const Place place = place_of(next_);
  HandleSlot* chunk = chunks_[place.chunk].load(std::memory_order_relaxed);
  if (chunk == nullptr) {
    chunk = new (std::nothrow) HandleSlot[std::size_t{kFirstChunk} << place.chunk];
    if (chunk == nullptr) return nullptr;
    chunks_[place.chunk].store(chunk, std::memory_order_release);
  }
  HandleSlot* slot = &chunk[place.at];
  slot->number = next_++;
  slot->give_back = give_back_to_table;
  return slot;
}

HandleSlot* HandleInts::take_rested() {
  HandleSlot* slot = oldest_;
  if (slot == nullptr) return nullptr;
  oldest_ = slot->next;
  if (oldest_ == nullptr) newest_ = nullptr;
  --resting_;
  return slot;
}

void HandleInts::give_back(HandleSlot& slot) {
  const std::lock_guard lock(mutex_);
  slot.handle.store(0, std::memory_order_release);
  slot.next = nullptr;
  (newest_ == nullptr ? oldest_ : newest_->next) = &slot;
  newest_ = &slot;
  ++resting_;
}

}  // namespace remit

using namespace remit;

int PMPI_Comm_toint(MPI_Comm comm) {
  return to_int(comm, MPI_COMM_NULL);
}
REMIT_WEAK(Comm_toint);
MPI_Comm PMPI_Comm_fromint(int comm) {
  return from_int(comm, MPI_COMM_NULL);
}
REMIT_WEAK(Comm_fromint);

int PMPI_Errhandler_toint(MPI_Errhandler errhandler) {
  return to_int(errhandler, MPI_ERRHANDLER_NULL);
}
REMIT_WEAK(Errhandler_toint);
MPI_Errhandler PMPI_Errhandler_fromint(int errhandler) {
  return from_int(errhandler, MPI_ERRHANDLER_NULL);
}
REMIT_WEAK(Errhandler_fromint);

int PMPI_File_toint(MPI_File file) {
  return to_int(file, MPI_FILE_NULL);
}
REMIT_WEAK(File_toint);
MPI_File PMPI_File_fromint(int file) {
  return from_int(file, MPI_FILE_NULL);
}
REMIT_WEAK(File_fromint);

int PMPI_Group_toint(MPI_Group group) {
  return to_int(group, MPI_GROUP_NULL);
}
REMIT_WEAK(Group_toint);
MPI_Group PMPI_Group_fromint(int group) {
  return from_int(group, MPI_GROUP_NULL);
}
REMIT_WEAK(Group_fromint);

int PMPI_Info_toint(MPI_Info info) {
  return to_int(info, MPI_INFO_NULL);
}
REMIT_WEAK(Info_toint);
MPI_Info PMPI_Info_fromint(int info) {
  return from_int(info, MPI_INFO_NULL);
}
REMIT_WEAK(Info_fromint);

int PMPI_Message_toint(MPI_Message message) {
  return to_int(message, MPI_MESSAGE_NULL);
}
REMIT_WEAK(Message_toint);
MPI_Message PMPI_Message_fromint(int message) {
  return from_int(message, MPI_MESSAGE_NULL);
}
REMIT_WEAK(Message_fromint);

int PMPI_Op_toint(MPI_Op op) {
  return to_int(op, MPI_OP_NULL);
}
REMIT_WEAK(Op_toint);
MPI_Op PMPI_Op_fromint(int op) {
  return from_int(op, MPI_OP_NULL);
}
REMIT_WEAK(Op_fromint);

int PMPI_Request_toint(MPI_Request request) {
  return to_int(request, MPI_REQUEST_NULL);
}
REMIT_WEAK(Request_toint);
MPI_Request PMPI_Request_fromint(int request) {
  return from_int(request, MPI_REQUEST_NULL);
}
REMIT_WEAK(Request_fromint);

int PMPI_Session_toint(MPI_Session session) {
  return to_int(session, MPI_SESSION_NULL);
}
REMIT_WEAK(Session_toint);
MPI_Session PMPI_Session_fromint(int session) {
  return from_int(session, MPI_SESSION_NULL);
}
REMIT_WEAK(Session_fromint);

int PMPI_Type_toint(MPI_Datatype datatype) {
  return to_int(datatype, MPI_DATATYPE_NULL);
}
REMIT_WEAK(Type_toint);
MPI_Datatype PMPI_Type_fromint(int datatype) {
  return from_int(datatype, MPI_DATATYPE_NULL);
}
REMIT_WEAK(Type_fromint);

int PMPI_Win_toint(MPI_Win win) {
  return to_int(win, MPI_WIN_NULL);
}
REMIT_WEAK(Win_toint);
MPI_Win PMPI_Win_fromint(int win) {
  return from_int(win, MPI_WIN_NULL);
}
REMIT_WEAK(Win_fromint);
