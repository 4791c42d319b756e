// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Packing by layout against the loop or memcpy that a person would write, and reductions.

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "datatype/datatype.hpp"
#include "datatype/reductions.hpp"

namespace {

using remit::Datatype;
using remit::Ref;

constexpr std::size_t kPackedBytes = 64 * 1024;

// Packs one element of `type` again and again; bytes a second are packed bytes.
void pack_all(benchmark::State& state, const Datatype& type) {
  const auto bytes = static_cast<std::size_t>(type.true_lb() + type.true_extent());
  std::vector<std::byte> memory(bytes + 64, std::byte{1});
  std::vector<std::byte> packed(static_cast<std::size_t>(type.size()));
  for (auto _ : state) {
    benchmark::DoNotOptimize(type.layout().pack(memory.data(), 1, 0, packed));
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(packed.size()));
}

// The column of a matrix: blocks of range(0) doubles, twice as far apart.
Ref<Datatype> strided(std::int64_t block) {
  const auto count = static_cast<MPI_Count>(kPackedBytes / sizeof(double)) / block;
  return *remit::make_vector(count, block, 2 * block, remit::predefined(MPI_DOUBLE));
}

void pack_vector(benchmark::State& state) {
  pack_all(state, *strided(state.range(0)));
}
BENCHMARK(pack_vector)->Arg(1)->Arg(2)->Arg(8)->Arg(64);

void unpack_all(benchmark::State& state, const Datatype& type) {
  const auto bytes = static_cast<std::size_t>(type.true_lb() + type.true_extent());
  std::vector<std::byte> memory(bytes + 64);
  const std::vector<std::byte> packed(static_cast<std::size_t>(type.size()), std::byte{1});
  for (auto _ : state) {
    benchmark::DoNotOptimize(type.layout().unpack(memory.data(), 1, 0, packed));
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(packed.size()));
}

void unpack_vector(benchmark::State& state) {
  unpack_all(state, *strided(state.range(0)));
}
BENCHMARK(unpack_vector)->Arg(1)->Arg(2)->Arg(8)->Arg(64);

// The face of a cube of 64^3 doubles with ghost cells, across dimension range(0); 0 varies slowest.
Ref<Datatype> face(std::int64_t across) {
  const std::array<MPI_Count, 3> sizes = {66, 66, 66}, starts = {1, 1, 1};
  std::array<MPI_Count, 3> subsizes = {64, 64, 64};
  subsizes[static_cast<std::size_t>(across)] = 1;
  return *remit::make_subarray(sizes, subsizes, starts, MPI_ORDER_C, remit::predefined(MPI_DOUBLE));
}

void pack_face(benchmark::State& state) {
  pack_all(state, *face(state.range(0)));
}
BENCHMARK(pack_face)->Arg(0)->Arg(1)->Arg(2);

void unpack_face(benchmark::State& state) {
  unpack_all(state, *face(state.range(0)));
}
BENCHMARK(unpack_face)->Arg(0)->Arg(1)->Arg(2);

// A matrix of 90 x 90 doubles, column by column.
void pack_transpose(benchmark::State& state) {
  const auto column = remit::make_vector(90, 1, 90, remit::predefined(MPI_DOUBLE));
  const auto narrow = remit::make_resized(**column, 0, sizeof(double));
  pack_all(state, **remit::make_contiguous(90, **narrow));
}
BENCHMARK(pack_transpose);

// What a person would write for the vector of single doubles.
void pack_by_hand(benchmark::State& state) {
  const std::size_t count = kPackedBytes / sizeof(double);
  std::vector<double> memory(2 * count, 1.0), packed(count);
  for (auto _ : state) {
    for (std::size_t i = 0; i < count; ++i) packed[i] = memory[2 * i];
    benchmark::DoNotOptimize(packed.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kPackedBytes));
}
BENCHMARK(pack_by_hand);

// Irregular blocks: a gather list of an unstructured mesh.
Ref<Datatype> irregular() {
  std::vector<MPI_Count> lengths, places;
  MPI_Count place = 0;
  for (std::size_t elements = 0; elements < kPackedBytes / sizeof(double);) {
    const auto length = static_cast<MPI_Count>(1 + (lengths.size() * 7) % 5);
    lengths.push_back(length);
    places.push_back(place);
    place += length + 1 + static_cast<MPI_Count>(lengths.size() % 3);
    elements += static_cast<std::size_t>(length);
  }
  return *remit::make_indexed(lengths, places, remit::predefined(MPI_DOUBLE));
}

void pack_indexed(benchmark::State& state) {
  pack_all(state, *irregular());
}
BENCHMARK(pack_indexed);

void unpack_indexed(benchmark::State& state) {
  unpack_all(state, *irregular());
}
BENCHMARK(unpack_indexed);

// An array of structures {int; double; char}: how particles travel.
Ref<Datatype> particles() {
  const std::array<MPI_Count, 3> lengths = {1, 1, 1}, places = {0, 8, 16};
  const std::array<const Datatype*, 3> types = {
      &remit::predefined(MPI_INT), &remit::predefined(MPI_DOUBLE), &remit::predefined(MPI_CHAR)};
  const auto one = remit::make_struct(lengths, places, types);
  const auto padded = remit::make_resized(**one, 0, 24);
  return *remit::make_contiguous(static_cast<MPI_Count>(kPackedBytes / 13), **padded);
}

void pack_structs(benchmark::State& state) {
  pack_all(state, *particles());
}
BENCHMARK(pack_structs);

void unpack_structs(benchmark::State& state) {
  unpack_all(state, *particles());
}
BENCHMARK(unpack_structs);

// The bound of all: a plain copy of as many bytes.
void copy_plain(benchmark::State& state) {
  std::vector<std::byte> from(kPackedBytes, std::byte{1}), to(kPackedBytes);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), kPackedBytes);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kPackedBytes));
}
BENCHMARK(copy_plain);

void make_and_free_vector(benchmark::State& state) {
  for (auto _ : state) {
    auto type = remit::make_vector(100, 1, 10, remit::predefined(MPI_DOUBLE));
    benchmark::DoNotOptimize(type);
  }
}
BENCHMARK(make_and_free_vector);

void reduce_sum(benchmark::State& state, MPI_Datatype handle) {
  const Datatype& type = remit::predefined(handle);
  const remit::Op& sum = *remit::op_of(MPI_SUM);
  const auto count = static_cast<MPI_Count>(state.range(0) / type.size());
  std::vector<std::byte> in(static_cast<std::size_t>(state.range(0))), inout(in.size());
  for (auto _ : state) {
    remit::reduce_local(sum, in.data(), inout.data(), count, type);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(reduce_sum, float, MPI_FLOAT)->Arg(8)->Arg(4096)->Arg(65536);
BENCHMARK_CAPTURE(reduce_sum, double, MPI_DOUBLE)->Arg(65536);
BENCHMARK_CAPTURE(reduce_sum, int, MPI_INT)->Arg(65536);

}  // namespace
