// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/sim/sim_host_memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace remit::sim {

Notices SimHostMemory::take_notices() {
  const auto found = std::find_if(in_use_.begin(), in_use_.end(),
                                  [](const auto& function) { return function && !function(); });
  const auto index = static_cast<std::uint32_t>(found - in_use_.begin());
  if (found != in_use_.end()) {
    *found = nullptr;
  } else {
    in_use_.emplace_back();
  }
  return {notices_.make(self_.index, index), index};
}

void SimHostMemory::return_notices(std::uint32_t index, std::function<bool()> in_use) {
  in_use_[index] = std::move(in_use);
}

std::byte* SimHostMemory::notices_of(EndpointId id, std::uint32_t index) const {
  return reaches_memory(id) ? notices_.find(self_.endpoints[id].peer, index) : nullptr;
}

void SimHostMemory::nudge(EndpointId id) {
  VirtualProcess* const peer = processes_.living(self_.endpoints[id].peer);
  if (peer != nullptr) processes_.wake(*peer);
}

bool SimHostMemory::reaches_memory(EndpointId id) const {
  const Endpoint& endpoint = self_.endpoints[id];
  const auto& reaches = config_.reaches_memory;
  return reaches && !endpoint.failed && processes_.living(endpoint.peer) != nullptr &&
         reaches(self_.name, processes_.name(endpoint.peer));
}

bool SimHostMemory::read_memory(EndpointId id, std::uint64_t address, void* to, std::size_t bytes) {
  if (!reaches_memory(id)) return false;
  if (bytes != 0) std::memcpy(to, reinterpret_cast<const void*>(address), bytes);
  return true;
}

bool SimHostMemory::write_memory(EndpointId id, std::uint64_t address, const void* from,
                                 std::size_t bytes) {
  if (!reaches_memory(id)) return false;
  if (bytes != 0) std::memcpy(reinterpret_cast<void*>(address), from, bytes);
  return true;
}

std::byte* SimHostMemory::map_memory(EndpointId id, std::uint64_t address, std::size_t /*bytes*/) {
  return reaches_memory(id) ? reinterpret_cast<std::byte*>(address) : nullptr;
}

/// Of the heap, and gone with the device: no test of a device needs more.
void* SimHostMemory::allocate(std::size_t bytes) {
  auto memory = std::make_unique<std::byte[]>(std::max<std::size_t>(bytes, 1));
  void* at = memory.get();
  allocated_.emplace(at, std::move(memory));
  return at;
}

Released SimHostMemory::release(void* memory) {
  return allocated_.erase(memory) != 0 ? Released::done : Released::foreign;
}

HostFacts SimHostMemory::facts() const {
  return facts_;
}

/// There is nothing to measure: the virtual clock stands still meanwhile.
HostFacts SimHostMemory::measure_facts() {
  return facts_;
}

void SimHostMemory::learn(const HostFacts& facts) {
  facts_.merge(facts);
}

std::size_t SimHostMemory::claim_lines_to() const {
  return facts_.claim_lines_to.value_or(0);
}

}  // namespace remit::sim
