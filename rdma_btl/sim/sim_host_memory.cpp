// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory that virtual processes of one host share. All are one program, so that what one of them
// stores is there for the others at once; the network's faults do not touch it, deaths do.
#include <algorithm>
#include <cstring>
#include <memory>

#include "rdma_btl/sim/sim_device.hpp"

namespace remit {

HostMemory* SimDevice::host_memory() {
  return network_.config().reaches_memory ? this : nullptr;
}

std::byte* SimNetwork::notices(std::uint32_t process, std::uint32_t index) {
  constexpr std::size_t kPage = 4096;
  std::vector<std::byte>& memory = notices_[{process, index}];
  if (memory.empty()) memory.resize(kNoticeBytes + kPage);
  void* at = memory.data();
  std::size_t room = memory.size();
  return static_cast<std::byte*>(std::align(kPage, kNoticeBytes, at, room));
}

/// The network owns them, for peers may read them after this process is gone.
Notices SimDevice::take_notices() {
  auto& in_use = rare().notices_in_use;
  const auto found = std::find_if(in_use.begin(), in_use.end(),
                                  [](const auto& function) { return function && !function(); });
  const auto index = static_cast<std::uint32_t>(found - in_use.begin());
  if (found != in_use.end()) {
    *found = nullptr;
  } else {
    in_use.emplace_back();
  }
  return {network_.notices(index_, index), index};
}

void SimDevice::return_notices(std::uint32_t index, std::function<bool()> in_use) {
  rare().notices_in_use[index] = std::move(in_use);
}

std::byte* SimDevice::notices_of(EndpointId id, std::uint32_t index) const {
  const SimDevice* peer = network_.device_at(endpoints_[id].peer);
  if (!reaches_memory(id) || peer->rare_ == nullptr ||
      index >= peer->rare_->notices_in_use.size()) {
    return nullptr;
  }
  return network_.notices(endpoints_[id].peer, index);
}

void SimDevice::nudge(EndpointId id) {
  SimDevice* peer = network_.device_at(endpoints_[id].peer);
  if (peer != nullptr && !peer->dead_) peer->wake();
}

bool SimDevice::reaches_memory(EndpointId id) const {
  const Endpoint& endpoint = endpoints_[id];
  const auto& reaches = network_.config().reaches_memory;
  const SimDevice* peer = network_.device_at(endpoint.peer);
  return reaches && !endpoint.failed && peer != nullptr && !peer->dead_ &&
         reaches(name_, peer->name_);
}

bool SimDevice::read_memory(EndpointId id, std::uint64_t address, void* to, std::size_t bytes) {
  if (!reaches_memory(id)) return false;
  if (bytes != 0) std::memcpy(to, reinterpret_cast<const void*>(address), bytes);
  return true;
}

bool SimDevice::write_memory(EndpointId id, std::uint64_t address, const void* from,
                             std::size_t bytes) {
  if (!reaches_memory(id)) return false;
  if (bytes != 0) std::memcpy(reinterpret_cast<void*>(address), from, bytes);
  return true;
}

std::byte* SimDevice::map_memory(EndpointId id, std::uint64_t address, std::size_t /*bytes*/) {
  return reaches_memory(id) ? reinterpret_cast<std::byte*>(address) : nullptr;
}

/// Of the heap, and gone with the device: no test of a device needs more.
void* SimDevice::allocate(std::size_t bytes) {
  auto memory = std::make_unique<std::byte[]>(std::max<std::size_t>(bytes, 1));
  void* at = memory.get();
  rare().allocated.emplace(at, std::move(memory));
  return at;
}

Released SimDevice::release(void* memory) {
  return rare_ && rare_->allocated.erase(memory) != 0 ? Released::done : Released::foreign;
}

HostFacts SimDevice::facts() const {
  return rare_ ? rare_->facts : HostFacts{};
}

/// There is nothing to measure: the virtual clock stands still meanwhile.
HostFacts SimDevice::measure_facts() {
  return facts();
}

void SimDevice::learn(const HostFacts& facts) {
  rare().facts.merge(facts);
}

std::size_t SimDevice::take_lines_to() const {
  return facts().take_lines_to.value_or(0);
}

}  // namespace remit
