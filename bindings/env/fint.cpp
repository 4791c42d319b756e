// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What include/mpi_fint.h declares (MPI-5.0, sections 19.3.4 and 19.3.5).

// Here are the functions, so they are not to be taken in line.
#define REMIT_FINT_NO_INLINE

#include <cstring>

#include "bindings/env/errors.hpp"
#include "bindings/weak.hpp"

// Weak, for a library for Fortran to define them. What they point to here is no address of anything
// else, and cannot be written: a program that forgets to compare is found out.
namespace {

constinit const MPI_Fint ignored_statuses[2][MPI_F_STATUS_SIZE] = {};
constinit const MPI_F08_status ignored_f08_statuses[2] = {};

}  // namespace

#define REMIT_WEAK_VARIABLE __attribute__((weak, visibility("default")))
REMIT_WEAK_VARIABLE constinit MPI_Fint* MPI_F_STATUS_IGNORE =
    const_cast<MPI_Fint*>(ignored_statuses[0]);
REMIT_WEAK_VARIABLE constinit MPI_Fint* MPI_F_STATUSES_IGNORE =
    const_cast<MPI_Fint*>(ignored_statuses[1]);
REMIT_WEAK_VARIABLE constinit MPI_F08_status* MPI_F08_STATUS_IGNORE =
    const_cast<MPI_F08_status*>(&ignored_f08_statuses[0]);
REMIT_WEAK_VARIABLE constinit MPI_F08_status* MPI_F08_STATUSES_IGNORE =
    const_cast<MPI_F08_status*>(&ignored_f08_statuses[1]);

namespace remit {

namespace {

int check_status(const AnyTimeCall& call, const void* status, const char* argument) {
  if (status == nullptr) {
    return call.fail(MPI_ERR_ARG, "{} is MPI_STATUS_IGNORE, which is no status (a null pointer)",
                     argument);
  }
  if (status == MPI_F_STATUS_IGNORE || status == MPI_F_STATUSES_IGNORE ||
      status == MPI_F08_STATUS_IGNORE || status == MPI_F08_STATUSES_IGNORE) {
    return call.fail(
        MPI_ERR_ARG,
        "{} is Fortran's MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE, which is no status; "
        "compare it with MPI_F_STATUS_IGNORE and its kin before",
        argument);
  }
  return MPI_SUCCESS;
}

/// The three kinds of status are one array of eight ints under three types.
template <class From, class To>
int convert(const char* function, const From* from, const char* from_argument, To* to,
            const char* to_argument) {
  const AnyTimeCall call(function);
  if (int err = check_status(call, from, from_argument)) return err;
  if (int err = check_status(call, to, to_argument)) return err;
  std::memmove(to, from, sizeof(MPI_Status));
  return MPI_SUCCESS;
}

static_assert(sizeof(MPI_F08_status) == sizeof(MPI_Status));
static_assert(sizeof(ignored_statuses[0]) == sizeof(MPI_Status));

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status) try {
  return convert("MPI_Status_c2f", c_status, "c_status", f_status, "f_status");
} catch (...) {
  return caught("MPI_Status_c2f");
}
REMIT_WEAK(Status_c2f);

int PMPI_Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status) try {
  return convert("MPI_Status_f2c", f_status, "f_status", c_status, "c_status");
} catch (...) {
  return caught("MPI_Status_f2c");
}
REMIT_WEAK(Status_f2c);

int PMPI_Status_c2f08(const MPI_Status* c_status, MPI_F08_status* f08_status) try {
  return convert("MPI_Status_c2f08", c_status, "c_status", f08_status, "f08_status");
} catch (...) {
  return caught("MPI_Status_c2f08");
}
REMIT_WEAK(Status_c2f08);

int PMPI_Status_f082c(const MPI_F08_status* f08_status, MPI_Status* c_status) try {
  return convert("MPI_Status_f082c", f08_status, "f08_status", c_status, "c_status");
} catch (...) {
  return caught("MPI_Status_f082c");
}
REMIT_WEAK(Status_f082c);

int PMPI_Status_f2f08(const MPI_Fint* f_status, MPI_F08_status* f08_status) try {
  return convert("MPI_Status_f2f08", f_status, "f_status", f08_status, "f08_status");
} catch (...) {
  return caught("MPI_Status_f2f08");
}
REMIT_WEAK(Status_f2f08);

int PMPI_Status_f082f(const MPI_F08_status* f08_status, MPI_Fint* f_status) try {
  return convert("MPI_Status_f082f", f08_status, "f08_status", f_status, "f_status");
} catch (...) {
  return caught("MPI_Status_f082f");
}
REMIT_WEAK(Status_f082f);

/// The four functions of one kind of handle.
#define REMIT_CONVERT(Kind, Handle)           \
  MPI_Fint PMPI_##Kind##_c2f(Handle handle) { \
    return PMPI_##Kind##_toint(handle);       \
  }                                           \
  REMIT_WEAK(Kind##_c2f);                     \
  Handle PMPI_##Kind##_f2c(MPI_Fint number) { \
    return PMPI_##Kind##_fromint(number);     \
  }                                           \
  REMIT_WEAK(Kind##_f2c)

REMIT_CONVERT(Comm, MPI_Comm);
REMIT_CONVERT(Errhandler, MPI_Errhandler);
REMIT_CONVERT(File, MPI_File);
REMIT_CONVERT(Group, MPI_Group);
REMIT_CONVERT(Info, MPI_Info);
REMIT_CONVERT(Message, MPI_Message);
REMIT_CONVERT(Op, MPI_Op);
REMIT_CONVERT(Request, MPI_Request);
REMIT_CONVERT(Session, MPI_Session);
REMIT_CONVERT(Type, MPI_Datatype);
REMIT_CONVERT(Win, MPI_Win);
