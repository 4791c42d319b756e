// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Communicators from groups alone, without a parent (MPI-5.0, sections 7.4.2 and 7.6.2). The string
// tag tells calls apart that are under way at the same time.
#include <cstring>

#include "bindings/comm/comm_objects.hpp"
#include "bindings/handles.hpp"
#include "bindings/weak.hpp"
#include "communicators/intercomm.hpp"

namespace remit {

namespace {

int check_string_tag(Entry& entry, const char* tag) {
  if (int err = entry.not_null(tag, "stringtag")) return err;
  if (std::strlen(tag) <= MPI_MAX_STRINGTAG_LEN) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_ARG, "stringtag has {} characters; at most {} are allowed",
                    std::strlen(tag), MPI_MAX_STRINGTAG_LEN);
}

/// What both functions have in common.
struct NewComm {
  GroupPtr local;
  int rank = 0;
  CommHints hints;
  Inherited inherited;
};

int check_common(Entry& entry, MPI_Group group, const char* stringtag, MPI_Info info,
                 MPI_Errhandler errhandler, NewComm& out) {
  if (int err = check_errhandler(entry, errhandler, Owner::comm)) return err;
  entry.raise_through(errhandler);
  if (int err = entry.group(group, out.local)) return err;
  if (int err = check_string_tag(entry, stringtag)) return err;
  if (int err = read_hints(entry, info, out.hints)) return err;
  out.inherited.errhandler = errhandler;
  out.inherited.session = session_of(group);
  out.rank = my_rank_in(entry.instance(), *out.local);
  if (out.rank != MPI_UNDEFINED || out.local->size() == 0) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_GROUP, "this process is not in the group");
}

int check_leader(Entry& entry, const Group& group, int leader, const char* argument) {
  if (leader >= 0 && leader < group.size()) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_RANK, "{} is {}; the group has {} processes", argument, leader,
                    group.size());
}

/// The object, with what the program has said of it.
int finish_new(Entry& entry, const NewComm& made, Expected<MaybeComm> core, MPI_Comm* out) {
  if (!core) return entry.fail(core.error());
  if (!*core) return MPI_SUCCESS;
  CommObject* comm = make_comm(made.inherited, std::move(**core));
  comm->hints = made.hints;
  *out = comm->handle;
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Comm_create_from_group(MPI_Group group, const char* stringtag, MPI_Info info,
                                MPI_Errhandler errhandler, MPI_Comm* newcomm) try {
  Entry entry("MPI_Comm_create_from_group");
  NewComm made;
  if (int err = check_common(entry, group, stringtag, info, errhandler, made)) return err;
  if (int err = entry.not_null(newcomm, "newcomm")) return err;
  *newcomm = MPI_COMM_NULL;
  if (made.local->size() == 0) return MPI_SUCCESS;
  auto core = create_comm_from_group(call_of(entry), made.local, made.rank, stringtag);
  return finish_new(entry, made, std::move(core), newcomm);
} catch (...) {
  return caught("MPI_Comm_create_from_group");
}
REMIT_WEAK(Comm_create_from_group);

int PMPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader,
                                      MPI_Group remote_group, int remote_leader,
                                      const char* stringtag, MPI_Info info,
                                      MPI_Errhandler errhandler, MPI_Comm* newintercomm) try {
  Entry entry("MPI_Intercomm_create_from_groups");
  NewComm made;
  if (int err = check_common(entry, local_group, stringtag, info, errhandler, made)) return err;
  if (int err = entry.not_null(newintercomm, "newintercomm")) return err;
  *newintercomm = MPI_COMM_NULL;
  if (made.local->size() == 0) return MPI_SUCCESS;
  if (int err = check_leader(entry, *made.local, local_leader, "local_leader")) return err;
  GroupPtr remote;
  if (made.rank == local_leader) {
    if (int err = entry.group(remote_group, remote)) return err;
    if (remote->size() > 0) {
      if (int err = check_leader(entry, *remote, remote_leader, "remote_leader")) return err;
    }
  }
  auto core = create_intercomm_from_groups(call_of(entry), made.local, made.rank, local_leader,
                                           std::move(remote), stringtag);
  return finish_new(entry, made, std::move(core), newintercomm);
} catch (...) {
  return caught("MPI_Intercomm_create_from_groups");
}
REMIT_WEAK(Intercomm_create_from_groups);
