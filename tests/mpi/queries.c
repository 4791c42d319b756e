/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Small functions that ask or convert: statuses, the environment, addresses, handles as integers,
 * names, and the forms that MPI has deprecated. */
#include "check.h"

static void statuses(void) {
  MPI_Status status, empty;
  int value = -1;
  memset(&status, 0, sizeof status);
  OK(MPI_Status_set_source(&status, 12));
  OK(MPI_Status_set_tag(&status, 34));
  OK(MPI_Status_set_error(&status, MPI_ERR_TRUNCATE));
  CHECK(status.MPI_SOURCE == 12 && status.MPI_TAG == 34 && status.MPI_ERROR == MPI_ERR_TRUNCATE);
  OK(MPI_Status_get_source(&status, &value));
  CHECK(value == 12);
  OK(MPI_Status_get_tag(&status, &value));
  CHECK(value == 34);
  OK(MPI_Status_get_error(&status, &value));
  CHECK(value == MPI_ERR_TRUNCATE);
  OK(MPI_Status_set_cancelled(&status, 1));
  OK(MPI_Test_cancelled(&status, &value));
  CHECK(value == 1);
  OK(MPI_Status_set_cancelled(&status, 0));
  OK(MPI_Test_cancelled(&status, &value));
  CHECK(value == 0);
  EXPECT(MPI_ERR_ARG, "status", MPI_Status_set_source(NULL, 1));
  EXPECT(MPI_ERR_ARG, "status", MPI_Status_set_error(NULL, 1));
  EXPECT(MPI_ERR_ARG, "status", MPI_Status_get_tag(NULL, &value));
  EXPECT(MPI_ERR_ARG, "", MPI_Status_get_tag(&status, NULL));
  EXPECT(MPI_ERR_ARG, "", MPI_Status_get_error(&status, NULL));
  EXPECT(MPI_ERR_ARG, "status", MPI_Status_get_error(NULL, &value));
  EXPECT(MPI_ERR_ARG, "status", MPI_Status_set_cancelled(NULL, 1));
  EXPECT(MPI_ERR_ARG, "", MPI_Test_cancelled(&status, NULL));
  /* An empty status (section 3.7.3). */
  MPI_Request none = MPI_REQUEST_NULL;
  OK(MPI_Wait(&none, &empty));
  OK(MPI_Status_get_source(&empty, &value));
  CHECK(value == MPI_ANY_SOURCE);
  OK(MPI_Status_get_tag(&empty, &value));
  CHECK(value == MPI_ANY_TAG);
  OK(MPI_Get_count(&empty, MPI_INT, &value));
  CHECK(value == 0);
  OK(MPI_Test_cancelled(&empty, &value));
  CHECK(value == 0);
  /* Counts that an int, or a whole number of elements, cannot say. */
  MPI_Count count = 0;
  const MPI_Count huge = (MPI_Count)5 << 31;
  OK(MPI_Status_set_elements_c(&status, MPI_BYTE, huge));
  OK(MPI_Get_count(&status, MPI_BYTE, &value));
  CHECK(value == MPI_UNDEFINED);
  OK(MPI_Get_elements(&status, MPI_BYTE, &value));
  CHECK(value == MPI_UNDEFINED);
  OK(MPI_Get_count_c(&status, MPI_BYTE, &count));
  CHECK(count == huge);
  OK(MPI_Get_elements_c(&status, MPI_BYTE, &count));
  CHECK(count == huge);
  OK(MPI_Get_elements_x(&status, MPI_BYTE, &count));
  CHECK(count == huge);
  OK(MPI_Status_set_elements(&status, MPI_BYTE, 6));
  OK(MPI_Get_count(&status, MPI_INT, &value));
  CHECK(value == MPI_UNDEFINED);
  OK(MPI_Get_count_c(&status, MPI_INT, &count));
  CHECK(count == MPI_UNDEFINED);
  EXPECT(MPI_ERR_TYPE, "MPI_DATATYPE_NULL", MPI_Get_count_c(&status, MPI_DATATYPE_NULL, &count));
  EXPECT(MPI_ERR_ARG, "count", MPI_Get_count_c(&status, MPI_INT, NULL));
  EXPECT(MPI_ERR_ARG, "status", MPI_Get_elements_c(NULL, MPI_INT, &count));
  EXPECT(MPI_ERR_TYPE, "", MPI_Get_elements_x(&status, MPI_DATATYPE_NULL, &count));
}

static void environment(void) {
  char name[MPI_MAX_PROCESSOR_NAME + 1];
  int length = -1;
  memset(name, 'x', sizeof name);
  OK(MPI_Get_processor_name(name, &length));
  CHECK(length > 0 && length < MPI_MAX_PROCESSOR_NAME && name[length] == '\0');
  CHECK((int)strlen(name) == length);
  EXPECT(MPI_ERR_ARG, "name", MPI_Get_processor_name(NULL, &length));
  EXPECT(MPI_ERR_ARG, "resultlen", MPI_Get_processor_name(name, NULL));
  const double tick = MPI_Wtick(), start = MPI_Wtime();
  CHECK(tick > 0 && tick < 1e-3);
  double now = start;
  while (now == start) now = MPI_Wtime();
  CHECK(now > start && now - start < 1000);
  OK(MPI_Pcontrol(0));
  OK(MPI_Pcontrol(1));
  OK(MPI_Pcontrol(2, "anything", 3.0));
  MPI_Comm parent = MPI_COMM_WORLD;
  OK(MPI_Comm_get_parent(&parent));
  CHECK(parent == MPI_COMM_NULL);
  EXPECT(MPI_ERR_ARG, "parent", MPI_Comm_get_parent(NULL));
  int version = 0, subversion = -1;
  OK(MPI_Get_version(&version, &subversion));
  CHECK(version == MPI_VERSION && subversion == MPI_SUBVERSION);
  EXPECT(MPI_ERR_ARG, "", MPI_Get_version(NULL, &subversion));
  int level = -1, flag = -1;
  OK(MPI_Query_thread(&level));
  CHECK(level >= MPI_THREAD_SINGLE && level <= MPI_THREAD_MULTIPLE);
  EXPECT(MPI_ERR_ARG, "provided", MPI_Query_thread(NULL));
  OK(MPI_Is_thread_main(&flag));
  CHECK(flag == 1);
  EXPECT(MPI_ERR_ARG, "flag", MPI_Is_thread_main(NULL));
}

static void addresses(void) {
  char memory[100];
  MPI_Aint first = 0, last = 0;
  OK(MPI_Get_address(memory, &first));
  OK(MPI_Get_address(memory + 99, &last));
  CHECK(MPI_Aint_diff(last, first) == 99 && MPI_Aint_diff(first, last) == -99);
  CHECK(MPI_Aint_add(first, 99) == last && MPI_Aint_add(last, -99) == first);
  CHECK((char*)MPI_Aint_add(first, 5) == memory + 5);
  /* Addresses beyond the middle of the address space wrap as pointers do. */
  CHECK(MPI_Aint_add(MPI_Aint_add(INTPTR_MAX, 1), -1) == INTPTR_MAX);
  OK(MPI_Get_address(MPI_BOTTOM, &first));
  CHECK(first == 0);
  EXPECT(MPI_ERR_ARG, "address", MPI_Get_address(memory, NULL));
}

/* The forms with MPI_Count that MPI-3.0 had, and the ones without a letter. */
static void extents(void) {
  MPI_Datatype sparse, huge;
  MPI_Count size = -1, low = 0, extent = 0, true_low = 0, true_extent = 0;
  MPI_Aint lb = 0, length = 0;
  int bytes = -1;
  const int lengths[2] = {2, 1};
  const MPI_Aint places[2] = {-16, 40};
  OK(MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &sparse));
  OK(MPI_Type_size_x(sparse, &size));
  CHECK(size == 12);
  OK(MPI_Type_get_extent_x(sparse, &low, &extent));
  CHECK(low == -16 && extent == 60);
  OK(MPI_Type_get_true_extent_x(sparse, &true_low, &true_extent));
  CHECK(true_low == -16 && true_extent == 60);
  OK(MPI_Type_create_resized(sparse, -100, 300, &huge));
  OK(MPI_Type_get_extent_x(huge, &low, &extent));
  CHECK(low == -100 && extent == 300);
  OK(MPI_Type_get_true_extent(huge, &lb, &length));
  CHECK(lb == -16 && length == 60);
  OK(MPI_Type_free(&huge));
  OK(MPI_Type_contiguous_c((MPI_Count)5 << 31, MPI_CHAR, &huge));
  OK(MPI_Type_size(huge, &bytes));
  CHECK(bytes == MPI_UNDEFINED);
  OK(MPI_Type_size_x(huge, &size));
  CHECK(size == (MPI_Count)5 << 31);
  OK(MPI_Type_get_true_extent_x(huge, &true_low, &true_extent));
  CHECK(true_extent == (MPI_Count)5 << 31);
  OK(MPI_Type_free(&huge));
  OK(MPI_Type_free(&sparse));
  EXPECT(MPI_ERR_TYPE, "MPI_DATATYPE_NULL", MPI_Type_size_x(MPI_DATATYPE_NULL, &size));
  EXPECT(MPI_ERR_TYPE, "", MPI_Type_get_extent_x(MPI_DATATYPE_NULL, &low, &extent));
  EXPECT(MPI_ERR_TYPE, "", MPI_Type_get_true_extent_x(MPI_DATATYPE_NULL, &low, &extent));
  EXPECT(MPI_ERR_TYPE, "", MPI_Type_get_true_extent(MPI_DATATYPE_NULL, &lb, &length));
  EXPECT(MPI_ERR_ARG, "size", MPI_Type_size_x(MPI_INT, NULL));
  EXPECT(MPI_ERR_ARG, "", MPI_Type_get_extent_x(MPI_INT, NULL, &extent));
  EXPECT(MPI_ERR_ARG, "", MPI_Type_get_true_extent_x(MPI_INT, &low, NULL));
  EXPECT(MPI_ERR_ARG, "", MPI_Type_get_true_extent(MPI_INT, NULL, &length));
}

/* A handle comes back from its integer, and the predefined ones are the ABI's numbers. */
#define SAME(Kind, kind_of, handle)                                                          \
  do {                                                                                       \
    const int number = MPI_##Kind##_toint(handle);                                           \
    CHECK(MPI_##Kind##_fromint(number) == (handle));                                         \
    CHECK(MPI_##Kind##_toint(MPI_##Kind##_fromint(number)) == number);                       \
    CHECK(MPI_##Kind##_fromint(MPI_##Kind##_toint(kind_of##_NULL)) == kind_of##_NULL);       \
    CHECK(MPI_##Kind##_toint(kind_of##_NULL) == (int)(intptr_t)kind_of##_NULL);              \
    CHECK(MPI_##Kind##_fromint(1 << 30) == kind_of##_NULL); /* nobody has that number yet */ \
    CHECK(MPI_##Kind##_fromint(-1) == kind_of##_NULL);                                       \
  } while (0)

static void nothing(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
}

static void integers(void) {
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Errhandler handler;
  MPI_Group group;
  MPI_Info info;
  MPI_Message message;
  MPI_Op op;
  MPI_Request request, send;
  MPI_Session session;
  int value = 1;
  OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
  OK(MPI_Type_contiguous(2, MPI_INT, &type));
  OK(MPI_Comm_create_errhandler(nothing, &handler));
  OK(MPI_Comm_group(comm, &group));
  OK(MPI_Info_create(&info));
  OK(MPI_Op_create((MPI_User_function*)(void (*)(void))nothing, 1, &op));
  OK(MPI_Irecv(&value, 1, MPI_INT, 0, 1, comm, &request));
  OK(MPI_Isend(&value, 1, MPI_INT, 0, 2, comm, &send));
  OK(MPI_Mprobe(0, 2, comm, &message, MPI_STATUS_IGNORE));
  OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  SAME(Comm, MPI_COMM, comm);
  SAME(Comm, MPI_COMM, MPI_COMM_WORLD);
  SAME(Type, MPI_DATATYPE, type);
  SAME(Type, MPI_DATATYPE, MPI_DOUBLE);
  SAME(Errhandler, MPI_ERRHANDLER, handler);
  SAME(Errhandler, MPI_ERRHANDLER, MPI_ERRORS_RETURN);
  SAME(Group, MPI_GROUP, group);
  SAME(Group, MPI_GROUP, MPI_GROUP_EMPTY);
  SAME(Info, MPI_INFO, info);
  SAME(Op, MPI_OP, op);
  SAME(Op, MPI_OP, MPI_SUM);
  SAME(Request, MPI_REQUEST, request);
  SAME(Message, MPI_MESSAGE, message);
  SAME(Message, MPI_MESSAGE, MPI_MESSAGE_NO_PROC);
  SAME(Session, MPI_SESSION, session);
  SAME(Win, MPI_WIN, MPI_WIN_NULL);
  SAME(File, MPI_FILE, MPI_FILE_NULL);
  CHECK(MPI_Comm_toint(comm) != MPI_Comm_toint(MPI_COMM_SELF));
  CHECK(MPI_Type_toint(MPI_INT) == (int)(intptr_t)MPI_INT);
  OK(MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
  OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
  OK(MPI_Send(&value, 1, MPI_INT, 0, 1, comm));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  OK(MPI_Session_finalize(&session));
  OK(MPI_Op_free(&op));
  OK(MPI_Info_free(&info));
  OK(MPI_Group_free(&group));
  OK(MPI_Errhandler_free(&handler));
  OK(MPI_Type_free(&type));
  OK(MPI_Comm_free(&comm));
}

static void names(void) {
  char name[MPI_MAX_OBJECT_NAME], longer[2 * MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Comm copy;
  MPI_Datatype type;
  memset(longer, 'n', sizeof longer);
  longer[sizeof longer - 1] = '\0';
  OK(MPI_Comm_dup(MPI_COMM_SELF, &copy));
  OK(MPI_Comm_get_name(copy, name, &length));
  CHECK(length == 0 && name[0] == '\0'); /* not that of its parent */
  OK(MPI_Comm_set_name(copy, longer));
  OK(MPI_Comm_get_name(copy, name, &length));
  CHECK(length == MPI_MAX_OBJECT_NAME - 1 && (int)strlen(name) == length);
  OK(MPI_Comm_set_name(copy, ""));
  OK(MPI_Comm_get_name(copy, name, &length));
  CHECK(length == 0);
  OK(MPI_Comm_get_name(MPI_COMM_NULL, name, &length));
  CHECK(strcmp(name, "MPI_COMM_NULL") == 0 && length == 13);
  EXPECT(MPI_ERR_COMM, "", MPI_Comm_set_name(MPI_COMM_NULL, "x"));
  EXPECT(MPI_ERR_ARG, "comm_name", MPI_Comm_set_name(copy, NULL));
  EXPECT(MPI_ERR_ARG, "comm_name", MPI_Comm_get_name(copy, NULL, &length));
  EXPECT(MPI_ERR_ARG, "resultlen", MPI_Comm_get_name(copy, name, NULL));
  OK(MPI_Comm_free(&copy));
  OK(MPI_Type_contiguous(2, MPI_INT, &type));
  OK(MPI_Type_get_name(type, name, &length));
  CHECK(length == 0);
  EXPECT(MPI_ERR_ARG, "type_name", MPI_Type_set_name(type, NULL));
  OK(MPI_Type_get_name(MPI_INT, name, &length));
  EXPECT(MPI_ERR_ARG, "type_name", MPI_Type_set_name(MPI_INT, NULL));
  OK(MPI_Type_get_name(MPI_INT, name, &length));
  CHECK(strcmp(name, "MPI_INT") == 0);
  OK(MPI_Type_set_name(MPI_INT, "mine"));
  OK(MPI_Type_get_name(MPI_INT, name, &length));
  CHECK(strcmp(name, "mine") == 0);
  OK(MPI_Type_set_name(MPI_INT, "MPI_INT"));
  OK(MPI_Type_set_name(type, longer));
  OK(MPI_Type_get_name(type, name, &length));
  CHECK(length == MPI_MAX_OBJECT_NAME - 1);
  OK(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length));
  CHECK(strcmp(name, "MPI_DATATYPE_NULL") == 0);
  EXPECT(MPI_ERR_TYPE, "", MPI_Type_set_name(MPI_DATATYPE_NULL, "x"));
  EXPECT(MPI_ERR_ARG, "resultlen", MPI_Type_get_name(type, name, NULL));
  OK(MPI_Type_free(&type));
}

/* MPI_Info_get and MPI_Info_get_valuelen, deprecated since MPI-4.0. */
static void old_info(void) {
  MPI_Info info;
  char value[20];
  int flag = -1, length = -1;
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "key", "a value"));
  OK(MPI_Info_get_valuelen(info, "key", &length, &flag));
  CHECK(flag == 1 && length == 7);
  length = 99;
  OK(MPI_Info_get_valuelen(info, "none", &length, &flag));
  CHECK(flag == 0 && length == 99);
  memset(value, 'x', sizeof value);
  OK(MPI_Info_get(info, "key", 19, value, &flag));
  CHECK(flag == 1 && strcmp(value, "a value") == 0 && value[8] == 'x');
  memset(value, 'x', sizeof value);
  OK(MPI_Info_get(info, "key", 3, value, &flag)); /* without the end of the string, it says */
  CHECK(flag == 1 && strcmp(value, "a v") == 0 && value[4] == 'x');
  OK(MPI_Info_get(info, "none", 3, value, &flag));
  CHECK(flag == 0 && strcmp(value, "a v") == 0);
  EXPECT(MPI_ERR_INFO_KEY, "", MPI_Info_get(info, "", 3, value, &flag));
  EXPECT(MPI_ERR_ARG, "valuelen", MPI_Info_get(info, "key", -1, value, &flag));
  EXPECT(MPI_ERR_ARG, "flag", MPI_Info_get(info, "key", 3, value, NULL));
  EXPECT(MPI_ERR_INFO, "MPI_INFO_NULL", MPI_Info_get(MPI_INFO_NULL, "key", 3, value, &flag));
  EXPECT(MPI_ERR_INFO, "", MPI_Info_get_valuelen(MPI_INFO_NULL, "key", &length, &flag));
  EXPECT(MPI_ERR_ARG, "", MPI_Info_get_valuelen(info, "key", NULL, &flag));
  EXPECT(MPI_ERR_INFO_KEY, "", MPI_Info_get_valuelen(info, NULL, &length, &flag));
  OK(MPI_Info_free(&info));
}

static int copies, deletions, refuse;
static int copy_value(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm;
  (void)key;
  (void)extra;
  ++copies;
  *(void**)out = in;
  *flag = 1;
  return refuse ? MPI_ERR_OTHER : MPI_SUCCESS;
}
static int delete_value(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm;
  (void)key;
  ++deletions;
  if (value != extra) ++check_failures;
  return refuse ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* Attributes by their names of MPI-1. */
static void old_attributes(void) {
  int key = MPI_KEYVAL_INVALID, flag = -1, mine = 5;
  void* value = NULL;
  MPI_Comm comm, copy;
  OK(MPI_Keyval_create(copy_value, delete_value, &key, &mine));
  OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
  OK(MPI_Attr_get(comm, key, &value, &flag));
  CHECK(flag == 0);
  OK(MPI_Attr_put(comm, key, &mine));
  OK(MPI_Attr_get(comm, key, &value, &flag));
  CHECK(flag == 1 && value == &mine);
  OK(MPI_Comm_get_attr(comm, key, &value, &flag)); /* the same attributes */
  CHECK(flag == 1 && value == &mine);
  OK(MPI_Comm_dup(comm, &copy));
  CHECK(copies == 1);
  OK(MPI_Attr_get(copy, key, &value, &flag));
  CHECK(flag == 1 && value == &mine);
  OK(MPI_Attr_delete(copy, key));
  CHECK(deletions == 1);
  OK(MPI_Attr_get(copy, key, &value, &flag));
  CHECK(flag == 0);
  OK(MPI_Comm_free(&copy));
  CHECK(deletions == 1);
  refuse = 1;
  FAILS(MPI_ERR_OTHER, MPI_Attr_delete(comm, key));
  FAILS(MPI_ERR_OTHER, MPI_Comm_dup(comm, &copy));
  FAILS(MPI_ERR_OTHER, MPI_Comm_free(&comm));
  refuse = 0;
  OK(MPI_Attr_get(comm, key, &value, &flag));
  CHECK(flag == 1);
  OK(MPI_Attr_get(comm, MPI_TAG_UB, &value, &flag));
  CHECK(flag == 0 || *(int*)value >= 32767);
  int freed = key;
  OK(MPI_Keyval_free(&freed));
  CHECK(freed == MPI_KEYVAL_INVALID);
  EXPECT(MPI_ERR_KEYVAL, "freed", MPI_Attr_put(comm, key, &mine));
  EXPECT(MPI_ERR_KEYVAL, "MPI_KEYVAL_INVALID", MPI_Keyval_free(&freed));
  EXPECT(MPI_ERR_KEYVAL, "read-only", MPI_Attr_put(comm, MPI_TAG_UB, &mine));
  EXPECT(MPI_ERR_KEYVAL, "read-only", MPI_Attr_delete(comm, MPI_TAG_UB));
  EXPECT(MPI_ERR_COMM, "", MPI_Attr_put(MPI_COMM_NULL, key, &mine));
  EXPECT(MPI_ERR_COMM, "", MPI_Attr_get(MPI_COMM_NULL, key, &value, &flag));
  EXPECT(MPI_ERR_COMM, "", MPI_Attr_delete(MPI_COMM_NULL, key));
  EXPECT(MPI_ERR_ARG, "keyval", MPI_Keyval_create(copy_value, delete_value, NULL, NULL));
  EXPECT(MPI_ERR_ARG, "keyval", MPI_Keyval_free(NULL));
  deletions = 0;
  OK(MPI_Comm_free(&comm)); /* deletes the attribute of the freed key */
  CHECK(deletions == 1);
}

static int type_deletions;
static int type_deleted(MPI_Datatype type, int key, void* value, void* extra) {
  (void)type;
  (void)key;
  (void)value;
  (void)extra;
  ++type_deletions;
  return MPI_SUCCESS;
}

static void type_attributes(void) {
  int key = MPI_KEYVAL_INVALID, of_comm = MPI_KEYVAL_INVALID, flag = -1, mine = 5;
  void* value = NULL;
  MPI_Datatype type, copy;
  OK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, type_deleted, &key, NULL));
  OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &of_comm, NULL));
  OK(MPI_Type_contiguous(2, MPI_INT, &type));
  OK(MPI_Type_set_attr(type, key, &mine));
  OK(MPI_Type_dup(type, &copy));
  OK(MPI_Type_get_attr(copy, key, &value, &flag));
  CHECK(flag == 1 && value == &mine);
  OK(MPI_Type_delete_attr(copy, key));
  OK(MPI_Type_delete_attr(copy, key)); /* nothing is left to delete */
  CHECK(type_deletions == 1);
  OK(MPI_Type_get_attr(copy, key, &value, &flag));
  CHECK(flag == 0);
  EXPECT(MPI_ERR_KEYVAL, "another kind", MPI_Type_set_attr(type, of_comm, &mine));
  EXPECT(MPI_ERR_KEYVAL, "another kind", MPI_Type_get_attr(type, of_comm, &value, &flag));
  EXPECT(MPI_ERR_KEYVAL, "another kind", MPI_Type_delete_attr(type, of_comm));
  EXPECT(MPI_ERR_KEYVAL, "another kind", MPI_Type_free_keyval(&of_comm));
  EXPECT(MPI_ERR_KEYVAL, "not a key", MPI_Type_get_attr(type, MPI_TAG_UB, &value, &flag));
  EXPECT(MPI_ERR_TYPE, "", MPI_Type_delete_attr(MPI_DATATYPE_NULL, key));
  EXPECT(MPI_ERR_TYPE, "", MPI_Type_set_attr(MPI_DATATYPE_NULL, key, &mine));
  EXPECT(MPI_ERR_ARG, "flag", MPI_Type_get_attr(type, key, &value, NULL));
  EXPECT(MPI_ERR_ARG, "keyval", MPI_Type_create_keyval(NULL, NULL, NULL, NULL));
  OK(MPI_Type_free(&type));
  CHECK(type_deletions == 2);
  OK(MPI_Type_free(&copy));
  OK(MPI_Type_free_keyval(&key));
  OK(MPI_Comm_free_keyval(&of_comm));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  statuses();
  environment();
  addresses();
  extents();
  integers();
  names();
  old_info();
  old_attributes();
  type_attributes();
  return check_end("queries");
}
