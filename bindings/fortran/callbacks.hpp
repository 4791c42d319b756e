// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// callbacks.hpp: Fortran procedures as C callbacks: operations, error handlers, generalized
// requests, data representations. (Those of attributes are in attributes.hpp.)
#pragma once

#include <cstdint>

#include "mpi.h"

namespace remit::fortran {

/// A Fortran procedure that was passed as an argument. The procedures of mpif.h and mpi_f08 are
/// called in the same way: all arguments are addresses, a handle is an INTEGER in memory, a
/// TYPE(C_PTR) by value is the address itself.
using Procedure = void (*)();

/// The first argument of each function here is the C function that makes the object: MPI_X for the
/// Fortran routine MPI_X, PMPI_X for PMPI_X, so that a tool sees the call; the others are C's. What
/// they return is for ierror; errors that they find themselves have been raised.

/// Operations; Count is int or MPI_Count. 1,024 can be alive at once: C hands no state to a user
/// function, so each has a function of its own. A freed one is used again when no nonblocking or
/// persistent operation that hold_op() knows uses it, the one that rested longest first.
template <class Count>
[[nodiscard]] int op_create(int (*create)(void (*)(void*, void*, Count*, MPI_Datatype*), int,
                                          MPI_Op*),
                            Procedure user_fn, int commute, MPI_Op* op);
[[nodiscard]] int op_free(decltype(&MPI_Op_free) free, MPI_Op* op);
namespace detail {
void hold_user_op(MPI_Op op, MPI_Request request, bool persistent);
}
/// After a nonblocking or persistent reduction has got its request: MPI_Op_free does not end an
/// operation that is in use. Costs a comparison for predefined operations.
inline void hold_op(MPI_Op op, MPI_Request request, bool persistent) {
  constexpr std::uintptr_t kLastPredefined = 0xfff;
  if (reinterpret_cast<std::uintptr_t>(op) > kLastPredefined) [[unlikely]] {
    detail::hold_user_op(op, request, persistent);
  }
}

/// Error handlers of communicators, windows, files and sessions. There is no limit to their number:
/// C hands the object over, and its handler says which procedure it is. The procedure gets the
/// handle and the code, as INTEGERs.
template <class Handle>
[[nodiscard]] int create_errhandler(int (*create)(void (*)(Handle*, int*, ...), MPI_Errhandler*),
                                    Procedure user_fn, MPI_Errhandler* errhandler);

/// Generalized requests. extra_state is copied; the procedures get the copy.
[[nodiscard]] int grequest_start(decltype(&MPI_Grequest_start) start, Procedure query_fn,
                                 Procedure free_fn, Procedure cancel_fn, MPI_Aint extra_state,
                                 MPI_Request* request);

/// Data representations. `datarep` is a C string. MPI_CONVERSION_FN_NULL is known by its address.
template <class Count>
using Conversion = int(void*, MPI_Datatype, Count, void*, MPI_Offset, void*);
template <class Count>
[[nodiscard]] int register_datarep(int (*call)(const char*, Conversion<Count>*, Conversion<Count>*,
                                               MPI_Datarep_extent_function*, void*),
                                   const char* datarep, Procedure read_conversion_fn,
                                   Procedure write_conversion_fn, Procedure dtype_file_extent_fn,
                                   MPI_Aint extra_state);

}  // namespace remit::fortran

extern "C" {
#pragma GCC visibility push(default)  // programs and this library must see one address
/// The null conversion functions, in all interfaces. They exist for their addresses.
void mpi_conversion_fn_null_();
void mpi_conversion_fn_null_c_();
#pragma GCC visibility pop
}
