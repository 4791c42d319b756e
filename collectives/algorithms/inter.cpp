// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Collectives on inter-communicators (MPI-5.0, section 6.2.3): parts inside the local group
// (CommCore::within) and messages between the groups, where ranks are those of the other group.
// Rank 0 of each group is its leader.
#include <algorithm>

#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "collectives/algorithms/request_array.hpp"

namespace remit {

namespace {

using enum CollectiveKind;

/// A part inside the local group.
Task<int> inside(CollCtx& c, CollectiveArgs a) {
  CollCtx here(c, *c.comm().within);
  Task<int> part = run_part(here, a);
  co_await part;
  c.take_error(here);
  co_return c.error();
}

/// Reduces the local group's vectors to its leader, where the result comes to `result`.
CollectiveArgs reduce_args(const CollectiveArgs& a, MPI_Count count, void* result) {
  CollectiveArgs args;
  args.kind = reduce;
  args.send = a.send;
  args.recv = result;
  args.send_count = args.recv_count = count;
  args.send_type = args.recv_type = a.recv_type;
  args.op = a.op;
  return args;
}

}  // namespace

/// Nobody leaves before its leader has heard from the other one, which spoke when all of its group
/// had come.
Task<int> barrier_inter(CollCtx& c, const CollectiveArgs& /*a*/) {
  CollectiveArgs local;
  local.kind = barrier;
  Task<int> arrival = inside(c, local);
  co_await arrival;
  if (c.rank() == 0) {
    const View nothing = bytes_view(nullptr, 0);
    auto meet = c.sendrecv(nothing, 0, nothing, 0);
    co_await meet;
  }
  Task<int> departure = inside(c, local);
  co_await departure;
  co_return c.error();
}

/// From the root to the other group's leader, and on inside.
Task<int> bcast_inter(CollCtx& c, const CollectiveArgs& a) {
  if (a.root == MPI_PROC_NULL) co_return c.error();
  const View data = view_of(a.recv, a.recv_count, *a.recv_type);
  if (a.root == MPI_ROOT) {
    auto departure = c.send(data, 0);
    co_await departure;
    co_return c.error();
  }
  if (c.rank() == 0) {
    auto arrival = c.receive(data, a.root);
    co_await arrival;
  }
  Task<int> onwards = inside(c, bcast_args(a.recv, a.recv_count, *a.recv_type));
  co_await onwards;
  co_return c.error();
}

/// Everybody sends to the root, straight to its place.
Task<int> gather_inter(CollCtx& c, const CollectiveArgs& a) {
  if (a.root == MPI_PROC_NULL) co_return c.error();
  if (a.root != MPI_ROOT) {
    const View mine = view_of(a.send, a.send_count, *a.send_type);
    auto departure = c.send(mine, a.root);
    co_await departure;
    co_return c.error();
  }
  RequestArray arrivals(c, RequestKind::receive, c.remote_size());
  for (int i = 0; i < c.remote_size(); ++i) {
    c.start_receive(arrivals.next(), receive_slot(a, i), i);
  }
  auto everybody = c.all(arrivals.started());
  co_await everybody;
  co_return c.error();
}

Task<int> scatter_inter(CollCtx& c, const CollectiveArgs& a) {
  if (a.root == MPI_PROC_NULL) co_return c.error();
  if (a.root != MPI_ROOT) {
    const View mine = view_of(a.recv, a.recv_count, *a.recv_type);
    auto arrival = c.receive(mine, a.root);
    co_await arrival;
    co_return c.error();
  }
  RequestArray departures(c, RequestKind::send, c.remote_size());
  for (int i = 0; i < c.remote_size(); ++i) {
    c.start_send(departures.next(), send_slot(a, i), i);
  }
  auto everybody = c.all(departures.started());
  co_await everybody;
  co_return c.error();
}

namespace {

/// Bytes of the local members' contributions at the leader, and where each begins.
struct Gathered {
  MPI_Count* bytes = nullptr;
  MPI_Count* begins = nullptr;
  std::byte* data = nullptr;
  MPI_Count total = 0;
};

/// The local contributions, packed one after the other, at the leader. Members of allgatherv know
/// only their own length.
Task<int> gather_inside(CollCtx& c, const CollectiveArgs& a, Gathered& out) {
  const auto members = static_cast<std::size_t>(c.size());
  const View mine = view_of(a.send, a.send_count, *a.send_type);
  const auto length = static_cast<MPI_Count>(mine.size());
  CollectiveArgs args;
  args.send_type = args.recv_type = &predefined(MPI_COUNT);
  if (c.rank() == 0) {
    out.bytes = reinterpret_cast<MPI_Count*>(c.scratch(2 * members * sizeof(MPI_Count)));
    out.begins = out.bytes + members;
  }
  args.kind = gather;
  args.send = &length;
  args.recv = out.bytes;
  args.send_count = args.recv_count = 1;
  Task<int> lengths = inside(c, args);
  co_await lengths;
  if (c.rank() == 0 && c.error() == MPI_SUCCESS) {
    for (std::size_t i = 0; i < members; ++i) {
      out.begins[i] = out.total;
      out.total += out.bytes[i];
    }
  } else if (c.rank() == 0) {
    std::fill_n(out.bytes, 2 * members, 0);
  }
  if (c.rank() == 0) out.data = c.scratch(static_cast<std::size_t>(out.total));
  args.kind = gatherv;
  args.send = a.send;
  args.send_count = a.send_count;
  args.send_type = a.send_type;
  args.recv = out.data;
  args.recv_type = &predefined(MPI_BYTE);
  args.recv_counts = Counts(out.bytes);
  args.recv_displs = Counts(out.begins);
  Task<int> data = inside(c, args);
  co_await data;
  co_return c.error();
}

}  // namespace

/// Each group's data gathers at its leader; the leaders exchange; each passes on what it got.
Task<int> allgather_inter(CollCtx& c, const CollectiveArgs& a) {
  Gathered ours;
  Task<int> inwards = gather_inside(c, a, ours);
  co_await inwards;
  std::size_t bytes = 0;
  for (int i = 0; i < c.remote_size(); ++i) bytes += receive_slot(a, i).size();
  std::byte* theirs = c.scratch(bytes);
  if (c.rank() == 0) {
    const View out = bytes_view(ours.data, static_cast<std::size_t>(ours.total));
    const View in = bytes_view(theirs, bytes);
    auto meet = c.sendrecv(out, 0, in, 0);
    co_await meet;
  }
  const auto count = static_cast<MPI_Count>(bytes);
  Task<int> outwards = inside(c, bcast_args(theirs, count, predefined(MPI_BYTE)));
  co_await outwards;
  if (c.error() != MPI_SUCCESS) co_return c.error();
  for (int i = 0; i < c.remote_size(); ++i) {
    const View slot = receive_slot(a, i);
    copy_local(bytes_view(theirs, slot.size()), slot);
    theirs += slot.size();
  }
  co_return c.error();
}

/// In step k to the one k ahead and from the one k behind, counted in the larger group; who is not
/// there is left out. Empty parts of the v-variants are no messages, as inside of one group.
Task<int> alltoall_inter(CollCtx& c, const CollectiveArgs& a) {
  const int remote = c.remote_size();
  const int steps = std::max(c.size(), remote);
  const bool listed = a.kind != alltoall;
  for (int step = 0; step < steps; ++step) {
    const int to = (c.rank() + step) % steps;
    const int from = (c.rank() - step + steps) % steps;
    View out{};
    View in{};
    if (to < remote) out = send_slot(a, to);
    if (from < remote) in = receive_slot(a, from);
    const bool sends = to < remote && !(listed && out.size() == 0);
    const bool receives = from < remote && !(listed && in.size() == 0);
    auto exchange = c.exchange(sends ? &out : nullptr, to, receives ? &in : nullptr, from);
    co_await exchange;
  }
  co_return c.error();
}

/// The group without the root reduces to its leader, which sends the result to the root.
Task<int> reduce_inter(CollCtx& c, const CollectiveArgs& a) {
  if (a.root == MPI_PROC_NULL) co_return c.error();
  if (a.root == MPI_ROOT) {
    auto arrival = c.receive(view_of(a.recv, a.recv_count, *a.recv_type), 0);
    co_await arrival;
    co_return c.error();
  }
  void* result = c.rank() == 0 ? c.scratch(a.recv_count, *a.recv_type) : nullptr;
  Task<int> inwards = inside(c, reduce_args(a, a.recv_count, result));
  co_await inwards;
  if (c.rank() == 0) {
    auto departure = c.send(view_of(result, a.recv_count, *a.recv_type), a.root);
    co_await departure;
  }
  co_return c.error();
}

/// Each group reduces to its leader; the leaders exchange; each passes on what it got.
Task<int> allreduce_inter(CollCtx& c, const CollectiveArgs& a) {
  const Datatype& type = *a.recv_type;
  void* result = c.rank() == 0 ? c.scratch(a.recv_count, type) : nullptr;
  Task<int> inwards = inside(c, reduce_args(a, a.recv_count, result));
  co_await inwards;
  if (c.rank() == 0) {
    const View out = view_of(result, a.recv_count, type);
    const View in = view_of(a.recv, a.recv_count, type);
    auto meet = c.sendrecv(out, 0, in, 0);
    co_await meet;
  }
  Task<int> outwards = inside(c, bcast_args(a.recv, a.recv_count, type));
  co_await outwards;
  co_return c.error();
}

/// As allreduce, but what the leader gets is scattered. Both groups' vectors have `send_count`
/// elements, however many members share them.
Task<int> reduce_scatter_inter(CollCtx& c, const CollectiveArgs& a) {
  const Datatype& type = *a.recv_type;
  void* ours = c.rank() == 0 ? c.scratch(a.send_count, type) : nullptr;
  void* theirs = c.rank() == 0 ? c.scratch(a.send_count, type) : nullptr;
  Task<int> inwards = inside(c, reduce_args(a, a.send_count, ours));
  co_await inwards;
  MPI_Count* begins = nullptr;
  CollectiveArgs args;
  args.kind = a.kind == reduce_scatter ? scatterv : scatter;
  if (c.rank() == 0) {
    const View out = view_of(ours, a.send_count, type);
    const View in = view_of(theirs, a.send_count, type);
    auto meet = c.sendrecv(out, 0, in, 0);
    co_await meet;
    const auto members = static_cast<std::size_t>(c.size());
    begins = reinterpret_cast<MPI_Count*>(c.scratch(members * sizeof(MPI_Count)));
    MPI_Count begin = 0;
    for (int i = 0; i < c.size() && args.kind == scatterv; ++i) {
      begins[i] = begin;
      begin += a.recv_counts[i];
    }
  }
  args.send = theirs;
  args.send_count = args.recv_count = a.recv_count;
  args.send_counts = a.recv_counts;
  args.send_displs = Counts(begins);
  args.recv = a.recv;
  args.send_type = args.recv_type = &type;
  Task<int> outwards = inside(c, args);
  co_await outwards;
  co_return c.error();
}

}  // namespace remit
