// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the next poll() of a verbs device has to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma_btl/common/own_completions.hpp"
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
  OwnCompletions own;                ///< change it by the functions below

  /// Tells poll() that an operation is complete, if anybody waits for it. post() may call it.
  void complete(EndpointId endpoint, std::uint64_t cookie, int status) {
    own.complete(endpoint, cookie, status);
    attention = attention || !own.empty();
  }
  /// Makes poll() tell that the peer has left in order, or that it has failed.
  void closed(EndpointId endpoint) {
    own.closed(endpoint);
    attention = true;
  }
  void failed(EndpointId endpoint) {
    own.failed(endpoint);
    attention = true;
  }
  /// What post() does on an endpoint that has failed: takes everything.
  [[nodiscard]] std::size_t refuse(EndpointId endpoint, std::span<const Operation> operations) {
    attention = true;
    return own.refuse(endpoint, operations);
  }
};

}  // namespace remit::verbs
