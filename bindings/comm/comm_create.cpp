// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Communicators of some of the processes of another one (MPI-5.0, section 7.4.2).
#include <algorithm>
#include <vector>

#include "bindings/comm/group_mail.hpp"
#include "bindings/comm/new_comm.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

struct ColorKey {
  std::int64_t color;
  std::int64_t key;
};
using Colors = std::vector<ColorKey>;

/// Members of a color in order of key, then rank (section 7.4.2); null for MPI_UNDEFINED.
GroupPtr select_color(const Group& group, const Colors& all, std::int64_t color) {
  if (color == MPI_UNDEFINED) return nullptr;
  std::vector<int> ranks;
  for (int i = 0; i < group.size(); ++i) {
    if (all[static_cast<std::size_t>(i)].color == color) ranks.push_back(i);
  }
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
    return all[static_cast<std::size_t>(a)].key < all[static_cast<std::size_t>(b)].key;
  });
  return group.subset(ranks);
}

CollectiveArgs gather_args(const ColorKey& mine, const Group& group, Colors& all) {
  all.resize(static_cast<std::size_t>(group.size()));
  return plain_args(CollectiveKind::allgather, &mine, all.data(), 2, MPI_INT64_T);
}

/// The colors of all members; `remote` of an inter-communicator only.
struct AllColors {
  Colors local;
  Colors remote;

  [[nodiscard]] bool has_later() const {
    const auto is_later = [](const ColorKey& member) { return member.color == kColorLater; };
    return std::any_of(local.begin(), local.end(), is_later) ||
           std::any_of(remote.begin(), remote.end(), is_later);
  }
};

int gather_colors(Entry& entry, CommObject& comm, const ColorKey& mine, AllColors& all) {
  if (!comm.core.is_inter()) {
    return run_inner(entry, comm, gather_args(mine, *comm.core.local, all.local));
  }
  if (int err = run_within(entry, comm, gather_args(mine, *comm.core.local, all.local))) return err;
  return run_inner(entry, comm, gather_args(mine, *comm.core.remote, all.remote));
}

/// The group must consist of members of the local group.
int check_subset(Entry& entry, const CommObject& comm, const Group& group) {
  for (int i = 0; i < group.size(); ++i) {
    if (comm.core.local->rank_of(group.proc(i)) == MPI_UNDEFINED) {
      return entry.fail(MPI_ERR_GROUP, "rank {} of the group is not in the communicator{}", i,
                        comm.core.is_inter() ? "'s local group" : "");
    }
  }
  return MPI_SUCCESS;
}

}  // namespace

int split(Entry& entry, CommObject& comm, std::int64_t color, int key, MPI_Comm* newcomm,
          const Recolor& recolor) {
  ColorKey mine{color, key};
  AllColors all;
  if (int err = gather_colors(entry, comm, mine, all)) return err;
  if (all.has_later()) {
    if (int err = recolor(mine.color)) return err;
    if (int err = gather_colors(entry, comm, mine, all)) return err;
  }
  GroupPtr local = select_color(*comm.core.local, all.local, mine.color);
  if (!comm.core.is_inter()) return create_comm(entry, comm, std::move(local), nullptr, newcomm);
  return create_intercomm(entry, comm, std::move(local),
                          select_color(*comm.core.remote, all.remote, mine.color), newcomm);
}

}  // namespace remit

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
  return split(entry, *c, color, key, newcomm);
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
  if (int err = check_subset(entry, *c, *g)) return err;
  if (!c->core.is_inter()) return create_comm(entry, *c, std::move(g), nullptr, newcomm);
  // Both groups become known as if they were colors.
  const int place = my_rank_in(entry.instance(), *g);
  return split(entry, *c, place == MPI_UNDEFINED ? MPI_UNDEFINED : 0, place, newcomm);
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
  if (int err = check_subset(entry, *c, *g)) return err;
  *newcomm = MPI_COMM_NULL;
  const int rank = my_rank_in(entry.instance(), *g);
  if (rank == MPI_UNDEFINED) return MPI_SUCCESS;
  MailCall call(entry, fmt::format("group {} {}", c->core.context, tag), members_of(*g), rank);
  ContextId context = 0;
  if (int err = call.agree_on_context(context)) return err;
  *newcomm = make_comm(heritage_of(*c), context, rank, std::move(g))->handle;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Comm_create_group", comm);
}
REMIT_WEAK(Comm_create_group);
