// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The users of the MPI process: the World Model and each session. The first opens it, the last
// closes it.
#pragma once

#include "bindings/entry.hpp"

namespace remit {

/// One more user, which asks for `thread_level`: opens the MPI process if there is none. Waits for
/// no other rank. Any thread.
[[nodiscard]] Expected<Instance*> join_instance(const char* function, int thread_level);

/// One user less; the last waits until all messages have left and closes the MPI process. The
/// caller is in no Entry. Any thread.
void leave_instance(const char* function);

}  // namespace remit
