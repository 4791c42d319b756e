// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Hints of communicators (MPI-5.0, section 7.4.4).
#include <array>
#include <string_view>

#include "bindings/comm/comm_objects.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

struct HintName {
  const char* key;
  bool CommHints::*value;
};
constexpr std::array kHints = {
    HintName{"mpi_assert_no_any_tag", &CommHints::no_any_tag},
    HintName{"mpi_assert_no_any_source", &CommHints::no_any_source},
    HintName{"mpi_assert_exact_length", &CommHints::exact_length},
    HintName{"mpi_assert_allow_overtaking", &CommHints::allow_overtaking},
    HintName{"mpi_assert_strict_persistent_collective_ordering",
             &CommHints::strict_persistent_collective_ordering},
};

}  // namespace

int read_hints(Entry& entry, MPI_Info info, CommHints& hints) {
  if (info == MPI_INFO_NULL) return MPI_SUCCESS;
  InfoObject* object = nullptr;
  if (int err = entry.info(info, object)) return err;
  for (const auto& [key, value] : object->entries) {
    for (const HintName& hint : kHints) {
      if (key != hint.key) continue;
      if (value != "true" && value != "false") {
        return entry.fail(MPI_ERR_INFO_VALUE,
                          "the info value of {} is '{}'; it must be true or false", key, value);
      }
      hints.*hint.value = value == "true";
    }
  }
  return MPI_SUCCESS;
}

}  // namespace remit

using namespace remit;

int PMPI_Comm_set_info(MPI_Comm comm, MPI_Info info) try {
  Entry entry("MPI_Comm_set_info");
  CommObject* c = nullptr;
  InfoObject* object = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.info(info, object)) return err;
  return read_hints(entry, info, c->hints);
} catch (...) {
  return caught("MPI_Comm_set_info", comm);
}
REMIT_WEAK(Comm_set_info);

int PMPI_Comm_get_info(MPI_Comm comm, MPI_Info* info_used) try {
  Entry entry("MPI_Comm_get_info");
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.not_null(info_used, "info_used")) return err;
  auto* made = new InfoObject;
  for (const HintName& hint : kHints) {
    made->entries.emplace_back(hint.key, c->hints.*hint.value ? "true" : "false");
  }
  made->entries.emplace_back("mpi_memory_alloc_kinds", c->session
                                                           ? c->session->memory_alloc_kinds
                                                           : entry.instance().memory_alloc_kinds);
  *info_used = reinterpret_cast<MPI_Info>(made);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Comm_get_info", comm);
}
REMIT_WEAK(Comm_get_info);
