/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Communicators and groups: making and comparing them, isolation, names, attributes with their
 * callbacks, error handlers, freeing with operations pending, thousands of them. */
#include <stdarg.h>

#include "check.h"

static int right, left;

static int compare(MPI_Comm a, MPI_Comm b) {
  int result = -1;
  OK(MPI_Comm_compare(a, b, &result));
  return result;
}

static void construction(void) {
  MPI_Comm dup, halves, turned, shared, created, none;
  MPI_Group world, even;
  int size = -1, rank = -1, flag = 1, ranges[1][3] = {{0, check_size - 1, 2}};
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
  CHECK(compare(dup, MPI_COMM_WORLD) == MPI_CONGRUENT && compare(dup, dup) == MPI_IDENT);
  OK(MPI_Comm_test_inter(dup, &flag));
  CHECK(!flag);
  OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, check_rank, &halves));
  OK(MPI_Comm_size(halves, &size));
  OK(MPI_Comm_rank(halves, &rank));
  CHECK(size == (check_size + 1 - check_rank % 2) / 2 && rank == check_rank / 2);
  CHECK(compare(halves, MPI_COMM_WORLD) == (check_size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL));
  /* keys turn the order round; equal keys keep it */
  OK(MPI_Comm_split(MPI_COMM_WORLD, 5, -check_rank, &turned));
  OK(MPI_Comm_rank(turned, &rank));
  CHECK(rank == check_size - 1 - check_rank);
  CHECK(compare(turned, MPI_COMM_WORLD) == (check_size == 1 ? MPI_CONGRUENT : MPI_SIMILAR));
  OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank == 0 ? MPI_UNDEFINED : 0, 0, &none));
  CHECK((none == MPI_COMM_NULL) == (check_rank == 0));
  if (none != MPI_COMM_NULL) {
    OK(MPI_Comm_rank(none, &rank));
    CHECK(rank == check_rank - 1);
    OK(MPI_Comm_free(&none));
  }
  OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared));
  OK(MPI_Comm_size(shared, &size));
  CHECK(size == check_local_size());
  CHECK((compare(shared, MPI_COMM_WORLD) == MPI_CONGRUENT) == (size == check_size));
  OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &none));
  CHECK(none == MPI_COMM_NULL);
  OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
  OK(MPI_Group_range_incl(world, 1, ranges, &even));
  OK(MPI_Comm_create(MPI_COMM_WORLD, even, &created));
  CHECK((created == MPI_COMM_NULL) == (check_rank % 2 == 1));
  if (created != MPI_COMM_NULL) {
    CHECK(compare(created, halves) == MPI_CONGRUENT);
    OK(MPI_Comm_free(&created));
  }
  OK(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &created));
  CHECK(created == MPI_COMM_NULL);
  OK(MPI_Group_free(&world));
  OK(MPI_Group_free(&even));
  OK(MPI_Comm_free(&dup));
  CHECK(dup == MPI_COMM_NULL);
  OK(MPI_Comm_free(&halves));
  OK(MPI_Comm_free(&turned));
  OK(MPI_Comm_disconnect(&shared));
  CHECK(shared == MPI_COMM_NULL);
}

static int group_size(MPI_Group group) {
  int size = -1;
  OK(MPI_Group_size(group, &size));
  return size;
}
static int group_compare(MPI_Group a, MPI_Group b) {
  int result = -1;
  OK(MPI_Group_compare(a, b, &result));
  return result;
}

static void groups(void) {
  MPI_Group world, low, high, result, self, reversed;
  const int half = check_size / 2;
  int* ranks = malloc(sizeof(int) * (size_t)check_size);
  int* translated = malloc(sizeof(int) * (size_t)check_size);
  int rank = -1;
  OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
  OK(MPI_Comm_group(MPI_COMM_SELF, &self));
  CHECK(group_size(world) == check_size && group_size(self) == 1);
  OK(MPI_Group_rank(world, &rank));
  CHECK(rank == check_rank);
  for (int i = 0; i < check_size; ++i) ranks[i] = i;
  OK(MPI_Group_incl(world, half, ranks, &low));
  OK(MPI_Group_excl(world, half, ranks, &high));
  CHECK(group_size(low) == half && group_size(high) == check_size - half);
  CHECK((low == MPI_GROUP_EMPTY) == (half == 0));
  OK(MPI_Group_rank(high, &rank));
  CHECK(rank == (check_rank < half ? MPI_UNDEFINED : check_rank - half));
  OK(MPI_Group_union(high, low, &result));
  CHECK(group_compare(result, world) == (half == 0 ? MPI_IDENT : MPI_SIMILAR));
  OK(MPI_Group_free(&result));
  OK(MPI_Group_union(low, high, &result));
  CHECK(group_compare(result, world) == MPI_IDENT);
  OK(MPI_Group_free(&result));
  OK(MPI_Group_intersection(low, high, &result));
  CHECK(result == MPI_GROUP_EMPTY && group_size(result) == 0);
  OK(MPI_Group_intersection(world, high, &result));
  CHECK(group_compare(result, high) == MPI_IDENT);
  OK(MPI_Group_free(&result));
  OK(MPI_Group_difference(world, low, &result));
  CHECK(group_compare(result, high) == MPI_IDENT);
  OK(MPI_Group_free(&result));
  OK(MPI_Group_difference(low, world, &result));
  CHECK(result == MPI_GROUP_EMPTY);
  int backwards[1][3] = {{check_size - 1, 0, -1}};
  OK(MPI_Group_range_incl(world, 1, backwards, &reversed));
  OK(MPI_Group_translate_ranks(world, check_size, ranks, reversed, translated));
  for (int i = 0; i < check_size; ++i) CHECK(translated[i] == check_size - 1 - i);
  OK(MPI_Group_translate_ranks(world, check_size, ranks, self, translated));
  for (int i = 0; i < check_size; ++i)
    CHECK(translated[i] == (i == check_rank ? 0 : MPI_UNDEFINED));
  int no_process = MPI_PROC_NULL;
  OK(MPI_Group_translate_ranks(world, 1, &no_process, self, translated));
  CHECK(translated[0] == MPI_PROC_NULL);
  OK(MPI_Group_range_excl(reversed, 1, backwards, &result));
  CHECK(result == MPI_GROUP_EMPTY);
  int thirds[2][3] = {{0, check_size - 1, 3}, {check_size > 1 ? 1 : 0, check_size - 1, 3}};
  OK(MPI_Group_range_excl(world, check_size > 1 ? 2 : 1, thirds, &result));
  CHECK(group_size(result) == check_size / 3);
  if (result != MPI_GROUP_EMPTY) OK(MPI_Group_free(&result));
  OK(MPI_Group_incl(world, 0, NULL, &result));
  CHECK(result == MPI_GROUP_EMPTY);
  CHECK(group_compare(MPI_GROUP_EMPTY, world) == MPI_UNEQUAL);
  OK(MPI_Group_free(&world));
  CHECK(world == MPI_GROUP_NULL);
  OK(MPI_Group_free(&self));
  OK(MPI_Group_free(&high));
  OK(MPI_Group_free(&reversed));
  if (half != 0) OK(MPI_Group_free(&low));
  free(ranks);
  free(translated);
}

static void names(void) {
  char name[MPI_MAX_OBJECT_NAME];
  char longest[2 * MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Comm dup;
  OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
  CHECK(strcmp(name, "MPI_COMM_WORLD") == 0 && length == 14);
  OK(MPI_Comm_get_name(MPI_COMM_SELF, name, &length));
  CHECK(strcmp(name, "MPI_COMM_SELF") == 0);
  OK(MPI_Comm_get_name(MPI_COMM_NULL, name, &length));
  CHECK(strcmp(name, "MPI_COMM_NULL") == 0);
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
  OK(MPI_Comm_get_name(dup, name, &length));
  CHECK(length == 0 && name[0] == '\0');
  memset(longest, 'x', sizeof longest);
  longest[sizeof longest - 1] = '\0';
  OK(MPI_Comm_set_name(dup, longest));
  OK(MPI_Comm_get_name(dup, name, &length));
  CHECK(length == MPI_MAX_OBJECT_NAME - 1 && (int)strlen(name) == length);
  OK(MPI_Comm_set_name(dup, ""));
  OK(MPI_Comm_get_name(dup, name, &length));
  CHECK(length == 0);
  OK(MPI_Comm_free(&dup));
}

/* The same tags on many communicators at once: no message leaves its own. */
static void isolation(void) {
  enum { kComms = 12 };
  MPI_Comm comms[kComms];
  MPI_Request requests[2 * kComms];
  int in[kComms], out[kComms];
  for (int i = 0; i < kComms; ++i)
    OK(i % 3 == 0
           ? MPI_Comm_dup(MPI_COMM_WORLD, &comms[i])
           : MPI_Comm_split(i % 3 == 1 ? MPI_COMM_WORLD : comms[i - 1], 0, check_rank, &comms[i]));
  for (int i = 0; i < kComms; ++i) {
    out[i] = check_rank * 100 + i;
    OK(MPI_Isend(&out[i], 1, MPI_INT, right, 1, comms[i], &requests[i]));
  }
  for (int i = kComms - 1; i >= 0; --i)
    OK(MPI_Irecv(&in[i], 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : left, i % 2 ? 1 : MPI_ANY_TAG,
                 comms[i], &requests[kComms + i]));
  /* freed while their operations are pending */
  for (int i = 0; i < kComms; i += 2) OK(MPI_Comm_free(&comms[i]));
  OK(MPI_Waitall(2 * kComms, requests, MPI_STATUSES_IGNORE));
  for (int i = 0; i < kComms; ++i) CHECK(in[i] == left * 100 + i);
  for (int i = 1; i < kComms; i += 2) OK(MPI_Comm_free(&comms[i]));
  /* a message that nobody has received yet does not reach the next communicator */
  MPI_Comm first, second;
  int stray = 1, flag = 1;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &first));
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &second));
  OK(MPI_Send(&stray, 1, MPI_INT, right, 1, first));
  OK(MPI_Barrier(second));
  OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, second, &flag, MPI_STATUS_IGNORE));
  CHECK(!flag);
  OK(MPI_Recv(&stray, 1, MPI_INT, left, 1, first, MPI_STATUS_IGNORE));
  OK(MPI_Comm_free(&first));
  OK(MPI_Comm_free(&second));
}

/* Attribute callbacks write down what they were called with. */
static char journal[200];
static void note(char what, int value) {
  const size_t used = strlen(journal);
  snprintf(journal + used, sizeof journal - used, "%c%d ", what, value);
}
static int keys[3];
static int key_index(int keyval) {
  return keyval == keys[0] ? 0 : keyval == keys[1] ? 1 : 2;
}
static int refuse = -1; /* the key whose callbacks fail */

static int copy(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag) {
  (void)comm;
  CHECK(extra == &journal);
  note('c', key_index(keyval));
  if (refuse == key_index(keyval)) return MPI_ERR_OTHER;
  *(void**)out = (char*)in + 1;
  *flag = key_index(keyval) != 1; /* key 1 is not passed on */
  return MPI_SUCCESS;
}
static int forget(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm;
  (void)value;
  CHECK(extra == &journal);
  note('d', key_index(keyval));
  return refuse == key_index(keyval) ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void attributes(void) {
  MPI_Comm dup = MPI_COMM_NULL, again;
  char* value = NULL;
  char anchor[10];
  int flag = -1;
  for (int i = 0; i < 3; ++i) OK(MPI_Comm_create_keyval(copy, forget, &keys[i], &journal));
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
  OK(MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN));
  for (int i = 0; i < 3; ++i) OK(MPI_Comm_set_attr(dup, keys[i], anchor + i));
  CHECK(journal[0] == '\0');
  OK(MPI_Comm_dup(dup, &again));
  CHECK(strcmp(journal, "c0 c1 c2 ") == 0);
  for (int i = 0; i < 3; ++i) {
    OK(MPI_Comm_get_attr(again, keys[i], &value, &flag));
    CHECK(flag == (i != 1) && (!flag || value == anchor + i + 1));
  }
  journal[0] = '\0';
  OK(MPI_Comm_free(&again));
  CHECK(strcmp(journal, "d2 d0 ") == 0);
  /* setting again deletes the old value; deleting deletes; a second delete does nothing */
  journal[0] = '\0';
  OK(MPI_Comm_set_attr(dup, keys[1], anchor + 5));
  OK(MPI_Comm_delete_attr(dup, keys[1]));
  CHECK(strcmp(journal, "d1 d1 ") == 0);
  OK(MPI_Comm_get_attr(dup, keys[1], &value, &flag));
  CHECK(!flag);
  /* errors of callbacks */
  refuse = 0;
  CHECK(MPI_Comm_dup(dup, &again) != MPI_SUCCESS);
  CHECK(MPI_Comm_delete_attr(dup, keys[0]) != MPI_SUCCESS);
  OK(MPI_Comm_get_attr(dup, keys[0], &value, &flag));
  CHECK(flag && value == anchor);
  CHECK(MPI_Comm_free(&dup) != MPI_SUCCESS);
  CHECK(dup != MPI_COMM_NULL);
  refuse = -1;
  /* a freed key still serves the attributes that have it */
  const int freed = keys[0];
  OK(MPI_Comm_free_keyval(&keys[0]));
  CHECK(keys[0] == MPI_KEYVAL_INVALID);
  keys[0] = freed;
  FAILS(MPI_ERR_KEYVAL, MPI_Comm_get_attr(dup, freed, &value, &flag));
  FAILS(MPI_ERR_KEYVAL, MPI_Comm_set_attr(dup, MPI_KEYVAL_INVALID, NULL));
  FAILS(MPI_ERR_KEYVAL, MPI_Comm_set_attr(dup, MPI_TAG_UB, NULL));
  journal[0] = '\0';
  if (dup != MPI_COMM_NULL) OK(MPI_Comm_free(&dup));
  CHECK(strstr(journal, "d0 ") != NULL);
  OK(MPI_Comm_free_keyval(&keys[1]));
  OK(MPI_Comm_free_keyval(&keys[2]));
  /* the predefined functions */
  int null_key, dup_key;
  OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &null_key, NULL));
  OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &dup_key, NULL));
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
  OK(MPI_Comm_set_attr(dup, null_key, anchor));
  OK(MPI_Comm_set_attr(dup, dup_key, anchor));
  OK(MPI_Comm_dup(dup, &again));
  OK(MPI_Comm_get_attr(again, null_key, &value, &flag));
  CHECK(!flag);
  OK(MPI_Comm_get_attr(again, dup_key, &value, &flag));
  CHECK(flag && value == anchor);
  OK(MPI_Comm_free(&again));
  OK(MPI_Comm_free(&dup));
  OK(MPI_Comm_free_keyval(&null_key));
  OK(MPI_Comm_free_keyval(&dup_key));
}

static void predefined_attributes(void) {
  int* value = NULL;
  int flag = 0;
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
  CHECK(flag && *value >= 32767);
  MPI_Comm dup;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
  int* on_dup = NULL;
  OK(MPI_Comm_get_attr(dup, MPI_TAG_UB, &on_dup, &flag));
  CHECK(flag && *on_dup == *value);
  OK(MPI_Send(NULL, 0, MPI_INT, right, *value, dup));
  OK(MPI_Recv(NULL, 0, MPI_INT, left, *value, dup, MPI_STATUS_IGNORE));
  OK(MPI_Comm_free(&dup));
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag));
  CHECK(flag && *value == (check_local_size() == check_size));
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag));
  CHECK(flag);
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag));
  CHECK(!flag || *value >= check_size);
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag));
  CHECK(!flag || *value == 0);
}

static MPI_Comm handled_comm;
static int handled_code, handled_calls;
static void handler(MPI_Comm* comm, int* code, ...) {
  handled_comm = *comm;
  handled_code = *code;
  ++handled_calls;
}

static void error_handlers(void) {
  MPI_Errhandler mine, got;
  MPI_Comm dup, child, split;
  OK(MPI_Comm_create_errhandler(handler, &mine));
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
  OK(MPI_Comm_get_errhandler(dup, &got));
  CHECK(got == MPI_ERRORS_ARE_FATAL);
  OK(MPI_Errhandler_free(&got));
  CHECK(got == MPI_ERRHANDLER_NULL);
  OK(MPI_Comm_set_errhandler(dup, mine));
  OK(MPI_Comm_get_errhandler(dup, &got));
  CHECK(got == mine);
  OK(MPI_Errhandler_free(&got));
  /* it lives on in the communicator and its children */
  OK(MPI_Errhandler_free(&mine));
  CHECK(mine == MPI_ERRHANDLER_NULL);
  OK(MPI_Comm_dup(dup, &child));
  OK(MPI_Comm_split(dup, 0, 0, &split));
  const MPI_Comm all[] = {dup, child, split};
  for (int i = 0; i < 3; ++i) {
    handled_calls = 0;
    FAILS(MPI_ERR_RANK, MPI_Send(NULL, 0, MPI_INT, check_size, 0, all[i]));
    CHECK(handled_calls == 1 && handled_comm == all[i]);
    CHECK(check_class_of(handled_code) == MPI_ERR_RANK);
    OK(MPI_Comm_call_errhandler(all[i], MPI_ERR_OTHER));
    CHECK(handled_calls == 2 && handled_code == MPI_ERR_OTHER);
  }
  OK(MPI_Comm_free(&dup));
  handled_calls = 0;
  FAILS(MPI_ERR_TAG, MPI_Send(NULL, 0, MPI_INT, 0, -5, child));
  CHECK(handled_calls == 1);
  OK(MPI_Comm_set_errhandler(child, MPI_ERRORS_RETURN));
  FAILS(MPI_ERR_TAG, MPI_Send(NULL, 0, MPI_INT, 0, -5, child));
  CHECK(handled_calls == 1);
  OK(MPI_Comm_free(&child));
  OK(MPI_Comm_free(&split));
}

static void thousands(void) {
  const int times = check_size > 8 ? 200 : check_size > 2 ? 2000 : 10000;
  for (int i = 0; i < times; ++i) {
    MPI_Comm made;
    int in = -1;
    OK(i % 2 ? MPI_Comm_dup(MPI_COMM_WORLD, &made)
             : MPI_Comm_split(MPI_COMM_WORLD, 0, check_rank, &made));
    if (i % 100 == 0) {
      OK(MPI_Sendrecv(&i, 1, MPI_INT, right, 0, &in, 1, MPI_INT, left, 0, made, MPI_STATUS_IGNORE));
      CHECK(in == i);
    }
    OK(MPI_Comm_free(&made));
  }
}

/* The attributes of MPI_COMM_SELF go first in MPI_Finalize, in reverse order, and may still use
 * MPI. The exit status tells what came of it. */
static int last_words(MPI_Comm comm, int keyval, void* value, void* extra) {
  int sum = 0, flag = 1, one = 1;
  static int called;
  (void)keyval;
  (void)extra;
  MPI_Finalized(&flag);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (flag || sum != check_size || comm != MPI_COMM_SELF || *(int*)value != 1 - called++) {
    fprintf(stderr, "comm: delete callback of MPI_COMM_SELF: wrong\n");
    exit(1);
  }
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  static int numbers[2] = {0, 1};
  check_start(&argc, &argv);
  right = (check_rank + 1) % check_size;
  left = (check_rank + check_size - 1) % check_size;
  construction();
  groups();
  names();
  isolation();
  attributes();
  predefined_attributes();
  error_handlers();
  thousands();
  for (int i = 0; i < 2; ++i) {
    int key;
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last_words, &key, NULL));
    OK(MPI_Comm_set_attr(MPI_COMM_SELF, key, &numbers[i]));
    OK(MPI_Comm_free_keyval(&key));
  }
  return check_end("comm");
}
