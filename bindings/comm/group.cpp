// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Groups (MPI-5.0, section 7.3).
#include <algorithm>
#include <vector>

#include "bindings/entry.hpp"
#include "bindings/handles.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

using GroupPtr = std::shared_ptr<const Group>;

/// A new handle, or MPI_GROUP_EMPTY for the empty group.
MPI_Group hand_out_group(GroupPtr group, Ref<SessionObject> session) {
  if (group->size() == 0) return MPI_GROUP_EMPTY;
  return handle_of(new GroupObject(std::move(group), std::move(session)));
}

/// Members of `a` for which keep(proc) holds, in a's order.
template <class Keep>
std::vector<ProcId> filter(const Group& a, Keep&& keep) {
  std::vector<ProcId> members;
  for (int i = 0; i < a.size(); ++i) {
    const ProcId proc = a.proc(i);
    if (keep(proc)) members.push_back(proc);
  }
  return members;
}

bool contains(const Group& group, ProcId proc) {
  return group.rank_of(proc) != MPI_UNDEFINED;
}

/// Ranks of a list must be ranks of the group, and differ.
int check_group_ranks(Entry& entry, const Group& group, const std::vector<int>& ranks) {
  std::vector<bool> seen(static_cast<std::size_t>(group.size()), false);
  for (int rank : ranks) {
    if (rank < 0 || rank >= group.size()) {
      return entry.fail(MPI_ERR_RANK, "rank {} is not in the group of size {}", rank, group.size());
    }
    if (seen[static_cast<std::size_t>(rank)]) {
      return entry.fail(MPI_ERR_RANK, "rank {} is listed twice", rank);
    }
    seen[static_cast<std::size_t>(rank)] = true;
  }
  return MPI_SUCCESS;
}

GroupPtr include(const Group& group, const std::vector<int>& ranks) {
  return group.subset(ranks);
}

GroupPtr exclude(const Group& group, const std::vector<int>& ranks) {
  std::vector<bool> dropped(static_cast<std::size_t>(group.size()), false);
  for (int rank : ranks) dropped[static_cast<std::size_t>(rank)] = true;
  std::vector<ProcId> members;
  for (int i = 0; i < group.size(); ++i) {
    if (!dropped[static_cast<std::size_t>(i)]) members.push_back(group.proc(i));
  }
  return Group::of(std::move(members));
}

/// The ranks that (first, last, stride) triplets name (section 7.3.2).
int expand_ranges(Entry& entry, const Group& group, int n, const int (*ranges)[3],
                  std::vector<int>& out) {
  for (int i = 0; i < n; ++i) {
    const int first = ranges[i][0];
    const int last = ranges[i][1];
    const int stride = ranges[i][2];
    if (stride == 0) {
      return entry.fail(MPI_ERR_ARG, "range {} ({}, {}, 0) has stride 0", i, first, last);
    }
    if (first < 0 || first >= group.size()) {
      return entry.fail(MPI_ERR_RANK, "rank {} is not in the group of size {}", first,
                        group.size());
    }
    for (std::int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
      if (rank < 0 || rank >= group.size()) {
        return entry.fail(MPI_ERR_RANK, "range {} ({}, {}, {}) leaves the group of size {}", i,
                          first, last, stride, group.size());
      }
      out.push_back(static_cast<int>(rank));
    }
  }
  return MPI_SUCCESS;
}

/// Set operations of two groups.
template <class Combine>
int combine_groups(const char* function, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup,
                   Combine&& make) {
  Entry entry(function);
  GroupPtr a;
  GroupPtr b;
  if (int err = entry.group(group1, a)) return err;
  if (int err = entry.group(group2, b)) return err;
  if (int err = entry.not_null(newgroup, "newgroup")) return err;
  Ref<SessionObject> session = session_of(group1);
  if (!session) session = session_of(group2);
  *newgroup = hand_out_group(Group::of(make(*a, *b)), std::move(session));
  return MPI_SUCCESS;
}

using Select = GroupPtr (*)(const Group&, const std::vector<int>&);

int by_list(const char* function, MPI_Group group, int n, const int ranks[], MPI_Group* newgroup,
            Select select) {
  Entry entry(function);
  GroupPtr g;
  if (int err = entry.group(group, g)) return err;
  if (n < 0) return entry.fail(MPI_ERR_ARG, "n is {}; it must not be negative", n);
  if (n > 0) {
    if (int err = entry.not_null(ranks, "ranks")) return err;
  }
  if (int err = entry.not_null(newgroup, "newgroup")) return err;
  if (n > g->size()) {
    return entry.fail(MPI_ERR_RANK,
                      "n is {}, so that one of the {} ranks of the group is listed twice", n,
                      g->size());
  }
  const std::vector<int> list(ranks, ranks + n);
  if (int err = check_group_ranks(entry, *g, list)) return err;
  *newgroup = hand_out_group(select(*g, list), session_of(group));
  return MPI_SUCCESS;
}

int by_ranges(const char* function, MPI_Group group, int n, int (*ranges)[3], MPI_Group* newgroup,
              Select select) {
  Entry entry(function);
  GroupPtr g;
  if (int err = entry.group(group, g)) return err;
  if (n < 0) return entry.fail(MPI_ERR_ARG, "n is {}; it must not be negative", n);
  if (n > 0) {
    if (int err = entry.not_null(ranges, "ranges")) return err;
  }
  if (int err = entry.not_null(newgroup, "newgroup")) return err;
  std::vector<int> list;
  if (int err = expand_ranges(entry, *g, n, ranges, list)) return err;
  if (int err = check_group_ranks(entry, *g, list)) return err;
  *newgroup = hand_out_group(select(*g, list), session_of(group));
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Group_size(MPI_Group group, int* size) try {
  Entry entry("MPI_Group_size");
  GroupPtr g;
  if (int err = entry.group(group, g)) return err;
  if (int err = entry.not_null(size, "size")) return err;
  *size = g->size();
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Group_size");
}
REMIT_WEAK(Group_size);

int PMPI_Group_rank(MPI_Group group, int* rank) try {
  Entry entry("MPI_Group_rank");
  GroupPtr g;
  if (int err = entry.group(group, g)) return err;
  if (int err = entry.not_null(rank, "rank")) return err;
  *rank = g->rank_of(static_cast<ProcId>(entry.instance().process->rank()));
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Group_rank");
}
REMIT_WEAK(Group_rank);

int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
                               int ranks2[]) try {
  Entry entry("MPI_Group_translate_ranks");
  GroupPtr from;
  GroupPtr to;
  if (int err = entry.group(group1, from)) return err;
  if (int err = entry.group(group2, to)) return err;
  if (n < 0) return entry.fail(MPI_ERR_ARG, "n is {}; it must not be negative", n);
  if (n > 0) {
    if (int err = entry.not_null(ranks1, "ranks1")) return err;
    if (int err = entry.not_null(ranks2, "ranks2")) return err;
  }
  for (int i = 0; i < n; ++i) {
    if (ranks1[i] == MPI_PROC_NULL) {
      ranks2[i] = MPI_PROC_NULL;
    } else if (ranks1[i] < 0 || ranks1[i] >= from->size()) {
      return entry.fail(MPI_ERR_RANK, "rank {} is not in the group of size {}", ranks1[i],
                        from->size());
    } else {
      ranks2[i] = to->rank_of(from->proc(ranks1[i]));
    }
  }
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Group_translate_ranks");
}
REMIT_WEAK(Group_translate_ranks);

int PMPI_Group_compare(MPI_Group group1, MPI_Group group2, int* result) try {
  Entry entry("MPI_Group_compare");
  GroupPtr a;
  GroupPtr b;
  if (int err = entry.group(group1, a)) return err;
  if (int err = entry.group(group2, b)) return err;
  if (int err = entry.not_null(result, "result")) return err;
  *result = compare(*a, *b);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Group_compare");
}
REMIT_WEAK(Group_compare);

int PMPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) try {
  return combine_groups(
      "MPI_Group_union", group1, group2, newgroup, [](const Group& a, const Group& b) {
        std::vector<ProcId> members = filter(a, [](ProcId) { return true; });
        const std::vector<ProcId> rest = filter(b, [&](ProcId p) { return !contains(a, p); });
        members.insert(members.end(), rest.begin(), rest.end());
        return members;
      });
} catch (...) {
  return caught("MPI_Group_union");
}
REMIT_WEAK(Group_union);

int PMPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) try {
  return combine_groups("MPI_Group_intersection", group1, group2, newgroup,
                        [](const Group& a, const Group& b) {
                          return filter(a, [&](ProcId p) { return contains(b, p); });
                        });
} catch (...) {
  return caught("MPI_Group_intersection");
}
REMIT_WEAK(Group_intersection);

int PMPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) try {
  return combine_groups("MPI_Group_difference", group1, group2, newgroup,
                        [](const Group& a, const Group& b) {
                          return filter(a, [&](ProcId p) { return !contains(b, p); });
                        });
} catch (...) {
  return caught("MPI_Group_difference");
}
REMIT_WEAK(Group_difference);

int PMPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) try {
  return by_list("MPI_Group_incl", group, n, ranks, newgroup, include);
} catch (...) {
  return caught("MPI_Group_incl");
}
REMIT_WEAK(Group_incl);

int PMPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) try {
  return by_list("MPI_Group_excl", group, n, ranks, newgroup, exclude);
} catch (...) {
  return caught("MPI_Group_excl");
}
REMIT_WEAK(Group_excl);

int PMPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) try {
  return by_ranges("MPI_Group_range_incl", group, n, ranges, newgroup, include);
} catch (...) {
  return caught("MPI_Group_range_incl");
}
REMIT_WEAK(Group_range_incl);

int PMPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) try {
  return by_ranges("MPI_Group_range_excl", group, n, ranges, newgroup, exclude);
} catch (...) {
  return caught("MPI_Group_range_excl");
}
REMIT_WEAK(Group_range_excl);

int PMPI_Group_free(MPI_Group* group) try {
  Entry entry("MPI_Group_free");
  if (int err = entry.not_null(group, "group")) return err;
  GroupPtr g;
  if (int err = entry.group(*group, g)) return err;
  if (*group != MPI_GROUP_EMPTY) {
    auto* object = object_of<GroupObject>(*group, ObjectKind::group);
    object->kind = ObjectKind::freed;
    delete object;
  }
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Group_free");
}
REMIT_WEAK(Group_free);
