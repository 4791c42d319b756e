/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Wrong arguments: the right error class under MPI_ERRORS_RETURN and the argument's name in the
 * error string, for every class of function. With an argument the program does one thing that must
 * end it: errors.sh looks at how. */
#include "check.h"

static int value[4];
static MPI_Request request;
static MPI_Status status;
static int number, flag;
static const MPI_Comm kBadComm = MPI_COMM_NULL;

static void point_to_point(MPI_Comm c) {
  const int n = check_size;
  MPI_Datatype raw;
  OK(MPI_Type_contiguous(2, MPI_INT, &raw)); /* never committed */
  EXPECT(MPI_ERR_COMM, "comm", MPI_Send(value, 1, MPI_INT, 0, 0, kBadComm));
  EXPECT(MPI_ERR_RANK, "dest", MPI_Send(value, 1, MPI_INT, n, 0, c));
  EXPECT(MPI_ERR_RANK, "dest", MPI_Send(value, 1, MPI_INT, -7, 0, c));
  EXPECT(MPI_ERR_RANK, "dest", MPI_Send(value, 1, MPI_INT, MPI_ANY_SOURCE, 0, c));
  EXPECT(MPI_ERR_TAG, "tag", MPI_Send(value, 1, MPI_INT, 0, -1, c));
  EXPECT(MPI_ERR_TAG, "tag", MPI_Send(value, 1, MPI_INT, 0, MPI_ANY_TAG, c));
  EXPECT(MPI_ERR_COUNT, "count", MPI_Send(value, -1, MPI_INT, 0, 0, c));
  EXPECT(MPI_ERR_COUNT, "count", MPI_Send_c(value, -1, MPI_INT, 0, 0, c));
  EXPECT(MPI_ERR_TYPE, "datatype", MPI_Send(value, 1, MPI_DATATYPE_NULL, 0, 0, c));
  EXPECT(MPI_ERR_TYPE, "committed", MPI_Send(value, 1, raw, 0, 0, c));
  EXPECT(MPI_ERR_BUFFER, "buffer", MPI_Send(NULL, 1, MPI_INT, 0, 0, c));
  EXPECT(MPI_ERR_RANK, "dest", MPI_Ssend(value, 1, MPI_INT, n, 0, c));
  EXPECT(MPI_ERR_RANK, "dest", MPI_Bsend(value, 1, MPI_INT, n, 0, c));
  EXPECT(MPI_ERR_RANK, "dest", MPI_Rsend(value, 1, MPI_INT, n, 0, c));
  EXPECT(MPI_ERR_RANK, "source", MPI_Recv(value, 1, MPI_INT, n, 0, c, &status));
  EXPECT(MPI_ERR_TAG, "tag", MPI_Recv(value, 1, MPI_INT, 0, -5, c, &status));
  EXPECT(MPI_ERR_COUNT, "count", MPI_Recv(value, -3, MPI_INT, 0, 0, c, &status));
  EXPECT(MPI_ERR_COMM, "comm", MPI_Recv(value, 1, MPI_INT, 0, 0, kBadComm, &status));
  EXPECT(MPI_ERR_RANK, "dest", MPI_Isend(value, 1, MPI_INT, n, 0, c, &request));
  EXPECT(MPI_ERR_RANK, "dest", MPI_Issend(value, 1, MPI_INT, n, 0, c, &request));
  EXPECT(MPI_ERR_RANK, "dest", MPI_Ibsend(value, 1, MPI_INT, n, 0, c, &request));
  EXPECT(MPI_ERR_RANK, "dest", MPI_Irsend(value, 1, MPI_INT, n, 0, c, &request));
  EXPECT(MPI_ERR_RANK, "source", MPI_Irecv(value, 1, MPI_INT, n, 0, c, &request));
  EXPECT(MPI_ERR_ARG, "request", MPI_Isend(value, 1, MPI_INT, 0, 0, c, NULL));
  EXPECT(MPI_ERR_TAG, "tag", MPI_Send_init(value, 1, MPI_INT, 0, -1, c, &request));
  EXPECT(MPI_ERR_RANK, "source", MPI_Recv_init(value, 1, MPI_INT, n, 1, c, &request));
  EXPECT(MPI_ERR_RANK, "source", MPI_Probe(n, 0, c, &status));
  EXPECT(MPI_ERR_TAG, "tag", MPI_Iprobe(0, -9, c, &flag, &status));
  EXPECT(MPI_ERR_ARG, "flag", MPI_Iprobe(0, 0, c, NULL, &status));
  EXPECT(MPI_ERR_COMM, "comm", MPI_Mprobe(0, 0, kBadComm, &(MPI_Message){0}, &status));
  EXPECT(MPI_ERR_RANK, "dest",
         MPI_Sendrecv(value, 1, MPI_INT, n, 0, value + 1, 1, MPI_INT, 0, 0, c, &status));
  EXPECT(MPI_ERR_RANK, "source", MPI_Sendrecv_replace(value, 1, MPI_INT, 0, 0, n, 0, c, &status));
  OK(MPI_Type_free(&raw));
}

static void requests(void) {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request null_request = MPI_REQUEST_NULL, receive, all[1];
  EXPECT(MPI_ERR_REQUEST, "message", MPI_Mrecv(value, 1, MPI_INT, &message, &status));
  EXPECT(MPI_ERR_REQUEST, "message", MPI_Imrecv(value, 1, MPI_INT, &message, &request));
  EXPECT(MPI_ERR_REQUEST, "request", MPI_Request_free(&null_request));
  EXPECT(MPI_ERR_REQUEST, "request", MPI_Cancel(&null_request));
  EXPECT(MPI_ERR_REQUEST, "request", MPI_Start(&null_request));
  EXPECT(MPI_ERR_COUNT, "count", MPI_Waitall(-1, all, MPI_STATUSES_IGNORE));
  all[0] = (MPI_Request)16; /* a value that no request has */
  EXPECT(MPI_ERR_REQUEST, "request", MPI_Waitall(1, all, MPI_STATUSES_IGNORE));
  EXPECT(MPI_ERR_REQUEST, "request", MPI_Wait(all, &status));
  EXPECT(MPI_ERR_ARG, "array_of_requests", MPI_Waitall(1, NULL, MPI_STATUSES_IGNORE));
  EXPECT(MPI_ERR_ARG, "flag", MPI_Test(&null_request, NULL, &status));
  OK(MPI_Irecv(value, 1, MPI_INT, check_rank, 5, MPI_COMM_WORLD, &receive));
  EXPECT(MPI_ERR_REQUEST, "persistent", MPI_Start(&receive));
  EXPECT(MPI_ERR_REQUEST, "generalized", MPI_Grequest_complete(receive));
  OK(MPI_Send(value, 1, MPI_INT, check_rank, 5, MPI_COMM_WORLD));
  OK(MPI_Wait(&receive, &status));
  OK(MPI_Recv_init(value, 1, MPI_INT, check_rank, 5, MPI_COMM_WORLD, &receive));
  OK(MPI_Start(&receive));
  EXPECT(MPI_ERR_REQUEST, "active", MPI_Start(&receive));
  OK(MPI_Send(value, 1, MPI_INT, check_rank, 5, MPI_COMM_WORLD));
  OK(MPI_Wait(&receive, &status));
  OK(MPI_Request_free(&receive));
}

static void collectives(MPI_Comm c) {
  const int n = check_size;
  int* counts = calloc((size_t)n, sizeof(int));
  int* negative = calloc((size_t)n, sizeof(int));
  negative[n - 1] = -1;
  EXPECT(MPI_ERR_COMM, "comm", MPI_Barrier(kBadComm));
  EXPECT(MPI_ERR_ROOT, "root", MPI_Bcast(value, 1, MPI_INT, n, c));
  EXPECT(MPI_ERR_ROOT, "root", MPI_Bcast(value, 1, MPI_INT, -1, c));
  EXPECT(MPI_ERR_COUNT, "count", MPI_Bcast(value, -1, MPI_INT, 0, c));
  EXPECT(MPI_ERR_TYPE, "datatype", MPI_Bcast(value, 1, MPI_DATATYPE_NULL, 0, c));
  EXPECT(MPI_ERR_ROOT, "root", MPI_Reduce(value, value + 1, 1, MPI_INT, MPI_SUM, n, c));
  EXPECT(MPI_ERR_OP, "op", MPI_Allreduce(value, value + 1, 1, MPI_INT, MPI_OP_NULL, c));
  EXPECT(MPI_ERR_OP, "MPI_BAND", MPI_Allreduce(value, value + 1, 1, MPI_DOUBLE, MPI_BAND, c));
  EXPECT(MPI_ERR_COUNT, "count", MPI_Allreduce(value, value + 1, -1, MPI_INT, MPI_SUM, c));
  EXPECT(MPI_ERR_COUNT, "count", MPI_Gather(value, -1, MPI_INT, value, 1, MPI_INT, 0, c));
  EXPECT(MPI_ERR_ROOT, "root", MPI_Scatter(value, 1, MPI_INT, value, 1, MPI_INT, n + 3, c));
  EXPECT(MPI_ERR_COUNT, "count",
         MPI_Allgatherv(value, 0, MPI_INT, value, negative, counts, MPI_INT, c));
  EXPECT(MPI_ERR_COUNT, "count",
         MPI_Alltoallv(value, counts, counts, MPI_INT, value, negative, counts, MPI_INT, c));
  EXPECT(MPI_ERR_COUNT, "count", MPI_Alltoall(value, -2, MPI_INT, value, 1, MPI_INT, c));
  EXPECT(MPI_ERR_ROOT, "root", MPI_Ibcast(value, 1, MPI_INT, n, c, &request));
  EXPECT(MPI_ERR_ARG, "request", MPI_Ibarrier(c, NULL));
  EXPECT(MPI_ERR_OP, "op",
         MPI_Allreduce_init(value, value + 1, 1, MPI_INT, MPI_OP_NULL, c, MPI_INFO_NULL, &request));
  EXPECT(MPI_ERR_OP, "op", MPI_Reduce_local(value, value + 1, 1, MPI_INT, MPI_OP_NULL));
  /* null buffers and arrays: found in front of any message, by every rank alike */
  int* ones = malloc((size_t)n * sizeof(int));
  MPI_Datatype* types = malloc((size_t)n * sizeof(MPI_Datatype));
  for (int i = 0; i < n; ++i) ones[i] = 1, types[i] = MPI_INT;
  int* v = calloc((size_t)n, sizeof(int));
  EXPECT(MPI_ERR_BUFFER, "MPI_IN_PLACE", MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, c));
  EXPECT(MPI_ERR_BUFFER, "buffer", MPI_Bcast(NULL, 1, MPI_INT, 0, c));
  const MPI_Comm one = MPI_COMM_SELF;
  EXPECT(MPI_ERR_BUFFER, "recvbuf",
         MPI_Gatherv(v, 1, MPI_INT, NULL, ones, counts, MPI_INT, 0, one));
  EXPECT(MPI_ERR_ARG, "recvcounts", MPI_Gatherv(v, 1, MPI_INT, v, NULL, counts, MPI_INT, 0, one));
  EXPECT(MPI_ERR_ARG, "displs", MPI_Gatherv(v, 1, MPI_INT, v, ones, NULL, MPI_INT, 0, one));
  EXPECT(MPI_ERR_BUFFER, "sendbuf",
         MPI_Scatterv(NULL, ones, counts, MPI_INT, v, 1, MPI_INT, 0, one));
  EXPECT(MPI_ERR_BUFFER, "recvbuf", MPI_Allgatherv(v, 1, MPI_INT, NULL, ones, counts, MPI_INT, c));
  EXPECT(MPI_ERR_BUFFER, "recvbuf",
         MPI_Alltoallv(v, ones, counts, MPI_INT, NULL, ones, counts, MPI_INT, c));
  EXPECT(MPI_ERR_BUFFER, "sendbuf",
         MPI_Alltoallv(NULL, ones, counts, MPI_INT, v, ones, counts, MPI_INT, c));
  EXPECT(MPI_ERR_ARG, "rdispls",
         MPI_Alltoallv(v, ones, counts, MPI_INT, v, ones, NULL, MPI_INT, c));
  EXPECT(MPI_ERR_BUFFER, "recvbuf",
         MPI_Alltoallw(v, ones, counts, types, NULL, ones, counts, types, c));
  EXPECT(MPI_ERR_BUFFER, "sendbuf",
         MPI_Ialltoallw(NULL, ones, counts, types, v, ones, counts, types, c, &request));
  EXPECT(MPI_ERR_COUNT, "recvcounts", MPI_Reduce_scatter(v, value, negative, MPI_INT, MPI_SUM, c));
  /* and those that are none: nothing to move, or absolute addresses */
  OK(MPI_Alltoallv(NULL, counts, counts, MPI_INT, NULL, counts, counts, MPI_INT, c));
  OK(MPI_Alltoallw(NULL, counts, counts, types, NULL, counts, counts, types, c));
  MPI_Datatype absolute;
  MPI_Aint place;
  value[0] = 0;
  v[0] = 17;
  OK(MPI_Get_address(value, &place));
  OK(MPI_Type_create_hindexed(1, (int[]){1}, &place, MPI_INT, &absolute));
  OK(MPI_Type_commit(&absolute));
  OK(MPI_Gatherv(v, 1, MPI_INT, MPI_BOTTOM, ones, counts, absolute, 0, one));
  CHECK(value[0] == 17);
  OK(MPI_Type_free(&absolute));
  free(v);
  free(types);
  free(ones);
  free(counts);
  free(negative);
}

static void communicators(MPI_Comm c) {
  MPI_Comm made;
  MPI_Group group, out;
  MPI_Comm world = MPI_COMM_WORLD;
  const int far[1] = {check_size}, twice[2] = {0, 0};
  int range[1][3] = {{0, check_size, 1}}, still[1][3] = {{0, 0, 0}};
  EXPECT(MPI_ERR_COMM, "comm", MPI_Comm_dup(kBadComm, &made));
  EXPECT(MPI_ERR_COMM, "comm", MPI_Comm_size(kBadComm, &number));
  EXPECT(MPI_ERR_ARG, "size", MPI_Comm_size(c, NULL));
  EXPECT(MPI_ERR_ARG, "newcomm", MPI_Comm_dup(c, NULL));
  EXPECT(MPI_ERR_ARG, "color", MPI_Comm_split(c, -2, 0, &made));
  EXPECT(MPI_ERR_ARG, "split_type", MPI_Comm_split_type(c, 12345, 0, MPI_INFO_NULL, &made));
  EXPECT(MPI_ERR_COMM, "MPI_COMM_WORLD", MPI_Comm_free(&world));
  EXPECT(MPI_ERR_ARG, "comm_name", MPI_Comm_set_name(c, NULL));
  EXPECT(MPI_ERR_GROUP, "group", MPI_Comm_create(c, MPI_GROUP_NULL, &made));
  EXPECT(MPI_ERR_GROUP, "group", MPI_Group_size(MPI_GROUP_NULL, &number));
  OK(MPI_Comm_group(c, &group));
  EXPECT(MPI_ERR_RANK, "rank", MPI_Group_incl(group, 1, far, &out));
  EXPECT(MPI_ERR_RANK, "twice", MPI_Group_incl(group, 2, twice, &out));
  EXPECT(MPI_ERR_RANK, "rank", MPI_Group_excl(group, 1, far, &out));
  EXPECT(MPI_ERR_RANK, "range", MPI_Group_range_incl(group, 1, range, &out));
  EXPECT(MPI_ERR_ARG, "stride", MPI_Group_range_incl(group, 1, still, &out));
  EXPECT(MPI_ERR_ARG, "n is", MPI_Group_incl(group, -1, far, &out));
  EXPECT(MPI_ERR_RANK, "rank", MPI_Group_translate_ranks(group, 1, far, group, &number));
  OK(MPI_Group_free(&group));
  EXPECT(MPI_ERR_GROUP, "group", MPI_Group_free(&group));
  EXPECT(MPI_ERR_KEYVAL, "keyval", MPI_Comm_delete_attr(c, 987654));
  EXPECT(MPI_ERR_ERRHANDLER, "errhandler", MPI_Comm_set_errhandler(c, MPI_ERRHANDLER_NULL));
  EXPECT(MPI_ERR_ARG, "errhandler_fn", MPI_Comm_create_errhandler(NULL, &(MPI_Errhandler){0}));
}

static void types(void) {
  MPI_Datatype made, basic = MPI_INT;
  const int lengths[2] = {1, -1};
  const MPI_Aint places[2] = {0, 8};
  const MPI_Datatype parts[2] = {MPI_INT, MPI_DATATYPE_NULL};
  const int sizes[1] = {4}, subsizes[1] = {5}, starts[1] = {0};
  EXPECT(MPI_ERR_COUNT, "count", MPI_Type_contiguous(-1, MPI_INT, &made));
  EXPECT(MPI_ERR_TYPE, "oldtype", MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &made));
  EXPECT(MPI_ERR_COUNT, "count", MPI_Type_vector(-1, 1, 1, MPI_INT, &made));
  EXPECT(MPI_ERR_ARG, "blocklength", MPI_Type_vector(1, -1, 1, MPI_INT, &made));
  EXPECT(MPI_ERR_ARG, "array_of_blocklengths",
         MPI_Type_indexed(2, lengths, (int[]){0, 1}, MPI_INT, &made));
  EXPECT(MPI_ERR_TYPE, "types", MPI_Type_create_struct(2, (int[]){1, 1}, places, parts, &made));
  EXPECT(MPI_ERR_ARG, "dimension",
         MPI_Type_create_subarray(1, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &made));
  EXPECT(MPI_ERR_TYPE, "predefined", MPI_Type_free(&basic));
  EXPECT(MPI_ERR_TYPE, "datatype", MPI_Type_commit(&(MPI_Datatype){MPI_DATATYPE_NULL}));
  EXPECT(MPI_ERR_TYPE, "datatype", MPI_Type_size(MPI_DATATYPE_NULL, &number));
  EXPECT(MPI_ERR_TYPE, "datatype", MPI_Get_count(&status, MPI_DATATYPE_NULL, &number));
  number = 0;
  EXPECT(MPI_ERR_TRUNCATE, "output buffer",
         MPI_Pack(value, 4, MPI_INT, &value, 8, &number, MPI_COMM_WORLD));
  MPI_Op op = MPI_SUM;
  EXPECT(MPI_ERR_OP, "op", MPI_Op_free(&op));
  EXPECT(MPI_ERR_ARG, "null pointer", MPI_Op_create(NULL, 1, &op));
  EXPECT(MPI_ERR_INFO, "info", MPI_Info_set(MPI_INFO_NULL, "a", "b"));
}

/* A null pointer where a result should go is an error, not a crash. */
static void null_pointers(void) {
  char text[MPI_MAX_ERROR_STRING];
  const int first[1] = {0};
  MPI_Group group;
  OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
  EXPECT(MPI_ERR_ARG, "ranks1", MPI_Group_translate_ranks(group, 1, NULL, group, &number));
  EXPECT(MPI_ERR_ARG, "ranks2", MPI_Group_translate_ranks(group, 1, first, group, NULL));
  OK(MPI_Group_translate_ranks(group, 0, NULL, group, NULL));
  OK(MPI_Group_free(&group));
  EXPECT(MPI_ERR_ARG, "address", MPI_Get_address(text, NULL));
  EXPECT(MPI_ERR_ARG, "flag", MPI_Initialized(NULL));
  EXPECT(MPI_ERR_ARG, "flag", MPI_Finalized(NULL));
  EXPECT(MPI_ERR_ARG, "errorclass", MPI_Error_class(MPI_ERR_TAG, NULL));
  EXPECT(MPI_ERR_ARG, "string", MPI_Error_string(MPI_ERR_TAG, NULL, &number));
  EXPECT(MPI_ERR_ARG, "resultlen", MPI_Error_string(MPI_ERR_TAG, text, NULL));
  EXPECT(MPI_ERR_ARG, "version", MPI_Get_version(NULL, &number));
  EXPECT(MPI_ERR_ARG, "subversion", MPI_Get_version(&number, NULL));
  EXPECT(MPI_ERR_ARG, "resultlen", MPI_Get_library_version(text, NULL));
  EXPECT(MPI_ERR_ARG, "abi_major", MPI_Abi_get_version(NULL, &number));
  EXPECT(MPI_ERR_ARG, "count", MPI_Get_count(&status, MPI_INT, NULL));
  EXPECT(MPI_ERR_ARG, "status", MPI_Get_count(NULL, MPI_INT, &number));
  EXPECT(MPI_ERR_ARG, "count", MPI_Get_elements(&status, MPI_INT, NULL));
  EXPECT(MPI_ERR_ARG, "source", MPI_Status_get_source(&status, NULL));
  EXPECT(MPI_ERR_ARG, "status", MPI_Status_set_tag(NULL, 1));
}

static int refuse_delete; /* what the callback below returns */
static int delete_attribute(MPI_Comm comm, int key, void* attribute, void* extra) {
  (void)comm, (void)key, (void)attribute, (void)extra;
  return refuse_delete;
}

static int handled; /* calls of the handler below, and the last code that it saw */
static int handled_code;
static void count_error(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  ++handled;
  handled_code = *code;
}

/* A delete callback that fails goes to the communicator's handler, and the attribute stays. */
static void attributes(void) {
  MPI_Comm c;
  MPI_Errhandler handler;
  int key;
  void* got;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
  OK(MPI_Comm_create_errhandler(count_error, &handler));
  OK(MPI_Comm_set_errhandler(c, handler));
  OK(MPI_Errhandler_free(&handler));
  OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &key, NULL));
  OK(MPI_Comm_set_attr(c, key, &value[0]));
  refuse_delete = MPI_ERR_OTHER;
  EXPECT(MPI_ERR_OTHER, "delete function", MPI_Comm_set_attr(c, key, &value[1]));
  CHECK(handled == 1 && handled_code == MPI_ERR_OTHER);
  OK(MPI_Comm_get_attr(c, key, &got, &flag));
  CHECK(flag && got == &value[0]);
  EXPECT(MPI_ERR_OTHER, "delete function", MPI_Comm_delete_attr(c, key));
  CHECK(handled == 2);
  EXPECT(MPI_ERR_OTHER, "delete function", MPI_Comm_free(&c));
  CHECK(handled == 3 && c != MPI_COMM_NULL);
  EXPECT(MPI_ERR_OTHER, "initialized already", MPI_Init(NULL, NULL));
  refuse_delete = MPI_SUCCESS;
  OK(MPI_Comm_free_keyval(&key));
  OK(MPI_Comm_free(&c));
}

static int deadly(const char* how, int argc, char** argv) {
  if (strcmp(how, "null") == 0) {
    MPI_Initialized(NULL);
    return 0;
  }
  if (strcmp(how, "before") == 0) {
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    return 0;
  }
  check_start(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(how, "after") == 0) {
    MPI_Finalize();
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(how, "twice") == 0) {
    MPI_Init(NULL, NULL);
  } else if (strcmp(how, "fatal") == 0) {
    if (check_rank == check_size - 1) MPI_Send(NULL, 0, MPI_INT, 1000, 0, MPI_COMM_WORLD);
    MPI_Recv(value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
  } else if (strcmp(how, "abort") == 0) {
    if (check_rank == 0) MPI_Abort(MPI_COMM_WORLD, 42);
    MPI_Recv(value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
  } else if (strcmp(how, "handle") == 0) {
    /* an error that belongs to no communicator goes to MPI_COMM_SELF's handler */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(-1, MPI_INT, &(MPI_Datatype){0});
  }
  return 0;
}

int main(int argc, char** argv) {
  MPI_Comm dup;
  int version, subversion, length;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  if (argc > 1) return deadly(argv[1], argc, argv);
  /* what may be called before MPI_Init and after MPI_Finalize */
  CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && !flag);
  CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && !flag);
  CHECK(MPI_Get_version(&version, &subversion) == MPI_SUCCESS && version == 5);
  CHECK(MPI_Get_library_version(text, &length) == MPI_SUCCESS && length > 0);
  CHECK(MPI_Error_class(MPI_ERR_TAG, &number) == MPI_SUCCESS && number == MPI_ERR_TAG);
  check_start(&argc, &argv);
  CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag);
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
  point_to_point(dup);
  requests();
  collectives(dup);
  communicators(dup);
  types();
  null_pointers();
  attributes();
  /* every class has a text of its own */
  for (int i = MPI_SUCCESS; i < MPI_ERR_LASTCODE && i < 200; ++i) {
    char words[MPI_MAX_ERROR_STRING];
    OK(MPI_Error_string(i, words, &length));
    CHECK(length > 0);
  }
  OK(MPI_Comm_free(&dup));
  const int result = check_end("errors");
  CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && flag);
  return result || check_failures != 0;
}
