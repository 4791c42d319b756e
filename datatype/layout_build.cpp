// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Normalization: one memory shape, one tree, however the user described it.
#include <algorithm>
#include <numeric>

#include "datatype/layout_node.hpp"

namespace remit {
namespace {

// Larger lists of blocks stay shared nodes inside a larger type rather than being copied into it.
constexpr std::size_t kFlattenRuns = 64;
constexpr std::int64_t kFewRuns = 16;
constexpr std::int64_t kUnitsOfRun = 3;

/// Same bytes, apart from where they start. Lists are compared by identity alone.
bool same_shape(const PlacedLayout& a, const PlacedLayout& b) {
  if (a.length != b.length) return false;
  if (a.node == b.node) return true;
  if (!a.node || !b.node) return false;
  return a.node->kind == LayoutNode::Kind::loop && b.node->kind == LayoutNode::Kind::loop &&
         a.node->count == b.node->count && a.node->stride == b.node->stride &&
         same_shape(a.node->child, b.node->child);
}

bool is_loop(const PlacedLayout& part) {
  return part.node && part.node->kind == LayoutNode::Kind::loop;
}

PlacedLayout loop_node(std::int64_t count, std::int64_t stride, PlacedLayout child) {
  auto node = std::make_shared<LayoutNode>();
  const std::int64_t displacement = std::exchange(child.displacement, 0);
  node->kind = LayoutNode::Kind::loop;
  node->size = count * child.length;
  node->blocks = count * count_blocks(child);
  node->count = count;
  node->stride = stride;
  node->child = std::move(child);
  const std::int64_t size = node->size;
  return {displacement, size, std::move(node)};
}

/// Every `unit` bytes of the parts by themselves.
PlacedLayout offsets_node(const std::vector<PlacedLayout>& parts, std::int64_t size,
                          std::int64_t unit) {
  auto node = std::make_shared<LayoutNode>();
  const std::int64_t origin = parts.front().displacement;
  node->kind = LayoutNode::Kind::offsets;
  node->blocks = static_cast<std::int64_t>(parts.size());
  node->size = size;
  node->equal_length = unit;
  node->offsets.reserve(static_cast<std::size_t>(size / unit));
  for (const PlacedLayout& part : parts) {
    for (std::int64_t done = 0; done < part.length; done += unit) {
      node->offsets.push_back(wrap_add(wrap_add(part.displacement, -origin), done));
    }
  }
  return {origin, size, std::move(node)};
}

PlacedLayout blocks_node(const std::vector<PlacedLayout>& parts) {
  std::int64_t unit = 0;
  std::int64_t size = 0;
  for (const PlacedLayout& part : parts) {
    unit = std::gcd(unit, part.length);
    size += part.length;
  }
  // Few blocks stay a list of runs, of which arrays are moved field by field. Many short ones of
  // different lengths are moved faster by their greatest common divisor than by themselves.
  const std::int64_t count = std::ssize(parts);
  const bool one_length = size == count * unit;
  if (count > kFewRuns && (one_length || (unit >= 4 && size / unit <= kUnitsOfRun * count))) {
    return offsets_node(parts, size, unit);
  }
  auto node = std::make_shared<LayoutNode>();
  const std::int64_t origin = parts.front().displacement;
  node->kind = LayoutNode::Kind::blocks;
  node->blocks = count;
  node->size = size;
  node->run_storage.reserve(parts.size());
  std::int64_t start = 0;
  for (const PlacedLayout& part : parts) {
    node->run_storage.push_back({wrap_add(part.displacement, -origin), part.length, start});
    start += part.length;
  }
  node->runs = node->run_storage;
  return {origin, size, std::move(node)};
}

PlacedLayout list_node(std::vector<PlacedLayout> parts) {
  auto node = std::make_shared<LayoutNode>();
  const std::int64_t origin = parts.front().displacement;
  node->kind = LayoutNode::Kind::list;
  node->items.reserve(parts.size());
  for (PlacedLayout& part : parts) {
    const std::int64_t length = part.length;
    node->blocks += count_blocks(part);
    node->items.push_back({shifted(std::move(part), -origin), node->size});
    node->size += length;
  }
  const std::int64_t size = node->size;
  return {origin, size, std::move(node)};
}

}  // namespace

PlacedLayout make_loop(std::int64_t count, std::int64_t stride, PlacedLayout child) {
  if (count == 0 || child.length == 0) return {};
  if (count == 1) return child;
  if (!child.node && stride == child.length) {
    child.length *= count;
    return child;
  }
  if (is_loop(child) && wrap_multiply(child.node->count, child.node->stride) == stride) {
    const LayoutNode& inner = *child.node;
    return loop_node(count * inner.count, inner.stride, shifted(inner.child, child.displacement));
  }
  return loop_node(count, stride, std::move(child));
}

void LayoutBuilder::add(PlacedLayout part) {
  if (part.length == 0) return;
  if (part.node && part.node->kind == LayoutNode::Kind::blocks &&
      part.node->runs.size() <= kFlattenRuns) {
    for (const LayoutBlock& run : part.node->runs) {
      append({wrap_add(part.displacement, run.displacement), run.length, nullptr});
    }
    return;
  }
  if (part.node && part.node->kind == LayoutNode::Kind::offsets &&
      part.node->offsets.size() <= kFlattenRuns) {
    for (const std::int64_t offset : part.node->offsets) {
      append({wrap_add(part.displacement, offset), part.node->equal_length, nullptr});
    }
    return;
  }
  if (part.node && part.node->kind == LayoutNode::Kind::list &&
      part.node->items.size() <= kFlattenRuns) {
    for (const LayoutNode::Item& item : part.node->items) {
      append(shifted(item.part, part.displacement));
    }
    return;
  }
  append(std::move(part));
}

void LayoutBuilder::append(PlacedLayout part) {
  if (!parts_.empty() && merge_into_last(part)) return;
  parts_.push_back(std::move(part));
}

bool LayoutBuilder::merge_into_last(const PlacedLayout& part) {
  PlacedLayout& last = parts_.back();
  if (!last.node && !part.node) {
    if (wrap_add(last.displacement, last.length) != part.displacement) return false;
    last.length += part.length;
    return true;
  }
  if (!is_loop(last)) return false;
  const LayoutNode& loop = *last.node;
  const std::int64_t next = wrap_add(last.displacement, wrap_multiply(loop.count, loop.stride));
  if (next != part.displacement) return false;
  std::int64_t more = 0;
  if (same_shape(loop.child, part)) {
    more = 1;
  } else if (is_loop(part) && part.node->stride == loop.stride &&
             same_shape(loop.child, part.node->child)) {
    more = part.node->count;
  }
  if (more == 0) return false;
  last = loop_node(loop.count + more, loop.stride, shifted(loop.child, last.displacement));
  return true;
}

PlacedLayout LayoutBuilder::finish() && {
  if (parts_.empty()) return {};
  if (parts_.size() == 1) return std::move(parts_.front());
  const PlacedLayout& first = parts_.front();
  const std::int64_t stride = wrap_add(parts_[1].displacement, -first.displacement);
  bool regular = true;
  bool only_blocks = !first.node;
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    only_blocks = only_blocks && !parts_[i].node;
    regular = regular && same_shape(first, parts_[i]) &&
              wrap_add(parts_[i].displacement, -parts_[i - 1].displacement) == stride;
    if (!regular && !only_blocks) break;
  }
  if (regular) {
    return make_loop(static_cast<std::int64_t>(parts_.size()), stride, std::move(parts_.front()));
  }
  return only_blocks ? blocks_node(parts_) : list_node(std::move(parts_));
}

}  // namespace remit
