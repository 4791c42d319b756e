// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/window_core.hpp"

#include <string>
#include <utility>
#include <vector>

#include "collectives/board/board.hpp"
#include "collectives/board/board_short.hpp"
#include "communicators/inner_collectives.hpp"
#include "communicators/waits.hpp"
#include "onesided/synchronization/end_watch.hpp"
#include "onesided/synchronization/window_waits.hpp"

namespace remit {

WindowCore::WindowCore(CommCore members_comm, OneSided& one_sided, const WindowSpec& wanted,
                       HostSegment segment, bool served, std::unique_ptr<AdapterMemory> offered)
    : comm(std::move(members_comm)),
      manager(one_sided),
      spec(wanted),
      is_served(served),
      members(comm, std::move(segment), manager.kernel(), manager.links()),
      epochs(comm.size()),
      host(manager, members),
      remote(manager, comm.context, members) {
  if (offered == nullptr) return;
  members.leave_locks_to_adapter();
  adapter = std::make_unique<AdapterAccess>(manager, comm.context, members, std::move(offered),
                                            remote.targets().used());
  remote.targets().set_adapter(*adapter);
}

ParentComm window_comm(WindowCore& window) {
  static const std::string kNoName;
  return {window.comm, kNoName};
}

Expected<> meet_members(const CommCall& call, WindowCore& window) {
  constexpr const char* kNotMet = "the members of the window could not meet";
  const ParentComm members = window_comm(window);
  BoardLines* const lines = short_path(window.comm, CollectiveKind::barrier, 0);
  if (lines == nullptr) {
    CollectiveArgs args;
    args.kind = CollectiveKind::barrier;
    auto met = run_among_members(call, members, args, kNotMet);
    if (!met) return tl::unexpected(with_ended_members(window.members, std::move(met.error())));
    return met;
  }
  const InnerCollectiveWait subject(call, members, CollectiveKind::barrier);
  ++window.comm.collective_sequence;
  const int code = short_barrier(*lines, &subject);
  if (code == MPI_SUCCESS) [[likely]]
    return {};
  return tl::unexpected(with_ended_members(window.members, {code, kNotMet}));
}

Expected<> wait_for_operations(const CommCall& call, WindowCore& window, int rank, bool local) {
  const FlushWait subject(window.comm, call.function, rank);
  return window.remote.targets().flush(rank, local, &subject);
}

}  // namespace remit
