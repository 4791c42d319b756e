/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * mpi_fint.h: what a C or C++ program has to do with Fortran: MPI_Fint, MPI_Comm_f2c and their kin
 * (MPI-5.0, sections 19.3.4 and 19.3.5), for C90 or later and C++98 or later.
 *
 * The standard ABI leaves these names out (section 20.4), because the size of MPI_Fint is that of
 * Fortran's default INTEGER, which compilers let users choose. Here it is that of an int, as with
 * every Fortran compiler that is not told otherwise. Many programs that have nothing to do with
 * Fortran ask for these names, so mpi.h includes this file. Two macros change that, to be defined
 * before mpi.h is included, or by -D:
 *
 *   REMIT_ABI_ONLY        mpi.h is the ABI and nothing else. This file can still be included.
 *   REMIT_FINT_NO_INLINE  The conversions of handles are functions of the library alone.
 *
 * Conversions of handles. GNU compilers put them in line, as calls of MPI_Comm_toint,
 * MPI_Comm_fromint and so on, which the ABI does have: so a program that uses them still runs on
 * any library of the ABI, and this is what a tool sees that intercepts functions. libmpi_abi has
 * them as functions, too, with names MPI_ and PMPI_ as always: for whoever takes their addresses,
 * for configure scripts that link with the name alone, for other languages, and for programs and
 * tools that are to call or to define these very functions (MPI-5.0, section 2.6.4, has no macros
 * for them). A definition takes the place of the one in line, but in C++ compiled by clang, which
 * needs REMIT_FINT_NO_INLINE for that.
 *
 * Conversions of statuses, and the four variables, are in Remit's libmpi_abi only. The variables
 * are weak there: a library for Fortran that comes earlier in the program's list of libraries
 * defines them, or sets them at its start, to say where its own MPI_STATUS_IGNORE and
 * MPI_STATUSES_IGNORE are.
 *
 * All functions may be called at any time, by any thread.
 */
#ifndef REMIT_MPI_FINT_H
#define REMIT_MPI_FINT_H

#include "mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#ifndef MPI_Fint      /* some programs define it, for the ABI has none */
typedef int MPI_Fint; /* Fortran's default INTEGER */
#endif

/* Fortran's TYPE(MPI_Status), which has the fields of MPI_Status. INTEGER status(MPI_STATUS_SIZE)
 * is MPI_Fint status[MPI_F_STATUS_SIZE] here; its elements MPI_F_SOURCE, MPI_F_TAG and MPI_F_ERROR
 * are what MPI_SOURCE, MPI_TAG and MPI_ERROR are in Fortran. */
typedef struct {
  MPI_Fint MPI_SOURCE;
  MPI_Fint MPI_TAG;
  MPI_Fint MPI_ERROR;
  MPI_Fint MPI_internal[5];
} MPI_F08_status;

/* Where Fortran's MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE are: those of the mpi module and
 * mpif.h, then those of the mpi_f08 module. To compare with; there is nothing to read or write. */
extern MPI_Fint* MPI_F_STATUS_IGNORE;
extern MPI_Fint* MPI_F_STATUSES_IGNORE;
extern MPI_F08_status* MPI_F08_STATUS_IGNORE;
extern MPI_F08_status* MPI_F08_STATUSES_IGNORE;

/* Statuses. It is an error (MPI_ERR_ARG) to convert one of the above or MPI_STATUS(ES)_IGNORE, or
 * to convert to it. */
int MPI_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status);
int MPI_Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status);
int MPI_Status_c2f08(const MPI_Status* c_status, MPI_F08_status* f08_status);
int MPI_Status_f082c(const MPI_F08_status* f08_status, MPI_Status* c_status);
int MPI_Status_f2f08(const MPI_Fint* f_status, MPI_F08_status* f08_status);
int MPI_Status_f082f(const MPI_F08_status* f08_status, MPI_Fint* f_status);

/* Handles. A predefined one is the same value in C and in Fortran; of others the integers stay the
 * same as long as their objects live. What is no handle becomes the null handle. */
MPI_Fint MPI_Comm_c2f(MPI_Comm comm);
MPI_Comm MPI_Comm_f2c(MPI_Fint comm);
MPI_Fint MPI_Errhandler_c2f(MPI_Errhandler errhandler);
MPI_Errhandler MPI_Errhandler_f2c(MPI_Fint errhandler);
MPI_Fint MPI_File_c2f(MPI_File file);
MPI_File MPI_File_f2c(MPI_Fint file);
MPI_Fint MPI_Group_c2f(MPI_Group group);
MPI_Group MPI_Group_f2c(MPI_Fint group);
MPI_Fint MPI_Info_c2f(MPI_Info info);
MPI_Info MPI_Info_f2c(MPI_Fint info);
MPI_Fint MPI_Message_c2f(MPI_Message message);
MPI_Message MPI_Message_f2c(MPI_Fint message);
MPI_Fint MPI_Op_c2f(MPI_Op op);
MPI_Op MPI_Op_f2c(MPI_Fint op);
MPI_Fint MPI_Request_c2f(MPI_Request request);
MPI_Request MPI_Request_f2c(MPI_Fint request);
MPI_Fint MPI_Session_c2f(MPI_Session session);
MPI_Session MPI_Session_f2c(MPI_Fint session);
MPI_Fint MPI_Type_c2f(MPI_Datatype datatype);
MPI_Datatype MPI_Type_f2c(MPI_Fint datatype);
MPI_Fint MPI_Win_c2f(MPI_Win win);
MPI_Win MPI_Win_f2c(MPI_Fint win);

int PMPI_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status);
int PMPI_Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status);
int PMPI_Status_c2f08(const MPI_Status* c_status, MPI_F08_status* f08_status);
int PMPI_Status_f082c(const MPI_F08_status* f08_status, MPI_Status* c_status);
int PMPI_Status_f2f08(const MPI_Fint* f_status, MPI_F08_status* f08_status);
int PMPI_Status_f082f(const MPI_F08_status* f08_status, MPI_Fint* f_status);

MPI_Fint PMPI_Comm_c2f(MPI_Comm comm);
MPI_Comm PMPI_Comm_f2c(MPI_Fint comm);
MPI_Fint PMPI_Errhandler_c2f(MPI_Errhandler errhandler);
MPI_Errhandler PMPI_Errhandler_f2c(MPI_Fint errhandler);
MPI_Fint PMPI_File_c2f(MPI_File file);
MPI_File PMPI_File_f2c(MPI_Fint file);
MPI_Fint PMPI_Group_c2f(MPI_Group group);
MPI_Group PMPI_Group_f2c(MPI_Fint group);
MPI_Fint PMPI_Info_c2f(MPI_Info info);
MPI_Info PMPI_Info_f2c(MPI_Fint info);
MPI_Fint PMPI_Message_c2f(MPI_Message message);
MPI_Message PMPI_Message_f2c(MPI_Fint message);
MPI_Fint PMPI_Op_c2f(MPI_Op op);
MPI_Op PMPI_Op_f2c(MPI_Fint op);
MPI_Fint PMPI_Request_c2f(MPI_Request request);
MPI_Request PMPI_Request_f2c(MPI_Fint request);
MPI_Fint PMPI_Session_c2f(MPI_Session session);
MPI_Session PMPI_Session_f2c(MPI_Fint session);
MPI_Fint PMPI_Type_c2f(MPI_Datatype datatype);
MPI_Datatype PMPI_Type_f2c(MPI_Fint datatype);
MPI_Fint PMPI_Win_c2f(MPI_Win win);
MPI_Win PMPI_Win_f2c(MPI_Fint win);

#if defined(__GNUC__) && !defined(REMIT_FINT_NO_INLINE)
/* gnu_inline: never a function of this program. */
#define REMIT_FINT_INLINE extern __inline__ __attribute__((__gnu_inline__, __always_inline__))

REMIT_FINT_INLINE MPI_Fint MPI_Comm_c2f(MPI_Comm comm) {
  return MPI_Comm_toint(comm);
}
REMIT_FINT_INLINE MPI_Comm MPI_Comm_f2c(MPI_Fint comm) {
  return MPI_Comm_fromint(comm);
}
REMIT_FINT_INLINE MPI_Fint MPI_Errhandler_c2f(MPI_Errhandler errhandler) {
  return MPI_Errhandler_toint(errhandler);
}
REMIT_FINT_INLINE MPI_Errhandler MPI_Errhandler_f2c(MPI_Fint errhandler) {
  return MPI_Errhandler_fromint(errhandler);
}
REMIT_FINT_INLINE MPI_Fint MPI_File_c2f(MPI_File file) {
  return MPI_File_toint(file);
}
REMIT_FINT_INLINE MPI_File MPI_File_f2c(MPI_Fint file) {
  return MPI_File_fromint(file);
}
REMIT_FINT_INLINE MPI_Fint MPI_Group_c2f(MPI_Group group) {
  return MPI_Group_toint(group);
}
REMIT_FINT_INLINE MPI_Group MPI_Group_f2c(MPI_Fint group) {
  return MPI_Group_fromint(group);
}
REMIT_FINT_INLINE MPI_Fint MPI_Info_c2f(MPI_Info info) {
  return MPI_Info_toint(info);
}
REMIT_FINT_INLINE MPI_Info MPI_Info_f2c(MPI_Fint info) {
  return MPI_Info_fromint(info);
}
REMIT_FINT_INLINE MPI_Fint MPI_Message_c2f(MPI_Message message) {
  return MPI_Message_toint(message);
}
REMIT_FINT_INLINE MPI_Message MPI_Message_f2c(MPI_Fint message) {
  return MPI_Message_fromint(message);
}
REMIT_FINT_INLINE MPI_Fint MPI_Op_c2f(MPI_Op op) {
  return MPI_Op_toint(op);
}
REMIT_FINT_INLINE MPI_Op MPI_Op_f2c(MPI_Fint op) {
  return MPI_Op_fromint(op);
}
REMIT_FINT_INLINE MPI_Fint MPI_Request_c2f(MPI_Request request) {
  return MPI_Request_toint(request);
}
REMIT_FINT_INLINE MPI_Request MPI_Request_f2c(MPI_Fint request) {
  return MPI_Request_fromint(request);
}
REMIT_FINT_INLINE MPI_Fint MPI_Session_c2f(MPI_Session session) {
  return MPI_Session_toint(session);
}
REMIT_FINT_INLINE MPI_Session MPI_Session_f2c(MPI_Fint session) {
  return MPI_Session_fromint(session);
}
REMIT_FINT_INLINE MPI_Fint MPI_Type_c2f(MPI_Datatype datatype) {
  return MPI_Type_toint(datatype);
}
REMIT_FINT_INLINE MPI_Datatype MPI_Type_f2c(MPI_Fint datatype) {
  return MPI_Type_fromint(datatype);
}
REMIT_FINT_INLINE MPI_Fint MPI_Win_c2f(MPI_Win win) {
  return MPI_Win_toint(win);
}
REMIT_FINT_INLINE MPI_Win MPI_Win_f2c(MPI_Fint win) {
  return MPI_Win_fromint(win);
}

REMIT_FINT_INLINE MPI_Fint PMPI_Comm_c2f(MPI_Comm comm) {
  return PMPI_Comm_toint(comm);
}
REMIT_FINT_INLINE MPI_Comm PMPI_Comm_f2c(MPI_Fint comm) {
  return PMPI_Comm_fromint(comm);
}
REMIT_FINT_INLINE MPI_Fint PMPI_Errhandler_c2f(MPI_Errhandler errhandler) {
  return PMPI_Errhandler_toint(errhandler);
}
REMIT_FINT_INLINE MPI_Errhandler PMPI_Errhandler_f2c(MPI_Fint errhandler) {
  return PMPI_Errhandler_fromint(errhandler);
}
REMIT_FINT_INLINE MPI_Fint PMPI_File_c2f(MPI_File file) {
  return PMPI_File_toint(file);
}
REMIT_FINT_INLINE MPI_File PMPI_File_f2c(MPI_Fint file) {
  return PMPI_File_fromint(file);
}
REMIT_FINT_INLINE MPI_Fint PMPI_Group_c2f(MPI_Group group) {
  return PMPI_Group_toint(group);
}
REMIT_FINT_INLINE MPI_Group PMPI_Group_f2c(MPI_Fint group) {
  return PMPI_Group_fromint(group);
}
REMIT_FINT_INLINE MPI_Fint PMPI_Info_c2f(MPI_Info info) {
  return PMPI_Info_toint(info);
}
REMIT_FINT_INLINE MPI_Info PMPI_Info_f2c(MPI_Fint info) {
  return PMPI_Info_fromint(info);
}
REMIT_FINT_INLINE MPI_Fint PMPI_Message_c2f(MPI_Message message) {
  return PMPI_Message_toint(message);
}
REMIT_FINT_INLINE MPI_Message PMPI_Message_f2c(MPI_Fint message) {
  return PMPI_Message_fromint(message);
}
REMIT_FINT_INLINE MPI_Fint PMPI_Op_c2f(MPI_Op op) {
  return PMPI_Op_toint(op);
}
REMIT_FINT_INLINE MPI_Op PMPI_Op_f2c(MPI_Fint op) {
  return PMPI_Op_fromint(op);
}
REMIT_FINT_INLINE MPI_Fint PMPI_Request_c2f(MPI_Request request) {
  return PMPI_Request_toint(request);
}
REMIT_FINT_INLINE MPI_Request PMPI_Request_f2c(MPI_Fint request) {
  return PMPI_Request_fromint(request);
}
REMIT_FINT_INLINE MPI_Fint PMPI_Session_c2f(MPI_Session session) {
  return PMPI_Session_toint(session);
}
REMIT_FINT_INLINE MPI_Session PMPI_Session_f2c(MPI_Fint session) {
  return PMPI_Session_fromint(session);
}
REMIT_FINT_INLINE MPI_Fint PMPI_Type_c2f(MPI_Datatype datatype) {
  return PMPI_Type_toint(datatype);
}
REMIT_FINT_INLINE MPI_Datatype PMPI_Type_f2c(MPI_Fint datatype) {
  return PMPI_Type_fromint(datatype);
}
REMIT_FINT_INLINE MPI_Fint PMPI_Win_c2f(MPI_Win win) {
  return PMPI_Win_toint(win);
}
REMIT_FINT_INLINE MPI_Win PMPI_Win_f2c(MPI_Fint win) {
  return PMPI_Win_fromint(win);
}

#undef REMIT_FINT_INLINE
#endif

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* REMIT_MPI_FINT_H */
