// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/tool/control_variables.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "bindings/process/instance.hpp"
#include "bindings/tool/tool.hpp"
#include "bindings/weak.hpp"
#include "runtime/waiting/wait_policy.hpp"

namespace remit {

namespace {

/// Room for a text, its terminator included, unless it is longer now.
constexpr std::size_t kTextRoom = 1024;

/// Where a parameter belongs, and whom it may interest: by the longest beginning of its name.
struct CvarPlace {
  std::string_view beginning;
  const char* category;
  int verbosity;
};
constexpr std::array kCvarPlaces = {
    CvarPlace{"", "process", MPI_T_VERBOSITY_TUNER_DETAIL},
    CvarPlace{"bind_to", "launching", MPI_T_VERBOSITY_USER_BASIC},
    CvarPlace{"map_by", "launching", MPI_T_VERBOSITY_USER_BASIC},
    CvarPlace{"tag_output", "launching", MPI_T_VERBOSITY_USER_BASIC},
    CvarPlace{"job_", "launching", MPI_T_VERBOSITY_USER_BASIC},
    CvarPlace{"launch_", "launching", MPI_T_VERBOSITY_USER_DETAIL},
    CvarPlace{"host_timeout", "launching", MPI_T_VERBOSITY_USER_DETAIL},
    CvarPlace{"initial_errhandler", "process", MPI_T_VERBOSITY_USER_DETAIL},
    CvarPlace{"memory_alloc_kinds", "process", MPI_T_VERBOSITY_USER_DETAIL},
    CvarPlace{"singleton", "process", MPI_T_VERBOSITY_USER_DETAIL},
    CvarPlace{"log", "diagnostics", MPI_T_VERBOSITY_USER_BASIC},
    CvarPlace{"statistics", "diagnostics", MPI_T_VERBOSITY_USER_BASIC},
    CvarPlace{"check_arguments", "diagnostics", MPI_T_VERBOSITY_USER_BASIC},
    CvarPlace{"wait", "waiting", MPI_T_VERBOSITY_USER_BASIC},
    CvarPlace{"spin_polls", "waiting", MPI_T_VERBOSITY_TUNER_BASIC},
    CvarPlace{"yields", "waiting", MPI_T_VERBOSITY_TUNER_BASIC},
    CvarPlace{"core_sharers", "waiting", MPI_T_VERBOSITY_TUNER_BASIC},
    CvarPlace{"progress_thread", "waiting", MPI_T_VERBOSITY_USER_BASIC},
    CvarPlace{"eager_limit", "messages", MPI_T_VERBOSITY_TUNER_BASIC},
    CvarPlace{"rendezvous", "messages", MPI_T_VERBOSITY_TUNER_BASIC},
    CvarPlace{"pipeline_fragment", "messages", MPI_T_VERBOSITY_TUNER_DETAIL},
    CvarPlace{"eager_pool", "flow_control", MPI_T_VERBOSITY_TUNER_BASIC},
    CvarPlace{"pin_", "registration", MPI_T_VERBOSITY_TUNER_DETAIL},
    CvarPlace{"on_demand_paging", "registration", MPI_T_VERBOSITY_TUNER_DETAIL},
    CvarPlace{"registration_", "registration", MPI_T_VERBOSITY_TUNER_DETAIL},
    CvarPlace{"memory_monitor", "registration", MPI_T_VERBOSITY_TUNER_DETAIL},
    CvarPlace{"devices", "devices", MPI_T_VERBOSITY_USER_BASIC},
    CvarPlace{"interface", "devices", MPI_T_VERBOSITY_USER_BASIC},
    CvarPlace{"shm_", "device_shm", MPI_T_VERBOSITY_TUNER_DETAIL},
    CvarPlace{"tcp_", "device_tcp", MPI_T_VERBOSITY_TUNER_DETAIL},
    CvarPlace{"verbs_", "device_verbs", MPI_T_VERBOSITY_TUNER_DETAIL},
    CvarPlace{"verbs_mask", "device_verbs", MPI_T_VERBOSITY_MPIDEV_DETAIL},
    CvarPlace{"ofi_", "device_ofi", MPI_T_VERBOSITY_TUNER_DETAIL},
    CvarPlace{"ofi_mask", "device_ofi", MPI_T_VERBOSITY_MPIDEV_DETAIL},
    CvarPlace{"coll_", "collectives", MPI_T_VERBOSITY_TUNER_BASIC},
    CvarPlace{"file_", "files", MPI_T_VERBOSITY_TUNER_DETAIL},
    CvarPlace{"io_", "files", MPI_T_VERBOSITY_TUNER_DETAIL},
};

const CvarPlace& cvar_place_of(std::string_view name) {
  const CvarPlace* best = kCvarPlaces.data();
  for (const CvarPlace& place : kCvarPlaces) {
    if (name.starts_with(place.beginning) && place.beginning.size() >= best->beginning.size()) {
      best = &place;
    }
  }
  return *best;
}

/// Read by mpirun alone, before there is a process of MPI.
bool is_of_launcher(const CvarRow& row) {
  return std::string_view(row.category) == "launching";
}

/// What waits ask at each turn.
bool counts_at_once(const ParamDecl* decl) {
  return decl == &spin_polls_param || decl == &yields_param;
}

/// All members of a job must have set it alike.
bool is_of_all(const CvarRow& row) {
  return std::string_view(row.category) == "collectives";
}

ParamValue param_value(const Params& params, const ParamDecl& decl) {
  if (std::holds_alternative<bool>(decl.default_value)) return params.flag(decl);
  if (std::holds_alternative<std::int64_t>(decl.default_value)) return params.integer(decl);
  return params.text(decl);
}

/// The text of a value that a tool gives; empty: it is none.
std::optional<std::string> cvar_text(const CvarRow& row, const void* from) {
  if (row.items != nullptr) {
    int value = 0;
    std::memcpy(&value, from, sizeof value);
    for (const auto& [item, word] : row.items->items) {
      if (item == value) return word;
    }
    return std::nullopt;
  }
  if (std::holds_alternative<std::int64_t>(row.decl->default_value)) {
    MPI_Count value = 0;
    std::memcpy(&value, from, sizeof value);
    return std::to_string(value);
  }
  return std::string(static_cast<const char*>(from));
}

/// Of counts_at_once().
void set_waiting(Instance& instance, const ParamDecl& decl, std::int64_t value) {
  WaitPolicy policy = instance.progress().policy();
  (&decl == &spin_polls_param ? policy.spin_polls : policy.yields) =
      static_cast<std::uint32_t>(value);
  instance.progress().set_policy(policy);
}

}  // namespace

ControlVariables::ControlVariables(const ToolEnums& enums) {
  for (const ParamDecl* decl : all_params()) {
    const CvarPlace& place = cvar_place_of(decl->name);
    rows_.push_back({decl, enums.of(*decl), place.category, place.verbosity});
  }
}

int ControlVariables::index_of(std::string_view name) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(),
                                  [=](const CvarRow& row) { return row.decl->name == name; });
  return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

MPI_Datatype ControlVariables::type_of(const CvarRow& row) {
  if (row.items != nullptr) return MPI_INT;
  return std::holds_alternative<std::int64_t>(row.decl->default_value) ? MPI_COUNT : MPI_CHAR;
}

int ControlVariables::scope_of(const CvarRow& row, const Instance* instance) {
  if (is_of_launcher(row)) return MPI_T_SCOPE_CONSTANT;
  if (instance != nullptr && !counts_at_once(row.decl)) return MPI_T_SCOPE_READONLY;
  return is_of_all(row) ? MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_LOCAL;
}

ParamValue ControlVariables::value_of(const CvarRow& row, const Instance* instance) const {
  const auto set = set_.find(row.decl);
  const bool is_set = set != set_.end() && (instance == nullptr || counts_at_once(row.decl));
  if (!is_set && instance != nullptr) return param_value(instance->process->params(), *row.decl);
  auto params = kept_ ? Expected<Params>(*kept_) : Params::from_environment(environ);
  if (!params) params = Params();  // MPI_Init will say what is wrong
  if (is_set) (void)params->set(row.decl->name, set->second);
  return param_value(*params, *row.decl);
}

int ControlVariables::count_of(const CvarRow& row, const Instance* instance) const {
  if (type_of(row) != MPI_CHAR) return 1;
  const auto value = std::get<std::string>(value_of(row, instance));
  return static_cast<int>(std::max(kTextRoom, value.size() + 1));
}

void ControlVariables::read(const CvarRow& row, const Instance* instance, void* to) const {
  const ParamValue value = value_of(row, instance);
  if (const auto* flag = std::get_if<bool>(&value)) {
    const int item = *flag ? 1 : 0;
    std::memcpy(to, &item, sizeof item);
  } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
    const MPI_Count count = *number;
    std::memcpy(to, &count, sizeof count);
  } else if (const auto& text = std::get<std::string>(value); row.items == nullptr) {
    std::memcpy(to, text.c_str(), text.size() + 1);
  } else {
    int item = -1;
    for (const auto& [number_of_item, word] : row.items->items) {
      if (word == text) item = number_of_item;
    }
    std::memcpy(to, &item, sizeof item);
  }
}

int ControlVariables::write(const CvarRow& row, Instance* instance, bool may_change,
                            const void* from) {
  if (is_of_launcher(row)) return MPI_T_ERR_CVAR_SET_NEVER;
  const bool at_once = instance != nullptr && counts_at_once(row.decl);
  if (instance != nullptr && (!at_once || !may_change)) return MPI_T_ERR_CVAR_SET_NOT_NOW;
  if (kept_ && !counts_at_once(row.decl)) return MPI_T_ERR_CVAR_SET_NOT_NOW;
  const std::optional<std::string> text = cvar_text(row, from);
  Params tried;
  if (!text || !tried.set(row.decl->name, *text)) return MPI_T_ERR_INVALID;
  set_[row.decl] = *text;
  if (at_once) set_waiting(*instance, *row.decl, tried.integer(*row.decl));
  return MPI_SUCCESS;
}

Expected<> ControlVariables::apply(Params& params) const {
  for (const auto& [decl, text] : set_) {
    if (auto done = params.set(decl->name, text); !done) return done;
  }
  return {};
}

void ControlVariables::opened(Instance& instance) const {
  Params params = instance.process->params();
  for (const auto& [decl, text] : set_) {
    if (!counts_at_once(decl) || !params.set(decl->name, text)) continue;
    set_waiting(instance, *decl, params.integer(*decl));
  }
}

void ControlVariables::closed(const Instance& instance) {
  if (instance.had_session) kept_ = instance.process->params();
}

CvarHandle* ControlVariables::make_handle(std::size_t index) {
  auto made = std::make_unique<CvarHandle>(CvarHandle{index});
  CvarHandle* handle = made.get();
  handles_.emplace(reinterpret_cast<MPI_T_cvar_handle>(handle), std::move(made));
  return handle;
}

const CvarRow* ControlVariables::row_of(MPI_T_cvar_handle handle) const {
  const auto found = handles_.find(handle);
  return found == handles_.end() ? nullptr : &rows_[found->second->index];
}

bool ControlVariables::free_handle(MPI_T_cvar_handle handle) {
  return handles_.erase(handle) != 0;
}

}  // namespace remit

using namespace remit;

int PMPI_T_cvar_get_num(int* num_cvar) try {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (num_cvar == nullptr) return MPI_T_ERR_INVALID;
  *num_cvar = static_cast<int>(call.tool().cvars.rows().size());
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_cvar_get_num);

int PMPI_T_cvar_get_info(int cvar_index, char* name, int* name_len, int* verbosity,
                         MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len,
                         int* bind, int* scope) try {
  const ToolMpiCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  const auto& rows = call.tool().cvars.rows();
  if (cvar_index < 0 || static_cast<std::size_t>(cvar_index) >= rows.size()) {
    return MPI_T_ERR_INVALID_INDEX;
  }
  const CvarRow& row = rows[static_cast<std::size_t>(cvar_index)];
  put_tool_text(row.decl->name, name, name_len);
  put(verbosity, row.verbosity);
  put(datatype, ControlVariables::type_of(row));
  put(enumtype, handle_of(row.items));
  const std::string_view unit = row.decl->unit;
  put_tool_text(unit.empty() ? row.decl->reason : fmt::format("{} ({})", row.decl->reason, unit),
                desc, desc_len);
  put<int>(bind, MPI_T_BIND_NO_OBJECT);
  put(scope, ControlVariables::scope_of(row, call.instance()));
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_cvar_get_info);

int PMPI_T_cvar_get_index(const char* name, int* cvar_index) try {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (name == nullptr || cvar_index == nullptr) return MPI_T_ERR_INVALID;
  const int index = call.tool().cvars.index_of(name);
  if (index < 0) return MPI_T_ERR_INVALID_NAME;
  *cvar_index = index;
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_cvar_get_index);

int PMPI_T_cvar_handle_alloc(int cvar_index, void* /*obj_handle*/, MPI_T_cvar_handle* handle,
                             int* count) try {
  const ToolMpiCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  ControlVariables& cvars = call.tool().cvars;
  const auto index = static_cast<std::size_t>(cvar_index);
  if (cvar_index < 0 || index >= cvars.rows().size()) return MPI_T_ERR_INVALID_INDEX;
  if (handle == nullptr) return MPI_T_ERR_INVALID;
  *handle = reinterpret_cast<MPI_T_cvar_handle>(cvars.make_handle(index));
  put(count, cvars.count_of(cvars.rows()[index], call.instance()));
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_cvar_handle_alloc);

int PMPI_T_cvar_handle_free(MPI_T_cvar_handle* handle) try {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (handle == nullptr || !call.tool().cvars.free_handle(*handle)) return MPI_T_ERR_INVALID_HANDLE;
  *handle = MPI_T_CVAR_HANDLE_NULL;
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_cvar_handle_free);

int PMPI_T_cvar_read(MPI_T_cvar_handle handle, void* buf) try {
  const ToolMpiCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  const CvarRow* row = call.tool().cvars.row_of(handle);
  if (row == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  if (buf == nullptr) return MPI_T_ERR_INVALID;
  call.tool().cvars.read(*row, call.instance(), buf);
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_cvar_read);

int PMPI_T_cvar_write(MPI_T_cvar_handle handle, const void* buf) try {
  const ToolMpiCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  ControlVariables& cvars = call.tool().cvars;
  const CvarRow* row = cvars.row_of(handle);
  if (row == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  if (buf == nullptr) return MPI_T_ERR_INVALID;
  return cvars.write(*row, call.instance(), call.may_change(), buf);
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_cvar_write);
