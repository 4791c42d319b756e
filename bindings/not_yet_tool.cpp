// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// not_yet_tool.cpp: what does not work yet of the tool information interface (MPI_T). Who
// implements a function deletes it here.

#include "bindings/not_yet.hpp"
#include "bindings/weak.hpp"

using remit::not_yet_tool;

// Start and end of MPI_T (chapter 15).

int PMPI_T_finalize() {
  return not_yet_tool("MPI_T_finalize");
}
REMIT_WEAK(T_finalize);
int PMPI_T_init_thread(int, int*) {
  return not_yet_tool("MPI_T_init_thread");
}
REMIT_WEAK(T_init_thread);

// Enumerations (chapter 15).

int PMPI_T_enum_get_info(MPI_T_enum, int*, char*, int*) {
  return not_yet_tool("MPI_T_enum_get_info");
}
REMIT_WEAK(T_enum_get_info);
int PMPI_T_enum_get_item(MPI_T_enum, int, int*, char*, int*) {
  return not_yet_tool("MPI_T_enum_get_item");
}
REMIT_WEAK(T_enum_get_item);

// Control variables (chapter 15).

int PMPI_T_cvar_get_index(const char*, int*) {
  return not_yet_tool("MPI_T_cvar_get_index");
}
REMIT_WEAK(T_cvar_get_index);
int PMPI_T_cvar_get_info(int, char*, int*, int*, MPI_Datatype*, MPI_T_enum*, char*, int*, int*,
                         int*) {
  return not_yet_tool("MPI_T_cvar_get_info");
}
REMIT_WEAK(T_cvar_get_info);
int PMPI_T_cvar_get_num(int*) {
  return not_yet_tool("MPI_T_cvar_get_num");
}
REMIT_WEAK(T_cvar_get_num);
int PMPI_T_cvar_handle_alloc(int, void*, MPI_T_cvar_handle*, int*) {
  return not_yet_tool("MPI_T_cvar_handle_alloc");
}
REMIT_WEAK(T_cvar_handle_alloc);
int PMPI_T_cvar_handle_free(MPI_T_cvar_handle*) {
  return not_yet_tool("MPI_T_cvar_handle_free");
}
REMIT_WEAK(T_cvar_handle_free);
int PMPI_T_cvar_read(MPI_T_cvar_handle, void*) {
  return not_yet_tool("MPI_T_cvar_read");
}
REMIT_WEAK(T_cvar_read);
int PMPI_T_cvar_write(MPI_T_cvar_handle, const void*) {
  return not_yet_tool("MPI_T_cvar_write");
}
REMIT_WEAK(T_cvar_write);

// Performance variables (chapter 15).

int PMPI_T_pvar_get_index(const char*, int, int*) {
  return not_yet_tool("MPI_T_pvar_get_index");
}
REMIT_WEAK(T_pvar_get_index);
int PMPI_T_pvar_get_info(int, char*, int*, int*, int*, MPI_Datatype*, MPI_T_enum*, char*, int*,
                         int*, int*, int*, int*) {
  return not_yet_tool("MPI_T_pvar_get_info");
}
REMIT_WEAK(T_pvar_get_info);
int PMPI_T_pvar_get_num(int*) {
  return not_yet_tool("MPI_T_pvar_get_num");
}
REMIT_WEAK(T_pvar_get_num);
int PMPI_T_pvar_handle_alloc(MPI_T_pvar_session, int, void*, MPI_T_pvar_handle*, int*) {
  return not_yet_tool("MPI_T_pvar_handle_alloc");
}
REMIT_WEAK(T_pvar_handle_alloc);
int PMPI_T_pvar_handle_free(MPI_T_pvar_session, MPI_T_pvar_handle*) {
  return not_yet_tool("MPI_T_pvar_handle_free");
}
REMIT_WEAK(T_pvar_handle_free);
int PMPI_T_pvar_read(MPI_T_pvar_session, MPI_T_pvar_handle, void*) {
  return not_yet_tool("MPI_T_pvar_read");
}
REMIT_WEAK(T_pvar_read);
int PMPI_T_pvar_readreset(MPI_T_pvar_session, MPI_T_pvar_handle, void*) {
  return not_yet_tool("MPI_T_pvar_readreset");
}
REMIT_WEAK(T_pvar_readreset);
int PMPI_T_pvar_reset(MPI_T_pvar_session, MPI_T_pvar_handle) {
  return not_yet_tool("MPI_T_pvar_reset");
}
REMIT_WEAK(T_pvar_reset);
int PMPI_T_pvar_session_create(MPI_T_pvar_session*) {
  return not_yet_tool("MPI_T_pvar_session_create");
}
REMIT_WEAK(T_pvar_session_create);
int PMPI_T_pvar_session_free(MPI_T_pvar_session*) {
  return not_yet_tool("MPI_T_pvar_session_free");
}
REMIT_WEAK(T_pvar_session_free);
int PMPI_T_pvar_start(MPI_T_pvar_session, MPI_T_pvar_handle) {
  return not_yet_tool("MPI_T_pvar_start");
}
REMIT_WEAK(T_pvar_start);
int PMPI_T_pvar_stop(MPI_T_pvar_session, MPI_T_pvar_handle) {
  return not_yet_tool("MPI_T_pvar_stop");
}
REMIT_WEAK(T_pvar_stop);
int PMPI_T_pvar_write(MPI_T_pvar_session, MPI_T_pvar_handle, const void*) {
  return not_yet_tool("MPI_T_pvar_write");
}
REMIT_WEAK(T_pvar_write);

// Events (chapter 15).

int PMPI_T_event_callback_get_info(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info*) {
  return not_yet_tool("MPI_T_event_callback_get_info");
}
REMIT_WEAK(T_event_callback_get_info);
int PMPI_T_event_callback_set_info(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info) {
  return not_yet_tool("MPI_T_event_callback_set_info");
}
REMIT_WEAK(T_event_callback_set_info);
int PMPI_T_event_copy(MPI_T_event_instance, void*) {
  return not_yet_tool("MPI_T_event_copy");
}
REMIT_WEAK(T_event_copy);
int PMPI_T_event_get_index(const char*, int*) {
  return not_yet_tool("MPI_T_event_get_index");
}
REMIT_WEAK(T_event_get_index);
int PMPI_T_event_get_info(int, char*, int*, int*, MPI_Datatype[], MPI_Aint[], int*, MPI_T_enum*,
                          MPI_Info*, char*, int*, int*) {
  return not_yet_tool("MPI_T_event_get_info");
}
REMIT_WEAK(T_event_get_info);
int PMPI_T_event_get_num(int*) {
  return not_yet_tool("MPI_T_event_get_num");
}
REMIT_WEAK(T_event_get_num);
int PMPI_T_event_get_source(MPI_T_event_instance, int*) {
  return not_yet_tool("MPI_T_event_get_source");
}
REMIT_WEAK(T_event_get_source);
int PMPI_T_event_get_timestamp(MPI_T_event_instance, MPI_Count*) {
  return not_yet_tool("MPI_T_event_get_timestamp");
}
REMIT_WEAK(T_event_get_timestamp);
int PMPI_T_event_handle_alloc(int, void*, MPI_Info, MPI_T_event_registration*) {
  return not_yet_tool("MPI_T_event_handle_alloc");
}
REMIT_WEAK(T_event_handle_alloc);
int PMPI_T_event_handle_free(MPI_T_event_registration, void*, MPI_T_event_free_cb_function) {
  return not_yet_tool("MPI_T_event_handle_free");
}
REMIT_WEAK(T_event_handle_free);
int PMPI_T_event_handle_get_info(MPI_T_event_registration, MPI_Info*) {
  return not_yet_tool("MPI_T_event_handle_get_info");
}
REMIT_WEAK(T_event_handle_get_info);
int PMPI_T_event_handle_set_info(MPI_T_event_registration, MPI_Info) {
  return not_yet_tool("MPI_T_event_handle_set_info");
}
REMIT_WEAK(T_event_handle_set_info);
int PMPI_T_event_read(MPI_T_event_instance, int, void*) {
  return not_yet_tool("MPI_T_event_read");
}
REMIT_WEAK(T_event_read);
int PMPI_T_event_register_callback(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info, void*,
                                   MPI_T_event_cb_function) {
  return not_yet_tool("MPI_T_event_register_callback");
}
REMIT_WEAK(T_event_register_callback);
int PMPI_T_event_set_dropped_handler(MPI_T_event_registration, MPI_T_event_dropped_cb_function) {
  return not_yet_tool("MPI_T_event_set_dropped_handler");
}
REMIT_WEAK(T_event_set_dropped_handler);

// Sources of events (chapter 15).

int PMPI_T_source_get_info(int, char*, int*, char*, int*, MPI_T_source_order*, MPI_Count*,
                           MPI_Count*, MPI_Info*) {
  return not_yet_tool("MPI_T_source_get_info");
}
REMIT_WEAK(T_source_get_info);
int PMPI_T_source_get_num(int*) {
  return not_yet_tool("MPI_T_source_get_num");
}
REMIT_WEAK(T_source_get_num);
int PMPI_T_source_get_timestamp(int, MPI_Count*) {
  return not_yet_tool("MPI_T_source_get_timestamp");
}
REMIT_WEAK(T_source_get_timestamp);

// Categories (chapter 15).

int PMPI_T_category_changed(int*) {
  return not_yet_tool("MPI_T_category_changed");
}
REMIT_WEAK(T_category_changed);
int PMPI_T_category_get_categories(int, int, int[]) {
  return not_yet_tool("MPI_T_category_get_categories");
}
REMIT_WEAK(T_category_get_categories);
int PMPI_T_category_get_cvars(int, int, int[]) {
  return not_yet_tool("MPI_T_category_get_cvars");
}
REMIT_WEAK(T_category_get_cvars);
int PMPI_T_category_get_events(int, int, int[]) {
  return not_yet_tool("MPI_T_category_get_events");
}
REMIT_WEAK(T_category_get_events);
int PMPI_T_category_get_index(const char*, int*) {
  return not_yet_tool("MPI_T_category_get_index");
}
REMIT_WEAK(T_category_get_index);
int PMPI_T_category_get_info(int, char*, int*, char*, int*, int*, int*, int*) {
  return not_yet_tool("MPI_T_category_get_info");
}
REMIT_WEAK(T_category_get_info);
int PMPI_T_category_get_num(int*) {
  return not_yet_tool("MPI_T_category_get_num");
}
REMIT_WEAK(T_category_get_num);
int PMPI_T_category_get_num_events(int, int*) {
  return not_yet_tool("MPI_T_category_get_num_events");
}
REMIT_WEAK(T_category_get_num_events);
int PMPI_T_category_get_pvars(int, int, int[]) {
  return not_yet_tool("MPI_T_category_get_pvars");
}
REMIT_WEAK(T_category_get_pvars);
