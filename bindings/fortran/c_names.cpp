// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The names of mpi_fint.h for C beside Fortran: Remit's libmpi_abi has them, others may not. And
// where Fortran's MPI_STATUS_IGNORE is, which libmpi_abi cannot know (MPI-5.0, section 19.3.5).

#define REMIT_FINT_NO_INLINE

#include <dlfcn.h>
#include <mpi.h>
#include <mpi_fint.h>

#include <cstring>

#include "bindings/fortran/environment.hpp"
#include "bindings/fortran/handle_numbers.hpp"
#include "bindings/fortran/sentinels.hpp"

#define REMIT_WEAK_NAME __attribute__((weak, visibility("default")))

namespace {

MPI_Fint* plain(const int* sentinel) {
  return const_cast<MPI_Fint*>(sentinel);
}
MPI_F08_status* status(const int* sentinel) {
  return reinterpret_cast<MPI_F08_status*>(const_cast<int*>(sentinel));
}

}  // namespace

REMIT_WEAK_NAME MPI_Fint* MPI_F_STATUS_IGNORE;
REMIT_WEAK_NAME MPI_Fint* MPI_F_STATUSES_IGNORE;
REMIT_WEAK_NAME MPI_F08_status* MPI_F08_STATUS_IGNORE;
REMIT_WEAK_NAME MPI_F08_status* MPI_F08_STATUSES_IGNORE;

namespace {

/// Sets all variables of this name: that of whoever comes first, and libmpi_abi's if that is
/// another one, as in a program that was linked with it alone and has loaded this library later.
template <class T>
void set_everywhere(T*& first, const char* name, T* value) {
  first = value;
  if (void* other = dlsym(RTLD_NEXT, name); other != nullptr) *static_cast<T**>(other) = value;
  if (void* other = dlsym(RTLD_DEFAULT, name); other != nullptr) *static_cast<T**>(other) = value;
}

int copy(const void* from, void* to) {
  std::memmove(to, from, sizeof(MPI_Status));
  return MPI_SUCCESS;
}

}  // namespace

__attribute__((constructor)) void remit::fortran::set_sentinels_of_c() {
  set_everywhere(MPI_F_STATUS_IGNORE, "MPI_F_STATUS_IGNORE", plain(remit_status_ignore_));
  set_everywhere(MPI_F_STATUSES_IGNORE, "MPI_F_STATUSES_IGNORE", plain(remit_statuses_ignore_));
  set_everywhere(MPI_F08_STATUS_IGNORE, "MPI_F08_STATUS_IGNORE", status(remit_status_ignore_));
  set_everywhere(MPI_F08_STATUSES_IGNORE, "MPI_F08_STATUSES_IGNORE",
                 status(remit_statuses_ignore_));
}

/// A name and its PMPI_ twin.
#define REMIT_BOTH(Result, Name, Parameters, ...) \
  REMIT_WEAK_NAME Result P##Name Parameters {     \
    __VA_ARGS__;                                  \
  }                                               \
  REMIT_WEAK_NAME Result Name Parameters {        \
    __VA_ARGS__;                                  \
  }

#define REMIT_CONVERT(Kind, Handle)                                                    \
  REMIT_BOTH(MPI_Fint, MPI_##Kind##_c2f, (Handle h), return remit::fortran::number(h)) \
  REMIT_BOTH(Handle, MPI_##Kind##_f2c, (MPI_Fint f), return remit::fortran::handle<Handle>(f))

REMIT_CONVERT(Comm, MPI_Comm)
REMIT_CONVERT(Errhandler, MPI_Errhandler)
REMIT_CONVERT(File, MPI_File)
REMIT_CONVERT(Group, MPI_Group)
REMIT_CONVERT(Info, MPI_Info)
REMIT_CONVERT(Message, MPI_Message)
REMIT_CONVERT(Op, MPI_Op)
REMIT_CONVERT(Request, MPI_Request)
REMIT_CONVERT(Session, MPI_Session)
REMIT_CONVERT(Type, MPI_Datatype)
REMIT_CONVERT(Win, MPI_Win)

REMIT_BOTH(int, MPI_Status_c2f, (const MPI_Status* c, MPI_Fint* f), return copy(c, f))
REMIT_BOTH(int, MPI_Status_f2c, (const MPI_Fint* f, MPI_Status* c), return copy(f, c))
REMIT_BOTH(int, MPI_Status_c2f08, (const MPI_Status* c, MPI_F08_status* f), return copy(c, f))
REMIT_BOTH(int, MPI_Status_f082c, (const MPI_F08_status* f, MPI_Status* c), return copy(f, c))
REMIT_BOTH(int, MPI_Status_f2f08, (const MPI_Fint* f, MPI_F08_status* t), return copy(f, t))
REMIT_BOTH(int, MPI_Status_f082f, (const MPI_F08_status* f, MPI_Fint* t), return copy(f, t))
