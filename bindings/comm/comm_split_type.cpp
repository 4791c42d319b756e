// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Communicators of processes that share hardware (MPI-5.0, sections 7.4.2 and 9.1.3), whose kinds
// are named as hwloc names them: "hwloc://NUMANode".
#include <string>
#include <string_view>

#include "bindings/comm/comm_objects.hpp"
#include "bindings/env/info_objects.hpp"
#include "bindings/weak.hpp"
#include "communicators/hardware_split.hpp"
#include "communicators/split.hpp"

namespace remit {

namespace {

constexpr const char* kResourceType = "mpi_hw_resource_type";
constexpr const char* kSetName = "mpi_pset_name";

/// The value of a key; empty without one.
std::string info_text(const InfoObject* info, std::string_view key) {
  const std::string* value = info == nullptr ? nullptr : value_of(*info, key);
  return value == nullptr ? std::string() : *value;
}

/// Says in the program's info object which kind it was.
void report_division(InfoObject* info, const std::string& kind) {
  if (info == nullptr || kind.empty()) return;
  auto& entries = info->entries;
  std::erase_if(entries, [](const auto& pair) { return pair.first == kResourceType; });
  entries.emplace_back(kResourceType, kind);
}

int find_color(Entry& entry, const CommObject& comm, int split_type, const InfoObject* info,
               std::int64_t& color) {
  Process& process = *entry.instance().process;
  color = MPI_UNDEFINED;
  switch (split_type) {
    case MPI_UNDEFINED:
      return MPI_SUCCESS;
    case MPI_COMM_TYPE_SHARED:
      color = host_color(process, comm.core);
      return MPI_SUCCESS;
    case MPI_COMM_TYPE_HW_GUIDED:
      color = hardware_color(process, comm.core, info_text(info, kResourceType));
      return MPI_SUCCESS;
    case MPI_COMM_TYPE_RESOURCE_GUIDED: {
      const std::string name = info_text(info, kSetName);
      color = name.empty() ? hardware_color(process, comm.core, info_text(info, kResourceType))
                           : process_set_color(entry.engine(), name);
      return MPI_SUCCESS;
    }
    case MPI_COMM_TYPE_HW_UNGUIDED:
      color = kColorLater;
      return MPI_SUCCESS;
    default:
      return entry.fail(MPI_ERR_ARG,
                        "split_type is {}, which is none of MPI_COMM_TYPE_SHARED, "
                        "_HW_GUIDED, _HW_UNGUIDED and _RESOURCE_GUIDED",
                        split_type);
  }
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info,
                         MPI_Comm* newcomm) try {
  Entry entry("MPI_Comm_split_type");
  CommObject* c = nullptr;
  InfoObject* object = nullptr;
  CommHints hints;
  std::int64_t color = 0;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.not_null(newcomm, "newcomm")) return err;
  if (int err = read_hints(entry, info, hints)) return err;
  if (info != MPI_INFO_NULL) {
    if (int err = entry.info(info, object)) return err;
  }
  if (int err = find_color(entry, *c, split_type, object, color)) return err;
  const CommCall call = call_of(entry);
  const ParentComm parent = parent_of(*c);
  // Those with MPI_UNDEFINED, who do not know what the others asked for, are in it as well.
  const Recolor divide = [&](std::int64_t mine) -> Expected<std::int64_t> {
    const bool takes_part = mine == kColorLater;
    const auto division = find_division(call, parent, takes_part);
    if (!division) return tl::unexpected(division.error());
    if (takes_part) report_division(object, division->kind);
    return division->color;
  };
  auto split = split_comm(call, parent, color, key, divide);
  if (int err = finish_comm(entry, *c, std::move(split), newcomm)) return err;
  if (CommObject* made = entry.instance().comm(*newcomm); made != nullptr) made->hints = hints;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Comm_split_type", comm);
}
REMIT_WEAK(Comm_split_type);

int PMPI_Get_hw_resource_info(MPI_Info* hw_info) try {
  Entry entry("MPI_Get_hw_resource_info");
  if (int err = entry.not_null(hw_info, "hw_info")) return err;
  auto* made = new InfoObject;
  for (const HardwareKind& kind : hardware_kinds(*entry.instance().process)) {
    made->entries.emplace_back(kind.name, kind.restricted ? "true" : "false");
  }
  *hw_info = reinterpret_cast<MPI_Info>(made);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Get_hw_resource_info");
}
REMIT_WEAK(Get_hw_resource_info);
