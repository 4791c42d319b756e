// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Values by address range: the index of the registration cache. Pure data structure.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

#include "rdma_btl/registration/address_range.hpp"

namespace remit {

/// Values under ranges that may overlap, but of which none contains another; so they are ordered by
/// their ends as by their begins, and a look-up is one binary search. Ranges are never split.
/// No call but the constructor allocates, and none frees: removal is allowed where the heap is not.
template <class T>
class IntervalMap {
 public:
  /// For at most `capacity` ranges.
  explicit IntervalMap(std::size_t capacity) : capacity_(capacity) { items_.reserve(capacity); }

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool full() const { return items_.size() == capacity_; }

  /// The value whose range contains all of `range`, or nullptr.
  [[nodiscard]] const T* find(AddressRange range) const {
    auto after = std::upper_bound(
        items_.begin(), items_.end(), range.begin,
        [](std::uintptr_t begin, const Item& item) { return begin < item.range.begin; });
    if (after == items_.begin()) return nullptr;
    const Item& item = *std::prev(after);  // of those that begin early enough it ends last
    return item.range.contains(range) ? &item.value : nullptr;
  }

  /// Adds a range. The map must not be full, no range may contain it (find() says), and it may
  /// contain none (take_contained() removes those).
  void insert(AddressRange range, T value) {
    assert(!full() && !range.empty() && find(range) == nullptr);
    items_.insert(first_from(range.begin), {range, std::move(value)});
  }

  /// Removes exactly this range; false if it is not there.
  bool erase(AddressRange range) {
    auto at = first_from(range.begin);
    if (at == items_.end() || at->range != range) return false;
    items_.erase(at);
    return true;
  }

  /// Removes every range that shares a byte with `range`, and calls visit(value) for each.
  template <class Visit>
  void take_overlaps(AddressRange range, Visit&& visit) {
    const auto first = first_reaching(range);
    auto last = first;
    while (last != items_.end() && last->range.begin < range.end) ++last;
    take(first, last, visit);
  }

  /// Removes every range inside `range`, and calls visit(value) for each.
  template <class Visit>
  void take_contained(AddressRange range, Visit&& visit) {
    const auto first = first_from(range.begin);
    auto last = first;
    while (last != items_.end() && last->range.end <= range.end) ++last;
    take(first, last, visit);
  }

  /// Calls visit(AddressRange) for each maximal part of `range` that no range of the map covers.
  template <class Visit>
  void for_each_gap(AddressRange range, Visit&& visit) const {
    std::uintptr_t from = range.begin;
    for (auto at = first_reaching(range); at != items_.end() && at->range.begin < range.end; ++at) {
      if (from < at->range.begin) visit(AddressRange{from, at->range.begin});
      from = at->range.end;
    }
    if (from < range.end) visit(AddressRange{from, range.end});
  }

 private:
  struct Item {
    AddressRange range;
    T value;
  };
  using Items = std::vector<Item>;

  static bool begins_before(const Item& item, std::uintptr_t begin) {
    return item.range.begin < begin;
  }
  static bool ends_at_or_before(const Item& item, std::uintptr_t begin) {
    return item.range.end <= begin;
  }
  typename Items::iterator first_from(std::uintptr_t begin) {
    return std::lower_bound(items_.begin(), items_.end(), begin, begins_before);
  }
  typename Items::iterator first_reaching(AddressRange range) {
    return std::lower_bound(items_.begin(), items_.end(), range.begin, ends_at_or_before);
  }
  typename Items::const_iterator first_reaching(AddressRange range) const {
    return std::lower_bound(items_.begin(), items_.end(), range.begin, ends_at_or_before);
  }
  template <class Visit>
  void take(typename Items::iterator first, typename Items::iterator last, Visit& visit) {
    for (auto at = first; at != last; ++at) visit(at->value);
    items_.erase(first, last);
  }

  std::size_t capacity_;
  Items items_;
};

}  // namespace remit
