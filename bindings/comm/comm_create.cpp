// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Communicators of some of the processes of another one (MPI-5.0, section 7.4.2).
#include "bindings/comm/comm_objects.hpp"
#include "bindings/weak.hpp"
#include "communicators/intercomm.hpp"
#include "communicators/split.hpp"

using namespace remit;

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) try {
  Entry entry("MPI_Comm_split");
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.not_null(newcomm, "newcomm")) return err;
  if (color < 0 && color != MPI_UNDEFINED) {
    return entry.fail(MPI_ERR_ARG, "color is {}; it must not be negative, or be MPI_UNDEFINED",
                      color);
  }
  return finish_comm(entry, *c, split_comm(call_of(entry), parent_of(*c), color, key), newcomm);
} catch (...) {
  return caught("MPI_Comm_split", comm);
}
REMIT_WEAK(Comm_split);

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) try {
  Entry entry("MPI_Comm_create");
  CommObject* c = nullptr;
  GroupPtr g;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.group(group, g)) return err;
  if (int err = entry.not_null(newcomm, "newcomm")) return err;
  if (auto checked = check_subset(c->core, *g); !checked) return entry.fail(checked.error());
  if (!c->core.is_inter()) return create_comm_object(entry, *c, std::move(g), nullptr, newcomm);
  // Both groups become known as if they were colors.
  const int place = my_rank_in(entry.instance(), *g);
  const int color = place == MPI_UNDEFINED ? MPI_UNDEFINED : 0;
  return finish_comm(entry, *c, split_comm(call_of(entry), parent_of(*c), color, place), newcomm);
} catch (...) {
  return caught("MPI_Comm_create", comm);
}
REMIT_WEAK(Comm_create);

// Only the members of the group call it; others may do what they like meanwhile.
int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) try {
  Entry entry("MPI_Comm_create_group");
  CommObject* c = nullptr;
  GroupPtr g;
  if (int err = entry.intra_comm(comm, c)) return err;
  if (int err = entry.group(group, g)) return err;
  if (int err = entry.send_tag(tag)) return err;
  if (int err = entry.not_null(newcomm, "newcomm")) return err;
  if (auto checked = check_subset(c->core, *g); !checked) return entry.fail(checked.error());
  *newcomm = MPI_COMM_NULL;
  auto made = create_comm_of_group(call_of(entry), c->core, std::move(g), tag);
  return finish_comm(entry, *c, std::move(made), newcomm);
} catch (...) {
  return caught("MPI_Comm_create_group", comm);
}
REMIT_WEAK(Comm_create_group);
