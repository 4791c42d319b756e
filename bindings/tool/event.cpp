// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The functions for events and their sources (MPI-5.0, section 15.3.8).
#include <limits>
#include <string>

#include "bindings/env/info_objects.hpp"
#include "bindings/tool/tool.hpp"
#include "bindings/weak.hpp"
#include "onesided/window.hpp"
#include "runtime/clock.hpp"

namespace remit {

namespace {

constexpr int kSources = 1;

/// No hint is defined for anything here.
void put_empty_info(MPI_Info* info) {
  if (info != nullptr) *info = handle_of(new InfoObject);
}

/// "The envelope of a message is here. Elements: peer, context, ...".
std::string event_description(const EventDecl& decl) {
  std::string words = decl.reason;
  words += ". Elements: ";
  for (std::size_t i = 0; i < decl.size(); ++i) {
    words += fmt::format("{}{}", i == 0 ? "" : ", ", decl.elements[i].name);
  }
  return words;
}

/// The number that the object has in events, if the event is bound to one.
int object_number(const ToolEventDecl& decl, Instance* instance, const void* obj_handle,
                  std::uint32_t& number) {
  if (decl.bind == MPI_T_BIND_NO_OBJECT) return MPI_SUCCESS;
  if (instance == nullptr || obj_handle == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  if (decl.bind == MPI_T_BIND_MPI_COMM) {
    const CommObject* comm = instance->comm(*static_cast<const MPI_Comm*>(obj_handle));
    if (comm == nullptr) return MPI_T_ERR_INVALID_HANDLE;
    number = comm->core.context;
    return MPI_SUCCESS;
  }
  const auto* win = object_of<WinObject>(*static_cast<const MPI_Win*>(obj_handle), ObjectKind::win);
  if (win == nullptr || win->window == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  number = win->window->comm().context;
  return MPI_SUCCESS;
}

/// Calls `use(registration)`.
template <class Use>
int use_registration(MPI_T_event_registration handle, Use use) {
  const ToolMpiCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  const auto one = call.tool().events.find(handle);
  if (one == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  return use(call, *one);
}

/// Calls `use(instance)`, in the callback of the instance, without the mutex.
template <class Use>
int use_instance(MPI_T_event_instance handle, Use use) {
  if (the_tool().users.load(std::memory_order_relaxed) <= 0) return MPI_T_ERR_NOT_INITIALIZED;
  const EventInstance* instance = ToolEvents::find(handle);
  return instance == nullptr ? MPI_T_ERR_INVALID_HANDLE : use(*instance);
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_T_event_get_num(int* num_events) try {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (num_events == nullptr) return MPI_T_ERR_INVALID;
  *num_events = static_cast<int>(kToolEvents);
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_event_get_num);

int PMPI_T_event_get_info(int event_index, char* name, int* name_len, int* verbosity,
                          MPI_Datatype array_of_datatypes[], MPI_Aint array_of_displacements[],
                          int* num_elements, MPI_T_enum* enumtype, MPI_Info* info, char* desc,
                          int* desc_len, int* bind) try {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  const auto index = static_cast<std::size_t>(event_index);
  if (event_index < 0 || index >= kToolEvents) return MPI_T_ERR_INVALID_INDEX;
  const ToolEventDecl& decl = kToolEventDecls[index];
  const EventDecl& event = event_of(decl);
  put_tool_text(name_of(decl), name, name_len);
  put(verbosity, decl.verbosity);
  if (num_elements != nullptr) {
    const EventLayout& layout = layout_of(decl.kind);
    const int room = std::min(*num_elements, static_cast<int>(layout.count));
    for (int i = 0; i < room; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (array_of_datatypes != nullptr) array_of_datatypes[i] = layout.types[at];
      if (array_of_displacements != nullptr) array_of_displacements[i] = layout.displacements[at];
    }
    *num_elements = static_cast<int>(layout.count);
  }
  put(enumtype, handle_of(call.tool().events.items_of(decl)));
  put_empty_info(info);
  put_tool_text(event_description(event), desc, desc_len);
  put(bind, decl.bind);
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_event_get_info);

int PMPI_T_event_get_index(const char* name, int* event_index) try {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (name == nullptr || event_index == nullptr) return MPI_T_ERR_INVALID;
  const int index = ToolEvents::index_of(name);
  if (index < 0) return MPI_T_ERR_INVALID_NAME;
  *event_index = index;
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_event_get_index);

int PMPI_T_event_handle_alloc(int event_index, void* obj_handle, MPI_Info /*info*/,
                              MPI_T_event_registration* event_registration) try {
  const ToolMpiCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  const auto index = static_cast<std::size_t>(event_index);
  if (event_index < 0 || index >= kToolEvents) return MPI_T_ERR_INVALID_INDEX;
  if (event_registration == nullptr) return MPI_T_ERR_INVALID;
  std::uint32_t number = 0;
  if (int err = object_number(kToolEventDecls[index], call.instance(), obj_handle, number)) {
    return err;
  }
  *event_registration = call.tool().events.make(index, number);
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_event_handle_alloc);

int PMPI_T_event_handle_set_info(MPI_T_event_registration event_registration,
                                 MPI_Info /*info*/) try {
  return use_registration(event_registration,
                          [](const ToolMpiCall&, EventRegistration&) { return MPI_SUCCESS; });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_event_handle_set_info);

int PMPI_T_event_handle_get_info(MPI_T_event_registration event_registration,
                                 MPI_Info* info_used) try {
  return use_registration(event_registration, [=](const ToolMpiCall&, EventRegistration&) {
    if (info_used == nullptr) return MPI_T_ERR_INVALID;
    put_empty_info(info_used);
    return MPI_SUCCESS;
  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_event_handle_get_info);

int PMPI_T_event_register_callback(MPI_T_event_registration event_registration,
                                   MPI_T_cb_safety cb_safety, MPI_Info /*info*/, void* user_data,
                                   MPI_T_event_cb_function event_cb_function) try {
  return use_registration(event_registration, [=](const ToolMpiCall& call,
                                                  EventRegistration& registration) {
    const auto level = safety_level(cb_safety);
    if (!level) return MPI_T_ERR_INVALID;
    const auto before = registration.callbacks[*level];
    registration.callbacks[*level] = {event_cb_function, user_data};
    if (call.tool().events.follow(registration.decl().kind, call.instance(), call.may_change())) {
      return MPI_SUCCESS;
    }
    registration.callbacks[*level] = before;
    return MPI_T_ERR_NOT_ACCESSIBLE;
  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_event_register_callback);

int PMPI_T_event_callback_set_info(MPI_T_event_registration event_registration,
                                   MPI_T_cb_safety cb_safety, MPI_Info /*info*/) try {
  return use_registration(event_registration, [=](const ToolMpiCall&, EventRegistration& one) {
    const auto level = safety_level(cb_safety);
    return level && one.callbacks[*level].function != nullptr ? MPI_SUCCESS : MPI_T_ERR_INVALID;
  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_event_callback_set_info);

int PMPI_T_event_callback_get_info(MPI_T_event_registration event_registration,
                                   MPI_T_cb_safety cb_safety, MPI_Info* info_used) try {
  return use_registration(event_registration, [=](const ToolMpiCall&, EventRegistration& one) {
    const auto level = safety_level(cb_safety);
    const bool is_there = level && one.callbacks[*level].function != nullptr;
    if (!is_there || info_used == nullptr) return MPI_T_ERR_INVALID;
    put_empty_info(info_used);
    return MPI_SUCCESS;
  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_event_callback_get_info);

int PMPI_T_event_handle_free(MPI_T_event_registration event_registration, void* user_data,
                             MPI_T_event_free_cb_function free_cb_function) try {
  bool at_once = false;
  const int code = use_registration(
      event_registration, [&](const ToolMpiCall& call, EventRegistration& registration) {
        const EventKind kind = registration.decl().kind;
        registration.free_function = free_cb_function;
        registration.free_data = user_data;
        at_once = call.tool().events.free(event_registration);
        // What this thread may not turn off is raised in vain until the next change.
        (void)call.tool().events.follow(kind, call.instance(), call.may_change());
        return MPI_SUCCESS;
      });
  if (code != MPI_SUCCESS || !at_once || free_cb_function == nullptr) return code;
  free_cb_function(event_registration, MPI_T_CB_REQUIRE_NONE, user_data);
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_event_handle_free);

int PMPI_T_event_set_dropped_handler(MPI_T_event_registration event_registration,
                                     MPI_T_event_dropped_cb_function dropped_cb_function) try {
  return use_registration(event_registration, [=](const ToolMpiCall&, EventRegistration& one) {
    one.dropped_handler = dropped_cb_function;
    return MPI_SUCCESS;
  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_event_set_dropped_handler);

int PMPI_T_event_read(MPI_T_event_instance event_instance, int element_index, void* buffer) try {
  return use_instance(event_instance, [=](const EventInstance& instance) {
    const EventLayout& layout = *instance.registration.layout;
    const auto at = static_cast<std::size_t>(element_index);
    if (element_index < 0 || at >= layout.count) return MPI_T_ERR_INVALID_INDEX;
    if (buffer == nullptr) return MPI_T_ERR_INVALID;
    put_element(layout, at, instance.event.values[at], buffer);
    return MPI_SUCCESS;
  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_event_read);

int PMPI_T_event_copy(MPI_T_event_instance event_instance, void* buffer) try {
  return use_instance(event_instance, [=](const EventInstance& instance) {
    if (buffer == nullptr) return MPI_T_ERR_INVALID;
    const EventLayout& layout = *instance.registration.layout;
    for (std::size_t i = 0; i < layout.count; ++i) {
      put_element(layout, i, instance.event.values[i],
                  static_cast<std::byte*>(buffer) + layout.displacements[i]);
    }
    return MPI_SUCCESS;
  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_event_copy);

int PMPI_T_event_get_timestamp(MPI_T_event_instance event_instance,
                               MPI_Count* event_timestamp) try {
  return use_instance(event_instance, [=](const EventInstance& instance) {
    if (event_timestamp == nullptr) return MPI_T_ERR_INVALID;
    *event_timestamp = instance.time_ns();
    return MPI_SUCCESS;
  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_event_get_timestamp);

int PMPI_T_event_get_source(MPI_T_event_instance event_instance, int* source_index) try {
  return use_instance(event_instance, [=](const EventInstance& /*instance*/) {
    if (source_index == nullptr) return MPI_T_ERR_INVALID;
    *source_index = 0;
    return MPI_SUCCESS;
  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_event_get_source);

int PMPI_T_source_get_num(int* num_sources) try {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (num_sources == nullptr) return MPI_T_ERR_INVALID;
  *num_sources = kSources;
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_source_get_num);

int PMPI_T_source_get_info(int source_index, char* name, int* name_len, char* desc, int* desc_len,
                           MPI_T_source_order* ordering, MPI_Count* ticks_per_second,
                           MPI_Count* max_ticks, MPI_Info* info) try {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (source_index < 0 || source_index >= kSources) return MPI_T_ERR_INVALID_INDEX;
  put_tool_text("process", name, name_len);
  put_tool_text(
      "what this process of MPI does, in order; nanoseconds of CLOCK_MONOTONIC, which all "
      "processes "
      "of a host share",
      desc, desc_len);
  put(ordering, MPI_T_SOURCE_ORDERED);
  put<MPI_Count>(ticks_per_second, kNsPerMs * 1000);
  put<MPI_Count>(max_ticks, std::numeric_limits<std::int64_t>::max());
  put_empty_info(info);
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_source_get_info);

int PMPI_T_source_get_timestamp(int source_index, MPI_Count* timestamp) try {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (source_index < 0 || source_index >= kSources) return MPI_T_ERR_INVALID_INDEX;
  if (timestamp == nullptr) return MPI_T_ERR_INVALID;
  *timestamp = monotonic_ns();
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_source_get_timestamp);
