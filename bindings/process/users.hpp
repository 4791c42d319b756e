// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The users of the MPI process: the World Model and each session. The first opens it, the last
// closes it.
#pragma once

#include <initializer_list>

#include "bindings/entry.hpp"

namespace remit {

/// One more user, which asks for `thread_level`: opens the MPI process if there is none. Waits for
/// no other rank. Any thread.
[[nodiscard]] Expected<Instance*> join_instance(const char* function, int thread_level,
                                                bool is_session);

/// One user less; the last waits until all messages have left and closes the MPI process. A process
/// that had sessions may open others: its devices stay until the program ends, at the addresses
/// which other processes know, and only the launcher is told that it has left. The caller is in no
/// Entry. Any thread.
void leave_instance(const char* function);

/// Before a user leaves: waits until what it has sent is gone, and what is in its buffers (null:
/// none), for it may be the last that this process calls of MPI although other users stay. Sends
/// that are not complete are not waited for: they may be of others.
void let_leave(Entry& entry, std::initializer_list<BsendBuffer*> buffers);

}  // namespace remit
