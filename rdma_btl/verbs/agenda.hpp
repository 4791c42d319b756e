// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the next poll() of a verbs device has to do.
#pragma once

#include <cstdint>
#include <deque>

#include "rdma_btl/device.hpp"

namespace remit::verbs {

/// What poll() has to do besides looking at the completion queue. Who makes work says so here, so
/// that a poll() with nothing to do costs a look at two flags. Owned by Progress; one thread.
struct Agenda {
  mutable bool attention = false;  ///< something waits for Progress::attend()
  bool chores = false;  ///< or a receive, a credit or an end waits: false if none of them does
  mutable bool flush_wanted = false;
  mutable bool flush_asked = false;  ///< the last answer of Device::flushed() was no
  std::uint64_t next_look_ns = 0;    ///< when events that are not completions are looked for
  std::deque<Completion> ready;      ///< completions made by software

  /// Makes poll() tell of an event.
  void tell(CompletionKind kind, EndpointId endpoint, int status, std::uint64_t cookie = 0) {
    ready.push_back({kind, status, endpoint, 0, cookie, {}});
    attention = true;
  }
  /// Tells poll() that an operation is complete, if anybody waits for it. post() may call it.
  void complete(EndpointId endpoint, std::uint64_t cookie, int status) {
    if (cookie != kNoCompletion) tell(CompletionKind::local, endpoint, status, cookie);
  }
};

}  // namespace remit::verbs
