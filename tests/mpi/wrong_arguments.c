/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Wrong arguments of functions that other tests call with right ones only, by chapters: the class
 * that the standard wants, and a message that names the argument. None of them may change what its
 * output arguments hold. */
#include "check.h"

static const MPI_Group kNoGroup = MPI_GROUP_NULL;
static const MPI_Comm kNoComm = MPI_COMM_NULL;
static const MPI_Datatype kNoType = MPI_DATATYPE_NULL;

static void groups(void) {
  MPI_Group all, made = MPI_GROUP_NULL;
  int value = -1, ranges[1][3] = {{0, check_size, 1}}, zero_stride[1][3] = {{0, 0, 0}};
  int twice[2] = {0, 0}, out_of_range = check_size;
  OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
  EXPECT(MPI_ERR_COMM, "MPI_COMM_NULL", MPI_Comm_group(kNoComm, &made));
  EXPECT(MPI_ERR_ARG, "group", MPI_Comm_group(MPI_COMM_WORLD, NULL));
  EXPECT(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_size(kNoGroup, &value));
  EXPECT(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_rank(kNoGroup, &value));
  EXPECT(MPI_ERR_ARG, "rank", MPI_Group_rank(all, NULL));
  EXPECT(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_compare(all, kNoGroup, &value));
  EXPECT(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_compare(kNoGroup, all, &value));
  EXPECT(MPI_ERR_ARG, "result", MPI_Group_compare(all, all, NULL));
  EXPECT(MPI_ERR_GROUP, "", MPI_Group_union(all, kNoGroup, &made));
  EXPECT(MPI_ERR_GROUP, "", MPI_Group_intersection(kNoGroup, all, &made));
  EXPECT(MPI_ERR_GROUP, "", MPI_Group_difference(all, kNoGroup, &made));
  EXPECT(MPI_ERR_ARG, "newgroup", MPI_Group_union(all, all, NULL));
  EXPECT(MPI_ERR_ARG, "newgroup", MPI_Group_intersection(all, all, NULL));
  EXPECT(MPI_ERR_ARG, "newgroup", MPI_Group_difference(all, all, NULL));
  EXPECT(MPI_ERR_RANK, "", MPI_Group_incl(all, 1, &out_of_range, &made));
  EXPECT(MPI_ERR_RANK, "", MPI_Group_excl(all, 2, twice, &made));
  EXPECT(MPI_ERR_RANK, "", MPI_Group_range_incl(all, 1, ranges, &made));
  EXPECT(MPI_ERR_RANK, "", MPI_Group_range_excl(all, 1, ranges, &made));
  EXPECT(MPI_ERR_ARG, "", MPI_Group_range_excl(all, 1, zero_stride, &made));
  EXPECT(MPI_ERR_ARG, "", MPI_Group_range_excl(all, -1, ranges, &made));
  EXPECT(MPI_ERR_GROUP, "", MPI_Group_range_excl(kNoGroup, 1, ranges, &made));
  EXPECT(MPI_ERR_ARG, "ranges", MPI_Group_range_excl(all, 1, NULL, &made));
  CHECK(made == MPI_GROUP_NULL && value == -1);
  EXPECT(MPI_ERR_GROUP, "", MPI_Group_free(&made));
  OK(MPI_Group_free(&all));
}

static void communicators(void) {
  MPI_Comm made = MPI_COMM_NULL, none = MPI_COMM_NULL, world = MPI_COMM_WORLD;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Info info = MPI_INFO_NULL, garbage = (MPI_Info)MPI_COMM_WORLD, hints;
  int value = -1;
  EXPECT(MPI_ERR_COMM, "MPI_COMM_NULL", MPI_Comm_rank(kNoComm, &value));
  EXPECT(MPI_ERR_ARG, "rank", MPI_Comm_rank(MPI_COMM_WORLD, NULL));
  EXPECT(MPI_ERR_COMM, "MPI_COMM_NULL", MPI_Comm_test_inter(kNoComm, &value));
  EXPECT(MPI_ERR_ARG, "flag", MPI_Comm_test_inter(MPI_COMM_WORLD, NULL));
  EXPECT(MPI_ERR_COMM, "", MPI_Comm_compare(MPI_COMM_WORLD, kNoComm, &value));
  EXPECT(MPI_ERR_ARG, "result", MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, NULL));
  EXPECT(MPI_ERR_COMM, "", MPI_Comm_disconnect(&none));
  EXPECT(MPI_ERR_COMM, "MPI_COMM_WORLD", MPI_Comm_disconnect(&world));
  EXPECT(MPI_ERR_ARG, "comm", MPI_Comm_disconnect(NULL));
  CHECK(world == MPI_COMM_WORLD);
  EXPECT(MPI_ERR_COMM, "", MPI_Comm_idup(kNoComm, &made, &request));
  EXPECT(MPI_ERR_ARG, "newcomm", MPI_Comm_idup(MPI_COMM_WORLD, NULL, &request));
  EXPECT(MPI_ERR_ARG, "request", MPI_Comm_idup(MPI_COMM_WORLD, &made, NULL));
  EXPECT(MPI_ERR_COMM, "", MPI_Comm_dup_with_info(kNoComm, MPI_INFO_NULL, &made));
  EXPECT(MPI_ERR_INFO, "info", MPI_Comm_dup_with_info(MPI_COMM_WORLD, garbage, &made));
  EXPECT(MPI_ERR_COMM, "", MPI_Comm_idup_with_info(kNoComm, MPI_INFO_NULL, &made, &request));
  EXPECT(MPI_ERR_INFO, "info", MPI_Comm_idup_with_info(MPI_COMM_WORLD, garbage, &made, &request));
  OK(MPI_Info_create(&hints));
  OK(MPI_Info_set(hints, "mpi_assert_exact_length", "maybe"));
  EXPECT(MPI_ERR_INFO_VALUE, "maybe", MPI_Comm_dup_with_info(MPI_COMM_WORLD, hints, &made));
  EXPECT(MPI_ERR_INFO_VALUE, "maybe",
         MPI_Comm_idup_with_info(MPI_COMM_WORLD, hints, &made, &request));
  EXPECT(MPI_ERR_INFO_VALUE, "maybe", MPI_Comm_set_info(MPI_COMM_WORLD, hints));
  OK(MPI_Info_free(&hints));
  EXPECT(MPI_ERR_COMM, "", MPI_Comm_call_errhandler(kNoComm, MPI_ERR_OTHER));
  EXPECT(MPI_ERR_ARG, "", MPI_Comm_create_keyval(NULL, NULL, NULL, NULL));
  EXPECT(MPI_ERR_ARG, "hw_info", MPI_Get_hw_resource_info(NULL));
  EXPECT(MPI_ERR_COMM, "", MPI_Comm_get_info(kNoComm, &info));
  CHECK(made == MPI_COMM_NULL && request == MPI_REQUEST_NULL && info == MPI_INFO_NULL);
  CHECK(value == -1);
}

/* Every hint of section 7.4.4 is kept, and reported. */
static void hints(void) {
  const char* const keys[] = {"mpi_assert_no_any_tag", "mpi_assert_no_any_source",
                              "mpi_assert_exact_length", "mpi_assert_allow_overtaking",
                              "mpi_assert_strict_persistent_collective_ordering"};
  MPI_Info info, used;
  MPI_Comm comm;
  char value[MPI_MAX_INFO_VAL];
  for (int k = 0; k < 5; ++k) {
    int flag = 0, length = sizeof value;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, keys[k], "true"));
    OK(MPI_Info_set(info, "something_else", "true"));
    OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    OK(MPI_Comm_get_info(comm, &used));
    OK(MPI_Info_get_string(used, keys[k], &length, value, &flag));
    CHECK(flag && strcmp(value, "true") == 0);
    length = sizeof value;
    OK(MPI_Info_get_string(used, keys[(k + 1) % 5], &length, value, &flag));
    CHECK(flag && strcmp(value, "false") == 0);
    length = sizeof value;
    OK(MPI_Info_get_string(used, "something_else", &length, value, &flag));
    CHECK(!flag);
    OK(MPI_Info_free(&used));
    /* What was promised is kept to here. */
    int mine = check_rank, got = -1;
    OK(MPI_Sendrecv(&mine, 1, MPI_INT, (check_rank + 1) % check_size, 1, &got, 1, MPI_INT,
                    (check_rank + check_size - 1) % check_size, 1, comm, MPI_STATUS_IGNORE));
    CHECK(got == (check_rank + check_size - 1) % check_size);
    OK(MPI_Info_set(info, keys[k], "false"));
    OK(MPI_Comm_set_info(comm, info));
    OK(MPI_Comm_get_info(comm, &used));
    length = sizeof value;
    OK(MPI_Info_get_string(used, keys[k], &length, value, &flag));
    CHECK(flag && strcmp(value, "false") == 0);
    OK(MPI_Info_free(&used));
    OK(MPI_Info_free(&info));
    OK(MPI_Comm_free(&comm));
  }
}

static void topologies(void) {
  int one = 1, value = -1, periods = 0, dims = check_size, index[1] = {1}, edges[1] = {0};
  MPI_Comm grid, made = MPI_COMM_NULL;
  OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &periods, 0, &grid));
  EXPECT(MPI_ERR_COMM, "", MPI_Topo_test(kNoComm, &value));
  EXPECT(MPI_ERR_ARG, "status", MPI_Topo_test(grid, NULL));
  EXPECT(MPI_ERR_TOPOLOGY, "", MPI_Cart_get(MPI_COMM_WORLD, 1, &one, &one, &one));
  EXPECT(MPI_ERR_ARG, "dims", MPI_Cart_get(grid, 1, NULL, &one, &one));
  EXPECT(MPI_ERR_ARG, "maxdims", MPI_Cart_get(grid, -1, &one, &one, &one));
  EXPECT(MPI_ERR_ARG, "newrank", MPI_Cart_map(MPI_COMM_WORLD, 1, &one, &periods, NULL));
  EXPECT(MPI_ERR_DIMS, "dims[0]", MPI_Cart_map(MPI_COMM_WORLD, 1, (int[]){0}, &periods, &value));
  EXPECT(MPI_ERR_COMM, "", MPI_Cart_map(kNoComm, 1, &one, &periods, &value));
  EXPECT(MPI_ERR_TOPOLOGY, "graph", MPI_Graph_get(grid, 1, 1, index, edges));
  EXPECT(MPI_ERR_TOPOLOGY, "graph", MPI_Graph_neighbors_count(grid, 0, &value));
  EXPECT(MPI_ERR_ARG, "newrank", MPI_Graph_map(MPI_COMM_WORLD, 1, index, edges, NULL));
  EXPECT(MPI_ERR_ARG, "index", MPI_Graph_map(MPI_COMM_WORLD, 1, NULL, edges, &value));
  EXPECT(MPI_ERR_COMM, "", MPI_Graph_map(kNoComm, 1, index, edges, &value));
  EXPECT(MPI_ERR_TOPOLOGY, "",
         MPI_Dist_graph_neighbors(grid, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED));
  EXPECT(MPI_ERR_COMM, "",
         MPI_Dist_graph_create_adjacent(kNoComm, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                        MPI_INFO_NULL, 0, &made));
  EXPECT(MPI_ERR_ARG, "comm_dist_graph",
         MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, 0, NULL,
                                        MPI_UNWEIGHTED, MPI_INFO_NULL, 0, NULL));
  CHECK(made == MPI_COMM_NULL && value == -1);
  OK(MPI_Comm_free(&grid));
}

/* Constructors: what is wrong about their count, array, old and new type. */
#define CONSTRUCTORS(WRONG)                                            \
  WRONG(MPI_Type_vector_c, (n, 1, 1, old, made))                       \
  WRONG(MPI_Type_create_hvector, ((int)n, 1, 4, old, made))            \
  WRONG(MPI_Type_create_hvector_c, (n, 1, 4, old, made))               \
  WRONG(MPI_Type_indexed_c, (n, array_c, array_c, old, made))          \
  WRONG(MPI_Type_create_hindexed, ((int)n, array, aints, old, made))   \
  WRONG(MPI_Type_create_hindexed_c, (n, array_c, array_c, old, made))  \
  WRONG(MPI_Type_create_indexed_block_c, (n, 1, array_c, old, made))   \
  WRONG(MPI_Type_create_hindexed_block, ((int)n, 1, aints, old, made)) \
  WRONG(MPI_Type_create_hindexed_block_c, (n, 1, array_c, old, made))  \
  WRONG(MPI_Type_create_struct_c, (n, array_c, array_c, &old, made))

static void constructors(void) {
  MPI_Datatype result = MPI_DATATYPE_NULL, old = MPI_INT;
  MPI_Datatype* made = &result;
  MPI_Count n = -1;
  int fine = 1, *array = &fine;
  MPI_Aint place = 0, *aints = &place;
  MPI_Count fine_c = 1, *array_c = &fine_c;
#define NEGATIVE(function, arguments) FAILS(MPI_ERR_COUNT, function arguments);
#define NO_TYPE(function, arguments) EXPECT(MPI_ERR_TYPE, "MPI_DATATYPE_NULL", function arguments);
#define NO_RESULT(function, arguments) EXPECT(MPI_ERR_ARG, "newtype", function arguments);
  CONSTRUCTORS(NEGATIVE)
  n = 1;
  old = kNoType;
  CONSTRUCTORS(NO_TYPE)
  old = MPI_INT;
  made = NULL;
  CONSTRUCTORS(NO_RESULT)
  made = &result;
  EXPECT(MPI_ERR_ARG, "", MPI_Type_indexed_c(1, NULL, array_c, old, made));
  EXPECT(MPI_ERR_ARG, "", MPI_Type_create_hindexed(1, array, NULL, old, made));
  EXPECT(MPI_ERR_ARG, "", MPI_Type_create_hindexed_block_c(1, 1, NULL, old, made));
  EXPECT(MPI_ERR_ARG, "", MPI_Type_create_struct_c(1, array_c, array_c, NULL, made));
  fine_c = -3;
  EXPECT(MPI_ERR_ARG, "[0] is -3", MPI_Type_indexed_c(1, array_c, array_c, old, made));
  EXPECT(MPI_ERR_ARG, "-3", MPI_Type_create_hindexed_c(1, array_c, array_c, old, made));
  EXPECT(MPI_ERR_ARG, "-3", MPI_Type_create_struct_c(1, array_c, array_c, &old, made));
  EXPECT(MPI_ERR_ARG, "blocklength", MPI_Type_vector_c(1, -1, 1, old, made));
  EXPECT(MPI_ERR_TYPE, "", MPI_Type_create_resized_c(kNoType, 0, 4, made));
  EXPECT(MPI_ERR_ARG, "newtype", MPI_Type_create_resized_c(MPI_INT, 0, 4, NULL));
  const MPI_Count four = 4, too_many = 5, zero = 0;
  const int one = 1, block = MPI_DISTRIBUTE_BLOCK, standard = MPI_DISTRIBUTE_DFLT_DARG, two = 2;
  EXPECT(MPI_ERR_ARG, "",
         MPI_Type_create_subarray_c(1, &four, &too_many, &zero, MPI_ORDER_C, old, made));
  EXPECT(MPI_ERR_ARG, "",
         MPI_Type_create_subarray_c(1, &four, &four, &four, MPI_ORDER_C, old, made));
  EXPECT(MPI_ERR_ARG, "order", MPI_Type_create_subarray_c(1, &four, &four, &zero, -77, old, made));
  EXPECT(MPI_ERR_TYPE, "",
         MPI_Type_create_subarray_c(1, &four, &four, &zero, MPI_ORDER_C, kNoType, made));
  EXPECT(MPI_ERR_ARG, "",
         MPI_Type_create_darray_c(1, 1, 1, &four, &block, &standard, &one, MPI_ORDER_C, old, made));
  EXPECT(MPI_ERR_ARG, "",
         MPI_Type_create_darray_c(1, 0, 1, &four, &block, &standard, &two, MPI_ORDER_C, old, made));
  EXPECT(MPI_ERR_TYPE, "",
         MPI_Type_create_darray_c(1, 0, 1, &four, &block, &standard, &one, MPI_ORDER_C, kNoType,
                                  made));
  CHECK(result == MPI_DATATYPE_NULL);
}

static void type_queries(void) {
  MPI_Count c = -1, d = -1;
  MPI_Aint lb = -1, extent = -1;
  MPI_Datatype three;
  char buffer[100];
  int value = -1, position = 0;
  MPI_Count position_c = 0;
  MPI_Aint external = 0;
  OK(MPI_Type_contiguous(3, MPI_INT, &three));
  EXPECT(MPI_ERR_TYPE, "", MPI_Type_size_c(kNoType, &c));
  EXPECT(MPI_ERR_ARG, "size", MPI_Type_size_c(MPI_INT, NULL));
  EXPECT(MPI_ERR_TYPE, "", MPI_Type_get_extent(kNoType, &lb, &extent));
  EXPECT(MPI_ERR_ARG, "", MPI_Type_get_extent(MPI_INT, NULL, &extent));
  EXPECT(MPI_ERR_TYPE, "", MPI_Type_get_extent_c(kNoType, &c, &d));
  EXPECT(MPI_ERR_ARG, "", MPI_Type_get_extent_c(MPI_INT, &c, NULL));
  EXPECT(MPI_ERR_TYPE, "", MPI_Type_get_true_extent_c(kNoType, &c, &d));
  EXPECT(MPI_ERR_ARG, "", MPI_Type_get_true_extent_c(MPI_INT, NULL, &d));
  EXPECT(MPI_ERR_TYPE, "", MPI_Type_get_envelope_c(kNoType, &c, &c, &c, &c, &value));
  EXPECT(MPI_ERR_ARG, "", MPI_Type_get_envelope_c(MPI_INT, NULL, &c, &c, &c, &value));
  EXPECT(MPI_ERR_TYPE, "", MPI_Pack_size(1, kNoType, MPI_COMM_WORLD, &value));
  EXPECT(MPI_ERR_COUNT, "", MPI_Pack_size(-1, MPI_INT, MPI_COMM_WORLD, &value));
  EXPECT(MPI_ERR_COMM, "", MPI_Pack_size(1, MPI_INT, kNoComm, &value));
  EXPECT(MPI_ERR_ARG, "size", MPI_Pack_size_c(1, MPI_INT, MPI_COMM_WORLD, NULL));
  EXPECT(MPI_ERR_COUNT, "", MPI_Pack_size_c(-1, MPI_INT, MPI_COMM_WORLD, &c));
  EXPECT(MPI_ERR_TYPE, "not committed",
         MPI_Pack_c(buffer, 1, three, buffer + 50, 50, &position_c, MPI_COMM_WORLD));
  EXPECT(MPI_ERR_COUNT, "",
         MPI_Pack_c(buffer, -1, MPI_INT, buffer + 50, 50, &position_c, MPI_COMM_WORLD));
  FAILS(MPI_ERR_TRUNCATE,
        MPI_Pack_c(buffer, 13, MPI_INT, buffer + 50, 50, &position_c, MPI_COMM_WORLD));
  FAILS(MPI_ERR_TRUNCATE,
        MPI_Unpack(buffer, 3, &position, buffer + 50, 1, MPI_INT, MPI_COMM_WORLD));
  FAILS(MPI_ERR_TRUNCATE,
        MPI_Unpack_c(buffer, 3, &position_c, buffer + 50, 1, MPI_INT, MPI_COMM_WORLD));
  EXPECT(MPI_ERR_COMM, "", MPI_Unpack(buffer, 8, &position, buffer + 50, 1, MPI_INT, kNoComm));
  EXPECT(MPI_ERR_ARG, "position",
         MPI_Unpack(buffer, 8, NULL, buffer + 50, 1, MPI_INT, MPI_COMM_WORLD));
  position_c = 9;
  EXPECT(MPI_ERR_TRUNCATE, "position 9",
         MPI_Unpack_c(buffer, 8, &position_c, buffer + 50, 1, MPI_INT, MPI_COMM_WORLD));
  position_c = 0;
  EXPECT(MPI_ERR_UNSUPPORTED_DATAREP, "datarep",
         MPI_Pack_external_c("native", buffer, 1, MPI_INT, buffer + 50, 50, &position_c));
  EXPECT(MPI_ERR_UNSUPPORTED_DATAREP, "datarep",
         MPI_Unpack_external_c("native", buffer, 50, &position_c, buffer + 50, 1, MPI_INT));
  EXPECT(MPI_ERR_TYPE, "",
         MPI_Pack_external_c("external32", buffer, 1, kNoType, buffer + 50, 50, &position_c));
  FAILS(MPI_ERR_TRUNCATE,
        MPI_Unpack_external_c("external32", buffer, 3, &position_c, buffer + 50, 1, MPI_INT));
  (void)external;
  CHECK(position == 0 && position_c == 0 && value == -1 && c == -1 && lb == -1);
  OK(MPI_Type_free(&three));
}

static int no_query(void* state, MPI_Status* status) {
  (void)state;
  (void)status;
  return MPI_SUCCESS;
}
static int no_cancel(void* state, int complete) {
  (void)state;
  (void)complete;
  return MPI_SUCCESS;
}
static int no_free(void* state) {
  (void)state;
  return MPI_SUCCESS;
}

static void completions(void) {
  MPI_Request garbage = (MPI_Request)MPI_COMM_WORLD, none = MPI_REQUEST_NULL, request = garbage;
  MPI_Request two[2] = {MPI_REQUEST_NULL, garbage};
  MPI_Status status;
  int flag = -1, index = -1, value = 0, indices[2];
  EXPECT(MPI_ERR_COUNT, "", MPI_Waitany(-1, two, &index, &status));
  EXPECT(MPI_ERR_ARG, "", MPI_Waitany(1, NULL, &index, &status));
  EXPECT(MPI_ERR_ARG, "", MPI_Waitany(1, &none, NULL, &status));
  EXPECT(MPI_ERR_REQUEST, "", MPI_Waitany(2, two, &index, &status));
  EXPECT(MPI_ERR_REQUEST, "", MPI_Waitsome(2, two, &index, indices, MPI_STATUSES_IGNORE));
  EXPECT(MPI_ERR_COUNT, "", MPI_Waitsome(-1, two, &index, indices, MPI_STATUSES_IGNORE));
  EXPECT(MPI_ERR_REQUEST, "", MPI_Testall(2, two, &flag, MPI_STATUSES_IGNORE));
  EXPECT(MPI_ERR_ARG, "flag", MPI_Testall(0, NULL, NULL, MPI_STATUSES_IGNORE));
  EXPECT(MPI_ERR_REQUEST, "", MPI_Testany(2, two, &index, &flag, &status));
  EXPECT(MPI_ERR_REQUEST, "", MPI_Testsome(2, two, &index, indices, MPI_STATUSES_IGNORE));
  EXPECT(MPI_ERR_REQUEST, "", MPI_Request_get_status(garbage, &flag, &status));
  EXPECT(MPI_ERR_ARG, "flag", MPI_Request_get_status(none, NULL, &status));
  EXPECT(MPI_ERR_REQUEST, "", MPI_Startall(2, two));
  EXPECT(MPI_ERR_COUNT, "", MPI_Startall(-1, two));
  OK(MPI_Startall(0, NULL));
  EXPECT(MPI_ERR_REQUEST, "", MPI_Start(&none));
  OK(MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request));
  EXPECT(MPI_ERR_REQUEST, "persistent", MPI_Start(&request));
  OK(MPI_Cancel(&request));
  OK(MPI_Wait(&request, &status));
  EXPECT(MPI_ERR_ARG, "", MPI_Grequest_start(NULL, no_free, no_cancel, NULL, &request));
  EXPECT(MPI_ERR_ARG, "", MPI_Grequest_start(no_query, no_free, no_cancel, NULL, NULL));
  EXPECT(MPI_ERR_REQUEST, "", MPI_Grequest_complete(garbage));
  /* Persistent forms. */
  request = garbage;
  EXPECT(MPI_ERR_RANK, "dest",
         MPI_Bsend_init(&value, 1, MPI_INT, check_size, 1, MPI_COMM_WORLD, &request));
  EXPECT(MPI_ERR_TAG, "tag", MPI_Rsend_init(&value, 1, MPI_INT, 0, -1, MPI_COMM_WORLD, &request));
  EXPECT(MPI_ERR_COUNT, "", MPI_Ssend_init(&value, -1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request));
  EXPECT(MPI_ERR_ARG, "request", MPI_Ssend_init(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, NULL));
  EXPECT(MPI_ERR_RANK, "",
         MPI_Isendrecv(&value, 1, MPI_INT, 0, 1, &index, 1, MPI_INT, -55, 1, MPI_COMM_WORLD,
                       &request));
  EXPECT(MPI_ERR_TAG, "",
         MPI_Isendrecv_replace(&value, 1, MPI_INT, 0, -4, 0, 1, MPI_COMM_WORLD, &request));
  MPI_Message message = MPI_MESSAGE_NULL;
  EXPECT(MPI_ERR_RANK, "source",
         MPI_Improbe(check_size, 1, MPI_COMM_WORLD, &flag, &message, &status));
  EXPECT(MPI_ERR_ARG, "flag", MPI_Improbe(0, 1, MPI_COMM_WORLD, NULL, &message, &status));
  EXPECT(MPI_ERR_ARG, "message", MPI_Improbe(0, 1, MPI_COMM_WORLD, &flag, NULL, &status));
  CHECK(request == garbage && flag == -1);
}

static void partitions(void) {
  MPI_Request request = MPI_REQUEST_NULL, plain;
  int value[4], flag = -1;
  EXPECT(MPI_ERR_ARG, "partitions",
         MPI_Psend_init(value, -1, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  EXPECT(MPI_ERR_COUNT, "",
         MPI_Psend_init(value, 1, -1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  EXPECT(
      MPI_ERR_RANK, "",
      MPI_Psend_init(value, 1, 1, MPI_INT, check_size, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  EXPECT(MPI_ERR_RANK, "source",
         MPI_Precv_init(value, 1, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                        &request));
  EXPECT(MPI_ERR_TAG, "tag",
         MPI_Precv_init(value, 1, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                        &request));
  EXPECT(MPI_ERR_TYPE, "",
         MPI_Precv_init(value, 1, 1, kNoType, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  EXPECT(MPI_ERR_INFO, "info",
         MPI_Precv_init(value, 1, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, (MPI_Info)MPI_COMM_WORLD,
                        &request));
  CHECK(request == MPI_REQUEST_NULL);
  EXPECT(MPI_ERR_REQUEST, "", MPI_Pready(0, request));
  EXPECT(MPI_ERR_REQUEST, "", MPI_Parrived((MPI_Request)MPI_COMM_WORLD, 0, &flag));
  OK(MPI_Send_init(value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &plain));
  EXPECT(MPI_ERR_REQUEST, "", MPI_Pready(0, plain));
  OK(MPI_Request_free(&plain));
}

static void infos(void) {
  MPI_Info info, none = MPI_INFO_NULL, made = MPI_INFO_NULL;
  char key[MPI_MAX_INFO_KEY], value[8], longer[MPI_MAX_INFO_KEY + 2];
  int n = -1, length = sizeof value, flag = -1;
  memset(longer, 'k', sizeof longer);
  longer[sizeof longer - 1] = '\0';
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "a", "b"));
  EXPECT(MPI_ERR_ARG, "info", MPI_Info_create(NULL));
  EXPECT(MPI_ERR_INFO, "", MPI_Info_dup(none, &made));
  EXPECT(MPI_ERR_ARG, "newinfo", MPI_Info_dup(info, NULL));
  EXPECT(MPI_ERR_INFO, "", MPI_Info_get_nkeys(none, &n));
  EXPECT(MPI_ERR_ARG, "nkeys", MPI_Info_get_nkeys(info, NULL));
  EXPECT(MPI_ERR_ARG, "n is 1", MPI_Info_get_nthkey(info, 1, key));
  EXPECT(MPI_ERR_ARG, "n is -1", MPI_Info_get_nthkey(info, -1, key));
  EXPECT(MPI_ERR_ARG, "key", MPI_Info_get_nthkey(info, 0, NULL));
  EXPECT(MPI_ERR_INFO, "", MPI_Info_get_nthkey(none, 0, key));
  EXPECT(MPI_ERR_INFO, "", MPI_Info_get_string(none, "a", &length, value, &flag));
  EXPECT(MPI_ERR_INFO_KEY, "key", MPI_Info_get_string(info, NULL, &length, value, &flag));
  EXPECT(MPI_ERR_INFO_KEY, "", MPI_Info_get_string(info, longer, &length, value, &flag));
  EXPECT(MPI_ERR_ARG, "buflen", MPI_Info_get_string(info, "a", NULL, value, &flag));
  EXPECT(MPI_ERR_ARG, "value", MPI_Info_get_string(info, "a", &length, NULL, &flag));
  EXPECT(MPI_ERR_ARG, "flag", MPI_Info_get_string(info, "a", &length, value, NULL));
  EXPECT(MPI_ERR_INFO_KEY, "", MPI_Info_set(info, longer, "x"));
  EXPECT(MPI_ERR_INFO_NOKEY, "none", MPI_Info_delete(info, "none"));
  CHECK(made == MPI_INFO_NULL && n == -1 && flag == -1);
  OK(MPI_Info_free(&info));
  EXPECT(MPI_ERR_ARG, "info", MPI_Abi_get_fortran_info(NULL));
}

static void operations_and_buffers(void) {
  int value = -1, in = 1, size = -1;
  MPI_Op op = MPI_OP_NULL;
  void* address = NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT(MPI_ERR_OP, "MPI_OP_NULL", MPI_Op_commutative(op, &value));
  EXPECT(MPI_ERR_ARG, "commute", MPI_Op_commutative(MPI_SUM, NULL));
  EXPECT(MPI_ERR_ARG, "user_fn", MPI_Op_create_c(NULL, 1, &op));
  EXPECT(MPI_ERR_OP, "", MPI_Reduce_local_c(&in, &value, 1, MPI_INT, op));
  EXPECT(MPI_ERR_COUNT, "", MPI_Reduce_local_c(&in, &value, -1, MPI_INT, MPI_SUM));
  EXPECT(MPI_ERR_TYPE, "", MPI_Reduce_local_c(&in, &value, 1, kNoType, MPI_SUM));
  FAILS(MPI_ERR_BUFFER, MPI_Buffer_detach(&address, &size)); /* none is attached */
  EXPECT(MPI_ERR_ARG, "", MPI_Buffer_detach(NULL, &size));
  EXPECT(MPI_ERR_ARG, "request", MPI_Buffer_iflush(NULL));
  OK(MPI_Buffer_flush());
  OK(MPI_Buffer_iflush(&request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  EXPECT(MPI_ERR_SESSION, "", MPI_Session_iflush_buffer(MPI_SESSION_NULL, &request));
  CHECK(value == -1 && op == MPI_OP_NULL && request == MPI_REQUEST_NULL);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  groups();
  communicators();
  hints();
  topologies();
  constructors();
  type_queries();
  completions();
  partitions();
  infos();
  operations_and_buffers();
  return check_end("wrong_arguments");
}
