// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// by_hand.hpp: bodies of Fortran routines that do more than to convert each argument for itself.
// The entries are made by abi/fortran_entries.py, which takes the bodies of all other routines from
// the table; so all that such a file uses is included here.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bindings/fortran/at_root.hpp"
#include "bindings/fortran/attributes.hpp"
#include "bindings/fortran/callbacks.hpp"
#include "bindings/fortran/choice_buffer.hpp"
#include "bindings/fortran/completion.hpp"
#include "bindings/fortran/environment.hpp"
#include "bindings/fortran/marshal.hpp"
#include "bindings/fortran/spawn.hpp"

namespace remit::fortran {

// Beginning.

template <auto Call>
inline void init_entry(int* ierror) {
  set(ierror, initialized(Call(nullptr, nullptr)));
}
template <auto Call>
inline void init_thread_entry(const int* required, int* provided, int* ierror) {
  set(ierror, initialized(Call(nullptr, nullptr, *required, provided)));
}
template <auto Call>
inline void info_create_env_entry(int* info, int* ierror) {
  HandleOut<MPI_Info> c_info(info);
  set(ierror, Call(0, nullptr, c_info.address()));
}
template <auto Call>
inline void pcontrol_entry(const int* level) {
  Call(*level);
}

template <auto Call>
inline void abi_get_fortran_booleans_entry(const int* logical_size, int* logical_true,
                                           int* logical_false, int* is_set, int* ierror) {
  LogicalOut c_is_set(is_set);
  set(ierror, Call(*logical_size, logical_true, logical_false, c_is_set.address()));
}
template <auto Call>
inline void abi_set_fortran_booleans_entry(const int* logical_size, const int* logical_true,
                                           const int* logical_false, int* ierror) {
  set(ierror, Call(*logical_size, const_cast<int*>(logical_true), const_cast<int*>(logical_false)));
}

// Strings whose lengths the program says.

template <auto Call>
inline void info_get_entry(const int* info, const char* key, const int* valuelen, char* value,
                           int* flag, int* ierror, std::size_t key_length,
                           std::size_t value_length) {
  const StringIn c_key(key, key_length, Blanks::none);
  Scratch<char, 256> c_value(std::max(*valuelen, 0) + 1);
  LogicalOut c_flag(flag);
  const int error =
      Call(handle<MPI_Info>(*info), c_key.text(), *valuelen, c_value.data(), c_flag.address());
  if (error == MPI_SUCCESS && c_flag.is_true()) pad(value, value_length, c_value.data());
  set(ierror, error);
}

/// C's length counts a NUL at the end. Nothing is copied for a length of zero, and no more than the
/// variable takes.
template <auto Call>
inline void info_get_string_entry(const int* info, const char* key, int* buflen, char* value,
                                  int* flag, int* ierror, std::size_t key_length,
                                  std::size_t value_length) {
  const StringIn c_key(key, key_length, Blanks::none);
  const int room = std::min(std::max(*buflen, 0), static_cast<int>(value_length));
  int length = room > 0 ? room + 1 : 0;
  Scratch<char, 256> c_value(length + 1);
  LogicalOut c_flag(flag);
  const int error =
      Call(handle<MPI_Info>(*info), c_key.text(), &length, c_value.data(), c_flag.address());
  if (error == MPI_SUCCESS && c_flag.is_true()) {
    *buflen = length - 1;
    if (room > 0) pad(value, value_length, c_value.data());
  }
  set(ierror, error);
}

template <auto Call>
inline void session_get_nth_pset_entry(const int* session, const int* info, const int* n,
                                       int* pset_len, char* pset_name, int* ierror,
                                       std::size_t pset_name_length) {
  const int room = std::min(std::max(*pset_len, 0), static_cast<int>(pset_name_length));
  int length = room > 0 ? room + 1 : 0;
  Scratch<char, 256> name(length + 1);
  const int error =
      Call(handle<MPI_Session>(*session), handle<MPI_Info>(*info), *n, &length, name.data());
  if (error == MPI_SUCCESS) {
    *pset_len = length - 1;
    if (room > 0) pad(pset_name, pset_name_length, name.data());
  }
  set(ierror, error);
}

// Buffers of buffered sends. The mpi module and mpif.h do not say where the buffer was; mpi_f08
// does, and has MPI_BUFFER_AUTOMATIC as the address of that variable (MPI-5.0, section 3.6).

inline void* attached(void* buffer) {
  if (buffer != MPI_BUFFER_AUTOMATIC) return buffer;
  return const_cast<int*>(&remit_buffer_automatic_);
}
template <auto Call>
inline void buffer_detach_entry(void* /*buffer_addr*/, int* size, int* ierror) {
  void* buffer = nullptr;
  set(ierror, Call(&buffer, size));
}
template <auto Call, class Size>
inline void detach(void* buffer_addr, Size* size, int* ierror) {
  void* buffer = nullptr;
  const int error = Call(&buffer, size);
  if (error == MPI_SUCCESS) *static_cast<void**>(buffer_addr) = attached(buffer);
  set(ierror, error);
}
template <auto Call>
inline void buffer_detach_f08_entry(void* buffer_addr, int* size, int* ierror) {
  detach<Call>(buffer_addr, size, ierror);
}
template <auto Call>
inline void buffer_detach_c_entry(void* buffer_addr, MPI_Count* size, int* ierror) {
  detach<Call>(buffer_addr, size, ierror);
}

template <auto Call, class H, class Size>
inline void detach_from(H object, void* buffer_addr, Size* size, int* ierror) {
  void* buffer = nullptr;
  const int error = Call(object, &buffer, size);
  if (error == MPI_SUCCESS && buffer_addr != nullptr) {
    *static_cast<void**>(buffer_addr) = attached(buffer);
  }
  set(ierror, error);
}
template <auto Call>
inline void comm_detach_buffer_entry(const int* comm, void* /*buffer_addr*/, int* size,
                                     int* ierror) {
  detach_from<Call>(handle<MPI_Comm>(*comm), nullptr, size, ierror);
}
template <auto Call>
inline void comm_detach_buffer_f08_entry(const int* comm, void* buffer_addr, int* size,
                                         int* ierror) {
  detach_from<Call>(handle<MPI_Comm>(*comm), buffer_addr, size, ierror);
}
template <auto Call>
inline void comm_detach_buffer_c_entry(const int* comm, void* buffer_addr, MPI_Count* size,
                                       int* ierror) {
  detach_from<Call>(handle<MPI_Comm>(*comm), buffer_addr, size, ierror);
}
template <auto Call>
inline void session_detach_buffer_entry(const int* session, void* /*buffer_addr*/, int* size,
                                        int* ierror) {
  detach_from<Call>(handle<MPI_Session>(*session), nullptr, size, ierror);
}
template <auto Call>
inline void session_detach_buffer_f08_entry(const int* session, void* buffer_addr, int* size,
                                            int* ierror) {
  detach_from<Call>(handle<MPI_Session>(*session), buffer_addr, size, ierror);
}
template <auto Call>
inline void session_detach_buffer_c_entry(const int* session, void* buffer_addr, MPI_Count* size,
                                          int* ierror) {
  detach_from<Call>(handle<MPI_Session>(*session), buffer_addr, size, ierror);
}

// Processes.

template <auto Call>
inline void comm_spawn_entry(const char* command, const char* argv, const int* maxprocs,
                             const int* info, const int* root, const int* comm, int* intercomm,
                             int* array_of_errcodes, int* ierror, std::size_t command_length,
                             std::size_t argv_length) {
  HandleOut<MPI_Comm> c_intercomm(intercomm);
  set(ierror,
      spawn(Call, command, command_length, argv, argv_length, *maxprocs, handle<MPI_Info>(*info),
            *root, handle<MPI_Comm>(*comm), c_intercomm.address(), array_of_errcodes));
}
template <auto Call>
inline void comm_spawn_multiple_entry(const int* count, const char* array_of_commands,
                                      const char* array_of_argv, const int* array_of_maxprocs,
                                      const int* array_of_info, const int* root, const int* comm,
                                      int* intercomm, int* array_of_errcodes, int* ierror,
                                      std::size_t array_of_commands_length,
                                      std::size_t array_of_argv_length) {
  HandleOut<MPI_Comm> c_intercomm(intercomm);
  const SpawnedGroups groups = {*count,        array_of_commands,    array_of_commands_length,
                                array_of_argv, array_of_argv_length, array_of_maxprocs,
                                array_of_info};
  set(ierror, spawn_multiple(Call, groups, *root, handle<MPI_Comm>(*comm), c_intercomm.address(),
                             array_of_errcodes));
}

// Callbacks.

template <auto Call>
inline void op_create_entry(Procedure user_fn, const int* commute, int* op, int* ierror) {
  HandleOut<MPI_Op> c_op(op);
  set(ierror, op_create(Call, user_fn, truth(*commute) != 0, c_op.address()));
}
template <auto Call>
inline void op_create_c_entry(Procedure user_fn, const int* commute, int* op, int* ierror) {
  HandleOut<MPI_Op> c_op(op);
  set(ierror, op_create_c(Call, user_fn, truth(*commute) != 0, c_op.address()));
}
template <auto Call>
inline void op_free_entry(int* op, int* ierror) {
  HandleInout<MPI_Op> c_op(op);
  set(ierror, op_free(Call, c_op.address()));
}

template <auto Call>
inline void comm_create_errhandler_entry(Procedure fn, int* errhandler, int* ierror) {
  HandleOut<MPI_Errhandler> c_errhandler(errhandler);
  set(ierror, comm_create_errhandler(Call, fn, c_errhandler.address()));
}
template <auto Call>
inline void win_create_errhandler_entry(Procedure fn, int* errhandler, int* ierror) {
  HandleOut<MPI_Errhandler> c_errhandler(errhandler);
  set(ierror, win_create_errhandler(Call, fn, c_errhandler.address()));
}
template <auto Call>
inline void file_create_errhandler_entry(Procedure fn, int* errhandler, int* ierror) {
  HandleOut<MPI_Errhandler> c_errhandler(errhandler);
  set(ierror, file_create_errhandler(Call, fn, c_errhandler.address()));
}
template <auto Call>
inline void session_create_errhandler_entry(Procedure fn, int* errhandler, int* ierror) {
  HandleOut<MPI_Errhandler> c_errhandler(errhandler);
  set(ierror, session_create_errhandler(Call, fn, c_errhandler.address()));
}

template <auto Call>
inline void grequest_start_entry(Procedure query_fn, Procedure free_fn, Procedure cancel_fn,
                                 const MPI_Aint* extra_state, int* request, int* ierror) {
  HandleOut<MPI_Request> c_request(request);
  set(ierror,
      grequest_start(Call, query_fn, free_fn, cancel_fn, *extra_state, c_request.address()));
}

template <auto Call>
inline void register_datarep_entry(const char* datarep, Procedure read_conversion_fn,
                                   Procedure write_conversion_fn, Procedure dtype_file_extent_fn,
                                   const MPI_Aint* extra_state, int* ierror,
                                   std::size_t datarep_length) {
  const StringIn c_datarep(datarep, datarep_length);
  set(ierror, register_datarep(Call, c_datarep.text(), read_conversion_fn, write_conversion_fn,
                               dtype_file_extent_fn, *extra_state));
}
template <auto Call>
inline void register_datarep_c_entry(const char* datarep, Procedure read_conversion_fn,
                                     Procedure write_conversion_fn, Procedure dtype_file_extent_fn,
                                     const MPI_Aint* extra_state, int* ierror,
                                     std::size_t datarep_length) {
  const StringIn c_datarep(datarep, datarep_length);
  set(ierror, register_datarep_c(Call, c_datarep.text(), read_conversion_fn, write_conversion_fn,
                                 dtype_file_extent_fn, *extra_state));
}

// Attributes.

template <auto Call>
inline void comm_create_keyval_entry(Procedure copy_fn, Procedure delete_fn, int* keyval,
                                     const MPI_Aint* extra_state, int* ierror) {
  set(ierror, create_keyval(Call, copy_fn, delete_fn, keyval, *extra_state));
}
template <auto Call>
inline void type_create_keyval_entry(Procedure copy_fn, Procedure delete_fn, int* keyval,
                                     const MPI_Aint* extra_state, int* ierror) {
  set(ierror, create_keyval(Call, copy_fn, delete_fn, keyval, *extra_state));
}
template <auto Call>
inline void win_create_keyval_entry(Procedure copy_fn, Procedure delete_fn, int* keyval,
                                    const MPI_Aint* extra_state, int* ierror) {
  set(ierror, create_keyval(Call, copy_fn, delete_fn, keyval, *extra_state));
}
template <auto Call>
inline void keyval_create_entry(Procedure copy_fn, Procedure delete_fn, int* keyval,
                                const int* extra_state, int* ierror) {
  set(ierror, keyval_create(Call, copy_fn, delete_fn, keyval, *extra_state));
}

template <auto Call>
inline void comm_set_attr_entry(const int* comm, const int* keyval, const MPI_Aint* value,
                                int* ierror) {
  set(ierror, set_attr(Call, handle<MPI_Comm>(*comm), *keyval, *value));
}
template <auto Call>
inline void type_set_attr_entry(const int* type, const int* keyval, const MPI_Aint* value,
                                int* ierror) {
  set(ierror, set_attr(Call, handle<MPI_Datatype>(*type), *keyval, *value));
}
template <auto Call>
inline void win_set_attr_entry(const int* win, const int* keyval, const MPI_Aint* value,
                               int* ierror) {
  set(ierror, set_attr(Call, handle<MPI_Win>(*win), *keyval, *value));
}
template <auto Call>
inline void attr_put_entry(const int* comm, const int* keyval, const int* value, int* ierror) {
  set(ierror, set_attr(Call, handle<MPI_Comm>(*comm), *keyval, *value));
}

template <auto Call, class H, class Value>
inline void get_attribute(H object, int keyval, Value* value, int* flag, int* ierror) {
  MPI_Aint c_value = 0;
  bool found = false;
  const int error = get_attr(Call, object, keyval, &c_value, &found);
  if (error == MPI_SUCCESS) {
    *flag = found ? 1 : 0;
    if (found) *value = static_cast<Value>(c_value);  // MPI-1's INTEGER may be too short
  }
  set(ierror, error);
}
template <auto Call>
inline void comm_get_attr_entry(const int* comm, const int* keyval, MPI_Aint* value, int* flag,
                                int* ierror) {
  get_attribute<Call>(handle<MPI_Comm>(*comm), *keyval, value, flag, ierror);
}
template <auto Call>
inline void type_get_attr_entry(const int* type, const int* keyval, MPI_Aint* value, int* flag,
                                int* ierror) {
  get_attribute<Call>(handle<MPI_Datatype>(*type), *keyval, value, flag, ierror);
}
template <auto Call>
inline void win_get_attr_entry(const int* win, const int* keyval, MPI_Aint* value, int* flag,
                               int* ierror) {
  get_attribute<Call>(handle<MPI_Win>(*win), *keyval, value, flag, ierror);
}
template <auto Call>
inline void attr_get_entry(const int* comm, const int* keyval, int* value, int* flag, int* ierror) {
  get_attribute<Call>(handle<MPI_Comm>(*comm), *keyval, value, flag, ierror);
}

}  // namespace remit::fortran
