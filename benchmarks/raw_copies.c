/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* The copies that operations need between processes of one host. */
#define _GNU_SOURCE
#include "raw_copies.h"

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
  kDepth = 4, /* pieces that a process may be ahead of who reads them */
  kMostPiece = 64 << 10,
  kSumPiece = 16 << 10, /* what the kernel copies before it is added */
  kCacheLine = 64
};

/* --- copies and sums ----------------------------------------------------------------------- */

/* Vectors at any address, with the widest instructions of the processor where the compiler can
   leave the choice to the start of the program. */
#if defined(__x86_64__) && defined(__gnu_linux__)
#define WIDE __attribute__((target_clones("default", "avx2")))
#else
#define WIDE
#endif
typedef long long words __attribute__((vector_size(32), aligned(1), may_alias));
typedef float floats __attribute__((vector_size(32), aligned(1), may_alias));

static void copy_by_libc(void* to, const void* from, size_t bytes) {
  memcpy(to, from, bytes);
}

/* No string instruction, and so no distance between `to` and `from` that is bad for it. */
WIDE static void copy_by_loop(void* to, const void* from, size_t bytes) {
  words* target = to;
  const words* source = from;
  for (; bytes >= 4 * sizeof *target; bytes -= 4 * sizeof *target, target += 4, source += 4) {
    const words first = source[0], second = source[1], third = source[2], fourth = source[3];
    target[0] = first;
    target[1] = second;
    target[2] = third;
    target[3] = fourth;
  }
  memcpy(target, source, bytes);
}

/* Floats at any address; `to` may be `a`. */
WIDE static void add(void* to, const void* a, const void* b, size_t bytes) {
  floats* target = to;
  const floats *left = a, *right = b;
  for (; bytes >= sizeof *target; bytes -= sizeof *target) *target++ = *left++ + *right++;
  for (size_t i = 0; i < bytes / sizeof(float); ++i) {
    float x = 0, y = 0;
    memcpy(&x, (const char*)left + i * sizeof x, sizeof x);
    memcpy(&y, (const char*)right + i * sizeof y, sizeof y);
    x += y;
    memcpy((char*)target + i * sizeof x, &x, sizeof x);
  }
}

static const struct raw_method kMoves[] = {
    {"shared 8K", false, 8 << 10, copy_by_libc, false},
    {"shared 8K loop", false, 8 << 10, copy_by_loop, false},
    {"shared 64K", false, 64 << 10, copy_by_libc, false},
    {"shared 64K loop", false, 64 << 10, copy_by_loop, false},
    {"kernel", true, 0, copy_by_loop, false}};
static const struct raw_method kSums[] = {{"shared 8K", false, 8 << 10, copy_by_loop, false},
                                          {"shared 8K parts", false, 8 << 10, copy_by_loop, true},
                                          {"shared 64K", false, 64 << 10, copy_by_loop, false},
                                          {"shared 64K parts", false, 64 << 10, copy_by_loop, true},
                                          {"kernel parts", true, 0, copy_by_loop, true}};
enum { kMethods = sizeof kMoves / sizeof kMoves[0] };
_Static_assert(sizeof kMoves == sizeof kSums, "as many ways for sums");

const struct raw_method* raw_method(const struct raw_operation* operation, int index) {
  if (index >= kMethods) return NULL;
  return operation->sums ? &kSums[index] : &kMoves[index];
}

/* --- waiting ------------------------------------------------------------------------------- */

static void wait_for(const struct raw_world* w, atomic_ulong* counter, unsigned long value) {
  while (atomic_load_explicit(counter, memory_order_acquire) < value) {
    if (w->crowded) sched_yield();
  }
}

static void announce(atomic_ulong* counter, unsigned long value) {
  atomic_store_explicit(counter, value, memory_order_release);
}

void raw_barrier(struct raw_world* w) {
  ++w->barriers;
  announce(&w->places[w->rank].arrived, w->barriers);
  for (int i = 0; i < w->ranks; ++i) wait_for(w, &w->places[i].arrived, w->barriers);
}

/* All have everything up to `number` behind them. */
static void wait_for_all(const struct raw_world* w, unsigned long number) {
  for (int i = 0; i < w->ranks; ++i) {
    if (i != w->rank) wait_for(w, &w->places[i].consumed, number);
  }
}

/* --- one call ------------------------------------------------------------------------------ */

struct call {
  struct raw_world* w;
  const struct raw_operation* operation;
  const struct raw_method* method;
  const struct call_data* data;
  int root;
};

static bool sends(const struct call* c, int rank) {
  return !c->operation->one_sends || rank == c->root;
}
static bool receives(const struct call* c, int rank) {
  return !c->operation->one_receives || rank == c->root;
}

/* Where data from `rank` go in the receive buffer, and those for it come from in the send buffer.
 */
static size_t into(const struct call* c, int rank) {
  return c->operation->kind->receive_blocks ? (size_t)rank * c->data->size : 0;
}
static size_t outof(const struct call* c, int rank) {
  return c->operation->kind->send_blocks ? (size_t)rank * c->data->size : 0;
}

/* A rank's part of `bytes` of floats. */
struct part {
  size_t at, bytes;
};
static struct part part_of(size_t bytes, int rank, int ranks) {
  const size_t floats = bytes / sizeof(float), number = (size_t)rank, all = (size_t)ranks;
  const size_t first = floats * number / all, next = floats * (number + 1) / all;
  return (struct part){first * sizeof(float), (next - first) * sizeof(float)};
}

/* What a rank sends to itself. A broadcast's root keeps its data where they are. */
static void copy_own(const struct call* c) {
  const struct call_data* d = c->data;
  const int me = c->w->rank;
  if (c->operation->sums || !sends(c, me) || !receives(c, me)) return;
  if (!c->operation->kind->send_blocks && !c->operation->kind->receive_blocks) return;
  c->method->copy(d->receive + into(c, me), d->send + outof(c, me), d->size);
}

/* --- through shared memory ----------------------------------------------------------------- */

/* A process has kDepth slots with a piece for each rank, and as many for sums. */
static size_t slot_bytes(int ranks) {
  return (size_t)kMostPiece * (size_t)ranks;
}
size_t raw_area_bytes(int ranks) {
  return (size_t)ranks * kDepth * (slot_bytes(ranks) + kMostPiece);
}
static char* slot_of(const struct raw_world* w, int rank, unsigned long number) {
  const size_t index = (size_t)rank * kDepth + number % kDepth;
  return w->area + index * (slot_bytes(w->ranks) + kMostPiece);
}
static char* sums_of(const struct raw_world* w, int rank, unsigned long number) {
  return slot_of(w, rank, number) + slot_bytes(w->ranks);
}

/* `kept`: the part of a piece that nobody else reads. */
static void publish(const struct call* c, size_t at, size_t bytes, struct part kept) {
  const struct raw_world* w = c->w;
  const char* from = c->data->send + at;
  char* slot = slot_of(w, w->rank, w->number);
  if (!c->operation->kind->send_blocks) {
    const size_t rest = kept.at + kept.bytes;
    c->method->copy(slot, from, kept.at);
    c->method->copy(slot + rest, from + rest, bytes - rest);
  }
  for (int i = 0; i < w->ranks && c->operation->kind->send_blocks; ++i) {
    char* to = slot + (size_t)i * kMostPiece;
    if (i != w->rank) c->method->copy(to, from + outof(c, i), bytes);
  }
  announce(&w->places[w->rank].published, w->number + 1);
}

/* The piece that `rank` has published for this process. */
static const char* published_by(const struct call* c, int rank) {
  const struct raw_world* w = c->w;
  wait_for(w, &w->places[rank].published, w->number + 1);
  const size_t mine = c->operation->kind->send_blocks ? (size_t)w->rank * kMostPiece : 0;
  return slot_of(w, rank, w->number) + mine;
}

/* Adds what all have published to our own data. */
static void sum_pieces(const struct call* c, char* to, size_t at, struct part part) {
  const struct raw_world* w = c->w;
  const char* first = c->data->send + at + part.at;
  for (int i = 1; i < w->ranks; ++i) {
    const int other = (w->rank + i) % w->ranks; /* not all read the same one at once */
    add(to, first, published_by(c, other) + part.at, part.bytes);
    first = to;
  }
  if (w->ranks == 1) c->method->copy(to, first, part.bytes);
}

/* Each sums its part of the piece; who receives collects them. */
static void sum_parts(const struct call* c, size_t at, size_t bytes) {
  struct raw_world* w = c->w;
  const struct part mine = part_of(bytes, w->rank, w->ranks);
  sum_pieces(c, sums_of(w, w->rank, w->number) + mine.at, at, mine);
  announce(&w->places[w->rank].summed, w->number + 1);
  for (int i = 0; i < w->ranks && receives(c, w->rank); ++i) {
    const int other = (w->rank + i) % w->ranks;
    const struct part part = part_of(bytes, other, w->ranks);
    wait_for(w, &w->places[other].summed, w->number + 1);
    c->method->copy(c->data->receive + at + part.at, sums_of(w, other, w->number) + part.at,
                    part.bytes);
  }
}

static void consume(const struct call* c, size_t at, size_t bytes) {
  const struct raw_world* w = c->w;
  for (int i = 1; i < w->ranks; ++i) {
    const int other = (w->rank + i) % w->ranks;
    if (!sends(c, other)) continue;
    c->method->copy(c->data->receive + into(c, other) + at, published_by(c, other), bytes);
  }
}

static void shared_call(const struct call* c) {
  struct raw_world* w = c->w;
  const size_t size = c->data->size;
  const bool sums = c->operation->sums, parts = sums && c->method->parts;
  /* The root of a sum reads its own data where they are, unless others read them. */
  const bool publishes =
      sends(c, w->rank) && (parts || !(sums && c->operation->one_receives) || w->rank != c->root);
  size_t at = 0;
  do {
    const size_t bytes = size - at < c->method->piece ? size - at : c->method->piece;
    if (publishes) {
      if (w->number >= kDepth) wait_for_all(w, w->number - kDepth + 1);
      publish(c, at, bytes, parts ? part_of(bytes, w->rank, w->ranks) : (struct part){0, 0});
    }
    if (parts) {
      sum_parts(c, at, bytes);
    } else if (receives(c, w->rank)) {
      if (sums) {
        sum_pieces(c, c->data->receive + at, at, (struct part){0, bytes});
      } else {
        consume(c, at, bytes);
      }
    }
    ++w->number;
    announce(&w->places[w->rank].consumed, w->number);
    at += bytes;
  } while (at < size);
  copy_own(c);
}

/* --- by the kernel ------------------------------------------------------------------------- */

static void give_up(const char* what) {
  perror(what);
  _exit(1);
}

static void read_from(const struct raw_place* place, void* to, const char* from, size_t bytes) {
  struct iovec local = {to, bytes}, remote = {(void*)from, bytes};
  if (bytes == 0) return;
  if (process_vm_readv(place->pid, &local, 1, &remote, 1, 0) != (ssize_t)bytes) {
    give_up("process_vm_readv");
  }
}

static void write_to(const struct raw_place* place, char* to, void* from, size_t bytes) {
  struct iovec local = {from, bytes}, remote = {to, bytes};
  if (bytes == 0) return;
  if (process_vm_writev(place->pid, &local, 1, &remote, 1, 0) != (ssize_t)bytes) {
    give_up("process_vm_writev");
  }
}

static void move_by_kernel(const struct call* c) {
  const struct raw_world* w = c->w;
  const struct call_data* d = c->data;
  if (c->operation->one_receives) { /* those who send work at once */
    if (w->rank == c->root) return;
    const struct raw_place* root = &w->places[c->root];
    wait_for(w, &w->places[c->root].published, w->number + 1);
    write_to(root, root->receive + into(c, w->rank), d->send, d->size);
    return;
  }
  for (int i = 1; i < w->ranks; ++i) {
    const int other = (w->rank + i) % w->ranks;
    if (!sends(c, other)) continue;
    wait_for(w, &w->places[other].published, w->number + 1);
    const struct raw_place* from = &w->places[other];
    read_from(from, d->receive + into(c, other), from->send + outof(c, w->rank), d->size);
  }
}

/* Each sums its part, in its receive buffer; who receives collects them. */
static void sum_by_kernel(const struct call* c) {
  static _Alignas(kCacheLine) char staged[kSumPiece + kCacheLine];
  struct raw_world* w = c->w;
  const struct call_data* d = c->data;
  const struct part mine = part_of(d->size, w->rank, w->ranks);
  for (int i = 1; i < w->ranks; ++i) {
    const int other = (w->rank + i) % w->ranks;
    const char* first = (i == 1 ? d->send : d->receive) + mine.at;
    wait_for(w, &w->places[other].published, w->number + 1);
    for (size_t at = 0; at < mine.bytes; at += kSumPiece) {
      const size_t bytes = mine.bytes - at < kSumPiece ? mine.bytes - at : kSumPiece;
      const char* from = w->places[other].send + mine.at + at;
      /* As far behind a cache line as the source: no bad distance for the kernel's copy. */
      char* to = staged + (uintptr_t)from % kCacheLine;
      read_from(&w->places[other], to, from, bytes);
      add(d->receive + mine.at + at, first + at, to, bytes);
    }
  }
  announce(&w->places[w->rank].summed, w->number + 1);
  for (int i = 1; i < w->ranks && receives(c, w->rank); ++i) {
    const int other = (w->rank + i) % w->ranks;
    const struct part part = part_of(d->size, other, w->ranks);
    wait_for(w, &w->places[other].summed, w->number + 1);
    read_from(&w->places[other], d->receive + part.at, w->places[other].receive + part.at,
              part.bytes);
  }
}

static void kernel_call(const struct call* c) {
  struct raw_world* w = c->w;
  struct raw_place* place = &w->places[w->rank];
  place->send = c->data->send;
  place->receive = c->data->receive;
  announce(&place->published, w->number + 1);
  copy_own(c);
  if (c->operation->sums) {
    sum_by_kernel(c);
  } else if (c->operation->one_receives || receives(c, w->rank)) {
    move_by_kernel(c);
  }
  ++w->number;
  announce(&place->consumed, w->number);
  wait_for_all(w, w->number); /* others read and write our buffers until then */
}

bool raw_kernel_copies(struct raw_world* w) {
  struct raw_place* place = &w->places[w->rank];
  bool able = true;
  place->send = (char*)w->places;
  raw_barrier(w);
  for (int i = 0; i < w->ranks; ++i) {
    char byte = 0;
    struct iovec local = {&byte, 1}, remote = {w->places[i].send, 1};
    if (i != w->rank && process_vm_readv(w->places[i].pid, &local, 1, &remote, 1, 0) != 1) {
      able = false;
    }
  }
  place->able = able;
  raw_barrier(w);
  for (int i = 0; i < w->ranks; ++i) able = able && w->places[i].able;
  return able;
}

void raw_call(struct raw_world* w, const struct raw_operation* operation,
              const struct raw_method* method, int root, const struct call_data* data) {
  const struct call c = {w, operation, method, data, root};
  if (method->kernel) {
    kernel_call(&c);
  } else {
    shared_call(&c);
  }
}
