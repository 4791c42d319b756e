// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/tool/tool_enum.hpp"

#include <algorithm>
#include <cstring>

#include "bindings/tool/tool.hpp"
#include "bindings/weak.hpp"
#include "collectives/algorithms.hpp"
#include "collectives/collective_watch.hpp"

namespace remit {

namespace {

using EnumItems = std::vector<std::pair<int, std::string>>;

EnumItems items_of_waits() {
  EnumItems items{{static_cast<int>(WaitCause::other), "other"},
                  {static_cast<int>(WaitCause::late_sender), "late_sender"},
                  {static_cast<int>(WaitCause::late_receiver), "late_receiver"},
                  {static_cast<int>(WaitCause::collective), "collective"},
                  {static_cast<int>(WaitCause::lock), "lock"}};
  int value = kFirstWaitingCall;
  for (const char* name : waiting_calls()) items.emplace_back(value++, name);
  return items;
}

EnumItems items_of_collectives() {
  EnumItems items;
  for (std::size_t kind = 0; kind < kCollectiveKinds; ++kind) {
    items.emplace_back(static_cast<int>(kind), collective_name(static_cast<CollectiveKind>(kind)));
  }
  int value = kFirstAlgorithmItem;
  items.emplace_back(value++, "board_or_alone");
  for (const Algorithm& row : all_algorithms()) {
    items.emplace_back(value++,
                       std::string(collective_name(row.kind)) + "." + std::string(row.name));
  }
  return items;
}

}  // namespace

ToolEnums::ToolEnums() {
  flag_ = add("flag", {{0, "no"}, {1, "yes"}});
  for (const ParamDecl* decl : all_params()) {
    if (decl->choices.empty()) continue;
    EnumItems items;
    for (const std::string& choice : decl->choices) {
      items.emplace_back(static_cast<int>(items.size()), choice);
    }
    choices_.emplace_back(decl, add(decl->name, std::move(items)));
  }
  words_.emplace_back(EventWords::operations, add("operations", {{0, "send"}, {1, "receive"}}));
  words_.emplace_back(EventWords::waits, add("waits", items_of_waits()));
  words_.emplace_back(EventWords::protocols, add("protocols", {{0, "eager"},
                                                               {1, "eager_synchronous"},
                                                               {2, "rendezvous"},
                                                               {3, "starved"},
                                                               {4, "self"}}));
  words_.emplace_back(EventWords::collectives, add("collectives", items_of_collectives()));
  add("process_phase", {{0, "before_init"}, {1, "running"}, {2, "finalized"}});
  add("waiting_policy", {{0, "not_open"}, {1, "spin"}, {2, "yield"}, {3, "sleep"}});
}

const ToolEnum* ToolEnums::add(std::string name, EnumItems items) {
  all_.push_back(std::make_unique<ToolEnum>(ToolEnum{std::move(name), std::move(items)}));
  return all_.back().get();
}

const ToolEnum* ToolEnums::of(const ParamDecl& decl) const {
  if (std::holds_alternative<bool>(decl.default_value)) return flag_;
  for (const auto& [with, items] : choices_) {
    if (with == &decl) return items;
  }
  return nullptr;
}

const ToolEnum* ToolEnums::of(EventWords words) const {
  for (const auto& [which, items] : words_) {
    if (which == words) return items;
  }
  return nullptr;
}

const ToolEnum* ToolEnums::of_state(std::string_view name) const {
  const auto found =
      std::find_if(all_.begin(), all_.end(), [=](const auto& one) { return one->name == name; });
  return found == all_.end() ? nullptr : found->get();
}

const ToolEnum* ToolEnums::find(MPI_T_enum handle) const {
  const auto found = std::find_if(all_.begin(), all_.end(),
                                  [=](const auto& one) { return handle_of(one.get()) == handle; });
  return found == all_.end() ? nullptr : found->get();
}

void put_tool_text(std::string_view text, char* out, int* length) {
  if (length == nullptr) return;
  const int room = *length;
  *length = static_cast<int>(text.size()) + 1;
  if (out == nullptr || room <= 0) return;
  const std::size_t copied = std::min(text.size(), static_cast<std::size_t>(room) - 1);
  std::memcpy(out, text.data(), copied);
  out[copied] = '\0';
}

}  // namespace remit

using namespace remit;

int PMPI_T_enum_get_info(MPI_T_enum enumtype, int* num, char* name, int* name_len) try {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  const ToolEnum* items = call.tool().enums.find(enumtype);
  if (items == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  put(num, static_cast<int>(items->items.size()));
  put_tool_text(items->name, name, name_len);
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_enum_get_info);

int PMPI_T_enum_get_item(MPI_T_enum enumtype, int indx, int* value, char* name, int* name_len) try {
  const ToolCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  const ToolEnum* items = call.tool().enums.find(enumtype);
  if (items == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  if (indx < 0 || static_cast<std::size_t>(indx) >= items->items.size()) {
    return MPI_T_ERR_INVALID_ITEM;
  }
  const auto& [item, word] = items->items[static_cast<std::size_t>(indx)];
  put(value, item);
  put_tool_text(word, name, name_len);
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_enum_get_item);
