/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * What a window is asked for: predefined attributes and the program's own, names, groups, info,
 * shared memory, error handlers, and its handle as an integer. */
#include "windows.h"

static void predefined(const struct window* w) {
  const int flavors[] = {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_SHARED,
                         MPI_WIN_FLAVOR_DYNAMIC};
  void* value = NULL;
  int flag = 0;
  OK(MPI_Win_get_attr(w->win, MPI_WIN_BASE, &value, &flag));
  CHECK(flag && value == (w->kind == kDynamic ? MPI_BOTTOM : (void*)w->base));
  OK(MPI_Win_get_attr(w->win, MPI_WIN_SIZE, &value, &flag));
  CHECK(flag && *(MPI_Aint*)value == (w->kind == kDynamic ? 0 : w->bytes));
  OK(MPI_Win_get_attr(w->win, MPI_WIN_DISP_UNIT, &value, &flag));
  CHECK(flag && *(int*)value == w->unit);
  OK(MPI_Win_get_attr(w->win, MPI_WIN_CREATE_FLAVOR, &value, &flag));
  CHECK(flag && *(int*)value == flavors[w->kind]);
  OK(MPI_Win_get_attr(w->win, MPI_WIN_MODEL, &value, &flag));
  CHECK(flag && *(int*)value == MPI_WIN_UNIFIED);
  FAILS(MPI_ERR_KEYVAL, MPI_Win_set_attr(w->win, MPI_WIN_SIZE, NULL));
}

static int deleted[4], deletions;
static MPI_Win deleted_from;
static int note_deletion(MPI_Win win, int key, void* value, void* extra) {
  (void)key;
  CHECK(extra == &deletions);
  deleted_from = win;
  deleted[deletions++ % 4] = *(int*)value;
  return MPI_SUCCESS;
}
static int refuse_deletion(MPI_Win win, int key, void* value, void* extra) {
  (void)win, (void)key, (void)value;
  return *(int*)extra;
}

/* Delete functions are called in reverse when the window is freed, and may keep it. */
static void own_attributes(int kind) {
  struct window w;
  int first, second, third, one = 1, two = 2, refusal = MPI_ERR_OTHER, flag = 0;
  void* value = NULL;
  make_window(&w, kind, 8, 4, MPI_INFO_NULL);
  const MPI_Win handle = w.win;
  OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, note_deletion, &first, &deletions));
  OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, note_deletion, &second, &deletions));
  OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, refuse_deletion, &third, &refusal));
  OK(MPI_Win_set_attr(w.win, first, &one));
  OK(MPI_Win_set_attr(w.win, second, &two));
  OK(MPI_Win_get_attr(w.win, second, &value, &flag));
  CHECK(flag && value == &two);
  OK(MPI_Win_free_keyval(&second));
  OK(MPI_Win_set_attr(w.win, third, NULL));
  if (kind == kDynamic) {
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_detach(w.win, w.base));
  }
  deletions = 0;
  CHECK(MPI_Win_free(&w.win) != MPI_SUCCESS && w.win == handle && deletions == 0);
  refusal = MPI_SUCCESS;
  OK(MPI_Win_free(&w.win));
  CHECK(w.win == MPI_WIN_NULL);
  CHECK(deletions == 2 && deleted[0] == 2 && deleted[1] == 1 && deleted_from == handle);
  OK(MPI_Win_free_keyval(&first));
  OK(MPI_Win_free_keyval(&third));
  if (kind == kCreated || kind == kDynamic) free(w.base);
  free(w.bases);
}

static void names_and_groups(const struct window* w) {
  char name[MPI_MAX_OBJECT_NAME] = "x";
  int length = -1, result = -1;
  MPI_Group group, world;
  OK(MPI_Win_get_name(w->win, name, &length));
  CHECK(length == 0 && name[0] == '\0');
  OK(MPI_Win_set_name(w->win, "table of atoms"));
  OK(MPI_Win_get_name(w->win, name, &length));
  CHECK(length == 14 && strcmp(name, "table of atoms") == 0);
  OK(MPI_Win_get_group(w->win, &group));
  OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
  OK(MPI_Group_compare(group, world, &result));
  CHECK(result == MPI_IDENT);
  OK(MPI_Group_free(&group));
  OK(MPI_Group_free(&world));
}

static const char* hint(MPI_Info info, const char* key) {
  static char text[MPI_MAX_INFO_VAL];
  int length = sizeof text, flag = 0;
  OK(MPI_Info_get_string(info, key, &length, text, &flag));
  return flag ? text : "(none)";
}
#define HINT(info, key, expected) CHECK(strcmp(hint(info, key), expected) == 0)

static void hints(int kind) {
  struct window w;
  MPI_Info given, used;
  make_window(&w, kind, 8, 4, MPI_INFO_NULL);
  OK(MPI_Win_get_info(w.win, &used));
  HINT(used, "no_locks", "false");
  HINT(used, "accumulate_ordering", "rar,raw,war,waw");
  HINT(used, "accumulate_ops", "same_op_no_op");
  HINT(used, "mpi_accumulate_granularity", "0");
  HINT(used, "same_size", kind == kDynamic ? "(none)" : "false");
  HINT(used, "same_disp_unit", kind == kDynamic ? "(none)" : "false");
  HINT(used, "alloc_shared_noncontig", kind == kShared ? "false" : "(none)");
  OK(MPI_Info_free(&used));
  OK(MPI_Info_create(&given));
  OK(MPI_Info_set(given, "accumulate_ordering", "none"));
  OK(MPI_Info_set(given, "some_other_key", "some value"));
  OK(MPI_Win_set_info(w.win, given));
  OK(MPI_Win_get_info(w.win, &used));
  HINT(used, "accumulate_ordering", "none");
  HINT(used, "accumulate_ops", "same_op_no_op");
  HINT(used, "some_other_key", "(none)");
  OK(MPI_Info_free(&used));
  free_window(&w);
  OK(MPI_Info_set(given, "accumulate_ordering", "rar,waw"));
  OK(MPI_Info_set(given, "accumulate_ops", "same_op"));
  OK(MPI_Info_set(given, "no_locks", "true"));
  OK(MPI_Info_set(given, "same_size", "true"));
  OK(MPI_Info_set(given, "same_disp_unit", "true"));
  OK(MPI_Info_set(given, "alloc_shared_noncontig", "true"));
  OK(MPI_Info_set(given, "mpi_minimum_memory_alignment", "16384"));
  OK(MPI_Info_set(given, "mpi_accumulate_granularity", "64"));
  make_window(&w, kind, 8, 4, given);
  OK(MPI_Win_get_info(w.win, &used));
  HINT(used, "accumulate_ordering", "rar,waw");
  HINT(used, "accumulate_ops", "same_op");
  HINT(used, "no_locks", "true");
  HINT(used, "same_size", kind == kDynamic ? "(none)" : "true");
  HINT(used, "mpi_accumulate_granularity", "64");
  OK(MPI_Info_free(&used));
  if (kind == kAllocated || kind == kShared) CHECK((uintptr_t)w.base % 16384 == 0);
  OK(MPI_Win_fence(0, w.win));
  const int out = 5;
  OK(MPI_Put(&out, 1, MPI_INT, check_rank, place(&w, check_rank, 4), 1, MPI_INT, w.win));
  OK(MPI_Win_fence(0, w.win));
  CHECK(((int*)w.base)[1] == 5);
  EXPECT(MPI_ERR_RMA_SYNC, "no_locks", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w.win));
  EXPECT(MPI_ERR_RMA_SYNC, "no_locks", MPI_Win_lock_all(0, w.win));
  free_window(&w);
  OK(MPI_Info_free(&given));
}

/* Memory of others that can be loaded from; where there is none, that is said. */
static void shared_memory(const struct window* w) {
  for (int rank = 0; rank < check_size; ++rank) {
    MPI_Aint bytes = -1, unit_c = -1, bytes_c = -1;
    int unit = -1;
    char *base = (char*)w, *base_c = NULL;
    OK(MPI_Win_shared_query(w->win, rank, &bytes, &unit, &base));
    OK(MPI_Win_shared_query_c(w->win, rank, &bytes_c, &unit_c, &base_c));
    CHECK(bytes_c == bytes && unit_c == unit && base_c == base);
    CHECK(bytes == w->bytes || bytes == 0);
    CHECK(bytes == 0 ? base == NULL : base != NULL && unit == w->unit);
    if (w->kind == kShared) CHECK(bytes == w->bytes);
    if (rank == check_rank && w->kind == kShared) CHECK(base == w->base);
    if (bytes > 0) CHECK(base[0] == (char)rank);
  }
}

static void query_shared(int kind) {
  struct window w;
  make_window(&w, kind, 4096, 8, MPI_INFO_NULL);
  w.base[0] = (char)check_rank;
  OK(MPI_Win_fence(0, w.win));
  shared_memory(&w);
  MPI_Aint bytes = -1;
  int unit = -1;
  char* base = NULL;
  OK(MPI_Win_shared_query(w.win, MPI_PROC_NULL, &bytes, &unit, &base));
  if (kind == kShared) CHECK(bytes == 4096 && base != NULL && base[0] == 0);
  /* All have memory: it is that of rank 0, also if this process does not reach it. */
  MPI_Aint bytes_of_first = -1;
  char* first = NULL;
  OK(MPI_Win_shared_query(w.win, 0, &bytes_of_first, &unit, &first));
  CHECK(bytes == bytes_of_first && base == first);
  OK(MPI_Win_fence(0, w.win));
  free_window(&w);
}

/* The parts of a shared window follow each other, also empty ones. */
static void contiguous_parts(void) {
  char *base = NULL, *first = NULL;
  MPI_Win win;
  MPI_Aint size;
  const MPI_Aint mine = check_rank % 2 == 0 ? 100 : 0;
  int unit;
  OK(MPI_Win_allocate_shared(mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  OK(MPI_Win_shared_query(win, 0, &size, &unit, &first));
  CHECK(size == 100);
  CHECK(base == first + (check_rank + 1) / 2 * 100);
  OK(MPI_Win_lock_all(0, win));
  if (mine > 0) memset(base, 'a' + check_rank, (size_t)mine);
  OK(MPI_Win_sync(win));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Win_sync(win));
  for (int i = 0; i < check_size; i += 2) CHECK(first[i / 2 * 100 + 99] == 'a' + i);
  OK(MPI_Win_unlock_all(win));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Win_free(&win));
}

/* Where they do not, an empty one has no place: it is null for all. */
static void noncontiguous_parts(void) {
  char *base = NULL, *part = NULL;
  MPI_Info info;
  MPI_Win win;
  MPI_Aint size;
  const MPI_Aint mine = check_rank % 2 == 0 ? 100 : 0;
  int unit;
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
  OK(MPI_Win_allocate_shared(mine, 1, info, MPI_COMM_WORLD, &base, &win));
  CHECK((base == NULL) == (mine == 0));
  OK(MPI_Win_fence(0, win));
  for (int i = 0; i < check_size; ++i) {
    OK(MPI_Put(&unit, 0, MPI_INT, i, 0, 0, MPI_INT, win));
    OK(MPI_Win_shared_query(win, i, &size, &unit, &part));
    CHECK(size == (i % 2 == 0 ? 100 : 0) && unit == 1);
    CHECK((part == NULL) == (size == 0));
  }
  OK(MPI_Win_fence(0, win));
  OK(MPI_Win_free(&win));
  OK(MPI_Info_free(&info));
}

static int calls, last_class;
static MPI_Win last_win;
static void handler(MPI_Win* win, int* code, ...) {
  ++calls;
  last_win = *win;
  last_class = check_class_of(*code);
}

static void error_handlers(const struct window* w) {
  MPI_Errhandler mine, got;
  int value = 0;
  OK(MPI_Win_create_errhandler(handler, &mine));
  OK(MPI_Win_set_errhandler(w->win, mine));
  OK(MPI_Win_get_errhandler(w->win, &got));
  CHECK(got == mine);
  OK(MPI_Errhandler_free(&got));
  OK(MPI_Errhandler_free(&mine));
  calls = 0;
  OK(MPI_Win_call_errhandler(w->win, MPI_ERR_RMA_CONFLICT));
  CHECK(calls == 1 && last_win == w->win && last_class == MPI_ERR_RMA_CONFLICT);
  FAILS(MPI_ERR_RMA_SYNC, MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, w->win));
  CHECK(calls == 2 && last_win == w->win && last_class == MPI_ERR_RMA_SYNC);
  OK(MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  for (int kind = 0; kind < kWindowKinds; ++kind) {
    struct window w;
    if (!kind_is_possible(kind)) continue;
    make_window(&w, kind, 40, 4, MPI_INFO_NULL);
    predefined(&w);
    names_and_groups(&w);
    error_handlers(&w);
    CHECK(MPI_Win_fromint(MPI_Win_toint(w.win)) == w.win);
    free_window(&w);
    own_attributes(kind);
    hints(kind);
    if (kind != kDynamic) query_shared(kind);
    if (kind == kShared) {
      contiguous_parts();
      noncontiguous_parts();
    }
  }
  return check_end("rma_attributes");
}
