// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// by_hand.hpp: bodies of Fortran routines that do more than to convert each argument for itself.
// The entries are made by abi/fortran_entries.py, which takes the bodies of all other routines from
// the table; so all that such a file uses is included here.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>

#include "bindings/fortran/attributes.hpp"
#include "bindings/fortran/callbacks.hpp"
#include "bindings/fortran/choice_buffer.hpp"
#include "bindings/fortran/environment.hpp"
#include "bindings/fortran/marshal.hpp"
#include "bindings/fortran/spawn.hpp"

namespace remit::fortran {

inline bool in_place(const Descriptor* buffer) {
  return in_place(buffer->first());
}
/// The address of a buffer that only the root has. Elsewhere nothing is read of a section.
inline void* address_at_root(const Descriptor& buffer, int root, MPI_Comm comm) {
  if (buffer.is_plainly_contiguous() || is_root(comm, root)) return buffer_at(buffer.first());
  return nullptr;
}

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
  set(ierror, Call(0, nullptr, c_info.data()));
}
template <auto Call>
inline void pcontrol_entry(const int* level) {
  Call(*level);
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
      Call(handle<MPI_Info>(*info), c_key.data(), *valuelen, c_value.data(), c_flag.data());
  if (error == MPI_SUCCESS && c_flag.value() > 0) pad(value, value_length, c_value.data());
  set(ierror, error);
}

/// A string with a length that says how long it may be, and becomes how long it is. C's length
/// counts a NUL at the end. Nothing is copied for a length of zero, and no more than the variable
/// takes. call(length, text) says whether there is one.
template <class GetString>
inline void sized_string(int* length, char* text, std::size_t text_length, GetString call) {
  const int room = std::min(std::max(*length, 0), static_cast<int>(text_length));
  int c_length = room > 0 ? room + 1 : 0;
  Scratch<char, 256> c_text(c_length + 1);
  if (!call(&c_length, c_text.data())) return;
  *length = c_length - 1;
  if (room > 0) pad(text, text_length, c_text.data());
}
template <auto Call>
inline void info_get_string_entry(const int* info, const char* key, int* buflen, char* value,
                                  int* flag, int* ierror, std::size_t key_length,
                                  std::size_t value_length) {
  const StringIn c_key(key, key_length, Blanks::none);
  LogicalOut c_flag(flag);
  sized_string(buflen, value, value_length, [&](int* length, char* text) {
    const int error = Call(handle<MPI_Info>(*info), c_key.data(), length, text, c_flag.data());
    set(ierror, error);
    return error == MPI_SUCCESS && c_flag.value() > 0;
  });
}
template <auto Call>
inline void session_get_nth_pset_entry(const int* session, const int* info, const int* n,
                                       int* pset_len, char* pset_name, int* ierror,
                                       std::size_t pset_name_length) {
  sized_string(pset_len, pset_name, pset_name_length, [&](int* length, char* text) {
    const int error =
        Call(handle<MPI_Session>(*session), handle<MPI_Info>(*info), *n, length, text);
    set(ierror, error);
    return error == MPI_SUCCESS;
  });
}

template <auto Call>
inline void comm_spawn_entry(const char* command, const char* argv, const int* maxprocs,
                             const int* info, const int* root, const int* comm, int* intercomm,
                             int* array_of_errcodes, int* ierror, std::size_t command_length,
                             std::size_t argv_length) {
  HandleOut<MPI_Comm> c_intercomm(intercomm);
  set(ierror, spawn(Call, {command, command_length}, {argv, argv_length}, *maxprocs,
                    handle<MPI_Info>(*info), *root, handle<MPI_Comm>(*comm), c_intercomm.data(),
                    array_of_errcodes));
}
template <auto Call>
inline void comm_spawn_multiple_entry(const int* count, const char* array_of_commands,
                                      const char* array_of_argv, const int* array_of_maxprocs,
                                      const int* array_of_info, const int* root, const int* comm,
                                      int* intercomm, int* array_of_errcodes, int* ierror,
                                      std::size_t array_of_commands_length,
                                      std::size_t array_of_argv_length) {
  HandleOut<MPI_Comm> c_intercomm(intercomm);
  set(ierror,
      spawn_multiple(Call, *count, {array_of_commands, array_of_commands_length},
                     {array_of_argv, array_of_argv_length}, array_of_maxprocs, array_of_info, *root,
                     handle<MPI_Comm>(*comm), c_intercomm.data(), array_of_errcodes));
}

}  // namespace remit::fortran
