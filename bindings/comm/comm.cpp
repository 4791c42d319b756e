// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Communicators: queries and freeing (MPI-5.0, sections 7.4.1, 7.4.3 and 7.6.1).
#include <cstring>

#include "bindings/comm/attributes.hpp"
#include "bindings/entry.hpp"
#include "bindings/env/wait_subjects.hpp"
#include "bindings/handles.hpp"
#include "bindings/pt2pt/bsend.hpp"
#include "bindings/pt2pt/requests.hpp"
#include "bindings/weak.hpp"
#include "communicators/creation.hpp"

namespace remit {

namespace {

bool is_world_or_self(const Instance& instance, const CommObject* comm) {
  return comm == &instance.world || comm == &instance.self;
}

int free_comm(Entry& entry, CommObject& c, MPI_Comm* handle) {
  if (is_world_or_self(entry.instance(), &c)) {
    return entry.fail(MPI_ERR_COMM, "{} cannot be freed", c.name);
  }
  if (int err = delete_all_attributes(c.attributes, Owner::comm, *handle)) {
    return entry.fail(err, "an attribute delete function returned an error");
  }
  if (c.bsend != nullptr) c.bsend->abandon(entry.instance());
  c.freed = true;
  if (entry.instance().parent.get() == &c) (void)entry.instance().parent.detach();
  release(&c);
  *handle = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Comm_size(MPI_Comm comm, int* size) try {
  Entry entry("MPI_Comm_size");
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.not_null(size, "size")) return err;
  *size = c->core.size();
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Comm_size", comm);
}
REMIT_WEAK(Comm_size);

int PMPI_Comm_rank(MPI_Comm comm, int* rank) try {
  Entry entry("MPI_Comm_rank");
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.not_null(rank, "rank")) return err;
  *rank = c->core.rank;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Comm_rank", comm);
}
REMIT_WEAK(Comm_rank);

int PMPI_Comm_test_inter(MPI_Comm comm, int* flag) try {
  Entry entry("MPI_Comm_test_inter");
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.not_null(flag, "flag")) return err;
  *flag = c->core.is_inter();
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Comm_test_inter", comm);
}
REMIT_WEAK(Comm_test_inter);

int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group) try {
  Entry entry("MPI_Comm_group");
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.not_null(group, "group")) return err;
  *group = handle_of(new GroupObject(c->core.local, c->session));
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Comm_group", comm);
}
REMIT_WEAK(Comm_group);

int PMPI_Comm_remote_size(MPI_Comm comm, int* size) try {
  Entry entry("MPI_Comm_remote_size");
  CommObject* c = nullptr;
  if (int err = entry.inter_comm(comm, c)) return err;
  if (int err = entry.not_null(size, "size")) return err;
  *size = c->core.remote->size();
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Comm_remote_size", comm);
}
REMIT_WEAK(Comm_remote_size);

int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group* group) try {
  Entry entry("MPI_Comm_remote_group");
  CommObject* c = nullptr;
  if (int err = entry.inter_comm(comm, c)) return err;
  if (int err = entry.not_null(group, "group")) return err;
  *group = handle_of(new GroupObject(c->core.remote, c->session));
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Comm_remote_group", comm);
}
REMIT_WEAK(Comm_remote_group);

int PMPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result) try {
  Entry entry("MPI_Comm_compare");
  CommObject* a = nullptr;
  CommObject* b = nullptr;
  if (int err = entry.comm(comm1, a)) return err;
  if (int err = entry.comm(comm2, b)) return err;
  if (int err = entry.not_null(result, "result")) return err;
  *result = a == b ? MPI_IDENT : compare(a->core, b->core);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Comm_compare", comm1);
}
REMIT_WEAK(Comm_compare);

int PMPI_Comm_free(MPI_Comm* comm) try {
  Entry entry("MPI_Comm_free");
  if (int err = entry.not_null(comm, "comm")) return err;
  CommObject* c = nullptr;
  if (int err = entry.comm(*comm, c)) return err;
  return free_comm(entry, *c, comm);
} catch (...) {
  return caught("MPI_Comm_free");
}
REMIT_WEAK(Comm_free);

int PMPI_Comm_disconnect(MPI_Comm* comm) try {
  Entry entry("MPI_Comm_disconnect");
  if (int err = entry.not_null(comm, "comm")) return err;
  CommObject* c = nullptr;
  if (int err = entry.comm(*comm, c)) return err;
  // Waits until what was sent has left (MPI-5.0, section 11.10.4); requests that are still pending
  // on the communicator are the program's error.
  sweep_freed_requests(entry.instance());
  const DepartureWait subject(entry);
  entry.progress().wait([&] { return entry.engine().flushed(); }, &subject);
  return free_comm(entry, *c, comm);
} catch (...) {
  return caught("MPI_Comm_disconnect");
}
REMIT_WEAK(Comm_disconnect);

int PMPI_Comm_get_parent(MPI_Comm* parent) try {
  Entry entry("MPI_Comm_get_parent");
  if (int err = entry.not_null(parent, "parent")) return err;
  const CommObject* spawner = entry.instance().parent.get();
  *parent = spawner == nullptr ? MPI_COMM_NULL : spawner->handle;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Comm_get_parent");
}
REMIT_WEAK(Comm_get_parent);
