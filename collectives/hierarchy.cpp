// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Hierarchies: finding out the cells, and compositions of algorithms inside and among them.
#include "collectives/hierarchy.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>

#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "collectives/state.hpp"
#include "runtime/topology.hpp"

namespace remit {

// --- the cells -----------------------------------------------------------------------------------

Hierarchy::Hierarchy(const CommCore& comm, std::span<const std::int64_t> cells) {
  const auto size = static_cast<std::size_t>(comm.size());
  std::map<std::int64_t, int> numbers;
  std::vector<ProcId> leaders;
  std::vector<ProcId> near;
  std::vector<int> sizes;
  const std::int64_t own = cells[static_cast<std::size_t>(comm.rank)];
  for (std::size_t rank = 0; rank < size; ++rank) {
    const ProcId proc = comm.local->proc(static_cast<int>(rank));
    const auto [found, is_new] = numbers.try_emplace(cells[rank], static_cast<int>(sizes.size()));
    if (is_new) {
      leaders.push_back(proc);
      sizes.push_back(0);
    }
    ++sizes[static_cast<std::size_t>(found->second)];
    cell_of_.push_back(found->second);
    if (cells[rank] == own) near.push_back(proc);
  }
  ordered_ = std::is_sorted(cell_of_.begin(), cell_of_.end());
  largest_ = *std::max_element(sizes.begin(), sizes.end());
  even_ = ordered_ && largest_ == *std::min_element(sizes.begin(), sizes.end());
  own_cell_ = cell_of_[static_cast<std::size_t>(comm.rank)];
  if (even_) std::vector<int>().swap(cell_of_);
  connect(comm, Group::of(std::move(near)), Group::of(std::move(leaders)));
}

Hierarchy::Hierarchy(const CommCore& comm, int each) : own_cell_(comm.rank / each), largest_(each) {
  assert(comm.local->is_regular() && comm.size() % each == 0);
  const std::int64_t stride = comm.local->stride();
  connect(comm, Group::regular(comm.local->proc(own_cell_ * each), stride, each),
          Group::regular(comm.local->proc(0), stride * each, comm.size() / each));
}

void Hierarchy::connect(const CommCore& comm, std::shared_ptr<const Group> near,
                        std::shared_ptr<const Group> leaders) {
  const ProcId self = comm.local->proc(comm.rank);
  // An intra-communicator does not use the contexts of messages inside a local group.
  inside_.context = comm.context + kContextsEach / 2;
  inside_.local = std::move(near);
  inside_.rank = inside_.local->rank_of(self);
  among_.context = inside_.context + 2;
  among_.local = std::move(leaders);
  among_.rank = among_.local->rank_of(self);
}

namespace {

constexpr std::int64_t kNodesOfHost = 4096;

/// A number for this process's cell: that of its host, by the lowest rank there, and of its node.
std::int64_t cell_of(Process& process) {
  const Identity& me = process.identity();
  const std::int64_t host = kNodesOfHost * me.local_peers.front();
  if (process.params().text(cells_param) != "numa") return host;
  const auto topology = HostTopology::open(process.bootstrap());
  if (!topology) return host;
  const std::vector<int> nodes = topology->numa_nodes_of(process.bootstrap().binding(me.rank));
  return nodes.size() == 1 ? host + 1 + nodes.front() % (kNodesOfHost - 1) : host;
}

Task<int> gather_cells(CollCtx& c, const std::int64_t& mine, std::vector<std::int64_t>& cells) {
  CollectiveArgs args;
  args.kind = CollectiveKind::allgather;
  args.send = &mine;
  args.recv = cells.data();
  args.send_count = args.recv_count = 1;
  args.send_type = args.recv_type = &predefined(MPI_INT64_T);
  return run_part(c, args);
}

}  // namespace

int Hierarchy::count_use(Engine& engine, CommCore& comm, const WaitSubject* subject) {
  CollectiveState& state = collective_state(comm);
  if (state.agreement_error != MPI_SUCCESS || state.hierarchy_uses >= kPatience)
    return state.agreement_error;
  const bool never = comm.is_inter() || comm.size() < kLeastMembers;
  state.hierarchy_uses = never ? kPatience : state.hierarchy_uses + 1;
  if (never || state.hierarchy_uses != kPatience) return MPI_SUCCESS;
  Process& process = engine.process();
  const std::string& by = process.params().text(cells_param);
  // The lowest rank of a host names it among processes of one job only.
  if (spans_jobs(*comm.local, process.identity().size)) return MPI_SUCCESS;
  if (by == "none" || (by == "host" && state.cost_class != CostClass::network)) return MPI_SUCCESS;
  const std::int64_t mine = remit::cell_of(process);
  std::vector<std::int64_t> cells(static_cast<std::size_t>(comm.size()));
  const FrameArenaLease arena(process.arenas());
  CollCtx c(engine, comm, comm.collective_sequence++, *arena, 1);
  Task<int> task = gather_cells(c, mine, cells);
  task.start();
  if (!task.done()) process.progress().wait([&] { return task.done(); }, subject);
  if (task.result() != MPI_SUCCESS) {
    --collective_state(comm).hierarchy_uses;  // so that the next operation asks again, and is told
    return collective_state(comm).agreement_error = task.result();
  }
  auto found = std::make_shared<Hierarchy>(comm, cells);
  if (found->useful()) collective_state(comm).hierarchy = std::move(found);
  return MPI_SUCCESS;
}

// --- compositions --------------------------------------------------------------------------------

namespace {

using enum CollectiveKind;

/// An operation composed of one inside each cell, one among the leaders, and another one inside.
/// A part that this member has no share in is left out.
struct Composition {
  std::optional<CollectiveArgs> up, across, down;
};

Task<int> run_in(CollCtx& c, const CommCore& group, const std::optional<CollectiveArgs>& args) {
  if (!args) co_return c.error();
  CollCtx there(c, group);
  Task<int> work = run_part(there, *args);
  co_await work;
  c.take_error(there);
  co_return c.error();
}

/// The combinator: every hierarchical collective is a composition.
Task<int> compose(CollCtx& c, const Hierarchy& h, const Composition& parts) {
  Task<int> up = run_in(c, h.inside(), parts.up);
  co_await up;
  if (h.leads()) {
    Task<int> across = run_in(c, h.among(), parts.across);
    co_await across;
  }
  Task<int> down = run_in(c, h.inside(), parts.down);
  co_await down;
  co_return c.error();
}

CollectiveArgs part_of(const CollectiveArgs& whole, CollectiveKind kind, int root,
                       const void* send) {
  CollectiveArgs args = whole;
  args.kind = kind;
  args.root = root;
  args.send = send;
  return args;
}

}  // namespace

/// All of a cell have come; all cells have; all may go.
Task<int> barrier_hierarchical(CollCtx& c, const CollectiveArgs& a) {
  const Composition parts{a, a, a};
  Task<int> work = compose(c, *hierarchy_of(c.comm()), parts);
  co_await work;
  co_return c.error();
}

/// From the root to its cell, from that one's leader to the others, from these to their cells.
Task<int> bcast_hierarchical(CollCtx& c, const CollectiveArgs& a) {
  const Hierarchy& h = *hierarchy_of(c.comm());
  Composition parts;
  const bool near = h.cell_of(a.root) == h.own_cell();
  if (near) parts.up = part_of(a, bcast, h.inside_rank(c.comm(), a.root), a.send);
  parts.across = part_of(a, bcast, h.cell_of(a.root), a.send);
  if (!near) parts.down = part_of(a, bcast, 0, a.send);
  Task<int> work = compose(c, h, parts);
  co_await work;
  co_return c.error();
}

/// Each cell reduces to its leader, these to the one of the root's cell, who sends it on.
Task<int> reduce_hierarchical(CollCtx& c, const CollectiveArgs& a) {
  const Hierarchy& h = *hierarchy_of(c.comm());
  const Datatype& type = *a.recv_type;
  const bool is_root = c.rank() == a.root;
  const bool near = h.cell_of(a.root) == h.own_cell();
  const int root_inside = near ? h.inside_rank(c.comm(), a.root) : 0;
  Composition parts;
  parts.up = part_of(a, reduce, 0, contribution(a));
  void* value = a.recv;
  if (h.leads() && !is_root) value = c.scratch(a.recv_count, type);
  // The leader who is the root: its contribution may be where the result comes.
  if (h.leads() && is_root && a.send == MPI_IN_PLACE) parts.up->send = MPI_IN_PLACE;
  if (h.leads()) parts.up->recv = value;
  parts.across = part_of(a, reduce, h.cell_of(a.root), near ? MPI_IN_PLACE : value);
  parts.across->recv = value;
  Task<int> work = compose(c, h, parts);
  co_await work;
  if (root_inside == 0 || (!h.leads() && !is_root)) co_return c.error();
  CollCtx there(c, h.inside());
  if (h.leads()) {
    auto departure = there.send(view_of(value, a.recv_count, type), root_inside);
    co_await departure;
  } else {
    auto arrival = there.receive(view_of(a.recv, a.recv_count, type), 0);
    co_await arrival;
  }
  c.take_error(there);
  co_return c.error();
}

/// Each cell reduces to its leader, the leaders among themselves, each tells its cell.
Task<int> allreduce_hierarchical(CollCtx& c, const CollectiveArgs& a) {
  const Hierarchy& h = *hierarchy_of(c.comm());
  Composition parts;
  parts.up = part_of(a, reduce, 0, a.send);
  if (!h.leads()) parts.up->send = contribution(a);
  parts.across = part_of(a, allreduce, 0, MPI_IN_PLACE);
  parts.down = part_of(a, bcast, 0, a.send);
  Task<int> work = compose(c, h, parts);
  co_await work;
  co_return c.error();
}

/// The cells are ranges of one size: each gathers at its leader what is one block among the
/// leaders, who tell all of it to their cells.
Task<int> allgather_hierarchical(CollCtx& c, const CollectiveArgs& a) {
  const Hierarchy& h = *hierarchy_of(c.comm());
  const int members = h.inside().size();
  const bool in_place = a.send == MPI_IN_PLACE;
  Composition parts;
  parts.up = part_of(a, gather, 0, a.send);
  parts.up->recv = element(a.recv, a.recv_count * members * h.own_cell(), *a.recv_type);
  if (in_place && !h.leads()) {
    parts.up->send = element(a.recv, a.recv_count * c.rank(), *a.recv_type);
    parts.up->send_count = a.recv_count;
    parts.up->send_type = a.recv_type;
  }
  parts.across = part_of(a, allgather, 0, MPI_IN_PLACE);
  parts.across->recv_count = a.recv_count * members;
  parts.down = part_of(a, bcast, 0, MPI_IN_PLACE);
  parts.down->recv_count = a.recv_count * c.size();
  Task<int> work = compose(c, h, parts);
  co_await work;
  co_return c.error();
}

}  // namespace remit
