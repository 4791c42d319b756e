// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Requests that wait for notifications (RequestForm::notification): `tag` is the counter's index,
// `awaited` the value or, of persistent ones, the number of notifications.
#pragma once

#include "bindings/objects.hpp"
#include "runtime/error.hpp"

namespace remit {

/// Starts one whose core is not complete. MPI_ERR_WIN, MPI_ERR_RMA_SYNC, MPI_ERR_ARG: its window,
/// or the counter, is gone.
[[nodiscard]] Expected<> start_notify_request(RequestObject& request);

/// Completes one that waits as one that was cancelled.
void cancel_notify_request(RequestObject& request);

}  // namespace remit
