// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Constructors, bounds, packing and memory runs: random type trees against naive type maps.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <numeric>
#include <sstream>

#include "datatype/datatype.hpp"
#include "tests/unit/datatype/reference.hpp"

namespace remit {
namespace {

using reference::TypeMap;
using Counts = std::vector<MPI_Count>;

struct Sample {
  Ref<const Datatype> type;
  TypeMap map;
};

// Larger trees take long without finding more.
constexpr std::size_t kMaxEntries = 1500;

MPI_Count pick(MPI_Count low, MPI_Count high) {
  return *rc::gen::inRange(low, high + 1);
}

Counts pick_counts(std::size_t n, MPI_Count low, MPI_Count high) {
  Counts counts(n);
  for (MPI_Count& c : counts) c = pick(low, high);
  return counts;
}

Sample pick_basic() {
  static const std::vector<MPI_Datatype> kChoice = {
      MPI_BYTE,       MPI_SHORT,     MPI_INT,      MPI_DOUBLE,      MPI_C_DOUBLE_COMPLEX,
      MPI_DOUBLE_INT, MPI_SHORT_INT, MPI_LONG_INT, MPI_LONG_DOUBLE, MPI_FLOAT_INT,
      MPI_CHAR,       MPI_2INT};
  const Datatype& type =
      predefined(kChoice[static_cast<std::size_t>(pick(0, std::ssize(kChoice) - 1))]);
  return {Ref<const Datatype>(&type), reference::of_predefined(type)};
}

Sample checked(Expected<Ref<Datatype>> made, TypeMap map) {
  if (!made) RC_FAIL(made.error().message);
  return {*made, std::move(map)};
}

Sample pick_regular(const Sample& old) {
  TypeMap map;
  const MPI_Count count = pick(0, 5);
  const MPI_Count length = pick(0, 4);
  switch (pick(0, 2)) {
    case 0:
      map.append(old.map, 0, count);
      return checked(make_contiguous(count, *old.type), map);
    case 1: {
      const MPI_Count stride = pick(-6, 6);
      for (MPI_Count i = 0; i < count; ++i) {
        map.append(old.map, i * stride * old.map.extent(), length);
      }
      return checked(make_vector(count, length, stride, *old.type), map);
    }
    default: {
      const MPI_Count stride = pick(-90, 90);
      for (MPI_Count i = 0; i < count; ++i) map.append(old.map, i * stride, length);
      return checked(make_hvector(count, length, stride, *old.type), map);
    }
  }
}

Sample pick_indexed(const Sample& old) {
  TypeMap map;
  const auto n = static_cast<std::size_t>(pick(0, 6));
  const Counts lengths = pick_counts(n, 0, 3);
  const Counts displacements = pick_counts(n, -12, 12);
  const MPI_Count length = pick(0, 3);
  const MPI_Count form = pick(0, 3);
  const MPI_Count unit = form == 0 || form == 2 ? old.map.extent() : 1;
  for (std::size_t i = 0; i < n; ++i) {
    map.append(old.map, displacements[i] * unit, form < 2 ? lengths[i] : length);
  }
  switch (form) {
    case 0:
      return checked(make_indexed(lengths, displacements, *old.type), map);
    case 1:
      return checked(make_hindexed(lengths, displacements, *old.type), map);
    case 2:
      return checked(make_indexed_block(length, displacements, *old.type), map);
    default:
      return checked(make_hindexed_block(length, displacements, *old.type), map);
  }
}

Sample pick_subarray(const Sample& old) {
  const auto n = static_cast<std::size_t>(pick(1, 3));
  Counts sizes(n);
  Counts subsizes(n);
  Counts starts(n);
  for (std::size_t d = 0; d < n; ++d) {
    sizes[d] = pick(1, 4);
    subsizes[d] = pick(1, sizes[d]);
    starts[d] = pick(0, sizes[d] - subsizes[d]);
  }
  const bool c_order = pick(0, 1) == 0;
  TypeMap map;
  const auto place = [&](const auto& self, std::size_t depth, std::int64_t index) -> void {
    if (depth == n) {
      map.append(old.map, index * old.map.extent(), 1);
      return;
    }
    const std::size_t d = c_order ? depth : n - 1 - depth;
    for (MPI_Count i = 0; i < subsizes[d]; ++i) {
      self(self, depth + 1, index * sizes[d] + starts[d] + i);
    }
  };
  place(place, 0, 0);
  map.lb_marker = 0;
  map.ub_marker = old.map.extent() *
                  std::accumulate(sizes.begin(), sizes.end(), MPI_Count{1}, std::multiplies<>());
  return checked(
      make_subarray(sizes, subsizes, starts, c_order ? MPI_ORDER_C : MPI_ORDER_FORTRAN, *old.type),
      map);
}

/// Indices of a dimension that process `mine` of `processes` owns.
Counts owned(MPI_Count size, int processes, int mine, MPI_Count block) {
  Counts indices;
  for (MPI_Count i = 0; i < size; ++i) {
    if (i / block % processes == mine) indices.push_back(i);
  }
  return indices;
}

Sample pick_darray(const Sample& old) {
  const auto n = static_cast<std::size_t>(pick(1, 3));
  const Counts sizes = pick_counts(n, 1, 7);
  std::vector<int> distribs(n);
  std::vector<int> dargs(n, MPI_DISTRIBUTE_DFLT_DARG);
  std::vector<int> grid(n, 1);
  std::vector<int> mine(n, 0);
  std::vector<Counts> indices(n);
  int processes = 1;
  int rank = 0;
  for (std::size_t d = 0; d < n; ++d) {
    MPI_Count block = sizes[d];
    distribs[d] = static_cast<int>(pick(MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC));
    if (distribs[d] != MPI_DISTRIBUTE_NONE) {
      grid[d] = static_cast<int>(pick(1, 4));
      const MPI_Count even = (sizes[d] + grid[d] - 1) / grid[d];
      block = distribs[d] == MPI_DISTRIBUTE_BLOCK ? even : 1;
      if (pick(0, 1) == 0) dargs[d] = static_cast<int>(block += pick(0, 2));
    }
    mine[d] = static_cast<int>(pick(0, grid[d] - 1));
    indices[d] = owned(sizes[d], grid[d], mine[d], block);
    processes *= grid[d];
    rank = rank * grid[d] + mine[d];
  }
  const bool c_order = pick(0, 1) == 0;
  TypeMap map;
  const auto place = [&](const auto& self, std::size_t depth, std::int64_t index) -> void {
    if (depth == n) {
      map.append(old.map, index * old.map.extent(), 1);
      return;
    }
    const std::size_t d = c_order ? depth : n - 1 - depth;
    for (const MPI_Count i : indices[d]) self(self, depth + 1, index * sizes[d] + i);
  };
  place(place, 0, 0);
  map.lb_marker = 0;
  map.ub_marker = old.map.extent() *
                  std::accumulate(sizes.begin(), sizes.end(), MPI_Count{1}, std::multiplies<>());
  return checked(make_darray({processes, rank, sizes, distribs, dargs, grid,
                              c_order ? MPI_ORDER_C : MPI_ORDER_FORTRAN},
                             *old.type),
                 map);
}

/// Larger types, of which the loops over many blocks are made: matrices across, arrays of structs,
/// long irregular lists. Nothing in them overlaps.
Sample pick_large() {
  const Sample unit = pick_basic();
  TypeMap map;
  const MPI_Count n = pick(17, 60);
  const MPI_Count step = unit.map.extent();
  switch (pick(0, 3)) {
    case 0: {  // a matrix column by column, perhaps backwards
      const MPI_Count rows = pick(2, 20);
      const MPI_Count sign = pick(0, 1) == 0 ? 1 : -1;
      TypeMap column;
      for (MPI_Count i = 0; i < rows; ++i) column.append(unit.map, i * n * step, 1);
      for (MPI_Count i = 0; i < n; ++i) map.append(column, sign * i * step, 1);
      const auto inner = checked(make_hvector(rows, 1, n * step, *unit.type), column);
      return checked(make_hvector(n, 1, sign * step, *inner.type), map);
    }
    case 1: {  // structs
      const Sample other = pick_basic();
      const Counts places = {pick(0, 3), 48};
      const Counts lengths = {1, pick(1, 2)};
      const std::vector<const Datatype*> types = {unit.type.get(), other.type.get()};
      TypeMap one;
      one.append(unit.map, places[0], lengths[0]);
      one.append(other.map, places[1], lengths[1]);
      const MPI_Count stride = pick(0, 1) == 0 ? 120 : -130;
      for (MPI_Count i = 0; i < n; ++i) map.append(one, i * stride, 1);
      const auto inner = checked(make_struct(lengths, places, types), one);
      return checked(make_hvector(n, 1, stride, *inner.type), map);
    }
    default: {
      const MPI_Count longest = pick(1, 4);
      Counts lengths(static_cast<std::size_t>(n));
      Counts places(static_cast<std::size_t>(n));
      MPI_Count place = pick(-9, 9);
      for (std::size_t i = 0; i < lengths.size(); ++i) {
        lengths[i] = pick(1, longest);
        places[i] = place;
        map.append(unit.map, place * step, lengths[i]);
        place += lengths[i] + pick(0, 3);
      }
      return checked(make_indexed(lengths, places, *unit.type), map);
    }
  }
}

Sample pick_type(int depth) {
  if (depth == 0 || pick(0, 5) == 0) return pick_basic();
  if (pick(0, 5) == 0) return pick_large();
  Sample result;
  const MPI_Count form = pick(0, 6);
  if (form == 6) {
    const auto n = static_cast<std::size_t>(pick(0, 4));
    const Counts lengths = pick_counts(n, 0, 3);
    const Counts displacements = pick_counts(n, -80, 80);
    std::vector<Sample> members;
    std::vector<const Datatype*> types;
    TypeMap map;
    for (std::size_t i = 0; i < n; ++i) {
      members.push_back(pick_type(depth - 1));
      types.push_back(members.back().type.get());
      map.append(members.back().map, displacements[i], lengths[i]);
    }
    result = checked(make_struct(lengths, displacements, types), map);
  } else {
    const Sample old = pick_type(depth - 1);
    if (form <= 1) {
      result = pick_regular(old);
    } else if (form <= 3) {
      result = pick_indexed(old);
    } else if (form == 4) {
      result = pick(0, 1) == 0 ? pick_subarray(old) : pick_darray(old);
    } else if (pick(0, 3) == 0) {
      result = checked(make_dup(*old.type), old.map);
    } else {
      TypeMap map = old.map;
      map.lb_marker = pick(-20, 20);
      const MPI_Count extent = pick(-60, 200);
      map.ub_marker = *map.lb_marker + extent;
      result = checked(make_resized(*old.type, *map.lb_marker, extent), map);
    }
  }
  RC_PRE(result.map.entries.size() <= kMaxEntries);
  return result;
}

/// Memory that holds `count` elements exactly, so that a sanitizer sees each byte too many.
struct Memory {
  explicit Memory(const std::vector<std::int64_t>& displacements) {
    if (displacements.empty()) return;
    const auto [low, high] = std::ranges::minmax(displacements);
    lowest = low;
    bytes.resize(static_cast<std::size_t>(high - low) + 1);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte(i * 37 + (i >> 8) + 11);
  }
  [[nodiscard]] void* base() {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(bytes.data()) -
                                   static_cast<std::uintptr_t>(lowest));
  }
  std::byte& operator[](std::int64_t displacement) {
    return bytes[static_cast<std::size_t>(displacement - lowest)];
  }
  std::int64_t lowest = 0;
  std::vector<std::byte> bytes;
};

/// A packed range that need not begin or end anywhere in particular.
std::pair<std::size_t, std::size_t> pick_range(std::size_t total) {
  const auto a = static_cast<std::size_t>(pick(0, static_cast<MPI_Count>(total)));
  const auto b = static_cast<std::size_t>(pick(0, static_cast<MPI_Count>(total)));
  return {std::min(a, b), std::max(a, b)};
}

RC_GTEST_PROP(Datatype, BoundsAreTheStandards, ()) {
  const Sample s = pick_type(3);
  RC_ASSERT(s.type->size() == s.map.size());
  RC_ASSERT(s.type->lb() == s.map.lb());
  RC_ASSERT(s.type->extent() == s.map.extent());
  RC_ASSERT(s.type->true_lb() == s.map.true_lb());
  RC_ASSERT(s.type->true_extent() == s.map.true_ub() - s.map.true_lb());
  RC_ASSERT(s.type->signature().elements == std::ssize(s.map.entries));
}

RC_GTEST_PROP(Layout, PacksAnyRange, ()) {
  const Sample s = pick_type(3);
  const MPI_Count count = pick(0, 4) * pick(1, 3);
  const auto where = s.map.bytes(count);
  Memory memory(where);
  for (int i = 0; i < 4; ++i) {
    const auto [from, to] =
        i == 0 ? std::pair<std::size_t, std::size_t>(0, where.size()) : pick_range(where.size());
    std::vector<std::byte> expected;
    for (std::size_t k = from; k < to; ++k) expected.push_back(memory[where[k]]);
    std::vector<std::byte> packed(to - from);
    RC_ASSERT(s.type->layout().pack(memory.base(), count, from, packed) == packed.size());
    RC_ASSERT(packed == expected);
  }
  std::byte beyond{};
  RC_ASSERT(s.type->layout().pack(memory.base(), count, where.size(), {&beyond, 1}) == 0U);
}

// Where entries overlap (only senders may use such a type), any of the bytes may be the last one.
RC_GTEST_PROP(Layout, UnpacksAnyRange, ()) {
  const Sample s = pick_type(3);
  const MPI_Count count = pick(0, 4) * pick(1, 3);
  const auto where = s.map.bytes(count);
  Memory memory(where);
  for (int i = 0; i < 4; ++i) {
    const auto [from, to] = pick_range(where.size());
    std::vector<std::byte> packed(to - from);
    for (std::size_t k = 0; k < packed.size(); ++k) packed[k] = std::byte(k * 73 + from);
    std::vector<std::vector<std::byte>> allowed(memory.bytes.size());
    for (std::size_t b = 0; b < allowed.size(); ++b) allowed[b] = {memory.bytes[b]};
    for (std::size_t k = from; k < to; ++k) {
      auto& bytes = allowed[static_cast<std::size_t>(where[k] - memory.lowest)];
      if (bytes.size() == 1) bytes = {std::byte{}};  // the old byte must not stay
      bytes.push_back(packed[k - from]);
    }
    RC_ASSERT(s.type->layout().unpack(memory.base(), count, from, packed) == packed.size());
    for (std::size_t b = 0; b < allowed.size(); ++b) {
      const auto news = std::span(allowed[b]).subspan(allowed[b].size() == 1 ? 0 : 1);
      RC_ASSERT(std::ranges::count(news, memory.bytes[b]) > 0);
    }
  }
}

RC_GTEST_PROP(Layout, ListsMemoryRuns, ()) {
  const Sample s = pick_type(3);
  const MPI_Count count = pick(0, 4);
  const auto where = s.map.bytes(count);
  Memory memory(where);
  auto [offset, end] = pick_range(where.size());
  std::vector<Layout::Piece> pieces(static_cast<std::size_t>(pick(1, 9)));
  while (offset < end) {
    const View view{memory.base(), count, &s.type->layout()};
    const Layout::Gathered got = view.pieces(offset, end - offset, pieces);
    RC_ASSERT(got.pieces >= 1U);
    RC_ASSERT(got.pieces <= pieces.size());
    std::size_t at = offset;
    for (std::size_t i = 0; i < got.pieces; ++i) {
      auto* const address = static_cast<std::byte*>(pieces[i].address);
      const bool apart = i == 0 || address != static_cast<std::byte*>(pieces[i - 1].address) +
                                                  pieces[i - 1].length;
      RC_ASSERT(apart);
      for (std::size_t b = 0; b < pieces[i].length; ++b, ++at) {
        RC_ASSERT(at < end);
        RC_ASSERT(address + b == &memory[where[at]]);
      }
    }
    RC_ASSERT(at == offset + got.bytes);
    RC_ASSERT((at == end || got.pieces == pieces.size()));
    offset = at;
  }
}

RC_GTEST_PROP(Layout, SpansWhatMoves, ()) {
  const Sample s = pick_type(3);
  const MPI_Count count = pick(0, 4);
  const auto where = s.map.bytes(count);
  Memory memory(where);
  const View view{memory.base(), count, &s.type->layout()};
  const auto bytes = static_cast<std::size_t>(pick(0, static_cast<int>(where.size())));
  const Layout::Piece span = view.span(bytes);
  if (bytes == 0) {
    RC_ASSERT(span.length == 0U);
    return;
  }
  const auto moved = std::span(where).first(bytes);
  auto* const first = static_cast<std::byte*>(span.address);
  RC_ASSERT(first == &memory[*std::ranges::min_element(moved)]);
  RC_ASSERT(first + span.length - 1 == &memory[*std::ranges::max_element(moved)]);
}

RC_GTEST_PROP(View, ContiguousMeansOneRun, ()) {
  const Sample s = pick_type(3);
  const MPI_Count count = pick(1, 3);
  const auto where = s.map.bytes(count);
  Memory memory(where);
  const View view{memory.base(), count, &s.type->layout()};
  RC_ASSERT(view.size() == where.size());
  bool consecutive = true;
  for (std::size_t k = 1; k < where.size(); ++k) {
    consecutive = consecutive && where[k] == where[k - 1] + 1;
  }
  RC_CLASSIFY(consecutive && !s.type->is_predefined());
  if (view.is_contiguous() && !where.empty()) {
    RC_ASSERT(consecutive);
    RC_ASSERT(view.data() == &memory[where.front()]);
  }
  // Normal form: whatever is one run is seen to be one.
  if (consecutive) RC_ASSERT(view.is_contiguous());
}

RC_GTEST_PROP(Datatype, CountsReceivedElements, ()) {
  const Sample s = pick_type(3);
  std::vector<MPI_Count> elements_at(2 * static_cast<std::size_t>(s.map.size()) + 1, MPI_UNDEFINED);
  MPI_Count bytes = 0;
  MPI_Count elements = 0;
  elements_at[0] = 0;
  for (int copy = 0; copy < 2; ++copy) {
    for (const reference::Entry& e : s.map.entries) {
      elements_at[static_cast<std::size_t>(bytes += e.size)] = ++elements;
    }
  }
  for (std::size_t b = 0; b < elements_at.size(); ++b) {
    const auto received = static_cast<MPI_Count>(b);
    RC_ASSERT(get_elements(received, *s.type) == elements_at[b]);
    const bool whole = b == 0 || received % s.map.size() == 0;
    RC_ASSERT(get_count(received, *s.type) ==
              (whole ? (b == 0 ? 0 : received / s.map.size()) : MPI_Count{MPI_UNDEFINED}));
  }
  if (s.map.size() == 0) RC_ASSERT(get_elements(1, *s.type) == MPI_UNDEFINED);
}

RC_GTEST_PROP(Layout, FindsPackedBytes, ()) {
  const Sample s = pick_type(3);
  const Layout& layout = s.type->layout();
  const MPI_Count count = pick(1, 4);
  const auto where = s.map.bytes(count);
  for (std::size_t k = 0; k < where.size(); ++k) {
    RC_ASSERT(layout.displacement_at(static_cast<std::int64_t>(k)) == where[k]);
  }
  const bool ascending = std::ranges::is_sorted(where, std::ranges::less_equal());
  RC_CLASSIFY(ascending && layout.blocks() > 1);
  if (where.empty() || !ascending) {
    if (where.empty()) RC_ASSERT(layout.packed_at(pick(-9, 9), count) == 0);
    return;
  }
  for (std::int64_t at = where.front() - 3; at <= where.back() + 5; ++at) {
    const auto below = std::ranges::lower_bound(where, at) - where.begin();
    RC_ASSERT(layout.packed_at(at, count) == below);
  }
  RC_ASSERT(layout.packed_at(INT64_MIN, count) == 0);
  RC_ASSERT(layout.packed_at(INT64_MAX, count) == std::ssize(where));
}

/// Blocks that begin in order, most of them, and may overlap.
Sample pick_overlapping(const Sample& old) {
  TypeMap map;
  const auto n = static_cast<std::size_t>(pick(1, 25));
  const Counts lengths = pick_counts(n, 1, 3);
  Counts places(n);
  MPI_Count place = pick(0, 5);
  for (std::size_t i = 0; i < n; ++i) {
    places[i] = place;
    map.append(old.map, place, lengths[i]);
    place += pick(0, 40) == 0 ? -1 : pick(0, 2 + lengths[i]) * old.map.extent();
  }
  return checked(make_hindexed(lengths, places, *old.type), map);
}

RC_GTEST_PROP(Layout, KnowsItsOrder, ()) {
  Sample s = pick_type(3);
  if (pick(0, 1) == 0) {
    s = pick_overlapping(pick_basic());
    if (pick(0, 1) == 0) s = pick_regular(s);
  }
  bool nondecreasing = true;
  bool ascending = true;
  for (std::size_t i = 1; i < s.map.entries.size(); ++i) {
    const reference::Entry& before = s.map.entries[i - 1];
    const reference::Entry& entry = s.map.entries[i];
    nondecreasing = nondecreasing && entry.displacement >= before.displacement;
    ascending = ascending && entry.displacement >= before.displacement + before.size;
  }
  const std::int64_t entry = s.type->signature().uniform_size;
  const LayoutOrder order = s.type->layout().order(entry);
  RC_CLASSIFY(ascending);
  RC_CLASSIFY(nondecreasing && !ascending);
  RC_ASSERT(order.ascending == ascending);
  // Entries of mixed sizes that overlap are told apart where their runs of memory are.
  RC_ASSERT((order.nondecreasing == nondecreasing || (entry == 0 && !nondecreasing)));
  if (s.map.entries.empty()) return;
  RC_ASSERT(order.low == s.map.true_lb());
  RC_ASSERT(order.high == s.map.true_ub());
}

/// Whether the bytes are those of whole units, whose origins lie at multiples of their extent.
bool consists_of(const std::vector<std::int64_t>& where, const TypeMap& unit) {
  const auto shape = unit.bytes(1);
  for (std::size_t k = 0; k < where.size(); ++k) {
    if (where.size() % shape.size() != 0) return false;
    const std::int64_t origin = where[k - k % shape.size()] - shape.front();
    if (origin % unit.extent() != 0 || where[k] != origin + shape[k % shape.size()]) return false;
  }
  return true;
}

RC_GTEST_PROP(Layout, FindsWhatIsNoUnit, ()) {
  const Sample unit = pick(0, 1) == 0 ? pick_basic() : pick_type(1);
  RC_PRE(unit.map.size() > 0 && unit.map.extent() > 0);
  const Sample inner = pick(0, 1) == 0 ? pick_regular(unit) : pick_indexed(unit);
  RC_PRE(inner.map.entries.size() <= kMaxEntries / 20);
  const MPI_Count form = pick(0, 2);
  const Sample s = form == 0 ? inner : form == 1 ? pick_regular(inner) : pick_indexed(inner);
  const Sample other = pick_basic();
  // Of units it is made; of others perhaps, and then it may be in a way that is not seen.
  const bool fits = consists_of(s.map.bytes(1), unit.map);
  RC_CLASSIFY(fits && s.map.size() > 0);
  RC_ASSERT(s.type->layout().misfit(unit.type->layout()).has_value() == !fits);
  if (!s.type->layout().misfit(other.type->layout())) {
    RC_ASSERT(consists_of(s.map.bytes(1), other.map));
  }
}

Ref<Datatype> good(Expected<Ref<Datatype>> made) {
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return *made;
}

const Datatype& kInt = predefined(MPI_INT);
const Datatype& kDouble = predefined(MPI_DOUBLE);

TEST(Layout, FindsWhatIsNoUnitInLongLists) {
  Counts places(40);
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = static_cast<MPI_Count>(32 * i + (i % 3 == 1 ? 8 : 0));
  }
  EXPECT_FALSE(good(make_hindexed_block(1, places, kDouble))->layout().misfit(kDouble.layout()));
  EXPECT_FALSE(good(make_hindexed_block(2, places, kInt))->layout().misfit(kDouble.layout()));
  EXPECT_TRUE(good(make_hindexed_block(1, places, kInt))->layout().misfit(kDouble.layout()));
  places[11] += 4;
  EXPECT_EQ(good(make_hindexed_block(1, places, kDouble))->layout().misfit(kDouble.layout()),
            places[11]);
  // Blocks of one, two and three ints, all of which are a list of ints.
  Counts lengths(40, 2);
  lengths[3] = 3;
  lengths[4] = 1;
  EXPECT_TRUE(good(make_hindexed(lengths, places, kInt))->layout().misfit(kDouble.layout()));
  // Units with a hole are looked at one by one.
  const auto sparse = good(make_resized(kInt, 0, 8));
  const auto some = good(make_hindexed_block(1, Counts{0, 16, 28, 40}, kInt));
  EXPECT_EQ(some->layout().misfit(sparse->layout()), 28);
}

TEST(Layout, FindsUnitsThatGoOnInALoop) {
  const auto pair = good(make_hvector(2, 1, 8, kInt));
  const auto ints = good(make_hvector(6, 1, 8, kInt));
  EXPECT_FALSE(ints->layout().misfit(good(make_resized(*pair, 0, 16))->layout()));
  EXPECT_EQ(ints->layout().misfit(good(make_resized(*pair, 0, 20))->layout()), 16);
  const auto odd = good(make_hvector(5, 1, 8, kInt));
  EXPECT_EQ(odd->layout().misfit(good(make_resized(*pair, 0, 16))->layout()), 32);
}

TEST(Layout, OrderAndUnitsOfHugeTypesNeedNoTime) {
  const MPI_Count far = MPI_Count{1} << 40;
  const auto vector = good(make_hvector(far, 1, 1 << 20, kDouble));
  EXPECT_EQ(vector->layout().order(8).high, ((far - 1) << 20) + 8);
  EXPECT_FALSE(vector->layout().misfit(kDouble.layout()));
  EXPECT_TRUE(vector->layout().misfit(predefined(MPI_LONG_DOUBLE).layout()));
  EXPECT_EQ(vector->layout().packed_at((MPI_Count{12345} << 20) + 3, 1), 12345 * 8 + 3);
  // A block of 2^40 bytes, twice, is made of no units of 12; nor of units that lie on each other.
  const auto block = good(make_contiguous(far, predefined(MPI_BYTE)));
  const auto twice = good(make_hvector(3, 1, 2 * far, *block));
  const auto twelve = good(make_contiguous(12, predefined(MPI_BYTE)));
  EXPECT_TRUE(twice->layout().misfit(twelve->layout()));
  const auto dense = good(make_resized(kInt, 0, 1));
  EXPECT_FALSE(twice->layout().misfit(dense->layout()));
  const auto sparse = good(make_resized(kInt, 0, 8));
  EXPECT_EQ(twice->layout().misfit(sparse->layout()), 4);
  // The same type many times over: each is looked at once.
  auto nested = good(make_indexed(Counts{1, 2}, Counts{0, 3}, *sparse));
  for (int depth = 0; depth < 40; ++depth) {
    nested = good(
        make_hindexed(Counts{1, 1, 1}, Counts{0, nested->extent(), 3 * nested->extent()}, *nested));
    if (nested->extent() > (far << 10)) break;
  }
  EXPECT_FALSE(nested->layout().misfit(sparse->layout()));
  EXPECT_TRUE(nested->layout().order(4).ascending);
}

TEST(Layout, NormalizesWhatIsContiguous) {
  EXPECT_TRUE(good(make_vector(7, 3, 3, kInt))->layout().is_contiguous());
  EXPECT_TRUE(good(make_indexed(Counts{2, 3}, Counts{0, 2}, kInt))->layout().is_contiguous());
  const auto vector = good(make_vector(4, 1, 1, kInt));
  const Datatype* types[] = {vector.get(), vector.get(), &kInt};
  const auto structure = good(make_struct(Counts{1, 2, 1}, Counts{0, 16, 48}, types));
  EXPECT_TRUE(structure->layout().is_contiguous());
  EXPECT_EQ(structure->extent(), 52);
  const Counts sizes{4, 5, 6};
  EXPECT_TRUE(good(make_subarray(sizes, sizes, Counts{0, 0, 0}, MPI_ORDER_C, kDouble))
                  ->layout()
                  .is_contiguous());
  // One element is a block, the next does not follow.
  const auto padded = good(make_resized(kInt, 0, 8));
  EXPECT_FALSE(padded->layout().is_contiguous());
  EXPECT_TRUE((View{nullptr, 1, &padded->layout()}.is_contiguous()));
}

TEST(Layout, FindsLoopsInLists) {
  Counts displacements(1000);
  for (std::size_t i = 0; i < displacements.size(); ++i) {
    displacements[i] = static_cast<MPI_Count>(3 * i);
  }
  const auto indexed = good(make_indexed_block(1, displacements, kInt));
  const auto vector = good(make_vector(1000, 1, 3, kInt));
  for (const Datatype* type : {indexed.get(), vector.get()}) {
    EXPECT_EQ(type->layout().blocks(), 1000);
    EXPECT_EQ(type->extent(), 4 * (3 * 999 + 1));
  }
}

// Packing takes whole vectors of memory; a page that may not be touched follows the last word.
TEST(Layout, EverySecondWordReadsNothingBehindTheLast) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const mapped =
      ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  auto* const memory = static_cast<unsigned char*>(mapped);
  for (std::size_t i = 0; i < page; ++i) memory[i] = static_cast<unsigned char>(i * 131 >> 3);
  ASSERT_EQ(::mprotect(memory + page, page, PROT_NONE), 0);
  for (const Datatype* word : {&kInt, &kDouble}) {
    const auto width = static_cast<std::size_t>(word->size());
    for (std::size_t count = 1; count <= 41; ++count) {
      const auto type = good(make_vector(static_cast<MPI_Count>(count), 1, 2, *word));
      const unsigned char* const first = memory + page - (2 * count - 1) * width;
      std::vector<unsigned char> expected;
      for (std::size_t i = 0; i < count; ++i) {
        expected.insert(expected.end(), first + 2 * i * width, first + (2 * i + 1) * width);
      }
      std::vector<unsigned char> packed(expected.size());
      const auto out = std::as_writable_bytes(std::span(packed));
      EXPECT_EQ(type->layout().pack(first, 1, 0, out), expected.size());
      EXPECT_EQ(packed, expected) << count << " words of " << width << " bytes";
    }
  }
  EXPECT_EQ(::munmap(mapped, 2 * page), 0);
}

TEST(Layout, HugeStridesNeedNoMemory) {
  const MPI_Count far = MPI_Count{1} << 40;
  const auto type = good(make_hvector(far, 1, 1 << 20, kDouble));
  EXPECT_EQ(type->size(), 8 * far);
  std::array<Layout::Piece, 2> pieces;
  const std::size_t offset = 8 * static_cast<std::size_t>(far - 1) + 5;
  const auto got = type->layout().pieces(nullptr, 1, offset, 100, pieces);
  EXPECT_EQ(got.pieces, 1U);
  EXPECT_EQ(got.bytes, 3U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pieces[0].address),
            (static_cast<std::uintptr_t>(far - 1) << 20) + 5);
}

TEST(Datatype, RefusesWrongArguments) {
  EXPECT_EQ(make_contiguous(-1, kInt).error().code, MPI_ERR_COUNT);
  EXPECT_EQ(make_vector(2, -1, 1, kInt).error().code, MPI_ERR_ARG);
  EXPECT_EQ(make_contiguous(1, predefined(MPI_DATATYPE_NULL)).error().code, MPI_ERR_TYPE);
  EXPECT_EQ(make_contiguous(INT64_MAX, kInt).error().code, MPI_ERR_ARG);
  EXPECT_EQ(make_vector(INT64_MAX, INT64_MAX, INT64_MAX, kInt).error().code, MPI_ERR_ARG);
  EXPECT_EQ(make_indexed(Counts{1}, Counts{1, 2}, kInt).error().code, MPI_ERR_ARG);
  EXPECT_EQ(make_hindexed(Counts{1, 1}, Counts{INT64_MIN, INT64_MAX}, kInt).error().code,
            MPI_ERR_ARG);
  EXPECT_EQ(make_subarray(Counts{4}, Counts{3}, Counts{2}, MPI_ORDER_C, kInt).error().code,
            MPI_ERR_ARG);
}

TEST(Datatype, EnvelopeKeepsWhatWasPassed) {
  const auto small = good(make_hvector(3, 2, -40, kInt));
  EXPECT_EQ(small->contents().combiner, MPI_COMBINER_HVECTOR);
  EXPECT_EQ(small->contents().integers, (std::vector<int>{3, 2}));
  EXPECT_EQ(small->contents().addresses, (std::vector<MPI_Aint>{-40}));
  EXPECT_TRUE(small->contents().large_counts.empty());
  ASSERT_EQ(small->contents().datatypes.size(), 1U);
  EXPECT_EQ(small->contents().datatypes[0].get(), &kInt);
  const auto large = good(make_hvector(3, 2, -40, kInt, CountForm::large));
  EXPECT_TRUE(large->contents().integers.empty());
  EXPECT_EQ(large->contents().large_counts, (Counts{3, 2, -40}));
  const auto sub = good(make_subarray(Counts{4, 5}, Counts{2, 3}, Counts{1, 0}, MPI_ORDER_C, kInt));
  EXPECT_EQ(sub->contents().integers, (std::vector<int>{2, 4, 5, 2, 3, 1, 0, MPI_ORDER_C}));
  EXPECT_EQ(kInt.contents().combiner, MPI_COMBINER_NAMED);
}

TEST(Datatype, OldTypesOutliveTheirHandles) {
  auto inner = good(make_indexed(Counts{1, 2}, Counts{0, 3}, kInt));
  auto outer = good(make_vector(3, 1, 2, *inner));
  inner = nullptr;
  EXPECT_EQ(outer->size(), 36);
  EXPECT_EQ(outer->contents().datatypes[0]->size(), 12);
  EXPECT_FALSE(outer->is_committed());
  outer->commit();
  const auto copy = good(make_dup(*outer));
  outer = nullptr;
  EXPECT_TRUE(copy->is_committed());
  EXPECT_EQ(datatype_of(copy->handle()), copy.get());
}

TEST(Datatype, PredefinedTypesAreTheAbis) {
  std::ifstream table(std::string(std::getenv("srcdir") ? std::getenv("srcdir") : ".") +
                      "/abi/constants.tsv");
  ASSERT_TRUE(table) << "run in the source folder or set srcdir";
  std::size_t rows = 0;
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    std::string name;
    std::string ctype;
    std::string value;
    fields >> name >> ctype >> value;
    if (ctype != "MPI_Datatype") continue;
    ++rows;
    const std::uintptr_t handle = std::stoul(value, nullptr, 16);
    const Datatype* type = predefined(handle);
    ASSERT_NE(type, nullptr) << name;
    const bool is_alias = line.find("alias_of") != std::string::npos;
    EXPECT_TRUE(is_alias || type->name() == name) << name;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(type->handle()), handle);
    EXPECT_EQ(type->is_available(), name != "MPI_DATATYPE_NULL");
    if ((handle & 0x3c0) == 0x240 || (handle & 0x3c0) == 0x2c0) {
      EXPECT_EQ(type->size(), 1 << ((handle >> 3) & 7)) << name;
    }
    if (const auto at = line.find("lp64_size="); at != std::string::npos && sizeof(long) == 8) {
      EXPECT_EQ(type->size(), std::stol(line.substr(at + 10))) << name;
    }
  }
  EXPECT_GE(rows, 70U);
  EXPECT_EQ(predefined(std::uintptr_t{0x2ff}), nullptr);
  EXPECT_EQ(predefined(std::uintptr_t{0x123}), nullptr);
}

TEST(Datatype, PairsHaveTheGapsOfCStructs) {
  EXPECT_EQ(predefined(MPI_SHORT_INT).size(), 6);
  EXPECT_EQ(predefined(MPI_SHORT_INT).extent(), 8);
  EXPECT_EQ(predefined(MPI_DOUBLE_INT).size(), 12);
  EXPECT_EQ(predefined(MPI_DOUBLE_INT).extent(), 16);
  EXPECT_EQ(predefined(MPI_LONG_DOUBLE_INT).extent(), 2 * MPI_Count{sizeof(long double)});
  EXPECT_TRUE(predefined(MPI_2INT).layout().is_contiguous());
  EXPECT_TRUE(predefined(MPI_FLOAT_INT).layout().is_contiguous());
}

}  // namespace
}  // namespace remit

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // RapidCheck prints the seed; ours has one name for all tests.
  std::string parameters = "max_success=400 max_discard_ratio=50";
  if (const char* seed = std::getenv("REMIT_TEST_SEED")) parameters += std::string(" seed=") + seed;
  setenv("RC_PARAMS", parameters.c_str(), 0);
  return RUN_ALL_TESTS();
}
