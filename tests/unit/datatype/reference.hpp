// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A datatype the way the standard writes it down: a list of (type, displacement), and markers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "datatype/datatype.hpp"

namespace remit::reference {

struct Entry {
  std::int64_t displacement = 0;
  std::int64_t size = 0;
  std::int64_t alignment = 1;
};

struct TypeMap {
  std::vector<Entry> entries;
  std::optional<std::int64_t> lb_marker;
  std::optional<std::int64_t> ub_marker;

  [[nodiscard]] std::int64_t true_lb() const {
    std::int64_t lowest = entries.empty() ? 0 : entries.front().displacement;
    for (const Entry& e : entries) lowest = std::min(lowest, e.displacement);
    return lowest;
  }
  [[nodiscard]] std::int64_t true_ub() const {
    std::int64_t highest = entries.empty() ? 0 : entries.front().displacement;
    for (const Entry& e : entries) highest = std::max(highest, e.displacement + e.size);
    return highest;
  }
  [[nodiscard]] std::int64_t lb() const { return lb_marker.value_or(true_lb()); }
  /// MPI-5.0 section 5.1.6, letter by letter.
  [[nodiscard]] std::int64_t extent() const {
    if (ub_marker) return *ub_marker - lb();
    std::int64_t alignment = 1;
    for (const Entry& e : entries) alignment = std::max(alignment, e.alignment);
    std::int64_t extent = true_ub() - lb();
    while (extent % alignment != 0) ++extent;
    return extent;
  }
  [[nodiscard]] std::int64_t size() const {
    std::int64_t sum = 0;
    for (const Entry& e : entries) sum += e.size;
    return sum;
  }

  /// Appends `copies` of `old`, an extent of it apart, the first one at `displacement`.
  void append(const TypeMap& old, std::int64_t displacement, std::int64_t copies) {
    const std::int64_t step = old.extent();
    for (std::int64_t i = 0; i < copies; ++i) {
      const std::int64_t at = displacement + i * step;
      for (Entry e : old.entries) {
        e.displacement += at;
        entries.push_back(e);
      }
      if (old.lb_marker) {
        const std::int64_t mark = *old.lb_marker + at;
        lb_marker = lb_marker ? std::min(*lb_marker, mark) : mark;
      }
      if (old.ub_marker) {
        const std::int64_t mark = *old.ub_marker + at;
        ub_marker = ub_marker ? std::max(*ub_marker, mark) : mark;
      }
    }
  }

  /// Displacement of every packed byte of `count` elements.
  [[nodiscard]] std::vector<std::int64_t> bytes(std::int64_t count) const {
    std::vector<std::int64_t> result;
    const std::int64_t step = extent();
    for (std::int64_t i = 0; i < count; ++i) {
      for (const Entry& e : entries) {
        for (std::int64_t b = 0; b < e.size; ++b) result.push_back(i * step + e.displacement + b);
      }
    }
    return result;
  }
};

inline TypeMap of_predefined(const Datatype& type) {
  TypeMap map;
  if (type.signature().kind == BasicKind::pair) {
    const std::int64_t value = basic_size(type.signature().pair.value);
    const std::int64_t index = basic_size(type.signature().pair.index);
    map.entries = {{0, value, value}, {type.signature().pair.index_displacement, index, index}};
  } else {
    map.entries = {{0, type.size(), type.bounds().alignment}};
  }
  return map;
}

}  // namespace remit::reference
