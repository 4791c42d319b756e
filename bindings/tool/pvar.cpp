// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The functions for performance variables (MPI-5.0, section 15.3.7).
#include <cstring>

#include "bindings/tool/tool.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

enum class PvarRule : std::uint8_t { any, changes, starts };

/// What is wrong with doing this to a variable.
int refusal_of(const PvarDecl& decl, PvarRule rule) {
  if (!is_continuous(decl)) return MPI_SUCCESS;
  if (rule == PvarRule::starts) return MPI_T_ERR_PVAR_NO_STARTSTOP;
  return rule == PvarRule::changes ? MPI_T_ERR_PVAR_NO_WRITE : MPI_SUCCESS;
}

/// Does `use(variables, handle, instance)` to one handle of a session, or to all for which the rule
/// allows it.
template <class Use>
int use_pvar(MPI_T_pvar_session session, MPI_T_pvar_handle handle, PvarRule rule, bool may_be_all,
             Use use) {
  const ToolMpiCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  PerformanceVariables& pvars = call.tool().pvars;
  PvarSession* const of = pvars.session_of(session);
  if (of == nullptr) return MPI_T_ERR_INVALID_SESSION;
  if (handle == MPI_T_PVAR_ALL_HANDLES && may_be_all) {
    for (const auto& [name, one] : of->handles) {
      if (refusal_of(one->decl(), rule) == MPI_SUCCESS) use(pvars, *one, call.instance());
    }
    return MPI_SUCCESS;
  }
  PvarHandle* const one = PerformanceVariables::handle_in(*of, handle);
  if (one == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  if (const int refused = refusal_of(one->decl(), rule)) return refused;
  use(pvars, *one, call.instance());
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_T_pvar_get_num(int* num_pvar) try {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (num_pvar == nullptr) return MPI_T_ERR_INVALID;
  *num_pvar = kPvarCount;
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_pvar_get_num);

int PMPI_T_pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity, int* var_class,
                         MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len,
                         int* bind, int* readonly, int* continuous, int* atomic) try {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (pvar_index < 0 || pvar_index >= kPvarCount) return MPI_T_ERR_INVALID_INDEX;
  const PvarDecl& decl = kPvars[pvar_index];
  const bool is_state = decl.var_class == MPI_T_PVAR_CLASS_STATE;
  const char* const state =
      decl.name == std::string_view("process_phase") ? decl.name : "waiting_policy";
  put_tool_text(decl.name, name, name_len);
  put(verbosity, decl.verbosity);
  put(var_class, decl.var_class);
  put(datatype, PerformanceVariables::type_of(decl));
  put(enumtype, is_state ? handle_of(call.tool().enums.of_state(state)) : MPI_T_ENUM_NULL);
  put_tool_text(decl.reason, desc, desc_len);
  put(bind, decl.bind);
  put<int>(readonly, is_continuous(decl));
  put<int>(continuous, is_continuous(decl));
  put<int>(atomic, !is_continuous(decl));
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_pvar_get_info);

int PMPI_T_pvar_get_index(const char* name, int var_class, int* pvar_index) try {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (name == nullptr || pvar_index == nullptr) return MPI_T_ERR_INVALID;
  const int index = PerformanceVariables::index_of(name, var_class);
  if (index < 0) return MPI_T_ERR_INVALID_NAME;
  *pvar_index = index;
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_pvar_get_index);

int PMPI_T_pvar_session_create(MPI_T_pvar_session* session) try {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (session == nullptr) return MPI_T_ERR_INVALID;
  *session = reinterpret_cast<MPI_T_pvar_session>(call.tool().pvars.make_session());
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_pvar_session_create);

int PMPI_T_pvar_session_free(MPI_T_pvar_session* session) try {
  const ToolMpiCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  PvarSession* const of = session == nullptr ? nullptr : call.tool().pvars.session_of(*session);
  if (of == nullptr) return MPI_T_ERR_INVALID_SESSION;
  call.tool().pvars.free_session(*of);
  *session = MPI_T_PVAR_SESSION_NULL;
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_pvar_session_free);

int PMPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void* obj_handle,
                             MPI_T_pvar_handle* handle, int* count) try {
  const ToolMpiCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  PerformanceVariables& pvars = call.tool().pvars;
  PvarSession* const of = pvars.session_of(session);
  if (of == nullptr) return MPI_T_ERR_INVALID_SESSION;
  if (pvar_index < 0 || pvar_index >= kPvarCount) return MPI_T_ERR_INVALID_INDEX;
  if (handle == nullptr) return MPI_T_ERR_INVALID;
  const PvarDecl& decl = kPvars[pvar_index];
  Object* object = nullptr;
  if (decl.bind != MPI_T_BIND_NO_OBJECT) {
    object = PerformanceVariables::object_for(decl, call.instance(), obj_handle);
    if (object == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  }
  PvarHandle* const made = pvars.make_handle(*of, pvar_index, object, call.instance());
  *handle = reinterpret_cast<MPI_T_pvar_handle>(made);
  put(count, 1);
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_pvar_handle_alloc);

int PMPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) try {
  const ToolMpiCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  PerformanceVariables& pvars = call.tool().pvars;
  PvarSession* const of = pvars.session_of(session);
  if (of == nullptr) return MPI_T_ERR_INVALID_SESSION;
  if (handle == nullptr || PerformanceVariables::handle_in(*of, *handle) == nullptr) {
    return MPI_T_ERR_INVALID_HANDLE;
  }
  pvars.free_handle(*of, *handle);
  *handle = MPI_T_PVAR_HANDLE_NULL;
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_pvar_handle_free);

int PMPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) try {
  return use_pvar(session, handle, PvarRule::starts, true,
                  [](PerformanceVariables& pvars, PvarHandle& one, Instance* instance) {
                    pvars.start(one, instance);
                  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_pvar_start);

int PMPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) try {
  return use_pvar(session, handle, PvarRule::starts, true,
                  [](PerformanceVariables& pvars, PvarHandle& one, Instance* instance) {
                    pvars.stop(one, instance);
                  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_pvar_stop);

int PMPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) try {
  if (buf == nullptr) return MPI_T_ERR_INVALID;
  return use_pvar(session, handle, PvarRule::any, false,
                  [=](PerformanceVariables& pvars, PvarHandle& one, Instance* instance) {
                    pvars.read(one, instance, buf);
                  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_pvar_read);

int PMPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* buf) try {
  if (buf == nullptr) return MPI_T_ERR_INVALID;
  return use_pvar(session, handle, PvarRule::changes, false,
                  [=](PerformanceVariables& pvars, PvarHandle& one, Instance* instance) {
                    unsigned long long value = 0;  // the type of all that can be written
                    std::memcpy(&value, buf, sizeof value);
                    pvars.write(one, instance, value);
                  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_pvar_write);

int PMPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) try {
  return use_pvar(session, handle, PvarRule::changes, true,
                  [](PerformanceVariables& pvars, PvarHandle& one, Instance* instance) {
                    pvars.reset(one, instance);
                  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_pvar_reset);

int PMPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) try {
  if (buf == nullptr) return MPI_T_ERR_INVALID;
  // Nothing comes between the two, for the lock is held: whatever can be reset is atomic.
  const int code = use_pvar(session, handle, PvarRule::changes, false,
                            [=](PerformanceVariables& pvars, PvarHandle& one, Instance* instance) {
                              pvars.read(one, instance, buf);
                              pvars.reset(one, instance);
                            });
  return code == MPI_T_ERR_PVAR_NO_WRITE ? MPI_T_ERR_PVAR_NO_ATOMIC : code;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_pvar_readreset);
