// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the parts of a window have in common.
#pragma once

#include <memory>
#include <vector>

#include "communicators/comm_process.hpp"
#include "onesided/adapter/adapter_access.hpp"
#include "onesided/memory/host_segment.hpp"
#include "onesided/memory/members.hpp"
#include "onesided/one_sided.hpp"
#include "onesided/remote/remote_access.hpp"
#include "onesided/synchronization/epochs.hpp"
#include "onesided/synchronization/host_sync.hpp"
#include "onesided/window_spec.hpp"
#include "pt2pt/communicator.hpp"
#include "runtime/error.hpp"

namespace remit {

/// The members of a window, the epochs of this one, and the two ways by which this one has
/// something done at another: words that a host shares, and messages. Owned by Window, whose parts
/// refer to it. The thread that holds the process.
struct WindowCore {
  /// `one_sided` must outlive it. `served`: some members reach others by messages alone. `offered`:
  /// what all members have offered to the adapters by which they change each other's memory; null:
  /// none has.
  WindowCore(CommCore members_comm, OneSided& one_sided, const WindowSpec& wanted,
             HostSegment segment, bool served, std::unique_ptr<AdapterMemory> offered = nullptr);

  CommCore comm;  ///< of the members
  OneSided& manager;
  const WindowSpec spec;
  const bool is_served;
  WindowMembers members;
  Epochs epochs;
  HostSync host;
  RemoteAccess remote;
  std::vector<int> locking;  ///< targets of MPI_Win_lock_all that threads are about to lock
  /// Null: processors take locks and change elements (the window is of their domain).
  std::unique_ptr<AdapterAccess> adapter;
};

/// In the place of a rank: all members.
inline constexpr int kAllMembers = -1;

/// For what all members do together.
[[nodiscard]] ParentComm window_comm(WindowCore& window);

/// Waits until all members have come; what each has stored before can be seen by all. An error
/// names those that have ended, as far as that is known.
[[nodiscard]] Expected<> meet_members(const CommCall& call, WindowCore& window);

/// Waits until the operations on `rank`, or on kAllMembers, can be seen there; `local`: until the
/// memory of this process is free. In whatever epoch.
[[nodiscard]] Expected<> wait_for_operations(const CommCall& call, WindowCore& window, int rank,
                                             bool local);
/// The same, where most often none are under way.
[[nodiscard]] inline Expected<> end_operations(const CommCall& call, WindowCore& window, int rank,
                                               bool local) {
  if (!window.remote.targets().busy()) [[likely]]
    return {};
  return wait_for_operations(call, window, rank, local);
}

}  // namespace remit
