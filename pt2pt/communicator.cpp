// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Groups: regular ones as three numbers, others as a list with its inverse.
#include "pt2pt/communicator.hpp"

#include <algorithm>

namespace remit {

std::shared_ptr<const Group> Group::regular(ProcId first, std::int64_t stride, int size) {
  std::shared_ptr<Group> group(new Group());
  group->first_ = first;
  group->stride_ = stride;
  group->size_ = size;
  return group;
}

std::shared_ptr<const Group> Group::of(std::vector<ProcId> members) {
  const int size = static_cast<int>(members.size());
  if (members.empty()) return regular(ProcId{}, 1, 0);
  const std::int64_t stride =
      size > 1 ? static_cast<std::int64_t>(members[1]) - static_cast<std::int64_t>(members[0]) : 1;
  bool is_regular = stride != 0;
  for (std::size_t i = 1; i < members.size() && is_regular; ++i) {
    is_regular =
        static_cast<std::int64_t>(members[i]) - static_cast<std::int64_t>(members[i - 1]) == stride;
  }
  if (is_regular) return regular(members[0], stride, size);
  std::shared_ptr<Group> group(new Group());
  group->size_ = size;
  group->by_proc_.reserve(members.size());
  for (int i = 0; i < size; ++i) {
    group->by_proc_.emplace_back(members[static_cast<std::size_t>(i)], i);
  }
  std::sort(group->by_proc_.begin(), group->by_proc_.end());
  group->members_ = std::move(members);
  return group;
}

int Group::rank_of(ProcId proc) const {
  if (members_.empty()) {
    const std::int64_t distance =
        static_cast<std::int64_t>(proc) - static_cast<std::int64_t>(first_);
    if (distance % stride_ != 0) return MPI_UNDEFINED;
    const std::int64_t rank = distance / stride_;
    return rank >= 0 && rank < size_ ? static_cast<int>(rank) : MPI_UNDEFINED;
  }
  const auto found = std::lower_bound(by_proc_.begin(), by_proc_.end(), std::pair(proc, 0));
  return found != by_proc_.end() && found->first == proc ? found->second : MPI_UNDEFINED;
}

std::shared_ptr<const Group> Group::subset(std::span<const int> ranks) const {
  std::vector<ProcId> members;
  members.reserve(ranks.size());
  for (const int rank : ranks) members.push_back(proc(rank));
  return of(std::move(members));
}

bool spans_jobs(const Group& group, int job_size) {
  const auto own = static_cast<ProcId>(job_size);
  if (group.size() == 0) return false;
  // What is regular rises or falls.
  if (group.is_regular()) return group.proc(0) >= own || group.proc(group.size() - 1) >= own;
  for (int rank = 0; rank < group.size(); ++rank) {
    if (group.proc(rank) >= own) return true;
  }
  return false;
}

int compare(const Group& a, const Group& b) {
  if (&a == &b) return MPI_IDENT;
  if (a.size() != b.size()) return MPI_UNEQUAL;
  bool same_order = true;
  for (int i = 0; i < a.size(); ++i) {
    const ProcId proc = a.proc(i);
    if (b.proc(i) == proc) continue;
    same_order = false;
    if (b.rank_of(proc) == MPI_UNDEFINED) return MPI_UNEQUAL;
  }
  return same_order ? MPI_IDENT : MPI_SIMILAR;
}

}  // namespace remit
