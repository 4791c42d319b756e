/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * The other ways to a communicator: by the members of a group alone, from groups without a parent,
 * without blocking, with info, by hardware; hundreds of thousands of them; by threads at once
 * ("threads" as the argument). */
#include <pthread.h>

#include "check.h"

static MPI_Group world_group;

/* The group of ranks first, first + stride, ... of MPI_COMM_WORLD. */
static MPI_Group group_of(int first, int stride, int count) {
  MPI_Group group;
  int* ranks = malloc(sizeof(int) * (size_t)(count + 1));
  for (int i = 0; i < count; ++i) ranks[i] = first + i * stride;
  OK(MPI_Group_incl(world_group, count, ranks, &group));
  free(ranks);
  return group;
}

static void free_group(MPI_Group* group) {
  if (*group != MPI_GROUP_EMPTY) OK(MPI_Group_free(group));
}

/* The members are those of the group, and a message stays among them. */
static void check_members(MPI_Comm comm, MPI_Group group) {
  MPI_Group mine;
  int result = -1, sum = -1, rank = -1, size = -1, flag = 1;
  OK(MPI_Comm_group(comm, &mine));
  OK(MPI_Group_compare(mine, group, &result));
  CHECK(result == MPI_IDENT);
  OK(MPI_Group_free(&mine));
  OK(MPI_Comm_rank(comm, &rank));
  OK(MPI_Comm_size(comm, &size));
  OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
  CHECK(sum == size * (size - 1) / 2);
  OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE));
  CHECK(!flag);
}

static void by_groups(void) {
  MPI_Comm comm, nested, comms[4];
  /* evens and odds at once, with one tag */
  MPI_Group mine = group_of(check_rank % 2, 2, (check_size + 1 - check_rank % 2) / 2);
  OK(MPI_Comm_create_group(MPI_COMM_WORLD, mine, 5, &comm));
  check_members(comm, mine);
  OK(MPI_Comm_create_group(comm, mine, 5, &nested) == MPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_OTHER);
  check_members(nested, mine);
  OK(MPI_Comm_free(&nested));
  OK(MPI_Comm_free(&comm));
  free_group(&mine);
  /* only the members call; chains of overlapping pairs */
  for (int i = 0; i + 1 < check_size; ++i) {
    if (check_rank != i && check_rank != i + 1) continue;
    mine = group_of(i + 1, -1, 2);
    OK(MPI_Comm_create_group(MPI_COMM_WORLD, mine, i % 2, &comm));
    check_members(comm, mine);
    OK(MPI_Comm_free(&comm));
    free_group(&mine);
  }
  /* who is not in it gets none, at once */
  mine = group_of(0, 1, 1);
  OK(MPI_Comm_create_group(MPI_COMM_WORLD, mine, 0, &comm));
  CHECK((comm != MPI_COMM_NULL) == (check_rank == 0));
  if (comm != MPI_COMM_NULL) OK(MPI_Comm_free(&comm));
  OK(MPI_Comm_create_group(MPI_COMM_WORLD, MPI_GROUP_EMPTY, 0, &comm));
  CHECK(comm == MPI_COMM_NULL);
  free_group(&mine);
  /* several are alive, and none takes another's messages */
  mine = group_of(0, 1, check_size);
  for (int i = 0; i < 4; ++i)
    OK(MPI_Comm_create_group(i == 0 ? MPI_COMM_WORLD : comms[i - 1], mine, 9, &comms[i]));
  for (int i = 0; i < 4; ++i)
    OK(MPI_Send(&i, 1, MPI_INT, (check_rank + 1) % check_size, 0, comms[i]));
  for (int i = 3; i >= 0; --i) {
    int in = -1;
    OK(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[i], MPI_STATUS_IGNORE));
    CHECK(in == i);
    OK(MPI_Comm_free(&comms[i]));
  }
  FAILS(MPI_ERR_TAG, MPI_Comm_create_group(MPI_COMM_WORLD, mine, -1, &comm));
  FAILS(MPI_ERR_GROUP, MPI_Comm_create_group(MPI_COMM_WORLD, MPI_GROUP_NULL, 0, &comm));
  FAILS(MPI_ERR_ARG, MPI_Comm_create_group(MPI_COMM_WORLD, mine, 0, NULL));
  if (check_size > 1)
    EXPECT(MPI_ERR_GROUP, "not in", MPI_Comm_create_group(MPI_COMM_SELF, mine, 0, &comm));
  free_group(&mine);
}

static void from_groups(void) {
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Info info;
  char text[MPI_MAX_STRINGTAG_LEN + 2], value[8];
  int flag = 0, length = sizeof value;
  MPI_Group mine = group_of(check_rank % 2, 2, (check_size + 1 - check_rank % 2) / 2);
  MPI_Group all = group_of(check_size - 1, -1, check_size);
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
  for (int i = 0; i < 3; ++i) {
    OK(MPI_Comm_create_from_group(mine, "a tag", info, MPI_ERRORS_RETURN, &comm));
    check_members(comm, mine);
    OK(MPI_Comm_get_errhandler(comm, &handler));
    CHECK(handler == MPI_ERRORS_RETURN);
    OK(MPI_Errhandler_free(&handler));
    MPI_Info used;
    OK(MPI_Comm_get_info(comm, &used));
    OK(MPI_Info_get_string(used, "mpi_assert_no_any_tag", &length, value, &flag));
    CHECK(flag && strcmp(value, "true") == 0);
    OK(MPI_Info_free(&used));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_create_from_group(all, i == 0 ? "" : "a tag", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                                  &comm));
    check_members(comm, all);
    OK(MPI_Comm_free(&comm));
  }
  OK(MPI_Info_free(&info));
  OK(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
  CHECK(comm == MPI_COMM_NULL);
  memset(text, 'x', sizeof text);
  text[MPI_MAX_STRINGTAG_LEN + 1] = '\0';
  EXPECT(MPI_ERR_ARG, "stringtag",
         MPI_Comm_create_from_group(all, text, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
  text[MPI_MAX_STRINGTAG_LEN - 1] = '\0';
  OK(MPI_Comm_create_from_group(all, text, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
  OK(MPI_Comm_free(&comm));
  FAILS(MPI_ERR_ERRHANDLER,
        MPI_Comm_create_from_group(all, "x", MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &comm));
  if (check_size > 1) {
    MPI_Group others = group_of((check_rank + 1) % check_size, 1, 1);
    EXPECT(MPI_ERR_GROUP, "not in the group",
           MPI_Comm_create_from_group(others, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Group_free(&others));
    /* inter-communicators: the leaders are the last of each group */
    const int even = check_rank % 2 == 0, evens = (check_size + 1) / 2, odds = check_size / 2;
    others = group_of(even, 2, even ? odds : evens);
    OK(MPI_Intercomm_create_from_groups(mine, even ? evens - 1 : odds - 1, others,
                                        even ? odds - 1 : evens - 1, "bridge", MPI_INFO_NULL,
                                        MPI_ERRORS_RETURN, &comm));
    int size = -1, sum = -1;
    OK(MPI_Comm_remote_size(comm, &size));
    CHECK(size == (even ? odds : evens));
    OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == (even ? odds * odds : evens * (evens - 1)));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Group_free(&others));
  }
  if (check_size == 1) {
    EXPECT(MPI_ERR_COMM, "both groups",
           MPI_Intercomm_create_from_groups(mine, 0, all, 0, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                            &comm));
    EXPECT(MPI_ERR_RANK, "local_leader is 4",
           MPI_Intercomm_create_from_groups(mine, 4, all, 0, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                            &comm));
  }
  free_group(&mine);
  free_group(&all);
}

/* Many under way at once, of two communicators, together with blocking ones. */
static void without_blocking(void) {
  enum { kMany = 30 };
  MPI_Comm parents[2], comms[kMany], blocking[kMany];
  MPI_Request requests[kMany];
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &parents[0]));
  OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -check_rank, &parents[1]));
  for (int i = 0; i < kMany; ++i) {
    OK(MPI_Comm_idup(parents[i % 2], &comms[i], &requests[i]));
    OK(i % 3 == 0 ? MPI_Comm_dup(parents[1 - i % 2], &blocking[i])
                  : MPI_Comm_split(MPI_COMM_WORLD, i % 3, 0, &blocking[i]));
  }
  for (int i = 0; i < kMany; ++i) {
    const int which = check_rank % 2 ? i : kMany - 1 - i;
    OK(MPI_Wait(&requests[which], MPI_STATUS_IGNORE));
  }
  for (int i = 0; i < kMany; ++i) {
    const int out[2] = {i, i + kMany};
    OK(MPI_Send(&out[0], 1, MPI_INT, (check_rank + 1) % check_size, 0, comms[i]));
    OK(MPI_Send(&out[1], 1, MPI_INT, (check_rank + 1) % check_size, 0, blocking[i]));
  }
  for (int i = kMany - 1; i >= 0; --i) {
    int in[2] = {-1, -1}, result = -1;
    OK(MPI_Recv(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[i], MPI_STATUS_IGNORE));
    OK(MPI_Recv(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, blocking[i], MPI_STATUS_IGNORE));
    CHECK(in[0] == i && in[1] == i + kMany);
    OK(MPI_Comm_compare(comms[i], parents[i % 2], &result));
    CHECK(result == MPI_CONGRUENT);
    OK(MPI_Comm_free(&comms[i]));
    OK(MPI_Comm_free(&blocking[i]));
  }
  OK(MPI_Comm_free(&parents[0]));
  OK(MPI_Comm_free(&parents[1]));
}

/* Callbacks that fail: the error comes back, the others are not held up. */
static int refuse_copy(MPI_Comm comm, int keyval, void* extra, void* value, void* result,
                       int* flag) {
  (void)comm, (void)keyval, (void)value, (void)result, (void)flag;
  return *(int*)extra ? MPI_ERR_OTHER : MPI_SUCCESS;
}
/* Changes the attributes of the communicator that is being duplicated. */
static int other_key;
static int meddle(MPI_Comm comm, int keyval, void* extra, void* value, void* result, int* flag) {
  (void)keyval, (void)extra;
  OK(MPI_Comm_delete_attr(comm, other_key));
  OK(MPI_Comm_set_attr(comm, other_key, value));
  *(void**)result = value;
  *flag = 1;
  return MPI_SUCCESS;
}

static void callbacks(void) {
  MPI_Comm parent, made;
  MPI_Request request = MPI_REQUEST_NULL;
  int refuse = check_rank == 0, key;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &parent));
  OK(MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN));
  OK(MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &key, &refuse));
  OK(MPI_Comm_set_attr(parent, key, NULL));
  made = MPI_COMM_WORLD;
  const int code = MPI_Comm_idup(parent, &made, &request);
  CHECK(check_class_of(code) == (refuse ? MPI_ERR_OTHER : MPI_SUCCESS));
  CHECK((made == MPI_COMM_NULL) == refuse && (request == MPI_REQUEST_NULL) == refuse);
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  if (!refuse) OK(MPI_Comm_free(&made));
  CHECK(check_class_of(MPI_Comm_dup(parent, &made)) == (refuse ? MPI_ERR_OTHER : MPI_SUCCESS));
  if (made != MPI_COMM_NULL) OK(MPI_Comm_free(&made));
  OK(MPI_Comm_delete_attr(parent, key));
  OK(MPI_Comm_free_keyval(&key));
  int value = 3, flag = 0;
  void* got = NULL;
  OK(MPI_Comm_create_keyval(meddle, MPI_COMM_NULL_DELETE_FN, &key, NULL));
  OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &other_key, NULL));
  OK(MPI_Comm_set_attr(parent, key, &value));
  OK(MPI_Comm_set_attr(parent, other_key, &value));
  OK(MPI_Comm_dup(parent, &made));
  OK(MPI_Comm_get_attr(made, key, &got, &flag));
  CHECK(flag && got == &value);
  OK(MPI_Comm_free(&made));
  OK(MPI_Comm_free_keyval(&other_key));
  /* a key that was freed serves the attributes that have it, and no new ones */
  int saved = key, again = key;
  OK(MPI_Comm_delete_attr(parent, key));
  OK(MPI_Comm_set_attr(parent, key, &value));
  OK(MPI_Comm_free_keyval(&key));
  CHECK(key == MPI_KEYVAL_INVALID);
  OK(MPI_Comm_free_keyval(&again));
  FAILS(MPI_ERR_KEYVAL, MPI_Comm_get_attr(parent, saved, &got, &flag));
  FAILS(MPI_ERR_KEYVAL, MPI_Comm_set_attr(parent, saved, &value));
  OK(MPI_Comm_delete_attr(parent, saved));
  FAILS(MPI_ERR_KEYVAL, MPI_Comm_delete_attr(parent, saved));
  again = saved;
  FAILS(MPI_ERR_KEYVAL, MPI_Comm_free_keyval(&again));
  OK(MPI_Comm_free(&parent));
}

static int is_true(MPI_Comm comm, const char* key) {
  MPI_Info info;
  char value[8] = "";
  int flag = 0, length = sizeof value;
  OK(MPI_Comm_get_info(comm, &info));
  OK(MPI_Info_get_string(info, key, &length, value, &flag));
  CHECK(flag && (strcmp(value, "true") == 0 || strcmp(value, "false") == 0));
  OK(MPI_Info_free(&info));
  return strcmp(value, "true") == 0;
}

static void hints(void) {
  static const char* keys[] = {"mpi_assert_no_any_tag", "mpi_assert_no_any_source",
                               "mpi_assert_exact_length", "mpi_assert_allow_overtaking"};
  MPI_Comm dup, again;
  MPI_Request request;
  MPI_Info info;
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "unknown_to_all", "whatever"));
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
  for (int i = 0; i < 4; ++i) {
    CHECK(!is_true(dup, keys[i]));
    OK(MPI_Info_set(info, keys[i], "true"));
    OK(MPI_Comm_set_info(dup, info));
    for (int k = 0; k < 4; ++k) CHECK(is_true(dup, keys[k]) == (k <= i));
  }
  OK(MPI_Comm_dup(dup, &again)); /* hints are not inherited */
  CHECK(!is_true(again, keys[0]));
  OK(MPI_Comm_free(&again));
  OK(MPI_Info_set(info, keys[3], "false"));
  OK(MPI_Comm_dup_with_info(dup, info, &again));
  CHECK(is_true(again, keys[0]) && !is_true(again, keys[3]));
  OK(MPI_Comm_free(&again));
  OK(MPI_Comm_idup_with_info(dup, info, &again, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(is_true(again, keys[2]) && !is_true(again, keys[3]));
  OK(MPI_Comm_free(&again));
  OK(MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN));
  OK(MPI_Info_set(info, keys[1], "perhaps"));
  EXPECT(MPI_ERR_INFO_VALUE, "perhaps", MPI_Comm_set_info(dup, info));
  FAILS(MPI_ERR_INFO, MPI_Comm_set_info(dup, MPI_INFO_NULL));
  FAILS(MPI_ERR_ARG, MPI_Comm_get_info(dup, NULL));
  OK(MPI_Info_free(&info));
  OK(MPI_Comm_free(&dup));
}

static void by_hardware(void) {
  MPI_Comm part;
  MPI_Info info, resources;
  int result = -1, keys = 0, flag = 0, size = -1;
  char key[MPI_MAX_INFO_KEY], value[8];
  OK(MPI_Info_create(&info));
  OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, MPI_INFO_NULL, &part));
  CHECK(part == MPI_COMM_NULL);
  OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &part));
  CHECK(part == MPI_COMM_NULL);
  OK(MPI_Info_set(info, "mpi_hw_resource_type", "hwloc://Teapot"));
  OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &part));
  CHECK(part == MPI_COMM_NULL);
  OK(MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory"));
  for (int i = 0; i < 2; ++i) {
    OK(MPI_Comm_split_type(MPI_COMM_WORLD,
                           i ? MPI_COMM_TYPE_HW_GUIDED : MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info,
                           &part));
    OK(MPI_Comm_compare(part, MPI_COMM_WORLD, &result));
    OK(MPI_Comm_size(part, &size));
    CHECK(size == check_local_size() && (result == MPI_CONGRUENT) == (size == check_size));
    OK(MPI_Comm_free(&part));
  }
  /* what this process is restricted to, it shares with the others that are */
  OK(MPI_Get_hw_resource_info(&resources));
  OK(MPI_Info_get_nkeys(resources, &keys));
  CHECK(keys >= 2);
  for (int i = 0; i < keys; ++i) {
    int length = sizeof value;
    OK(MPI_Info_get_nthkey(resources, i, key));
    OK(MPI_Info_get_string(resources, key, &length, value, &flag));
    OK(MPI_Info_set(info, "mpi_hw_resource_type", key));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &part));
    CHECK((part != MPI_COMM_NULL) == (strcmp(value, "true") == 0));
    if (part != MPI_COMM_NULL) OK(MPI_Comm_free(&part));
  }
  OK(MPI_Info_free(&resources));
  OK(MPI_Info_delete(info, "mpi_hw_resource_type"));
  OK(MPI_Info_set(info, "mpi_pset_name", "mpi://SELF"));
  OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &part));
  OK(MPI_Comm_size(part, &size));
  CHECK(size == 1);
  OK(MPI_Comm_free(&part));
  OK(MPI_Info_free(&info));
  OK(MPI_Info_create(&info));
  /* some want no part of it, and cannot know what the others ask for */
  OK(MPI_Comm_split_type(MPI_COMM_WORLD,
                         check_rank == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_HW_UNGUIDED, 0,
                         MPI_INFO_NULL, &part));
  CHECK(check_rank != 0 || part == MPI_COMM_NULL);
  if (part != MPI_COMM_NULL) {
    OK(MPI_Comm_size(part, &size));
    CHECK(size < check_size - 1);
    OK(MPI_Comm_free(&part));
  }
  /* ever smaller, to an end */
  MPI_Comm now = MPI_COMM_WORLD, next;
  int before = check_size;
  while (1) {
    OK(MPI_Comm_split_type(now, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &next));
    if (now != MPI_COMM_WORLD) OK(MPI_Comm_free(&now));
    if (next == MPI_COMM_NULL) break;
    OK(MPI_Comm_size(next, &size));
    CHECK(size < before);
    OK(MPI_Info_get_nkeys(info, &keys));
    CHECK(keys == 1);
    before = size;
    now = next;
  }
  EXPECT(MPI_ERR_ARG, "split_type is -5", MPI_Comm_split_type(MPI_COMM_WORLD, -5, 0, info, &next));
  OK(MPI_Info_free(&info));
}

/* Contexts do not run out. */
static void endless(int rounds) {
  MPI_Comm comm, last = MPI_COMM_NULL;
  for (int i = 0; i < rounds; ++i) {
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    if (i % 1000 == 0) {
      if (last != MPI_COMM_NULL) OK(MPI_Comm_free(&last));
      last = comm;
    } else {
      OK(MPI_Comm_free(&comm));
    }
  }
  if (last != MPI_COMM_NULL) OK(MPI_Comm_free(&last));
}

enum { kThreads = 4, kRounds = 40 };
static MPI_Comm parents[kThreads];

static void exchange(MPI_Comm comm, int what) {
  int rank = -1, size = -1, in = -1;
  OK(MPI_Comm_rank(comm, &rank));
  OK(MPI_Comm_size(comm, &size));
  OK(MPI_Sendrecv(&what, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm,
                  MPI_STATUS_IGNORE));
  CHECK(in == what);
}

static void* thread_main(void* argument) {
  const int me = (int)(size_t)argument;
  MPI_Comm held[kRounds], made;
  MPI_Request request;
  MPI_Group mine = group_of(check_rank % 2, 2, (check_size + 1 - check_rank % 2) / 2);
  char tag[20];
  snprintf(tag, sizeof tag, "thread %d", me);
  for (int i = 0; i < kRounds; ++i) {
    const int what = me * 1000 + i;
    switch ((i + me) % 5) {
      case 0:
        OK(MPI_Comm_dup(parents[me], &held[i]));
        break;
      case 1:
        OK(MPI_Comm_idup(parents[me], &held[i], &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        break;
      case 2:
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, mine, me, &held[i]));
        break;
      case 3:
        OK(MPI_Comm_create_from_group(mine, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &held[i]));
        break;
      default:
        OK(MPI_Comm_split(parents[me], check_rank % 2, 0, &held[i]));
    }
    exchange(held[i], what);
    OK(MPI_Comm_dup(held[i], &made));
    exchange(made, what + 500);
    OK(MPI_Comm_free(&made));
  }
  for (int i = 0; i < kRounds; ++i) {
    exchange(held[i], i);
    OK(MPI_Comm_free(&held[i]));
  }
  OK(MPI_Group_free(&mine));
  return NULL;
}

static void with_threads(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) OK(MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]));
  for (int i = 0; i < kThreads; ++i)
    pthread_create(&threads[i], NULL, thread_main, (void*)(size_t)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < kThreads; ++i) OK(MPI_Comm_free(&parents[i]));
}

int main(int argc, char** argv) {
  const int threads = argc > 1 && strcmp(argv[1], "threads") == 0;
  int provided = -1;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
  OK(MPI_Comm_size(MPI_COMM_WORLD, &check_size));
  OK(MPI_Comm_group(MPI_COMM_WORLD, &world_group));
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  if (threads) {
    with_threads();
  } else {
    by_groups();
    from_groups();
    without_blocking();
    callbacks();
    hints();
    by_hardware();
    endless(check_size == 2 ? 200000 : 2000);
  }
  OK(MPI_Group_free(&world_group));
  return check_end("new_comms");
}
