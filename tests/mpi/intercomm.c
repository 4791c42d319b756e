/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Inter-communicators: making, asking, messages, duplicating, splitting, merging, what is refused.
 * The even ranks of MPI_COMM_WORLD are one group, the odd ones the other. */
#include "check.h"

static MPI_Comm half, inter;
static int local_size, remote_size, local_rank, is_odd;

static int world_of(int remote_rank) {
  return 2 * remote_rank + !is_odd;
}

static int compare(MPI_Comm a, MPI_Comm b) {
  int result = -1;
  OK(MPI_Comm_compare(a, b, &result));
  return result;
}

static void make(void) {
  is_odd = check_rank % 2;
  OK(MPI_Comm_split(MPI_COMM_WORLD, is_odd, check_rank, &half));
  OK(MPI_Comm_rank(half, &local_rank));
  OK(MPI_Comm_size(half, &local_size));
  remote_size = check_size - local_size;
  /* the leaders are the last rank of one group and the first of the other */
  const int even_leader = 2 * ((check_size + 1) / 2 - 1);
  OK(MPI_Intercomm_create(half, is_odd ? 0 : local_size - 1, MPI_COMM_WORLD,
                          is_odd ? even_leader : 1, 7, &inter));
}

static void queries(void) {
  int value = -1;
  MPI_Group remote, local, mine;
  OK(MPI_Comm_test_inter(inter, &value));
  CHECK(value == 1);
  OK(MPI_Comm_size(inter, &value));
  CHECK(value == local_size);
  OK(MPI_Comm_rank(inter, &value));
  CHECK(value == local_rank);
  OK(MPI_Comm_remote_size(inter, &value));
  CHECK(value == remote_size);
  OK(MPI_Comm_remote_group(inter, &remote));
  OK(MPI_Comm_group(inter, &local));
  OK(MPI_Comm_group(half, &mine));
  OK(MPI_Group_compare(local, mine, &value));
  CHECK(value == MPI_IDENT);
  OK(MPI_Group_free(&mine));
  OK(MPI_Group_size(remote, &value));
  CHECK(value == remote_size);
  OK(MPI_Group_intersection(remote, local, &mine));
  CHECK(mine == MPI_GROUP_EMPTY);
  OK(MPI_Group_free(&remote));
  OK(MPI_Group_free(&local));
  CHECK(compare(inter, inter) == MPI_IDENT);
  CHECK(compare(inter, half) == MPI_UNEQUAL);
  CHECK(compare(inter, MPI_COMM_WORLD) == MPI_UNEQUAL);
}

static void messages(MPI_Comm comm) {
  MPI_Status status;
  MPI_Request requests[2];
  int in = -1, out = check_rank, flag = 0, count = 0;
  /* each to the one of its number in the other group, as far as there is one */
  const int peer = local_rank < remote_size ? local_rank : MPI_PROC_NULL;
  OK(MPI_Sendrecv(&out, 1, MPI_INT, peer, 1, &in, 1, MPI_INT, peer, 1, comm, &status));
  CHECK(in == (peer == MPI_PROC_NULL ? -1 : world_of(peer)));
  CHECK(status.MPI_SOURCE == peer);
  if (peer != MPI_PROC_NULL) {
    OK(MPI_Isend(&out, 1, MPI_INT, peer, 2, comm, &requests[0]));
    OK(MPI_Probe(MPI_ANY_SOURCE, 2, comm, &status));
    CHECK(status.MPI_SOURCE == peer);
    OK(MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, &requests[1]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK(in == world_of(peer));
    /* long, synchronous and matched */
    enum { kLong = 300000 };
    char* data = malloc(2 * kLong);
    check_fill(data, kLong, (uint64_t)check_rank);
    OK(MPI_Issend(data, kLong, MPI_BYTE, peer, 3, comm, &requests[0]));
    MPI_Message message;
    OK(MPI_Mprobe(peer, 3, comm, &message, &status));
    OK(MPI_Mrecv(data + kLong, kLong, MPI_BYTE, &message, &status));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK(count == kLong && check_filled(data + kLong, kLong, (uint64_t)world_of(peer)));
    free(data);
  }
  OK(MPI_Probe(MPI_PROC_NULL, 1, comm, &status));
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
  OK(MPI_Iprobe(MPI_ANY_SOURCE, 5, comm, &flag, &status));
  CHECK(!flag);
  /* everybody to the other group's rank 0, which takes them as they come */
  OK(MPI_Send(&out, 1, MPI_INT, 0, 4, comm));
  if (local_rank == 0) {
    int seen = 0;
    for (int i = 0; i < remote_size; ++i) {
      OK(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 4, comm, &status));
      CHECK(in == world_of(status.MPI_SOURCE));
      ++seen;
    }
    CHECK(seen == remote_size);
  }
}

static int copies, deletions;
static int copy(MPI_Comm comm, int keyval, void* extra, void* value, void* result, int* flag) {
  (void)comm, (void)keyval, (void)extra;
  *(void**)result = value;
  *flag = 1;
  ++copies;
  return MPI_SUCCESS;
}
static int delete_one(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm, (void)keyval, (void)value, (void)extra;
  ++deletions;
  return MPI_SUCCESS;
}

static void duplicates(void) {
  MPI_Comm dup, again, third;
  MPI_Request request;
  int keyval, flag = 0;
  void* value = NULL;
  OK(MPI_Comm_create_keyval(copy, delete_one, &keyval, NULL));
  OK(MPI_Comm_set_attr(inter, keyval, &copies));
  OK(MPI_Comm_dup(inter, &dup));
  CHECK(compare(dup, inter) == MPI_CONGRUENT && copies == 1);
  OK(MPI_Comm_get_attr(dup, keyval, &value, &flag));
  CHECK(flag && value == &copies);
  OK(MPI_Comm_idup(dup, &again, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(compare(again, inter) == MPI_CONGRUENT && copies == 2);
  OK(MPI_Comm_dup_with_info(again, MPI_INFO_NULL, &third));
  messages(dup);
  messages(again);
  messages(third);
  OK(MPI_Comm_free(&dup));
  OK(MPI_Comm_disconnect(&again));
  CHECK(dup == MPI_COMM_NULL && again == MPI_COMM_NULL);
  OK(MPI_Comm_free(&third));
  CHECK(deletions == 3);
  OK(MPI_Comm_delete_attr(inter, keyval));
  CHECK(deletions == 4);
  OK(MPI_Comm_free_keyval(&keyval));
}

static void merged(void) {
  MPI_Comm all;
  int rank = -1, size = -1;
  for (int even_high = 0; even_high < 2; ++even_high) {
    OK(MPI_Intercomm_merge(inter, is_odd != even_high, &all));
    OK(MPI_Comm_rank(all, &rank));
    OK(MPI_Comm_size(all, &size));
    CHECK(size == check_size);
    CHECK(rank == (is_odd != even_high ? remote_size : 0) + local_rank);
    int sum = -1;
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all));
    CHECK(sum == size * (size - 1) / 2);
    OK(MPI_Comm_free(&all));
  }
  /* the same value on both sides: some order, the same everywhere */
  for (int high = 0; high < 2; ++high) {
    OK(MPI_Intercomm_merge(inter, high ? 5 : 0, &all));
    OK(MPI_Comm_rank(all, &rank));
    int* worlds = malloc(sizeof(int) * (size_t)check_size);
    OK(MPI_Allgather(&check_rank, 1, MPI_INT, worlds, 1, MPI_INT, all));
    CHECK(worlds[rank] == check_rank);
    for (int i = 1; i < check_size; ++i)
      CHECK(worlds[i] == worlds[i - 1] + 2 || worlds[i] == !(worlds[i - 1] % 2));
    free(worlds);
    OK(MPI_Comm_free(&all));
  }
}

static void parts(void) {
  MPI_Comm part, created;
  MPI_Group local, some;
  int size = -1, rank = -1;
  /* by halves of the local ranks, turned round */
  const int color = local_rank % 2;
  OK(MPI_Comm_split(inter, color, -local_rank, &part));
  const int here = (local_size + 1 - color) / 2, there = (remote_size + 1 - color) / 2;
  CHECK((part == MPI_COMM_NULL) == (there == 0));
  if (part != MPI_COMM_NULL) {
    OK(MPI_Comm_size(part, &size));
    CHECK(size == here);
    OK(MPI_Comm_remote_size(part, &size));
    CHECK(size == there);
    OK(MPI_Comm_rank(part, &rank));
    CHECK(rank == here - 1 - local_rank / 2);
    int in = -1;
    OK(MPI_Sendrecv(&check_rank, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, rank == 0 ? 0 : MPI_PROC_NULL,
                    0, part, MPI_STATUS_IGNORE));
    for (int i = 1; rank == 0 && i < there; ++i)
      OK(MPI_Recv(&in, 1, MPI_INT, i, 0, part, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&part));
  }
  OK(MPI_Comm_split(inter, is_odd ? MPI_UNDEFINED : 0, 0, &part));
  CHECK(part == MPI_COMM_NULL);
  /* the first and the last of each group */
  OK(MPI_Comm_group(inter, &local));
  int ranks[2] = {local_size - 1, 0};
  OK(MPI_Group_incl(local, local_size > 1 ? 2 : 1, ranks, &some));
  OK(MPI_Comm_create(inter, some, &created));
  const int in_it = local_rank == 0 || local_rank == local_size - 1;
  CHECK((created != MPI_COMM_NULL) == in_it);
  if (created != MPI_COMM_NULL) {
    OK(MPI_Comm_remote_size(created, &size));
    CHECK(size == (remote_size > 1 ? 2 : 1));
    OK(MPI_Comm_rank(created, &rank));
    CHECK(rank == (local_rank == 0 && local_size > 1));
    OK(MPI_Comm_free(&created));
  }
  OK(MPI_Comm_create(inter, is_odd ? MPI_GROUP_EMPTY : local, &created));
  CHECK(created == MPI_COMM_NULL);
  OK(MPI_Group_free(&some));
  OK(MPI_Group_free(&local));
}

/* Whether a rank of MPI_COMM_WORLD is on this one's host. */
static char (*hosts)[MPI_MAX_PROCESSOR_NAME];
static int is_near(int world_rank) {
  return strcmp(hosts[world_rank], hosts[check_rank]) == 0;
}
static void find_hosts(void) {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length;
  hosts = malloc((size_t)check_size * sizeof *hosts);
  OK(MPI_Get_processor_name(name, &length));
  OK(MPI_Allgather(name, sizeof name, MPI_CHAR, hosts, sizeof name, MPI_CHAR, MPI_COMM_WORLD));
}

/* An inter-communicator of `here` and `there` processes, in which this one has `rank`; of nobody on
 * either side is none. */
static void expect_part(MPI_Comm part, int here, int there, int rank) {
  int value = -1, in = -1;
  CHECK((part != MPI_COMM_NULL) == (here > 0 && there > 0));
  if (part == MPI_COMM_NULL) return;
  OK(MPI_Comm_test_inter(part, &value));
  CHECK(value == 1);
  OK(MPI_Comm_size(part, &value));
  CHECK(value == here);
  OK(MPI_Comm_remote_size(part, &value));
  CHECK(value == there);
  OK(MPI_Comm_rank(part, &value));
  CHECK(value == rank);
  const int sum = check_rank + 1;
  OK(MPI_Allreduce(&sum, &in, 1, MPI_INT, MPI_MIN, part));
  CHECK((in - 1) % 2 == !is_odd);
  OK(MPI_Comm_free(&part));
}

/* By what processes share (MPI-5.0, section 7.4.2): of each instance the processes of both groups,
 * in the order of their keys. */
static void by_type(void) {
  MPI_Comm part;
  MPI_Info shared, pset;
  find_hosts();
  OK(MPI_Info_create(&shared));
  OK(MPI_Info_set(shared, "mpi_hw_resource_type", "mpi_shared_memory"));
  const struct {
    int type;
    MPI_Info info;
  } ways[] = {{MPI_COMM_TYPE_SHARED, MPI_INFO_NULL},
              {MPI_COMM_TYPE_HW_GUIDED, shared},
              {MPI_COMM_TYPE_RESOURCE_GUIDED, shared}};
  for (int way = 0; way < 3; ++way) {
    /* all; then without the first of each group */
    for (int skipped = 0; skipped < 2; ++skipped) {
      int here = 0, there = 0, before = 0;
      for (int i = 2 * skipped; i < check_size; ++i) {
        if (!is_near(i)) continue;
        here += i % 2 == is_odd;
        there += i % 2 != is_odd;
        before += i % 2 == is_odd && i > check_rank;
      }
      const int takes_part = local_rank >= skipped;
      OK(MPI_Comm_split_type(inter, takes_part ? ways[way].type : MPI_UNDEFINED, -local_rank,
                             ways[way].info, &part));
      expect_part(part, takes_part ? here : 0, there, before);
    }
  }
  OK(MPI_Comm_split_type(inter, MPI_COMM_TYPE_HW_GUIDED, 0, MPI_INFO_NULL, &part));
  CHECK(part == MPI_COMM_NULL);
  OK(MPI_Comm_split_type(inter, MPI_UNDEFINED, 0, MPI_INFO_NULL, &part));
  CHECK(part == MPI_COMM_NULL);
  OK(MPI_Info_create(&pset));
  OK(MPI_Info_set(pset, "mpi_pset_name", "mpi://WORLD"));
  OK(MPI_Comm_split_type(inter, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, pset, &part));
  expect_part(part, local_size, remote_size, local_rank);
  OK(MPI_Info_set(pset, "mpi_pset_name", "mpi://SELF"));
  OK(MPI_Comm_split_type(inter, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, pset, &part));
  CHECK(part == MPI_COMM_NULL);
  OK(MPI_Info_free(&pset));
  OK(MPI_Info_free(&shared));
  /* what divides them, if anything does, leaves fewer in each part */
  for (int skipped = 0; skipped < 2; ++skipped) {
    int size = 0, other = 0;
    OK(MPI_Comm_split_type(inter, local_rank < skipped ? MPI_UNDEFINED : MPI_COMM_TYPE_HW_UNGUIDED,
                           0, MPI_INFO_NULL, &part));
    if (part == MPI_COMM_NULL) continue;
    OK(MPI_Comm_size(part, &size));
    OK(MPI_Comm_remote_size(part, &other));
    CHECK(local_rank >= skipped && size + other < check_size - 2 * skipped);
    OK(MPI_Comm_free(&part));
  }
  free(hosts);
}

/* Both groups' leaders meet over an inter-communicator; the groups have one process each. */
static void over_intercomm(void) {
  MPI_Comm pair, none;
  if (local_rank != 0) return;
  OK(MPI_Intercomm_create(MPI_COMM_SELF, 0, inter, 0, 9, &pair));
  int in = -1;
  OK(MPI_Sendrecv(&check_rank, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, pair, MPI_STATUS_IGNORE));
  CHECK(in == !check_rank);
  OK(MPI_Intercomm_merge(pair, is_odd, &none));
  OK(MPI_Comm_free(&none));
  OK(MPI_Comm_free(&pair));
}

/* Two at once between the same leaders; the tags keep them apart. */
static void many(void) {
  MPI_Comm comms[20];
  for (int i = 0; i < 20; ++i)
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !is_odd, i, &comms[i]));
  for (int i = 0; i < 20; ++i) {
    if (local_rank < remote_size) OK(MPI_Send(&i, 1, MPI_INT, local_rank, 0, comms[i]));
  }
  for (int i = 19; i >= 0; --i) {
    int in = -1;
    if (local_rank < remote_size)
      OK(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[i], MPI_STATUS_IGNORE));
    CHECK(local_rank >= remote_size || in == i);
    OK(MPI_Comm_free(&comms[i]));
  }
}

static void refused(void) {
  MPI_Comm out;
  MPI_Group group;
  int value = 0;
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN));
  EXPECT(MPI_ERR_COMM, "intra-communicator", MPI_Comm_remote_size(half, &value));
  FAILS(MPI_ERR_COMM, MPI_Comm_remote_group(MPI_COMM_WORLD, &group));
  FAILS(MPI_ERR_COMM, MPI_Comm_remote_size(MPI_COMM_NULL, &value));
  FAILS(MPI_ERR_ARG, MPI_Comm_remote_size(inter, NULL));
  FAILS(MPI_ERR_COMM, MPI_Intercomm_merge(half, 0, &out));
  FAILS(MPI_ERR_COMM, MPI_Intercomm_create(inter, 0, MPI_COMM_WORLD, 0, 0, &out));
  EXPECT(MPI_ERR_RANK, "local_leader is 77",
         MPI_Intercomm_create(half, 77, MPI_COMM_WORLD, 0, 0, &out));
  EXPECT(MPI_ERR_RANK, "process itself",
         MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, check_rank, 0, &out));
  EXPECT(MPI_ERR_RANK, "remote_leader is -1",
         MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, -1, 0, &out));
  EXPECT(MPI_ERR_TAG, "-5",
         MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, !check_rank, -5, &out));
  /* a leader's mistake reaches its whole group */
  FAILS(MPI_ERR_RANK, MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, check_size, 0, &out));
  EXPECT(MPI_ERR_RANK, "0 to", MPI_Send(&value, 1, MPI_INT, remote_size, 0, inter));
  FAILS(MPI_ERR_GROUP,
        (OK(MPI_Comm_remote_group(inter, &group)), MPI_Comm_create(inter, group, &out)));
  OK(MPI_Group_free(&group));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  make();
  queries();
  messages(inter);
  duplicates();
  merged();
  parts();
  by_type();
  over_intercomm();
  many();
  refused();
  OK(MPI_Comm_free(&inter));
  OK(MPI_Comm_free(&half));
  return check_end("intercomm");
}
