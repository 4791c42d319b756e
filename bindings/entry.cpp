// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The rare ways of a call's beginning and end.
#include "bindings/entry.hpp"

#include "bindings/env/info_objects.hpp"

namespace remit {

void Entry::not_running() const {
  die(function_, library().phase == Phase::before_init
                     ? "called before MPI_Init, MPI_Init_thread or MPI_Session_init"
                     : "called after MPI_Finalize");
}

int optional_info(Entry& entry, MPI_Info info) {
  InfoObject* object = nullptr;
  return info == MPI_INFO_NULL ? MPI_SUCCESS : entry.info(info, object);
}

}  // namespace remit
