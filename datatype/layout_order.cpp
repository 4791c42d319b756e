// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Where packed bytes lie and which they are, in layouts that ascend; whether layouts do.
#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <unordered_map>

#include "datatype/layout.hpp"
#include "datatype/layout_node.hpp"

namespace remit {
namespace {

/// The part of a list that holds a packed offset.
template <class T>
const T& holder_of(std::span<const T> parts, std::int64_t offset) {
  return *(std::ranges::upper_bound(parts, offset, {}, &T::start) - 1);
}

/// The last of ascending parts that begins below `at`, which is above the first one's begin.
template <class T, class Place>
const T& last_below(std::span<const T> parts, std::int64_t at, Place place) {
  return *(std::ranges::lower_bound(parts, at, {}, place) - 1);
}

/// How the entries of a part of a type map follow one another, its first byte at 0.
struct Order {
  std::int64_t low = 0;   ///< lowest byte
  std::int64_t high = 0;  ///< behind the highest byte
  std::int64_t last = 0;  ///< where the last entry begins
  bool nondecreasing = true;
  bool ascending = true;

  /// `next` follows, its first byte at `at`.
  void append(const Order& next, std::int64_t at) {
    nondecreasing = nondecreasing && next.nondecreasing && at >= last;
    ascending = ascending && next.ascending && at >= high;
    low = std::min(low, at + next.low);
    high = std::max(high, at + next.high);
    last = at + next.last;
  }
};

/// Looks once at each node, however often it occurs.
class OrderFinder {
 public:
  explicit OrderFinder(std::int64_t entry) : entry_(entry) {}

  Order of(const PlacedLayout& part) {
    if (!part.node) return of_block(part.length);
    const auto known = known_.find(part.node.get());
    if (known != known_.end()) return known->second;
    const Order found = of(*part.node);
    known_.emplace(part.node.get(), found);
    return found;
  }

 private:
  [[nodiscard]] Order of_block(std::int64_t length) const {
    const std::int64_t last = entry_ == 0 ? 0 : std::max<std::int64_t>(length - entry_, 0);
    return {0, length, last, true, true};
  }

  Order of(const LayoutNode& node) {
    switch (node.kind) {
      case LayoutNode::Kind::loop: {
        const Order child = of(node.child);
        Order all = child;
        all.append(child, node.stride);
        const std::int64_t way = wrap_multiply(node.count - 1, node.stride);
        all.low = std::min(child.low, way + child.low);
        all.high = std::max(child.high, way + child.high);
        all.last = way + child.last;
        return all;
      }
      case LayoutNode::Kind::blocks: {
        Order all = of_block(node.runs.front().length);
        for (const LayoutBlock& run : node.runs.subspan(1)) {
          all.append(of_block(run.length), run.displacement);
        }
        return all;
      }
      case LayoutNode::Kind::offsets: {
        const Order block = of_block(node.equal_length);
        Order all = block;
        for (const std::int64_t offset : std::span(node.offsets).subspan(1)) {
          all.append(block, offset);
        }
        return all;
      }
      case LayoutNode::Kind::list:
        break;
    }
    Order all = of(node.items.front().part);
    for (const LayoutNode::Item& item : std::span(node.items).subspan(1)) {
      all.append(of(item.part), item.part.displacement);
    }
    return all;
  }

  std::int64_t entry_;
  std::unordered_map<const LayoutNode*, Order> known_;
};

/// Packed bytes below `at` of an ascending node, or of a block of `length` bytes, whose first byte
/// lies at 0.
std::int64_t packed_below(const LayoutNode* node, std::int64_t length, std::int64_t at) {
  std::int64_t before = 0;
  while (at > 0 && node != nullptr) {
    switch (node->kind) {
      case LayoutNode::Kind::loop: {
        const std::int64_t whole = at / node->stride;
        if (whole >= node->count) return before + node->size;
        before += whole * node->child.length;
        at -= whole * node->stride;
        length = node->child.length;
        node = node->child.node.get();
        break;
      }
      case LayoutNode::Kind::blocks: {
        const LayoutBlock& run = last_below(node->runs, at, &LayoutBlock::displacement);
        return before + run.start + std::min(at - run.displacement, run.length);
      }
      case LayoutNode::Kind::offsets: {
        const std::span<const std::int64_t> offsets = node->offsets;
        const std::int64_t& offset = last_below(offsets, at, std::identity{});
        return before + (&offset - offsets.data()) * node->equal_length +
               std::min(at - offset, node->equal_length);
      }
      case LayoutNode::Kind::list: {
        const LayoutNode::Item& item =
            last_below(std::span(node->items), at,
                       [](const LayoutNode::Item& i) { return i.part.displacement; });
        before += item.start;
        at -= item.part.displacement;
        length = item.part.length;
        node = item.part.node.get();
        break;
      }
    }
  }
  return before + std::clamp<std::int64_t>(at, 0, length);
}

}  // namespace

LayoutOrder Layout::order(std::int64_t entry) const {
  if (size_ == 0) return {};
  const Order order = OrderFinder(entry).of(placed());
  return {displacement_ + order.low, displacement_ + order.high, order.nondecreasing,
          order.ascending};
}

std::int64_t Layout::displacement_at(std::int64_t offset) const {
  if (size_ == 0) return displacement_;
  const std::int64_t element = offset / size_;
  std::int64_t at = wrap_add(displacement_, wrap_multiply(element, extent_));
  offset -= element * size_;
  const LayoutNode* node = root_;
  while (node != nullptr) {
    switch (node->kind) {
      case LayoutNode::Kind::loop: {
        const std::int64_t whole = offset / node->child.length;
        at = wrap_add(at, wrap_multiply(whole, node->stride));
        offset -= whole * node->child.length;
        node = node->child.node.get();
        break;
      }
      case LayoutNode::Kind::blocks: {
        const LayoutBlock& run = holder_of(node->runs, offset);
        return wrap_add(at, run.displacement + (offset - run.start));
      }
      case LayoutNode::Kind::offsets: {
        const std::int64_t whole = offset / node->equal_length;
        return wrap_add(at, node->offsets[static_cast<std::size_t>(whole)] +
                                (offset - whole * node->equal_length));
      }
      case LayoutNode::Kind::list: {
        const auto& item = holder_of(std::span<const LayoutNode::Item>(node->items), offset);
        at = wrap_add(at, item.part.displacement);
        offset -= item.start;
        node = item.part.node.get();
        break;
      }
    }
  }
  return wrap_add(at, offset);
}

std::int64_t Layout::packed_at(std::int64_t displacement, MPI_Count count) const {
  if (size_ == 0 || count == 0 || displacement <= displacement_) return 0;
  std::int64_t at = 0;
  if (__builtin_sub_overflow(displacement, displacement_, &at)) {
    at = std::numeric_limits<std::int64_t>::max();
  }
  const std::int64_t element = count == 1 ? 0 : std::min(at / extent_, count - 1);
  return element * size_ + packed_below(root_, size_, at - element * extent_);
}

}  // namespace remit
