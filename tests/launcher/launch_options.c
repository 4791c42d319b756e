/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * What programs see of mpirun's options -initial-errhandler and -memory-alloc-kinds, of the
 * parameter check_arguments, and of several programs in one job: see launch_options.sh. */
#include "tests/mpi/check.h"

/* The value of a key of an info object, which is freed; "" if there is none. */
static const char* take(MPI_Info info, const char* key) {
  static char value[MPI_MAX_INFO_VAL];
  int length = sizeof value, flag = 0;
  OK(MPI_Info_get_string(info, key, &length, value, &flag));
  if (!flag) value[0] = '\0';
  OK(MPI_Info_free(&info));
  return value;
}

static MPI_Errhandler handler_of(MPI_Comm comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  OK(MPI_Comm_get_errhandler(comm, &handler));
  return handler;
}

/* Errors of calls without an object, before MPI_Init, after it and after MPI_Finalize. */
static int handlers(int* argc, char*** argv, const char* name) {
  const MPI_Errhandler expected = strcmp(name, "mpi_errors_return") == 0  ? MPI_ERRORS_RETURN
                                  : strcmp(name, "mpi_errors_abort") == 0 ? MPI_ERRORS_ABORT
                                                                          : MPI_ERRORS_ARE_FATAL;
  MPI_Comm copy, named = MPI_COMM_NULL;
  MPI_Group group;
  MPI_Info none = MPI_INFO_NULL;
  int flag, size;
  if (expected == MPI_ERRORS_RETURN) EXPECT(MPI_ERR_INFO, "MPI_INFO_NULL", MPI_Info_free(&none));
  check_start(argc, argv);
  CHECK(handler_of(MPI_COMM_WORLD) == expected && handler_of(MPI_COMM_SELF) == expected);
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  CHECK(handler_of(copy) == expected);
  OK(MPI_Comm_group(copy, &group));
  OK(MPI_Comm_create_from_group(group, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &named));
  CHECK(handler_of(named) == MPI_ERRORS_RETURN); /* its own argument */
  FAILS(MPI_ERR_RANK, MPI_Send(&size, 1, MPI_INT, check_size, 0, named));
  if (expected == MPI_ERRORS_RETURN) {
    FAILS(MPI_ERR_TYPE, MPI_Type_size(MPI_DATATYPE_NULL, &size));
    FAILS(MPI_ERR_COMM, MPI_Comm_size(MPI_COMM_NULL, &size));
    FAILS(MPI_ERR_RANK, MPI_Send(&size, 1, MPI_INT, check_size, 0, copy));
    FAILS(MPI_ERR_OTHER, MPI_Init(NULL, NULL));
    FAILS(MPI_ERR_SESSION, MPI_Session_finalize(&(MPI_Session){MPI_SESSION_NULL}));
    /* Setting a handler on one does nothing to the other. */
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    FAILS(MPI_ERR_TYPE, MPI_Type_size(MPI_DATATYPE_NULL, &size));
  }
  OK(MPI_Comm_free(&copy));
  OK(MPI_Comm_free(&named));
  OK(MPI_Group_free(&group));
  const int failed = check_end("launch_options handlers");
  if (expected == MPI_ERRORS_RETURN) {
    FAILS(MPI_ERR_INFO, MPI_Info_free(&none));
    FAILS(MPI_ERR_ARG, MPI_Finalized(NULL));
    OK(MPI_Finalized(&flag));
  }
  return failed || check_failures != 0;
}

/* An error that the handler does not let pass. */
static void raise_error(const char* where) {
  MPI_Info none = MPI_INFO_NULL;
  int size;
  if (strcmp(where, "before") == 0) MPI_Info_free(&none);
  MPI_Init(NULL, NULL);
  if (strcmp(where, "inside") == 0) MPI_Comm_size(MPI_COMM_NULL, &size);
  MPI_Finalize();
  MPI_Info_free(&none);
}

static int kinds(int* argc, char*** argv, const char* expected) {
  MPI_Info info;
  MPI_Session session;
  MPI_Comm copy;
  check_start(argc, argv);
  OK(MPI_Comm_get_info(MPI_COMM_WORLD, &info));
  CHECK(strcmp(take(info, "mpi_memory_alloc_kinds"), expected) == 0);
  OK(MPI_Comm_dup(MPI_COMM_SELF, &copy));
  OK(MPI_Comm_get_info(copy, &info));
  CHECK(strcmp(take(info, "mpi_memory_alloc_kinds"), expected) == 0);
  OK(MPI_Comm_free(&copy));
  OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  OK(MPI_Session_get_info(session, &info));
  CHECK(strcmp(take(info, "mpi_memory_alloc_kinds"), expected) == 0);
  OK(MPI_Session_finalize(&session));
  /* A session that asks for itself. */
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "mpi_memory_alloc_kinds", "system,rocm:device,mpi:alloc_mem"));
  OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
  OK(MPI_Info_free(&info));
  OK(MPI_Session_get_info(session, &info));
  CHECK(strcmp(take(info, "mpi_memory_alloc_kinds"), "mpi,system,mpi:alloc_mem") == 0);
  OK(MPI_Session_finalize(&session));
  void* memory = NULL;
  OK(MPI_Alloc_mem(100, MPI_INFO_NULL, &memory));
  OK(MPI_Free_mem(memory));
  return check_end("launch_options kinds");
}

/* `programs` are as many as the job has, or 0 if there is one only, which has no set of its own;
 * program i has i + 1 ranks. */
static int sets(int* argc, char*** argv, int programs, int mine) {
  MPI_Session session;
  int n = 0, found = 0, flag = 0, rank, size, sum = 0;
  int* number = NULL;
  char name[MPI_MAX_PSET_NAME_LEN];
  check_start(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &flag));
  CHECK(flag && *number == mine);
  OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  OK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n));
  CHECK(n == 2 + programs);
  for (int i = 0; i < n; ++i) {
    MPI_Group group;
    MPI_Info info;
    MPI_Comm comm;
    int length = sizeof name, program = -1;
    OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name));
    if (sscanf(name, "mpirun://program/%d", &program) != 1) continue;
    ++found;
    OK(MPI_Session_get_pset_info(session, name, &info));
    CHECK(atoi(take(info, "mpi_size")) == program + 1);
    OK(MPI_Group_from_session_pset(session, name, &group));
    OK(MPI_Group_size(group, &size));
    OK(MPI_Group_rank(group, &rank));
    CHECK(size == program + 1 && (rank != MPI_UNDEFINED) == (program == mine));
    if (rank != MPI_UNDEFINED) {
      OK(MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
      OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, comm));
      /* Its ranks follow each other. */
      const int first = mine * (mine + 1) / 2;
      CHECK(sum == size * first + size * (size - 1) / 2);
      OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Group_free(&group));
  }
  CHECK(found == programs);
  OK(MPI_Session_finalize(&session));
  /* The same from the World Model. */
  MPI_Info guide;
  MPI_Comm part;
  OK(MPI_Info_create(&guide));
  snprintf(name, sizeof name, "mpirun://program/%d", programs - 1);
  OK(MPI_Info_set(guide, "mpi_pset_name", name));
  OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, guide, &part));
  CHECK((part != MPI_COMM_NULL) == (mine == programs - 1));
  if (part != MPI_COMM_NULL) {
    OK(MPI_Comm_size(part, &size));
    CHECK(size == programs);
    OK(MPI_Comm_free(&part));
  }
  OK(MPI_Info_free(&guide));
  return check_end("launch_options sets");
}

/* With the checks off, what only a check forbids is done, and handles of nothing stay errors. */
static int unchecked(int* argc, char*** argv, int checks) {
  MPI_Datatype three, none = MPI_DATATYPE_NULL;
  MPI_Op null_op = MPI_OP_NULL;
  MPI_Request garbage = (MPI_Request)MPI_COMM_WORLD;
  int in[3] = {1, 2, 3}, out[3] = {0, 0, 0}, flag;
  check_start(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  OK(MPI_Type_contiguous(3, MPI_INT, &three)); /* not committed */
  if (checks) {
    EXPECT(
        MPI_ERR_TYPE, "not committed",
        MPI_Sendrecv(in, 1, three, 0, 1, out, 3, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    EXPECT(MPI_ERR_COUNT, "count is -1",
           MPI_Send(in, -1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF));
    EXPECT(MPI_ERR_TAG, "tag is -7", MPI_Send(in, 1, MPI_INT, MPI_PROC_NULL, -7, MPI_COMM_SELF));
    EXPECT(MPI_ERR_ROOT, "root is 99", MPI_Bcast(in, 0, MPI_INT, 99, MPI_COMM_WORLD));
  } else {
    OK(MPI_Sendrecv(in, 1, three, 0, 1, out, 3, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK(out[0] == 1 && out[2] == 3);
    memset(out, 0, sizeof out);
    OK(MPI_Sendrecv(in, 3, MPI_INT, 0, 1, out, 1, three, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK(out[0] == 1 && out[2] == 3);
    OK(MPI_Send(in, 1, MPI_INT, MPI_PROC_NULL, -7, MPI_COMM_SELF)); /* to nobody */
  }
  EXPECT(MPI_ERR_COMM, "MPI_COMM_NULL", MPI_Send(in, 1, MPI_INT, 0, 1, MPI_COMM_NULL));
  EXPECT(MPI_ERR_TYPE, "MPI_DATATYPE_NULL", MPI_Send(in, 1, none, 0, 1, MPI_COMM_SELF));
  EXPECT(MPI_ERR_OP, "MPI_OP_NULL", MPI_Allreduce(in, out, 1, MPI_INT, null_op, MPI_COMM_SELF));
  EXPECT(MPI_ERR_OP, "MPI_BAND", MPI_Reduce_local(in, out, 1, MPI_FLOAT, MPI_BAND));
  EXPECT(MPI_ERR_REQUEST, "not a request", MPI_Test(&garbage, &flag, MPI_STATUS_IGNORE));
  EXPECT(MPI_ERR_ARG, "size", MPI_Comm_size(MPI_COMM_SELF, NULL));
  EXPECT(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Group_size(MPI_GROUP_NULL, &flag));
  EXPECT(MPI_ERR_INFO, "MPI_INFO_NULL", MPI_Comm_set_info(MPI_COMM_SELF, MPI_INFO_NULL));
  EXPECT(
      MPI_ERR_TRUNCATE, "",
      MPI_Sendrecv(in, 3, MPI_INT, 0, 1, out, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  OK(MPI_Type_free(&three));
  return check_end("launch_options unchecked");
}

int main(int argc, char** argv) {
  const char* what = argc > 2 ? argv[1] : "";
  if (strcmp(what, "handlers") == 0) return handlers(&argc, &argv, argv[2]);
  if (strcmp(what, "kinds") == 0) return kinds(&argc, &argv, argv[2]);
  if (strcmp(what, "checks") == 0) return unchecked(&argc, &argv, strcmp(argv[2], "yes") == 0);
  if (strcmp(what, "sets") == 0 && argc > 3)
    return sets(&argc, &argv, atoi(argv[2]), atoi(argv[3]));
  if (strcmp(what, "raise") == 0) raise_error(argv[2]);
  fprintf(stderr, "usage: see launch_options.sh\n");
  return 2;
}
