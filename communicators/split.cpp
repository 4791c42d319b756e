// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Splitting communicators by colors.
#include "communicators/split.hpp"

#include <algorithm>
#include <vector>

#include "communicators/inner_collectives.hpp"

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

Expected<> gather_colors(const CommCall& call, const ParentComm& comm, const ColorKey& mine,
                         AllColors& all) {
  const CollectiveArgs args = gather_args(mine, *comm.core.local, all.local);
  if (!comm.core.is_inter()) return run_among_members(call, comm, args);
  if (auto done = run_within_local_group(call, comm, args); !done) return done;
  return run_among_members(call, comm, gather_args(mine, *comm.core.remote, all.remote));
}

}  // namespace

Expected<MaybeComm> split_comm(const CommCall& call, const ParentComm& comm, std::int64_t color,
                               int key, const Recolor& recolor) {
  ColorKey mine{color, key};
  AllColors all;
  if (auto done = gather_colors(call, comm, mine, all); !done) return tl::unexpected(done.error());
  if (all.has_later()) {
    const auto recolored = recolor(mine.color);
    if (!recolored) return tl::unexpected(recolored.error());
    mine.color = *recolored;
    if (auto done = gather_colors(call, comm, mine, all); !done) {
      return tl::unexpected(done.error());
    }
  }
  GroupPtr local = select_color(*comm.core.local, all.local, mine.color);
  if (!comm.core.is_inter()) return create_comm(call, comm, std::move(local));
  return create_intercomm(call, comm, std::move(local),
                          select_color(*comm.core.remote, all.remote, mine.color));
}

}  // namespace remit
