// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Requests of a fan-out, in the operation's arena.
#pragma once

#include <new>
#include <span>

#include "collectives/context.hpp"

namespace remit {

/// At most `capacity` requests, started one after the other and awaited together. Lives in the
/// coroutine's frame; the requests live in the arena until the operation ends.
class RequestArray {
 public:
  RequestArray(CollCtx& c, RequestKind kind, int capacity)
      : kind_(kind), memory_(c.scratch(sizeof(Request) * static_cast<std::size_t>(capacity))) {}

  /// A fresh request to start.
  Request& next() { return *new (memory_ + sizeof(Request) * count_++) Request(kind_); }
  Request& next(RequestKind kind) {
    return *new (memory_ + sizeof(Request) * count_++) Request(kind);
  }
  /// Starts anew, once all are complete.
  void clear() { count_ = 0; }
  [[nodiscard]] std::span<Request> started() {
    return {std::launder(reinterpret_cast<Request*>(memory_)), count_};
  }

 private:
  RequestKind kind_;
  std::byte* memory_;
  std::size_t count_ = 0;
};

}  // namespace remit
