// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared-memory ring alone: what writing a cell costs, and how fast cells change owner.

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <thread>

#include "rdma_btl/shm/rings/ring.hpp"

namespace {

using namespace remit::shm;

constexpr std::size_t kCells = 256;
constexpr std::size_t kArea = 64 * 1024;
constexpr std::size_t kGiveBack = kCells / 4;  // cells consumed before the producer is told

struct Payload {
  std::uint64_t words[4];  // a small message with its envelope
};

struct FreeAligned {
  void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{4096}); }
};

// A ring in ordinary memory, with the consumer's end written out.
class LocalRing {
 public:
  LocalRing()
      : memory_(new (std::align_val_t{4096}) std::byte[ring_bytes(kCells, kArea)]{}),
        tx(memory_.get(), kCells, kArea),
        cells_(reinterpret_cast<Cell*>(memory_.get() + kControlBytes)) {}

  // True if a cell was there; its first word goes to `word`.
  bool pop(std::uint64_t& word) {
    Cell& cell = cells_[consumed_ & (kCells - 1)];
    const std::uint64_t header = cell.header.load(std::memory_order_acquire);
    if (static_cast<std::uint32_t>(header) != static_cast<std::uint32_t>(consumed_ + 1))
      return false;
    std::memcpy(&word, cell.payload, sizeof word);
    if (++consumed_ % kGiveBack == 0) {
      tx.control().consumer.cells.store(consumed_, std::memory_order_release);
    }
    return true;
  }

 private:
  std::unique_ptr<std::byte[], FreeAligned> memory_;

 public:
  TxRing tx;

 private:
  Cell* cells_;
  std::uint64_t consumed_ = 0;
};

void push_and_pop_in_one_thread(benchmark::State& state) {
  LocalRing ring;
  Payload payload{};
  std::uint64_t word = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ring.tx.push(CellKind::send_inline, payload));
    benchmark::DoNotOptimize(ring.pop(word));
  }
}
BENCHMARK(push_and_pop_in_one_thread);

// Another thread consumes everything; time a cell at the producer.
void stream_to_another_thread(benchmark::State& state) {
  LocalRing ring;
  std::atomic<bool> stop{false};
  std::thread consumer([&] {
    std::uint64_t word = 0;
    while (!stop.load(std::memory_order_relaxed)) benchmark::DoNotOptimize(ring.pop(word));
  });
  const Payload payload{};
  for (auto _ : state) {
    while (!ring.tx.push(CellKind::send_inline, payload)) {
    }
  }
  state.SetItemsProcessed(state.iterations());
  stop.store(true);
  consumer.join();
}
BENCHMARK(stream_to_another_thread)->UseRealTime();

// A cell there and a cell back: twice the latency of the ring.
void ping_pong_with_another_thread(benchmark::State& state) {
  LocalRing there, back;
  std::thread other([&] {
    Payload payload{};
    std::uint64_t word = 0;
    while (word == 0) {
      while (!there.pop(word)) {
      }
      while (!back.tx.push(CellKind::send_inline, payload)) {
      }
    }
  });
  Payload payload{};
  std::uint64_t word = 0;
  const auto round_trip = [&] {
    while (!there.tx.push(CellKind::send_inline, payload)) {
    }
    while (!back.pop(word)) {
    }
  };
  for (auto _ : state) round_trip();
  payload.words[0] = 1;  // the last one
  round_trip();
  other.join();
}
BENCHMARK(ping_pong_with_another_thread)->UseRealTime();

}  // namespace
