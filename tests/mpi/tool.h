/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * What tests of the tool information interface share: performance variables and events by name. */
#ifndef REMIT_TESTS_MPI_TOOL_H
#define REMIT_TESTS_MPI_TOOL_H

#include "check.h"

/* The index of a variable of any class, or -1. */
static inline int tool_pvar(const char* name) {
  for (int c = MPI_T_PVAR_CLASS_STATE; c <= MPI_T_PVAR_CLASS_GENERIC; ++c) {
    int index = -1;
    if (MPI_T_pvar_get_index(name, c, &index) == MPI_SUCCESS) return index;
  }
  return -1;
}

static inline MPI_T_pvar_handle tool_handle(MPI_T_pvar_session session, const char* name,
                                            void* object) {
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  int count = 0;
  OK(MPI_T_pvar_handle_alloc(session, tool_pvar(name), object, &handle, &count));
  CHECK(count == 1);
  return handle;
}

static inline unsigned long long tool_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  unsigned long long value = 0;
  OK(MPI_T_pvar_read(session, handle, &value));
  return value;
}

/* What was heard of one event. */
#define TOOL_MOST 8
struct tool_heard {
  MPI_T_event_registration registration;
  int index;
  long count;
  long long last[TOOL_MOST]; /* its elements */
  MPI_Count last_time;
  int (*filter)(const long long* elements); /* null: all count */
};

static inline long long tool_element(MPI_T_event_instance instance, int i, MPI_Datatype type) {
  if (type == MPI_INT64_T || type == MPI_UINT64_T) {
    int64_t value = 0;
    OK(MPI_T_event_read(instance, i, &value));
    return value;
  }
  int32_t value = 0;
  OK(MPI_T_event_read(instance, i, &value));
  return value;
}

static void tool_hear(MPI_T_event_instance instance, MPI_T_event_registration registration,
                      MPI_T_cb_safety safety, void* user_data) {
  struct tool_heard* heard = (struct tool_heard*)user_data;
  MPI_Datatype types[TOOL_MOST];
  MPI_Aint displacements[TOOL_MOST];
  long long elements[TOOL_MOST] = {0};
  int n = TOOL_MOST, source = -1;
  MPI_Count now = 0;
  CHECK(registration == heard->registration);
  CHECK(safety != MPI_T_CB_REQUIRE_NONE);
  OK(MPI_T_event_get_info(heard->index, NULL, NULL, NULL, types, displacements, &n, NULL, NULL,
                          NULL, NULL, NULL));
  CHECK(n > 0 && n <= TOOL_MOST);
  for (int i = 0; i < n; ++i) elements[i] = tool_element(instance, i, types[i]);
  FAILS(MPI_T_ERR_INVALID_INDEX, MPI_T_event_read(instance, n, elements));
  OK(MPI_T_event_get_source(instance, &source));
  CHECK(source == 0);
  OK(MPI_T_event_get_timestamp(instance, &now));
  CHECK(now >= heard->last_time); /* the source is ordered */
  heard->last_time = now;
  if (heard->filter != NULL && !heard->filter(elements)) return;
  memcpy(heard->last, elements, sizeof elements);
  ++heard->count;
}

static inline void tool_listen(struct tool_heard* heard, const char* name, void* object,
                               int (*filter)(const long long*)) {
  memset(heard, 0, sizeof *heard);
  heard->filter = filter;
  OK(MPI_T_event_get_index(name, &heard->index));
  OK(MPI_T_event_handle_alloc(heard->index, object, MPI_INFO_NULL, &heard->registration));
  OK(MPI_T_event_register_callback(heard->registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                   MPI_INFO_NULL, heard, tool_hear));
}

static inline void tool_end(struct tool_heard* heard) {
  OK(MPI_T_event_handle_free(heard->registration, NULL, NULL));
}

/* The value of an item of an event's enumeration, or -1. */
static inline int tool_item(int event, const char* word) {
  MPI_T_enum items = MPI_T_ENUM_NULL;
  int n = 0;
  OK(MPI_T_event_get_info(event, NULL, NULL, NULL, NULL, NULL, NULL, &items, NULL, NULL, NULL,
                          NULL));
  OK(MPI_T_enum_get_info(items, &n, NULL, NULL));
  for (int i = 0; i < n; ++i) {
    char name[128];
    int length = sizeof name, value = -1;
    OK(MPI_T_enum_get_item(items, i, &value, name, &length));
    if (strcmp(name, word) == 0) return value;
  }
  return -1;
}

#endif
