/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Windows of every kind, and places in them. */
#ifndef REMIT_TESTS_MPI_WINDOWS_H
#define REMIT_TESTS_MPI_WINDOWS_H

#include "check.h"

enum { kCreated, kAllocated, kShared, kDynamic, kWindowKinds };

struct window {
  MPI_Win win;
  int kind;
  int unit;        /* bytes of a displacement; dynamic windows have 1 */
  char* base;      /* this rank's memory */
  MPI_Aint bytes;  /* of each rank */
  MPI_Aint* bases; /* dynamic: of each rank, as addresses */
};

/* Only ranks of one host share memory, and not always. Collective. */
static inline int kind_is_possible(int kind) {
  return kind != kShared || check_shares_memory();
}

/* Zeroed memory of so many bytes at each rank; errors are returned. Collective over the world. */
static inline void make_window(struct window* w, int kind, MPI_Aint bytes, int unit,
                               MPI_Info info) {
  memset(w, 0, sizeof *w);
  w->kind = kind;
  w->bytes = bytes;
  w->unit = kind == kDynamic ? 1 : unit;
  const size_t some = bytes > 0 ? (size_t)bytes : 1;
  if (kind == kCreated || kind == kDynamic) w->base = malloc(some);
  if (kind == kCreated) {
    OK(MPI_Win_create(w->base, bytes, unit, info, MPI_COMM_WORLD, &w->win));
  } else if (kind == kAllocated) {
    OK(MPI_Win_allocate(bytes, unit, info, MPI_COMM_WORLD, &w->base, &w->win));
  } else if (kind == kShared) {
    OK(MPI_Win_allocate_shared(bytes, unit, info, MPI_COMM_WORLD, &w->base, &w->win));
  } else {
    MPI_Aint mine;
    OK(MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &w->win));
    OK(MPI_Win_attach(w->win, w->base, bytes));
    OK(MPI_Get_address(w->base, &mine));
    w->bases = malloc((size_t)check_size * sizeof *w->bases);
    OK(MPI_Allgather(&mine, 1, MPI_AINT, w->bases, 1, MPI_AINT, MPI_COMM_WORLD));
  }
  memset(w->base, 0, (size_t)bytes);
  OK(MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN));
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Collective: nobody is going to use it any more. */
static inline void free_window(struct window* w) {
  if (w->kind == kDynamic) {
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_detach(w->win, w->base));
  }
  OK(MPI_Win_free(&w->win));
  CHECK(w->win == MPI_WIN_NULL);
  if (w->kind == kCreated || w->kind == kDynamic) free(w->base);
  free(w->bases);
}

/* The displacement of a byte of a rank's memory. */
static inline MPI_Aint place(const struct window* w, int rank, MPI_Aint byte) {
  return w->kind == kDynamic ? MPI_Aint_add(w->bases[rank], byte) : byte / w->unit;
}

#endif
