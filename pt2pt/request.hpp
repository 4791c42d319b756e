// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The operation in flight: what MPI_Wait waits for and a coroutine awaits.
#pragma once

#include <coroutine>
#include <cstdint>

#include "mpi.h"
#include "runtime/progress.hpp"

namespace remit {

class Engine;

/// Result of a finished operation, before it is turned into an MPI_Status.
struct OpStatus {
  int source = MPI_ANY_SOURCE;  ///< rank in the communicator
  int tag = MPI_ANY_TAG;
  int error = MPI_SUCCESS;  ///< MPI error class
  bool cancelled = false;
  MPI_Count bytes = 0;  ///< received bytes
};

/// A coroutine that waits for one or more requests; resumed from the run queue when the last of
/// them completes.
struct Waiter {
  std::coroutine_handle<> handle;
  int pending = 0;  ///< requests not complete yet
};

enum class RequestKind : std::uint8_t { send, receive, collective, generalized };

/// One operation in flight. The memory belongs to whoever started it and must outlive completion;
/// the engine links it into its queues meanwhile. `complete` is written once, by the thread that
/// makes progress.
struct Request {
  explicit Request(RequestKind k) : kind(k) {}
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  RequestKind kind;
  bool complete = false;
  OpStatus status;
  Waiter* waiter = nullptr;  ///< told when the request completes
};

/// Completes a request whose status is final. The only place that sets `complete`.
inline void complete_request(Request& request, Progress& progress) {
  request.complete = true;
  if (request.waiter != nullptr && --request.waiter->pending == 0) {
    progress.ready(request.waiter->handle);
  }
}

}  // namespace remit
