// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Communicators: queries, names, construction and freeing (MPI-5.0, sections 7.4 and 7.8).
#include <algorithm>
#include <cstring>
#include <vector>

#include "bindings/attributes.hpp"
#include "bindings/bsend.hpp"
#include "bindings/entry.hpp"
#include "bindings/handles.hpp"
#include "bindings/new_comm.hpp"
#include "bindings/requests.hpp"
#include "bindings/wait_subjects.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

/// The local group, shared, as a communicator that is about to exist needs it.
using GroupPtr = std::shared_ptr<const Group>;

int duplicate(const char* function, MPI_Comm comm, MPI_Comm* newcomm) {
  Entry entry(function);
  CommObject* c = nullptr;
  if (int err = entry.intra_comm(comm, c)) return err;
  if (int err = entry.not_null(newcomm, "newcomm")) return err;
  ContextId context = 0;
  if (int err = agree_on_context(entry, *c, context)) return err;
  CommObject* made = make_comm(*c, context, c->core.rank, c->core.local);
  made->topology = c->topology;
  if (int err = copy_attributes(c->attributes, Owner::comm, comm, made->attributes)) {
    delete_all_attributes(made->attributes, Owner::comm, made->handle);
    release(made);
    *newcomm = MPI_COMM_NULL;
    return entry.fail(err, "an attribute copy function returned an error");
  }
  *newcomm = made->handle;
  return MPI_SUCCESS;
}

struct ColorKey {
  int color;
  int key;
};

/// Every member's color and key, by rank.
int gather_colors(Entry& entry, CommObject& comm, ColorKey mine, std::vector<ColorKey>& all) {
  all.resize(static_cast<std::size_t>(comm.core.size()));
  CollectiveArgs args;
  args.kind = CollectiveKind::allgather;
  args.send = &mine;
  args.send_count = args.recv_count = 2;
  args.send_type = args.recv_type = &predefined(MPI_INT);
  args.recv = all.data();
  const CollectiveWait subject(entry, comm, args.kind);
  if (int err = run_collective(entry.engine(), comm.core, args, &subject)) {
    return entry.fail(err, "colors and keys could not be exchanged");
  }
  return MPI_SUCCESS;
}

/// Members of my color in order of key, then rank (section 7.4.2).
GroupPtr select_color(const CommObject& comm, const std::vector<ColorKey>& all, int color) {
  std::vector<int> ranks;
  for (int i = 0; i < comm.core.size(); ++i) {
    if (all[static_cast<std::size_t>(i)].color == color) ranks.push_back(i);
  }
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
    return all[static_cast<std::size_t>(a)].key < all[static_cast<std::size_t>(b)].key;
  });
  return comm.core.local->subset(ranks);
}

int split(Entry& entry, CommObject& comm, int color, int key, MPI_Comm* newcomm) {
  std::vector<ColorKey> all;
  if (int err = gather_colors(entry, comm, {color, key}, all)) return err;
  GroupPtr group = color == MPI_UNDEFINED ? nullptr : select_color(comm, all, color);
  return create_comm(entry, comm, std::move(group), nullptr, newcomm);
}

int compare(const CommObject& a, const CommObject& b) {
  if (&a == &b) return MPI_IDENT;
  if (a.core.is_inter() != b.core.is_inter() || a.core.size() != b.core.size()) return MPI_UNEQUAL;
  bool same_order = true;
  for (int i = 0; i < a.core.size(); ++i) {
    const ProcId proc = a.core.local->proc(i);
    if (b.core.local->proc(i) == proc) continue;
    same_order = false;
    if (b.core.local->rank_of(proc) == MPI_UNDEFINED) return MPI_UNEQUAL;
  }
  return same_order ? MPI_CONGRUENT : MPI_SIMILAR;
}

bool is_predefined(const Instance& instance, const CommObject* comm) {
  return comm == &instance.world || comm == &instance.self;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Comm_size(MPI_Comm comm, int* size) {
  Entry entry("MPI_Comm_size");
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.not_null(size, "size")) return err;
  *size = c->core.size();
  return MPI_SUCCESS;
}
REMIT_WEAK(Comm_size);

int PMPI_Comm_rank(MPI_Comm comm, int* rank) {
  Entry entry("MPI_Comm_rank");
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.not_null(rank, "rank")) return err;
  *rank = c->core.rank;
  return MPI_SUCCESS;
}
REMIT_WEAK(Comm_rank);

int PMPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  Entry entry("MPI_Comm_test_inter");
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.not_null(flag, "flag")) return err;
  *flag = c->core.is_inter();
  return MPI_SUCCESS;
}
REMIT_WEAK(Comm_test_inter);

int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  Entry entry("MPI_Comm_group");
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.not_null(group, "group")) return err;
  *group = handle_of(new GroupObject(c->core.local, c->session));
  return MPI_SUCCESS;
}
REMIT_WEAK(Comm_group);

int PMPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result) {
  Entry entry("MPI_Comm_compare");
  CommObject* a = nullptr;
  CommObject* b = nullptr;
  if (int err = entry.comm(comm1, a)) return err;
  if (int err = entry.comm(comm2, b)) return err;
  if (int err = entry.not_null(result, "result")) return err;
  *result = compare(*a, *b);
  return MPI_SUCCESS;
}
REMIT_WEAK(Comm_compare);

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  return duplicate("MPI_Comm_dup", comm, newcomm);
}
REMIT_WEAK(Comm_dup);

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  Entry entry("MPI_Comm_split");
  CommObject* c = nullptr;
  if (int err = entry.intra_comm(comm, c)) return err;
  if (int err = entry.not_null(newcomm, "newcomm")) return err;
  if (color < 0 && color != MPI_UNDEFINED) {
    return entry.fail(MPI_ERR_ARG, "color is {}; it must not be negative, or be MPI_UNDEFINED",
                      color);
  }
  return split(entry, *c, color, key, newcomm);
}
REMIT_WEAK(Comm_split);

int PMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info /*info*/,
                         MPI_Comm* newcomm) {
  Entry entry("MPI_Comm_split_type");
  CommObject* c = nullptr;
  if (int err = entry.intra_comm(comm, c)) return err;
  if (int err = entry.not_null(newcomm, "newcomm")) return err;
  if (split_type == MPI_UNDEFINED) return split(entry, *c, MPI_UNDEFINED, key, newcomm);
  if (split_type != MPI_COMM_TYPE_SHARED) {
    return entry.fail(split_type == MPI_COMM_TYPE_HW_GUIDED ||
                              split_type == MPI_COMM_TYPE_HW_UNGUIDED ||
                              split_type == MPI_COMM_TYPE_RESOURCE_GUIDED
                          ? MPI_ERR_UNSUPPORTED_OPERATION
                          : MPI_ERR_ARG,
                      "split_type {} is not supported; MPI_COMM_TYPE_SHARED is", split_type);
  }
  // All ranks of a host have the same lowest rank.
  return split(entry, *c, entry.instance().process->identity().local_peers.front(), key, newcomm);
}
REMIT_WEAK(Comm_split_type);

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  Entry entry("MPI_Comm_create");
  CommObject* c = nullptr;
  GroupPtr g;
  if (int err = entry.intra_comm(comm, c)) return err;
  if (int err = entry.group(group, g)) return err;
  if (int err = entry.not_null(newcomm, "newcomm")) return err;
  for (int i = 0; i < g->size(); ++i) {
    if (c->core.local->rank_of(g->proc(i)) == MPI_UNDEFINED) {
      return entry.fail(MPI_ERR_GROUP, "rank {} of the group is not in the communicator", i);
    }
  }
  return create_comm(entry, *c, std::move(g), nullptr, newcomm);
}
REMIT_WEAK(Comm_create);

int PMPI_Comm_free(MPI_Comm* comm) {
  Entry entry("MPI_Comm_free");
  if (int err = entry.not_null(comm, "comm")) return err;
  CommObject* c = nullptr;
  if (int err = entry.comm(*comm, c)) return err;
  if (is_predefined(entry.instance(), c)) {
    return entry.fail(MPI_ERR_COMM, "{} cannot be freed", c->name);
  }
  if (int err = delete_all_attributes(c->attributes, Owner::comm, *comm)) {
    return entry.fail(err, "an attribute delete function returned an error");
  }
  if (c->bsend != nullptr) c->bsend->abandon(entry.instance());
  c->freed = true;
  release(c);
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
REMIT_WEAK(Comm_free);

int PMPI_Comm_disconnect(MPI_Comm* comm) {
  {
    // Waits until what was sent has left (MPI-5.0, section 11.10.4); requests that are still
    // pending on the communicator are the program's error.
    Entry entry("MPI_Comm_disconnect");
    if (int err = entry.not_null(comm, "comm")) return err;
    CommObject* c = nullptr;
    if (int err = entry.comm(*comm, c)) return err;
    sweep_freed_requests(entry.instance());
    const DepartureWait subject(entry);
    entry.engine().flush(&subject);
  }
  return PMPI_Comm_free(comm);
}
REMIT_WEAK(Comm_disconnect);

int PMPI_Comm_set_name(MPI_Comm comm, const char* name) {
  Entry entry("MPI_Comm_set_name");
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (int err = entry.not_null(name, "comm_name")) return err;
  c->name.assign(name, strnlen(name, MPI_MAX_OBJECT_NAME - 1));
  return MPI_SUCCESS;
}
REMIT_WEAK(Comm_set_name);

int PMPI_Comm_get_name(MPI_Comm comm, char* name, int* resultlen) {
  Entry entry("MPI_Comm_get_name");
  if (int err = entry.not_null(name, "comm_name")) return err;
  if (int err = entry.not_null(resultlen, "resultlen")) return err;
  if (comm == MPI_COMM_NULL) {
    // Named since MPI-4.1 (section 7.8).
    *resultlen = static_cast<int>(std::strlen(std::strcpy(name, "MPI_COMM_NULL")));
    return MPI_SUCCESS;
  }
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  std::memcpy(name, c->name.c_str(), c->name.size() + 1);
  *resultlen = static_cast<int>(c->name.size());
  return MPI_SUCCESS;
}
REMIT_WEAK(Comm_get_name);

int PMPI_Comm_get_parent(MPI_Comm* parent) {
  Entry entry("MPI_Comm_get_parent");
  if (int err = entry.not_null(parent, "parent")) return err;
  *parent = MPI_COMM_NULL;  // no process of this job was spawned by another one
  return MPI_SUCCESS;
}
REMIT_WEAK(Comm_get_parent);
