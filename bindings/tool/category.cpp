// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Categories of MPI_T (MPI-5.0, section 15.3.9): how Remit is built, and what belongs to which part
// of it.
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "bindings/tool/tool.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

struct ToolCategory {
  const char* name;
  const char* parent;  ///< empty: none
  const char* reason;
};

constexpr std::array kToolCategories = {
    ToolCategory{"remit", "", "all of the library"},
    ToolCategory{"launching", "remit", "how mpirun starts and ends jobs"},
    ToolCategory{"process", "remit", "the MPI process: its start and its end (chapter 11)"},
    ToolCategory{"diagnostics", "remit", "what the library checks and says"},
    ToolCategory{"waiting", "remit", "how calls wait, and what waits do with their core"},
    ToolCategory{"links", "remit", "the ways to other processes"},
    ToolCategory{"messages", "remit",
                 "point-to-point messages and their protocols (chapters 3, 4)"},
    ToolCategory{"matching", "messages", "which receive takes which message"},
    ToolCategory{"flow_control", "messages", "receive memory, and credits for it"},
    ToolCategory{"devices", "remit", "what moves bytes"},
    ToolCategory{"registration", "devices", "memory that adapters may use"},
    ToolCategory{"device_shm", "devices", "memory of this host"},
    ToolCategory{"device_tcp", "devices", "TCP"},
    ToolCategory{"device_verbs", "devices", "InfiniBand, RoCE and iWARP"},
    ToolCategory{"device_ofi", "devices", "libfabric"},
    ToolCategory{"communicators", "remit", "groups of processes and their contexts (chapter 7)"},
    ToolCategory{"collectives", "remit", "collective operations (chapter 6)"},
    ToolCategory{"windows", "remit", "one-sided communication (chapter 12)"},
    ToolCategory{"files", "remit", "parallel files (chapter 14)"},
};

/// Which indices below `count` have this category.
template <class CategoryOf>
std::vector<int> tool_members(std::string_view category, std::size_t count,
                              CategoryOf&& category_of) {
  std::vector<int> members;
  for (std::size_t i = 0; i < count; ++i) {
    if (category_of(i) == category) members.push_back(static_cast<int>(i));
  }
  return members;
}

std::vector<int> cvars_in(const Tool& tool, std::string_view category) {
  const auto& rows = tool.cvars.rows();
  return tool_members(category, rows.size(),
                      [&](std::size_t i) { return std::string_view(rows[i].category); });
}

std::vector<int> pvars_in(std::string_view category) {
  return tool_members(category, kPvarCount,
                      [](std::size_t i) { return std::string_view(kPvars[i].category); });
}

std::vector<int> events_in(std::string_view category) {
  return tool_members(category, kToolEvents, [](std::size_t i) {
    return std::string_view(event_of(kToolEventDecls[i]).category);
  });
}

std::vector<int> categories_in(std::string_view category) {
  return tool_members(category, kToolCategories.size(),
                      [](std::size_t i) { return std::string_view(kToolCategories[i].parent); });
}

/// As many as fit.
void put_indices(const std::vector<int>& all, int len, int indices[]) {
  const std::size_t count = std::min(all.size(), static_cast<std::size_t>(std::max(len, 0)));
  if (indices != nullptr) std::copy_n(all.begin(), count, indices);
}

/// Calls `use(tool, category)`.
template <class Use>
int use_category(int index, Use use) {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  const auto at = static_cast<std::size_t>(index);
  if (index < 0 || at >= kToolCategories.size()) return MPI_T_ERR_INVALID_INDEX;
  use(call.tool(), kToolCategories[at]);
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_T_category_get_num(int* num_cat) try {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (num_cat == nullptr) return MPI_T_ERR_INVALID;
  *num_cat = static_cast<int>(kToolCategories.size());
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_category_get_num);

int PMPI_T_category_get_info(int cat_index, char* name, int* name_len, char* desc, int* desc_len,
                             int* num_cvars, int* num_pvars, int* num_categories) try {
  return use_category(cat_index, [=](const Tool& tool, const ToolCategory& category) {
    put_tool_text(category.name, name, name_len);
    put_tool_text(category.reason, desc, desc_len);
    put(num_cvars, static_cast<int>(cvars_in(tool, category.name).size()));
    put(num_pvars, static_cast<int>(pvars_in(category.name).size()));
    put(num_categories, static_cast<int>(categories_in(category.name).size()));
  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_category_get_info);

int PMPI_T_category_get_index(const char* name, int* cat_index) try {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (name == nullptr || cat_index == nullptr) return MPI_T_ERR_INVALID;
  const auto found =
      std::find_if(kToolCategories.begin(), kToolCategories.end(),
                   [=](const ToolCategory& one) { return std::string_view(one.name) == name; });
  if (found == kToolCategories.end()) return MPI_T_ERR_INVALID_NAME;
  *cat_index = static_cast<int>(found - kToolCategories.begin());
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_category_get_index);

int PMPI_T_category_get_num_events(int cat_index, int* num_events) try {
  return use_category(cat_index, [=](const Tool&, const ToolCategory& category) {
    put(num_events, static_cast<int>(events_in(category.name).size()));
  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_category_get_num_events);

int PMPI_T_category_get_cvars(int cat_index, int len, int indices[]) try {
  return use_category(cat_index, [=](const Tool& tool, const ToolCategory& category) {
    put_indices(cvars_in(tool, category.name), len, indices);
  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_category_get_cvars);

int PMPI_T_category_get_pvars(int cat_index, int len, int indices[]) try {
  return use_category(cat_index, [=](const Tool&, const ToolCategory& category) {
    put_indices(pvars_in(category.name), len, indices);
  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_category_get_pvars);

int PMPI_T_category_get_events(int cat_index, int len, int indices[]) try {
  return use_category(cat_index, [=](const Tool&, const ToolCategory& category) {
    put_indices(events_in(category.name), len, indices);
  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_category_get_events);

int PMPI_T_category_get_categories(int cat_index, int len, int indices[]) try {
  return use_category(cat_index, [=](const Tool&, const ToolCategory& category) {
    put_indices(categories_in(category.name), len, indices);
  });
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_category_get_categories);

// Nothing is ever added to a category or taken from it.
int PMPI_T_category_changed(int* update_number) try {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (update_number == nullptr) return MPI_T_ERR_INVALID;
  *update_number = 0;
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_category_changed);
