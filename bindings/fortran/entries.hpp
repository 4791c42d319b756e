// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// entries.hpp: all that the entries of Fortran's routines use, which abi/fortran_entries.py makes;
// and what stands between some of them and C's function, the first argument, where converting each
// argument for itself is not enough.
#pragma once

#include <mpi.h>

#include <algorithm>

#include "bindings/fortran/attributes.hpp"
#include "bindings/fortran/callbacks.hpp"
#include "bindings/fortran/choice_buffer.hpp"
#include "bindings/fortran/environment.hpp"
#include "bindings/fortran/marshal.hpp"
#include "bindings/fortran/spawn.hpp"

namespace remit::fortran {

[[gnu::always_inline]] inline void* buffer_at(const Descriptor* buffer) {
  return buffer_at(buffer->first());
}
inline void* memory_at(const Descriptor* buffer) {
  return memory_at(buffer->first());
}
inline bool in_place(const Descriptor* buffer) {
  return in_place(buffer->first());
}
/// The address of a buffer that only the root has. Elsewhere nothing is read of a section.
inline void* address_at_root(const Descriptor& buffer, int root, MPI_Comm comm) {
  if (buffer.is_plainly_contiguous() || is_root(comm, root)) return buffer_at(buffer.first());
  return nullptr;
}

inline int init(decltype(&MPI_Init) call) {
  return initialized(call(nullptr, nullptr));
}
inline int init_thread(decltype(&MPI_Init_thread) call, int required, int* provided) {
  return initialized(call(nullptr, nullptr, required, provided));
}
inline int info_create_env(decltype(&MPI_Info_create_env) call, MPI_Info* info) {
  return call(0, nullptr, info);
}

// Strings whose lengths the program says.

inline int info_get(decltype(&MPI_Info_get) call, MPI_Info info, const char* key, int valuelen,
                    FortranStrings value, int* flag) {
  Scratch<char, 256> c_value(std::max(valuelen, 0) + 1);
  const int error = call(info, key, valuelen, c_value.data(), flag);
  if (error == MPI_SUCCESS && *flag > 0) pad(value.text, value.length, c_value.data());
  return error;
}

/// A string with a length that says how long it may be, and becomes how long it is, if there is
/// one. C's length counts a NUL at the end. Nothing is copied for a length of zero, and no more
/// than the variable takes. The call is call(length, text).
template <class GetString>
inline int sized_string(int* length, FortranStrings to, const int* there, GetString call) {
  const int room = std::min(std::max(*length, 0), static_cast<int>(to.length));
  int c_length = room > 0 ? room + 1 : 0;
  Scratch<char, 256> c_text(c_length + 1);
  const int error = call(&c_length, c_text.data());
  if (error != MPI_SUCCESS || *there <= 0) return error;
  *length = c_length - 1;
  if (room > 0) pad(to.text, to.length, c_text.data());
  return error;
}
inline int info_get_string(decltype(&MPI_Info_get_string) call, MPI_Info info, const char* key,
                           int* buflen, FortranStrings value, int* flag) {
  return sized_string(buflen, value, flag,
                      [&](int* length, char* text) { return call(info, key, length, text, flag); });
}
inline int session_get_nth_pset(decltype(&MPI_Session_get_nth_pset) call, MPI_Session session,
                                MPI_Info info, int n, int* pset_len, FortranStrings pset_name) {
  const int there = 1;
  return sized_string(pset_len, pset_name, &there, [&](int* length, char* text) {
    return call(session, info, n, length, text);
  });
}

}  // namespace remit::fortran
