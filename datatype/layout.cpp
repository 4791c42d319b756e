// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Walking a layout: one traversal, with sinks that pack, unpack or list memory runs.
#include "datatype/layout.hpp"

#include <algorithm>
#include <cstring>

#include "datatype/layout_copy.hpp"
#include "datatype/layout_node.hpp"
#include "runtime/copy_time.hpp"

namespace remit {
namespace {

/// Moves bytes between a packed buffer and memory.
template <bool kPack>
struct CopySink {
  /// Has structs() and plane(), for several elements at once.
  static constexpr bool kTakesMany = true;

  std::byte* packed;

  bool block(Address at, std::int64_t length) {
    copy_long_block<kPack>(packed, at, static_cast<std::size_t>(length));
    packed += length;
    return true;
  }

  bool strided(Address at, std::int64_t stride, std::int64_t count, std::int64_t length) {
    strided_copy<kPack>(length)(packed, length, at, stride, count,
                                static_cast<std::size_t>(length));
    packed += count * length;
    return true;
  }

  bool runs(Address at, std::span<const LayoutBlock> runs) {
    const std::int64_t start = runs.front().start;
    for (const LayoutBlock& run : runs) {
      copy_block<kPack>(packed + (run.start - start), moved(at, run.displacement),
                        static_cast<std::size_t>(run.length));
    }
    packed += runs.back().start + runs.back().length - start;
    return true;
  }

  bool offsets(Address at, std::span<const std::int64_t> offsets, std::int64_t length) {
    copy_scattered<kPack>(packed, at, offsets, static_cast<std::size_t>(length));
    packed += std::ssize(offsets) * length;
    return true;
  }

  void structs(Address at, std::int64_t stride, std::int64_t count, const LayoutNode& node) {
    copy_structs<kPack>(packed, node.size, at, stride, count, node.runs);
    packed += count * node.size;
  }

  void plane(Address at, const Plane& plane) {
    copy_plane<kPack>(packed, at, plane);
    packed += plane.rows * plane.columns * plane.length;
  }
};

/// What the sinks that look at each run have in common.
template <class Sink>
struct RunSink {
  static constexpr bool kTakesMany = false;

  bool runs(Address at, std::span<const LayoutBlock> runs) {
    return std::ranges::all_of(runs, [&](const LayoutBlock& run) {
      return self().block(moved(at, run.displacement), run.length);
    });
  }

  bool offsets(Address at, std::span<const std::int64_t> offsets, std::int64_t length) {
    return std::ranges::all_of(
        offsets, [&](std::int64_t offset) { return self().block(moved(at, offset), length); });
  }

 private:
  friend Sink;
  RunSink() = default;
  Sink& self() { return static_cast<Sink&>(*this); }
};

/// Lists memory runs; false when there is no room for one more.
struct PieceSink : RunSink<PieceSink> {
  explicit PieceSink(std::span<Layout::Piece> room) : out(room) {}

  std::span<Layout::Piece> out;
  Layout::Gathered done;

  bool block(Address at, std::int64_t length) {
    const auto bytes = static_cast<std::size_t>(length);
    if (done.pieces != 0) {
      Layout::Piece& last = out[done.pieces - 1];
      if (reinterpret_cast<Address>(last.address) + last.length == at) {
        last.length += bytes;
        done.bytes += bytes;
        return true;
      }
    }
    if (done.pieces == out.size()) return false;
    out[done.pieces++] = {reinterpret_cast<void*>(at), bytes};
    done.bytes += bytes;
    return true;
  }

  bool strided(Address at, std::int64_t stride, std::int64_t count, std::int64_t length) {
    for (std::int64_t i = 0; i < count; ++i, at = moved(at, stride)) {
      if (!block(at, length)) return false;
    }
    return true;
  }
};

/// Finds the lowest and the highest byte.
struct SpanSink : RunSink<SpanSink> {
  Address low = ~Address{0};
  Address high = 0;

  bool block(Address at, std::int64_t length) {
    low = std::min(low, at);
    high = std::max(high, moved(at, length));
    return true;
  }

  bool strided(Address at, std::int64_t stride, std::int64_t count, std::int64_t length) {
    block(at, length);
    return block(moved(at, wrap_multiply(count - 1, stride)), length);
  }
};

template <class Sink>
bool visit(const LayoutNode* node, Address at, std::int64_t from, std::int64_t to, Sink& sink);

/// Whether visit_many() takes `count` times `child`.
template <class Sink>
bool takes_many(const LayoutNode& child, std::int64_t count, const Sink&) {
  if constexpr (!Sink::kTakesMany) return false;
  if (count < 4) return false;
  if (child.kind == LayoutNode::Kind::loop) return child.child.node == nullptr;
  return child.kind == LayoutNode::Kind::blocks && is_struct_of_shorts(child.runs);
}

template <class Sink>
void visit_many(const LayoutNode& child, Address at, std::int64_t stride, std::int64_t count,
                Sink& sink) {
  if constexpr (Sink::kTakesMany) {
    if (child.kind == LayoutNode::Kind::loop) {
      sink.plane(at, {count, stride, child.count, child.stride, child.child.length});
    } else {
      sink.structs(at, stride, count, child);
    }
  }
}

/// Packed bytes [from, to) of a loop whose child has `size` bytes; from < to. The loop's count is
/// implied by `to`.
template <class Sink>
bool visit_loop(const LayoutNode* child, std::int64_t size, std::int64_t stride, Address at,
                std::int64_t from, std::int64_t to, Sink& sink) {
  if (from != 0) {
    const std::int64_t first = from / size;
    at = moved(at, wrap_multiply(first, stride));
    from -= first * size;
    to -= first * size;
    if (from != 0) {
      if (!visit(child, at, from, std::min(to, size), sink)) return false;
      if (to <= size) return true;
      to -= size;
      at = moved(at, stride);
    }
  }
  const std::int64_t whole = to / size;
  if (child == nullptr) {
    if (whole != 0 && !sink.strided(at, stride, whole, size)) return false;
    at = moved(at, wrap_multiply(whole, stride));
  } else if (takes_many(*child, whole, sink)) {
    visit_many(*child, at, stride, whole, sink);
    at = moved(at, wrap_multiply(whole, stride));
  } else {
    for (std::int64_t i = 0; i < whole; ++i, at = moved(at, stride)) {
      if (!visit(child, at, 0, size, sink)) return false;
    }
  }
  const std::int64_t rest = to - whole * size;
  return rest == 0 || visit(child, at, 0, rest, sink);
}

template <class Sink>
bool visit_blocks(const LayoutNode& node, Address at, std::int64_t from, std::int64_t to,
                  Sink& sink) {
  std::span<const LayoutBlock> runs = node.runs;
  if (from == 0 && to == node.size) return sink.runs(at, runs);
  // Index of the run that holds a packed offset.
  const auto holder = [&](std::int64_t offset) {
    const auto after = std::ranges::upper_bound(runs, offset, {}, &LayoutBlock::start);
    return static_cast<std::size_t>(after - runs.begin()) - 1;
  };
  std::size_t first = holder(from);
  const std::size_t last = holder(to - 1);
  const auto part = [&](const LayoutBlock& run) {
    const std::int64_t begin = std::max(from, run.start);
    const std::int64_t end = std::min(to, run.start + run.length);
    return sink.block(moved(at, run.displacement + (begin - run.start)), end - begin);
  };
  if (!part(runs[first])) return false;
  if (first == last) return true;
  ++first;
  if (first != last && !sink.runs(at, runs.subspan(first, last - first))) {
    return false;
  }
  return part(runs[last]);
}

template <class Sink>
bool visit_offsets(const LayoutNode& node, Address at, std::int64_t from, std::int64_t to,
                   Sink& sink) {
  const std::span<const std::int64_t> offsets = node.offsets;
  const std::int64_t length = node.equal_length;
  const auto place = [&](std::int64_t i) {
    return moved(at, offsets[static_cast<std::size_t>(i)]);
  };
  std::int64_t first = from / length;
  if (const std::int64_t skipped = from - first * length; skipped != 0) {
    const std::int64_t end = std::min(to - first * length, length);
    if (!sink.block(moved(place(first), skipped), end - skipped)) return false;
    if (++first * length >= to) return true;
  }
  const std::int64_t last = to / length;
  const auto whole =
      offsets.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
  if (!whole.empty() && !sink.offsets(at, whole, length)) return false;
  const std::int64_t rest = to - last * length;
  return rest == 0 || sink.block(place(last), rest);
}

template <class Sink>
bool visit_list(const LayoutNode& node, Address at, std::int64_t from, std::int64_t to,
                Sink& sink) {
  auto item = std::ranges::upper_bound(node.items, from, {}, &LayoutNode::Item::start) - 1;
  for (; item != node.items.end() && item->start < to; ++item) {
    const PlacedLayout& part = item->part;
    const std::int64_t begin = std::max<std::int64_t>(from - item->start, 0);
    const std::int64_t end = std::min(to - item->start, part.length);
    if (!visit(part.node.get(), moved(at, part.displacement), begin, end, sink)) {
      return false;
    }
  }
  return true;
}

/// Packed bytes [from, to) of a node or, where it is null, of a block; from < to.
template <class Sink>
bool visit(const LayoutNode* node, Address at, std::int64_t from, std::int64_t to, Sink& sink) {
  if (node == nullptr) return sink.block(moved(at, from), to - from);
  switch (node->kind) {
    case LayoutNode::Kind::loop:
      return visit_loop(node->child.node.get(), node->child.length, node->stride, at, from, to,
                        sink);
    case LayoutNode::Kind::blocks:
      return visit_blocks(*node, at, from, to, sink);
    case LayoutNode::Kind::offsets:
      return visit_offsets(*node, at, from, to, sink);
    case LayoutNode::Kind::list:
      break;
  }
  return visit_list(*node, at, from, to, sink);
}

}  // namespace

Layout::Layout(PlacedLayout root, std::int64_t extent)
    : size_(root.length),
      extent_(extent),
      displacement_(root.displacement),
      root_(root.node.get()),
      owner_(std::move(root.node)),
      single_block_(root_ == nullptr),
      contiguous_(single_block_ && (size_ == extent_ || size_ == 0)) {}

PlacedLayout Layout::placed() const {
  if (root_ == nullptr) return {displacement_, size_, nullptr};
  // The aliasing form makes a pointer that owns nothing where the node is a constant.
  return {displacement_, size_, std::shared_ptr<const LayoutNode>(owner_, root_)};
}

std::int64_t Layout::blocks() const {
  return root_ != nullptr ? root_->blocks : (size_ != 0 ? 1 : 0);
}

template <class Sink>
void Layout::walk(std::uintptr_t base, MPI_Count count, std::int64_t from, std::int64_t to,
                  Sink& sink) const {
  const Address at = moved(base, displacement_);
  if (contiguous_) {
    sink.block(moved(at, from), to - from);
  } else if (count == 1) {
    visit(root_, at, from, to, sink);
  } else if (root_ != nullptr && root_->kind == LayoutNode::Kind::loop &&
             wrap_multiply(root_->count, root_->stride) == extent_) {
    // The elements continue the loop that each of them is.
    visit_loop(root_->child.node.get(), root_->child.length, root_->stride, at, from, to, sink);
  } else {
    visit_loop(root_, size_, extent_, at, from, to, sink);
  }
}

std::size_t Layout::pack(const void* base, MPI_Count count, std::size_t offset,
                         std::span<std::byte> out) const {
  const std::int64_t total = count * size_;
  const auto from = static_cast<std::int64_t>(offset);
  if (from >= total) return 0;
  const std::size_t bytes = std::min(out.size(), static_cast<std::size_t>(total - from));
  if (bytes == 0) return 0;
  CopySink<true> sink{out.data()};
  const TimedCopy time(bytes);
  walk(reinterpret_cast<Address>(base), count, from, from + static_cast<std::int64_t>(bytes), sink);
  return bytes;
}

std::size_t Layout::unpack(void* base, MPI_Count count, std::size_t offset,
                           std::span<const std::byte> in) const {
  const std::int64_t total = count * size_;
  const auto from = static_cast<std::int64_t>(offset);
  if (from >= total) return 0;
  const std::size_t bytes = std::min(in.size(), static_cast<std::size_t>(total - from));
  if (bytes == 0) return 0;
  // The sink for unpacking only reads its packed side.
  CopySink<false> sink{const_cast<std::byte*>(in.data())};
  const TimedCopy time(bytes);
  walk(reinterpret_cast<Address>(base), count, from, from + static_cast<std::int64_t>(bytes), sink);
  return bytes;
}

Layout::Gathered Layout::pieces(void* base, MPI_Count count, std::size_t offset, std::size_t limit,
                                std::span<Piece> out) const {
  const std::int64_t total = count * size_;
  const auto from = static_cast<std::int64_t>(offset);
  if (from >= total) return {};
  const std::size_t bytes = std::min(limit, static_cast<std::size_t>(total - from));
  if (bytes == 0) return {};
  PieceSink sink(out);
  walk(reinterpret_cast<Address>(base), count, from, from + static_cast<std::int64_t>(bytes), sink);
  return sink.done;
}

Layout::Piece Layout::span(void* base, MPI_Count count, std::size_t bytes) const {
  const std::int64_t end = std::min(count * size_, static_cast<std::int64_t>(bytes));
  if (end == 0) return {base, 0};
  SpanSink sink;
  walk(reinterpret_cast<Address>(base), count, 0, end, sink);
  return {reinterpret_cast<void*>(sink.low), sink.high - sink.low};
}

}  // namespace remit
