// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Groups as messages, and two groups that are to become an inter-communicator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bindings/comm/group_mail.hpp"
#include "bindings/comm/new_comm.hpp"

namespace remit {

/// A group as numbers: its size, then the stride and the first process of a regular one, or 0 and
/// the processes, by their names (Engine::name_of()). Empty for a group of nobody.
using Words = std::vector<std::int64_t>;
[[nodiscard]] Words words_of(const Engine& engine, const Group& group);
/// Of a description that another process made.
[[nodiscard]] GroupPtr group_of(Engine& engine, const Words& words);

[[nodiscard]] GroupMail::Letter to_bytes(const Words& words);
[[nodiscard]] Words words_from(const GroupMail::Letter& letter);

/// Whether rank 0 of `a` comes before that of `b`; the same at all processes.
[[nodiscard]] bool comes_first(const Engine& engine, const Group& a, const Group& b);

/// No process may be in both groups of an inter-communicator. All members of both find out alike.
[[nodiscard]] int check_disjoint(Entry& entry, const Group& local, const Group& remote);

/// A context that is free at all members of two disjoint groups, who all call this. `about` as for
/// MailCall. Returns what the MPI function is to return.
[[nodiscard]] int agree_between(Entry& entry, std::string about, const Group& local,
                                const Group& remote, ContextId& out);

}  // namespace remit
