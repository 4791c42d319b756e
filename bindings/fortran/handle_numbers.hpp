// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Handles of C and the integers that they are in Fortran. Any thread.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <tuple>

namespace remit::fortran {

/// Predefined handles are smaller, and have the same value in C and in Fortran.
inline constexpr unsigned kFirstUserHandle = 4096;

/// The ABI's two functions for handles of one kind.
template <class H>
struct Numbering {
  H (*handle)(int);
  int (*number)(H);
};
inline constexpr std::tuple kNumberings{
    Numbering<MPI_Comm>{PMPI_Comm_fromint, PMPI_Comm_toint},
    Numbering<MPI_Datatype>{PMPI_Type_fromint, PMPI_Type_toint},
    Numbering<MPI_Errhandler>{PMPI_Errhandler_fromint, PMPI_Errhandler_toint},
    Numbering<MPI_File>{PMPI_File_fromint, PMPI_File_toint},
    Numbering<MPI_Group>{PMPI_Group_fromint, PMPI_Group_toint},
    Numbering<MPI_Info>{PMPI_Info_fromint, PMPI_Info_toint},
    Numbering<MPI_Message>{PMPI_Message_fromint, PMPI_Message_toint},
    Numbering<MPI_Op>{PMPI_Op_fromint, PMPI_Op_toint},
    Numbering<MPI_Request>{PMPI_Request_fromint, PMPI_Request_toint},
    Numbering<MPI_Session>{PMPI_Session_fromint, PMPI_Session_toint},
    Numbering<MPI_Win>{PMPI_Win_fromint, PMPI_Win_toint}};

/// Numbers of this library's own, one for each address that a handle has had, for a libmpi_abi
/// whose MPI_X_fromint does not take back what its MPI_X_toint has given, as Intel MPI's up to
/// 2021.18. C's MPI_Comm_fromint knows nothing of them. Such a library does not have the ABI's
/// numbers of predefined handles either, which tells them.
namespace own_numbers {
extern const bool used;
int number(void* handle);
void* handle(int number);
}  // namespace own_numbers

/// Whether the integers are all those of predefined handles.
template <class... Numbers>
inline bool all_predefined(Numbers... numbers) {
  return ((static_cast<unsigned>(numbers) - 1) | ...) < kFirstUserHandle - 1;
}
/// C's handle for an integer of Fortran that is a predefined one.
template <class H>
inline H predefined(int number) {
  return reinterpret_cast<H>(static_cast<std::uintptr_t>(static_cast<unsigned>(number)));
}
/// C's handle for an integer of Fortran. What is no handle becomes the null handle.
template <class H>
inline H handle(int number) {
  if (all_predefined(number)) return predefined<H>(number);
  if (own_numbers::used) [[unlikely]]
    return static_cast<H>(own_numbers::handle(number));
  return std::get<Numbering<H>>(kNumberings).handle(number);
}

/// The integer of a handle of C.
template <class H>
inline int number(H handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  if (value < kFirstUserHandle) return static_cast<int>(value);
  if (own_numbers::used) [[unlikely]]
    return own_numbers::number(handle);
  return std::get<Numbering<H>>(kNumberings).number(handle);
}

}  // namespace remit::fortran
