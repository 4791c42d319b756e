/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Random accesses to a file against a model of all of its bytes, which every rank keeps for itself:
 * random views that share a range out, leave holes, overlap each other or interleave; independent,
 * collective, nonblocking, split and ordered calls; random hints. What is in no view keeps its
 * value, reads end where the file ends, and counts are what was moved. The argument is how many
 * rounds there are. */
#include <stdbool.h>

#include "files.h"

enum {
  kFile = 1 << 19,
  kMostRanks = 8,
  kMostOps = 3,
  kMostBlocks = 600,
  kMostMove = 24000, /* bytes of a rank in an access */
  kGap = 0xa5        /* what is in memory before a read */
};

static uint64_t rng;
static int below(int limit) {
  return (int)(check_next(&rng) % (uint64_t)limit);
}
static int between(int least, int most) {
  return least + below(most - least + 1);
}

/* --- the model ----------------------------------------------------------------------------------
 */

/* Of each byte: the last epoch in which it was written, and by which accesses of it. */
static struct {
  int epoch;
  uint32_t by;
} model[kFile];
static int size_of_file, initial_size;
static int epoch;

/* What access `bit` writes to a byte. */
static unsigned char byte_of(int at_epoch, int bit, int offset) {
  uint64_t state = (uint64_t)at_epoch << 40 ^ (uint64_t)bit << 32 ^ (uint64_t)(unsigned)offset;
  return (unsigned char)(check_next(&state) >> 32);
}

static bool may_be(int offset, unsigned char byte) {
  if (model[offset].by == 0) return byte == (offset < initial_size ? byte_of(0, 0, offset) : 0);
  for (int bit = 0; bit < 32; ++bit)
    if ((model[offset].by >> bit & 1) != 0 && byte == byte_of(model[offset].epoch, bit, offset))
      return true;
  return false;
}

static void model_write(int offset, int bit) {
  if (model[offset].epoch != epoch) model[offset].by = 0;
  model[offset].epoch = epoch;
  model[offset].by |= (uint32_t)1 << bit;
  if (offset >= size_of_file) size_of_file = offset + 1;
}

/* --- views --------------------------------------------------------------------------------------
 */

/* All in units of the etype. */
struct View {
  int blocks, extent, displacement;
  int begin[kMostBlocks], length[kMostBlocks];
};
static struct View views[kMostRanks];
static int unit; /* bytes of the etype */
static MPI_Datatype etype;

static int view_size(const struct View* view) {
  int size = 0;
  for (int i = 0; i < view->blocks; ++i) size += view->length[i];
  return size;
}

/* Bytes of the file where elements [from, from + count) of a view are. */
static void find_places(const struct View* view, int from, int count, int* places) {
  const int size = view_size(view);
  int tile = from / size, block = 0, rest = from % size;
  while (rest >= view->length[block]) rest -= view->length[block++];
  for (int i = 0; i < count; ++i) {
    const int element = view->displacement + tile * view->extent + view->begin[block] + rest;
    for (int k = 0; k < unit; ++k) *places++ = element * unit + k;
    if (++rest < view->length[block]) continue;
    rest = 0;
    if (++block < view->blocks) continue;
    block = 0;
    ++tile;
  }
}

/* How many elements from `from` on lie in the model's part of the file. */
static int room_from(const struct View* view, int from) {
  const int size = view_size(view), last = kFile / unit - view->displacement;
  const int reach = view->begin[view->blocks - 1] + view->length[view->blocks - 1];
  const int tiles = (last - reach) / view->extent;
  return tiles * size - from;
}

static void add_block(struct View* view, int begin, int length) {
  const int last = view->blocks - 1;
  if (last >= 0 && view->begin[last] + view->length[last] == begin) {
    view->length[last] += length;
    return;
  }
  view->begin[view->blocks] = begin;
  view->length[view->blocks++] = length;
}

/* Blocks in turn, with or without a hole behind all of them. */
static void deal_blocks(bool holes) {
  const int length = between(1, 80), displacement = below(3000);
  const int hole = holes ? between(1, 100) : 0;
  for (int rank = 0; rank < check_size; ++rank) {
    struct View* view = &views[rank];
    view->displacement = displacement;
    view->extent = check_size * length + hole;
    add_block(view, rank * length, length);
  }
}

/* A range cut at random places, the parts of which go to random ranks. What some get nothing of
 * has one element behind all. */
static void cut_range(bool holes) {
  const int parts = between(1, kMostBlocks - 1), displacement = below(3000);
  int at = 0;
  for (int i = 0; i < parts; ++i) {
    const int length = between(1, 60);
    if (!holes || below(4) != 0) add_block(&views[below(check_size)], at, length);
    at += length;
  }
  for (int rank = 0; rank < check_size; ++rank) {
    struct View* view = &views[rank];
    view->displacement = displacement;
    if (view->blocks == 0) add_block(view, at + rank, 1);
    view->extent = at + check_size;
  }
}

static void draw_own_view(struct View* view) {
  int at = 0;
  view->displacement = below(3000);
  for (int i = between(1, 6); i > 0; --i) {
    at += below(100);
    const int length = between(1, 90);
    add_block(view, at, length);
    at += length;
  }
  view->extent = at + below(50);
}

/* The second block of each tile lies behind the first ones of many tiles. */
static void interleave_tiles(struct View* view) {
  const int length = between(1, 30);
  view->displacement = below(3000);
  view->extent = length;
  add_block(view, 0, length);
  add_block(view, 15000, length);
}

enum {
  kDealt,
  kDealtWithHoles,
  kCut,
  kCutWithHoles,
  kDealtTwice,
  kOwn,
  kInterleaved,
  kPlain,
  kSame,
  kKinds
};
static int kind;

static void draw_views(void) {
  memset(views, 0, sizeof views);
  if (kind == kDealt || kind == kDealtWithHoles) deal_blocks(kind == kDealtWithHoles);
  if (kind == kDealtTwice) { /* as many bytes as the range has, half of them twice */
    deal_blocks(false);
    for (int rank = 1; rank < check_size; rank += 2) views[rank] = views[rank - 1];
  }
  if (kind == kCut || kind == kCutWithHoles) cut_range(kind == kCutWithHoles);
  if (kind == kSame) draw_own_view(&views[0]);
  for (int rank = 0; rank < check_size; ++rank) {
    struct View* view = &views[rank];
    if (kind == kOwn) draw_own_view(view);
    if (kind == kInterleaved) interleave_tiles(view);
    if (kind == kSame) *view = views[0];
    if (kind == kPlain) {
      view->displacement = below(3000);
      view->extent = 1;
      add_block(view, 0, 1);
    }
  }
}

static void set_view(MPI_File file) {
  const struct View* view = &views[check_rank];
  MPI_Aint begins[kMostBlocks];
  MPI_Datatype list, type;
  for (int i = 0; i < view->blocks; ++i) begins[i] = (MPI_Aint)view->begin[i] * unit;
  OK(MPI_Type_create_hindexed(view->blocks, view->length, begins, etype, &list));
  OK(MPI_Type_create_resized(list, 0, (MPI_Aint)view->extent * unit, &type));
  OK(MPI_Type_commit(&type));
  OK(MPI_File_set_view(file, (MPI_Offset)view->displacement * unit, etype, type, "native",
                       MPI_INFO_NULL));
  OK(MPI_Type_free(&list));
  OK(MPI_Type_free(&type));
}

/* --- accesses -----------------------------------------------------------------------------------
 */

enum {
  kAt,
  kAtAll,
  kPointer,
  kPointerAll,
  kStartAt,
  kStartAtAll,
  kStartAll,
  kSplitAt,
  kSplit,
  kOrdered,
  kSplitOrdered,
  kForms
};

/* One access of one rank, in elements. */
struct Access {
  int from, count;
  int block, stride; /* of the memory */
};
/* That of this rank. */
struct Own {
  struct Access what;
  unsigned char* memory;
  MPI_Datatype type;
  MPI_Request request;
  int places[kMostMove];
  int expected; /* bytes */
};
static struct Own own[kMostOps];

static size_t memory_bytes(const struct Access* a) {
  return (size_t)((a->count + a->block - 1) / a->block * a->stride + 1) * (size_t)unit;
}
static size_t memory_place(const struct Access* a, int byte) {
  const int element = byte / unit;
  return (size_t)(element / a->block * a->stride + element % a->block) * (size_t)unit +
         (size_t)(byte % unit);
}

/* Collective accesses of shared-out views are of about the same elements, as those of programs. */
static void draw_access(int rank, int common, struct Access* a) {
  const bool together = kind <= kDealtTwice && below(4) != 0;
  a->from = together ? common : below(4000 / unit);
  a->count = below(6) == 0 ? 0 : between(1, kMostMove / unit);
  if (together && below(3) != 0) a->count = kMostMove / 2 / unit;
  if (kind == kCut && below(3) != 0) { /* the whole range */
    a->from = 0;
    a->count = view_size(&views[rank]);
  }
  if (kind == kInterleaved && a->from + a->count > 14000) a->from = 0, a->count = 5000 / unit;
  if (a->count > kMostMove / unit) a->count = kMostMove / unit;
  const int room = room_from(&views[rank], a->from);
  if (a->count > room) a->count = room < 0 ? 0 : room;
  a->block = below(2) != 0 ? (a->count == 0 ? 1 : a->count) : between(1, 50);
  a->stride = a->block + (a->block == a->count ? 0 : below(20));
}

static void make_memory(struct Own* mine) {
  const struct Access* a = &mine->what;
  const int whole = a->count / a->block, rest = a->count % a->block;
  int lengths[2] = {1, rest};
  MPI_Aint begins[2] = {0, (MPI_Aint)whole * a->stride * unit};
  MPI_Datatype vector, parts[2];
  mine->memory = (unsigned char*)malloc(memory_bytes(a));
  memset(mine->memory, kGap, memory_bytes(a));
  OK(MPI_Type_vector(whole, a->block, a->stride, etype, &vector));
  parts[0] = vector;
  parts[1] = etype;
  OK(MPI_Type_create_struct(2, lengths, begins, parts, &mine->type));
  OK(MPI_Type_commit(&mine->type));
  OK(MPI_Type_free(&vector));
}

static void check_count(const struct Own* mine, const MPI_Status* status) {
  CHECK(files_count(status, MPI_BYTE) == mine->expected);
}

static void write_it(MPI_File f, int form, struct Own* mine) {
  MPI_Status status;
  unsigned char* memory = mine->memory;
  MPI_Datatype type = mine->type;
  const int from = mine->what.from;
  if (form == kPointer || form == kPointerAll || form == kStartAll || form == kSplit)
    OK(MPI_File_seek(f, from, MPI_SEEK_SET));
  switch (form) {
    case kAt:
      OK(MPI_File_write_at(f, from, memory, 1, type, &status));
      break;
    case kAtAll:
      OK(MPI_File_write_at_all(f, from, memory, 1, type, &status));
      break;
    case kPointer:
      OK(MPI_File_write(f, memory, 1, type, &status));
      break;
    case kPointerAll:
      OK(MPI_File_write_all(f, memory, 1, type, &status));
      break;
    case kStartAt:
      OK(MPI_File_iwrite_at(f, from, memory, 1, type, &mine->request));
      return;
    case kStartAtAll:
      OK(MPI_File_iwrite_at_all(f, from, memory, 1, type, &mine->request));
      return;
    case kStartAll:
      OK(MPI_File_iwrite_all(f, memory, 1, type, &mine->request));
      return;
    case kSplitAt:
      OK(MPI_File_write_at_all_begin(f, from, memory, 1, type));
      OK(MPI_File_write_at_all_end(f, memory, &status));
      break;
    case kSplit:
      OK(MPI_File_write_all_begin(f, memory, 1, type));
      OK(MPI_File_write_all_end(f, memory, &status));
      break;
    case kOrdered:
      OK(MPI_File_write_ordered(f, memory, 1, type, &status));
      break;
    default:
      OK(MPI_File_write_ordered_begin(f, memory, 1, type));
      OK(MPI_File_write_ordered_end(f, memory, &status));
  }
  check_count(mine, &status);
}

static void read_it(MPI_File f, int form, struct Own* mine) {
  MPI_Status status;
  unsigned char* memory = mine->memory;
  MPI_Datatype type = mine->type;
  const int from = mine->what.from;
  if (form == kPointer || form == kPointerAll || form == kStartAll || form == kSplit)
    OK(MPI_File_seek(f, from, MPI_SEEK_SET));
  switch (form) {
    case kAt:
      OK(MPI_File_read_at(f, from, memory, 1, type, &status));
      break;
    case kAtAll:
      OK(MPI_File_read_at_all(f, from, memory, 1, type, &status));
      break;
    case kPointer:
      OK(MPI_File_read(f, memory, 1, type, &status));
      break;
    case kPointerAll:
      OK(MPI_File_read_all(f, memory, 1, type, &status));
      break;
    case kStartAt:
      OK(MPI_File_iread_at(f, from, memory, 1, type, &mine->request));
      return;
    case kStartAtAll:
      OK(MPI_File_iread_at_all(f, from, memory, 1, type, &mine->request));
      return;
    case kStartAll:
      OK(MPI_File_iread_all(f, memory, 1, type, &mine->request));
      return;
    case kSplitAt:
      OK(MPI_File_read_at_all_begin(f, from, memory, 1, type));
      OK(MPI_File_read_at_all_end(f, memory, &status));
      break;
    case kSplit:
      OK(MPI_File_read_all_begin(f, memory, 1, type));
      OK(MPI_File_read_all_end(f, memory, &status));
      break;
    case kOrdered:
      OK(MPI_File_read_ordered(f, memory, 1, type, &status));
      break;
    default:
      OK(MPI_File_read_ordered_begin(f, memory, 1, type));
      OK(MPI_File_read_ordered_end(f, memory, &status));
  }
  check_count(mine, &status);
}

static void prepare_read(struct Own* mine) {
  const int bytes = mine->what.count * unit;
  make_memory(mine);
  mine->expected = 0;
  while (mine->expected < bytes && mine->places[mine->expected] < size_of_file) ++mine->expected;
}

static void check_read(const struct Own* mine) {
  const size_t all = memory_bytes(&mine->what);
  bool right = true;
  unsigned char* rest = (unsigned char*)malloc(all);
  memcpy(rest, mine->memory, all);
  for (int i = 0; i < mine->expected; ++i) {
    const size_t at = memory_place(&mine->what, i);
    right = right && may_be(mine->places[i], rest[at]);
    rest[at] = kGap;
  }
  CHECK(right);
  for (size_t i = 0; i < all; ++i) right = right && rest[i] == kGap;
  CHECK(right);
  free(rest);
}

static void prepare_write(struct Own* mine, int bit) {
  make_memory(mine);
  mine->expected = mine->what.count * unit;
  for (int i = 0; i < mine->expected; ++i)
    mine->memory[memory_place(&mine->what, i)] = byte_of(epoch, bit, mine->places[i]);
}

/* --- rounds -------------------------------------------------------------------------------------
 */

/* Every rank draws what all of them do. Several at once only where they do not wait. */
static void do_accesses(MPI_File file, bool writes) {
  int form = below(kind == kSame ? kForms : kOrdered);
  const bool starts = form == kStartAt || form == kStartAtAll || form == kStartAll;
  const bool ordered = form == kOrdered || form == kSplitOrdered;
  const int ops = starts ? between(1, kMostOps) : 1;
  static int places[kMostMove];
  ++epoch;
  for (int op = 0; op < ops; ++op) {
    int next = below(4000 / unit);
    if (ordered) OK(MPI_File_seek_shared(file, next, MPI_SEEK_SET));
    for (int rank = 0; rank < check_size; ++rank) {
      struct Access a;
      draw_access(rank, ordered ? 0 : next, &a);
      if (ordered) {
        const int room = room_from(&views[rank], next);
        a.from = next;
        if (a.count > room) a.count = room < 0 ? 0 : room;
        if (a.block > a.count) a.block = a.stride = a.count == 0 ? 1 : a.count;
        next += a.count;
      }
      find_places(&views[rank], a.from, a.count, places);
      if (rank == check_rank) {
        own[op].what = a;
        memcpy(own[op].places, places, sizeof places);
      }
      if (!writes) continue;
      for (int i = 0; i < a.count * unit; ++i) model_write(places[i], op * kMostRanks + rank);
    }
  }
  for (int op = 0; op < ops; ++op) {
    struct Own* mine = &own[op];
    if (starts && op > 0) form = between(kStartAt, kStartAll);
    if (writes) {
      prepare_write(mine, op * kMostRanks + check_rank);
      write_it(file, form, mine);
    } else {
      prepare_read(mine);
      read_it(file, form, mine);
    }
  }
  for (int op = 0; op < ops; ++op) {
    struct Own* mine = &own[op];
    MPI_Status status;
    if (starts) {
      OK(MPI_Wait(&mine->request, &status));
      check_count(mine, &status);
    }
    if (!writes) check_read(mine);
    OK(MPI_Type_free(&mine->type));
    free(mine->memory);
  }
}

static void check_file(const char* path) {
  long size = 0;
  bool right = true;
  unsigned char* bytes = files_bytes(path, &size);
  CHECK(size == size_of_file);
  for (int i = 0; i < size && i < size_of_file; ++i) right = right && may_be(i, bytes[i]);
  CHECK(right);
  free(bytes);
}

/* A file with something in it, and hints by which small accesses take several cycles. */
static MPI_File open_file(const char* path) {
  const char* const switches[] = {"automatic", "automatic", "enable", "enable", "disable"};
  const char* const buffers[] = {"4096", "8192", "20000", "4194304"};
  const char* const owners[] = {"1", "2", "3", "8"};
  MPI_File file;
  MPI_Info info;
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "romio_cb_write", switches[below(5)]));
  OK(MPI_Info_set(info, "romio_cb_read", switches[below(5)]));
  OK(MPI_Info_set(info, "cb_buffer_size", buffers[below(4)]));
  OK(MPI_Info_set(info, "cb_nodes", owners[below(4)]));
  if (below(6) == 0) OK(MPI_Info_set(info, "romio_ds_write", "enable"));
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
  OK(MPI_Info_free(&info));
  memset(model, 0, sizeof model);
  epoch = 0;
  size_of_file = initial_size = below(100000);
  if (check_rank == 0) {
    unsigned char* bytes = (unsigned char*)malloc((size_t)initial_size + 1);
    for (int i = 0; i < initial_size; ++i) bytes[i] = byte_of(0, 0, i);
    OK(MPI_File_write_at(file, 0, bytes, initial_size, MPI_BYTE, MPI_STATUS_IGNORE));
    free(bytes);
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  return file;
}

static void run_round(int round) {
  char path[kPathBytes];
  strcpy(path, files_path("random"));
  MPI_File file = open_file(path);
  for (int step = 0; step < 4; ++step) {
    kind = (round + step * 3) % kKinds;
    if (below(2) != 0) { /* what can be staged, or nearly */
      const int kinds[] = {kDealt, kCut, kDealtTwice};
      kind = kinds[below(3)];
    }
    unit = below(3) == 0 ? 4 : 1;
    etype = unit == 4 ? MPI_INT : MPI_BYTE;
    draw_views();
    set_view(file);
    for (int i = 0; i < 3; ++i) {
      do_accesses(file, true);
      OK(MPI_Barrier(MPI_COMM_WORLD));
      do_accesses(file, false);
      OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    if (check_rank == 0) check_file(path);
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  OK(MPI_File_close(&file));
  if (check_rank == 0) OK(MPI_File_delete(path, MPI_INFO_NULL));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 24;
  rng = check_seed("file_random");
  if (check_size > kMostRanks) {
    fprintf(stderr, "file_random: at most %d ranks\n", kMostRanks);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int round = 0; round < rounds && check_failures == 0; ++round) {
    run_round(round);
    if (check_failures != 0) fprintf(stderr, "rank %d: round %d failed\n", check_rank, round);
    int all = 0;
    MPI_Allreduce(&check_failures, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (all != 0) break;
  }
  return check_end("file_random");
}
