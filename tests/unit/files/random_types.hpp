// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Random types whose displacements ascend, as views want them, and their type maps: in memory, and
// in a file where predefined types have other sizes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "datatype/datatype.hpp"
#include "datatype/unnamed_types.hpp"
#include "tests/unit/datatype/reference.hpp"

namespace remit::testing {

using reference::TypeMap;
using Counts = std::vector<MPI_Count>;

/// Bytes of a predefined type that is no pair in a file.
using FileSize = std::int64_t (*)(const Datatype&);

inline std::int64_t memory_size(const Datatype& type) {
  return type.size();
}

struct SampleType {
  Ref<const Datatype> type;
  TypeMap memory;
  TypeMap file;
};

class RandomTypes {
 public:
  explicit RandomTypes(std::mt19937_64& random, FileSize size = memory_size)
      : random_(random), size_(size) {}

  /// From `low` to `high`, both included.
  MPI_Count pick(MPI_Count low, MPI_Count high) {
    return low + static_cast<MPI_Count>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }

  /// From 1 to `high`, seldom 0.
  MPI_Count some(MPI_Count high) { return pick(0, 11) == 0 ? 0 : pick(1, high); }

  SampleType of(const Datatype& type) {
    SampleType sample{Ref<const Datatype>(&type), reference::of_predefined(type), {}};
    if (const PairTypes pair = pair_types(type); pair.value != nullptr) {
      const std::int64_t value = size_(*pair.value);
      sample.file.entries = {{0, value, 1}, {value, size_(*pair.index), 1}};
    } else {
      sample.file.entries = {{0, size_(type), 1}};
    }
    return sample;
  }

  SampleType basic() {
    static const std::array<MPI_Datatype, 10> kChoice = {
        MPI_BYTE, MPI_SHORT, MPI_INT,      MPI_DOUBLE,      MPI_LONG,
        MPI_CHAR, MPI_WCHAR, MPI_LONG_INT, MPI_LONG_DOUBLE, MPI_C_DOUBLE_COMPLEX};
    return of(predefined(kChoice[static_cast<std::size_t>(pick(0, std::ssize(kChoice) - 1))]));
  }

  /// A predefined type, or a struct of some with a gap, or one with a hole behind it.
  SampleType etype() {
    SampleType first = basic();
    switch (pick(0, 3)) {
      case 0:
        return mixed(first, basic());
      case 1:
        return resized(first, 0, end_of(first) + pick(0, 9));
      default:
        return first;
    }
  }

  /// A struct of two, with a gap.
  SampleType mixed(const SampleType& first, const SampleType& second) {
    const MPI_Count behind = end_of(first) + pick(0, 9);
    const std::array<const Datatype*, 2> types = {first.type.get(), second.type.get()};
    SampleType both;
    each_map([&](auto map) {
      (both.*map).append(first.*map, 0, 1);
      (both.*map).append(second.*map, behind, 1);
    });
    return finish(both, make_struct(Counts{1, 1}, Counts{0, behind}, types));
  }

  /// Of `old`, displacements in elements.
  SampleType portable(const SampleType& old) {
    switch (pick(0, 5)) {
      case 0:
        return vector(old);
      case 1:
        return indexed(old, false);
      case 2:
        return indexed(old, true);
      case 3:
        return subarray(old);
      case 4: {
        const MPI_Count count = some(4);
        SampleType made;
        each_map([&](auto map) { (made.*map).append(old.*map, 0, count); });
        return finish(made, make_contiguous(count, *old.type, form()));
      }
      default:
        return finish({{}, old.memory, old.file}, make_dup(*old.type));
    }
  }

  /// Several constructors upon each other, at most so many entries.
  SampleType nested(const SampleType& old, int depth, std::size_t most) {
    SampleType type = old;
    for (int i = 0; i < depth; ++i) {
      SampleType next = portable(type);
      if (next.memory.entries.size() > most) break;
      type = std::move(next);
    }
    return type;
  }

  SampleType resized(const SampleType& old, MPI_Count lb, MPI_Count extent) {
    SampleType made{{}, old.memory, old.file};
    each_map([&](auto map) {
      (made.*map).lb_marker = lb;
      (made.*map).ub_marker = lb + extent;
    });
    return finish(made, make_resized(*old.type, lb, extent, form()));
  }

 private:
  /// In memory and in the file.
  static std::int64_t end_of(const SampleType& type) {
    return std::max(type.memory.true_ub(), type.file.true_ub());
  }

  CountForm form() { return pick(0, 1) == 0 ? CountForm::standard : CountForm::large; }

  template <class Each>
  static void each_map(Each each) {
    each(&SampleType::memory);
    each(&SampleType::file);
  }

  static SampleType finish(SampleType made, const Expected<Ref<Datatype>>& type) {
    if (!type) {
      ADD_FAILURE() << type.error().message;
      return made;
    }
    (*type)->commit();
    made.type = *type;
    return made;
  }

  SampleType vector(const SampleType& old) {
    const MPI_Count count = some(5);
    const MPI_Count length = some(3);
    const MPI_Count stride = length + pick(0, 3);
    SampleType made;
    each_map([&](auto map) {
      for (MPI_Count i = 0; i < count; ++i) {
        (made.*map).append(old.*map, i * stride * (old.*map).extent(), length);
      }
    });
    return finish(made, make_vector(count, length, stride, *old.type, form()));
  }

  SampleType indexed(const SampleType& old, bool one_length) {
    const auto n = static_cast<std::size_t>(some(pick(0, 3) == 0 ? 30 : 5));
    const MPI_Count length = some(3);
    Counts lengths(n);
    Counts places(n);
    MPI_Count place = pick(0, 3);
    for (std::size_t i = 0; i < n; ++i) {
      lengths[i] = one_length ? length : pick(0, 3);
      places[i] = place;
      place += lengths[i] + pick(0, 2);
    }
    SampleType made;
    each_map([&](auto map) {
      for (std::size_t i = 0; i < n; ++i) {
        (made.*map).append(old.*map, places[i] * (old.*map).extent(), lengths[i]);
      }
    });
    return finish(made, one_length ? make_indexed_block(length, places, *old.type, form())
                                   : make_indexed(lengths, places, *old.type, form()));
  }

  /// In two dimensions.
  SampleType subarray(const SampleType& old) {
    const Counts sizes = {pick(1, 4), pick(1, 4)};
    const Counts subsizes = {pick(1, sizes[0]), pick(1, sizes[1])};
    const Counts starts = {pick(0, sizes[0] - subsizes[0]), pick(0, sizes[1] - subsizes[1])};
    SampleType made;
    each_map([&](auto map) {
      const std::int64_t extent = (old.*map).extent();
      for (MPI_Count row = 0; row < subsizes[0]; ++row) {
        const MPI_Count at = (starts[0] + row) * sizes[1] + starts[1];
        (made.*map).append(old.*map, at * extent, subsizes[1]);
      }
      (made.*map).lb_marker = 0;
      (made.*map).ub_marker = sizes[0] * sizes[1] * extent;
    });
    return finish(made, make_subarray(sizes, subsizes, starts, MPI_ORDER_C, *old.type, form()));
  }

  std::mt19937_64& random_;
  FileSize size_;
};

}  // namespace remit::testing
