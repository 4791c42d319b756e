// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Who hears of the requests of collective operations (MPIX_Request_set_watcher).
#pragma once

#include <atomic>

#include "bindings/handles.hpp"
#include "mpi_remit.h"

namespace remit {

inline std::atomic<void (*)(MPI_Request, int)> request_watcher{nullptr};

/// Tells the watcher, if there is one and this is a collective operation. `event` is one of
/// MPIX_REQUEST_STARTS and its kin. The thread that is in MPI.
inline void tell_watcher(const RequestObject& request, int event) {
  if (request.collective == nullptr) return;
  if (auto* const watcher = request_watcher.load(std::memory_order_acquire)) [[unlikely]] {
    watcher(reinterpret_cast<MPI_Request>(const_cast<RequestObject*>(&request)), event);
  }
}

}  // namespace remit
