// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The part of a member whose arguments were wrong in a collective access.
#pragma once

#include <memory>
#include <utility>

#include "files/file_operation.hpp"
#include "pt2pt/request.hpp"

namespace remit {

/// An operation that nobody waits for here, but the other members do. The file that has it outlives
/// it.
struct RefusedAccess {
  RefusedAccess(File& file, DataAccess access, const Outcome& why)
      : operation(std::shared_ptr<File>(std::shared_ptr<File>(), &file), std::move(access), true,
                  done, why) {}

  /// Whether it may be destroyed.
  [[nodiscard]] bool has_ended() const { return done.complete && !operation.is_broken(); }

  Request done{RequestKind::collective};
  FileOperation operation;
};

}  // namespace remit
