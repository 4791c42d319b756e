/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Memory that a window exposes. */
#include "exposed.h"

#include <stdlib.h>

enum { kLine = 64 }; /* bytes, in which the word is to be alone */

bool exposed_brings_memory(const struct bench* b) {
  return b->win == BENCH_ALLOCATE || b->win == BENCH_SHARED;
}

void exposed_open(const struct bench* b, size_t room, void** memory, MPI_Win* win) {
  const MPI_Aint bytes = (MPI_Aint)room;
  switch (b->win) {
    case BENCH_ALLOCATE:
      MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, memory, win);
      break;
    case BENCH_SHARED:
      MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, memory, win);
      break;
    case BENCH_CREATE:
      MPI_Win_create(*memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win);
      break;
    case BENCH_DYNAMIC:
      MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win);
      MPI_Win_attach(*win, *memory, bytes);
      break;
  }
}

void exposed_close(const struct bench* b, void* memory, MPI_Win* win) {
  if (b->win == BENCH_DYNAMIC) {
    MPI_Barrier(MPI_COMM_WORLD); /* nobody uses what is detached */
    MPI_Win_detach(*win, memory);
  }
  MPI_Win_free(win);
}

/* The displacement of an address in this rank's part. */
static MPI_Aint displacement(const struct exposed* exposed, const volatile void* address) {
  MPI_Aint here, start;
  MPI_Get_address((const void*)address, &here);
  if (exposed->bench->win == BENCH_DYNAMIC) return here;
  MPI_Get_address(exposed->memory, &start);
  return here - start;
}

void exposed_make(struct bench* b, enum bench_side side, size_t bytes, size_t together,
                  struct exposed* exposed) {
  const size_t buffers = bench_buffers_room(&b->placement, bytes, together);
  const size_t room = buffers + (size_t)3 * kLine;
  struct exposed_place mine;
  if (!bench_can_rotate(b, bytes)) bench_refuse(b);
  exposed->bench = b;
  exposed->memory = exposed_brings_memory(b) ? NULL : bench_take_memory(b, room);
  exposed_open(b, room, &exposed->memory, &exposed->win);
  const uintptr_t behind = (uintptr_t)exposed->memory + buffers;
  const size_t gap = kLine + (kLine - behind % kLine) % kLine;
  exposed->word = (volatile int64_t*)((char*)exposed->memory + buffers + gap);
  exposed_own(exposed);
  bench_place_buffers(b, side, exposed->memory, bytes, together, &exposed->buffers);
  *exposed->word = 0;
  exposed_release(exposed);
  exposed->places = bench_alloc(b, (size_t)b->ranks * sizeof mine);
  mine.first = displacement(exposed, exposed->buffers.first);
  mine.word = displacement(exposed, exposed->word);
  MPI_Allgather(&mine, 2, MPI_AINT, exposed->places, 2, MPI_AINT, MPI_COMM_WORLD);
}

void exposed_free(struct exposed* exposed) {
  exposed_close(exposed->bench, exposed->memory, &exposed->win);
  if (!exposed_brings_memory(exposed->bench)) bench_return_memory(exposed->bench, exposed->memory);
  free(exposed->places);
}

MPI_Aint exposed_next(struct exposed* exposed, int target) {
  const char* const mine = bench_next(&exposed->buffers);
  return exposed->places[target].first + (MPI_Aint)(mine - exposed->buffers.first);
}

void exposed_own(struct exposed* exposed) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, exposed->bench->rank, 0, exposed->win);
}

void exposed_release(struct exposed* exposed) {
  MPI_Win_unlock(exposed->bench->rank, exposed->win);
}
