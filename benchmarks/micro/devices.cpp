// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared-memory device as the protocols see it: two of them in this process, one thread, so
// that the figures are work, without the time of a cache line between cores.

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "rdma_btl/shm/shm_device.hpp"

namespace {

using namespace remit;

// Two connected devices; what arrives is thrown away.
class Pair {
 public:
  explicit Pair(ShmCopy copy = ShmCopy::automatic) {
    for (PeerName name : {PeerName{0}, PeerName{1}}) {
      ShmConfig config;
      config.name = name;
      config.job = 4711;
      config.copy = copy;
      sides_[name] = std::move(ShmDevice::create(config).value());
    }
    const std::vector<std::byte> address = sides_[1]->local_address();
    to_second_ = sides_[0]->connect(1, address).value();
    const std::vector<std::byte> back = sides_[0]->local_address();
    const EndpointId to_first = sides_[1]->connect(0, back).value();
    while (!sides_[0]->peers()[to_second_].attached || !sides_[1]->peers()[to_first].attached)
      poll_both();
  }

  ShmDevice& first() { return *sides_[0]; }
  ShmDevice& second() { return *sides_[1]; }
  [[nodiscard]] EndpointId endpoint() const { return to_second_; }

  // Events of either side.
  std::size_t poll_both() { return sides_[0]->poll(completions_) + sides_[1]->poll(completions_); }
  std::span<Completion> completions() { return completions_; }

 private:
  std::array<std::unique_ptr<ShmDevice>, 2> sides_;
  std::array<Completion, 64> completions_;
  EndpointId to_second_ = 0;
};

void shm_send_and_poll(benchmark::State& state) {
  Pair pair;
  std::vector<std::byte> bytes(static_cast<std::size_t>(state.range(0)));
  const Piece piece{bytes.data(), bytes.size(), 0};
  Operation send;
  send.local = {&piece, 1};
  for (auto _ : state) {
    benchmark::DoNotOptimize(pair.first().post(pair.endpoint(), {&send, 1}));
    while (pair.second().poll(pair.completions()) == 0) {
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(shm_send_and_poll)->Arg(8)->Arg(48)->Arg(256)->Arg(4096);

void shm_send_batches(benchmark::State& state) {
  constexpr std::size_t kBatch = 32;
  Pair pair;
  std::array<std::byte, 8> bytes{};
  const Piece piece{bytes.data(), bytes.size(), 0};
  std::array<Operation, kBatch> sends;
  for (Operation& send : sends) send.local = {&piece, 1};
  for (auto _ : state) {
    const std::size_t accepted = pair.first().post(pair.endpoint(), sends);
    for (std::size_t arrived = 0; arrived < accepted;) {
      arrived += pair.second().poll(pair.completions());
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
}
BENCHMARK(shm_send_batches);

void shm_poll_nothing(benchmark::State& state) {
  Pair pair;
  for (auto _ : state) benchmark::DoNotOptimize(pair.first().poll(pair.completions()));
}
BENCHMARK(shm_poll_nothing);

// A get by one thread alone: nobody helps, nothing overlaps.
void shm_get(benchmark::State& state, ShmCopy copy) {
  Pair pair(copy);
  std::vector<std::byte> from(static_cast<std::size_t>(state.range(0)), std::byte{1});
  std::vector<std::byte> to(from.size());
  const Region region =
      pair.second().register_memory(from.data(), from.size(), Access::remote_read).value();
  const Piece piece{to.data(), to.size(), 0};
  Operation get;
  get.kind = OpKind::get;
  get.local = {&piece, 1};
  get.remote = {reinterpret_cast<std::uint64_t>(from.data()), region.remote_key};
  get.cookie = 1;
  for (auto _ : state) {
    benchmark::DoNotOptimize(pair.first().post(pair.endpoint(), {&get, 1}));
    while (pair.poll_both() == 0) {
    }
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
  pair.second().deregister(region);
}
BENCHMARK_CAPTURE(shm_get, direct, ShmCopy::cma)->Arg(8)->Arg(65536)->Arg(1 << 20);
BENCHMARK_CAPTURE(shm_get, pipelined, ShmCopy::pipelined)->Arg(8)->Arg(65536)->Arg(1 << 20);

void shm_register_and_deregister(benchmark::State& state) {
  Pair pair;
  std::vector<std::byte> bytes(4096);
  for (auto _ : state) {
    const Expected<Region> region =
        pair.first().register_memory(bytes.data(), bytes.size(), Access::all);
    pair.first().deregister(*region);
  }
}
BENCHMARK(shm_register_and_deregister);

}  // namespace
