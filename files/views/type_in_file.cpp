// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/views/type_in_file.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "datatype/unnamed_types.hpp"

namespace remit {
namespace {

using NewType = Expected<Ref<Datatype>>;
using Counts = std::vector<MPI_Count>;

/// A basic element of so many bytes that may lie anywhere.
Ref<Datatype> make_element(std::int64_t bytes) {
  Datatype::Parts parts;
  parts.layout = Layout({0, bytes, nullptr}, bytes);
  parts.bounds = {true, 0, bytes, std::nullopt, std::nullopt, 1};
  parts.signature.elements = 1;
  parts.signature.uniform_size = bytes;
  auto type = Ref<Datatype>::adopt(new Datatype(std::move(parts)));
  type->commit();
  return type;
}

/// The arguments of a constructor, in the order in which its binding has them.
class Arguments {
 public:
  explicit Arguments(const Contents& contents) : contents_(contents) {}

  MPI_Count count() { return is_large() ? contents_.large_counts[large_++] : MPI_Count{plain()}; }
  MPI_Count address() {
    return is_large() ? contents_.large_counts[large_++]
                      : MPI_Count{contents_.addresses[addresses_++]};
  }
  int plain() { return contents_.integers[plain_++]; }
  Counts counts(MPI_Count n) {
    Counts all(static_cast<std::size_t>(n));
    for (MPI_Count& one : all) one = count();
    return all;
  }
  Counts addresses(MPI_Count n) {
    Counts all(static_cast<std::size_t>(n));
    for (MPI_Count& one : all) one = address();
    return all;
  }
  std::vector<int> plains(int n) {
    std::vector<int> all(static_cast<std::size_t>(n));
    for (int& one : all) one = plain();
    return all;
  }

 private:
  // Each constructor with counts has one at least.
  [[nodiscard]] bool is_large() const { return !contents_.large_counts.empty(); }

  const Contents& contents_;
  std::size_t plain_ = 0;
  std::size_t addresses_ = 0;
  std::size_t large_ = 0;
};

// The constructors read their arguments one after the other, so each has a line of its own.

NewType again_strided(int combiner, Arguments arguments, const Datatype& old) {
  const MPI_Count count = arguments.count();
  const MPI_Count length = arguments.count();
  if (combiner == MPI_COMBINER_VECTOR) return make_vector(count, length, arguments.count(), old);
  return make_hvector(count, length, arguments.address(), old);
}

NewType again_indexed(int combiner, Arguments arguments, const Datatype& old) {
  const MPI_Count count = arguments.count();
  const Counts lengths = arguments.counts(count);
  if (combiner == MPI_COMBINER_INDEXED) {
    return make_indexed(lengths, arguments.counts(count), old);
  }
  return make_hindexed(lengths, arguments.addresses(count), old);
}

NewType again_indexed_block(int combiner, Arguments arguments, const Datatype& old) {
  const MPI_Count count = arguments.count();
  const MPI_Count length = arguments.count();
  if (combiner == MPI_COMBINER_INDEXED_BLOCK) {
    return make_indexed_block(length, arguments.counts(count), old);
  }
  return make_hindexed_block(length, arguments.addresses(count), old);
}

NewType again_struct(Arguments arguments, std::span<const Ref<const Datatype>> olds) {
  const MPI_Count count = arguments.count();
  const Counts lengths = arguments.counts(count);
  const Counts places = arguments.addresses(count);
  std::vector<const Datatype*> types;
  for (const auto& old : olds) types.push_back(old.get());
  return make_struct(lengths, places, types);
}

NewType again_resized(Arguments arguments, const Datatype& old) {
  const MPI_Count lb = arguments.address();
  return make_resized(old, lb, arguments.address());
}

NewType again_subarray(Arguments arguments, const Datatype& old) {
  const int dimensions = arguments.plain();
  const Counts sizes = arguments.counts(dimensions);
  const Counts subsizes = arguments.counts(dimensions);
  const Counts starts = arguments.counts(dimensions);
  return make_subarray(sizes, subsizes, starts, arguments.plain(), old);
}

NewType again_darray(Arguments arguments, const Datatype& old) {
  DarrayShape shape;
  shape.size = arguments.plain();
  shape.rank = arguments.plain();
  const int dimensions = arguments.plain();
  const Counts gsizes = arguments.counts(dimensions);
  const std::vector<int> distribs = arguments.plains(dimensions);
  const std::vector<int> dargs = arguments.plains(dimensions);
  const std::vector<int> psizes = arguments.plains(dimensions);
  shape.gsizes = gsizes;
  shape.distribs = distribs;
  shape.dargs = dargs;
  shape.psizes = psizes;
  shape.order = arguments.plain();
  return make_darray(shape, old);
}

/// By the constructor that made `type`, of other old types.
NewType make_again(const Datatype& type, std::span<const Ref<const Datatype>> olds) {
  Arguments arguments(type.contents());
  const int combiner = type.contents().combiner;
  switch (combiner) {
    case MPI_COMBINER_DUP:
      return make_dup(*olds[0]);
    case MPI_COMBINER_CONTIGUOUS:
      return make_contiguous(arguments.count(), *olds[0]);
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
      return again_strided(combiner, arguments, *olds[0]);
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
      return again_indexed(combiner, arguments, *olds[0]);
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
      return again_indexed_block(combiner, arguments, *olds[0]);
    case MPI_COMBINER_STRUCT:
      return again_struct(arguments, olds);
    case MPI_COMBINER_RESIZED:
      return again_resized(arguments, *olds[0]);
    case MPI_COMBINER_SUBARRAY:
      return again_subarray(arguments, *olds[0]);
    case MPI_COMBINER_DARRAY:
      return again_darray(arguments, *olds[0]);
    default:
      return fail(MPI_ERR_TYPE, "{} has no layout in a file: its combiner is {}", type.name(),
                  combiner);
  }
}

/// Looks at each type once, however often it occurs.
class TypeInFileMaker {
 public:
  explicit TypeInFileMaker(const SizeInFile& size) : size_(size) {}

  Expected<Ref<const Datatype>> make(const Datatype& type) {
    const auto known = known_.find(&type);
    if (known != known_.end()) return known->second;
    auto made = make_unknown(type);
    if (made) known_.emplace(&type, *made);
    return made;
  }
  [[nodiscard]] bool has_memory_sizes() const { return has_memory_sizes_; }

 private:
  Expected<Ref<const Datatype>> make_unknown(const Datatype& type) {
    const PairTypes pair = pair_types(type);
    if (pair.value != nullptr) return make_pair(*pair.value, *pair.index);
    if (type.is_predefined() || type.contents().of_unnamed_predefined()) return make_leaf(type);
    std::vector<Ref<const Datatype>> olds;
    for (const auto& old : type.contents().datatypes) {
      auto in_file = make(*old);
      if (!in_file) return in_file;
      olds.push_back(std::move(*in_file));
    }
    auto made = make_again(type, olds);
    if (!made) return tl::unexpected(made.error());
    return Ref<const Datatype>(*made);
  }

  Expected<Ref<const Datatype>> make_leaf(const Datatype& type) {
    const auto bytes = size_(type);
    if (!bytes) return tl::unexpected(bytes.error());
    has_memory_sizes_ = has_memory_sizes_ && *bytes == type.size();
    return Ref<const Datatype>(make_element(*bytes));
  }

  Expected<Ref<const Datatype>> make_pair(const Datatype& value, const Datatype& index) {
    auto first = make(value);
    if (!first) return first;
    auto second = make(index);
    if (!second) return second;
    const std::array<const Datatype*, 2> both = {first->get(), second->get()};
    const std::array<MPI_Count, 2> places = {0, (*first)->size()};
    auto made = make_struct(std::array<MPI_Count, 2>{1, 1}, places, both);
    if (!made) return tl::unexpected(made.error());
    return Ref<const Datatype>(*made);
  }

  const SizeInFile& size_;
  bool has_memory_sizes_ = true;
  std::map<const Datatype*, Ref<const Datatype>> known_;
};

}  // namespace

Expected<TypeInFile> make_type_in_file(const Datatype& datatype, const SizeInFile& size) {
  TypeInFileMaker maker(size);
  auto made = maker.make(datatype);
  if (!made) return tl::unexpected(made.error());
  return TypeInFile{std::move(*made), maker.has_memory_sizes()};
}

}  // namespace remit
