/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * What the endurance test (soak.py) starts by the thousand, and kills: an MPI program whose work
 * follows from a seed, and whose end follows from its arguments.
 *
 *   soak_job SEED [start | messages | collectives | memory | mixture]  ends well
 *   soak_job SEED forever                                              never ends
 *   soak_job SEED abort | exit | signal VALUE RANK                     that rank fails */
#include <signal.h>
#include <unistd.h>

#include "tests/mpi/check.h"

enum { kLong = 4 << 20, kBoard = 16 << 10, kLongBlock = 256 << 10 };

static uint64_t state;

/* The same number from 0 to n - 1 in all ranks. */
static size_t draw(size_t n) {
  return (size_t)(check_next(&state) % n);
}

/* Every order of magnitude up to `limit` as often, and the sizes beside the powers of two. */
static size_t draw_size(size_t limit) {
  size_t bits = 0;
  while (((size_t)1 << bits) <= limit) ++bits;
  const size_t power = (size_t)1 << draw(bits);
  const size_t size = draw(2) == 0 ? power + draw(power) : power + draw(3) - 1;
  return size < limit ? size : limit;
}

/* Memory of MPI_Alloc_mem is copied in other ways than memory of malloc(). */
static unsigned char* allocate(size_t bytes, int shared) {
  void* memory = NULL;
  if (shared) {
    OK(MPI_Alloc_mem((MPI_Aint)(bytes + 1), MPI_INFO_NULL, &memory));
  } else {
    memory = malloc(bytes + 1);
  }
  if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 98);
  return memory;
}

static void release(void* memory, int shared) {
  if (shared) {
    OK(MPI_Free_mem(memory));
  } else {
    free(memory);
  }
}

/* Each rank sends one message and receives one. */
static void exchange(int to_shared, int from_shared) {
  const size_t bytes = draw_size(kLong), form = draw(3), salt = draw(1000);
  const int shift = 1 + (int)draw((size_t)check_size);
  const int to = (check_rank + shift) % check_size;
  const int from = (check_rank + check_size * 2 - shift) % check_size;
  unsigned char* out = allocate(bytes, to_shared);
  unsigned char* in = allocate(bytes, from_shared);
  const int n = (int)bytes;
  MPI_Request requests[2];
  check_fill(out, bytes, salt + (size_t)check_rank);
  memset(in, 0, bytes);
  if (form == 0) {
    OK(MPI_Sendrecv(out, n, MPI_BYTE, to, 3, in, n, MPI_BYTE, from, 3, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
  } else if (form == 1) {
    OK(MPI_Irecv(in, n, MPI_BYTE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Isend(out, n, MPI_BYTE, to, 3, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Barrier(MPI_COMM_WORLD)); /* or the next round's message comes to MPI_ANY_SOURCE */
  } else {
    OK(MPI_Isend(out, n, MPI_BYTE, to, 3, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Recv(in, n, MPI_BYTE, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  }
  CHECK(check_filled(in, bytes, salt + (size_t)from));
  release(out, to_shared);
  release(in, from_shared);
}

static void broadcast(size_t bytes, int root) {
  unsigned char* data = allocate(bytes, 0);
  memset(data, 0, bytes);
  if (check_rank == root) check_fill(data, bytes, bytes);
  OK(MPI_Bcast(data, (int)bytes, MPI_BYTE, root, MPI_COMM_WORLD));
  CHECK(check_filled(data, bytes, bytes));
  free(data);
}

/* To all, or to `root` if it is not negative. */
static void add_up(size_t bytes, int root) {
  const size_t count = bytes / sizeof(int64_t) + 1;
  int64_t* mine = (int64_t*)(void*)allocate(count * sizeof *mine, 0);
  int64_t* sums = (int64_t*)(void*)allocate(count * sizeof *sums, 0);
  for (size_t i = 0; i < count; ++i) mine[i] = (int64_t)i * (check_rank + 1);
  if (root < 0) {
    OK(MPI_Allreduce(mine, sums, (int)count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
  } else {
    OK(MPI_Reduce(mine, sums, (int)count, MPI_INT64_T, MPI_SUM, root, MPI_COMM_WORLD));
  }
  int wrong = 0;
  for (size_t i = 0; i < count && (root < 0 || root == check_rank); ++i)
    wrong += sums[i] != (int64_t)i * check_size * (check_size + 1) / 2;
  CHECK(wrong == 0);
  free(mine);
  free(sums);
}

/* A block from every rank to every rank, the same to all of them with MPI_Allgather. */
static void deal_blocks(size_t bytes, int same) {
  const size_t ranks = (size_t)check_size, me = (size_t)check_rank;
  unsigned char* out = allocate(bytes * ranks, 0);
  unsigned char* in = allocate(bytes * ranks, 0);
  memset(in, 0, bytes * ranks);
  for (size_t to = 0; to < ranks; ++to)
    check_fill(out + to * bytes, bytes, same ? me : me * ranks + to);
  if (same) {
    OK(MPI_Allgather(out, (int)bytes, MPI_BYTE, in, (int)bytes, MPI_BYTE, MPI_COMM_WORLD));
  } else {
    OK(MPI_Alltoall(out, (int)bytes, MPI_BYTE, in, (int)bytes, MPI_BYTE, MPI_COMM_WORLD));
  }
  for (size_t from = 0; from < ranks; ++from)
    CHECK(check_filled(in + from * bytes, bytes, same ? from : from * ranks + me));
  free(out);
  free(in);
}

/* Most are small enough for the shared board. */
static void collective(void) {
  const size_t bytes = draw_size(draw(4) == 0 ? kLongBlock : kBoard);
  const int root = (int)draw((size_t)check_size);
  switch (draw(6)) {
    case 0:
      OK(MPI_Barrier(MPI_COMM_WORLD));
      break;
    case 1:
      broadcast(bytes, root);
      break;
    case 2:
      add_up(bytes, -1);
      break;
    case 3:
      add_up(bytes, root);
      break;
    case 4:
      deal_blocks(bytes, 1);
      break;
    default:
      deal_blocks(bytes, 0);
      break;
  }
}

static void mixture(void) {
  switch (draw(3)) {
    case 0:
      exchange(0, 0);
      break;
    case 1:
      exchange((int)draw(2), (int)draw(2));
      break;
    default:
      collective();
      break;
  }
}

static void forever(void) {
  while (check_failures == 0) mixture();
  MPI_Abort(MPI_COMM_WORLD, 97);
}

/* One rank fails, and the others wait for it, some in a collective. */
static void fail(const char* how, int value, int culprit) {
  for (size_t steps = draw(6); steps > 0; --steps) mixture();
  if (check_rank == culprit && strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, value);
  if (check_rank == culprit && strcmp(how, "exit") == 0) exit(value);
  if (check_rank == culprit && strcmp(how, "signal") == 0) {
    signal(value, SIG_DFL); /* the address sanitizer catches some */
    raise(value);
  }
  if (draw(2) == 0) MPI_Recv(&value, 1, MPI_INT, culprit, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  for (;;) pause();
}

int main(int argc, char** argv) {
  const char* work = argc > 2 ? argv[2] : "start";
  check_start(&argc, &argv);
  state = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
  if (argc > 4) fail(work, atoi(argv[3]), atoi(argv[4]));
  if (strcmp(work, "forever") == 0) forever();
  if (strcmp(work, "start") == 0) {
    OK(MPI_Barrier(MPI_COMM_WORLD));
    MPI_Finalize();
    return check_failures != 0;
  }
  for (size_t steps = 1 + draw(12); steps > 0; --steps) {
    if (strcmp(work, "messages") == 0) exchange(0, 0);
    if (strcmp(work, "memory") == 0) exchange(1, (int)draw(2));
    if (strcmp(work, "collectives") == 0) collective();
    if (strcmp(work, "mixture") == 0) mixture();
  }
  return check_end("soak_job");
}
