// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How communicators come to be.
#pragma once

#include <memory>

#include "bindings/entry.hpp"

namespace remit {

/// Agrees with all members of `parent` on a context id that is free at each of them. Returns what
/// the MPI function is to return.
[[nodiscard]] int agree_on_context(Entry& entry, CommObject& parent, ContextId& out);

/// A communicator of `group` with the error handler of `parent`; this process has `rank` in it.
[[nodiscard]] CommObject* make_comm(const CommObject& parent, ContextId context, int rank,
                                    std::shared_ptr<const Group> group);

}  // namespace remit
