// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The operation in flight: what MPI_Wait waits for and a coroutine awaits.
#pragma once

#include <coroutine>
#include <cstdint>

#include "datatype/layout.hpp"
#include "mpi.h"
#include "pt2pt/communicator.hpp"
#include "pt2pt/matching.hpp"
#include "runtime/intrusive_list.hpp"
#include "runtime/pool.hpp"
#include "runtime/progress.hpp"

namespace remit {

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

enum class SendMode : std::uint8_t { standard, synchronous, ready };

/// Where the engine holds a request that is not complete; says how to cancel it or to fail it.
enum class RequestPlace : std::uint8_t {
  nowhere,
  waiting,   ///< a send whose peer is not connected yet: in Peer::waiting
  posted,    ///< a receive in the matcher
  transfer,  ///< `transfer` names its state in the engine
  at_self,   ///< a send to this process that has not been matched: `unexpected`
};

/// One operation in flight. The memory belongs to whoever started it and must outlive completion;
/// the engine links it into its queues meanwhile. `complete` is written once, by the thread that
/// makes progress.
struct Request : ListNode<>, PostedLink {
  explicit Request(RequestKind k) : kind(k) {}
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  RequestKind kind;
  bool complete = false;
  SendMode mode = SendMode::standard;  ///< the engine's, as everything below `waiter`
  RequestPlace place = RequestPlace::nowhere;
  OpStatus status;
  Waiter* waiter = nullptr;  ///< told when the request completes

  ProcId proc{};  ///< the peer; kAnyProc: a receive from any source
  SlabHandle transfer = kNoSlabHandle;
  Unexpected* unexpected = nullptr;
  View view;
};

/// Completes a request whose status is final. The only place that sets `complete`.
inline void complete_request(Request& request, Progress& progress) {
  request.complete = true;
  if (request.waiter != nullptr && --request.waiter->pending == 0) {
    progress.ready(request.waiter->handle);
  }
}

/// Completes a request, which nobody holds any more, as one that was cancelled.
inline void cancel_request(Request& request, Progress& progress) {
  request.place = RequestPlace::nowhere;
  request.status.cancelled = true;
  complete_request(request, progress);
}

}  // namespace remit
