// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/peers/known_facts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>

#include "runtime/copy.hpp"
#include "runtime/log.hpp"
#include "runtime/os/os.hpp"

namespace remit::shm {

namespace {

/// The vectors that are the quickest in the trap; narrower ones where wider ones gain nothing.
unsigned measure_vectors() {
  constexpr std::size_t kBytes = 8192;
  constexpr std::size_t kAhead = 16;
  constexpr std::size_t kPage = 4096;
  constexpr int kTries = 10;
  constexpr double kGain = 0.95;
  const std::unique_ptr<std::byte, FreeMemory> memory(
      static_cast<std::byte*>(std::aligned_alloc(kPage, 2 * kBytes + kPage)));
  if (memory == nullptr) return copy_loops().vector_bytes;
  unsigned best = 0;
  double best_ns = std::numeric_limits<double>::max();
  for (const unsigned bytes : {16U, 32U, 64U}) {
    auto lowest = std::numeric_limits<std::uint64_t>::max();
    for (int i = 0; i < kTries; ++i) {
      const std::uint64_t start = now_ns();
      copy_by_vectors(bytes, memory.get() + kBytes + kAhead, memory.get(), kBytes);
      lowest = std::min(lowest, now_ns() - start);
    }
    if (static_cast<double>(lowest) >= kGain * best_ns) continue;
    best = bytes;
    best_ns = static_cast<double>(lowest);
  }
  return best;
}

}  // namespace

KnownFacts::KnownFacts(const ShmConfig& config, KernelCopy& kernel, Receiver& receiver)
    : facts_(config.facts), config_(config), kernel_(kernel), receiver_(receiver) {
  apply();
}

KnownFacts::~KnownFacts() {
  if (!measured_ || config_.facts_file.empty()) return;
  if (config_.detours) facts_.kernel_trap.reset();  // a wish is no fact
  const Expected<> saved = save_host_facts(config_.facts_file, facts_);
  if (saved || config_.log == nullptr) return;
  config_.log->write(LogLevel::info, "shared memory: {}", saved.error().message);
}

const HostFacts& KnownFacts::measure() {
  if (!facts_.complete(today())) {
    HostFacts news = measure_kernel_copies(!config_.detours);
    news.loops = copy_loops();
    news.loops->vector_bytes = measure_vectors();
    news.day = today();
    learn(news);
    measured_ = true;
  }
  return facts_;
}

/// What is told by a parameter counts as known: nobody measures it.
void KnownFacts::apply() {
  if (config_.detours) facts_.kernel_trap = true;
  if (facts_.loops) use_copy_loops(*facts_.loops);
  kernel_.take_detours(facts_.kernel_trap.value_or(true));
}

void KnownFacts::learn(const HostFacts& facts) {
  facts_.merge(facts);
  apply();
  if (facts.claim_lines_to && config_.measured_lines) {
    receiver_.claim_lines_to(*facts.claim_lines_to);
  }
}

}  // namespace remit::shm
