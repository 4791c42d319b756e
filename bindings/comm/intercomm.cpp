// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Inter-communicators: making and merging them (MPI-5.0, section 7.6).
#include "communicators/intercomm.hpp"

#include <optional>

#include "bindings/comm/comm_objects.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

/// The arguments of MPI_Intercomm_create that matter at the leader.
int check_link(Entry& entry, MPI_Comm peer_comm, int remote_leader, int tag,
               std::optional<LeaderLink>& link) {
  CommObject* peer = nullptr;
  if (int err = entry.comm(peer_comm, peer)) return err;
  const Group& peers = peer->core.peers();
  if (remote_leader < 0 || remote_leader >= peers.size()) {
    return entry.fail(MPI_ERR_RANK, "remote_leader is {}; it must be 0 to {}", remote_leader,
                      peers.size() - 1);
  }
  if (peers.proc(remote_leader) == static_cast<ProcId>(entry.instance().process->rank())) {
    return entry.fail(MPI_ERR_RANK, "remote_leader is {}, which is this process itself",
                      remote_leader);
  }
  if (int err = entry.send_tag(tag)) return err;
  link.emplace(LeaderLink{peer->core, remote_leader});
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                          int remote_leader, int tag, MPI_Comm* newintercomm) try {
  Entry entry("MPI_Intercomm_create");
  CommObject* local = nullptr;
  if (int err = entry.intra_comm(local_comm, local)) return err;
  if (local_leader < 0 || local_leader >= local->core.size()) {
    return entry.fail(MPI_ERR_RANK, "local_leader is {}; it must be 0 to {}", local_leader,
                      local->core.size() - 1);
  }
  if (int err = entry.not_null(newintercomm, "newintercomm")) return err;
  *newintercomm = MPI_COMM_NULL;
  const CommCall call = call_of(entry);
  const ParentComm parent = parent_of(*local);
  std::optional<LeaderLink> link;
  if (local->core.rank == local_leader) {
    if (int code = check_link(entry, peer_comm, remote_leader, tag, link)) {
      const auto told = refuse_intercomm(call, parent, local_leader, code);
      return told ? code : entry.fail(told.error());
    }
    // Errors from here on are of all members, on the communicator that all of them have.
    entry.raise_on(*local);
  }
  auto made = create_intercomm_of_leaders(call, parent, local_leader, tag, link ? &*link : nullptr);
  return finish_comm(entry, *local, std::move(made), newintercomm);
} catch (...) {
  return caught("MPI_Intercomm_create", local_comm);
}
REMIT_WEAK(Intercomm_create);

int PMPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) try {
  Entry entry("MPI_Intercomm_merge");
  CommObject* c = nullptr;
  if (int err = entry.inter_comm(intercomm, c)) return err;
  if (int err = entry.not_null(newintracomm, "newintracomm")) return err;
  auto made = merge_intercomm(call_of(entry), parent_of(*c), high != 0);
  return finish_comm(entry, *c, std::move(made), newintracomm);
} catch (...) {
  return caught("MPI_Intercomm_merge", intercomm);
}
REMIT_WEAK(Intercomm_merge);
