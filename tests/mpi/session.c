/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * The Sessions Model: before, during, after and without MPI_Init; several sessions; process sets;
 * info; error handlers; wrong arguments. */
#include "check.h"

static int called, called_code;
static MPI_Session called_session;

static void on_error(MPI_Session* session, int* code, ...) {
  ++called;
  called_code = *code;
  called_session = *session;
}

static MPI_Session open_session(const char* level) {
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Info info = MPI_INFO_NULL;
  if (level != NULL) {
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "thread_level", level));
  }
  OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
  CHECK(session != MPI_SESSION_NULL);
  if (info != MPI_INFO_NULL) OK(MPI_Info_free(&info));
  return session;
}

/* The value of a key of an info object, which is freed. */
static const char* take(MPI_Info info, const char* key) {
  static char value[MPI_MAX_INFO_VAL];
  int length = sizeof value, flag = 0;
  OK(MPI_Info_get_string(info, key, &length, value, &flag));
  if (!flag) value[0] = '\0';
  OK(MPI_Info_free(&info));
  return value;
}

static void process_sets(MPI_Session session, int size) {
  int n = 0, world = 0, self = 0, length, result;
  char name[MPI_MAX_PSET_NAME_LEN], text[16];
  MPI_Info info;
  MPI_Group group, same;
  OK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n));
  CHECK(n >= 2);
  for (int i = 0; i < n; ++i) {
    int whole = 0;
    OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &whole, NULL));
    CHECK(whole > 1);
    length = sizeof name;
    memset(name, 'x', sizeof name);
    OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name));
    CHECK(length == whole && (int)strlen(name) == whole - 1);
    world += strcmp(name, "mpi://WORLD") == 0;
    self += strcmp(name, "mpi://SELF") == 0;
    /* A short buffer gets what fits, and the length of the whole. */
    char cut[5] = "zzzz";
    length = 4;
    OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, cut));
    CHECK(length == whole && cut[3] == '\0' && strncmp(cut, name, 3) == 0);
    length = 1;
    OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, cut));
    CHECK(length == whole && cut[0] == '\0');
    OK(MPI_Session_get_pset_info(session, name, &info));
    OK(MPI_Group_from_session_pset(session, name, &group));
    OK(MPI_Group_size(group, &length));
    snprintf(text, sizeof text, "%d", length);
    CHECK(strcmp(take(info, "mpi_size"), text) == 0);
    OK(MPI_Group_free(&group));
  }
  CHECK(world == 1 && self == 1);
  OK(MPI_Session_get_pset_info(session, "mpi://WORLD", &info));
  CHECK(atoi(take(info, "mpi_size")) == size || size == 0);
  OK(MPI_Group_from_session_pset(session, "mpi://SELF", &group));
  OK(MPI_Group_size(group, &n));
  CHECK(n == 1);
  OK(MPI_Group_rank(group, &n));
  CHECK(n == 0);
  OK(MPI_Group_from_session_pset(session, "MPI://self", &same)); /* no case in a scheme */
  OK(MPI_Group_compare(group, same, &result));
  CHECK(result == MPI_IDENT);
  OK(MPI_Group_free(&same));
  OK(MPI_Group_free(&group));
}

static void infos(void) {
  static const char* const kLevels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                        "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};
  MPI_Info info, used;
  MPI_Session session;
  for (int i = 0; i < 4; ++i) {
    session = open_session(kLevels[i]);
    OK(MPI_Session_get_info(session, &used));
    CHECK(strcmp(take(used, "thread_level"), kLevels[i]) == 0);
    OK(MPI_Session_finalize(&session));
  }
  session = open_session(NULL);
  OK(MPI_Session_get_info(session, &used));
  CHECK(strcmp(take(used, "mpi_memory_alloc_kinds"), "mpi,system") == 0);
  OK(MPI_Session_finalize(&session));
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "mpi_memory_alloc_kinds",
                  "system, cuda,mpi:alloc_mem:win_allocate,mpi:nonsense,rocm:device"));
  OK(MPI_Info_set(info, "nobody_knows_this", "1"));
  OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
  OK(MPI_Session_get_info(session, &used));
  CHECK(strcmp(take(used, "mpi_memory_alloc_kinds"), "mpi,system,mpi:alloc_mem:win_allocate") == 0);
  OK(MPI_Session_finalize(&session));
  OK(MPI_Info_free(&info));
}

/* Errors, under a handler of the session's own. */
static void errors(void) {
  MPI_Session session = open_session(NULL), stale, other = MPI_SESSION_NULL;
  MPI_Errhandler handler, again;
  MPI_Info info, bad;
  MPI_Group group;
  int n = 0, length = 4;
  char name[8];
  OK(MPI_Session_create_errhandler(on_error, &handler));
  OK(MPI_Session_set_errhandler(session, handler));
  OK(MPI_Session_get_errhandler(session, &again));
  CHECK(again == handler);
  OK(MPI_Errhandler_free(&again));
  OK(MPI_Errhandler_free(&handler)); /* the session keeps it */
  CHECK(handler == MPI_ERRHANDLER_NULL);
  called = 0;
  OK(MPI_Session_call_errhandler(session, MPI_ERR_OTHER));
  CHECK(called == 1 && called_code == MPI_ERR_OTHER && called_session == session);
  EXPECT(MPI_ERR_ARG, "nonsense", MPI_Group_from_session_pset(session, "nonsense", &group));
  CHECK(called == 2 && called_session == session);
  EXPECT(MPI_ERR_ARG, "pset_name", MPI_Group_from_session_pset(session, NULL, &group));
  EXPECT(MPI_ERR_ARG, "newgroup", MPI_Group_from_session_pset(session, "mpi://SELF", NULL));
  EXPECT(MPI_ERR_ARG, "pset", MPI_Session_get_pset_info(session, "mpi://", &info));
  EXPECT(MPI_ERR_ARG, "info", MPI_Session_get_pset_info(session, "mpi://SELF", NULL));
  EXPECT(MPI_ERR_ARG, "n is -1",
         MPI_Session_get_nth_pset(session, MPI_INFO_NULL, -1, &length, name));
  EXPECT(MPI_ERR_ARG, "n is 1000",
         MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 1000, &length, name));
  EXPECT(MPI_ERR_ARG, "pset_len", MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, NULL, name));
  EXPECT(MPI_ERR_ARG, "pset_name",
         MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, NULL));
  length = -2;
  EXPECT(MPI_ERR_ARG, "pset_len",
         MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name));
  EXPECT(MPI_ERR_ARG, "npset", MPI_Session_get_num_psets(session, MPI_INFO_NULL, NULL));
  EXPECT(MPI_ERR_ARG, "info_used", MPI_Session_get_info(session, NULL));
  EXPECT(MPI_ERR_ERRHANDLER, "MPI_ERRHANDLER_NULL",
         MPI_Session_set_errhandler(session, MPI_ERRHANDLER_NULL));
  CHECK(called == 14);
  /* An error that belongs to a group of the session. */
  OK(MPI_Group_from_session_pset(session, "mpi://SELF", &group));
  called = 0;
  EXPECT(MPI_ERR_RANK, "rank", MPI_Group_incl(group, 1, &(int){5}, &(MPI_Group){0}));
  CHECK(called == 1 && called_session == session);
  OK(MPI_Group_free(&group));
  OK(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN));

  /* MPI_Session_init raises its errors on the handler that it is given. */
  OK(MPI_Session_create_errhandler(on_error, &handler));
  OK(MPI_Info_create(&bad));
  OK(MPI_Info_set(bad, "thread_level", "MPI_THREAD_SOME"));
  called = 0;
  EXPECT(MPI_ERR_INFO_VALUE, "MPI_THREAD_SOME", MPI_Session_init(bad, handler, &other));
  CHECK(called == 1 && called_session == MPI_SESSION_NULL && other == MPI_SESSION_NULL);
  EXPECT(MPI_ERR_ARG, "session", MPI_Session_init(MPI_INFO_NULL, handler, NULL));
  CHECK(called == 2);
  OK(MPI_Info_free(&bad));
  OK(MPI_Errhandler_free(&handler));
  stale = session;
  OK(MPI_Session_finalize(&session));
  CHECK(session == MPI_SESSION_NULL);
  (void)stale;
  (void)n;
}

/* In the World Model errors without a valid session go to MPI_COMM_SELF. */
static void errors_without_session(void) {
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Errhandler handler;
  MPI_Group group;
  MPI_Info info;
  int n = 0;
  EXPECT(MPI_ERR_SESSION, "MPI_SESSION_NULL", MPI_Session_finalize(&session));
  EXPECT(MPI_ERR_ARG, "session", MPI_Session_finalize(NULL));
  EXPECT(MPI_ERR_SESSION, "MPI_SESSION_NULL",
         MPI_Group_from_session_pset(session, "mpi://SELF", &group));
  EXPECT(MPI_ERR_SESSION, "MPI_SESSION_NULL", MPI_Session_get_info(session, &info));
  EXPECT(MPI_ERR_SESSION, "session", MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n));
  EXPECT(MPI_ERR_SESSION, "session", MPI_Session_get_pset_info(session, "mpi://SELF", &info));
  EXPECT(MPI_ERR_SESSION, "session", MPI_Session_call_errhandler(session, MPI_ERR_OTHER));
  EXPECT(MPI_ERR_SESSION, "session", MPI_Session_get_errhandler(session, &handler));
  EXPECT(MPI_ERR_SESSION, "session", MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN));
  EXPECT(MPI_ERR_ERRHANDLER, "errhandler",
         MPI_Session_init(MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &session));
  EXPECT(MPI_ERR_ARG, "session_errhandler_fn", MPI_Session_create_errhandler(NULL, &handler));
  EXPECT(MPI_ERR_ARG, "errhandler", MPI_Session_create_errhandler(on_error, NULL));
}

static int comm_called;
static void on_comm_error(MPI_Comm* comm, int* code, ...) {
  ++comm_called;
  CHECK(*comm == MPI_COMM_NULL);
  CHECK(*code == MPI_ERR_ARG);
}

/* Errors while a communicator is made go to the handler that it was to have. */
static void errors_of_making(MPI_Session session, MPI_Group group) {
  MPI_Comm comm;
  MPI_Errhandler of_session, of_comm;
  OK(MPI_Session_create_errhandler(on_error, &of_session));
  OK(MPI_Comm_create_errhandler(on_comm_error, &of_comm));
  OK(MPI_Session_set_errhandler(session, of_session));
  called = comm_called = 0;
  EXPECT(MPI_ERR_ARG, "stringtag",
         MPI_Comm_create_from_group(group, NULL, MPI_INFO_NULL, of_comm, &comm));
  EXPECT(MPI_ERR_ARG, "newintercomm",
         MPI_Intercomm_create_from_groups(group, 0, group, 0, "x", MPI_INFO_NULL, of_comm, NULL));
  CHECK(comm_called == 2);
  CHECK(called == 0);
  OK(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN));
  OK(MPI_Errhandler_free(&of_session));
  OK(MPI_Errhandler_free(&of_comm));
}

/* The processes of a session talk: a communicator from its group. */
static void talk(MPI_Session session, const char* tag) {
  MPI_Group group;
  MPI_Comm comm;
  int rank, size, sum = 0;
  OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
  errors_of_making(session, group);
  OK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
  OK(MPI_Comm_rank(comm, &rank));
  OK(MPI_Comm_size(comm, &size));
  OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
  CHECK(sum == size * (size - 1) / 2);
  check_rank = rank;
  check_size = size;
  OK(MPI_Comm_disconnect(&comm));
  OK(MPI_Group_free(&group));
}

static int phases(void) {
  int flag = -1, level = -1;
  MPI_Session first, second, across;
  /* Nothing but sessions. */
  for (int i = 0; i < 3; ++i) {
    first = open_session(i == 1 ? "MPI_THREAD_SINGLE" : NULL);
    OK(MPI_Initialized(&flag));
    CHECK(flag == 0); /* of the World Model only */
    second = open_session(NULL);
    talk(first, "first");
    OK(MPI_Session_finalize(&first));
    talk(second, "second");
    OK(MPI_Session_finalize(&second));
  }
  infos();
  errors();
  /* A session across the whole life of the World Model, which opens in between. */
  across = open_session(NULL);
  OK(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level));
  CHECK(level >= MPI_THREAD_SERIALIZED);
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &check_size);
  errors_without_session();
  process_sets(across, check_size);
  talk(across, "across");
  first = open_session(NULL);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  int all = 0;
  MPI_Allreduce(&check_failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  OK(MPI_Finalize());
  OK(MPI_Finalized(&flag));
  CHECK(flag == 1);
  /* Sessions outlive the World Model. */
  talk(first, "after");
  OK(MPI_Session_finalize(&across));
  talk(first, "alone");
  errors();
  OK(MPI_Session_finalize(&first));
  second = open_session("MPI_THREAD_MULTIPLE");
  process_sets(second, check_size);
  talk(second, "last");
  OK(MPI_Session_finalize(&second));
  return all;
}

int main(int argc, char** argv) {
  int all;
  if (argc > 1 && strcmp(argv[1], "after") == 0) { /* the first session after MPI_Finalize */
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    MPI_Session session = open_session(NULL);
    talk(session, "after");
    OK(MPI_Session_finalize(&session));
    all = 0;
  } else {
    all = phases();
  }
  all += check_failures;
  if (check_rank == 0)
    printf("session: %s (%d ranks)\n", all == 0 ? "passed" : "FAILED", check_size);
  return all != 0;
}
