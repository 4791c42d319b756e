// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared-memory device and what is known of its host: measured when that is asked for, kept in
// a file.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>

#include "rdma_btl/shm/endpoint.hpp"
#include "rdma_btl/shm/shm_device.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

/// The vectors that are the quickest in the trap; narrower ones where wider ones gain nothing.
unsigned measure_vectors() {
  constexpr std::size_t kBytes = 8192;
  constexpr std::size_t kAhead = 16;
  constexpr std::size_t kPage = 4096;
  constexpr int kTries = 10;
  constexpr double kGain = 0.95;
  const std::unique_ptr<std::byte, shm::FreeMemory> memory(
      static_cast<std::byte*>(std::aligned_alloc(kPage, 2 * kBytes + kPage)));
  if (memory == nullptr) return copy_loops().vector_bytes;
  unsigned best = 0;
  double best_ns = std::numeric_limits<double>::max();
  for (const unsigned bytes : {16U, 32U, 64U}) {
    auto lowest = std::numeric_limits<std::uint64_t>::max();
    for (int i = 0; i < kTries; ++i) {
      const std::uint64_t start = shm::now_ns();
      copy_by_vectors(bytes, memory.get() + kBytes + kAhead, memory.get(), kBytes);
      lowest = std::min(lowest, shm::now_ns() - start);
    }
    if (static_cast<double>(lowest) >= kGain * best_ns) continue;
    best = bytes;
    best_ns = static_cast<double>(lowest);
  }
  return best;
}

}  // namespace

HostFacts ShmDevice::measure_facts() {
  if (!facts_.complete(today())) {
    HostFacts news = shm::measure_kernel_copies(!config_.detours);
    news.loops = copy_loops();
    news.loops->vector_bytes = measure_vectors();
    news.day = today();
    learn(news);
    facts_news_ = true;
  }
  return facts_;
}

/// What is told by a parameter counts as known: nobody measures it.
void ShmDevice::use_facts() {
  if (config_.detours) facts_.kernel_trap = true;
  if (facts_.loops) use_copy_loops(*facts_.loops);
  kernel_copy_.take_detours(facts_.kernel_trap.value_or(true));
}

void ShmDevice::learn(const HostFacts& facts) {
  facts_.merge(facts);
  use_facts();
  if (facts.take_lines_to && config_.measured_lines) take_lines_to_ = *facts.take_lines_to;
}

}  // namespace remit
