// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Completions that a device makes itself, without its hardware.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma_btl/device.hpp"

namespace remit {

/// The events of a device that no hardware reports: operations of no bytes, operations on an
/// endpoint that has failed, the end of an endpoint itself. They wait here for the next poll(), for
/// post() cannot tell them.
class OwnCompletions {
 public:
  [[nodiscard]] bool empty() const { return taken_ == ready_.size(); }

  /// An operation is complete: MPI_SUCCESS or the class of an error. Nothing is told of one that
  /// nobody waits for.
  void complete(EndpointId endpoint, std::uint64_t cookie, int status) {
    if (cookie != kNoCompletion) {
      ready_.push_back({CompletionKind::local, status, endpoint, 0, cookie, {}});
    }
  }
  /// The peer has left in order.
  void closed(EndpointId endpoint) {
    ready_.push_back({CompletionKind::endpoint_closed, MPI_SUCCESS, endpoint, 0, 0, {}});
  }
  /// The peer or the path has died; its words are with Device::explain().
  void failed(EndpointId endpoint) {
    ready_.push_back({CompletionKind::endpoint_failed, MPI_ERR_PROC_ABORTED, endpoint, 0, 0, {}});
  }
  /// An event of any kind that points to no memory of the device.
  void add(const Completion& completion) { ready_.push_back(completion); }

  /// What post() does on an endpoint that has failed: everything is accepted; a send goes nowhere,
  /// all else completes with an error. Returns how many were accepted: all.
  [[nodiscard]] std::size_t refuse(EndpointId endpoint, std::span<const Operation> operations) {
    for (const Operation& operation : operations) {
      if (operation.kind != OpKind::send) {
        complete(endpoint, operation.cookie, MPI_ERR_PROC_ABORTED);
      }
    }
    return operations.size();
  }

  /// Moves the oldest into `out`, as many as it has room for; returns how many.
  [[nodiscard]] std::size_t take(std::span<Completion> out) {
    const auto rest = std::span(ready_).subspan(taken_);
    const auto moved = rest.first(std::min(out.size(), rest.size()));
    std::copy(moved.begin(), moved.end(), out.begin());
    taken_ += moved.size();
    if (2 * taken_ >= ready_.size()) {
      ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(taken_));
      taken_ = 0;
    }
    return moved.size();
  }

 private:
  std::vector<Completion> ready_;  ///< keeps its memory
  std::size_t taken_ = 0;          ///< of them, the first ones
};

}  // namespace remit
