// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Handles of C and the integers that they are in Fortran. Any thread.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <type_traits>

namespace remit::fortran {

/// Predefined handles are smaller, and have the same value in C and in Fortran.
inline constexpr int kFirstUserHandle = 4096;

template <class H>
H user_handle(int number) {
  if constexpr (std::is_same_v<H, MPI_Comm>) return PMPI_Comm_fromint(number);
  if constexpr (std::is_same_v<H, MPI_Datatype>) return PMPI_Type_fromint(number);
  if constexpr (std::is_same_v<H, MPI_Errhandler>) return PMPI_Errhandler_fromint(number);
  if constexpr (std::is_same_v<H, MPI_File>) return PMPI_File_fromint(number);
  if constexpr (std::is_same_v<H, MPI_Group>) return PMPI_Group_fromint(number);
  if constexpr (std::is_same_v<H, MPI_Info>) return PMPI_Info_fromint(number);
  if constexpr (std::is_same_v<H, MPI_Message>) return PMPI_Message_fromint(number);
  if constexpr (std::is_same_v<H, MPI_Op>) return PMPI_Op_fromint(number);
  if constexpr (std::is_same_v<H, MPI_Request>) return PMPI_Request_fromint(number);
  if constexpr (std::is_same_v<H, MPI_Session>) return PMPI_Session_fromint(number);
  if constexpr (std::is_same_v<H, MPI_Win>) return PMPI_Win_fromint(number);
}

/// C's handle for an integer of Fortran. What is no handle becomes the null handle.
template <class H>
inline H handle(int number) {
  if (number > 0 && number < kFirstUserHandle) {
    return reinterpret_cast<H>(static_cast<std::intptr_t>(number));
  }
  return user_handle<H>(number);
}

inline int user_number(MPI_Comm h) {
  return PMPI_Comm_toint(h);
}
inline int user_number(MPI_Datatype h) {
  return PMPI_Type_toint(h);
}
inline int user_number(MPI_Errhandler h) {
  return PMPI_Errhandler_toint(h);
}
inline int user_number(MPI_File h) {
  return PMPI_File_toint(h);
}
inline int user_number(MPI_Group h) {
  return PMPI_Group_toint(h);
}
inline int user_number(MPI_Info h) {
  return PMPI_Info_toint(h);
}
inline int user_number(MPI_Message h) {
  return PMPI_Message_toint(h);
}
inline int user_number(MPI_Op h) {
  return PMPI_Op_toint(h);
}
inline int user_number(MPI_Request h) {
  return PMPI_Request_toint(h);
}
inline int user_number(MPI_Session h) {
  return PMPI_Session_toint(h);
}
inline int user_number(MPI_Win h) {
  return PMPI_Win_toint(h);
}

/// The integer of a handle of C.
template <class H>
inline int number(H handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  return value < kFirstUserHandle ? static_cast<int>(value) : user_number(handle);
}

}  // namespace remit::fortran
