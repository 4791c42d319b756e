/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of numbers go round a ring of ranks, and each rank adds its own rank to each number.
 *
 *   notify_ring [BLOCKS [NUMBERS]]
 *
 * A block travels by MPIX_Put_notify: its bytes go to the right neighbour's memory, where a counter
 * says that one more has come. That neighbour has room for two, and tells by a notification without
 * bytes when the place of one is free again. There are no messages and no barriers, and several
 * blocks are on their way at once. Needs mpi_remit.h, an extension of Remit. */
#include <mpi_remit.h>
#include <stdio.h>
#include <stdlib.h>

enum { kPlaces = 2, kHasCome = 0, kIsFree = 1, kCounters = 2 };

struct ring {
  MPI_Win win;
  double* places; /* of the blocks that come here */
  int rank, size, left, right;
  int numbers;             /* of a block */
  long sent, received;     /* blocks */
  MPI_Request requests[2]; /* by counter: one more block, or one more free place */
};

static double* place_of(const struct ring* ring, long block) {
  return ring->places + block % kPlaces * ring->numbers;
}

/* The right neighbour has a free place. */
static void send_block(struct ring* ring, const double* block) {
  MPIX_Put_notify(block, ring->numbers, MPI_DOUBLE, ring->right,
                  ring->sent % kPlaces * ring->numbers, ring->numbers, MPI_DOUBLE, kHasCome,
                  ring->win);
  MPI_Win_flush_local(ring->right, ring->win); /* the block may change now */
  ++ring->sent;
}

static void free_place(struct ring* ring) {
  MPIX_Put_notify(NULL, 0, MPI_DOUBLE, ring->left, 0, 0, MPI_DOUBLE, kIsFree, ring->win);
  ++ring->received;
}

/* Whether the block has gone through all other ranks. */
static int is_right(const struct ring* ring, long block) {
  const double sum = 0.5 * ring->size * (ring->size - 1);
  for (int i = 0; i < ring->numbers; ++i) {
    if (place_of(ring, block)[i] != (double)(block + i) + sum) return 0;
  }
  return 1;
}

/* Rank 0 sends as long as there is room, and takes what comes back, whichever is possible first. */
static int begin_and_end(struct ring* ring, long blocks) {
  double* block = malloc(sizeof *block * (size_t)ring->numbers);
  int good = 1, is_active[kCounters] = {0, 0};
  long room = kPlaces;
  while (ring->received < blocks) {
    while (room > 0 && ring->sent < blocks) {
      for (int i = 0; i < ring->numbers; ++i) block[i] = (double)(ring->sent + i);
      send_block(ring, block);
      --room;
    }
    for (int i = 0; i < kCounters; ++i) {
      if (!is_active[i]) MPI_Start(&ring->requests[i]);
      is_active[i] = 1;
    }
    int which;
    MPI_Waitany(kCounters, ring->requests, &which, MPI_STATUS_IGNORE);
    is_active[which] = 0;
    if (which == kIsFree) {
      ++room;
    } else {
      good &= is_right(ring, ring->received);
      free_place(ring);
    }
  }
  free(block);
  return good;
}

/* The others pass on what comes. */
static void pass_on(struct ring* ring, long blocks) {
  while (ring->received < blocks) {
    MPI_Start(&ring->requests[kHasCome]);
    MPI_Wait(&ring->requests[kHasCome], MPI_STATUS_IGNORE);
    double* block = place_of(ring, ring->received);
    for (int i = 0; i < ring->numbers; ++i) block[i] += ring->rank;
    if (ring->sent >= kPlaces) {
      MPI_Start(&ring->requests[kIsFree]);
      MPI_Wait(&ring->requests[kIsFree], MPI_STATUS_IGNORE);
    }
    send_block(ring, block);
    free_place(ring);
  }
}

int main(int argc, char** argv) {
  struct ring ring = {0};
  int good = 1;
  MPI_Init(&argc, &argv);
  const long blocks = argc > 1 ? atol(argv[1]) : 1000;
  ring.numbers = argc > 2 ? atoi(argv[2]) : 10000;
  MPI_Comm_rank(MPI_COMM_WORLD, &ring.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ring.size);
  if (blocks < 0 || ring.numbers < 1) {
    if (ring.rank == 0) fprintf(stderr, "usage: notify_ring [BLOCKS [NUMBERS]]\n");
    MPI_Finalize();
    return 2;
  }
  ring.left = (ring.rank + ring.size - 1) % ring.size;
  ring.right = (ring.rank + 1) % ring.size;
  MPI_Win_allocate((MPI_Aint)sizeof(double) * kPlaces * ring.numbers, sizeof(double), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &ring.places, &ring.win);
  MPIX_Win_create_notify(ring.win, kCounters);
  for (int i = 0; i < kCounters; ++i)
    MPIX_Notify_init(ring.win, MPI_ANY_SOURCE, i, 1, MPI_INFO_NULL, &ring.requests[i]);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, ring.win);
  const double begin = MPI_Wtime();
  if (ring.rank == 0) {
    good = begin_and_end(&ring, blocks);
  } else {
    pass_on(&ring, blocks);
  }
  const double seconds = MPI_Wtime() - begin;
  MPI_Win_unlock_all(ring.win);
  for (int i = 0; i < kCounters; ++i) MPI_Request_free(&ring.requests[i]);
  if (ring.rank == 0) {
    printf("%ld blocks of %d numbers went round %d ranks in %.3f s: %s\n", blocks, ring.numbers,
           ring.size, seconds, good ? "all sums are right" : "SUMS ARE WRONG");
  }
  MPI_Win_free(&ring.win); /* and the counters */
  MPI_Finalize();
  return good ? 0 : 1;
}
