/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Control variables, performance variables, categories and enumerations of MPI_T: every one below
 * the count, strings, errors, and the same before MPI_Init, with MPI, after MPI_Finalize and when
 * MPI_T was closed meanwhile. */
#include "tool.h"

#define NAME 256

/* What must not change. */
struct seen {
  int cvars, pvars, events, categories, sources;
  unsigned long long hash; /* of all names in their order */
};

static unsigned long long add(unsigned long long hash, const char* name) {
  for (; *name != '\0'; ++name) hash = (hash ^ (unsigned char)*name) * 1099511628211u;
  return hash;
}

/* Lengths in and out: room for all, for some, for none; no buffer; no length. */
static void check_text(int index, int (*get)(int, char*, int*), const char* whole) {
  char part[NAME];
  int length = 0;
  const int needed = (int)strlen(whole) + 1;
  OK(get(index, NULL, &length));
  CHECK(length == needed);
  length = 0;
  memset(part, 'x', sizeof part);
  OK(get(index, part, &length));
  CHECK(length == needed && part[0] == 'x');
  length = 3;
  OK(get(index, part, &length));
  CHECK(length == needed && strlen(part) == 2 && strncmp(part, whole, 2) == 0 && part[3] == 'x');
  memset(part, 'x', sizeof part);
  OK(get(index, part, NULL));
  CHECK(part[0] == 'x');
}

static int cvar_name(int index, char* name, int* length) {
  return MPI_T_cvar_get_info(index, name, length, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
}
static int cvar_text(int index, char* text, int* length) {
  return MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, NULL, text, length, NULL, NULL);
}
static int pvar_name(int index, char* name, int* length) {
  return MPI_T_pvar_get_info(index, name, length, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                             NULL, NULL);
}
static int pvar_text(int index, char* text, int* length) {
  return MPI_T_pvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, text, length, NULL, NULL,
                             NULL, NULL);
}
static int event_name(int index, char* name, int* length) {
  return MPI_T_event_get_info(index, name, length, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                              NULL);
}
static int category_name(int index, char* name, int* length) {
  return MPI_T_category_get_info(index, name, length, NULL, NULL, NULL, NULL, NULL);
}
static int category_text(int index, char* text, int* length) {
  return MPI_T_category_get_info(index, NULL, NULL, text, length, NULL, NULL, NULL);
}

static int known_verbosity(int verbosity) {
  return verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL;
}

static void check_enum(MPI_T_enum items) {
  int n = 0, value = 0, length = NAME;
  char name[NAME];
  OK(MPI_T_enum_get_info(items, &n, name, &length));
  CHECK(n > 0 && (int)strlen(name) + 1 == length);
  for (int i = 0; i < n; ++i) {
    length = NAME;
    OK(MPI_T_enum_get_item(items, i, &value, name, &length));
    CHECK(name[0] != '\0' && (int)strlen(name) + 1 == length);
  }
  FAILS(MPI_T_ERR_INVALID_ITEM, MPI_T_enum_get_item(items, n, &value, name, &length));
  FAILS(MPI_T_ERR_INVALID_ITEM, MPI_T_enum_get_item(items, -1, &value, name, &length));
}

static void check_cvars(struct seen* seen) {
  OK(MPI_T_cvar_get_num(&seen->cvars));
  for (int i = 0; i < seen->cvars; ++i) {
    char name[NAME];
    char text[1024];
    int name_length = NAME, text_length = sizeof text;
    int verbosity = 0, bind = 0, scope = 0, index = -1, count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum items = MPI_T_ENUM_NULL;
    OK(MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &items, text, &text_length,
                           &bind, &scope));
    CHECK(known_verbosity(verbosity) && bind == MPI_T_BIND_NO_OBJECT && text[0] != '\0');
    CHECK(scope >= MPI_T_SCOPE_CONSTANT && scope <= MPI_T_SCOPE_ALL_EQ);
    CHECK((type == MPI_INT) == (items != MPI_T_ENUM_NULL));
    if (items != MPI_T_ENUM_NULL) check_enum(items);
    check_text(i, cvar_name, name);
    check_text(i, cvar_text, text);
    OK(MPI_T_cvar_get_index(name, &index));
    CHECK(index == i);
    seen->hash = add(seen->hash, name);
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    OK(MPI_T_cvar_handle_alloc(i, NULL, &handle, &count));
    CHECK(handle != MPI_T_CVAR_HANDLE_NULL && count >= 1);
    CHECK(type == MPI_CHAR || count == 1);
    char* value = (char*)calloc((size_t)count, sizeof(MPI_Count));
    OK(MPI_T_cvar_read(handle, value));
    free(value);
    MPI_T_cvar_handle stale = handle;
    OK(MPI_T_cvar_handle_free(&handle));
    CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
    FAILS(MPI_T_ERR_INVALID_HANDLE, MPI_T_cvar_handle_free(&stale));
  }
  int index = 0;
  FAILS(MPI_T_ERR_INVALID_INDEX, cvar_name(seen->cvars, NULL, NULL));
  FAILS(MPI_T_ERR_INVALID_INDEX, cvar_name(-1, NULL, NULL));
  FAILS(MPI_T_ERR_INVALID_NAME, MPI_T_cvar_get_index("no such name", &index));
}

static void check_pvars(struct seen* seen) {
  OK(MPI_T_pvar_get_num(&seen->pvars));
  CHECK(seen->pvars >= 60);
  for (int i = 0; i < seen->pvars; ++i) {
    char name[NAME];
    char text[NAME];
    int name_length = NAME, text_length = NAME, index = -1;
    int verbosity = 0, var_class = 0, bind = 0, readonly = -1, continuous = -1, atomic = -1;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum items = MPI_T_ENUM_NULL;
    OK(MPI_T_pvar_get_info(i, name, &name_length, &verbosity, &var_class, &type, &items, text,
                           &text_length, &bind, &readonly, &continuous, &atomic));
    CHECK(known_verbosity(verbosity) && text[0] != '\0');
    CHECK(var_class >= MPI_T_PVAR_CLASS_STATE && var_class <= MPI_T_PVAR_CLASS_GENERIC);
    CHECK((var_class == MPI_T_PVAR_CLASS_STATE) == (type == MPI_INT));
    CHECK((type == MPI_INT) == (items != MPI_T_ENUM_NULL));
    CHECK(type == MPI_INT || type == MPI_DOUBLE || type == MPI_UNSIGNED_LONG_LONG);
    CHECK(bind >= MPI_T_BIND_NO_OBJECT && bind <= MPI_T_BIND_MPI_SESSION);
    CHECK(readonly >= 0 && readonly <= 1 && continuous >= 0 && continuous <= 1 && atomic >= 0);
    if (items != MPI_T_ENUM_NULL) check_enum(items);
    check_text(i, pvar_name, name);
    check_text(i, pvar_text, text);
    OK(MPI_T_pvar_get_index(name, var_class, &index));
    CHECK(index == i);
    FAILS(MPI_T_ERR_INVALID_NAME, MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_GENERIC, &index));
    seen->hash = add(seen->hash, name);
    if (bind != MPI_T_BIND_NO_OBJECT) continue;
    MPI_T_pvar_session session;
    OK(MPI_T_pvar_session_create(&session));
    MPI_T_pvar_handle handle = tool_handle(session, name, NULL);
    (void)tool_read(session, handle);
    OK(MPI_T_pvar_session_free(&session)); /* frees its handles, too */
    CHECK(session == MPI_T_PVAR_SESSION_NULL);
  }
  FAILS(MPI_T_ERR_INVALID_INDEX, pvar_name(seen->pvars, NULL, NULL));
}

static void check_events(struct seen* seen) {
  OK(MPI_T_event_get_num(&seen->events));
  CHECK(seen->events > 0);
  for (int i = 0; i < seen->events; ++i) {
    char name[NAME];
    char text[1024];
    int name_length = NAME, text_length = sizeof text, index = -1, n = TOOL_MOST, none = 0;
    int verbosity = 0, bind = 0;
    MPI_Datatype types[TOOL_MOST];
    MPI_Aint displacements[TOOL_MOST], end = 0;
    MPI_T_enum items = MPI_T_ENUM_NULL;
    MPI_Info info = MPI_INFO_NULL;
    int enumerated = 0;
    OK(MPI_T_event_get_info(i, name, &name_length, &verbosity, types, displacements, &n, &items,
                            &info, text, &text_length, &bind));
    CHECK(known_verbosity(verbosity) && n >= 1 && n <= TOOL_MOST && info != MPI_INFO_NULL);
    OK(MPI_Info_free(&info));
    for (int e = 0; e < n; ++e) {
      const int wide = types[e] == MPI_INT64_T || types[e] == MPI_UINT64_T;
      CHECK(wide || types[e] == MPI_INT32_T || types[e] == MPI_UINT32_T || types[e] == MPI_INT);
      CHECK(displacements[e] >= end && displacements[e] % (wide ? 8 : 4) == 0);
      end = displacements[e] + (wide ? 8 : 4);
      enumerated |= types[e] == MPI_INT;
    }
    CHECK(enumerated == (items != MPI_T_ENUM_NULL));
    if (items != MPI_T_ENUM_NULL) check_enum(items);
    OK(MPI_T_event_get_info(i, NULL, NULL, NULL, NULL, NULL, &none, NULL, NULL, NULL, NULL, NULL));
    CHECK(none == n);
    check_text(i, event_name, name);
    OK(MPI_T_event_get_index(name, &index));
    CHECK(index == i);
    seen->hash = add(seen->hash, name);
  }
  int index = 0;
  FAILS(MPI_T_ERR_INVALID_INDEX, event_name(seen->events, NULL, NULL));
  FAILS(MPI_T_ERR_INVALID_NAME, MPI_T_event_get_index("no such name", &index));
  OK(MPI_T_source_get_num(&seen->sources));
  CHECK(seen->sources >= 1);
  for (int i = 0; i < seen->sources; ++i) {
    char name[NAME];
    int length = NAME;
    MPI_T_source_order order = MPI_T_SOURCE_UNORDERED;
    MPI_Count ticks = 0, most = 0, before = 0, after = 0;
    OK(MPI_T_source_get_info(i, name, &length, NULL, NULL, &order, &ticks, &most, NULL));
    CHECK(order == MPI_T_SOURCE_ORDERED && ticks == 1000000000 && most > 0);
    OK(MPI_T_source_get_timestamp(i, &before));
    OK(MPI_T_source_get_timestamp(i, &after));
    CHECK(before > 0 && after >= before);
    seen->hash = add(seen->hash, name);
  }
  MPI_Count now = 0;
  FAILS(MPI_T_ERR_INVALID_INDEX, MPI_T_source_get_timestamp(seen->sources, &now));
  FAILS(MPI_T_ERR_INVALID_INDEX,
        MPI_T_source_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
}

/* Every variable and event is in one category, every category but the first in another one. */
static void check_categories(struct seen* seen) {
  enum { most = 1024 };
  int indices[most];
  int cvars = 0, pvars = 0, events = 0, inner = 0, stamp = -1, again = -1;
  OK(MPI_T_category_changed(&stamp));
  OK(MPI_T_category_get_num(&seen->categories));
  for (int i = 0; i < seen->categories; ++i) {
    char name[NAME];
    char text[NAME];
    int name_length = NAME, text_length = NAME, index = -1;
    int with_cvars = -1, with_pvars = -1, with_events = -1, with_categories = -1;
    OK(MPI_T_category_get_info(i, name, &name_length, text, &text_length, &with_cvars, &with_pvars,
                               &with_categories));
    check_text(i, category_name, name);
    check_text(i, category_text, text);
    OK(MPI_T_category_get_index(name, &index));
    CHECK(index == i);
    OK(MPI_T_category_get_num_events(i, &with_events));
    for (int k = 0; k < most; ++k) indices[k] = -7;
    OK(MPI_T_category_get_cvars(i, most, indices));
    for (int k = 0; k < with_cvars; ++k) CHECK(indices[k] >= 0 && indices[k] < seen->cvars);
    CHECK(indices[with_cvars] == -7);
    OK(MPI_T_category_get_pvars(i, most, indices));
    for (int k = 0; k < with_pvars; ++k) CHECK(indices[k] >= 0 && indices[k] < seen->pvars);
    OK(MPI_T_category_get_events(i, most, indices));
    for (int k = 0; k < with_events; ++k) CHECK(indices[k] >= 0 && indices[k] < seen->events);
    OK(MPI_T_category_get_categories(i, most, indices));
    for (int k = 0; k < with_categories; ++k)
      CHECK(indices[k] > 0 && indices[k] < seen->categories);
    indices[0] = -7;
    OK(MPI_T_category_get_pvars(i, 0, indices));
    CHECK(indices[0] == -7);
    cvars += with_cvars;
    pvars += with_pvars;
    events += with_events;
    inner += with_categories;
    seen->hash = add(seen->hash, name);
  }
  CHECK(cvars == seen->cvars && pvars == seen->pvars && events == seen->events);
  CHECK(inner == seen->categories - 1);
  OK(MPI_T_category_changed(&again));
  CHECK(again == stamp);
  const int end = seen->categories;
  int n = 0;
  FAILS(MPI_T_ERR_INVALID_INDEX, category_name(end, NULL, NULL));
  FAILS(MPI_T_ERR_INVALID_INDEX, MPI_T_category_get_cvars(end, most, indices));
  FAILS(MPI_T_ERR_INVALID_INDEX, MPI_T_category_get_pvars(-1, most, indices));
  FAILS(MPI_T_ERR_INVALID_INDEX, MPI_T_category_get_categories(end, most, indices));
  FAILS(MPI_T_ERR_INVALID_INDEX, MPI_T_category_get_events(end, most, indices));
  FAILS(MPI_T_ERR_INVALID_INDEX, MPI_T_category_get_events(-1, most, indices));
  FAILS(MPI_T_ERR_INVALID_INDEX, MPI_T_category_get_num_events(end, &n));
  FAILS(MPI_T_ERR_INVALID_NAME, MPI_T_category_get_index("no such name", &n));
}

static struct seen look(void) {
  struct seen seen = {0, 0, 0, 0, 0, 14695981039346656037u};
  check_cvars(&seen);
  check_pvars(&seen);
  check_events(&seen);
  check_categories(&seen);
  return seen;
}

static int same(struct seen a, struct seen b) {
  return a.cvars == b.cvars && a.pvars == b.pvars && a.events == b.events &&
         a.categories == b.categories && a.sources == b.sources && a.hash == b.hash;
}

/* Each code of MPI_T is a class, and has a name and words. */
static void check_codes(void) {
  for (int code = MPI_T_ERR_CANNOT_INIT; code <= MPI_T_ERR_PVAR_NO_ATOMIC; ++code) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    CHECK(check_class_of(code) == code);
    OK(MPI_Error_string(code, text, &length));
    CHECK(strstr(text, "MPI_T_ERR_") != NULL || length > 10);
  }
}

static void check_closed(void) {
  int n = 0;
  MPI_T_pvar_session session;
  MPI_T_cvar_handle cvar = MPI_T_CVAR_HANDLE_NULL;
  MPI_Count now;
  FAILS(MPI_T_ERR_NOT_INITIALIZED, MPI_T_finalize());
  FAILS(MPI_T_ERR_NOT_INITIALIZED, MPI_T_cvar_get_num(&n));
  FAILS(MPI_T_ERR_NOT_INITIALIZED, MPI_T_pvar_get_num(&n));
  FAILS(MPI_T_ERR_NOT_INITIALIZED, MPI_T_event_get_num(&n));
  FAILS(MPI_T_ERR_NOT_INITIALIZED, MPI_T_category_get_num(&n));
  FAILS(MPI_T_ERR_NOT_INITIALIZED, MPI_T_source_get_num(&n));
  FAILS(MPI_T_ERR_NOT_INITIALIZED, MPI_T_source_get_timestamp(0, &now));
  FAILS(MPI_T_ERR_NOT_INITIALIZED, MPI_T_cvar_handle_alloc(0, NULL, &cvar, &n));
  FAILS(MPI_T_ERR_NOT_INITIALIZED, MPI_T_pvar_session_create(&session));
  FAILS(MPI_T_ERR_NOT_INITIALIZED, MPI_T_category_changed(&n));
}

/* What can be set before MPI_Init is what MPI then has. */
static void set_before(void) {
  int index = -1, count = 0, yes = 1, wrong = 123;
  MPI_Count limit = 4096, least = -5;
  MPI_T_cvar_handle handle;
  OK(MPI_T_cvar_get_index("eager_limit", &index));
  OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
  OK(MPI_T_cvar_write(handle, &limit));
  limit = 0;
  OK(MPI_T_cvar_read(handle, &limit));
  CHECK(limit == 4096);
  FAILS(MPI_T_ERR_INVALID, MPI_T_cvar_write(handle, &least));
  OK(MPI_T_cvar_handle_free(&handle));
  OK(MPI_T_cvar_get_index("check_arguments", &index));
  OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
  FAILS(MPI_T_ERR_INVALID, MPI_T_cvar_write(handle, &wrong));
  OK(MPI_T_cvar_write(handle, &yes));
  OK(MPI_T_cvar_handle_free(&handle));
  OK(MPI_T_cvar_get_index("map_by", &index));
  OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
  FAILS(MPI_T_ERR_CVAR_SET_NEVER, MPI_T_cvar_write(handle, "core"));
  OK(MPI_T_cvar_handle_free(&handle));
  FAILS(MPI_T_ERR_INVALID_HANDLE, MPI_T_cvar_write(MPI_T_CVAR_HANDLE_NULL, &yes));
  FAILS(MPI_T_ERR_INVALID_HANDLE, MPI_T_cvar_read(MPI_T_CVAR_HANDLE_NULL, &yes));
}

static void set_now(void) {
  int index = -1, count = 0, scope = 0;
  MPI_Count limit = 0, polls = 1234;
  MPI_T_cvar_handle handle;
  OK(MPI_T_cvar_get_index("eager_limit", &index));
  OK(MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &scope));
  CHECK(scope == MPI_T_SCOPE_READONLY);
  OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
  OK(MPI_T_cvar_read(handle, &limit));
  CHECK(limit == 4096);
  FAILS(MPI_T_ERR_CVAR_SET_NOT_NOW, MPI_T_cvar_write(handle, &limit));
  OK(MPI_T_cvar_handle_free(&handle));
  OK(MPI_T_cvar_get_index("spin_polls", &index)); /* which waits look at each time */
  OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
  OK(MPI_T_cvar_write(handle, &polls));
  polls = 0;
  OK(MPI_T_cvar_read(handle, &polls));
  CHECK(polls == 1234);
  OK(MPI_T_cvar_handle_free(&handle));
}

/* Errors of MPI_T come to no error handler. */
static int called;
static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  ++called;
}

int main(int argc, char** argv) {
  int provided = 0;
  check_closed();
  FAILS(MPI_T_ERR_INVALID, MPI_T_init_thread(17, &provided));
  OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  CHECK(provided == MPI_THREAD_MULTIPLE);
  OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, NULL));
  const struct seen first = look();
  set_before();
  OK(MPI_T_finalize());
  CHECK(same(first, look()));
  OK(MPI_T_finalize());
  check_closed();
  OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));

  check_start(&argc, &argv);
  MPI_Errhandler mine;
  OK(MPI_Comm_create_errhandler(handler, &mine));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, mine));
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine));
  CHECK(same(first, look()));
  check_codes();
  set_now();
  OK(MPI_T_finalize());
  check_closed();
  OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  CHECK(same(first, look()));
  CHECK(called == 0);
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
  OK(MPI_Errhandler_free(&mine));
  const int failed = check_end("tool_variables");
  check_failures = 0;
  CHECK(same(first, look()));
  OK(MPI_T_finalize());
  check_closed();
  return failed || check_failures != 0;
}
