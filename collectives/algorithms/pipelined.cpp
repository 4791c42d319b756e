// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Long vectors in segments along trees whose members have few children: a chain, or two binary
// trees of which each carries half.
#include <algorithm>
#include <span>

#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "collectives/algorithms/peers.hpp"
#include "collectives/algorithms/request_array.hpp"

namespace remit {

namespace {

enum class Pipe : std::uint8_t { chain, double_tree };

constexpr int trees_of(Pipe pipe) {
  return pipe == Pipe::chain ? 1 : 2;
}

/// How the vector is cut: into a part for each tree, and these into as many segments each. `total`
/// is in bytes or elements.
struct Segments {
  Blocks trees;
  int each;  ///< segments of a tree

  Segments(MPI_Count total, MPI_Count bytes, int count)
      : trees{total, count},
        each(static_cast<int>(std::clamp<MPI_Count>(bytes / count / pipe_segment(), 1, kMost))) {}
  [[nodiscard]] Blocks of(int tree) const { return {trees.count(tree), each}; }
  [[nodiscard]] MPI_Count begin(int tree, int segment) const {
    return trees.begin(tree) + of(tree).begin(segment);
  }
  [[nodiscard]] MPI_Count count(int tree, int segment) const { return of(tree).count(segment); }

 private:
  static constexpr MPI_Count kMost = 64;  ///< so that all receives can be posted at once
};

/// This member's place in each tree, in ranks.
struct Places {
  std::array<TreePlace, 2> trees;

  Places(const CollCtx& c, int root, Pipe pipe) {
    const int size = c.size();
    const int relative = to_relative(c.rank(), root, size);
    for (int t = 0; t < trees_of(pipe); ++t) {
      TreePlace& at = trees[static_cast<std::size_t>(t)];
      at = pipe == Pipe::chain ? chain_place(relative, size) : DoubleTree{size}.place(relative, t);
      if (at.parent >= 0) at.parent = from_relative(at.parent, root, size);
      for (int& child : at.children) {
        if (child >= 0) child = from_relative(child, root, size);
      }
    }
  }
  [[nodiscard]] const TreePlace& operator[](int tree) const {
    return trees[static_cast<std::size_t>(tree)];
  }
};

/// Each member passes a segment on as soon as it has come. All messages between two members are in
/// the order of the segments, and of the trees for each of these.
Task<int> bcast_along(CollCtx& c, const CollectiveArgs& a, Pipe pipe) {
  const View buffer = view_of(a.recv, a.recv_count, *a.recv_type);
  const bool packed = !buffer.is_contiguous();
  std::byte* data = packed ? c.scratch(buffer.size()) : buffer.data();
  if (packed && c.rank() == a.root) buffer.pack(0, {data, buffer.size()});
  const int trees = trees_of(pipe);
  const auto bytes = static_cast<MPI_Count>(buffer.size());
  const Segments cut(bytes, bytes, trees);
  const Places places(c, a.root, pipe);
  const auto segment = [&](int tree, int i) {
    return bytes_view(data + cut.begin(tree, i), static_cast<std::size_t>(cut.count(tree, i)));
  };
  RequestArray arrivals(c, RequestKind::receive, trees * cut.each);
  RequestArray departures(c, RequestKind::send, 2 * trees * cut.each);
  for (int i = 0; i < trees * cut.each; ++i) {
    const int parent = places[i % trees].parent;
    if (parent >= 0) c.start_receive(arrivals.next(), segment(i % trees, i / trees), parent);
  }
  for (int i = 0; i < trees * cut.each; ++i) {
    const TreePlace& at = places[i % trees];
    if (at.parent >= 0) {
      auto arrival = c.all(arrivals.started().subspan(static_cast<std::size_t>(i), 1));
      co_await arrival;
    }
    for (const int child : at.children) {
      if (child >= 0) c.start_send(departures.next(), segment(i % trees, i / trees), child);
    }
  }
  auto rest = c.all(departures.started());
  co_await rest;
  if (packed && c.rank() != a.root) buffer.unpack(0, {data, buffer.size()});
  co_return c.error();
}

/// The same upwards: what comes from the children is reduced with one's own, segment by segment.
class Upwards {
 public:
  Upwards(CollCtx& c, const CollectiveArgs& a, Pipe pipe, int root)
      : a_(a),
        trees_(trees_of(pipe)),
        cut_(a.recv_count, a.recv_count * a.recv_type->size(), trees_),
        places_(c, root, pipe),
        arrivals_(c, RequestKind::receive, 2 * segments()),
        departures_(c, RequestKind::send, segments()) {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const bool used = places_[0].children[i] >= 0 || places_[trees_ - 1].children[i] >= 0;
      if (used) memory_[i] = c.scratch(a.recv_count, *a.recv_type);
    }
    for (int i = 0; i < segments(); ++i) {
      for (std::size_t child = 0; child < memory_.size(); ++child) {
        const int from = places_[i % trees_].children[child];
        if (from >= 0) c.start_receive(arrivals_.next(), piece(memory_[child], i), from);
      }
    }
  }
  [[nodiscard]] int segments() const { return trees_ * cut_.each; }
  [[nodiscard]] const TreePlace& place(int i) const { return places_[i % trees_]; }
  [[nodiscard]] View piece(const void* vector, int i) const {
    const int tree = i % trees_;
    return slice(vector, cut_.begin(tree, i / trees_), cut_.count(tree, i / trees_), *a_.recv_type);
  }
  /// The next segment's arrivals, one from each child.
  [[nodiscard]] std::span<Request> arrivals(int i) {
    const auto count = static_cast<std::size_t>(std::count_if(
        place(i).children.begin(), place(i).children.end(), [](int child) { return child >= 0; }));
    awaited_ += count;
    return arrivals_.started().subspan(awaited_ - count, count);
  }
  /// The segment with everything from below; what has arrived is used up.
  [[nodiscard]] View reduce(const CollCtx& c, int i) {
    View value = piece(contribution(a_), i);
    for (std::size_t child = 0; child < memory_.size(); ++child) {
      if (place(i).children[child] < 0) continue;
      const View arrived = piece(memory_[child], i);
      combine(c, a_, value.base, arrived.base, value.count);
      value = arrived;
    }
    return value;
  }
  void depart(CollCtx& c, const View& value, int parent) {
    c.start_send(departures_.next(), value, parent);
  }
  [[nodiscard]] std::span<Request> departures() { return departures_.started(); }

 private:
  const CollectiveArgs& a_;
  int trees_;
  Segments cut_;
  Places places_;
  RequestArray arrivals_;
  RequestArray departures_;
  std::array<void*, 2> memory_{};  ///< vectors for what comes from each child
  std::size_t awaited_ = 0;
};

/// For the double tree in an order of its own; the chain keeps that of relative ranks.
Task<int> reduce_along(CollCtx& c, const CollectiveArgs& a, Pipe pipe, int root) {
  Upwards up(c, a, pipe, root);
  for (int i = 0; i < up.segments(); ++i) {
    auto arrived = c.all(up.arrivals(i));
    co_await arrived;
    const View value = up.reduce(c, i);
    if (c.rank() == root) {
      copy_local(value, up.piece(a.recv, i));
    } else {
      up.depart(c, value, up.place(i).parent);
    }
  }
  auto rest = c.all(up.departures());
  co_await rest;
  co_return c.error();
}

}  // namespace

MPI_Count pipe_segment() {
  return 16384;
}

/// From each to the next: every byte passes each member once, whatever p, after p - 2 segments of
/// waiting. For very long vectors and few members.
Task<int> bcast_chain(CollCtx& c, const CollectiveArgs& a) {
  return bcast_along(c, a, Pipe::chain);
}

/// Every byte passes each member once, after log p segments of waiting.
Task<int> bcast_double_tree(CollCtx& c, const CollectiveArgs& a) {
  return bcast_along(c, a, Pipe::double_tree);
}

Task<int> reduce_chain(CollCtx& c, const CollectiveArgs& a) {
  return reduce_along(c, a, Pipe::chain, a.root);
}

Task<int> reduce_double_tree(CollCtx& c, const CollectiveArgs& a) {
  return reduce_along(c, a, Pipe::double_tree, a.root);
}

/// Up both trees and down again.
Task<int> allreduce_double_tree(CollCtx& c, const CollectiveArgs& a) {
  Task<int> up = reduce_along(c, a, Pipe::double_tree, 0);
  co_await up;
  const CollectiveArgs down = bcast_args(a.recv, a.recv_count, *a.recv_type);
  Task<int> result = bcast_along(c, down, Pipe::double_tree);
  co_await result;
  co_return c.error();
}

}  // namespace remit
