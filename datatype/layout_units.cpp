// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Whether a layout consists of whole elements of another one, which lie on its grid.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

#include "datatype/layout.hpp"
#include "datatype/layout_node.hpp"

namespace remit {
namespace {

/// Whether `bytes` packed bytes lie alike in one element of each, from an offset of `a` and from
/// the beginning of `b` on, if `b` is moved by `way`.
bool lie_alike(const Layout& a, std::int64_t from, const Layout& b, std::int64_t way,
               std::int64_t bytes) {
  constexpr std::size_t kRuns = 32;
  std::array<Layout::Piece, kRuns> here;
  std::array<Layout::Piece, kRuns> there;
  void* const moved = reinterpret_cast<void*>(static_cast<std::uintptr_t>(way));
  for (std::int64_t done = 0; done < bytes;) {
    const auto limit = static_cast<std::size_t>(bytes - done);
    const auto ours = a.pieces(nullptr, 1, static_cast<std::size_t>(from + done), limit, here);
    const auto theirs = b.pieces(moved, 1, static_cast<std::size_t>(done), limit, there);
    // Runs are merged as far as can be, so equal bytes are equal runs.
    if (!std::ranges::equal(std::span(here).first(ours.pieces),
                            std::span(there).first(theirs.pieces))) {
      return false;
    }
    done += static_cast<std::int64_t>(ours.bytes);
  }
  return true;
}

/// Finds the first byte of a layout that does not belong to a whole unit on the grid of the unit's
/// extent. Loops cost as much as one round of them, lists as much as their length.
///
/// A unit is plain if a block of any number of them is on the grid. Blocks of a normal form are
/// then made of whole units, each by itself: a first block that is not has no neighbour to share a
/// unit with, and the others follow by turns.
class MisfitFinder {
 public:
  explicit MisfitFinder(const Layout& unit)
      : unit_(unit), is_plain_(unit.is_single_block() && unit.size() % unit.extent() == 0) {}

  /// Of a part whose first byte, which begins a unit, lies at `at`.
  std::optional<std::int64_t> find(const PlacedLayout& part, std::int64_t at) {
    if (!is_on_grid(at)) return at;
    const LayoutNode* const node = part.node.get();
    if (node != nullptr && good_.contains(node)) return std::nullopt;
    const auto misfit = find_unknown(part, at);
    if (node != nullptr && !misfit) good_.insert(node);
    return misfit;
  }

 private:
  [[nodiscard]] bool is_on_grid(std::int64_t at) const {
    return wrap_add(at, -unit_.displacement()) % unit_.extent() == 0;
  }
  [[nodiscard]] bool is_whole(std::int64_t bytes) const { return bytes % unit_.size() == 0; }

  std::optional<std::int64_t> find_unknown(const PlacedLayout& part, std::int64_t at) {
    if (!part.node) return find_in_block(part, at);
    const LayoutNode& node = *part.node;
    switch (node.kind) {
      case LayoutNode::Kind::loop:
        return find_in_loop(part, at);
      case LayoutNode::Kind::blocks:
        if (is_plain_) return find_in_runs(node, at);
        break;
      case LayoutNode::Kind::offsets:
        if (is_plain_) return find_in_offsets(node, at);
        break;
      case LayoutNode::Kind::list:
        if (is_plain_ || has_whole_items(node)) return find_in_list(node, at);
        break;
    }
    return find_by_unit(part, at, units_of(part));
  }

  std::optional<std::int64_t> find_in_block(const PlacedLayout& part, std::int64_t at) {
    const std::int64_t size = unit_.size();
    if (!unit_.is_single_block()) return find_by_unit(part, at, 1);
    if (part.length == size) return std::nullopt;
    if (!is_plain_) return wrap_add(at, std::min(size, part.length));
    return is_whole(part.length) ? std::nullopt
                                 : std::optional(wrap_add(at, part.length - part.length % size));
  }

  [[nodiscard]] bool has_whole_items(const LayoutNode& list) const {
    return std::ranges::all_of(
        list.items, [this](const LayoutNode::Item& item) { return is_whole(item.part.length); });
  }

  [[nodiscard]] std::int64_t units_of(const PlacedLayout& part) const {
    return part.length / unit_.size() + (is_whole(part.length) ? 0 : 1);
  }

  /// The first units, one after the other.
  std::optional<std::int64_t> find_by_unit(PlacedLayout part, std::int64_t at, std::int64_t units) {
    part.displacement = at;
    const std::int64_t bytes = part.length;
    const Layout layout(std::move(part), bytes);
    for (std::int64_t i = 0; i < units; ++i) {
      const std::int64_t offset = i * unit_.size();
      const std::int64_t place = layout.displacement_at(offset);
      const bool fits =
          is_on_grid(place) &&
          lie_alike(layout, offset, unit_, wrap_add(place, -unit_.displacement()), unit_.size());
      if (!fits) return place;
    }
    return std::nullopt;
  }

  std::optional<std::int64_t> find_in_loop(const PlacedLayout& part, std::int64_t at) {
    const LayoutNode& node = *part.node;
    if (is_plain_ || is_whole(node.child.length)) {
      const auto misfit = find(node.child, at);
      if (misfit) return misfit;
      return node.stride % unit_.extent() == 0 ? std::nullopt
                                               : std::optional(wrap_add(at, node.stride));
    }
    // Rounds of some units that begin where some of the children do.
    const std::int64_t common = std::gcd(node.child.length, unit_.size());
    const std::int64_t units = node.child.length / common;
    const std::int64_t children = unit_.size() / common;
    const std::int64_t all = units_of(part);
    const auto misfit = find_by_unit(part, at, std::min(units, all));
    if (misfit || node.count <= children) return misfit;
    const std::int64_t round = wrap_multiply(children, node.stride);
    if (round % unit_.extent() != 0) return wrap_add(at, round);
    // The last round may be a part of one.
    const std::int64_t whole_rounds = wrap_multiply(node.count / children, round);
    return is_whole(part.length) ? std::nullopt : std::optional(wrap_add(at, whole_rounds));
  }

  [[nodiscard]] std::optional<std::int64_t> find_in_runs(const LayoutNode& node,
                                                         std::int64_t at) const {
    for (const LayoutBlock& run : node.runs) {
      const std::int64_t place = wrap_add(at, run.displacement);
      if (!is_on_grid(place)) return place;
      if (!is_whole(run.length)) return place + run.length - run.length % unit_.size();
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::int64_t> find_in_offsets(const LayoutNode& node,
                                                            std::int64_t at) const {
    if (!is_whole(node.equal_length)) return at;
    for (const std::int64_t offset : node.offsets) {
      if (!is_on_grid(wrap_add(at, offset))) return wrap_add(at, offset);
    }
    return std::nullopt;
  }

  std::optional<std::int64_t> find_in_list(const LayoutNode& node, std::int64_t at) {
    for (const LayoutNode::Item& item : node.items) {
      const auto misfit = find(item.part, wrap_add(at, item.part.displacement));
      if (misfit) return misfit;
    }
    return std::nullopt;
  }

  const Layout& unit_;
  bool is_plain_;
  std::unordered_set<const LayoutNode*> good_;
};

}  // namespace

std::optional<std::int64_t> Layout::misfit(const Layout& unit) const {
  if (size_ == 0) return std::nullopt;
  return MisfitFinder(unit).find(placed(), displacement_);
}

}  // namespace remit
